import { MAX_PAGE } from 'pothos-sql/host'
import { datesOf, type Timed } from '../../../domain/aggregate/bounds.ts'
import { windowIn } from '../../../domain/leaderboard/entries.ts'
import { MOST_WINDOW_DATES } from '../../../domain/leaderboard/window.ts'
import { DEFAULT_BUCKETS, MAX_BUCKETS } from '../../../domain/series/interval.ts'
import { DAY_MS, parseUtc } from '../../../time.ts'
import { type Charge, COUNT, type FieldCost, type Given } from '../../policy/cost.ts'

/**
 * Costs of fields whose work depends on more than their page size. Arguments are unvalidated here.
 */

const INTERVAL_DAYS: Record<string, number> = { DAY: 1, WEEK: 7, MONTH: 28 }

const moment = (value: unknown) =>
  typeof value === 'string' ? parseUtc(value)?.getTime() : undefined
const lengthOf = (value: unknown) => [value ?? []].flat().length

export const buckets: Charge = ({ interval, from, to }) => {
  const [first, last] = [moment(from), moment(to) ?? Date.now()]
  if (first === undefined) return DEFAULT_BUCKETS
  const days = Math.max(0, last - first) / DAY_MS
  return Math.min(Math.ceil(days / (INTERVAL_DAYS[String(interval)] ?? 1)) + 1, MAX_BUCKETS)
}

/** The cost of a bucket of a series, without its values. */
export const BUCKET = 2

/** The cost of a value of a bucket that is counted from the newest snapshots up to its end. */
export const EARNED = 3

/** A row that is rarely read. */
export const RARE = { once: 50, weight: 5 } satisfies FieldCost

/** Lists of positions: a position is read with its run, and its statement has many parts. */
export const POSITIONS = { once: 600, skipped: 1 } satisfies FieldCost

/** The points and the rank of each address of a portfolio. */
export const RANKED_POINTS = { once: 50, perRow: 4 } satisfies FieldCost

/** The cost of adding up the amounts of an address: now, and since a moment. */
export const addedUp: Charge = ({ from }) => (from ? 8 : 2)

/** The cost of the buckets for each address that they add up. */
export const bucketsOfAddress: Charge = (args) => BUCKET * buckets(args)

export const addresses: Charge = ({ addresses: list }) => Math.min(lengthOf(list), MAX_PAGE)

// The cost of aggregating one user's rows over all dates.
const AGGREGATED_USER = 100
// The cost of aggregating the rows of one date: of one pool, market or vault, or of all of them.
const AGGREGATED_DATES = { one: 20, all: 1000 }

/** The cost of an aggregate. @param all the cost of all rows of one date */
export const aggregated =
  (all = AGGREGATED_DATES.all): Charge =>
  ({ where }) => {
    const { users, date, time, pools, entities: places } = (where ?? {}) as Given
    if (users !== undefined && users !== null) return AGGREGATED_USER * lengthOf(users)
    const dates = datesOf({ date: moments(date), time: moments(time) })
    // The resolver rejects a filter without users or a range.
    if (dates === Number.POSITIVE_INFINITY) return 0
    const entities = lengthOf(pools ?? places)
    return (
      Math.max(dates, 1) * (entities > 0 ? Math.min(AGGREGATED_DATES.one * entities, all) : all)
    )
  }

// The cost of ranking all users for the request.
const RANKED = 2000

// The cost of ranking the users of a season or a window. 0 without one: the ranks are stored.
function windowCost({ scope }: Given): number {
  const { season, window } = (scope ?? {}) as Given
  if (typeof season === 'string') return RANKED
  const { from, to, pool, chainId } = (window ?? {}) as Given
  if ([from, to, pool, chainId].every((one) => one === undefined || one === null)) return 0
  if (!pool && (chainId === undefined || chainId === null)) return RANKED
  const [first, last] = [moment(from) ?? -Infinity, moment(to) ?? Date.now()]
  const dates = Math.floor(last / DAY_MS) - Math.floor(first / DAY_MS) + 1
  const [cost, most] = pool
    ? [AGGREGATED_DATES.one, MOST_WINDOW_DATES.pool]
    : [AGGREGATED_DATES.all, MOST_WINDOW_DATES.chain]
  return cost * Math.min(Math.max(dates, 1), most)
}

