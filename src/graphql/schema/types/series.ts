import type { ArgBuilder } from '@pothos/core'
import { type RankedPoints, rankHistory, together } from '../../../domain/leaderboard/rank-history.ts'
import { type CalendarBucket, calendarOf, programDates } from '../../../domain/series/calendar.ts'
import { type EarningsBucket, earningsSeries } from '../../../domain/series/earnings-series.ts'
import {
  bucketStart,
  type Interval as IntervalName,
  MAX_BUCKETS,
  type Span,
  spanOf,
} from '../../../domain/series/interval.ts'
import {
  type GroupSeries,
  groupedSeries,
  type Levels,
  marketSeries,
  type PoolBucket,
  poolSeries,
  programLevels,
} from '../../../domain/series/pool-series.ts'
import { type UserRewards, userPoints, userRewards } from '../../../domain/series/user-series.ts'
import { badArgument } from '../../../errors.ts'
import { type Batch, type GraphContext, once } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { BUCKET, buckets, bucketsOfAddress, EARNED } from './charges.ts'
import type { ProgramRef } from './distribution.ts'
import type { GroupKeyRef } from './group-key.ts'
import type { MarketRef } from './market.ts'
import type { PoolRef } from './pool.ts'
import type { PortfolioRef } from './portfolio.ts'
import type { UserRef } from './user-ref.ts'
import type { WorthRef } from './worth.ts'

/** A bucket with lazy values: the first access reads the values of all buckets at once. */
interface Bucket {
  start: Date
  program(): Promise<CalendarBucket | undefined>
  points(): Promise<number>
  /** Number of positions on the bucket's last date. 0 if there were none. */
  positionCount(): Promise<number>
  /** Of pools. Undefined without a position. */
  levels?(): Promise<Levels | undefined>
  /** Number of users with a position on the bucket's last date. Null if unknown. */
  userCount?(): Promise<number | null>
  rewards?(): Promise<UserRewards | undefined>
  /** The users' points and best rank as of the bucket's last date. */
  rankedPoints?(): Promise<Pick<RankedPoints, 'points' | 'rank'> | undefined>
  /** The users' worth and earnings as of the bucket's end. */
  earnings?(): Promise<EarningsBucket | undefined>
}

const MAX_GROUPS = 100

type Refs = {
  User: UserRef
  Market: MarketRef
  Pool: PoolRef
  Program: ProgramRef
  Portfolio: PortfolioRef
  Worth: WorthRef
  GroupKey: GroupKeyRef
}

