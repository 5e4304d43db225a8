import type { Columns, RowOf } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import { oneKeyAtATime } from '../../db/connect/one-key-at-a-time.ts'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { rowsOfUsers, type UserTable } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType, placeColumns } from './place.ts'

/** The owners of holdings, as SQL. */
export interface Holder {
  /** A FROM item with rows `owner`, which have an `address`. */
  owners: Prisma.Sql
  /** SQL of null means all chains. */
  chainId: Prisma.Sql
  /** SQL of the moment up to which records count. Omitted or null, all of them count. */
  asOf?: Prisma.Sql | undefined
  /** SQL of the moment from which changes count. Omitted or null, all that there is counts. */
  since?: Prisma.Sql | undefined
}

/** SQL of a moment. Undefined without a moment, so that the statement does not change. */
export const momentSql = (moment: Date | null | undefined) =>
  moment ? Prisma.sql`${moment.toISOString()}::timestamptz` : undefined

/** Condition: a time in Unix seconds is not after a moment, if there is one. */
export const upTo = (column: string, moment: Prisma.Sql | undefined) =>
  moment
    ? Prisma.sql`AND ${Prisma.raw(column)}
        <= coalesce(floor(extract(epoch FROM ${moment}))::bigint, 9223372036854775807)`
    : Prisma.empty

/** One address as `owners`. */
export const oneOwner = (address: Prisma.Sql) => Prisma.sql`(SELECT ${address} AS address) owner`

/** Addresses as `owners`. The planner knows a single one. */
export const usersAsOwners = (users: readonly string[]) =>
  users.length === 1
    ? oneOwner(Prisma.sql`${users[0]}::text`)
    : Prisma.sql`unnest(${users}::text[]) AS owner(address)`

/** Condition: a row is on the chain. Always true if the chain is null. */
export const onChain = (column: string, chainId: Prisma.Sql) =>
  Prisma.sql`(${chainId} IS NULL OR ${Prisma.raw(column)} = ${chainId})`

// SQL of the amount that the USD values of a market snapshot are of.
const PRICED = Prisma.raw(
  ['collateral', 'protected', 'debt']
    .map((name) => `CASE WHEN s.${name}_usd > 0 THEN s.${name}_assets ELSE 0 END`)
    .join(' + '),
)

/**
 * Selects what a holder has, one row for each of the owners' newest snapshots, including the zeros
 * of closed positions. A missing price counts as 0 and sets `incomplete`, and `unpriced` if the
 * amount is not 0. Amounts are exact decimals, to be summed by entity.
 */
export function holdings({ owners, chainId, asOf }: Holder): Prisma.Sql {
  const usd = (column: string) => Prisma.raw(`coalesce(${exact(`s.${column}`)}, 0)`)
  const unpriced = (amounts: string[]) =>
    Prisma.raw(
      `(${amounts.map((name) => `s.${name}_usd IS NULL AND s.${name}_assets <> 0`).join(' OR ')})`,
    )
  return Prisma.sql`SELECT s.user_address, s.chain_id, 'market' AS entity_type,
      s.market_id AS entity_id, s.timestamp, ${usd('collateral_usd')} AS deposit_usd,
      ${usd('protected_usd')} AS protected_usd, ${usd('debt_usd')} AS debt_usd,
      (s.collateral_usd IS NULL OR s.protected_usd IS NULL OR s.debt_usd IS NULL) AS incomplete,
      ${unpriced(['collateral', 'protected', 'debt'])} AS unpriced,
      s.collateral_assets + s.protected_assets AS supply_assets, s.debt_assets,
      ${PRICED} AS priced_assets
    FROM ${latest('market', owners, asOf)} WHERE ${onChain('s.chain_id', chainId)}
    UNION ALL
    SELECT s.user_address, s.chain_id, 'vault', s.vault_id, s.timestamp,
      ${usd('assets_usd')}, 0, 0, s.assets_usd IS NULL,
      s.assets_usd IS NULL AND s.assets <> 0, s.assets, 0,
      CASE WHEN s.assets_usd > 0 THEN s.assets ELSE 0 END
    FROM ${latest('vault', owners, asOf)} WHERE ${onChain('s.chain_id', chainId)}`
}

/**
 * A FROM item with the newest snapshots `s` of each `owner`: in every market or vault, the rows at
 * the owner's newest timestamp. OFFSET 0 stops the planner, which cannot know how few rows match,
 * from scanning the whole table.
 * @param asOf SQL of the moment up to which snapshots count. Without one, they are stored;
 * otherwise each entity's newest one by
 *   then is the first in the key's index, so that a long history costs nothing
 */
export function latest(kind: EntityType, owners: Prisma.Sql, asOf?: Prisma.Sql): Prisma.Sql {
  const entity = Prisma.raw(`${kind}_id`)
  const stored = Prisma.raw(
    `SELECT * FROM ${kind}_holding h WHERE h.user_address = owner.address OFFSET 0`,
  )
  if (!asOf) return Prisma.sql`${owners} CROSS JOIN LATERAL (${stored}) s`
  return Prisma.sql`${owners}
    CROSS JOIN LATERAL (SELECT DISTINCT chain_id, ${entity} FROM (${stored}) h) h
    CROSS JOIN LATERAL (SELECT t.* FROM ${Prisma.raw(`${kind}_snapshot`)} t
      WHERE t.user_address = owner.address AND t.chain_id = h.chain_id
        AND t.${entity} = h.${entity} ${upTo('t.timestamp', asOf)}
      ORDER BY t.chain_id DESC, t.${entity} DESC, t.timestamp DESC FETCH FIRST ROW WITH TIES) s`
}

