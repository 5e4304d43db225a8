import type { Columns, Listing } from '../../../db/lists/listing.ts'
import { accountDays } from '../../../domain/account/account.ts'
import { accountDayChoices, userChoices } from '../../../domain/account/choices.ts'
import { earningsOf } from '../../../domain/earnings/earnings.ts'
import { netAprOf } from '../../../domain/earnings/net-apr.ts'
import { type EntityType, latest, oneOwner } from '../../../domain/holding/holding.ts'
import { marketLiquidationRewards, rewardFilter, vaultLiquidationRewards } from '../../../domain/liquidation/reward.ts'
import { pointsOf } from '../../../domain/points/millionths.ts'
import { positionFilter } from '../../../domain/position/filter.ts'
import { isoDate, positionListing } from '../../../domain/position/position.ts'
import { latestFrom, latestSnapshots } from '../../../domain/snapshot/latest.ts'
import {
  groupedMarketSnapshots,
  groupedVaultSnapshots,
  marketSnapshots,
  snapshotFilter,
  vaultSnapshots,
} from '../../../domain/snapshot/snapshot.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { likeQuery } from '../../live/live-query.ts'
import {
  column,
  type KeyedRow,
  keyedRow,
  list,
  nodeId,
  one,
  type RowsReading,
  reading,
  rows,
} from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes, Chosen } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { type EarningsRefs, earningsAt, heldBy, netAprAt } from './earnings.ts'
import type { LeaderboardEntryRef } from './leaderboard.ts'
import type { RewardRefs } from './liquidation-reward.ts'
import { asOfArgument, listArguments } from './page-arguments.ts'
import type { PositionRef, PositionsRef } from './position.ts'
import type { SnapshotRefs } from './snapshot.ts'

export const userRef = (builder: Builder) => builder.objectRef<{ address: string }>('User')
export type UserRef = ReturnType<typeof userRef>

const allUsers: Listing<{ address: string }> = {
  name: 'allUsers',
  from: Prisma.sql`"user" t`,
  columns: {
    address: 't.address',
  },
  order: [{ column: 't.address', field: 'address', type: 'text', direction: 'ASC' }],
}

/** What is stored of a user; `points`, `rank` and so on are 0 or null without a stored position. */
interface UserRow {
  address: string
  points: number
  rank: number | null
  positionCount: number
  firstDistributionDate: Date | null
  lastDistributionDate: Date | null
}

const stored: Columns<UserRow> = {
  address: 'u.address',
  points: pointsOf('coalesce(t.points, 0)'),
  rank: 't.rank',
  positionCount: 'coalesce(t.position_count, 0)',
  firstDistributionDate: 't.first_distribution_date',
  lastDistributionDate: 't.last_distribution_date',
}

const users: Columns = {
  ...stored,
  latestMarkets: 'm.snapshots',
  latestVaults: 'v.snapshots',
}

const owner = oneOwner(Prisma.raw('u.address'))
const LATEST = {
  latestMarkets: Prisma.sql`LEFT JOIN LATERAL (${latest('market', owner)}) m ON true`,
  latestVaults: Prisma.sql`LEFT JOIN LATERAL (${latest('vault', owner)}) v ON true`,
}

/** What is joined to a user for the columns that are read. */
const joinedTo = (used: ReadonlySet<string>): Prisma.Sql =>
  Prisma.sql`LEFT JOIN account t ON t.user_address = u.address
    ${used.has('latestMarkets') ? LATEST.latestMarkets : Prisma.empty}
    ${used.has('latestVaults') ? LATEST.latestVaults : Prisma.empty}`

/** The user at an address, whatever the address. */
export const userAt: KeyedRow<UserRow> = {
  ...keyedRow<UserRow>(
    ['text'],
    {
      columns: users,
      always: true,
      at: ([address], used) => Prisma.sql`FROM (SELECT ${address} AS address) u ${joinedTo(used)}`,
    },
    stored,
  ),
  stub: ([address]) => ({ address: address as string }),
}

/** A bound on the users of one request. */
const MAX_USERS = 1000

/** @throws BAD_INPUT for too many */
function bounded(addresses: string[]): string[] {
  if (addresses.length <= MAX_USERS) return addresses
  throw new GatewayError('BAD_INPUT', `addresses must be at most ${MAX_USERS}: ask for the others in another request.`)
}

