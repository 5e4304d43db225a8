import { type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'

/** The marks of a cash flow that opens or closes what its user has in a market or vault. */
export const endColumns = sqlColumns({
  opened: {
    sql: 't.opened',
    type: 'boolean',
    nullable: true,
    description:
      'True if the user had nothing there before, by the snapshot or cash flow that is stored ' +
      'last before it. Null for a liquidation or reward, and where that leaves it open.',
  },
  closed: {
    sql: 't.closed',
    type: 'boolean',
    nullable: true,
    description:
      'True if the user had nothing left there, by the snapshot or cash flow that is stored ' +
      'next after it. Null for a liquidation or reward, and where that leaves it open.',
  },
})

export type Ends = RowOf<typeof endColumns>

const ENTITY = 's.user_address = r.user_address AND s.chain_id = r.chain_id'

// The snapshot next to a cash flow `r`: before it, or from its second on.
function snapshotNext(comparison: '<' | '>=', direction: 'DESC' | 'ASC'): string {
  const of = (kind: 'market' | 'vault', amounts: string[]) => {
    const order = ['user_address', 'chain_id', `${kind}_id`, 'timestamp'].map(
      (column) => `s.${column} ${direction}`,
    )
    return `(
      SELECT s.timestamp, ${amounts.map((amount) => `s.${amount} <> 0`).join(' OR ')} AS is_open
      FROM ${kind}_snapshot s
      WHERE r.entity_type = '${kind}' AND ${ENTITY} AND s.${kind}_id = r.entity_id
        AND s.timestamp ${comparison} r.timestamp
      ORDER BY ${order.join(', ')} FETCH FIRST ROW WITH TIES)`
  }
  return `(SELECT max(s.timestamp) AS timestamp, bool_or(s.is_open) AS is_open FROM (
    ${of('market', ['collateral_assets', 'protected_assets', 'debt_assets'])}
      UNION ALL ${of('vault', ['assets', 'shares'])}) s)`
}

function flowNext(comparison: '<' | '>', direction: 'DESC' | 'ASC'): string {
  const order = ['user_address', 'chain_id', 'entity_type', 'entity_id', 'timestamp', 'log_index']
  return `(SELECT s.timestamp, s.kind IN ('deposit', 'borrow') AS adds FROM cash_flow s
    WHERE ${ENTITY} AND s.entity_type = r.entity_type::entity_type AND s.entity_id = r.entity_id
      AND (s.timestamp, s.log_index) ${comparison} (r.timestamp, r.log_index)
    ORDER BY ${order.map((column) => `s.${column} ${direction}`).join(', ')} LIMIT 1)`
}

// A cash flow after the snapshot before leaves something there if it adds; what the other kinds
// leave is not known.
const OPENED = `CASE WHEN r.kind IN ('withdraw', 'repay') THEN false
  WHEN f.timestamp IS NULL OR f.timestamp <= s.timestamp THEN s.is_open IS NOT TRUE
  WHEN f.adds THEN false END`

// A cash flow up to the snapshot after needs something if it takes out; the other kinds may add to
// nothing.
const CLOSED = `CASE WHEN r.kind IN ('deposit', 'borrow') THEN false
  WHEN NOT f.adds AND (s.timestamp IS NULL OR f.timestamp <= s.timestamp) THEN false
  WHEN f.timestamp IS NULL OR f.timestamp > s.timestamp THEN NOT s.is_open END`

/** The fields of an activity that `endsOf` looks up. */
export const END_FIELDS = [
  'kind',
  'userAddress',
  'chainId',
  'entityType',
  'entityId',
  'timestamp',
  'logIndex',
]
export const END_TYPES = ['text', 'text', 'bigint', 'text', 'text', 'bigint', 'bigint'] as const

/**
 * The FROM clause for `endColumns`, by `END_FIELDS`: it reads a few rows, however long the history
 * is.
 */
export function endsOf(values: Prisma.Sql[], used: ReadonlySet<string>): Prisma.Sql {
  const [kind, account, chain, type, entity, timestamp, log] = values
  const ends = Object.entries({
    opened: [OPENED, snapshotNext('<', 'DESC'), flowNext('<', 'DESC')],
    closed: [CLOSED, snapshotNext('>=', 'ASC'), flowNext('>', 'ASC')],
  }).filter(([name]) => used.has(name))
  const columns = ends.map(
    ([name, [value, snapshot, flow]]) =>
      `(SELECT CASE WHEN r.kind NOT LIKE 'liquidation%' THEN ${value} END FROM ${snapshot} s ` +
      `LEFT JOIN ${flow} f ON true) AS ${name}`,
  )
  return Prisma.sql`FROM (
    SELECT ${Prisma.raw(columns.join(', '))}
    FROM (
      SELECT ${kind} AS kind, ${account} AS user_address, ${chain} AS chain_id,
        ${type} AS entity_type, ${entity} AS entity_id, ${timestamp} AS timestamp,
        ${log} AS log_index) r) t`
}
