import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import { isAway, presentResult } from '../execution/errors.ts'
import type { Graph } from '../execution/graph.ts'
import { answerText, type Operation } from '../execution/operations.ts'
import { resultOf, run } from '../execution/run.ts'
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
      if (!isAway(error)) return failed(resultOf(error))
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
  operation: Operation,
  variables: Record<string, unknown>,
  signal: AbortSignal,
): Promise<LiveAnswer> {
  const outcome = await run(graph, { operation, variables, admin: 'no' }, signal)
  if (!outcome.failed) return { text: answerText(operation, outcome.json) }
  const away = outcome.failed.errors?.find(isAway)
  if (away) throw away
  return failed(outcome.failed)
}

function failed(result: ExecutionResult): LiveAnswer {
  const { errors } = presentResult(result, '')
  return { text: JSON.stringify([result.data ?? null, errors]), failed: result }
}
