import { type Column, type Columns, type RowOf, sqlColumns } from 'pothos-sql'
import { selectList, VALUE_TYPES } from 'pothos-sql/host'
import { exact, plainDouble, quotient } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { calendar, calendarColumns, lastDates, ofLastDate } from './calendar.ts'
import { type Span, startSql, within } from './interval.ts'

const ofLast = (value: string, which = 'true') =>
  `coalesce(sum(${value}) FILTER (WHERE d.distribution_date = bucket.last AND ${which}), 0)`

// The exact sum of amounts in USD of pool days, which have 6 decimals. Integers are added much
// faster than decimals, but a double has all 6 decimals only below 9e9.
const usdOfLast = (...amounts: string[]) => {
  const sum = (of: (amount: string) => string) => amounts.map(of).join(' + ')
  const isSmall = amounts.map((usd) => `abs(${usd}) < 9e9`).join(' AND ')
  const small = ofLast(
    sum((usd) => `round(${usd} * 1e6)::bigint`),
    isSmall,
  )
  return `(${small} * 0.000001 + ${ofLast(sum(exact), `NOT (${isSmall})`)})`
}

// Sums over the rows `d` of a bucket: `points` over all rows, the rest over those of its last
// distribution date. `sides`: the beginnings of the names of columns, one for each side that a row
// has.
const sumsOf = (...sides: string[]) => {
  const usd = (of: (side: string) => string) => usdOfLast(...sides.map(of))
  const amounts = ['supplied_usd', 'protected_usd', 'borrowed_usd']
  // Sides are separate markets: what one lacks does not take from the other.
  const lent = usd((side) => `least(d.${side}borrowed_usd, d.${side}supplied_usd)`)
  return `sum(d.points) AS points, ${ofLast('d.position_count')}::int AS position_count,
  ${amounts.map((amount) => `${usd((side) => `d.${side}${amount}`)} AS ${amount}`).join(', ')},
  ${usd((side) => `d.${side}supplied_usd`)} - ${lent} AS liquidity_usd`
}

const sums = Prisma.raw(sumsOf('a_', 'b_'))

const sumsOfToken = Prisma.raw(`${sumsOf('')},
  ${ofLast('d.supplied')} AS supplied,
  ${ofLast('d.protected')} AS protected,
  ${ofLast('d.borrowed')} AS borrowed,
  ${ofLast('greatest(d.supplied - d.borrowed, 0)')} AS liquidity`)

const LEVELS = Prisma.raw(`s.start, s.points, s.position_count,
  ${plainDouble('s.supplied_usd')} AS supplied_usd,
  ${plainDouble('s.protected_usd')} AS protected_usd,
  ${plainDouble('s.supplied_usd + s.protected_usd')} AS tvl_usd,
  ${plainDouble('s.borrowed_usd')} AS borrowed_usd,
  ${plainDouble('s.liquidity_usd')} AS liquidity_usd`)

const LEVELS_OF_TOKEN = Prisma.sql`${LEVELS}, s.supplied, s.protected, s.borrowed, s.liquidity`

