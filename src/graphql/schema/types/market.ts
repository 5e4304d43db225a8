import { computedMarketColumns, marketColumns, markets } from '../../../domain/market/market.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { computedFields } from '../../fields/computed-fields.ts'
import { modelRow, related } from '../../fields/relation.ts'
import { nodeId } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { assetOfEntity } from './asset.ts'
import { addEntityQueries } from './entity.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'
import { poolAt } from './pool.ts'

export const marketAt = modelRow('Market', markets)

export function addMarket(builder: Builder): void {
  const Market = builder.prismaNode('Market', {
    id: { resolve: chainAddressId, ...nodeId('Market', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A lending market for one asset: one side of a pool.',
    interfaces: ['Entity'],
    fields: (t) => ({
      ...columnFields(t, marketColumns),
      ...computedFields(t, marketAt, computedMarketColumns, ['chainId', 'id']),
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
