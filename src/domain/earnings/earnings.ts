import type { Reader } from '../../db/connect/reader.ts'
import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { byEntity, type Holder, holdings, onChain, readGroups, sortValue, total, upTo } from '../holding/holding.ts'
import { placeColumns } from '../holding/place.ts'

/** A holder's earnings in one market or vault: the current value minus the net cash invested. */
export const entityEarningsColumns = columnsOf(
  {},
  {
    ...placeColumns,
    worthUsd: {
      sql: 't.current_value_usd',
      type: 'float',
      description: 'Net worth by the newest snapshots, in USD. A missing price is 0.',
    },
    netCashInvestedUsd: {
      sql: 't.net_cash_invested_usd',
      type: 'float',
      description: 'Net cash in USD: deposits + repayments - withdrawals - borrowings.',
    },
    earningsUsd: {
      sql: 't.earnings_usd',
      type: 'float',
      description: 'Earnings, in USD: `worthUsd` minus `netCashInvestedUsd`.',
    },
    hasIncompletePrices: { sql: 't.incomplete', type: 'boolean', description: 'True if a price was missing.' },
  },
)

/** The recordset of `entities`. */
const ENTITIES = `chain_id bigint, entity_type text, entity_id text, current_value_usd float8, net_cash_invested_usd float8,
    earnings_usd float8, incomplete boolean, sort_value float8`

/** The FROM clause for `entityEarningsColumns`, from the records of `entities`: by value, largest first. */
export const entityEarningsFrom = (records: Prisma.Sql) => byEntity(records, ENTITIES)

/** SQL of one displayed amount minus another, exactly. */
const difference = (one: string, other: string) => toDouble(`${exact(one)} - ${exact(other)}`)

const [TOTAL_VALUE, TOTAL_CASH] = ['t.current_value_usd', 't.net_cash_invested_usd'].map((usd) =>
  toDouble(total(usd)),
) as [string, string]

/** The columns over `earningsFrom`: totals, and the records of `entityEarningsFrom`. */
export const earningsColumns = columnsOf(
  {},
  {
    earningsUsd: {
      sql: difference(TOTAL_VALUE, TOTAL_CASH),
      type: 'float',
      description: 'All earnings, in USD: `worthUsd` minus `netCashInvestedUsd`.',
    },
    worthUsd: {
      sql: TOTAL_VALUE,
      type: 'float',
      description: 'Net worth, in USD: `worth.netUsd`. A missing price counts as 0.',
    },
    netCashInvestedUsd: {
      sql: TOTAL_CASH,
      type: 'float',
      description: 'Net cash in USD: deposits + repayments - withdrawals - borrowings.',
    },
    hasIncompletePrices: {
      sql: 'coalesce(bool_or(t.incomplete), false)',
      type: 'boolean',
      description: 'True if any price was missing.',
    },
    entityCount: { sql: 'count(*)::int', type: 'int', description: 'The number of all rows of the breakdown.' },
    entities: { sql: 'array_agg(t)' },
  },
)

export type Earnings = RowOf<typeof earningsColumns>

/** SQL of the net cash invested by a cash flow `f`, as an exact number. */
export const CASH = Prisma.raw(
  exact("CASE WHEN f.kind IN ('deposit', 'repay') THEN f.amount_usd ELSE -f.amount_usd END"),
)

/** The net cash `f` that each `owner` has invested in an entity: the stored total, or the cash flows up to a moment. */
const netCash = (asOf: Prisma.Sql | undefined) =>
  asOf
    ? Prisma.sql`SELECT f.chain_id, f.entity_type, f.entity_id, coalesce(${CASH}, 0) AS usd, (f.amount_usd IS NULL)::int AS unpriced
        FROM cash_flow f WHERE f.account_id = owner.address ${upTo('f.timestamp', asOf)} OFFSET 0`
    : Prisma.sql`SELECT * FROM net_cash f WHERE f.account_id = owner.address OFFSET 0`

const [VALUE, CASH_SUM] = ['sum(b.value)', 'sum(b.cash)'].map(toDouble) as [string, string]
const VALUE_AND_CASH = Prisma.raw(`${VALUE} AS current_value_usd, ${CASH_SUM} AS net_cash_invested_usd,
  ${difference(VALUE, CASH_SUM)} AS earnings_usd`)

/**
 * The FROM clause for `earningsColumns`: a row for every entity with a snapshot or a cash flow of the holder. The
 * current value is collateral + protected - debt in a market, and the assets in a vault. The net cash invested is
 * deposits + repayments - withdrawals - borrowings.
 */
