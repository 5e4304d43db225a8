import type { Reader } from '../../db/connect/reader.ts'
import { type Columns, columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact } from '../../db/lists/exact-sum.ts'
import { many, one } from '../../db/lists/filter.ts'
import { selectList } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'

export type EntityType = 'market' | 'vault'

/** The owners of holdings, as SQL. */
export interface Holder {
  /** A FROM item with rows `owner`, which have an `address`. */
  owners: Prisma.Sql
  /** The arrays that `latest` selects for them, of markets and of vaults. */
  markets: Prisma.Sql
  vaults: Prisma.Sql
  /** SQL of null means all chains. */
  chainId: Prisma.Sql
  /** SQL of the moment up to which records count. Omitted or null, all of them count. */
  asOf?: Prisma.Sql | undefined
}

/** SQL of a moment. Undefined without a moment, so that the statement does not change. */
export const momentSql = (moment: Date | null | undefined) =>
  moment ? Prisma.sql`${moment.toISOString()}::timestamptz` : undefined

/** Condition: a time in Unix seconds is not after a moment, if there is one. */
export const upTo = (column: string, moment: Prisma.Sql | undefined) =>
  moment
    ? Prisma.sql`AND ${Prisma.raw(column)} <= coalesce(floor(extract(epoch FROM ${moment}))::bigint, 9223372036854775807)`
    : Prisma.empty

/** One address as `owners`. */
export const oneOwner = (address: Prisma.Sql) => Prisma.sql`(SELECT ${address} AS address) owner`

/** Condition: a row is on the chain. Always true if the chain is null. */
export const onChain = (column: string, chainId: Prisma.Sql) =>
  Prisma.sql`(${chainId} IS NULL OR ${Prisma.raw(column)} = ${chainId})`

/**
 * Selects the holdings of a holder, one row per entity: the sums of the owners' newest snapshots, including the zeros
 * of closed positions. A missing price counts as 0 and sets `incomplete`. Sums are exact decimals.
 */
export function holdings({ markets, vaults, chainId }: Holder): Prisma.Sql {
  const sum = (column: string) => Prisma.raw(`coalesce(sum(${exact(`s.${column}`)}), 0)`)
  return Prisma.sql`SELECT s.chain_id, 'market' AS entity_type, s.market_id AS entity_id, ${sum('collateral_usd')} AS deposit_usd,
      ${sum('protected_usd')} AS protected_usd, ${sum('debt_usd')} AS debt_usd,
      bool_or(s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete
    FROM unnest(${markets}) s WHERE ${onChain('s.chain_id', chainId)} GROUP BY s.chain_id, s.market_id
    UNION ALL
    SELECT s.chain_id, 'vault', s.vault_id, ${sum('assets_usd')}, 0, 0, bool_or(s.assets_usd IS NULL)
    FROM unnest(${vaults}) s WHERE ${onChain('s.chain_id', chainId)} GROUP BY s.chain_id, s.vault_id`
}

/**
 * Selects the newest snapshots of owners: in every market or vault, the rows at an owner's newest timestamp. Returns
 * one row whose column `snapshots` is an array, or null if there are none. It skips along the key's index from one
 * entity to the next, so that a long history costs nothing. OFFSET 0 stops the planner, which cannot know how few rows
 * match, from scanning the whole table.
 * @param asOf SQL of the moment up to which snapshots count. Each entity's newest one by then is looked up in the same index
 */
export function latest(kind: EntityType, owners: Prisma.Sql, asOf?: Prisma.Sql): Prisma.Sql {
  const table = Prisma.raw(`${kind}_snapshot`)
  const entity = Prisma.raw(`s.${kind}_id`)
  const order = Prisma.sql`ORDER BY s.chain_id DESC, ${entity} DESC, s.timestamp DESC LIMIT 1`
  const newest = asOf
    ? Prisma.sql`(SELECT s.timestamp FROM ${table} s WHERE s.account_id = n.address AND s.chain_id = n.chain_id
        AND ${entity} = n.entity_id ${upTo('s.timestamp', asOf)} ${order})`
    : Prisma.sql`n.timestamp`
  return Prisma.sql`WITH RECURSIVE newest AS (
      SELECT owner.address, first.* FROM ${owners} CROSS JOIN LATERAL (
        SELECT s.chain_id, ${entity} AS entity_id, s.timestamp FROM ${table} s WHERE s.account_id = owner.address ${order}) first
      UNION ALL
      SELECT n.address, next.* FROM newest n CROSS JOIN LATERAL (
        SELECT s.chain_id, ${entity} AS entity_id, s.timestamp FROM ${table} s
        WHERE s.account_id = n.address AND (s.chain_id, ${entity}) < (n.chain_id, n.entity_id) ${order}) next
    )
    SELECT array_agg(found.snapshot) AS snapshots FROM newest n CROSS JOIN LATERAL (
      SELECT s AS snapshot FROM ${table} s WHERE s.account_id = n.address AND s.chain_id = n.chain_id
        AND ${entity} = n.entity_id AND s.timestamp = ${newest} OFFSET 0) found`
}

