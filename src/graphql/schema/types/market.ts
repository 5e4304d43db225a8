import type { Listing } from '../../../db/lists/listing.ts'
import { marketChoices } from '../../../domain/market/choices.ts'
import { assertSortable } from '../../../domain/snapshot/choices.ts'
import { marketSnapshots, snapshotFilter } from '../../../domain/snapshot/snapshot.ts'
import { type Market as MarketRow, Prisma } from '../../../generated/prisma/client.ts'
import { keyOf, list, nodeId, one } from '../../plan/reading.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { OWNED_COUNT } from './charges.ts'
import { connectionType } from './connection-type.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'
import { listArguments } from './page-arguments.ts'
import { type PoolRef, poolAt } from './pool.ts'
import type { SnapshotRefs } from './snapshot.ts'

const markets: Listing<MarketRow> = {
  name: 'markets',
  from: Prisma.sql`market t`,
  columns: {
    chainId: 't.chain_id',
    id: 't.id',
    poolId: 't.pool_id',
    assetAddress: 't.asset_address',
    assetSymbol: 't.asset_symbol',
    assetDecimals: 't.asset_decimals',
    depositRate: 't.deposit_rate',
    borrowRate: 't.borrow_rate',
  },
  order: [
    { column: 't.chain_id', field: 'chainId', type: 'bigint', direction: 'ASC' },
    { column: 't.id', field: 'id', type: 'text', direction: 'ASC' },
  ],
}

/** Loads the market at an address on a chain. */
export const marketAt = keyOf(markets, { 't.chain_id': 'bigint', 't.id': 'text' })

type Refs = { chosen: ChoiceTypes; Pool: PoolRef } & SnapshotRefs

export function addMarket(builder: Builder, { chosen, Pool, MarketSnapshots, MarketSnapshotChosen }: Refs) {
  const MarketChosen = chosen('Market', marketChoices)
  const Market = builder.prismaNode('Market', {
    id: { resolve: chainAddressId, ...nodeId('Market', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A lending market for one asset: one side of a pool.',
    fields: (t) => ({
      chainId: t.expose('chainId', { type: 'SafeInt', description: 'The id of the chain that the market is on.' }),
      address: t.expose('id', { type: 'Address', description: "The market's address." }),
      assetAddress: t.expose('assetAddress', { type: 'Address', description: "The address of the market's token." }),
      assetSymbol: t.exposeString('assetSymbol', { description: "The symbol of the market's token." }),
      assetDecimals: t.exposeInt('assetDecimals', { description: "The number of decimals of the market's token." }),
      depositRate: t.exposeFloat('depositRate', {
        description: 'The deposit APR as a fraction: 0.05 is 5 %.',
      }),
      borrowRate: t.exposeFloat('borrowRate', { description: 'The borrow APR as a fraction: 0.05 is 5 %.' }),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool that the market is a side of. Null if it is not stored.',
        ...one(poolAt, ['poolId']),
      }),
      snapshots: t.field({
        type: MarketSnapshots,
        description: 'Snapshots of all users in the market, oldest first, then by user and position.',
        args: {
          ...listArguments(t.arg, MarketSnapshotChosen),
          from: t.arg({ type: 'BigInt', description: 'Only snapshots at or after this time, in Unix seconds.' }),
          to: t.arg({ type: 'BigInt', description: 'Only snapshots at or before this time, in Unix seconds.' }),
        },
        ...list(
          {
            listing: () => marketSnapshots,
            choices: MarketSnapshotChosen.choices,
            assertSortable,
            filter: ({ from, to }) => snapshotFilter('market', { from, to }),
            owner: {
              columns: [
                { column: 't.market_id', type: 'text' },
                { column: 't.chain_id', type: 'bigint' },
              ],
              fields: ['id', 'chainId'],
            },
          },
          { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
        ),
      }),
    }),
  })

  const Markets = connectionType(builder, 'Market', Market)
  builder.queryFields((t) => ({
    market: t.field({
      type: Market,
      nullable: true,
      description: 'The market at an address on a chain. Null if it is not stored.',
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: "The market's address." }),
      },
      ...one(marketAt, ['chainId', 'address']),
    }),
    markets: t.field({
      type: Markets,
      description: 'All markets, by chain, then address.',
      args: {
        ...listArguments(t.arg, MarketChosen),
        chainId: t.arg({ type: 'SafeInt', description: 'Only markets on this chain.' }),
        address: t.arg({ type: 'Address', description: 'Only markets at this address, on any chain.' }),
      },
      ...list({
        listing: () => markets,
        choices: MarketChosen.choices,
        filter: ({ chainId, address }) => {
          const where: Prisma.Sql[] = []
          if (typeof chainId === 'number') where.push(Prisma.sql`t.chain_id = ${chainId}::bigint`)
          if (address) where.push(Prisma.sql`t.id = ${address}`)
          return { where }
        },
      }),
    }),
  }))
  return Market
}

export type MarketRef = ReturnType<typeof addMarket>
