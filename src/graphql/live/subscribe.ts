import { setTimeout as sleep } from 'node:timers/promises'
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  getOperationAST,
  print,
} from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { plainReader, readSnapshot, versionSeenBy } from '../../db/connect/store.ts'
import { GatewayError, REFUSALS } from '../../errors.ts'
import { exactJson } from '../../exact-number.ts'
import type { Admin } from '../context.ts'
import { isAway, presentError, presentResult } from '../execution/errors.ts'
import { createContext, type Graph } from '../execution/graph.ts'
import type { Operation } from '../execution/operations.ts'
import { readVariables } from '../execution/variables.ts'
import type { ChangeEvent, Live, LiveAnswer, RunEvent } from './live.ts'
import { readLive } from './live-answer.ts'

/** The subscriber. The signal ends the subscription. */
export interface Subscriber {
  requestId: string
  admin: Admin
  /** The address of the client. */
  client: string
  signal: AbortSignal
}

/** The root value of an event's resolvers: the event, and the data version of its snapshot. */
export interface LiveRoot<Event> {
  event: Event
  version: bigint
}

const RETRY_MS = [500, 2000, 5000]
const AWAY_MS = 1000

/**
 * Starts a subscription. Each event is executed on its own snapshot with its own batches, when the client is ready for it.
 * While the store is unreachable, events wait. Equal live queries share their reads.
 */
export async function subscribe(
  graph: Graph,
  args: ExecutionArgs,
  subscriber: Subscriber,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const { live, store, log } = graph.deps
  const { requestId, admin, client, signal } = subscriber
  const present = (result: ExecutionResult) => presentResult(result, requestId, log)
  let leave = () => {}
  try {
    if (!live) throw new GatewayError('UNAVAILABLE', 'Subscriptions are not available here.')
    leave = live.enter(client)
    const operation = graph.operations.live(args.document, args.operationName)
    if (operation) {
      const answers = answersOf(operation, live)
      if (Symbol.asyncIterator in answers) return resultsOf(answers, async (answer) => shownAnswer(answer))
      leave()
      return present(answers)
    }
    const contextValue = createContext(graph, plainReader(store), admin)
    const source = await createSourceEventStream({ ...args, contextValue })
    if (!(Symbol.asyncIterator in source)) {
      leave()
      return present(source)
    }
    const seen: { version?: bigint } = {}
    const events = source[Symbol.asyncIterator]() as AsyncIterator<Event>
    return resultsOf(events, (event) => resultOf(event, seen, live))
  } catch (error) {
    leave()
    const shown = shownOf(error)
    const status = { UNAVAILABLE: 503, RATE_LIMITED: REFUSALS.RATE_LIMITED }[String(shown.extensions.code)]
    if (status !== undefined) shown.extensions.http = { status, headers: { 'retry-after': '10' } }
    return { errors: [shown] }
  }

  function shownOf(error: unknown) {
    const { shown, internal } = presentError(error, requestId)
    if (internal) log.error({ err: error, requestId }, 'an event of a subscription failed')
    return shown
  }

  /** Independent of the client, as the answers of a query are the same for all. */
  function answersOf(operation: Operation, live: Live): AsyncIterableIterator<LiveAnswer> | ExecutionResult {
    const { document, operationName } = args
    const variables = args.variableValues ?? {}
    const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? []
    const { coerced, errors } = readVariables(graph.schema, definitions, variables)
    if (errors) return { errors }
    const text = document.loc?.source.body ?? print(document)
    const key = JSON.stringify([text, operationName ?? null, coerced], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    return live.answers(key, (begin, signal) =>
      readLive(graph, live, { operation, variables: { ...variables } }, { begin, signal }),
    )
  }

  function shownAnswer({ text, failed }: LiveAnswer): ExecutionResult & { stringify?(): string } {
    return failed ? present(failed) : { stringify: () => text }
  }

  function resultsOf<Event>(
    events: AsyncIterator<Event>,
    toResult: (event: Event) => Promise<ExecutionResult | undefined>,
  ): AsyncIterableIterator<ExecutionResult> {
    const end = () => {
      signal.removeEventListener('abort', end)
      leave()
      void events.return?.()
    }
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    const results = (async function* () {
      for (;;) {
        const next = await events.next()
        if (next.done) return end()
        const result = await toResult(next.value)
        if (result) yield result
      }
    })()
    return {
      next: () => results.next(),
      return() {
        end()
        return results.return(undefined)
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** @returns undefined for a change that the subscriber has seen */
  async function resultOf(event: Event, seen: { version?: bigint }, live: Live): Promise<ExecutionResult | undefined> {
    for (let failures = 0; ; ) {
      try {
        return await live.turn(async () => {
          if (signal.aborted) return undefined
          const read = async (reader: Reader) => {
            const version = await versionSeenBy(reader)
            store.replicas?.raise(Number(version))
            if ('anyway' in event && !event.anyway && version === seen.version) return undefined
            const rootValue: LiveRoot<Event> = { event, version }
            const result = await execute({ ...args, rootValue, contextValue: createContext(graph, reader, admin) })
            const fault = result.errors?.find(isAway)
            if (fault) throw fault
            seen.version = version
            return Object.assign(present(result), { stringify: exactJson })
          }
          return readSnapshot(store, read, store.reads.scope(signal))
        })
      } catch (error) {
        if (signal.aborted) return undefined
        const away = isAway(error)
        const pause = away && !live.connected ? AWAY_MS : RETRY_MS[failures++]
        if (!away || pause === undefined) return { errors: [shownOf(error)] }
        await sleep(pause, undefined, { signal }).catch(() => {})
      }
    }
  }
}

type Event = ChangeEvent | RunEvent
