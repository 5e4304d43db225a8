import type { Charge } from '../../policy/cost.ts'
import { MAX_PAGE } from '../connection.ts'
import { parseUtc } from '../scalars.ts'

/** What fields cost whose work depends on more than their page. What a request gives may be anything. */

const DAY_MS = 86_400_000
const INTERVAL_DAYS: Record<string, number> = { DAY: 1, WEEK: 7, MONTH: 28 }
const DEFAULT_BUCKETS = 30
const MAX_BUCKETS = 1000

const moment = (given: unknown) => (typeof given === 'string' ? parseUtc(given)?.getTime() : undefined)
const lengthOf = (given: unknown) =>
  Array.isArray(given) ? given.length : given === undefined || given === null ? 0 : 1

/** How many buckets a series has. */
export const buckets: Charge = ({ interval, from, to }) => {
  const [first, last] = [moment(from), moment(to) ?? Date.now()]
  if (first === undefined) return DEFAULT_BUCKETS
  const days = Math.max(0, last - first) / DAY_MS
  return Math.min(Math.ceil(days / (INTERVAL_DAYS[String(interval)] ?? 1)) + 1, MAX_BUCKETS)
}

/** A bucket of amounts, each of whose values is computed by itself. */
export const BUCKET = 5

/** How many addresses are given. */
export const addresses: Charge = ({ addresses: given }) => Math.min(lengthOf(given), MAX_PAGE)

/** A user of an aggregate, with all of the rows over all dates. */
const AGGREGATED_USER = 100
/** A date of an aggregate, with all of its rows: of one pool, market or vault, or of all of them. */
const AGGREGATED_DATES = { one: 20, all: 1000 }

/** What an aggregate reads. @param all what a date of all rows costs */
export const aggregated =
  (all = AGGREGATED_DATES.all): Charge =>
  ({ filter }) => {
    const { users, from, to, pool, market, vault } = (filter ?? {}) as Record<string, unknown>
    if (users !== undefined && users !== null) return AGGREGATED_USER * lengthOf(users)
    const [first, last] = [moment(from), moment(to)]
    // One without both is refused.
    if (first === undefined || last === undefined) return 0
    const dates = Math.floor(Math.max(0, last - first) / DAY_MS) + 1
    return dates * (pool || market || vault ? Math.min(AGGREGATED_DATES.one, all) : all)
  }

/** A part of a list that an index serves, which is read by itself. */
const BRANCH = 10

/** More of them are read as one. */
const MOST_BRANCHES = 400

/** A list of positions: each token, user or pool that it names is a part of it. */
export const positionParts: Charge = ({ assets, where, after, before, afterRecord }) => {
  const { assets: tokens, asset, users, pools } = (where ?? {}) as Record<string, unknown>
  const parts = 2 * (lengthOf(assets) + lengthOf(tokens) + lengthOf(asset)) + lengthOf(users) + lengthOf(pools)
  const ends = (after || afterRecord ? 2 : 1) * (before ? 2 : 1)
  return 1 + (parts > 1 ? BRANCH * Math.min(parts, MOST_BRANCHES) * ends : 0)
}

/** Counting rows that a filter leaves: all of them are read. */
export const FILTERED_COUNT = 1000

/** Counting the rows of a pool, a market or a vault. */
export const OWNED_COUNT = 100
