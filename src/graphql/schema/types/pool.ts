import type { Listing } from '../../../db/lists/listing.ts'
import { topAccountsSql } from '../../../domain/account/account.ts'
import { pointsOf } from '../../../domain/points/millionths.ts'
import { poolChoices } from '../../../domain/pool/choices.ts'
import { assertSortable } from '../../../domain/position/choices.ts'
import { positionFilter } from '../../../domain/position/filter.ts'
import { isoDate, positionListing } from '../../../domain/position/position.ts'
import { GatewayError } from '../../../errors.ts'
import { type Pool as PoolRow, Prisma } from '../../../generated/prisma/client.ts'
import { column, keyOf, list, nodeId, one, part, type RowsReading, rows } from '../../plan/reading.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes, Chosen } from '../list-inputs.ts'
import { OWNED_COUNT } from './charges.ts'
import { connectionType } from './connection-type.ts'
import { asOfArgument, listArguments } from './page-arguments.ts'
import type { PositionsRef } from './position.ts'
import { type UserRef, userAt } from './user.ts'

const pools: Listing<PoolRow & { displayName: string }> = {
  name: 'pools',
  from: Prisma.sql`pool t`,
  columns: {
    id: 't.id',
    chainId: 't.chain_id',
    marketId: 't.market_id',
    name: 't.name',
    displayName: "concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.market_id)",
    asset1Address: 't.asset_1_address',
    asset1Name: 't.asset_1_name',
    asset1Symbol: 't.asset_1_symbol',
    asset2Address: 't.asset_2_address',
    asset2Name: 't.asset_2_name',
    asset2Symbol: 't.asset_2_symbol',
    createdTimestamp: 't.created_timestamp',
    interestLastUpdated: 't.interest_last_updated',
    unit1Id: 't.unit_1_id',
    unit2Id: 't.unit_2_id',
  },
  order: [
    { column: 't.market_id', field: 'marketId', type: 'bigint', direction: 'ASC' },
    { column: 't.id', field: 'id', type: 'text', direction: 'ASC' },
  ],
}

/** Loads the pool at an address. */
export const poolAt = keyOf(pools, { 't.id': 'text' })

/** @throws BAD_INPUT */
function assertTop(first: number): void {
  if (first < 0 || first > 100) throw new GatewayError('BAD_INPUT', 'first must be from 0 to 100.')
}

const topAccountsOfPool: RowsReading = {
  columns: { userAddress: 't.user_address', distributionDate: 't.distribution_date', points: pointsOf('t.points') },
  by: ['id'],
  of: ({ first, date }, [pool]) => {
    assertTop(first)
    return Prisma.sql`FROM (${topAccountsSql(pool ?? Prisma.empty, first, date ? isoDate(date) : null)}) t`
  },
}

type Refs = { chosen: ChoiceTypes; PositionChosen: Chosen; Positions: PositionsRef; User: UserRef }