export function earningsFrom(holder: Holder): Prisma.Sql {
  const { since } = holder
  // The amounts of that moment are subtracted.
  const before = since
    ? Prisma.sql`UNION ALL SELECT b.chain_id, b.entity_type, b.entity_id, -b.value, -b.cash, b.incomplete
        FROM (${valuesAndCash({ ...holder, asOf: since })}) b WHERE ${since} IS NOT NULL`
    : Prisma.empty
  return Prisma.sql`FROM (
    SELECT b.chain_id, b.entity_type, b.entity_id, ${VALUE_AND_CASH},
      bool_or(b.incomplete) AS incomplete, ${sortValue('sum(b.value)')}
    FROM (${valuesAndCash(holder)} ${before}) b GROUP BY b.chain_id, b.entity_type, b.entity_id
  ) t`
}

/** A query of the values of snapshots, and of the net cash invested, by entity. */
const valuesAndCash = (holder: Holder) => Prisma.sql`
  SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd + h.protected_usd - h.debt_usd AS value,
    0::numeric AS cash, h.incomplete FROM (${holdings(holder)}) h
  UNION ALL
  SELECT f.chain_id, f.entity_type::text, f.entity_id, 0, f.usd, f.unpriced > 0
  FROM ${holder.owners} CROSS JOIN LATERAL (${netCash(holder.asOf)}) f WHERE ${onChain('f.chain_id', holder.chainId)}`

/** A holder's earnings in all markets and vaults that lend an asset. */
export const assetEarningsColumns = columnsOf(
  {},
  {
    chainId: { sql: 't.chain_id', type: 'integer' },
    address: { sql: 't.asset_address', type: 'address' },
    symbol: { sql: 't.asset_symbol', type: 'text' },
    decimals: { sql: 't.asset_decimals', type: 'int' },
    worthUsd: { ...entityEarningsColumns.worthUsd, sql: toDouble('t.value') },
    netCashInvestedUsd: { ...entityEarningsColumns.netCashInvestedUsd, sql: toDouble('t.cash') },
    earningsUsd: { ...entityEarningsColumns.earningsUsd, sql: difference(toDouble('t.value'), toDouble('t.cash')) },
    hasIncompletePrices: entityEarningsColumns.hasIncompletePrices,
  },
)

export type AssetEarnings = RowOf<typeof assetEarningsColumns>

/** The most assets that are listed. */
export const MOST_ASSETS = 1000

/** The FROM clause for `assetEarningsColumns`, from the records of `entities`: largest value first. Unknown entities are left out. */
export const assetEarningsFrom = (records: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
    SELECT e.chain_id, e.asset_address, min(e.asset_symbol) AS asset_symbol, min(e.asset_decimals) AS asset_decimals,
      ${Prisma.raw(`sum(${exact('e.current_value_usd')}) AS value, sum(${exact('e.net_cash_invested_usd')}) AS cash`)},
      bool_or(e.incomplete) AS incomplete
    FROM (SELECT r.*, coalesce(m.asset_address, v.asset_address) AS asset_address,
        coalesce(m.asset_symbol, v.asset_symbol) AS asset_symbol, coalesce(m.asset_decimals, v.asset_decimals) AS asset_decimals
      FROM ${records} AS r(${Prisma.raw(ENTITIES)})
      LEFT JOIN market m ON r.entity_type = 'market' AND m.chain_id = r.chain_id AND m.id = r.entity_id
      LEFT JOIN vault v ON r.entity_type = 'vault' AND v.chain_id = r.chain_id AND v.id = r.entity_id) e
    WHERE e.asset_address IS NOT NULL GROUP BY e.chain_id, e.asset_address
    ORDER BY value DESC, e.chain_id, e.asset_address LIMIT ${Prisma.raw(String(MOST_ASSETS))}) t
  ORDER BY t.value DESC, t.chain_id, t.asset_address`

/** Reads the total earnings of each group of addresses, now or as of a moment, in one statement. */
export const earningsOf = (
  reader: Reader,
  groups: readonly (readonly string[])[],
  chainId: number | null,
  asOf: Date | null,
  since: Date | null = null,
) => {
  const tables = [asOf ? 'cash_flow' : 'net_cash', ...(since && !asOf ? ['cash_flow' as const] : [])] as const
  return readGroups<Earnings>(reader, groups, chainId, earningsColumns, earningsFrom, asOf, tables, since)
}
