import type { Reader } from '../../db/connect/reader.ts'
import { exact, quotient, toDouble } from '../../db/lists/exact-sum.ts'
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
  /** Null without a supply. */
  utilization: number | null
  /** The same in whole tokens, of a series of one token. */
  supplied?: string
  protected?: string
  borrowed?: string
  liquidity?: string
}

export interface PoolBucket extends Levels {
  points: number
}

const ofLast = (value: string) => `coalesce(sum(${value}) FILTER (WHERE d.distribution_date = bucket.last), 0)`

/** Sums over the rows `d` of a bucket: `points` over all rows, the rest over those of its last distribution date. */
const sums = Prisma.raw(`${pointsOf('sum(d.points)')} AS points, ${ofLast('d.position_count')}::int AS "positionCount",
  ${toDouble(ofLast('d.supplied_usd'))} AS "suppliedUsd", ${toDouble(ofLast('d.protected_usd'))} AS "protectedUsd",
  ${toDouble(ofLast('d.supplied_usd + d.protected_usd'))} AS "tvlUsd", ${toDouble(ofLast('d.borrowed_usd'))} AS "borrowedUsd",
  ${toDouble(`greatest(${ofLast('d.supplied_usd')} - ${ofLast('d.borrowed_usd')}, 0)`)} AS "liquidityUsd",
  ${quotient(toDouble(ofLast('d.borrowed_usd')), toDouble(ofLast('d.supplied_usd')))} AS utilization`)

const inTokens = (sql: string) => `trim_scale(${sql})::text`

/** The same of rows of one token. */
const sumsOfToken = Prisma.sql`${sums}, ${Prisma.raw(`${inTokens(ofLast('d.supplied'))} AS supplied,
  ${inTokens(ofLast('d.protected'))} AS protected, ${inTokens(ofLast('d.borrowed'))} AS borrowed,
  ${inTokens(`greatest(${ofLast('d.supplied')} - ${ofLast('d.borrowed')}, 0)`)} AS liquidity`)}`

const both = Prisma.raw(`d.pool_address, d.distribution_date, d.position_count, d.a_points + d.b_points AS points,
  ${['supplied_usd', 'protected_usd', 'borrowed_usd']
    .map((what) => `${exact(`d.a_${what}`)} + ${exact(`d.b_${what}`)} AS ${what}`)
    .join(', ')}`)

/** The points and the exact amounts of one side, and their names. */
const side = (of: 'a' | 'b') => `d.${of}_points, ${exact(`d.${of}_supplied_usd`)}, ${exact(`d.${of}_protected_usd`)},
  ${exact(`d.${of}_borrowed_usd`)}, d.${of}_supplied, d.${of}_protected, d.${of}_borrowed`
const OF_SIDE = Prisma.raw('points, supplied_usd, protected_usd, borrowed_usd, supplied, protected, borrowed')

/** Each pool's sums in each bucket with positions. Its cost is one row for each pool and date. */
export async function poolSeries(reader: Reader, pools: readonly string[], span: Span): Promise<PoolBucket[][]> {
  const rows = await reader.$queryRaw<(PoolBucket & { ordinality: number })[]>`
    WITH ${buckets(span)}
    SELECT d.ordinality, bucket.start, ${sums}
    FROM (SELECT owner.ordinality::int AS ordinality, d.* FROM unnest(${[...pools]}::text[]) WITH ORDINALITY AS owner(address, ordinality)
      CROSS JOIN LATERAL (SELECT ${both} FROM pool_day d WHERE d.pool_address = owner.address
        AND ${within(span, 'd.distribution_date')} OFFSET 0) d) d
    JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
    GROUP BY 1, 2`
  const byPool: PoolBucket[][] = pools.map(() => [])
  for (const row of rows) byPool[row.ordinality - 1]?.push(row)
  return byPool
}

