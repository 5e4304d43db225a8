import { type RankedPoints, rankHistory, together } from '../../../domain/leaderboard/rank-history.ts'
import { type CalendarBucket, calendarOf } from '../../../domain/series/calendar.ts'
import { earningsSeries } from '../../../domain/series/earnings-series.ts'
import { bucketStart, type Span } from '../../../domain/series/interval.ts'
import { netAprSeries } from '../../../domain/series/net-apr-series.ts'
import {
  assetSeries,
  type GroupSeries,
  groupedSeries,
  marketSeries,
  type PoolBucket,
  poolSeries,
  programLevels,
} from '../../../domain/series/pool-series.ts'
import { userPoints, userRewards } from '../../../domain/series/user-series.ts'
import { badArgument } from '../../../errors.ts'
import { type GraphContext, once } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { BUCKET, buckets, bucketsOfAddress } from './charges.ts'
import { GROUP_BY } from './group-key.ts'
import { addSeriesBuckets, type Bucket } from './series-bucket.ts'
import { readSpan, SERIES_UNPLANNED, seriesField, spanArguments } from './series-span.ts'

const MAX_GROUPS = 100

/** The series of each dimension: one per pool, per chain (its pools combined), or per token and chain. */
const SERIES_OF: Record<string, 'pool' | 'chain' | 'asset' | undefined> = {
  POOL: 'pool',
  CHAIN: 'chain',
  ASSET: 'asset',
}

export function addSeries(builder: Builder) {
  const { UserSeriesBucket, PoolSeriesBucket } = addSeriesBuckets(builder)

  const gaps = 'Every bucket of the range is returned, including gaps, oldest first.'

  const cost = { each: BUCKET }

  builder.objectFields('User', (t) => ({
    series: seriesField(t, {
      type: UserSeriesBucket,
      cost,
      description: `The user's points, rank, positions, worth, earnings and liquidation rewards by date, week or month. ${gaps}`,
      load: ({ address }, span, context) => userBuckets(context, [address], span),
    }),
  }))

  builder.objectFields('Portfolio', (t) => ({
    series: seriesField(t, {
      type: UserSeriesBucket,
      cost: { ...cost, perRow: bucketsOfAddress },
      description: `The users' points, positions, worth, earnings and liquidation rewards added up, by date, week or month. ${gaps}`,
      load: ({ addresses }, span, context) => userBuckets(context, addresses, span),
    }),
  }))

  builder.objectFields('Pool', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The pool's points, positions and USD amounts by date, week or month. ${gaps}`,
      load: ({ id }, span, context) => {
        const values = byStart(() => context.batches.load(poolSeries, id, span))
        return bucketsOf(context, span, ofPools(values, { onePool: true }))
      },
    }),
  }))

  builder.objectFields('Market', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The points and USD amounts of the market, which is one side of its pool, by date, week or month; positions are those of the pool. Empty if the pool is not stored or does not name the market as a side. ${gaps}`,
      load: async ({ chainId, id }, span, context) => {
        const buckets = await context.batches.load(marketSeries, { chainId, id }, span)
        if (!buckets) return []
        const values = byStart(async () => buckets)
        return bucketsOf(context, span, ofPools(values, { onePool: true, ofToken: true }))
      },
    }),
  }))

  builder.objectFields('Asset', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The points and USD amounts of the asset in all pools, by date, week or month; positions are those of these pools. ${gaps}`,
      load: ({ chainId, address }, span, context) => {
        const values = byStart(() => context.batches.load(assetSeries, { chainId, address }, span))
        return bucketsOf(context, span, ofPools(values, { ofToken: true }))
      },
    }),
  }))

  builder.objectFields('Program', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The program's points, positions and USD amounts by date, week or month. ${gaps}`,
      load: (_, span, context) => {
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

  const GroupedSeries = builder.objectRef<GroupSeries & { span: Span }>('GroupedSeries').implement({
    description: 'The series of one pool, chain or token.',
    fields: (t) => ({
      key: t.field({
        type: 'GroupKey',
        description: 'The pool, chain or token of the series.',
        resolve: (group) => group,
      }),
      points: t.exposeFloat('points', { description: 'Points over the whole range.' }),
      buckets: t.field({
        type: [PoolSeriesBucket],
        extensions: { cost: { rows: 'page', each: BUCKET } },
        description: gaps,
        resolve: ({ buckets, span, poolAddress, assetAddress }, _, context) =>
          bucketsOf(
            context,
            span,
            ofPools(
              byStart(async () => buckets),
              { onePool: poolAddress !== null, ofToken: assetAddress !== null },
            ),
          ),
      }),
    }),
  })

  builder.queryFields((t) => ({
    series: t.field({
      type: [GroupedSeries],
      extensions: { cost: { weight: 1500, most: MAX_GROUPS, page: buckets }, unplanned: SERIES_UNPLANNED },
      description:
        "The program's series by pool, chain or token, those with the most points over the range first. `program { series }` combines all of them.",
      args: {
        groupBy: t.arg({
          type: GROUP_BY,
          required: true,
          description: 'The dimension to group by: POOL, CHAIN or ASSET.',
        }),
        ...spanArguments(t.arg),
        chainId: t.arg({ type: 'SafeInt', description: 'Only series on this chain.' }),
        first: t.arg.int({
          defaultValue: 10,
          required: true,
          description: `Number of series to return, 0 to ${MAX_GROUPS}.`,
        }),
      },
      resolve: async (_, { groupBy, chainId, first, ...args }, context) => {
        const by = SERIES_OF[groupBy]
        if (!by) throw badArgument('groupBy', `must be of ${Object.keys(SERIES_OF).join(', ')}`)
        if (first < 0 || first > MAX_GROUPS) throw badArgument('first', `must be from 0 to ${MAX_GROUPS}`)
        const span = await readSpan(context, args)
        if (!span) return []
        const groups = await groupedSeries(context.reader, by, span, { chainId: chainId ?? null, first })
        return groups.map((group) => ({ ...group, span }))
      },
    }),
  }))
}

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
function userBuckets(context: GraphContext, users: string[], span: Span): Bucket[] {
  const { batches } = context
  const points = byStart(() => batches.load(userPoints, users, span))
  const rewards = byStart(() => batches.load(userRewards, users, span))
  const earnings = byStart(() => batches.load(earningsSeries, users, span))
  const netApr = byStart(() => batches.load(netAprSeries, users, span))
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
    netApr: () => netApr(start),
    rankedPoints: () => rankedPoints(start),
  }))
}

/** The values of pool buckets. In a single pool each user has one position, so positions count users. */
function ofPools(
  values: (start: Date) => Promise<PoolBucket | undefined>,
  { onePool = false, ofToken = false }: { onePool?: boolean; ofToken?: boolean },
) {
  return (start: Date) => ({
    points: async () => (await values(start))?.points ?? 0,
    positionCount: async () => (await values(start))?.positionCount ?? 0,
    levels: () => values(start),
    ofToken,
    ...(onePool && { userCount: async () => (await values(start))?.positionCount ?? 0 }),
  })
}