const usersAt: RowsReading = {
  columns: users,
  by: [],
  of: ({ addresses }, _, used) =>
    Prisma.sql`FROM unnest(${bounded(addresses)}::text[]) WITH ORDINALITY AS u(address, place) ${joinedTo(used)}
      ORDER BY u.place`,
}

/** A user's newest snapshots of one kind. */
const latestRows = (kind: EntityType, columns: Columns, by: string): RowsReading => ({
  columns,
  by: [by],
  of: ({ chainId = null }, [snapshots]) => latestFrom(kind, snapshots as Prisma.Sql, Prisma.sql`${chainId}::bigint`),
})

/** One user's positions on one date. */
const positionsOfDay: RowsReading = {
  columns: positionListing.columns,
  by: ['userAddress', 'distributionDate'],
  of: (_, [user, date]) => Prisma.sql`FROM ${positionListing.from}
    WHERE t.user_address = ${user} AND t.distribution_date = ${date} ORDER BY t.market_address, t.id`,
}

type Refs = {
  chosen: ChoiceTypes
  PositionChosen: Chosen
  User: UserRef
  Position: PositionRef
  Positions: PositionsRef
  LeaderboardEntry: LeaderboardEntryRef
} & EarningsRefs &
  SnapshotRefs &
  RewardRefs

