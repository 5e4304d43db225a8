import type { Where } from 'pothos-sql'
import { GatewayError } from '../../errors.ts'

const MOST_USERS = 100
const MOST_SECONDS = 86_400

/**
 * Rejects an order that no index serves if the filter leaves too many snapshots to sort.
 * @throws BAD_INPUT
 */
export function assertSortable(args: Record<string, unknown>): void {
  const { where } = args as { where?: Where | null }
  if (where && isBounded(where)) return
  const message =
    `would sort all snapshots that match the filter: add where.users (at most ${MOST_USERS}), ` +
    `where.time.eq, or where.time with gte and lte at most ${MOST_SECONDS} seconds apart`
  throw new GatewayError(
    'BAD_INPUT',
    `orderBy ${message}. Sorting by TIME alone needs no filter.`,
    [{ in: 'query', name: 'orderBy', message }],
  )
}

interface Moments {
  eq?: Date | null
  gte?: Date | null
  lte?: Date | null
}

function isBounded(where: Where): boolean {
  const { users, time, AND } = where as Where & { users?: unknown[] | null; time?: Moments | null }
  if (users && users.length <= MOST_USERS) return true
  const { eq, gte, lte } = time ?? {}
  if (eq || (gte && lte && lte.getTime() - gte.getTime() <= MOST_SECONDS * 1000)) return true
  return (AND ?? []).some(isBounded)
}
