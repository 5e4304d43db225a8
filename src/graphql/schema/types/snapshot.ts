import type { ArgBuilder } from '@pothos/core'
import { type Listing, listTypes, lookupIn, sqlFields } from 'pothos-sql'
import type { Batch } from '../../../db/connect/reader.ts'
import { assertSortable } from '../../../domain/snapshot/bounds.ts'
import {
  groupedMarketSnapshots,
  groupedVaultSnapshots,
  marketSnapshots,
  type SnapshotRow as Row,
  snapshots,
  vaultSnapshots,
} from '../../../domain/snapshot/snapshot.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { related } from '../relation.ts'
import { OWNED_COUNT } from './charges.ts'
import { entityOf } from './entity-of.ts'
import { legacyAddress, legacyTime } from './legacy.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'

const snapshotsIn = (arg: ArgBuilder<Types>, listing: Listing<Row>) =>
  sqlFields.list(arg, 'Snapshot', {
    listing: () => listing,
    assertSortable,
    owner: sqlFields.ownedBy(listing, { entityId: 'id', chainId: 'chainId' }),
    extensions: { cost: { count: () => OWNED_COUNT } satisfies FieldCost },
  })

const [summedInMarket, summedInVault] = [groupedMarketSnapshots, groupedVaultSnapshots].map(
  (listing) => lookupIn<Row>(listing, 'userAddress', 'chainId', 'entityId', 'timestamp'),
)

// Loads sums of a user's positions in a market or vault by their kind, user, chain, address and
// time.
const summedSnapshots: Batch<readonly string[], Row | null> = async (reader, keys) => {
  const rowsOf = async (kind: string, summed: typeof summedInMarket) => {
    const wanted = keys.filter(([of]) => of === kind)
    const rows =
      wanted.length > 0
        ? await summed?.load(
            reader,
            wanted.map(([, ...key]) => key),
          )
        : []
    return new Map(wanted.map((key, i) => [key, rows?.[i] ?? null]))
  }
  const markets = await rowsOf('market', summedInMarket)
  const vaults = await rowsOf('vault', summedInVault)
  return keys.map((key) => markets.get(key) ?? vaults.get(key) ?? null)
}

export function addSnapshot(builder: Builder): void {
  const Snapshot = builder.objectRef<Row>('Snapshot').implement({
    description: "A user's position in a market or vault at one time: one per day.",
    fields: (t) => ({
      ...columnFields(t, snapshots.columns, { entityType: 'EntityType' }),
      legacy: t.field(legacyTime),
      userAddress: t.expose('userAddress', legacyAddress),
      user: t.field({ ...userField, ...related('MarketSnapshot', 'user', userAt) }),
      entity: t.field(entityOf),
    }),
  })
  const key = [
    'entityType',
    'userAddress',
    'chainId',
    'entityId',
    'timestamp',
    'positionId',
  ] as const
  recordNode(builder, Snapshot, snapshots, [...key], {
    key: key.slice(0, -1),
    load: summedSnapshots,
  })
  listTypes(builder, Snapshot, snapshots, {
    entityTypes: 'EntityType',
  })
  builder.objectFields('Market', (t) => ({
    snapshots: t.field({
      description: 'All snapshots, oldest first, then by user and position.',
      ...snapshotsIn(t.arg, marketSnapshots),
    }),
  }))
  builder.objectFields('Vault', (t) => ({
    snapshots: t.field({
      description: 'All snapshots, oldest first, then by user and position.',
      ...snapshotsIn(t.arg, vaultSnapshots),
    }),
  }))
}