function columnsOf({ points = 's.points', userCount = 'NULL::int', ofToken = false }) {
  const level = (name: string, description: string) =>
    ({
      sql: ofLastDate(`coalesce(s.${name}_usd, 0)`),
      type: 'float',
      nullable: true,
      description: `${description} Null in a gap.`,
    }) as const
  const tokens = (name: string) =>
    ({
      sql: ofToken ? `trim_scale(coalesce(s.${name}, 0))` : 'NULL::numeric',
      type: 'amount',
      nullable: true,
    }) as const
  const millionths = `coalesce(${points}, 0)`
  return sqlColumns({
    ...calendarColumns,
    points: {
      sql: pointsOf(millionths),
      millionths,
      type: 'decimal',
      description: 'Points, summed over the bucket.',
    },
    positionCount: {
      sql: ofLastDate('coalesce(s.position_count, 0)'),
      type: 'int',
      nullable: true,
      description: 'Number of positions on `lastDate`. Null in a gap.',
    },
    suppliedUsd: level('supplied', 'Borrowable supply on `lastDate`, in USD.'),
    protectedUsd: level('protected', 'Non-borrowable supply on `lastDate`, in USD.'),
    tvlUsd: level('tvl', 'Total value locked on `lastDate`, in USD.'),
    borrowedUsd: level('borrowed', 'Amount borrowed on `lastDate`, in USD.'),
    utilization: {
      sql: `CASE WHEN s.supplied_usd > 0 THEN ${quotient('s.borrowed_usd', 's.supplied_usd')} END`,
      type: 'float',
      nullable: true,
      description:
        '`borrowedUsd` divided by `suppliedUsd`, as a fraction. Null in a gap and without a ' +
        'supply.',
    },
    userCount: {
      sql: userCount,
      type: 'int',
      nullable: true,
      description:
        'Number of users with a position on the last distribution date. Null in a gap, and in ' +
        'series of chains and tokens, where it is unknown.',
    },
    liquidityUsd: {
      sql: ofLastDate('coalesce(s.liquidity_usd, 0)'),
      type: 'float',
      nullable: true,
    },
    /** In whole tokens. Null in series of several tokens. */
    suppliedTokens: tokens('supplied'),
    protectedTokens: tokens('protected'),
    borrowedTokens: tokens('borrowed'),
    liquidityTokens: tokens('liquidity'),
  })
}

// In a single pool each user has one position, so positions count users.
const POSITIONS = ofLastDate('coalesce(s.position_count, 0)')

export const poolBucketColumns = columnsOf({ userCount: POSITIONS })
export const marketBucketColumns = columnsOf({ userCount: POSITIONS, ofToken: true })
export const assetBucketColumns = columnsOf({ ofToken: true })
const chainBucketColumns = columnsOf({})
export const programBucketColumns = columnsOf({
  points: 'program.points',
  userCount: 'program.user_count',
})

/** A bucket of the series of a market, of a pool or of several pools. */
export type PoolBucket = RowOf<typeof poolBucketColumns>

const both = Prisma.sql`d.pool_address, d.distribution_date, d.position_count,
  d.a_points + d.b_points AS points,
  d.a_supplied_usd, d.a_protected_usd, d.a_borrowed_usd,
  d.b_supplied_usd, d.b_protected_usd, d.b_borrowed_usd`

const AMOUNTS = [
  'points',
  'supplied_usd',
  'protected_usd',
  'borrowed_usd',
  'supplied',
  'protected',
  'borrowed',
]
// Joins a row of `pool_day` with the amounts `one` of each of its sides, which has a key.
const sidesOf = (key: string, keys: { a: string; b: string }) => {
  const of = (side: 'a' | 'b') =>
    `(${[keys[side], ...AMOUNTS.map((amount) => `d.${side}_${amount}`)].join(', ')})`
  return Prisma.raw(`CROSS JOIN LATERAL (VALUES ${of('a')}, ${of('b')})
    AS one(${[key, ...AMOUNTS].join(', ')})`)
}
const TOKENS = sidesOf('asset', { a: 'd.a_token_address', b: 'd.b_token_address' })
const MARKETS = sidesOf('market_id', { a: 'pool.unit_1_id', b: 'pool.unit_2_id' })

const sumsByBucket = (days: Prisma.Sql, span: Span, ofToken = false) => Prisma.sql`
  SELECT ${ofToken ? LEVELS_OF_TOKEN : LEVELS}
  FROM (
    SELECT bucket.start, ${ofToken ? sumsOfToken : sums}
    FROM (${days}) d
    JOIN (${lastDates(span)}) bucket
      ON bucket.start = ${startSql(span.interval, 'd.distribution_date')}
    GROUP BY 1) s`

