import type { Where } from '../../db/lists/filter.ts'
import { GatewayError } from '../../errors.ts'

/** The maximum users, or seconds, whose snapshots in a market or vault one request may sort. */
const MOST_USERS = 100
const MOST_SECONDS = 86_400n

/**
 * Rejects an order that no index serves if the filter leaves too many snapshots to sort.
 * @throws BAD_INPUT
 */
export function assertSortable(args: Record<string, unknown>): void {
  const { where } = args as { where?: Where | null }
  if (isBounded({ ...where, timestamp: narrowest(where?.timestamp, { gte: args.from, lte: args.to }) })) return
  const message = `would sort all snapshots that match the filter: add where.user, where.users (at most ${MOST_USERS}), where.timestamp.eq, or where.timestamp with gte and lte at most ${MOST_SECONDS} seconds apart`
  throw new GatewayError('BAD_INPUT', `orderBy ${message}. Sorting by TIMESTAMP alone needs no filter.`, [
    { in: 'query', name: 'orderBy', message },
  ])
}

interface Moments {
  eq?: bigint | null
  gte?: bigint | null
  lte?: bigint | null
}

const narrowest = (where: unknown, own: { gte: unknown; lte: unknown }): Moments => {
  const { eq, gte, lte } = (where ?? {}) as Moments
  return { eq: eq ?? null, gte: gte ?? (own.gte as bigint) ?? null, lte: lte ?? (own.lte as bigint) ?? null }
}

function isBounded(where: Where): boolean {
  const { user, users, timestamp, AND } = where as Where & { users?: unknown[] | null; timestamp?: Moments | null }
  if (user || (users && users.length <= MOST_USERS)) return true
  const { eq, gte, lte } = timestamp ?? {}
  if (typeof eq === 'bigint') return true
  if (typeof gte === 'bigint' && typeof lte === 'bigint' && lte - gte <= MOST_SECONDS) return true
  return (AND ?? []).some(isBounded)
}