/** The columns of an entity of a holder. `sortValue` is what it is sorted by. */
export const entityColumns = columnsOf(
  {},
  {
    chainId: { sql: 't.chain_id', type: 'integer', description: 'The chain id.', sort: true },
    entityType: { sql: 't.entity_type', type: 'text', description: 'Whether the entity is a market or a vault.' },
    entityId: {
      sql: 't.entity_id',
      type: 'address',
      field: 'entityAddress',
      description: 'The address of the market or vault.',
      sort: 'ENTITY',
    },
    sortValue: { sql: 't.sort_value', type: 'float' },
    marketId: { sql: "CASE WHEN t.entity_type = 'market' THEN t.entity_id END", type: 'address', nullable: true },
    vaultId: { sql: "CASE WHEN t.entity_type = 'vault' THEN t.entity_id END", type: 'address', nullable: true },
  },
)

/** A market or vault in which a holder has a history. */
export type Entity = RowOf<typeof entityColumns>

/** A USD amount of an entity. */
export const usdColumn = (sql: string, description: string) =>
  ({ sql, type: 'float', description, filter: true, sort: true }) as const

const { chainId, entityId, entityType } = entityColumns
export const entityFilters = {
  chainId: one(chainId, 'Only entities on this chain.'),
  chainIds: many(chainId, 'Only entities on one of these chains.'),
  entity: one(entityId, 'Only the market or vault at this address.'),
  entities: many(entityId, 'Only markets and vaults at one of these addresses.'),
  entityType: one(entityType, 'Only entities of this type.'),
}
export const largestFirst = { sortValue: 'DESC', chainId: 'ASC', entityType: 'ASC', entityId: 'ASC' } as const

/** Used instead of a table by lists whose rows are an array in their parent's row. */
export const recordset = Prisma.sql`recordset`

/** The sort value of an entity: a value rounded to 6 decimals, so that rounding errors never decide the order. */
export const sortValue = (value: string) => Prisma.raw(`floor((${value}) * 1e6 + 0.5)::float8 AS sort_value`)

/** SQL of the total of a displayed value over entities `t`. */
export const total = (value: string) => `coalesce(sum(${exact(value)}), 0)`

/** A FROM item with a row `wallets` for each group of addresses. */
export const groupsOf = (groups: readonly (readonly string[])[]) =>
  Prisma.sql`unnest(${groups.map((addresses) => `{${addresses.join(',')}}`)}::text[])
    WITH ORDINALITY AS wallets(addresses, ordinality)`

/** The addresses of `wallets`, as `owners`. */
export const groupOwners = Prisma.sql`unnest(wallets.addresses::text[]) AS owner(address)`

/**
 * Reads aggregates over the holdings of each group of addresses, in one statement.
 * @param columns aggregates over the entities `t` of `from`. `entities` is returned as JSON
 * @param moment the moment up to which records count; all by default
 */
export function readGroups<Row>(
  reader: Reader,
  groups: readonly (readonly string[])[],
  chainId: number | null,
  columns: Columns,
  from: (holder: Holder) => Prisma.Sql,
  moment?: Date | null,
): Promise<Row[]> {
  const owners = groupOwners
  const [markets, vaults] = [Prisma.raw('m.snapshots'), Prisma.raw('v.snapshots')]
  const asOf = momentSql(moment)
  const holder = { owners, markets, vaults, chainId: Prisma.sql`${chainId}::bigint`, asOf }
  return reader.$queryRaw<Row[]>`
    SELECT e.* FROM ${groupsOf(groups)}
    CROSS JOIN LATERAL (${latest('market', owners, asOf)}) m CROSS JOIN LATERAL (${latest('vault', owners, asOf)}) v
    CROSS JOIN LATERAL (SELECT ${selectList({ ...columns, entities: { sql: "coalesce(json_agg(t), '[]')::text" } })}
      ${from(holder)}) e
    ORDER BY wallets.ordinality`
}
