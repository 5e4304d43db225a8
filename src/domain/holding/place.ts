import { type Filter, sqlColumns, type Where } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'

export type EntityType = 'market' | 'vault'

const KINDS = ['market', 'vault'] as const

const idOfKind = (kind: EntityType) => `CASE WHEN t.entity_type = '${kind}' THEN t.entity_id END`

/** The market or vault of a row. The id of the other kind is null. */
export const placeColumns = sqlColumns({
  chainId: { sql: 't.chain_id', type: 'integer', description: 'The chain id.', sort: true },
  entityType: {
    sql: 't.entity_type',
    type: 'text',
    description: 'The kind of the entity: a market or a vault.',
  },
  entityId: {
    sql: 't.entity_id',
    type: 'address',
    field: 'entityAddress',
    description: 'The address of the market or vault.',
    sort: 'ENTITY',
  },
  marketId: { sql: idOfKind('market'), type: 'address', nullable: true },
  vaultId: { sql: idOfKind('vault'), type: 'address', nullable: true },
})

type Filtered = Where | null | undefined

// The only kind that a filter allows.
const onlyKind = (where: Filtered): EntityType | undefined => {
  const [kind, ...others] = (where?.entityTypes ?? []) as EntityType[]
  return others.length === 0 ? kind : undefined
}

/**
 * Makes a list over the tables of both kinds.
 * @returns chooses it for a filter, or the list over one table alone if the filter allows no other
 * kind
 */
export function listByKind<List>(
  listOf: (kinds: readonly EntityType[]) => List,
): (where?: Filtered) => List {
  const both = listOf(KINDS)
  const one = { market: listOf(['market']), vault: listOf(['vault']) }
  return (where) => {
    const kind = onlyKind(where)
    return kind === undefined ? both : one[kind]
  }
}

/**
 * One alternative for each table, so that each is read in the order of its index, and no further
 * than the page.
 */
export const byKind = (where: Filtered): Filter => ({
  where: [],
  ...(onlyKind(where) === undefined && {
    branches: KINDS.map((kind) => Prisma.raw(`t.entity_type = '${kind}'`)),
  }),
})
