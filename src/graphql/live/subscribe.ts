import { setTimeout as sleep } from 'node:timers/promises'
import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  getOperationAST,
  print,
} from 'graphql'
import { readVariables } from 'pothos-sql/host'
import { plainReader, type Reader, readSnapshot, versionSeenBy } from '../../db/connect/reader.ts'
import { GatewayError, REFUSALS } from '../../errors.ts'
import { exactJson } from '../../exact-number.ts'
import type { Admin } from '../context.ts'
import { isAway, presentError } from '../execution/errors.ts'
import type { Graph } from '../execution/graph.ts'
import type { Operation } from '../execution/operation.ts'
import { answerText, presentResult, resultOf } from '../execution/outcome.ts'
import type { OperationRun } from '../execution/read.ts'
import type { Variables } from '../policy/documents.ts'
import type { ChangeEvent, Live, LiveAnswer } from './live.ts'
import type { RunEvent } from './runs.ts'

/** The subscriber. The signal ends the subscription; `revoked` does by an error, its reason. */
export interface Subscriber {
  requestId: string
  admin: Admin
  client: string
  signal: AbortSignal
  revoked?: AbortSignal | undefined
}

/** The root value of an event's resolvers: the event, and the data version of its snapshot. */
export interface LiveRoot<Event> {
  event: Event
  version: bigint
}

type Event = ChangeEvent | RunEvent
type Results = AsyncIterableIterator<ExecutionResult>

const RETRY_MS = [500, 2000, 5000]
const AWAY_MS = 1000

/**
 * Starts a subscription. Each event is executed on its own snapshot with its own batches, when the
 * client is ready for it. While the store is unreachable, events wait. Equal live queries share
 * their reads.
 */
export async function subscribe(
  graph: Graph,
  operation: Operation,
  variables: Variables,
  subscriber: Subscriber,
): Promise<Results | ExecutionResult> {
  const { live, store, log } = graph.deps
  const { requestId, admin, client, signal, revoked } = subscriber
  const present = (result: ExecutionResult) => presentResult(result, requestId, log)
  let leave = () => {}
  try {
    if (!live) throw new GatewayError('UNAVAILABLE', 'Subscriptions are not available here.')
    leave = live.enter(client)
    const query = graph.operations.live(operation)
    const results = query ? answers(query, live) : await events(live)
    if (!(Symbol.asyncIterator in results)) leave()
    return results
  } catch (error) {
    leave()
    const { presented, internal } = presentError(error, requestId)
    if (internal) log.error({ err: error, requestId }, 'a subscription failed')
    const status = { UNAVAILABLE: 503, RATE_LIMITED: REFUSALS.RATE_LIMITED }[
      String(presented.extensions.code)
    ]
    if (status !== undefined)
      presented.extensions.http = { status, headers: { 'retry-after': '10' } }
    return { errors: [presented] }
  }

  // The answers of a query. They are the same for all clients, and presented to each.
  function answers(query: Operation, live: Live): Results | ExecutionResult {
    const { document, operationName } = operation
    const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? []
    const { coerced, errors } = readVariables(graph.schema, definitions, variables)
    if (errors) return present({ errors })
    const cost = graph.costOf({ operation: query, variables })
    const text = document.loc?.source.body ?? print(document)
    const key = JSON.stringify([text, operationName ?? null, coerced], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    const shared = live.answers(key, (begin, gone) =>
      readInTurn(graph, live, gone, cost, () => {
        begin()
        return liveAnswer(
          graph,
          { operation: query, variables: { ...variables }, admin: 'no' },
          cost,
          gone,
        )
      }),
    )
    return resultsOf(shared, async ({ text, failed }) =>
      failed ? present(failed) : ({ stringify: () => text } as ExecutionResult),
    )
  }

  async function events(live: Live): Promise<Results | ExecutionResult> {
    const { document, operationName } = operation
    const args = { schema: graph.schema, document, operationName, variableValues: variables }
    const source = await createSourceEventStream({
      ...args,
      contextValue: graph.contextOf(plainReader(store), admin),
    })
    if (!(Symbol.asyncIterator in source)) return present(source)
    const cost = graph.costOf({ operation, variables })
    let seen: bigint | undefined
    const read = async (event: Event, reader: Reader) => {
      const version = await versionSeenBy(reader)
      store.replicas?.raise(Number(version))
      // The subscriber has seen the change.
      if ('anyway' in event && !event.anyway && version === seen) return undefined
      const rootValue: LiveRoot<Event> = { event, version }
      const result = await execute({
        ...args,
        rootValue,
        contextValue: graph.contextOf(reader, admin),
      })
      const fault = result.errors?.find(isAway)
      if (fault) throw fault
      seen = version
      return Object.assign(present(result), { stringify: exactJson })
    }
    return resultsOf(source[Symbol.asyncIterator]() as AsyncIterator<Event>, (event) =>
      readInTurn(graph, live, signal, cost, () =>
        readSnapshot(
          store,
          (reader) => read(event, reader),
          store.reads.scope(signal, graph.workload.isLarge(cost)),
        ),
      ).catch((error) => present({ errors: resultOf(error).errors ?? [] })),
    )
  }

  function resultsOf<Event>(
    events: AsyncIterator<Event>,
    toResult: (event: Event) => Promise<ExecutionResult | undefined>,
  ): Results {
    const end = () => {
      for (const one of signals) one.removeEventListener('abort', end)
      leave()
      void events.return?.()
    }
    const signals = [signal, revoked].filter((one) => one !== undefined)
    for (const one of signals) one.addEventListener('abort', end)
    if (signals.some((one) => one.aborted)) end()
    const results = (async function* () {
      for (;;) {
        const next = await events.next()
        const result = next.done ? undefined : await toResult(next.value)
        if (next.done || revoked?.aborted) break
        if (result) yield result
      }
      end()
      if (revoked?.aborted) yield present({ errors: resultOf(revoked.reason).errors ?? [] })
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
}

// Throws if the store is unreachable. Other errors are in the answer.
async function liveAnswer(
  graph: Graph,
  request: OperationRun,
  cost: number,
  signal: AbortSignal,
): Promise<LiveAnswer> {
  const outcome = await graph.answer(request, cost, signal).catch((error) => ({
    failed: resultOf(error),
  }))
  if (!outcome.failed) return { text: answerText(request.operation, outcome) }
  const { failed } = outcome
  const away = failed.errors?.find(isAway)
  if (away) throw away
  return { text: JSON.stringify([failed.data ?? null, presentResult(failed, '').errors]), failed }
}

// Reads again while the store is unreachable. Undefined if the signal aborted it.
async function readInTurn<T>(
  { deps: { log }, workload }: Graph,
  live: Live,
  signal: AbortSignal,
  cost: number,
  read: () => Promise<T>,
): Promise<T | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await workload.run(cost, signal, () =>
        live.turn(async () => (signal.aborted ? undefined : read())),
      )
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isAway(error)) throw error
      if (failures === 0) log.warn({ err: error }, 'a subscription cannot be read, trying again')
      const pause = live.connected
        ? (RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number)
        : AWAY_MS
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  return undefined
}
