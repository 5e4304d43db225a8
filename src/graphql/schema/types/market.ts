import { markets } from '../../../domain/market/market.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { modelRow, related } from '../relation.ts'
import { assetOfEntity } from './asset.ts'
import { addEntityQueries } from './entity.ts'
import { poolAt } from './pool.ts'

export const marketAt = modelRow('Market', markets)

export function addMarket(builder: Builder): void {
  const Market = builder.prismaObject('Market', {
    description: 'A lending market for one asset: one side of a pool.',
    interfaces: ['Entity'],
    fields: (t) => ({
      ...columnFields(t, markets.columns),
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
  }))
  addEntityQueries(builder, { kind: 'market', Type: Market, all: markets, at: marketAt })
}