export function addPool(builder: Builder, { chosen, PositionChosen, Positions, User }: Refs) {
  const PoolChosen = chosen('Pool', poolChoices)
  const Asset = builder.objectRef<{ address: string; name: string; symbol: string }>('Asset').implement({
    description: 'A token.',
    fields: (t) => ({
      address: t.expose('address', { type: 'Address', description: "The token's address." }),
      name: t.exposeString('name', { description: "The token's name." }),
      symbol: t.exposeString('symbol', { description: "The token's symbol." }),
    }),
  })

  const PoolAccount = builder
    .objectRef<{ userAddress: string; distributionDate: Date; points: number }>('PoolAccount')
    .implement({
      description: 'An account in one pool on one distribution date.',
      fields: (t) => ({
        user: t.field({
          type: User,
          description: 'The account.',
          ...one(userAt, ['userAddress']),
        }),
        distributionDate: t.expose('distributionDate', { type: 'DateTime', description: 'The date, midnight UTC.' }),
        points: t.exposeFloat('points', { description: "The account's points from this pool on that date." }),
      }),
    })

  const Pool = builder.prismaNode('Pool', {
    id: { field: 'id', ...nodeId('Pool', (column) => column('id')) },
    nullable: true,
    description: 'A pair of assets, A and B. Each side is a separate lending market.',
    fields: (t) => ({
      address: t.expose('id', { type: 'Address', description: "The pool's address: its id in the REST APIs." }),
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The id of the chain that the pool is on.' }),
      marketId: t.expose('marketId', { type: 'SafeInt', description: "The pool's number in the protocol." }),
      name: t.exposeString('name', { description: "The pool's name, such as S/USDC." }),
      displayName: t.string({
        description:
          "The pool's display name: both symbols and the pool's number, joined by middle dots, such as S·USDC·20.",
        ...column(poolAt, 'displayName', ['id']),
      }),
      assetA: t.field({
        type: Asset,
        description: 'The token of side A.',
        ...part({ address: 'asset1Address', name: 'asset1Name', symbol: 'asset1Symbol' }),
      }),
      assetB: t.field({
        type: Asset,
        description: 'The token of side B.',
        ...part({ address: 'asset2Address', name: 'asset2Name', symbol: 'asset2Symbol' }),
      }),
      createdTimestamp: t.expose('createdTimestamp', {
        type: 'SafeInt',
        description: 'When the pool was created, in Unix seconds.',
      }),
      interestLastUpdated: t.expose('interestLastUpdated', {
        type: 'SafeInt',
        description: "When the pool's interest was last updated, in Unix seconds.",
      }),
      marketAAddress: t.expose('unit1Id', { type: 'Address', description: "The address of side A's market." }),
      marketBAddress: t.expose('unit2Id', { type: 'Address', description: "The address of side B's market." }),
      positions: t.field({
        type: Positions,
        description: "The pool's positions, newest distribution date first, then by id.",
        args: {
          ...listArguments(t.arg, PositionChosen),
          date: t.arg({ type: 'DateTime', description: 'Only positions on this distribution date.' }),
          asOf: asOfArgument(t.arg),
        },
        ...list(
          {
            listing: () => positionListing,
            choices: PositionChosen.choices,
            assertSortable: ({ where, date, asOf }) =>
              assertSortable(where, { pools: 1, ...((date || asOf) && { dates: 1 }) }),
            filter: ({ date, asOf }) => positionFilter({ date, asOf }),
            owner: { columns: [{ column: 't.market_address', type: 'text' }], fields: ['id'] },
          },
          { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
        ),
      }),
      topAccounts: t.field({
        type: [PoolAccount],
        description: 'The accounts with the most points from this pool on one distribution date, most points first.',
        args: {
          first: t.arg.int({
            defaultValue: 10,
            required: true,
            description: 'Number of accounts to return, 0 to 100.',
          }),
          date: t.arg({
            type: 'DateTime',
            description: "The distribution date. Defaults to the pool's newest date.",
          }),
        },
        // Reads all positions of the date.
        ...rows(topAccountsOfPool, ['text'], { cost: { weight: 100 } }),
      }),
    }),
  })

  const Pools = connectionType(builder, 'Pool', Pool)
  builder.queryFields((t) => ({
    pool: t.field({
      type: Pool,
      nullable: true,
      description: 'The pool at an address. Null if it is not stored.',
      args: { address: t.arg({ type: 'Address', required: true, description: "The pool's address." }) },
      ...one(poolAt, ['address']),
    }),
    pools: t.field({
      type: Pools,
      description: 'All pools, by number, then address.',
      args: {
        ...listArguments(t.arg, PoolChosen),
        chainId: t.arg({ type: 'SafeInt', description: 'Only pools on this chain.' }),
        asset: t.arg({ type: 'Address', description: 'Only pools with this token on either side.' }),
      },
      ...list({
        listing: () => pools,
        choices: PoolChosen.choices,
        filter: ({ chainId, asset }) => {
          const where: Prisma.Sql[] = []
          if (typeof chainId === 'number') where.push(Prisma.sql`t.chain_id = ${chainId}::bigint`)
          if (asset) where.push(Prisma.sql`${asset} IN (t.asset_1_address, t.asset_2_address)`)
          return { where }
        },
      }),
    }),
  }))
  return Pool
}

export type PoolRef = ReturnType<typeof addPool>
