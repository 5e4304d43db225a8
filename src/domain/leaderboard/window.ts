import type { Listing } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { usually } from '../../db/marks.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { type LeaderboardEntry, leaderboardOf, type RankPlace, recomputed } from './leaderboard.ts'

/**
 * The most distribution dates of a window whose positions are summed for the request: in one pool,
 * or on a chain.
 */
export const MOST_WINDOW_DATES = { pool: 366, chain: 31 }

/**
 * The values that a window counts: the points of distribution dates, both ends inclusive, of one
 * pool or chain if one is named.
 */
export interface WindowBounds {
  from?: Date | null
  to?: Date | null
  pool?: string | null
  chainId?: number | null
}

/** A window with a distribution: the dates after `before`, if any, up to `last`. */
export interface Window {
  before: string | null
  last: string
  /** True if `last` is the newest distribution date. */
  newest: boolean
  pool?: string | null
  chainId?: number | null
}

/**
 * Finds the distribution dates of a window. Undefined if it has none.
 * @throws BAD_INPUT if it ends before it begins, or has more dates than may be summed
 * @throws UNAVAILABLE while the ranks that it needs are being recomputed
 */
export async function windowOf(
  reader: Reader,
  { from, to, pool, chainId }: WindowBounds,
): Promise<Window | undefined> {
  const [first, end] = [from ? isoDay(from) : '-infinity', to ? isoDay(to) : 'infinity']
  if (from && to && first > end) throw badArgument('from', 'must not be later than to')
  const [row] = await reader.$queryRaw<
    {
      before: string | null
      last: string
      dates: number
      newest: boolean
      pending: string | null
    }[]
  >`
    SELECT w.before::text, w.last::text, w.dates, w.last = w.newest AS newest,
      (SELECT min(d)::text FROM unnest(ARRAY[w.before, w.last]) d WHERE d < w.newest
        AND NOT EXISTS (SELECT FROM rank_history_date s WHERE s.date = d)) AS pending
    FROM (SELECT max(date) FILTER (WHERE date < ${first}::date) AS before,
        max(date) FILTER (WHERE date <= ${end}::date) AS last, max(date) AS newest,
        (count(*) FILTER (WHERE date BETWEEN ${first}::date AND ${end}::date))::int AS dates
      FROM distribution) w`
  if (!row || row.dates === 0) return undefined
  const { before, last, dates, newest, pending } = row
  const scope = scopeOf(pool, chainId)
  if (!scope && pending) throw recomputed(pending)
  if (scope && dates > MOST_WINDOW_DATES[scope]) {
    const most =
      `at most ${MOST_WINDOW_DATES.pool} distribution dates with pool, or ` +
      `${MOST_WINDOW_DATES.chain} with chainId alone`
    throw badArgument('from', `and to must span ${most}, not ${dates}: give both, closer together`)
  }
  return { before, last, newest, pool, chainId }
}

function scopeOf(
  pool: WindowBounds['pool'],
  chainId: WindowBounds['chainId'],
): 'pool' | 'chain' | undefined {
  if (pool) return 'pool'
  return typeof chainId === 'number' ? 'chain' : undefined
}

/** Users by rank in a window: all with a position in it. The ranks are computed for the request. */
export const windowLeaderboard = (window: Window): Listing<LeaderboardEntry> => {
  const { before, last, pool, chainId } = window
  return leaderboardOf(ranked(window), [before ?? '', last, pool ?? chainId ?? ''].join('/'))
}

/** Returns the place of a user in a window. Undefined without a position in it. */
export async function placeInWindow(
  reader: Reader,
  address: string,
  window: Window,
): Promise<RankPlace | undefined> {
  const [row] = await reader.$queryRaw<RankPlace[]>`SELECT t.rank, t.total
    FROM (SELECT e.*, (max(e.rank) OVER ())::int AS total FROM (${ranked(window)}) e) t
      WHERE t.user_address = ${address}`
  return row
}

function ranked(window: Window): Prisma.Sql {
  const { before, last, newest, pool, chainId } = window
  const scoped = scopeOf(pool, chainId)
  if (!scoped && before === null)
    return newest
      ? Prisma.sql`SELECT user_address, points, rank FROM account`
      : Prisma.sql`SELECT user_address, points, rank FROM rank_history
          WHERE distribution_date = ${last}::date`
  const points = scoped ? summed(window) : differences(window)
  return Prisma.sql`SELECT user_address, points,
      row_number() OVER (ORDER BY points DESC, user_address)::int AS rank
    FROM (${usually(points, { ifSpread: summedByUser(window) })}) s`
}

// Subtracts the running totals before the window from those at its end. A user without points in it
// may have no position there either.
const differences = ({ before, last, newest }: Window): Prisma.Sql => {
  const end = newest ? Prisma.sql`a` : Prisma.sql`e`
  const rows = (alias: string, date: string | null) => Prisma.sql`
    rank_history ${Prisma.raw(alias)} ON ${Prisma.raw(alias)}.distribution_date = ${date}::date
      AND ${Prisma.raw(alias)}.user_address = a.user_address`
  return Prisma.sql`SELECT a.user_address, ${end}.points - coalesce(b.points, 0) AS points
    FROM account a
    ${newest ? Prisma.empty : Prisma.sql`JOIN ${rows('e', last)}`}
    LEFT JOIN ${rows('b', before)}
    WHERE a.last_distribution_date > ${before}::date AND (a.last_distribution_date <= ${last}::date
      OR a.first_distribution_date > ${before}::date OR ${end}.points <> coalesce(b.points, 0)
      OR (SELECT true FROM account_day d WHERE d.user_address = a.user_address
        AND d.distribution_date > ${before}::date AND d.distribution_date <= ${last}::date
        LIMIT 1))`
}

const inScope = ({ pool, chainId }: Window): Prisma.Sql => {
  const inPool = pool
    ? Prisma.sql`p.pool_key = (SELECT key FROM pool WHERE id = ${pool})`
    : Prisma.sql`true`
  const onChain =
    typeof chainId === 'number'
      ? Prisma.sql`p.pool_key IN (SELECT key FROM pool WHERE chain_id = ${chainId}::bigint)`
      : Prisma.sql`true`
  return Prisma.sql`${inPool} AND ${onChain}`
}

// Sums the points of the positions in the window, date by date, so that only those of its dates are
// read.
const summed = (window: Window): Prisma.Sql => {
  const { before, last } = window
  return Prisma.sql`SELECT p.user_address, sum(p.points)::bigint AS points
    FROM distribution d
    CROSS JOIN LATERAL (SELECT p.user_address, p.points_a + p.points_b AS points FROM position p
      WHERE p.distribution_date = d.date AND ${inScope(window)} OFFSET 0) p
    WHERE d.date > ${before ?? '-infinity'}::date AND d.date <= ${last}::date GROUP BY 1`
}

// Sums the points of the window in one pass, in which each server sums those of its users.
const summedByUser = (window: Window): Prisma.Sql => {
  const { before, last, pool, chainId } = window
  const scoped = scopeOf(pool, chainId)
  const [table, points] = scoped
    ? ['position', 'p.points_a + p.points_b']
    : ['account_day', 'p.points']
  return Prisma.sql`SELECT p.user_address, sum(${Prisma.raw(points)})::bigint AS points
    FROM ${Prisma.raw(table)} p
    WHERE p.distribution_date > ${before ?? '-infinity'}::date
      AND p.distribution_date <= ${last}::date
      AND ${inScope(window)} GROUP BY 1`
}