export function addSeries(builder: Builder, { User, Market, Pool, Program, Portfolio, Worth, GroupKey }: Refs) {
  const Interval = builder.enumType('Interval', {
    description: 'The length of a bucket of a series. Buckets start at midnight UTC.',
    values: {
      DAY: { value: 'day' as const, description: 'One date.' },
      WEEK: { value: 'week' as const, description: 'Seven dates, starting on a Monday.' },
      MONTH: { value: 'month' as const, description: 'A calendar month.' },
    },
  })

  const SeriesBucket = builder.interfaceRef<Bucket>('SeriesBucket').implement({
    description:
      'One date, week or month of a series. Points and rewards are summed over the bucket and are 0 in a gap. Counts and amounts of positions are those of its last distribution date: 0 if there were no positions, null in a gap. A gap is a bucket without a distribution.',
    fields: (t) => ({
      start: t.expose('start', { type: 'DateTime', description: "The bucket's first date, midnight UTC." }),
      lastDate: t.field({
        type: 'DateTime',
        nullable: true,
        description: "The bucket's last distribution date, midnight UTC: the date of its positions. Null in a gap.",
        resolve: async (bucket) => (await bucket.program())?.lastDate ?? null,
      }),
      distributionCount: t.int({
        description: 'Number of distribution dates in the bucket. 0 in a gap.',
        resolve: async (bucket) => (await bucket.program())?.distributionCount ?? 0,
      }),
      points: t.float({ description: 'Points, summed over the bucket.', resolve: (bucket) => bucket.points() }),
      positionCount: t.int({
        nullable: true,
        description: 'Number of positions on the last distribution date. Null in a gap.',
        resolve: async (bucket) => ((await bucket.program()) ? await bucket.positionCount() : null),
      }),
    }),
    resolveType: (bucket) => (bucket.rewards ? 'UserSeriesBucket' : 'PoolSeriesBucket'),
  })

  const UserSeriesBucket = builder.objectRef<Bucket>('UserSeriesBucket').implement({
    description:
      'One date, week or month of the series of a user, or of the users of a portfolio combined. Points and rewards are summed over the bucket; worth and earnings are those at its end, also in a gap.',
    interfaces: [SeriesBucket],
    fields: (t) => {
      const cost = { weight: EARNED }
      const earned = (name: 'netCashInvestedUsd' | 'earningsUsd', description: string) =>
        t.float({
          nullable: true,
          extensions: { cost },
          description,
          resolve: async (bucket) => (await bucket.earnings?.())?.[name] ?? null,
        })
      return {
        worth: t.field({
          type: Worth,
          nullable: true,
          extensions: { cost },
          description:
            'The worth at the end of the bucket, by the newest snapshots up to it, like `worth(asOf)`. Null before the first snapshot, and where one of them lacks a price: `hasIncompletePrices`.',
          resolve: async (bucket) => {
            const worth = (await bucket.earnings?.())?.worth
            return worth && !worth.hasIncompletePrices ? worth : null
          },
        }),
        netCashInvestedUsd: earned(
          'netCashInvestedUsd',
          'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings in each market and vault, up to its newest snapshot. Null before the first snapshot, and once one of them lacks a price.',
        ),
        earningsUsd: earned(
          'earningsUsd',
          'Total earnings, in USD: `worth.netUsd` minus `netCashInvestedUsd`. Both are of the same snapshots, so that a deposit is no loss until the next one. Null if either is.',
        ),
        pendingCashUsd: t.float({
          nullable: true,
          extensions: { cost },
          description:
            'Net cash of the cash flows after the snapshots and up to the end of the bucket, in USD: no snapshot shows them yet, so the bucket leaves them out. `earnings(asOf)` counts them: with all prices known it is this much less than `earningsUsd`. Null if one of them lacks a price.',
          resolve: async (bucket) => {
            const earnings = await bucket.earnings?.()
            return earnings ? earnings.pendingCashUsd : 0
          },
        }),
        hasIncompletePrices: t.boolean({
          nullable: true,
          extensions: { cost },
          description:
            'Whether the price of an amount other than 0 is missing in the snapshots or the cash flows up to them: what depends on it is null here, and counts it as 0 in `earnings(asOf)`. Null before the first snapshot.',
          resolve: async (bucket) => {
            const earnings = await bucket.earnings?.()
            return earnings?.worth ? earnings.earningsUsd === null : null
          },
        }),
        totalPoints: t.float({
          nullable: true,
          description:
            "The points over all distribution dates up to the bucket's last one. Null in a gap and before the first position.",
          resolve: async (bucket) => (await bucket.rankedPoints?.())?.points ?? null,
        }),
        rank: t.int({
          nullable: true,
          description:
            "The rank on the leaderboard as of the bucket's last distribution date, starting at 1; of a portfolio, the best rank of its users. Null in a gap, before the first position, and briefly while the ranks of the date are recomputed after a run for it or for an earlier date.",
          resolve: async (bucket) => (await bucket.rankedPoints?.())?.rank ?? null,
        }),
        liquidationRewardCount: t.int({
          description: 'Number of liquidation rewards in the bucket, by time of the liquidation.',
          resolve: async (bucket) => {
            const rewards = await bucket.rewards?.()
            return rewards ? rewards.marketCount + rewards.vaultCount : 0
          },
        }),
        marketLiquidationRewardsUsd: t.float({
          nullable: true,
          description:
            'Liquidation rewards in markets, in USD. Rewards without a price are left out. Null if there are rewards but none has a price.',
          resolve: async (bucket) => {
            const rewards = await bucket.rewards?.()
            return rewards ? rewards.marketUsd : 0
          },
        }),
        vaultLiquidationRewardsUsd: t.float({
          nullable: true,
          description:
            'Liquidation rewards in vaults, in USD. Rewards without a price are left out. Null if there are rewards but none has a price.',
          resolve: async (bucket) => {
            const rewards = await bucket.rewards?.()
            return rewards ? rewards.vaultUsd : 0
          },
        }),
      }
    },
  })

  const PoolSeriesBucket = builder.objectRef<Bucket>('PoolSeriesBucket').implement({
    description:
      'One date, week or month of the series of a market, of a pool or of several pools combined. Points are summed over the bucket; amounts are those of its last distribution date.',
    interfaces: [SeriesBucket],
    fields: (t) => {
      const level = (name: 'suppliedUsd' | 'protectedUsd' | 'tvlUsd' | 'borrowedUsd', description: string) =>
        t.float({
          nullable: true,
          description: `${description} Null in a gap.`,
          resolve: async (bucket) => ((await bucket.program()) ? ((await bucket.levels?.())?.[name] ?? 0) : null),
        })
      return {
        suppliedUsd: level('suppliedUsd', 'Borrowable supply on the last distribution date, in USD.'),
        protectedUsd: level('protectedUsd', 'Protected (non-borrowable) supply on the last distribution date, in USD.'),
        tvlUsd: level(
          'tvlUsd',
          'Total value locked on the last distribution date, in USD: borrowable plus protected supply, including what is lent out.',
        ),
        borrowedUsd: level('borrowedUsd', 'Amount borrowed on the last distribution date, in USD.'),
        userCount: t.int({
          nullable: true,
          description:
            'Number of users with a position on the last distribution date. Null in a gap, and in series of chains and tokens, where it is unknown.',
          resolve: async (bucket) => ((await bucket.program()) && bucket.userCount ? await bucket.userCount() : null),
        }),
      }
    },
  })

  const spanArguments = (arg: ArgBuilder<Types>) => ({
    interval: arg({ type: Interval, defaultValue: 'day', required: true, description: 'The length of each bucket.' }),
    from: arg({
      type: 'DateTime',
      description: `The start of the range: the whole bucket that contains this time. Defaults to a range of 30 buckets, or fewer if the program is younger. At most ${MAX_BUCKETS} buckets.`,
    }),
    to: arg({
      type: 'DateTime',
      description:
        'The end of the range: the whole bucket that contains this time. Defaults to the bucket of the newest distribution date.',
    }),
  })
  const gaps = 'Every bucket of the range is returned, including gaps, oldest first.'

  builder.objectFields(User, (t) => ({
    series: t.field({
      type: [UserSeriesBucket],
      extensions: { cost: { weight: 10, rows: buckets, each: BUCKET }, unplanned: SERIES_UNPLANNED },
      description: `The user's points, rank, positions, worth, earnings and liquidation rewards by date, week or month. ${gaps}`,
      args: spanArguments(t.arg),
      resolve: ({ address }, args, context) => userBuckets(context, [address], args),
    }),
  }))

  builder.objectFields(Portfolio, (t) => ({
    series: t.field({
      type: [UserSeriesBucket],
      extensions: { cost: { weight: 10, rows: buckets, each: BUCKET, perRow: bucketsOfAddress } satisfies FieldCost },
      description: `The users' points, positions, worth, earnings and liquidation rewards added up, by date, week or month. ${gaps}`,
      args: spanArguments(t.arg),
      resolve: ({ addresses }, args, context) => userBuckets(context, addresses, args),
    }),
  }))

  builder.prismaObjectFields(Pool, (t) => ({
    series: t.field({
      type: [PoolSeriesBucket],
      extensions: { cost: { weight: 10, rows: buckets, each: BUCKET }, unplanned: SERIES_UNPLANNED },
      description: `The pool's points, positions and USD amounts by date, week or month. ${gaps}`,
      args: spanArguments(t.arg),
      resolve: async ({ id }, args, context) => {
        const span = await readSpan(context, args)
        if (!span) return []
        const values = byStart(() => context.batches.load(poolSeries, id, span))
        return bucketsOf(context, span, ofPools(values, true))
      },
    }),
  }))

  builder.prismaObjectFields(Market, (t) => ({
    series: t.field({
      type: [PoolSeriesBucket],
      extensions: { cost: { weight: 10, rows: buckets, each: BUCKET }, unplanned: SERIES_UNPLANNED },
      description: `The points and USD amounts of the market, which is one side of its pool, by date, week or month; positions are those of the pool. Empty if the pool is not stored or does not name the market as a side. ${gaps}`,
      args: spanArguments(t.arg),
      resolve: async ({ chainId, id }, args, context) => {
        const span = await readSpan(context, args)
        const found = span && (await context.batches.load(marketSeries, { chainId, id }, span))
        return found
          ? bucketsOf(
              context,
              span,
              ofPools(
                byStart(async () => found),
                true,
              ),
            )
          : []
      },
    }),
  }))

  builder.objectFields(Program, (t) => ({
    series: t.field({
      type: [PoolSeriesBucket],
      extensions: { cost: { weight: 10, rows: buckets, each: BUCKET }, unplanned: SERIES_UNPLANNED },
      description: `The program's points, positions and USD amounts by date, week or month. ${gaps}`,
      args: spanArguments(t.arg),
      resolve: async (_, args, context) => {
        const span = await readSpan(context, args)
        if (!span) return []
        const levels = byStart(() => context.batches.load(programLevelsOnce, '', span))
        const calendar = byStart(() => loadCalendar(context, span))
        return bucketsOf(context, span, (start) => ({
          points: async () => (await calendar(start))?.points ?? 0,
          positionCount: async () => (await levels(start))?.positionCount ?? 0,
          levels: () => levels(start),
          userCount: async () => (await calendar(start))?.userCount ?? null,
        }))
      },
    }),
  }))

  const SeriesGroupBy = builder.enumType('SeriesGroupBy', {
    description: 'What to group series by.',
    values: {
      POOL: { value: 'pool' as const, description: 'One series per pool.' },
      CHAIN: { value: 'chain' as const, description: 'One series per chain: its pools combined.' },
      ASSET: {
        value: 'asset' as const,
        description:
          'One series per token and chain: the sides of pools in that token. A position counts for both of its tokens.',
      },
    },
  })

  const GroupedSeries = builder.objectRef<GroupSeries & { span: Span }>('GroupedSeries').implement({
    description: 'The series of one pool, chain or token.',
    fields: (t) => ({
      key: t.field({
        type: GroupKey,
        description: 'The pool, chain or token of the series.',
        resolve: (group) => group,
      }),
      points: t.exposeFloat('points', { description: 'Points over the whole range.' }),
      buckets: t.field({
        type: [PoolSeriesBucket],
        extensions: { cost: { rows: 'page', each: BUCKET } },
        description: gaps,
        resolve: ({ buckets, span, poolAddress }, _, context) =>
          bucketsOf(
            context,
            span,
            ofPools(
              byStart(async () => buckets),
              poolAddress !== null,
            ),
          ),
      }),
    }),
  })

  builder.queryFields((t) => ({
    series: t.field({
      type: [GroupedSeries],
      extensions: { cost: { weight: 100, most: MAX_GROUPS, page: buckets }, unplanned: SERIES_UNPLANNED },
      description:
        "The program's series by pool, chain or token, those with the most points over the range first. `program { series }` combines all of them.",
      args: {
        groupBy: t.arg({ type: SeriesGroupBy, required: true, description: 'What to group series by.' }),
        ...spanArguments(t.arg),
        chainId: t.arg({ type: 'SafeInt', description: 'Only series on this chain.' }),
        first: t.arg.int({
          defaultValue: 10,
          required: true,
          description: `Number of series to return, 0 to ${MAX_GROUPS}.`,
        }),
      },
      resolve: async (_, { groupBy, chainId, first, ...args }, context) => {
        if (first < 0 || first > MAX_GROUPS) throw badArgument('first', `must be from 0 to ${MAX_GROUPS}`)
        const span = await readSpan(context, args)
        if (!span) return []
        const groups = await groupedSeries(context.reader, groupBy, span, { chainId: chainId ?? null, first })
        return groups.map((group) => ({ ...group, span }))
      },
    }),
  }))
  return { spanArguments }
}

