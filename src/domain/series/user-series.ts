import { type Columns, type RowOf, sqlColumns } from 'pothos-sql'
import { exact, toDouble } from '../../db/exact-sum.ts'
import type { UserTable } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { averageRates, netAprColumns, netAprFrom } from '../earnings/net-apr.ts'
import type { profitColumns } from '../earnings/profit.ts'
import { tablesOfHoldings } from '../holding/holding.ts'
import { worthColumns } from '../holding/worth.ts'
import { ranksByDate } from '../leaderboard/rank-history.ts'
import { pointsOf } from '../points/millionths.ts'
import { calendar, calendarColumns, lastDates, ofLastDate } from './calendar.ts'
import { earningsByBucket, profitByBucket } from './earnings-series.ts'
import { bucketsOf, type Span, startSql, within } from './interval.ts'

type WorthColumns = typeof worthColumns
type WorthName = keyof WorthColumns

/** The column of a bucket with a value of its worth. */
export const worthColumn = <Name extends WorthName>(name: Name) =>
  `worth${name[0]?.toUpperCase()}${name.slice(1)}` as `worth${Capitalize<Name>}`

const WORTH = Object.fromEntries(
  Object.entries(worthColumns).map(([name, { type }]) => [
    worthColumn(name as WorthName),
    { sql: `e."${name}"`, type, nullable: true },
  ]),
) as {
  [Name in WorthName as `worth${Capitalize<Name>}`]: {
    sql: string
    type: WorthColumns[Name]['type']
    nullable: true
  }
}

const earned = (name: string, description: string) =>
  ({
    sql: `CASE WHEN e.time IS NOT NULL THEN e."${name}" END`,
    type: 'float',
    nullable: true,
    description,
  }) as const

const gained = (name: keyof typeof profitColumns) =>
  ({
    sql: `g."${name}"`,
    type: 'float',
    nullable: true,
    description:
      `\`${name}\` of \`earnings(at)\` at the end of the bucket, in USD. Null before the first ` +
      'snapshot, and if a price that it needs is not known.',
  }) as const

const netApr = (kind: 'Deposit' | 'Borrow', weights: string) =>
  ({
    sql: `n."net${kind}Apr"`,
    type: 'float',
    nullable: true,
    description:
      `The average ${kind.toLowerCase()} APR at the end of the bucket as a fraction, ` +
      `weighted by ${weights} in USD, like \`netApr(at)\`. 0 without any; null before ` +
      'the first snapshot, and where no rate of them is known.',
  }) as const

const rewardsUsd = (kind: 'market' | 'vault') =>
  ({
    sql: `CASE WHEN coalesce(r.${kind}_count, 0) = 0 THEN 0 ELSE r.${kind}_usd END`,
    type: 'float',
    nullable: true,
    description:
      `Liquidation rewards in ${kind}s, in USD. Rewards without a price are left out. ` +
      'Null if there are rewards but none has a price.',
  }) as const

const POINTS = 'coalesce(p.points, 0)'

