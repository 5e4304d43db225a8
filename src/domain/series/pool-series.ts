import type { Reader } from '../../db/connect/reader.ts'
import { exact, plainDouble } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { bucketOf, buckets, within } from './calendar.ts'
import type { Span } from './interval.ts'

/** The levels on the last distribution date of a bucket, in USD. */
export interface Levels {
  start: Date
  positionCount: number
  suppliedUsd: number
  protectedUsd: number
  /** Supplied and protected. */
  tvlUsd: number
  borrowedUsd: number
  liquidityUsd: number
  /** The same in whole tokens, of a series of one token. */
  supplied?: string
  protected?: string
  borrowed?: string
  liquidity?: string
}

export interface PoolBucket extends Levels {
  points: number
}

const ofLast = (value: string, which = 'true') =>
  `coalesce(sum(${value}) FILTER (WHERE d.distribution_date = bucket.last AND ${which}), 0)`

/**
 * The exact sum of amounts in USD of pool days, which have 6 decimals. Integers are added much faster than decimals, but a double
 * has all 6 decimals only below 9e9.
 */
const usdOfLast = (...amounts: string[]) => {
  const sum = (of: (amount: string) => string) => amounts.map(of).join(' + ')
  const isSmall = amounts.map((usd) => `abs(${usd}) < 9e9`).join(' AND ')
  const small = ofLast(
    sum((usd) => `round(${usd} * 1e6)::bigint`),
    isSmall,
  )
  return `(${small} * 0.000001 + ${ofLast(sum(exact), `NOT (${isSmall})`)})`
}

/**
 * Sums over the rows `d` of a bucket: `points` over all rows, the rest over those of its last distribution date.
 * @param sides the beginnings of the names of columns, one for each side that a row has
 */
const sumsOf = (...sides: string[]) => {
  const usd = (of: (side: string) => string) => usdOfLast(...sides.map(of))
  const amounts = ['supplied_usd', 'protected_usd', 'borrowed_usd']
  // Sides are separate markets: what one lacks does not take from the other.
  const lent = usd((side) => `least(d.${side}borrowed_usd, d.${side}supplied_usd)`)
  return `sum(d.points) AS points, ${ofLast('d.position_count')}::int AS position_count,
  ${amounts.map((amount) => `${usd((side) => `d.${side}${amount}`)} AS ${amount}`).join(', ')},
  ${usd((side) => `d.${side}supplied_usd`)} - ${lent} AS liquidity_usd`
}

/** The sums of both sides of pools. */
const sums = Prisma.raw(sumsOf('a_', 'b_'))

/** The sums of the sides with one token. */
const sumsOfToken = Prisma.raw(`${sumsOf('')},
  ${['supplied', 'protected', 'borrowed'].map((amount) => `${ofLast(`d.${amount}`)} AS ${amount}`).join(', ')},
  ${ofLast('greatest(d.supplied - d.borrowed, 0)')} AS liquidity`)

/** Reads the sums `s`. */
const levels = Prisma.raw(`${pointsOf('s.points')} AS points, s.position_count AS "positionCount",
  ${plainDouble('s.supplied_usd')} AS "suppliedUsd", ${plainDouble('s.protected_usd')} AS "protectedUsd",
  ${plainDouble('s.supplied_usd + s.protected_usd')} AS "tvlUsd", ${plainDouble('s.borrowed_usd')} AS "borrowedUsd",
  ${plainDouble('s.liquidity_usd')} AS "liquidityUsd"`)

const levelsOfToken = Prisma.sql`${levels}, ${Prisma.raw(
  ['supplied', 'protected', 'borrowed', 'liquidity'].map((name) => `trim_scale(s.${name})::text AS ${name}`).join(', '),
)}`

const both = Prisma.raw(`d.pool_address, d.distribution_date, d.position_count, d.a_points + d.b_points AS points,
  d.a_supplied_usd, d.a_protected_usd, d.a_borrowed_usd, d.b_supplied_usd, d.b_protected_usd, d.b_borrowed_usd`)

/** The points and the amounts of one side. */
const AMOUNTS = ['points', 'supplied_usd', 'protected_usd', 'borrowed_usd', 'supplied', 'protected', 'borrowed']
const side = (of: 'a' | 'b') => AMOUNTS.map((amount) => `d.${of}_${amount}`).join(', ')
const OF_SIDE = Prisma.raw(AMOUNTS.join(', '))

