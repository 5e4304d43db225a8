import {
  defineLookup,
  type Listing,
  listTypes,
  type PagedList,
  type PlainList,
  sqlFields,
} from 'pothos-sql'
import { type AccountDay, accountDays } from '../../../domain/account/account.ts'
import { users, usersBy } from '../../../domain/account/user.ts'
import { activities, activityFilter } from '../../../domain/activity/activity.ts'
import { earningsOf } from '../../../domain/earnings/earnings.ts'
import { netAprOf } from '../../../domain/earnings/net-apr.ts'
import { momentSql } from '../../../domain/holding/holding.ts'
import { byKind, type EntityType } from '../../../domain/holding/place.ts'
import { worthOf } from '../../../domain/holding/worth.ts'
import { liquidationRewards, rewardsWhere } from '../../../domain/liquidation/reward.ts'
import { asOfFilter, onNewestDate } from '../../../domain/position/filter.ts'
import {
  currentHealthSql,
  healthColumns,
  healthSeriesSql,
} from '../../../domain/position/health-series.ts'
import { positionListing } from '../../../domain/position/position.ts'
import { latestFrom, latestSnapshots } from '../../../domain/snapshot/latest.ts'
import {
  betweenSeconds,
  groupedMarketSnapshots,
  groupedVaultSnapshots,
  marketSnapshots,
  type SnapshotRow,
  snapshots,
  snapshotsWhere,
  vaultSnapshots,
} from '../../../domain/snapshot/snapshot.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { asOfArgument } from '../as-of.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { liveField } from '../live-field.ts'
import { ownerOf, related } from '../relation.ts'
import { POSITIONS } from './charges.ts'
import { assertPeriod, earningsReading, netAprReading, sinceArgument } from './earnings.ts'
import { addNode } from './node.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'
import { worthReading } from './worth.ts'

// Reads a user's newest snapshots of one kind, now or as of the argument `at`.
const latestRows = (kind: EntityType): PlainList => ({
  columns: snapshots.columns,
  by: ['address'],
  from: ({ args: { chainId = null, at } }, address) =>
    latestFrom(kind, address, Prisma.sql`${chainId}::bigint`, momentSql(at)),
})

const lowestHealthOf = defineLookup({
  columns: { healthFactor: healthColumns.healthFactor },
  types: ['text'],
  at: currentHealthSql,
})

const positionsOfDay: PlainList = {
  columns: positionListing.columns,
  by: ['userAddress', 'distributionDate'],
  types: ['text', 'date'],
  from: (_, user, date) => Prisma.sql`FROM ${positionListing.from}
    WHERE t.user_address = ${user} AND t.distribution_date = ${date}`,
  order: ['poolAddress', 'id'],
}

// The list of a user's snapshots of one kind, or the sums of their positions.
const snapshotsOf = (plain: Listing<SnapshotRow>, grouped: Listing<SnapshotRow>): PagedList => ({
  listing: (args) => (args.grouped ? grouped : plain),
  filter: ({ from, to }) => betweenSeconds(from, to),
  owner: sqlFields.ownedBy(plain, { userAddress: 'address' }),
})

