import { listTypes, sqlFields } from 'pothos-sql'
import { assetOfPool, poolsOfAssets } from '../../../domain/asset/asset.ts'
import { pools } from '../../../domain/pool/pool.ts'
import { assertSortable } from '../../../domain/position/bounds.ts'
import { asOfFilter, onNewestDate } from '../../../domain/position/filter.ts'
import { positionListing } from '../../../domain/position/position.ts'
import type { FieldCost } from '../../policy/cost.ts'
import { asOfArgument } from '../as-of.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { modelRow, ownerOf } from '../relation.ts'
import { OWNED_COUNT, POSITIONS } from './charges.ts'
import { legacyPool } from './legacy.ts'
import { addNode } from './node.ts'

export const poolAt = modelRow('Pool', pools)

/** The options of a field with the pool of a row. */
export const poolField = {
  type: 'Pool',
  nullable: true,
  description: 'The pool. Null if it is not stored.',
} as const

/** Loads the pool that positions name by its number. */
export const poolOfPositions = modelRow('Pool', pools, ['key'])

export function addPool(builder: Builder): void {
  const Pool = builder.prismaObject('Pool', {
    description: 'A pair of assets, A and B. Each side is a separate lending market.',
    fields: (t) => ({
      ...columnFields(t, pools.columns),
      legacy: t.field(legacyPool),
      displayName: t.string({
        description: "Both symbols and the pool's number, such as S·USDC·20.",
        ...sqlFields.column(poolAt, 'displayName', ['id']),
      }),
      assetA: t.field({
        type: 'Asset',
        description: 'The token of side A.',
        ...sqlFields.embedded(assetColumns(1)),
      }),
      assetB: t.field({
        type: 'Asset',
        description: 'The token of side B.',
        ...sqlFields.embedded(assetColumns(2)),
      }),
      positions: t.field({
        description: "The pool's positions, newest distribution date first, then by id.",
        ...sqlFields.list(t.arg, 'Position', {
          args: { asOf: asOfArgument(t.arg) },
          listing: () => positionListing,
          assertSortable: (args) =>
            assertSortable(args, { pools: 1, ...(args.asOf && { dates: 1 }) }),
          filter: ({ asOf }) => asOfFilter(asOf),
          owner: ownerOf('Pool', 'positions', positionListing),
          extensions: { cost: { ...POSITIONS, count: () => OWNED_COUNT } satisfies FieldCost },
        }),
      }),
      currentPositions: t.field({
        description: "The pool's positions on the newest distribution date, by id.",
        ...sqlFields.list(t.arg, 'Position', {
          listing: () => positionListing,
          filter: () => onNewestDate,
          owner: ownerOf('Pool', 'positions', positionListing),
          extensions: { cost: { ...POSITIONS, count: () => OWNED_COUNT } satisfies FieldCost },
        }),
      }),
    }),
  })

  addNode(builder, Pool, 'id', (id, { batches }) => batches.load(poolAt.load, [id]))

  listTypes(builder, Pool, pools)
  builder.objectFields('Asset', (t) => ({
    pools: t.field({
      description: 'The pools with the asset on either side, by number, then address.',
      ...sqlFields.list(t.arg, 'Pool', {
        listing: () => poolsOfAssets,
        owner: sqlFields.ownedBy(
          { columns: { ...pools.columns, asset: assetOfPool } },
          { chainId: 'chainId', asset: 'address' },
        ),
      }),
    }),
  }))
  builder.queryFields((t) => ({
    pool: t.field({
      type: Pool,
      nullable: true,
      description: 'The pool at an address. Null if it is not stored.',
      args: {
        address: t.arg({ type: 'Address', required: true, description: "The pool's address." }),
      },
      ...sqlFields.lookup(poolAt, ['address']),
    }),
    pools: t.field({
      description: 'All pools, by number, then address.',
      ...sqlFields.list(t.arg, 'Pool', { listing: () => pools }),
    }),
  }))
}

const assetColumns = (side: 1 | 2) => ({
  chainId: 'chainId',
  address: `asset${side}Address`,
  name: `asset${side}TokenName`,
  symbol: `asset${side}Symbol`,
  decimals: `asset${side}Decimals`,
})