/** Each pool's sums in each bucket with positions. Its cost is one row for each pool and date. */
export async function poolSeries(reader: Reader, pools: readonly string[], span: Span): Promise<PoolBucket[][]> {
  const rows = await reader.$queryRaw<(PoolBucket & { ordinality: number })[]>`
    WITH ${buckets(span)}
    SELECT s.ordinality, s.start, ${levels} FROM (SELECT d.ordinality, bucket.start, ${sums}
    FROM (SELECT owner.ordinality::int AS ordinality, d.* FROM unnest(${[...pools]}::text[]) WITH ORDINALITY AS owner(address, ordinality)
      CROSS JOIN LATERAL (SELECT ${both} FROM pool_day d WHERE d.pool_address = owner.address
        AND ${within(span, 'd.distribution_date')} OFFSET 0) d) d
    JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
    GROUP BY 1, 2) s`
  const byPool: PoolBucket[][] = pools.map(() => [])
  for (const row of rows) byPool[row.ordinality - 1]?.push(row)
  return byPool
}

export interface MarketKey {
  chainId: bigint
  id: string
}

/**
 * Each market's sums in each bucket with positions: those of its side of its pool. Null if its pool is not stored, or does not
 * name the market as a side. Its cost is one row for each market and date.
 */
export async function marketSeries(
  reader: Reader,
  markets: readonly MarketKey[],
  span: Span,
): Promise<(PoolBucket[] | null)[]> {
  const rows = await reader.$queryRaw<(PoolBucket & { start: Date | null; ordinality: number })[]>`
    WITH ${buckets(span)}
    SELECT owner.ordinality::int AS ordinality, s.start, ${levelsOfToken} FROM unnest(${markets.map(({ chainId }) => String(chainId))}::bigint[],
      ${markets.map(({ id }) => id)}::text[]) WITH ORDINALITY AS owner(chain_id, id, ordinality)
    JOIN market ON market.chain_id = owner.chain_id AND market.id = owner.id
    JOIN pool ON pool.id = market.pool_address AND pool.chain_id = market.chain_id
      AND market.id IN (pool.unit_1_id, pool.unit_2_id)
    LEFT JOIN LATERAL (SELECT bucket.start, ${sumsOfToken}
      FROM (SELECT one.*, d.distribution_date, d.position_count FROM pool_day d
        CROSS JOIN LATERAL (VALUES (pool.unit_1_id, ${Prisma.raw(side('a'))}), (pool.unit_2_id, ${Prisma.raw(side('b'))}))
          AS one(market_id, ${OF_SIDE})
        WHERE d.pool_address = pool.id AND one.market_id = market.id AND ${within(span, 'd.distribution_date')} OFFSET 0) d
      JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
      GROUP BY 1) s ON true`
  const byMarket: (PoolBucket[] | null)[] = markets.map(() => null)
  for (const { ordinality, ...row } of rows) {
    byMarket[ordinality - 1] ??= []
    if (row.start) byMarket[ordinality - 1]?.push(row)
  }
  return byMarket
}

export interface AssetKey {
  chainId: bigint
  address: string
}

/** Each asset's sums in each bucket with positions: those of its sides of all pools. Its cost is one row for each of these pools and date. */
export async function assetSeries(reader: Reader, assets: readonly AssetKey[], span: Span): Promise<PoolBucket[][]> {
  const rows = await reader.$queryRaw<(PoolBucket & { ordinality: number })[]>`
    WITH ${buckets(span)}
    SELECT s.ordinality, s.start, ${levelsOfToken} FROM (SELECT d.ordinality, bucket.start, ${sumsOfToken}
    FROM (SELECT owner.ordinality::int AS ordinality, d.distribution_date, d.position_count, one.*
      FROM unnest(${assets.map(({ chainId }) => String(chainId))}::bigint[], ${assets.map(({ address }) => address)}::text[])
        WITH ORDINALITY AS owner(chain_id, address, ordinality)
      JOIN pool ON pool.chain_id = owner.chain_id AND owner.address IN (pool.asset_1_address, pool.asset_2_address)
      JOIN pool_day d ON d.pool_address = pool.id AND ${within(span, 'd.distribution_date')}
      CROSS JOIN LATERAL (VALUES (d.a_token_address, ${Prisma.raw(side('a'))}), (d.b_token_address, ${Prisma.raw(side('b'))}))
        AS one(asset, ${OF_SIDE})
      WHERE one.asset = owner.address) d
    JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
    GROUP BY 1, 2) s`
  const byAsset: PoolBucket[][] = assets.map(() => [])
  for (const { ordinality, ...row } of rows) byAsset[ordinality - 1]?.push(row)
  return byAsset
}