// The columns of a bucket of users, added up, by the part of `userSeriesFrom` that has their
// values.
const PARTS = {
  points: sqlColumns({
    points: {
      sql: pointsOf(POINTS),
      millionths: POINTS,
      type: 'decimal',
      description: 'Points, summed over the bucket.',
    },
    positionCount: {
      sql: ofLastDate('coalesce(p.position_count, 0)'),
      type: 'int',
      nullable: true,
      description: 'Number of positions on `lastDate`. Null in a gap.',
    },
  }),
  netApr: sqlColumns({
    netDepositApr: netApr('Deposit', 'deposits'),
    netBorrowApr: netApr('Borrow', 'debt'),
  }),
  earnings: sqlColumns({
    ...WORTH,
    /** Null before the first snapshot, and if one of them lacks a price. */
    hasWorth: {
      sql: 'CASE WHEN e.time IS NOT NULL AND NOT e."hasIncompletePrices" THEN true END',
      type: 'boolean',
      nullable: true,
    },
    netCashInvestedUsd: earned(
      'netCashInvestedUsd',
      'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings in ' +
        'each market and vault, up to its newest snapshot. Null before the first snapshot, ' +
        'and once one of them lacks a price.',
    ),
    earningsUsd: earned(
      'earningsUsd',
      'Total earnings, in USD: `worth.netUsd` minus `netCashInvestedUsd`. Both are of the ' +
        'same snapshots, so that a deposit does not count as a loss until the next one. ' +
        'Null if either is.',
    ),
    pendingCashUsd: {
      sql: 'CASE WHEN e.start IS NULL THEN 0 ELSE e."pendingCashUsd" END',
      type: 'float',
      nullable: true,
      description:
        'Net cash of the cash flows after the snapshots and up to the end of the bucket, in ' +
        'USD: no snapshot shows them yet, so the bucket leaves them out. `earnings(at)` ' +
        'counts them: with all prices known it is this much less than `earningsUsd`. Null ' +
        'if one of them lacks a price.',
    },
    hasIncompletePrices: {
      sql: 'CASE WHEN e.time IS NOT NULL THEN e."earningsUsd" IS NULL END',
      type: 'boolean',
      nullable: true,
      description:
        'True if the price of an amount other than 0 is missing in the snapshots or the ' +
        'cash flows up to them: what depends on it is null here, and counts it as 0 in ' +
        '`earnings(at)`. Null before the first snapshot.',
    },
  }),
  profit: sqlColumns({
    profitUsd: gained('profitUsd'),
    interestUsd: gained('interestUsd'),
    priceUsd: gained('priceUsd'),
    liquidationUsd: gained('liquidationUsd'),
  }),
  ranks: sqlColumns({
    totalPoints: {
      sql: 'k.points',
      type: 'decimal',
      nullable: true,
      description: 'The points up to `lastDate`. Null in a gap and before the first.',
    },
    rank: {
      sql: 'k.rank',
      type: 'int',
      nullable: true,
      description:
        "The rank on the leaderboard as of the bucket's last distribution date, starting at " +
        '1; of a portfolio, the best rank of its users. Null in a gap, before the first ' +
        'position, and briefly while the ranks of the date are recomputed after a run for ' +
        'it or for an earlier date.',
    },
  }),
  rewards: sqlColumns({
    liquidationRewardCount: {
      sql: 'coalesce(r.market_count + r.vault_count, 0)',
      type: 'int',
      description: 'Number of liquidation rewards in the bucket, by time.',
    },
    marketLiquidationRewardsUsd: rewardsUsd('market'),
    vaultLiquidationRewardsUsd: rewardsUsd('vault'),
  }),
  liquidations: sqlColumns({
    liquidationCount: {
      sql: 'coalesce(l.liquidation_count, 0)',
      type: 'int',
      description: 'Number of liquidations of the user as a borrower, by time.',
    },
    collateralSeizedUsd: {
      sql: 'CASE WHEN l.liquidation_count IS NULL THEN 0 ELSE l.seized_usd END',
      type: 'float',
      nullable: true,
      description:
        'Collateral that liquidations took from the borrower, in USD. Those without a price are ' +
        'left out. Null if there are liquidations but none has a price.',
    },
  }),
}

type Part = keyof typeof PARTS

/** The columns of a bucket of one or several users, added up. */
export const userBucketColumns = {
  ...calendarColumns,
  ...PARTS.points,
  ...PARTS.netApr,
  ...PARTS.earnings,
  ...PARTS.profit,
  ...PARTS.ranks,
  ...PARTS.rewards,
  ...PARTS.liquidations,
}

export type UserBucket = RowOf<typeof userBucketColumns>

// True if one of the columns is used. A name may be followed by what is read of the column.
const isUsed = (columns: Columns, used: ReadonlySet<string>) =>
  [...used].some((name) => (name.split(' ')[0] as string) in columns)

const pointsByBucket = (owners: Prisma.Sql, span: Span) => Prisma.sql`
  SELECT bucket.start, sum(d.points) AS points,
    (sum(d.position_count) FILTER (WHERE d.distribution_date = bucket.last))::int AS position_count
  FROM ${owners} CROSS JOIN LATERAL (SELECT d.distribution_date, d.points, d.position_count
    FROM account_day d
    WHERE d.user_address = owner.address AND ${within(span, 'd.distribution_date')} OFFSET 0) d
  JOIN (${lastDates(span)}) bucket
    ON bucket.start = ${startSql(span.interval, 'd.distribution_date')}
  GROUP BY 1`

const usdIf = (condition: string) =>
  Prisma.raw(toDouble(`sum(${exact('r.usd')}) FILTER (WHERE ${condition})`))

// The start of the bucket of an event `r`, and the condition that an event `t` is within the range.
const startOfEvent = ({ interval }: Span) =>
  startSql(interval, "(to_timestamp(r.timestamp) AT TIME ZONE 'UTC')")
const isEventWithin = ({ first, end }: Span) => Prisma.sql`
  t.timestamp >= extract(epoch FROM ${first}::timestamp)::bigint
    AND t.timestamp < extract(epoch FROM ${end}::timestamp)::bigint`