export type SpanArguments = ReturnType<typeof addSeries>['spanArguments']

/** Why series have no plan. */
export const SERIES_UNPLANNED =
  'Its buckets are put together from several statements, whose range depends on the stored dates.'

interface SpanValues {
  interval: IntervalName
  from?: Date | null
  to?: Date | null
}

/**
 * Resolves the range arguments to buckets. Returns undefined if `to` is omitted and there is no distribution.
 * @param extent reads the first and the newest date of the data; by default those of the program
 */
export async function readSpan(
  context: GraphContext,
  { interval, from, to }: SpanValues,
  extent: Batch<'', { first: Date; newest: Date } | null> = programDatesOnce,
): Promise<Span | undefined> {
  const dates = from && to ? null : await context.batches.load(extent, '')
  const last = to ?? dates?.newest
  if (last) return spanOf(interval, { from, to: !to && from && from > last ? from : last, begun: dates?.first })
  return undefined
}

const programDatesOnce = once(programDates)
const programLevelsOnce = once(programLevels)
const calendarOnce = once(calendarOf)

function loadCalendar(context: GraphContext, span: Span): Promise<CalendarBucket[]> {
  return context.batches.load(calendarOnce, '', span)
}

/** Returns a lookup of rows by start date. The rows are read on first use. */
function byStart<Row extends { start: Date }>(read: () => Promise<Row[]>): (start: Date) => Promise<Row | undefined> {
  let rows: Promise<Map<number, Row>> | undefined
  return async (start) => {
    rows ??= read().then((all) => new Map(all.map((row) => [row.start.getTime(), row])))
    return (await rows).get(start.getTime())
  }
}

