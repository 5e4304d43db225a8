import { setTimeout as sleep } from 'node:timers/promises'
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Reader } from '../../db/connect/reader.ts'
import { answerJson } from '../execution/answer-size.ts'
import { isAway, isCallersMistake, presentError } from '../execution/errors.ts'
import { createContext, type Graph } from '../execution/execute.ts'
import type { Operation } from '../execution/operations.ts'
import { readFor } from '../execution/snapshot.ts'
import type { Live, LiveAnswer } from './live.ts'

const RETRY_MS = [500, 2000, 5000]
const AWAY_MS = 1000

/**
 * Reads a query's answer when it gets a slot, and retries while the store is unreachable.
 * @param begin called before each attempt
 * @returns undefined if the signal aborted it
 */
export async function readLive(
  graph: Graph,
  live: Live,
  { operation, variables }: { operation: Operation; variables: Record<string, unknown> },
  { begin, signal }: { begin(): void; signal: AbortSignal },
): Promise<LiveAnswer | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await live.turn(async () => {
        if (signal.aborted) return undefined
        begin()
        return answer(graph, operation, variables, signal)
      })
    } catch (error) {
      if (signal.aborted) return undefined
      if (!isAway(error)) return failed({ errors: [wrapped(error)] })
      if (failures === 0) graph.deps.log.warn({ err: error }, 'a live query cannot be read, trying again')
      const pause = live.connected ? (RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] as number) : AWAY_MS
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  return undefined
}

/** @throws errors of an unreachable store */
async function answer(
  graph: Graph,
  { document, plan, run }: Operation,
  variables: Record<string, unknown>,
  signal: AbortSignal,
): Promise<LiveAnswer> {
  const { store } = graph.deps
  let planned = true
  const read = async (reader: Reader): Promise<LiveAnswer> => {
    const found = planned ? await plan.run(reader, variables) : undefined
    if (found) return { text: `{"data":${found.json()}}` }
    planned = false
    const result = await run({}, createContext(graph, reader, 'no'), variables)
    const away = result.errors?.find(isAway)
    if (away) throw away
    return result.errors ? failed(result) : { text: answerJson({ data: result.data }, store.maxAnswerBytes) }
  }
  try {
    return await readFor(store, document, read, signal)
  } catch (error) {
    if (!planned || !isCallersMistake(error)) throw error
    // Resolvers report what is wrong, and where.
    planned = false
    return readFor(store, document, read, signal)
  }
}

function failed(result: ExecutionResult): LiveAnswer {
  const errors = result.errors?.map((error) => presentError(error, '').shown)
  return { text: JSON.stringify([result.data ?? null, errors]), failed: result }
}

const wrapped = (error: unknown) =>
  error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })
