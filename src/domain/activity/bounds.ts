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
 * The bounds of a list of all users, newest first. An index serves times and users: anything else
 * could pass over the whole list. Each check throws BAD_INPUT.
 * @param records the list's name in a sentence
 */
export const boundsOf = (records: string) => {
  const assertBounded = (name: string, verb: string, where: Where) => {
    if (!isBounded(where)) throw unbounded(name, `would ${verb} the ${records} of all users`)
  }
  return {
    assertFilterable(args: Args): void {
      const where = whereOf(args)
      if (!isServed(where)) assertBounded('where', 'scan', where)
    },
    assertSortable: (args: Args) => assertBounded('orderBy', 'sort', whereOf(args)),
    assertCountable: (args: Args) => assertBounded('totalCount', 'count', whereOf(args)),
  }
}

const unbounded = (name: string, what: string) =>
  badArgument(
    name,
    `${what}: add where.users (at most ${MOST_USERS}), or where.time with eq, with gte at most ` +
      `${MOST_DAYS} days ago, or with gte and lte at most ${MOST_DAYS} days apart, as in ` +
      '/graphql#example=LargeMoves',
  )

function isBounded(where: Where): boolean {
  const { users, time, AND, OR } = where as Where & {
    users?: unknown[] | null
    time?: { [bound in 'eq' | 'gt' | 'gte' | 'lt' | 'lte']?: Date | null } | null
  }
  if (users && users.length <= MOST_USERS) return true
  const from = time?.gte ?? time?.gt
  // Records are not from the future.
  const to = (time?.lte ?? time?.lt)?.getTime() ?? Date.now()
  if (time?.eq || (from && to - from.getTime() <= MOST_DAYS * DAY_MS)) return true
  return (AND ?? []).some(isBounded) || (OR?.length ? OR.every(isBounded) : false)
}