// A query of the liquidations of each bucket with any.
const liquidationsByBucket = (owners: Prisma.Sql, span: Span): Prisma.Sql => Prisma.sql`
  SELECT ${startOfEvent(span)} AS start, count(*)::int AS liquidation_count,
    ${usdIf('true')} AS seized_usd
  FROM ${owners} CROSS JOIN LATERAL (
    SELECT t.timestamp, t.collateral_seized_usd AS usd FROM liquidation t
    WHERE t.user_address = owner.address AND ${isEventWithin(span)} OFFSET 0) r
  GROUP BY 1`

// A query of the liquidation rewards of each bucket with any. A sum is null if none of them has a
// price.
function rewardsByBucket(owners: Prisma.Sql, span: Span): Prisma.Sql {
  const start = startOfEvent(span)
  const of = (kind: 'market' | 'vault') => {
    const table = Prisma.raw(`${kind}_liquidation_reward`)
    const isMarket = Prisma.raw(String(kind === 'market'))
    return Prisma.sql`SELECT ${isMarket} AS market, t.timestamp, t.liquid_reward_usd AS usd
      FROM ${table} t
      WHERE t.user_address = owner.address AND ${isEventWithin(span)}`
  }
  return Prisma.sql`
    SELECT ${start} AS start, (count(*) FILTER (WHERE r.market))::int AS market_count,
      ${usdIf('r.market')} AS market_usd,
      (count(*) FILTER (WHERE NOT r.market))::int AS vault_count,
      ${usdIf('NOT r.market')} AS vault_usd
    FROM ${owners} CROSS JOIN LATERAL (${of('market')} UNION ALL ${of('vault')} OFFSET 0) r
    GROUP BY 1`
}

const netAprByBucket = (owners: Prisma.Sql, span: Span) => {
  const rates = Prisma.raw(
    Object.entries({ ...averageRates, count: netAprColumns.entityCount })
      .map(([name, { sql }]) => `${sql} AS "${name}"`)
      .join(', '),
  )
  const holder = { owners, chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  return Prisma.sql`SELECT bucket.start, e.* FROM ${bucketsOf(span)} bucket
    CROSS JOIN LATERAL (SELECT ${rates} ${netAprFrom(holder)}) e WHERE e.count > 0`
}

interface SeriesSource {
  query(owners: Prisma.Sql, span: Span): Prisma.Sql
  joined: string
  tables: UserTable[]
}

const HOLDINGS = tablesOfHoldings(Prisma.empty)
const REWARDS: UserTable[] = ['market_liquidation_reward', 'vault_liquidation_reward']

const SOURCES: Record<Part, SeriesSource> = {
  points: {
    query: pointsByBucket,
    joined: 'p ON p.start = bucket.start',
    tables: ['account_day'],
  },
  netApr: { query: netAprByBucket, joined: 'n ON n.start = bucket.start', tables: HOLDINGS },
  earnings: {
    query: earningsByBucket,
    joined: 'e ON e.start = bucket.start',
    tables: [...HOLDINGS, 'cash_flow'],
  },
  profit: {
    query: profitByBucket,
    joined: 'g ON g.start = bucket.start',
    tables: [...HOLDINGS, 'cash_flow', ...REWARDS],
  },
  ranks: {
    query: ranksByDate,
    joined: 'k ON k.date = program.last',
    tables: ['account_day', 'rank_history'],
  },
  rewards: {
    query: rewardsByBucket,
    joined: 'r ON r.start = bucket.start',
    tables: REWARDS,
  },
  liquidations: {
    query: liquidationsByBucket,
    joined: 'l ON l.start = bucket.start',
    tables: ['liquidation'],
  },
}

const sourcesOf = (used: ReadonlySet<string>) =>
  (Object.keys(PARTS) as Part[])
    .filter((part) => isUsed(PARTS[part], used))
    .map((part) => SOURCES[part])

/**
 * The FROM clause for `userBucketColumns`: the buckets of users, added up. It reads the parts that
 * are used.
 * @param owners a FROM item with rows `owner`, which have an `address`
 */
export function userSeriesFrom(
  owners: Prisma.Sql,
  span: Span,
  used: ReadonlySet<string>,
): Prisma.Sql {
  const joins = sourcesOf(used).map(
    ({ query, joined }) => Prisma.sql`LEFT JOIN (${query(owners, span)}) ${Prisma.raw(joined)}`,
  )
  return Prisma.sql`FROM ${calendar(span)}
    ${joins.length > 0 ? Prisma.join(joins, ' ') : Prisma.empty}`
}

/** The tables of users that `userSeriesFrom` reads. */
export const tablesOfSeries = (used: ReadonlySet<string>): UserTable[] => [
  ...new Set(sourcesOf(used).flatMap(({ tables }) => tables)),
]