const bucketsWith = (sums: Prisma.Sql, span: Span) => Prisma.sql`
  FROM ${calendar(span)} LEFT JOIN (${sums}) s ON s.start = bucket.start`

const daysOf = (pool: Prisma.Sql, span: Span) => Prisma.sql`FROM pool_day d
  WHERE d.pool_address = ${pool} AND ${within(span, 'd.distribution_date')} OFFSET 0`

/** The FROM clause for `poolBucketColumns`. Its cost is one row for each date. */
export const poolSeriesFrom = (address: Prisma.Sql, span: Span): Prisma.Sql =>
  bucketsWith(sumsByBucket(Prisma.sql`SELECT ${both} ${daysOf(address, span)}`, span), span)

/**
 * The FROM clause for `marketBucketColumns`: the sums of the market's side of its pool. No rows if
 * its pool is not stored, or does not name the market as a side. Its cost is one row for each date.
 */
export function marketSeriesFrom(chainId: Prisma.Sql, id: Prisma.Sql, span: Span): Prisma.Sql {
  const pool = Prisma.sql`market JOIN pool ON pool.id = market.pool_address
    AND pool.chain_id = market.chain_id AND market.id IN (pool.unit_1_id, pool.unit_2_id)
    AND market.chain_id = ${chainId} AND market.id = ${id}`
  const days = Prisma.sql`SELECT one.*, d.distribution_date, d.position_count FROM ${pool}
    CROSS JOIN LATERAL (SELECT * ${daysOf(Prisma.raw('pool.id'), span)}) d
    ${MARKETS} WHERE one.market_id = market.id`
  return Prisma.sql`${bucketsWith(sumsByBucket(days, span, true), span)}
    CROSS JOIN (SELECT FROM ${pool}) found`
}

/**
 * The FROM clause for `assetBucketColumns`: the sums of the asset's sides of all pools. Its cost is
 * one row for each of these pools and date.
 */
export function assetSeriesFrom(chainId: Prisma.Sql, address: Prisma.Sql, span: Span): Prisma.Sql {
  const days = Prisma.sql`SELECT d.distribution_date, d.position_count, one.* FROM pool
    JOIN pool_day d ON d.pool_address = pool.id AND ${within(span, 'd.distribution_date')}
    ${TOKENS}
    WHERE pool.chain_id = ${chainId} AND ${address} IN (pool.asset_1_address, pool.asset_2_address)
      AND one.asset = ${address}`
  return bucketsWith(sumsByBucket(days, span, true), span)
}

/**
 * The FROM clause for `programBucketColumns`: the sums of all pools on the last distribution date
 * of each bucket.
 */
export const programSeriesFrom = (span: Span): Prisma.Sql =>
  bucketsWith(
    Prisma.sql`SELECT ${LEVELS} FROM (
      SELECT bucket.start, ${sums} FROM (${lastDates(span)}) bucket
      CROSS JOIN LATERAL (
        SELECT ${both} FROM pool_day d WHERE d.distribution_date = bucket.last OFFSET 0) d
      GROUP BY 1) s`,
    span,
  )

export type SeriesGroup = 'pool' | 'chain' | 'asset'

/** The columns of the series of a pool, a chain or a token, over `groupedSeriesFrom`. */
export const groupColumns = sqlColumns({
  /** Null unless grouped by pool. */
  poolAddress: { sql: 't.pool', type: 'address', nullable: true },
  /** Null if the pool is not stored. */
  chainId: { sql: 't.chain', type: 'integer', nullable: true },
  assetAddress: { sql: 't.asset', type: 'address', nullable: true },
  points: {
    sql: pointsOf('t.total'),
    millionths: 't.total',
    type: 'decimal',
    description: 'Points over the whole range.',
  },
  ordinality: { sql: 't.ordinality', type: 'int' },
  /** No series is of one market, vault or user. */
  marketId: { sql: 'NULL::text' },
  vaultId: { sql: 'NULL::text' },
  userAddress: { sql: 'NULL::text' },
  buckets: { sql: 't.buckets' },
})