export function addUser(builder: Builder, refs: Refs) {
  const { User, Position } = refs

  const DailyPoints = builder
    .objectRef<{ userAddress: string; distributionDate: Date; points: number; positionCount: number }>('DailyPoints')
    .implement({
      description: "A user's points on one distribution date.",
      fields: (t) => ({
        distributionDate: t.expose('distributionDate', { type: 'DateTime', description: 'The date, midnight UTC.' }),
        points: t.exposeFloat('points', { description: "The user's points on that date." }),
        positionCount: t.exposeInt('positionCount', { description: "The user's positions on that date." }),
        positions: t.field({
          type: [Position],
          description: "The user's positions on that date, by pool, then id: one a pool.",
          ...rows(positionsOfDay, ['text', 'date'], { cost: { rows: 5 } }),
        }),
        user: t.field({
          type: User,
          description: 'The user.',
          ...one(userAt, ['userAddress']),
        }),
      }),
    })

  const DailyPointsChosen = refs.chosen('DailyPoints', accountDayChoices)
  const UserChosen = refs.chosen('User', userChoices)
  const DailyPointsList = connectionType(builder, 'DailyPoints', DailyPoints)

  const owner = (column: string) => ({ columns: [{ column, type: 'text' as const }], fields: ['address'] })
  const noNul = (name: string, value: string | null | undefined) => {
    if (value?.includes('\0')) throw new GatewayError('BAD_INPUT', `${name} must not hold a NUL character.`)
  }

  builder.node(User, {
    id: { resolve: (user) => user.address, ...nodeId('User', (column) => column('address')) },
    loadManyWithoutCache: (ids) => ids.map((id) => (/^0x[0-9a-f]{40}$/.test(id) ? { address: id } : null)),
    description:
      'A user of the protocol, in both domains. Every address is one: an address that the store does not know has empty lists and zero totals.',
    fields: (t) => {
      const chainId = () => t.arg({ type: 'SafeInt', description: 'Those of one chain.' })
      const window = () => ({
        chainId: chainId(),
        from: t.arg({ type: 'BigInt', description: 'From this moment, Unix seconds, included.' }),
        to: t.arg({ type: 'BigInt', description: 'To this moment, Unix seconds, included.' }),
        grouped: t.arg.boolean({
          defaultValue: false,
          description:
            "Adds a user's positions up: one row for chain + entity + user + timestamp. Unknown USD values are left out of a sum, which is null only when all are.",
        }),
      })
      return {
        address: t.expose('address', { type: 'Address', description: "The user's address." }),
        points: t.float({
          description: 'Points over all distribution dates.',
          ...column(userAt, 'points', ['address']),
        }),
        rank: t.int({
          nullable: true,
          description: 'Place on the leaderboard, from 1; null without a stored position.',
          ...column(userAt, 'rank', ['address']),
        }),
        positionCount: t.int({
          description: 'Stored positions over all distribution dates.',
          ...column(userAt, 'positionCount', ['address']),
        }),
        firstDistributionDate: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'The first date with a position, midnight UTC; null without one.',
          ...column(userAt, 'firstDistributionDate', ['address']),
        }),
        lastDistributionDate: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'The newest date with a position, midnight UTC; null without one.',
          ...column(userAt, 'lastDistributionDate', ['address']),
        }),
        leaderboardEntry: t.field({
          type: refs.LeaderboardEntry,
          nullable: true,
          description: "The user's entry on the leaderboard; null without a stored position.",
          ...reading({
            kind: 'own',
            columns: { rank: 'rank', account: 'address', userAddress: 'address', points: 'points' },
            there: 'rank',
          }),
          resolve: async ({ address }, _, context) => {
            const user = await context.batches.load(userAt.load, [address])
            if (!user || user.rank === null) return null
            return { rank: user.rank, userAddress: address, points: user.points }
          },
        }),
        positions: t.field({
          type: refs.Positions,
          description: "The user's positions, newest distribution date first, then by id.",
          args: {
            ...listArguments(t.arg, refs.PositionChosen),
            pool: t.arg({ type: 'Address', description: 'Those in one pool.' }),
            date: t.arg({ type: 'DateTime', description: 'Those of one distribution date.' }),
            asOf: asOfArgument(t.arg),
          },
          ...list({
            listing: () => positionListing,
            choices: refs.PositionChosen.choices,
            filter: ({ pool, date, asOf }) => positionFilter({ pool, date, asOf }),
            owner: owner('t.user_address'),
          }),
        }),
        dailyPoints: t.field({
          type: DailyPointsList,
          description: "The user's points a distribution date, oldest first.",
          args: {
            ...listArguments(t.arg, DailyPointsChosen),
            since: t.arg({ type: 'DateTime', description: 'Dates from this moment on.' }),
            afterDate: t.arg({ type: 'DateTime', description: 'Dates later than this moment.' }),
            until: t.arg({ type: 'DateTime', description: 'Dates up to this moment, included.' }),
          },
          ...list({
            listing: () => accountDays,
            choices: DailyPointsChosen.choices,
            filter: ({ since, afterDate, until }) => {
              const where: Prisma.Sql[] = []
              const moment = (date: Date) => Prisma.sql`(${date.toISOString()}::timestamptz AT TIME ZONE 'UTC')`
              if (since) where.push(Prisma.sql`t.distribution_date >= ${moment(since)}`)
              if (afterDate) where.push(Prisma.sql`t.distribution_date > ${moment(afterDate)}`)
              if (until) where.push(Prisma.sql`t.distribution_date <= ${isoDate(until)}::date`)
              return { where }
            },
            owner: owner('t.user_address'),
          }),
        }),
        marketSnapshots: t.field({
          type: refs.MarketSnapshots,
          description: "The user's snapshots in markets, oldest first, then by chain, market and position.",
          args: {
            ...listArguments(t.arg, refs.MarketSnapshotChosen),
            ...window(),
            market: t.arg.string({ description: 'Those of one market, by its address in lower case.' }),
          },
          ...list({
            listing: ({ grouped }) => (grouped ? groupedMarketSnapshots : marketSnapshots),
            choices: refs.MarketSnapshotChosen.choices,
            filter: ({ chainId, market, from, to }) => {
              noNul('market', market)
              return snapshotFilter('market', { chainId, entity: market, from, to })
            },
            owner: owner('t.account_id'),
          }),
        }),
        vaultSnapshots: t.field({
          type: refs.VaultSnapshots,
          description: "The user's snapshots in vaults, oldest first, then by chain, vault and position.",
          args: {
            ...listArguments(t.arg, refs.VaultSnapshotChosen),
            ...window(),
            vault: t.arg.string({ description: 'Those of one vault, by its address in lower case.' }),
          },
          ...list({
            listing: ({ grouped }) => (grouped ? groupedVaultSnapshots : vaultSnapshots),
            choices: refs.VaultSnapshotChosen.choices,
            filter: ({ chainId, vault, from, to }) => {
              noNul('vault', vault)
              return snapshotFilter('vault', { chainId, entity: vault, from, to })
            },
            owner: owner('t.account_id'),
          }),
        }),
        latestSnapshots: t.field({
          type: [refs.Snapshot],
          description:
            "What the user has now: in every market and vault, the rows at the user's newest timestamp there.",
          args: { chainId: chainId() },
          ...reading(
            {
              kind: 'types',
              types: {
                MarketSnapshot: latestRows('market', marketSnapshots.columns, 'latestMarkets'),
                VaultSnapshot: latestRows('vault', vaultSnapshots.columns, 'latestVaults'),
              },
            },
            { cost: { weight: 1, rows: 10 } },
          ),
          resolve: (user, args, context) => context.batches.load(latestSnapshots, user.address, args.chainId ?? null),
        }),
        marketLiquidationRewards: t.field({
          type: refs.MarketLiquidationRewards,
          description: "The user's shares of liquidation rewards in markets, newest first.",
          args: {
            ...listArguments(t.arg, refs.MarketRewardChosen),
            chainId: chainId(),
            market: t.arg({ type: 'Address', description: 'Those of one collateral market.' }),
          },
          ...list({
            listing: () => marketLiquidationRewards,
            choices: refs.MarketRewardChosen.choices,
            filter: ({ chainId, market }) => rewardFilter('market', { chainId, entity: market }),
            owner: owner('t.account_id'),
          }),
        }),
        vaultLiquidationRewards: t.field({
          type: refs.VaultLiquidationRewards,
          description: "The user's shares of liquidation rewards in vaults, newest first.",
          args: {
            ...listArguments(t.arg, refs.VaultRewardChosen),
            chainId: chainId(),
            vault: t.arg({ type: 'Address', description: 'Those of one vault.' }),
          },
          ...list({
            listing: () => vaultLiquidationRewards,
            choices: refs.VaultRewardChosen.choices,
            filter: ({ chainId, vault }) => rewardFilter('vault', { chainId, entity: vault }),
            owner: owner('t.account_id'),
          }),
        }),
        earnings: t.field({
          type: refs.Earnings,
          description: "What the user's positions are worth now, minus the money that went in.",
          args: { chainId: chainId() },
          ...reading({ kind: 'one', one: earningsAt, by: heldBy }, { cost: { weight: 10 } }),
          resolve: ({ address }, args, context) => context.batches.load(earningsOf, [address], args.chainId ?? null),
        }),
        netApr: t.field({
          type: refs.NetApr,
          description: "The average rates of the user's deposits and debts.",
          args: { chainId: chainId() },
          ...reading({ kind: 'one', one: netAprAt, by: heldBy }, { cost: { weight: 10 } }),
          resolve: ({ address }, args, context) => context.batches.load(netAprOf, [address], args.chainId ?? null),
        }),
      }
    },
  })

  const Users = connectionType(builder, 'User', User)
  builder.queryFields((t) => ({
    allUsers: t.field({
      type: Users,
      description: 'Every address that a record of either domain names, by address.',
      args: listArguments(t.arg, UserChosen),
      ...list({ listing: () => allUsers, choices: UserChosen.choices, filter: () => ({ where: [] }) }),
    }),
    user: t.field({
      type: User,
      description: 'The user at an address.',
      args: { address: t.arg({ type: 'Address', required: true, description: "The user's address." }) },
      ...one(userAt, ['address']),
    }),
    users: t.field({
      type: [User],
      description: 'The users at many addresses, in their order.',
      args: {
        addresses: t.arg({ type: ['Address'], required: true, description: `Addresses, at most ${MAX_USERS}.` }),
      },
      ...reading({ kind: 'rows', rows: usersAt }),
      resolve: (_, { addresses }) => bounded(addresses).map((address) => ({ address })),
    }),
  }))
  builder.subscriptionFields((t) => ({
    user: t.field({
      type: User,
      description:
        'The user at an address, as the query of the same name answers: at once, and again after a change of the stored data, but only when what is selected is another than what was told last.',
      args: { address: t.arg({ type: 'Address', required: true, description: "The user's address." }) },
      ...likeQuery,
    }),
  }))
}
