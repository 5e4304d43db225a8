import { columnsOf } from '../../db/lists/column.ts'

export type EntityType = 'market' | 'vault'

const idOfKind = (kind: EntityType) => `CASE WHEN t.entity_type = '${kind}' THEN t.entity_id END`

/** The market or vault of a row. The id of the other kind is null. */
export const placeColumns = columnsOf(
  {},
  {
    chainId: { sql: 't.chain_id', type: 'integer', description: 'The chain id.', sort: true },
    entityType: { sql: 't.entity_type', type: 'text', description: 'The kind of the entity: a market or a vault.' },
    entityId: {
      sql: 't.entity_id',
      type: 'address',
      field: 'entityAddress',
      description: 'The address of the market or vault.',
      sort: 'ENTITY',
    },
    marketId: { sql: idOfKind('market'), type: 'address', nullable: true },
    vaultId: { sql: idOfKind('vault'), type: 'address', nullable: true },
  },
)
