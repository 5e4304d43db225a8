import { sqlFields } from 'pothos-sql'
import { rowsOfOwners, selectList } from 'pothos-sql/host'
import { rowsOfUsers } from '../../../db/marks.ts'
import { oneOwner, usersAsOwners } from '../../../domain/holding/holding.ts'
import { programDates } from '../../../domain/series/calendar.ts'
import { type Range, spanOf } from '../../../domain/series/interval.ts'
import {
  assetBucketColumns,
  assetSeriesFrom,
  type GroupSeries,
  groupBucketColumns,
  groupBucketsFrom,
  groupColumns,
  groupedSeriesFrom,
  marketBucketColumns,
  marketSeriesFrom,
  poolBucketColumns,
  poolSeriesFrom,
  programBucketColumns,
  programSeriesFrom,
  type SeriesGroup,
} from '../../../domain/series/pool-series.ts'
import {
  tablesOfSeries,
  userBucketColumns,
  userSeriesFrom,
} from '../../../domain/series/user-series.ts'
import { badArgument } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { BUCKET, buckets, bucketsOfAddress } from './charges.ts'
import { ofRecords } from './earnings.ts'
import { GROUP_BY } from './group-key.ts'
import { addSeriesBuckets } from './series-bucket.ts'
import {
  rowsOfSeries,
  type SeriesSql,
  seriesField,
  seriesReading,
  spanArguments,
} from './series-span.ts'

const MAX_GROUPS = 100

// The series of each dimension: one per pool, per chain (its pools combined), or per token and
// chain.
const SERIES_OF: Record<string, SeriesGroup | undefined> = {
  POOL: 'pool',
  CHAIN: 'chain',
  ASSET: 'asset',
}

const groups: SeriesSql = {
  columns: groupColumns,
  by: [],
  types: [],
  order: ['ordinality'],
  assert: ({ groupBy, first }) => {
    if (!SERIES_OF[groupBy])
      throw badArgument('groupBy', `must be of ${Object.keys(SERIES_OF).join(', ')}`)
    if (first < 0 || first > MAX_GROUPS)
      throw badArgument('first', `must be from 0 to ${MAX_GROUPS}`)
  },
  of: ({ span, args: { groupBy, chainId = null, first } }) =>
    groupedSeriesFrom(SERIES_OF[groupBy] as SeriesGroup, span, { chainId, first }),
}

// Records reach resolvers as JSON.
const BUCKETS_AS_JSON = { sql: 'to_json(t.buckets)::text' }

export function addSeries(builder: Builder) {
  const { UserSeriesBucket, PoolSeriesBucket } = addSeriesBuckets(builder)

  const gaps = 'Every bucket of the range is returned, including gaps, oldest first.'
  const inBuckets = `by date, week or month. ${gaps}`

  const cost = { each: BUCKET }

  builder.objectFields('User', (t) => ({
    series: seriesField(t, {
      type: UserSeriesBucket,
      cost,
      description:
        `The user's points, rank, positions, worth, earnings and liquidation ` +
        `rewards ${inBuckets}`,
      columns: userBucketColumns,
      by: ['address'],
      types: ['text'],
      of: ({ span, used }, address) => userSeriesFrom(oneOwner(address), span, used),
    }),
  }))

  builder.objectFields('Portfolio', (t) => ({
    series: seriesField(t, {
      type: UserSeriesBucket,
      cost: { ...cost, perRow: bucketsOfAddress },
      description:
        `The users' points, positions, worth, earnings and liquidation rewards ` +
        `added up, ${inBuckets}`,
      columns: userBucketColumns,
      by: ['addresses'],
      types: [],
      of: ({ span, used }, addresses) =>
        userSeriesFrom(Prisma.sql`unnest(${addresses}) AS owner(address)`, span, used),
      load: (reader, portfolios, args, names) => {
        const used = new Set(names)
        const columns = Object.fromEntries(
          Object.entries(userBucketColumns).filter(([name]) => used.has(name)),
        )
        const all = portfolios.map(([addresses]) => {
          const users = addresses as string[]
          const from = userSeriesFrom(
            usersAsOwners(users),
            spanOf(args as Range, programDates),
            used,
          )
          return reader.$queryRaw<object[]>`${rowsOfUsers(users, tablesOfSeries(used))}
            SELECT ${selectList(columns)} ${from} ORDER BY start`
        })
        return Promise.all(all)
      },
    }),
  }))

  builder.objectFields('Pool', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The pool's points, positions and USD amounts ${inBuckets}`,
      columns: poolBucketColumns,
      by: ['id'],
      types: ['text'],
      of: ({ span }, id) => poolSeriesFrom(id, span),
    }),
  }))

  builder.objectFields('Market', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description:
        'The points and USD amounts of the market, which is one side of its pool, by date, ' +
        'week or month; positions are those of the pool. Empty if the pool is not stored or ' +
        `does not name the market as a side. ${gaps}`,
      columns: marketBucketColumns,
      by: ['chainId', 'id'],
      types: ['bigint', 'text'],
      of: ({ span }, chainId, id) => marketSeriesFrom(chainId, id, span),
    }),
  }))

  builder.objectFields('Asset', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description:
        'The points and USD amounts of the asset in all pools, by date, week or month; ' +
        `positions are those of these pools. ${gaps}`,
      columns: assetBucketColumns,
      by: ['chainId', 'address'],
      types: ['bigint', 'text'],
      of: ({ span }, chainId, address) => assetSeriesFrom(chainId, address, span),
    }),
  }))

  builder.objectFields('Program', (t) => ({
    series: seriesField(t, {
      type: PoolSeriesBucket,
      cost,
      description: `The program's points, positions and USD amounts ${inBuckets}`,
      columns: programBucketColumns,
      by: [],
      types: [],
      of: ({ span }) => programSeriesFrom(span),
    }),
  }))

  const key = { chainId: 'chainId', poolAddress: 'poolAddress', assetAddress: 'assetAddress' }
  const GroupedSeries = builder.objectRef<GroupSeries>('GroupedSeries').implement({
    description: 'The series of one pool, chain or token.',
    fields: (t) => ({
      key: t.field({
        type: 'GroupKey',
        description: 'The pool, chain or token of the series.',
        ...sqlFields.embedded({ ...key, start: null }),
      }),
      points: t.exposeFloat('points', { description: groupColumns.points.description }),
      buckets: t.field({
        type: [PoolSeriesBucket],
        description: gaps,
        ...ofRecords(
          'buckets',
          groupBucketColumns,
          groupBucketsFrom,
          { once: 0, weight: 0, rows: 'page', each: BUCKET },
          ['start'],
        ),
      }),
    }),
  })

  builder.queryFields((t) => ({
    series: t.field({
      type: [GroupedSeries],
      description:
        "The program's series by pool, chain or token, those with the most points over the " +
        'range first. `program { series }` combines all of them.',
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
      ...seriesReading(
        groups,
        { weight: 1500, most: MAX_GROUPS, page: buckets },
        rowsOfOwners({
          ...rowsOfSeries(groups),
          columns: { ...groupColumns, buckets: BUCKETS_AS_JSON },
        }),
      ),
    } as never),
  }))
}