/** The size of a holding `s` is its supply or, without any, follows from the other amount. */
export const SIZED = {
  market: { supply: 's.collateral_assets + s.protected_assets', other: 's.debt_assets' },
  vault: { supply: 's.assets', other: 's.shares' },
} satisfies Record<EntityType, object>

/** Selects a user's newest snapshots in each market or vault, with the columns of holdings. */
export function sized(kind: EntityType, newest: string): string {
  const { supply, other } = SIZED[kind]
  return `SELECT *, holding_magnitude(size) AS magnitude FROM (
    SELECT *, CASE WHEN position_id = min(position_id) OVER place
      THEN holding_size(sum(${supply}) OVER place, sum(${other}) OVER place) END AS size
    FROM (${newest}) s
    WINDOW place AS (PARTITION BY user_address, chain_id, ${kind}_id)) s`
}

export const tablesOfLatest = (kind: EntityType, asOf: Prisma.Sql | undefined): UserTable[] =>
  asOf ? [`${kind}_holding`, `${kind}_snapshot`] : [`${kind}_holding`]

export const tablesOfHoldings = (asOf: Prisma.Sql | undefined): UserTable[] => [
  ...tablesOfLatest('market', asOf),
  ...tablesOfLatest('vault', asOf),
]

/** A market or vault in which a holder has a history. */
export type Entity = RowOf<typeof placeColumns>

/**
 * A FROM clause of records of entities `t`, largest `sort_value` first, then by chain, type and id.
 */
export const byEntity = (records: Prisma.Sql, columns: string): Prisma.Sql =>
  inEntityOrder(Prisma.sql`${records} AS t(${Prisma.raw(columns)})`)

/** The same of rows `t`. */
export const inEntityOrder = (rows: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM ${rows} ORDER BY t.sort_value DESC, t.chain_id, t.entity_type, t.entity_id`

/**
 * The sort value of an entity: a value rounded to 6 decimals, so that rounding errors never decide
 * the order.
 */
export const sortValue = (value: string) =>
  Prisma.raw(`${toDouble(`floor((${value}) * 1e6 + 0.5)`)} AS sort_value`)

/** SQL of the total of a displayed value over entities `t`. */
export const total = (value: string) => `coalesce(sum(${exact(value)}), 0)`

export type Groups = readonly (readonly string[])[]

/**
 * A FROM item with a row `wallets` for each group of addresses. The planner knows the address of a
 * single one.
 */
export function groupsOf(groups: Groups): Prisma.Sql {
  const [[only = ''] = []] = groups
  if (isOne(groups)) return Prisma.sql`(SELECT ${only}::text AS address, 1 AS ordinality) wallets`
  return Prisma.sql`unnest(${groups.map((addresses) => `{${addresses.join(',')}}`)}::text[])
    WITH ORDINALITY AS wallets(addresses, ordinality)`
}

const ownersOf = (groups: Groups): Prisma.Sql =>
  isOne(groups)
    ? Prisma.sql`LATERAL ${oneOwner(Prisma.sql`wallets.address`)}`
    : Prisma.sql`unnest(wallets.addresses::text[]) AS owner(address)`

const ENTITIES = { entities: { sql: "coalesce(json_agg(t), '[]')::text" } }

const isOne = (groups: Groups) => groups.length === 1 && groups[0]?.length === 1

/**
 * Reads aggregates over the holdings of each group of addresses, in one statement.
 * @param columns aggregates over the entities `t` of `of`. `entities` is returned as JSON
 * @param tables the tables of users that `of` reads in addition to holdings
 * @param moment the moment up to which records count; all by default
 * @param from the moment from which changes count; all that there is by default
 */
export const readGroups = <Row>(...args: Parameters<typeof readAll>): Promise<Row[]> =>
  readOneByOne(...args) as Promise<Row[]>

function readAll(
  reader: Reader,
  groups: Groups,
  chainId: number | null,
  columns: Columns,
  of: (holder: Holder) => Prisma.Sql,
  moment: Date | null,
  tables: readonly UserTable[] = [],
  from: Date | null = null,
): Promise<unknown[]> {
  const [asOf, since] = [momentSql(moment), momentSql(from)]
  const selected = (owners: Prisma.Sql) => {
    const holder = { owners, chainId: Prisma.sql`${chainId}::bigint`, asOf, since }
    const list = selectList({ ...columns, ...('entities' in columns && ENTITIES) })
    return Prisma.sql`SELECT ${list} ${of(holder)}`
  }
  const [only = []] = groups
  const select =
    groups.length === 1
      ? selected(usersAsOwners(only))
      : Prisma.sql`SELECT e.* FROM ${groupsOf(groups)}
          CROSS JOIN LATERAL (${selected(ownersOf(groups))}) e
          ORDER BY wallets.ordinality`
  const all = [...new Set([...tablesOfHoldings(asOf), ...tablesOfHoldings(since), ...tables])]
  return reader.$queryRaw<unknown[]>`${rowsOfUsers(groups.flat(), all)} ${select}`
}

const readOneByOne = oneKeyAtATime(readAll)