/** The sums over all pools on the last distribution date of each bucket. */
export function programLevels(reader: Reader, span: Span): Promise<Levels[]> {
  return reader.$queryRaw<Levels[]>`
    WITH ${buckets(span)}
    SELECT s.start, ${levels} FROM (SELECT bucket.start, ${sums} FROM bucket
    CROSS JOIN LATERAL (SELECT ${both} FROM pool_day d WHERE d.distribution_date = bucket.last OFFSET 0) d
    GROUP BY 1) s`
}

export type SeriesGroup = 'pool' | 'chain' | 'asset'

/** The pool, chain or token of a series. */
export interface GroupSeries {
  poolAddress: string | null
  /** Null if the pool is not stored. */
  chainId: bigint | null
  assetAddress: string | null
  /** Points over the whole span. */
  points: number
  buckets: PoolBucket[]
}

const GROUPED: Record<SeriesGroup, Prisma.Sql> = {
  pool: Prisma.sql`SELECT d.pool_address AS pool, pool.chain_id AS chain, NULL AS asset, ${both}
    FROM pool_day d LEFT JOIN pool ON pool.id = d.pool_address`,
  chain: Prisma.sql`SELECT NULL AS pool, pool.chain_id AS chain, NULL AS asset, ${both}
    FROM pool_day d LEFT JOIN pool ON pool.id = d.pool_address`,
  asset: Prisma.sql`SELECT NULL AS pool, pool.chain_id AS chain, one.asset, d.pool_address, d.distribution_date,
      d.position_count, one.points, one.supplied_usd, one.protected_usd, one.borrowed_usd, one.supplied, one.protected, one.borrowed
    FROM pool_day d LEFT JOIN pool ON pool.id = d.pool_address
    CROSS JOIN LATERAL (VALUES (d.a_token_address, ${Prisma.raw(side('a'))}), (d.b_token_address, ${Prisma.raw(side('b'))}))
      AS one(asset, ${OF_SIDE})`,
}

/**
 * The series of the `first` pools, chains or tokens with the most points over the span. A token is on one chain. Its cost is
 * one row for each pool and date.
 */
export async function groupedSeries(
  reader: Reader,
  group: SeriesGroup,
  span: Span,
  filter: { chainId: number | null; first: number },
): Promise<GroupSeries[]> {
  const onChain = filter.chainId === null ? Prisma.empty : Prisma.sql`AND pool.chain_id = ${filter.chainId}::bigint`
  type Row = PoolBucket &
    Pick<GroupSeries, 'poolAddress' | 'chainId' | 'assetAddress'> & { ordinality: number; total: number }
  const rows = await reader.$queryRaw<Row[]>`
    WITH ${buckets(span)},
    day AS MATERIALIZED (
      SELECT d.*, bucket.start, bucket.last, concat_ws(' ', d.chain, d.pool, d.asset) AS key
      FROM (${GROUPED[group]} WHERE ${within(span, 'd.distribution_date')} ${onChain}) d
      JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}),
    top AS (
      SELECT key, total, row_number() OVER (ORDER BY total DESC, key COLLATE "C")::int AS ordinality
      FROM (SELECT key, sum(points) AS total FROM day GROUP BY 1) t)
    SELECT s.ordinality, ${Prisma.raw(pointsOf('s.total'))} AS total, s.pool AS "poolAddress", s.chain AS "chainId",
      s.asset AS "assetAddress", s.start, ${group === 'asset' ? levelsOfToken : levels}
    FROM (SELECT top.ordinality, top.total, d.pool, d.chain, d.asset, bucket.start, ${group === 'asset' ? sumsOfToken : sums}
      FROM top JOIN day d USING (key) CROSS JOIN LATERAL (SELECT d.start, d.last) bucket
      WHERE top.ordinality <= ${filter.first} GROUP BY 1, 2, 3, 4, 5, 6) s
    ORDER BY s.ordinality, s.start`
  const series: GroupSeries[] = []
  for (const { ordinality, total, poolAddress, chainId, assetAddress, ...bucket } of rows) {
    series[ordinality - 1] ??= { poolAddress, chainId, assetAddress, points: total, buckets: [] }
    series[ordinality - 1]?.buckets.push(bucket)
  }
  return series
}
