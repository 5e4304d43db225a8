import type { ObjectRef } from '@pothos/core'
import { type Listing, type Lookup, listTypes, sqlFields } from 'pothos-sql'
import type { EntityType as Kind } from '../../../domain/holding/place.ts'
import type { Market, Vault } from '../../../generated/prisma/client.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { assetOfEntity } from './asset.ts'
import { chainAddressId, chainAddressSql, readChainAddressId } from './node-id.ts'

// The columns that markets and vaults share.
const shared = {
  chainId: { type: 'integer', description: 'The id of its chain.' },
  address: { type: 'address', description: 'Its address.' },
  name: { type: 'text', description: 'Its name.' },
  depositApr: { type: 'float', description: 'The deposit APR as a fraction: 0.05 is 5 %.' },
} as const

export function addEntity(builder: Builder): void {
  builder.enumType('EntityType', {
    description: 'The kind of an entity.',
    values: {
      MARKET: { value: 'market' as const, description: 'A market: one side of a pool.' },
      VAULT: { value: 'vault' as const, description: 'A vault that lends across markets.' },
    },
  })
  builder.interfaceRef<Market | Vault>('Entity').implement({
    interfaces: [builder.nodeInterfaceRef()],
    description: 'A market or a vault, into which users deposit one token.',
    fields: (t) => ({
      ...columnFields(t, shared),
      asset: t.field({ type: 'Asset', description: 'Its token.', ...assetOfEntity }),
    }),
    resolveType: (row) => ('poolAddress' in row ? 'Market' : 'Vault'),
  })
}

interface Entities<Row> {
  kind: Kind
  Type: ObjectRef<Types, Row>
  all: Listing<Row>
  at: Lookup<Row>
}

/** Makes markets or vaults nodes, and adds the queries for one and for all. */
export function addEntityQueries<Row extends Market | Vault>(
  builder: Builder,
  { kind, Type, all, at }: Entities<Row>,
): void {
  builder.nodeRef(Type, {
    id: { resolve: chainAddressId, ...sqlFields.nodeId(Type.name, chainAddressSql) },
    loadWithoutCache: (text, { batches }) => {
      const { chainId, id } = readChainAddressId(text)
      return batches.load(at.load, [chainId, id])
    },
  })
  listTypes(builder, Type, all)
  const ofPool = kind === 'market' ? ' A pool has another address: its `sides` are markets.' : ''
  builder.queryFields((t) => ({
    [kind]: t.field({
      type: Type,
      nullable: true,
      description: `The ${kind} at an address on a chain. Null if it is not stored.${ofPool}`,
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: `The ${kind}'s address.` }),
      },
      ...sqlFields.lookup(at, ['chainId', 'address']),
    }),
    [`${kind}s`]: t.field({
      description: `All ${kind}s, by chain, then address.`,
      ...sqlFields.list(t.arg, Type.name, { listing: () => all }),
    }),
  }))
}
