import { computedMarketColumns, marketColumns, markets } from '../../../domain/market/market.ts'
import { marketSnapshots } from '../../../domain/snapshot/snapshot.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { computedFields } from '../../fields/computed-fields.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { keyOf, nodeId, one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'
import { type ActivityRefs, activityIn } from './activity.ts'
import { addEntityQueries, snapshotsIn } from './entity.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'
import { type PoolRef, poolAt } from './pool.ts'
import type { SnapshotRefs } from './snapshot.ts'

/** Loads the market at an address on a chain. */
export const marketAt = keyOf(markets, 'chainId', 'id')

type Refs = { listInputs: ListInputTypes; Pool: PoolRef } & ActivityRefs & SnapshotRefs

export function addMarket(
  builder: Builder,
  { listInputs, Pool, Activities, ActivityInputs, MarketSnapshots, MarketSnapshotInputs }: Refs,
) {
  const Market = builder.prismaNode('Market', {
    id: { resolve: chainAddressId, ...nodeId('Market', chainAddressSql) },
    findUnique: (id) => ({ chainId_id: readChainAddressId(id) }),
    nullable: true,
    description: 'A lending market for one asset: one side of a pool.',
    fields: (t) => ({
      ...columnFields(t, marketColumns),
      ...computedFields(t, marketAt, computedMarketColumns, ['chainId', 'id']),
      pool: t.field({
        type: Pool,
        nullable: true,
        description: 'The pool that the market is a side of. Null if it is not stored.',
        ...one(poolAt, ['poolId']),
      }),
      snapshots: t.field({
        type: MarketSnapshots,
        description: 'Snapshots of all users in the market, oldest first, then by user and position.',
        args: listArguments(t.arg, MarketSnapshotInputs),
        ...snapshotsIn('market', marketSnapshots),
      }),
      activity: t.field({
        type: Activities,
        description: 'What all users did or received in the market, newest first.',
        args: listArguments(t.arg, ActivityInputs),
        ...activityIn('market'),
      }),
    }),
  })
  const inputs = listInputs('Market', markets)
  addEntityQueries(builder, { kind: 'market', Type: Market, all: markets, at: marketAt, inputs })
  return Market
}

export type MarketRef = ReturnType<typeof addMarket>
