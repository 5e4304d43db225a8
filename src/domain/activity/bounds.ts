import type { Where } from 'pothos-sql'
import { hasOnly } from 'pothos-sql/host'
import { badArgument } from '../../errors.ts'
import { DAY_MS } from '../../time.ts'

const MOST_USERS = 1000
const MOST_DAYS = 31
// Conditions that an index serves in the default order.
const SERVED = new Set(['time'])
// Records without a price have a separate index.
const isServed = ({ unpriced, ...others }: Where) => unpriced !== false && hasOnly(others, SERVED)

type Args = Record<string, unknown>
const whereOf = (args: Args) => (args.where ?? {}) as Where

/**
 * Rejects an unbounded filter of the activity of all users, since it could pass over all of it. An
 * index serves times and users.
 * @throws BAD_INPUT
 */
export function assertFilterable(args: Args): void {
  const where = whereOf(args)
  if (!isServed(where) && !isBounded(where))
    throw unbounded('where', 'would scan the activity of all users')
}

/**
 * Rejects counting the activity of all users without bounds.
 * @throws BAD_INPUT
 */
export function assertCountable(args: Args): void {
  if (!isBounded(whereOf(args)))
    throw unbounded('totalCount', 'would count the activity of all users')
}

const unbounded = (name: string, what: string) =>
  badArgument(
    name,
    `${what}: add where.users (at most ${MOST_USERS}), or where.time with eq, or with gte and ` +
      `lte at most ${MOST_DAYS} days apart`,
  )

function isBounded(where: Where): boolean {
  const { users, time, AND, OR } = where as Where & {
    users?: unknown[] | null
    time?: { [bound in 'eq' | 'gt' | 'gte' | 'lt' | 'lte']?: Date | null } | null
  }
  if (users && users.length <= MOST_USERS) return true
  const [from, to] = [time?.gte ?? time?.gt, time?.lte ?? time?.lt]
  if (time?.eq || (from && to && to.getTime() - from.getTime() <= MOST_DAYS * DAY_MS)) return true
  return (AND ?? []).some(isBounded) || (OR?.length ? OR.every(isBounded) : false)
}