/**
 * The cost of what ids name: an entry of a window ranks its users. The ids of one window are read
 * together.
 * @param weight the cost without such an entry
 */
export const idCharge =
  (weight: number): Charge =>
  (args) => {
    const sent = [args.id, args.ids].flat().filter((one) => typeof one === 'string')
    const scopes = new Set(
      sent.map((id) => Buffer.from(id, 'base64').toString().split(':')[2] ?? ''),
    )
    const windows = [...scopes].flatMap((scope) => windowIn(scope) ?? [])
    return windows.reduce((sum, { from, to, ...place }) => {
      const bounds = { from: from?.toISOString(), to: to?.toISOString(), ...place }
      return sum + windowCost({ scope: { window: bounds } })
    }, weight)
  }

/**
 * The cost of a leaderboard.
 * @param times how often it is ranked: the rank of a user is looked up first
 */
export const leaderboard =
  (times: number): Charge =>
  (args) =>
    1 + windowCost(args) * times

/** The cost of counting the users of a leaderboard. */
export const leaderboardCount: Charge = (args) => windowCost(args) || COUNT

/** The cost of finding the dates that a revision affects, among all dates of its pool. */
export const AFFECTED = 20

/** The cost of reading what runs changed for all users of a date. */
export const CHANGES = 500

export const updates: Charge = ({ input }) =>
  Math.min(lengthOf((input as Given | undefined)?.multipliers), MAX_PAGE)

// The range of moments in a filter.
function moments(filter: unknown): Timed['date'] {
  if (typeof filter !== 'object' || filter === null) return null
  const parsed = Object.entries(filter).flatMap(([bound, value]) => {
    if (bound === 'in') return [[bound, Array.isArray(value) ? value : [value]]]
    const date = typeof value === 'string' ? parseUtc(value) : undefined
    return date ? [[bound, date]] : []
  })
  return Object.fromEntries(parsed)
}

// The cost of one index range.
const BRANCH = 10

// Above this number of ranges, they are read as one.
const MOST_BRANCHES = 400

// The cost of filtering or sorting all positions of a date by what is computed from them.
const COMPUTED = 1000

/**
 * The cost of a list of positions: each token, user or pool in its filter is an index range, and
 * the LTV and the health factor are computed for each position, and an order for each of a date.
 */
export const positionParts: Charge = ({ where, after, before, afterRecord, orderBy }) => {
  const { assets, users, pools } = (where ?? {}) as Record<string, unknown>
  const parts = 2 * lengthOf(assets) + lengthOf(users) + lengthOf(pools)
  const ends = (after || afterRecord ? 2 : 1) * (before ? 2 : 1)
  const few = [users, pools].some((filter) => lengthOf(filter) > 0)
  const sorts = [orderBy ?? []].flat().some((key) => key !== 'DATE')
  const computes = sorts || names(['ltv', 'healthFactor', 'liquidationDrop'], where)
  return (
    1 +
    (parts > 1 ? BRANCH * Math.min(parts, MOST_BRANCHES) * ends : 0) +
    (!few && computes ? COMPUTED : 0)
  )
}

// True if a filter, or one within it, has one of these conditions.
const names = (conditions: string[], where: unknown): boolean =>
  typeof where === 'object' &&
  where !== null &&
  Object.entries(where).some(
    ([name, value]) => conditions.includes(name) || names(conditions, value),
  )

/** The cost of counting filtered rows, all of which are read. */
export const FILTERED_COUNT = 1000

/** The cost of counting the rows of a pool, market or vault. */
export const OWNED_COUNT = 100

// The cost of adding up all holders of a market or vault.
const ADDED_HOLDERS = 500

/**
 * The cost of finding a page of holders. An index has them by rank: for another order, a filter or
 * a past day, all of them are read.
 */
export const holderRows: Charge = ({ asOf, where, orderBy }) =>
  1 + (asOf || where || lengthOf(orderBy) > 0 ? ADDED_HOLDERS : 0)
