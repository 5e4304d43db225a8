import { sqlFields } from 'pothos-sql'
import { markets, poolSides } from '../../../domain/market/market.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { modelRow, related } from '../relation.ts'
import { assetOfEntity } from './asset.ts'
import { addEntityQueries } from './entity.ts'
import { poolAt } from './pool.ts'

export const marketAt = modelRow('Market', markets)

export function addMarket(builder: Builder): void {
  builder.enumType('PoolSide', {
    description: 'A side of a pool.',
    values: {
      A: { value: 'A' as const, description: "The side of the pool's first token." },
      B: { value: 'B' as const, description: "The side of the pool's second token." },
    },
  })
  const Market = builder.prismaObject('Market', {
    description: 'A lending market for one asset: one side of a pool.',
    interfaces: ['Entity'],
    fields: (t) => ({
      ...columnFields(t, markets.columns, { side: 'PoolSide' }),
      asset: t.field({ type: 'Asset', description: "The market's token.", ...assetOfEntity }),
      pool: t.field({
        type: 'Pool',
        nullable: true,
        description: 'The pool that the market is a side of. Null if it is not stored.',
        ...related('Market', 'pool', poolAt),
      }),
    }),
  })
  builder.objectFields('Pool', (t) => ({
    marketA: t.field({
      type: Market,
      nullable: true,
      description: 'The market of side A. Null if it is not stored.',
      ...related('Pool', 'unit1', marketAt),
    }),
    marketB: t.field({
      type: Market,
      nullable: true,
      description: 'The market of side B. Null if it is not stored.',
      ...related('Pool', 'unit2', marketAt),
    }),
    sides: t.field({
      description:
        'Both sides, A first, with the filters and orders of `markets`. One that is not stored ' +
        'is left out.',
      ...sqlFields.list(t.arg, 'Market', {
        listing: () => poolSides,
        owner: sqlFields.ownedBy(poolSides, { id: ['unit1Id', 'unit2Id'], chainId: 'chainId' }),
      }),
    }),
  }))
  addEntityQueries(builder, { kind: 'market', Type: Market, all: markets, at: marketAt })
}