function bucketsOf(
  context: GraphContext,
  span: Span,
  values: (start: Date) => Omit<Bucket, 'start' | 'program'>,
): Bucket[] {
  const calendar = byStart(() => loadCalendar(context, span))
  return span.starts.map((start) => ({ start, program: () => calendar(start), ...values(start) }))
}

/** The buckets of users, added up. */
async function userBuckets(context: GraphContext, users: string[], args: SpanValues): Promise<Bucket[]> {
  const span = await readSpan(context, args)
  if (!span) return []
  const { batches } = context
  const points = byStart(() => batches.load(userPoints, users, span))
  const rewards = byStart(() => batches.load(userRewards, users, span))
  const earnings = byStart(() => batches.load(earningsSeries, users, span))
  const rankedPoints = byStart(async () => {
    const histories = await Promise.all(users.map((user) => batches.load(rankHistory, user, span)))
    const byDate = new Map<number, RankedPoints[]>()
    for (const row of histories.flat()) {
      const time = row.date.getTime()
      const others = byDate.get(time)
      if (others) others.push(row)
      else byDate.set(time, [row])
    }
    return [...byDate].map(([time, all]) => ({
      ...(users.length === 1 && all[0] ? all[0] : together(all)),
      start: bucketStart(span.interval, new Date(time)),
    }))
  })
  return bucketsOf(context, span, (start) => ({
    points: async () => (await points(start))?.points ?? 0,
    positionCount: async () => (await points(start))?.positionCount ?? 0,
    rewards: () => rewards(start),
    earnings: () => earnings(start),
    rankedPoints: () => rankedPoints(start),
  }))
}

/** The values of pool buckets. In a single pool each user has one position, so positions count users. */
function ofPools(values: (start: Date) => Promise<PoolBucket | undefined>, onePool: boolean) {
  return (start: Date) => ({
    points: async () => (await values(start))?.points ?? 0,
    positionCount: async () => (await values(start))?.positionCount ?? 0,
    levels: () => values(start),
    ...(onePool && { userCount: async () => (await values(start))?.positionCount ?? 0 }),
  })
}