export function addUser(builder: Builder) {
  const User = builder.prismaObject('User', {
    description: 'Any address. Without stored data it has empty lists and zero totals.',
  })

  const DailyPoints = builder.objectRef<AccountDay>('DailyPoints').implement({
    description: "A user's points on one distribution date.",
    fields: (t) => ({
      ...columnFields(t, accountDays.columns),
      positions: t.field({
        description: "The user's positions on that date, one per pool, by pool, then id.",
        ...sqlFields.list(t.arg, 'Position', {
          ...positionsOfDay,
          extensions: { cost: { rows: 5 } },
        }),
      }),
      user: t.field({ ...userField, ...related('AccountDay', 'user', userAt) }),
    }),
  })

  recordNode(builder, DailyPoints, accountDays, ['distributionDate', 'userAddress'])
  listTypes(builder, DailyPoints, accountDays)

  columnsType(builder, 'HealthOnDate', healthColumns, {
    description: "The health of a user's positions on a distribution date.",
  })
  addNode(builder, User, 'address', (id) => (/^0x[0-9a-f]{40}$/.test(id) ? { address: id } : null))
  const LegacyUser = builder.objectRef<{ address: string }>('LegacyUser').implement({
    description: 'For the REST API: snapshots as it lists them.',
    fields: (t) => {
      const seconds = (description: string) => t.arg({ type: 'BigInt', description })
      const args = () => ({
        from: seconds('Only snapshots at or after this time, in Unix seconds of any size.'),
        to: seconds('Only snapshots at or before this time, in Unix seconds of any size.'),
        grouped: t.arg.boolean({
          defaultValue: false,
          description:
            "True to sum the user's positions: one row per chain, entity and timestamp. " +
            'Unknown USD values are left out of a sum, which is null only if all of them are ' +
            'unknown.',
        }),
      })
      return {
        marketSnapshots: t.field({
          description: 'The snapshots in markets, by time, chain, market and position.',
          ...sqlFields.list(t.arg, 'Snapshot', {
            ...snapshotsOf(marketSnapshots, groupedMarketSnapshots),
            args: args(),
          }),
        }),
        vaultSnapshots: t.field({
          description: 'The snapshots in vaults, by time, chain, vault and position.',
          ...sqlFields.list(t.arg, 'Snapshot', {
            ...snapshotsOf(vaultSnapshots, groupedVaultSnapshots),
            args: args(),
          }),
        }),
      }
    },
  })
  builder.prismaObjectFields(User, (t) => {
    const chainId = () => t.arg({ type: 'SafeInt', description: 'Only data on this chain.' })
    const at = () =>
      t.arg({
        type: 'DateTime',
        description: 'Only snapshots and cash flows at or before this time. Default: all.',
      })
    return {
      address: t.expose('address', { type: 'Address', description: "The user's address." }),
      legacy: t.field({
        type: LegacyUser,
        description: 'For the REST API: data that only it has.',
        ...sqlFields.embedded({ address: 'address' }, { cost: { weight: 0 } }),
      }),
      recordCount: t.int({
        description: 'Number of stored positions over all distribution dates.',
        ...sqlFields.column(userAt, 'positionCount', ['address']),
      }),
      firstDate: t.field({
        type: 'Date',
        nullable: true,
        description: 'The first distribution date with a position. Null without one.',
        ...sqlFields.column(userAt, 'firstDistributionDate', ['address']),
      }),
      lastDate: t.field({
        type: 'Date',
        nullable: true,
        description: 'The newest distribution date with a position. Null without one.',
        ...sqlFields.column(userAt, 'lastDistributionDate', ['address']),
      }),
      positions: t.field({
        description: "The user's positions, newest distribution date first, then by id.",
        ...sqlFields.list(t.arg, 'Position', {
          args: { asOf: asOfArgument(t.arg) },
          listing: () => positionListing,
          filter: ({ asOf }) => asOfFilter(asOf),
          owner: ownerOf('User', 'positions', positionListing),
          extensions: { cost: POSITIONS },
        }),
      }),
      currentPositions: t.field({
        description: "The user's positions on the newest date, one per pool, by id.",
        ...sqlFields.list(t.arg, 'Position', {
          listing: () => positionListing,
          filter: () => onNewestDate,
          owner: ownerOf('User', 'positions', positionListing),
          extensions: { cost: POSITIONS },
        }),
      }),
      lowestHealthFactor: t.float({
        nullable: true,
        description:
          "The lowest `healthFactor` of the user's positions on the newest distribution date. " +
          'Below 1 one can be liquidated. Positions whose health factor is not known do not ' +
          'count. Null if none is known, as without debt.',
        ...sqlFields.lookupColumn(lowestHealthOf, 'healthFactor', ['address'], {
          cost: { weight: 10 },
        }),
      }),
      healthSeries: t.field({
        description:
          "The health of the user's positions through time: the distribution dates on which " +
          'there are some, oldest first.',
        ...sqlFields.list(t.arg, 'HealthOnDate', {
          args: {
            pool: t.arg({
              type: 'Address',
              description: 'Only the position in this pool. Without it, the worst of all counts.',
            }),
            from: t.arg({ type: 'Date', required: true, description: 'The first date.' }),
            to: t.arg({
              type: 'Date',
              required: true,
              description: 'The last date, less than 1,000 days after the first.',
            }),
          },
          columns: healthColumns,
          by: ['address'],
          types: ['text'],
          from: ({ args: { pool, from, to } }, user) => healthSeriesSql({ pool, from, to }, user),
          extensions: { cost: { once: 300, weight: 2, rows: 100 } },
        }),
      }),
      dailyPoints: t.field({
        description: "The user's points per distribution date, oldest first.",
        ...sqlFields.list(t.arg, 'DailyPoints', {
          listing: () => accountDays,
          owner: ownerOf('User', 'dailyPoints', accountDays),
        }),
      }),
      snapshots: t.field({
        description: 'The snapshots in markets and vaults, by time, chain, entity, position.',
        ...sqlFields.list(t.arg, 'Snapshot', {
          listing: ({ where }) => snapshotsWhere(where),
          filter: ({ where }) => byKind(where),
          owner: sqlFields.ownedBy(snapshots, { userAddress: 'address' }),
        }),
      }),
      latestSnapshots: t.field({
        type: ['Snapshot'],
        description:
          "The user's current holdings: in each market and vault, the snapshots at the user's " +
          'newest timestamp there. With `at`, the newest at or before that time.',
        args: { chainId: chainId(), at: at() },
        ...sqlFields.declare(
          {
            kind: 'concatenated',
            lists: (['market', 'vault'] as const).map(latestRows),
          },
          { cost: { weight: 1, rows: 10 } },
        ),
        resolve: ({ address }, { chainId = null, at = null }, context) =>
          context.batches.load(latestSnapshots, address, chainId, at),
      }),
      liquidationRewards: t.field({
        description: "The user's shares of liquidation rewards, newest first.",
        ...sqlFields.list(t.arg, 'LiquidationReward', {
          listing: ({ where }) => rewardsWhere(where),
          filter: ({ where }) => byKind(where),
          owner: sqlFields.ownedBy(liquidationRewards, { userAddress: 'address' }),
        }),
      }),
      activity: t.field({
        description: "The user's cash flows, liquidations and liquidation rewards, newest first.",
        ...sqlFields.list(t.arg, 'Activity', {
          listing: () => activities,
          filter: () => activityFilter(),
          owner: sqlFields.ownedBy(activities, { userAddress: 'address' }),
        }),
      }),
      worth: t.field({
        type: 'Worth',
        nullable: true,
        description:
          'The worth of the user: the sum of the newest snapshots in each market and vault. ' +
          'With `at`, of the newest at or before that time. Null if no such snapshot is ' +
          'stored.',
        args: { chainId: chainId(), at: at() },
        ...worthReading,
        resolve: ({ address }, { chainId = null, at = null }, context) =>
          context.batches.load(worthOf, [address], chainId, at),
      }),
      earnings: t.field({
        type: 'Earnings',
        description:
          "The user's earnings: the current value of the positions minus the net cash " +
          'invested. With `at`, as they were at that time; with `since`, what they changed by ' +
          'since then.',
        args: { chainId: chainId(), at: at(), since: sinceArgument(t.arg) },
        ...earningsReading,
        resolve: ({ address }, { chainId = null, at = null, since = null }, context) => {
          assertPeriod({ since, at })
          return context.batches.load(earningsOf, [address], chainId, at, since)
        },
      }),
      netApr: t.field({
        type: 'NetApr',
        description:
          "The average APR of the user's deposits and debts. With `at`, of those at that " +
          'time, at the rates in force then; before the first rates that were recorded of a ' +
          'market or vault, at those.',
        args: { chainId: chainId(), at: at() },
        ...netAprReading,
        resolve: ({ address }, { chainId = null, at = null }, context) =>
          context.batches.load(netAprOf, [address], chainId, at),
      }),
    }
  })

  listTypes(builder, User, users)
  builder.queryFields((t) => ({
    users: t.field({
      description:
        'All addresses that occur in a record of either domain, by address. Worth and debt are ' +
        'those of the newest snapshots on all chains; a user without both matches no range of ' +
        'them.',
      ...sqlFields.list(t.arg, 'User', {
        listing: ({ orderBy }) => usersBy([orderBy ?? []].flat()),
        more: { lookup: userAt, by: ['address'] },
      }),
    }),
    user: t.field({
      type: User,
      description: 'The user at an address.',
      args: {
        address: t.arg({ type: 'Address', required: true, description: "The user's address." }),
      },
      ...sqlFields.lookup(userAt, ['address']),
    }),
  }))
  builder.subscriptionFields((t) => ({
    user: t.field({
      type: User,
      args: {
        address: t.arg({ type: 'Address', required: true, description: "The user's address." }),
      },
      ...liveField('The user at an address'),
    }),
  }))
}