export type GroupSeries = RowOf<typeof groupColumns>

const DAYS_OF_POOLS = Prisma.sql`FROM pool_day d LEFT JOIN pool ON pool.id = d.pool_address`

const GROUPED: Record<SeriesGroup, Prisma.Sql> = {
  pool: Prisma.sql`SELECT d.pool_address AS pool, pool.chain_id AS chain, NULL::text AS asset,
      ${both} ${DAYS_OF_POOLS}`,
  chain: Prisma.sql`SELECT NULL::text AS pool, pool.chain_id AS chain, NULL::text AS asset,
      ${both} ${DAYS_OF_POOLS}`,
  asset: Prisma.sql`SELECT NULL::text AS pool, pool.chain_id AS chain, one.*,
      d.pool_address, d.distribution_date, d.position_count ${DAYS_OF_POOLS} ${TOKENS}`,
}

const COLUMNS_OF = { pool: poolBucketColumns, chain: chainBucketColumns, asset: assetBucketColumns }

/** The columns of a bucket of a group, from its records. */
export const groupBucketColumns: Columns = Object.fromEntries(
  Object.entries<Column>(chainBucketColumns).map(([name, { type = 'text' }]) => [
    name,
    { sql: `b."${name}"`, type },
  ]),
)

// Amounts are text, as in every select list.
const RECORD = Object.entries(groupBucketColumns).map(
  ([name, { type = 'text' }]) => `"${name}" ${type === 'amount' ? 'text' : VALUE_TYPES[type].sql}`,
)

/** The FROM clause for `groupBucketColumns`, from the records of a group. */
export const groupBucketsFrom = (records: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM ${records} AS b(${Prisma.raw(RECORD.join(', '))})`

/**
 * The FROM clause for `groupColumns`: the series of the `first` pools, chains or tokens with the
 * most points over the span, with all buckets of each. A token is on one chain. Its cost is one row
 * for each pool and date.
 */
export function groupedSeriesFrom(
  group: SeriesGroup,
  span: Span,
  { chainId, first }: { chainId: number | null; first: number },
): Prisma.Sql {
  const onChain =
    chainId === null ? Prisma.empty : Prisma.sql`AND pool.chain_id = ${chainId}::bigint`
  const ofToken = group === 'asset'
  return Prisma.sql`FROM (
    WITH day AS MATERIALIZED (
      SELECT d.*, bucket.start, bucket.last, concat_ws(' ', d.chain, d.pool, d.asset) AS key
      FROM (${GROUPED[group]} WHERE ${within(span, 'd.distribution_date')} ${onChain}) d
      JOIN (${lastDates(span)}) bucket
        ON bucket.start = ${startSql(span.interval, 'd.distribution_date')}),
    top AS (
      SELECT t.*, row_number() OVER (ORDER BY total DESC, key COLLATE "C")::int AS ordinality
      FROM (SELECT key, pool, chain, asset, sum(points) AS total FROM day GROUP BY 1, 2, 3, 4) t
      ORDER BY ordinality LIMIT ${first}::int),
    sums AS (
      SELECT s.key, ${ofToken ? LEVELS_OF_TOKEN : LEVELS} FROM (
        SELECT d.key, bucket.start, ${ofToken ? sumsOfToken : sums}
        FROM top JOIN day d USING (key) CROSS JOIN LATERAL (SELECT d.start, d.last) bucket
        GROUP BY 1, 2) s)
    SELECT top.ordinality, top.total, top.pool, top.chain, top.asset, array_agg(b) AS buckets
    FROM top CROSS JOIN ${calendar(span)}
    LEFT JOIN sums s ON s.key = top.key AND s.start = bucket.start
    CROSS JOIN LATERAL (SELECT ${selectList(COLUMNS_OF[group])}) b
    GROUP BY 1, 2, 3, 4, 5) t`
}
