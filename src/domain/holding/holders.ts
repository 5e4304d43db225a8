import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { amountColumns, summedFrom } from '../snapshot/snapshot.ts'
import { upTo } from './holding.ts'
import type { EntityType } from './place.ts'

const share = (column: string, description: string) =>
  ({
    sql: `t.${column}`,
    type: 'float',
    nullable: true,
    description,
    filter: true,
    sort: true,
  }) as const

const columnsOf = (kind: EntityType) =>
  sqlColumns({
    chainId: { sql: 't.chain_id', type: 'integer' },
    entityId: { sql: 't.entity_id', type: 'address' },
    userAddress: {
      sql: 't.user_address',
      type: 'address',
      field: 'user.address',
      sort: 'USER',
    },
    // Pages are in this order: Postgres computes ranks and shares only where they are selected.
    held: { sql: 't.held', type: 'float' },
    rank: {
      sql: 't.rank',
      type: 'int',
      description:
        'The place among all holders: 1 supplies most, protected or not. Equal amounts are in ' +
        'order of addresses.',
      filter: true,
      sort: true,
    },
    ...amountColumns,
    share: share(
      'share',
      "The holder's part of all supply, protected or not, as a fraction: 0.05 is 5 %. Null if " +
        'nobody supplies.',
    ),
    debtShare: share(
      'debt_share',
      "The holder's part of all debt, as a fraction. Null in a vault, or if nobody borrows.",
    ),
    since: {
      sql: `(SELECT min(s.timestamp) FROM ${kind}_snapshot s
      WHERE s.user_address = t.user_address AND s.chain_id = t.chain_id
        AND s.${kind}_id = t.entity_id)`,
      type: 'timestamp',
      moment: { field: 'since', description: "The time of the holder's first snapshot here." },
    },
    timestamp: {
      sql: 't.timestamp',
      type: 'timestamp',
      moment: { field: 'time', description: 'The time of the snapshot that has the amounts.' },
      filter: 'time',
      sort: 'TIME',
    },
  })

const TOTALS: Record<EntityType, string> = {
  market: 'sum(s.collateral_assets + s.protected_assets)',
  vault: 'sum(s.assets)',
}

/** The amounts of a user in a market or vault, with all positions there added up. */
export type HolderRow = RowOf<ReturnType<typeof columnsOf>>

// The newest snapshots `s`, or those up to a moment, and the columns that name their place.
function newest(kind: EntityType, asOf: Prisma.Sql | undefined) {
  const entity = `${kind}_id`
  const holding = Prisma.raw(`${kind}_holding`)
  if (!asOf) return { from: Prisma.sql`${holding} s`, alias: 's' }
  const place = Prisma.raw(`user_address, chain_id, ${entity}`)
  return {
    from: Prisma.sql`(SELECT DISTINCT ${place} FROM ${holding}) h
      CROSS JOIN LATERAL (SELECT n.* FROM ${Prisma.raw(`${kind}_snapshot`)} n
        WHERE n.user_address = h.user_address AND n.chain_id = h.chain_id
          AND ${Prisma.raw(`n.${entity} = h.${entity}`)} ${upTo('n.timestamp', asOf)}
        ORDER BY ${Prisma.raw(`n.chain_id DESC, n.${entity} DESC, n.timestamp DESC`)}
        FETCH FIRST ROW WITH TIES) s`,
    alias: 'h',
  }
}

/**
 * Lists the users with an amount in each market or vault, largest supply first. All holders of the
 * place are added up for the shares: an index finds them, and no history is read.
 * @param asOf SQL of the moment up to which snapshots count. Without one, the newest count
 */
export function holdersIn(kind: EntityType, asOf?: Prisma.Sql) {
  const { from, alias } = newest(kind, asOf)
  const keys = {
    user_address: `${alias}.user_address`,
    chain_id: `${alias}.chain_id`,
    entity_id: `${alias}.${kind}_id`,
  }
  const columns = columnsOf(kind)
  const total = TOTALS[kind]
  const summed = summedFrom(kind, from, keys, [
    'max(s.timestamp) AS timestamp',
    `${total} AS total`,
    `(${total})::double precision AS held`,
  ])
  return listing({
    name: 'holders',
    from: Prisma.sql`(
      SELECT h.*, row_number() OVER (PARTITION BY chain_id, entity_id
          ORDER BY held DESC, user_address)::int AS rank,
        (total / nullif(sum(total) OVER place, 0))::double precision AS share,
        (borrowed / nullif(sum(borrowed) OVER place, 0))::double precision AS debt_share
      FROM (${summed}) h
      WHERE total > 0 OR borrowed > 0 OR shares > 0
      WINDOW place AS (PARTITION BY chain_id, entity_id)) t`,
    columns,
    order: { held: 'DESC', userAddress: 'ASC' },
    filters: {
      users: rowFilters.many(columns.userAddress, 'Only holders at one of these addresses.'),
    },
  })
}

/** The holders of now, by the kind of their place. */
export const holders = { market: holdersIn('market'), vault: holdersIn('vault') }