/** A market, by its key. */
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
    SELECT owner.ordinality::int AS ordinality, b.* FROM unnest(${markets.map(({ chainId }) => String(chainId))}::bigint[],
      ${markets.map(({ id }) => id)}::text[]) WITH ORDINALITY AS owner(chain_id, id, ordinality)
    JOIN market ON market.chain_id = owner.chain_id AND market.id = owner.id
    JOIN pool ON pool.id = market.pool_id AND pool.chain_id = market.chain_id
      AND market.id IN (pool.unit_1_id, pool.unit_2_id)
    LEFT JOIN LATERAL (SELECT bucket.start, ${sumsOfToken}
      FROM (SELECT one.*, d.distribution_date, d.position_count FROM pool_day d
        CROSS JOIN LATERAL (VALUES (pool.unit_1_id, ${Prisma.raw(side('a'))}), (pool.unit_2_id, ${Prisma.raw(side('b'))}))
          AS one(market_id, ${OF_SIDE})
        WHERE d.pool_address = pool.id AND one.market_id = market.id AND ${within(span, 'd.distribution_date')} OFFSET 0) d
      JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
      GROUP BY 1) b ON true`
  const byMarket: (PoolBucket[] | null)[] = markets.map(() => null)
  for (const { ordinality, ...row } of rows) {
    byMarket[ordinality - 1] ??= []
    if (row.start) byMarket[ordinality - 1]?.push(row)
  }
  return byMarket
}

/** An asset, by its key. */
export interface AssetKey {
  chainId: bigint
  address: string
}

/** Each asset's sums in each bucket with positions: those of its sides of all pools. Its cost is one row for each of these pools and date. */
export async function assetSeries(reader: Reader, assets: readonly AssetKey[], span: Span): Promise<PoolBucket[][]> {
  const rows = await reader.$queryRaw<(PoolBucket & { ordinality: number })[]>`
    WITH ${buckets(span)}
    SELECT d.ordinality, bucket.start, ${sumsOfToken}
    FROM (SELECT owner.ordinality::int AS ordinality, d.distribution_date, d.position_count, one.*
      FROM unnest(${assets.map(({ chainId }) => String(chainId))}::bigint[], ${assets.map(({ address }) => address)}::text[])
        WITH ORDINALITY AS owner(chain_id, address, ordinality)
      JOIN pool ON pool.chain_id = owner.chain_id AND owner.address IN (pool.asset_1_address, pool.asset_2_address)
      JOIN pool_day d ON d.pool_address = pool.id AND ${within(span, 'd.distribution_date')}
      CROSS JOIN LATERAL (VALUES (d.a_token_address, ${Prisma.raw(side('a'))}), (d.b_token_address, ${Prisma.raw(side('b'))}))
        AS one(asset, ${OF_SIDE})
      WHERE one.asset = owner.address) d
    JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
    GROUP BY 1, 2`
  const byAsset: PoolBucket[][] = assets.map(() => [])
  for (const { ordinality, ...row } of rows) byAsset[ordinality - 1]?.push(row)
  return byAsset
}

/** The sums over all pools on the last distribution date of each bucket. */
export function programLevels(reader: Reader, span: Span): Promise<Levels[]> {
  return reader.$queryRaw<Levels[]>`
    WITH ${buckets(span)}
    SELECT bucket.start, ${sums} FROM bucket
    CROSS JOIN LATERAL (SELECT ${both} FROM pool_day d WHERE d.distribution_date = bucket.last OFFSET 0) d
    GROUP BY 1`
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
    bucketed AS (
      SELECT d.pool, d.chain, d.asset, bucket.start, concat_ws(' ', d.chain, d.pool, d.asset) AS key,
        ${group === 'asset' ? sumsOfToken : sums}
      FROM (${GROUPED[group]} WHERE ${within(span, 'd.distribution_date')} ${onChain}) d
      JOIN bucket ON bucket.start = ${bucketOf(span.interval, 'd.distribution_date')}
      GROUP BY 1, 2, 3, 4),
    top AS (
      SELECT key, total, row_number() OVER (ORDER BY total DESC, key COLLATE "C")::int AS ordinality
      FROM (SELECT key, sum(points) AS total FROM bucketed GROUP BY 1) t)
    SELECT top.ordinality, top.total, b.pool AS "poolAddress", b.chain AS "chainId", b.asset AS "assetAddress", b.*
    FROM top JOIN bucketed b USING (key)
    WHERE top.ordinality <= ${filter.first} ORDER BY top.ordinality, b.start`
  const series: GroupSeries[] = []
  for (const { ordinality, total, poolAddress, chainId, assetAddress, ...bucket } of rows) {
    series[ordinality - 1] ??= { poolAddress, chainId, assetAddress, points: total, buckets: [] }
    series[ordinality - 1]?.buckets.push(bucket)
  }
  return series
}
