import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { amountColumns, summedFrom } from '../snapshot/snapshot.ts'
import { SIZED, upTo } from './holding.ts'
import type { EntityType } from './place.ts'

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
    // An index has the magnitudes. Postgres computes ranks and shares only where they are selected.
    magnitude: { sql: 't.magnitude', type: 'int' },
    size: { sql: 't.size', type: 'float' },
    rank: {
      sql: 't.rank',
      type: 'int',
      description:
        'The place among all holders: 1 supplies most, protected or not. Those without supply ' +
        'follow by debt, or by shares of a vault; equal ones are in order of addresses.',
    },
    ...amountColumns,
    share: {
      sql: 't.share',
      type: 'float',
      nullable: true,
      description:
        "The holder's part of all supply, protected or not, as a fraction: 0.05 is 5 %. Null if " +
        'nobody supplies.',
      filter: true,
    },
    debtShare: {
      sql: 't.debt_share',
      type: 'float',
      nullable: true,
      description:
        "The holder's part of all debt, as a fraction. Null in a vault, or if nobody borrows.",
      filter: true,
      sort: true,
    },
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

/** The amounts of a user in a market or vault, with all positions there added up. */
export type HolderRow = RowOf<ReturnType<typeof columnsOf>>

const fraction = (part: string, whole: string) =>
  `(${part} / nullif(${whole}, 0))::double precision`

// Each holder's first row `h` has the size of all. Postgres leaves out the joins that are not read,
// and reads what a place or a magnitude has in common once.
function ofNow(kind: EntityType): Prisma.Sql {
  const id = `${kind}_id`
  const holding = `${kind}_holding s`
  const inPlace = `s.${id} = h.${id} AND s.chain_id = h.chain_id`
  const own = summedFrom(
    kind,
    Prisma.raw(`${holding} WHERE s.user_address = h.user_address AND ${inPlace}`),
    {},
    [`sum(${SIZED[kind].supply}) AS total`],
  )
  const debt = kind === 'market' ? 'sum(s.debt_assets)' : 'NULL::numeric'
  return Prisma.sql`(SELECT own.*, ${Prisma.raw(`h.chain_id, h.${id} AS entity_id,
      h.user_address, h.timestamp, h.magnitude, h.size,
      ${fraction('own.total', 'place.total')} AS share,
      ${fraction('own.borrowed', 'place.debt')} AS debt_share,
      (1 + larger.count + (SELECT count(*) FROM ${holding} WHERE ${inPlace}
        AND s.magnitude = h.magnitude
        AND (s.size > h.size OR s.size = h.size AND s.user_address < h.user_address)))::int AS rank
    FROM ${kind}_holding h`)}
    LEFT JOIN LATERAL (${own}) own ON true
    LEFT JOIN LATERAL (${Prisma.raw(`SELECT sum(${SIZED[kind].supply}) AS total, ${debt} AS debt
      FROM ${holding} WHERE ${inPlace}`)}) place ON true
    LEFT JOIN LATERAL (${Prisma.raw(`SELECT count(*) FROM ${holding} WHERE ${inPlace}
      AND s.magnitude > h.magnitude`)}) larger ON true
    WHERE h.magnitude IS NOT NULL) t`
}

// All holders of the place are added up by the snapshots until then.
function ofPast(kind: EntityType, asOf: Prisma.Sql): Prisma.Sql {
  const id = `${kind}_id`
  const place = Prisma.raw(`user_address, chain_id, ${id}`)
  const from = Prisma.sql`(SELECT DISTINCT ${place} FROM ${Prisma.raw(`${kind}_holding`)}) h
    CROSS JOIN LATERAL (SELECT n.* FROM ${Prisma.raw(`${kind}_snapshot`)} n
      WHERE n.user_address = h.user_address AND n.chain_id = h.chain_id
        AND ${Prisma.raw(`n.${id} = h.${id}`)} ${upTo('n.timestamp', asOf)}
      ORDER BY ${Prisma.raw(`n.chain_id DESC, n.${id} DESC, n.timestamp DESC`)}
      FETCH FIRST ROW WITH TIES) s`
  const keys = { user_address: 'h.user_address', chain_id: 'h.chain_id', entity_id: `h.${id}` }
  const summed = summedFrom(kind, from, keys, [
    'max(s.timestamp) AS timestamp',
    `sum(${SIZED[kind].supply}) AS total`,
    `holding_size(sum(${SIZED[kind].supply}), sum(${SIZED[kind].other})) AS size`,
  ])
  return Prisma.sql`(
    SELECT h.*, holding_magnitude(size) AS magnitude,
      row_number() OVER (PARTITION BY chain_id, entity_id
        ORDER BY size DESC, user_address)::int AS rank,
      ${Prisma.raw(fraction('total', 'sum(total) OVER place'))} AS share,
      ${Prisma.raw(fraction('borrowed', 'sum(borrowed) OVER place'))} AS debt_share
    FROM (${summed}) h WHERE size IS NOT NULL
    WINDOW place AS (PARTITION BY chain_id, entity_id)) t`
}

/**
 * Lists the users with an amount in each market or vault, largest supply first.
 * @param asOf SQL of the moment up to which snapshots count. Without one, the newest count
 */
export function holdersIn(kind: EntityType, asOf?: Prisma.Sql) {
  const columns = columnsOf(kind)
  return listing({
    name: 'holders',
    from: asOf ? ofPast(kind, asOf) : ofNow(kind),
    columns,
    order: { magnitude: 'DESC', size: 'DESC', userAddress: 'ASC' },
    filters: {
      users: rowFilters.many(columns.userAddress, 'Only holders at one of these addresses.'),
    },
  })
}

/** The holders of now, by the kind of their place. */
export const holders = { market: holdersIn('market'), vault: holdersIn('vault') }
