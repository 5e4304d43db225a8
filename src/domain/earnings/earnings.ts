import type { Reader } from '../../db/connect/reader.ts'
import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import {
  entityColumns,
  entityFilters,
  type Holder,
  holdings,
  largestFirst,
  onChain,
  readGroups,
  recordset,
  sortValue,
  total,
  upTo,
  usdColumn as usd,
} from '../holding/holding.ts'

const columns = columnsOf(
  {},
  {
    ...entityColumns,
    worthUsd: usd('t.current_value_usd', 'Net worth by the newest snapshots, in USD. A missing price counts as 0.'),
    netCashInvestedUsd: usd(
      't.net_cash_invested_usd',
      'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings.',
    ),
    earningsUsd: usd('t.earnings_usd', 'Earnings, in USD: `worthUsd` minus `netCashInvestedUsd`.'),
    hasIncompletePrices: { sql: 't.incomplete', type: 'boolean', description: 'True if a price was missing.' },
  },
)

/** A holder's earnings in one market or vault: the current value minus the net cash invested. */
export type EntityEarnings = RowOf<typeof columns>

/** Earnings by entity: by value, largest first, then by chain, type and id. */
export const entityEarnings = listing({
  name: 'earnings',
  from: recordset,
  recordset: `chain_id bigint, entity_type text, entity_id text, current_value_usd float8, net_cash_invested_usd float8,
    earnings_usd float8, incomplete boolean, sort_value float8`,
  columns,
  order: largestFirst,
  filters: entityFilters,
})

/** SQL of one displayed amount minus another, exactly. */
const difference = (one: string, other: string) => toDouble(`${exact(one)} - ${exact(other)}`)

const [TOTAL_VALUE, TOTAL_CASH] = ['t.current_value_usd', 't.net_cash_invested_usd'].map((usd) =>
  toDouble(total(usd)),
) as [string, string]

/** The columns over `earningsFrom`: totals, and the rows of `entityEarnings`. */
export const earningsColumns = columnsOf(
  {},
  {
    earningsUsd: {
      sql: difference(TOTAL_VALUE, TOTAL_CASH),
      type: 'float',
      description: 'Earnings of all markets and vaults, in USD: `worthUsd` minus `netCashInvestedUsd`.',
    },
    worthUsd: {
      sql: TOTAL_VALUE,
      type: 'float',
      description: 'Net worth, in USD: `netUsd` of the worth, where a missing price counts as 0.',
    },
    netCashInvestedUsd: {
      sql: TOTAL_CASH,
      type: 'float',
      description: 'Net cash invested, in USD: deposits + repayments - withdrawals - borrowings.',
    },
    hasIncompletePrices: {
      sql: 'coalesce(bool_or(t.incomplete), false)',
      type: 'boolean',
      description: 'True if any price was missing.',
    },
    entityCount: { sql: 'count(*)::int', type: 'int' },
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
  return Prisma.sql`FROM (
    SELECT b.chain_id, b.entity_type, b.entity_id, ${VALUE_AND_CASH},
      bool_or(b.incomplete) AS incomplete, ${sortValue('sum(b.value)')}
    FROM (
      SELECT h.chain_id, h.entity_type, h.entity_id, h.deposit_usd + h.protected_usd - h.debt_usd AS value,
        0::numeric AS cash, h.incomplete FROM (${holdings(holder)}) h
      UNION ALL
      SELECT f.chain_id, f.entity_type::text, f.entity_id, 0, f.usd, f.unpriced > 0
      FROM ${holder.owners} CROSS JOIN LATERAL (${netCash(holder.asOf)}) f WHERE ${onChain('f.chain_id', holder.chainId)}
    ) b GROUP BY b.chain_id, b.entity_type, b.entity_id
  ) t`
}

/** Reads the total earnings of each group of addresses, now or as of a moment, in one statement. */
export const earningsOf = (
  reader: Reader,
  groups: readonly (readonly string[])[],
  chainId: number | null,
  asOf: Date | null,
) =>
  readGroups<Earnings>(reader, groups, chainId, earningsColumns, earningsFrom, asOf, [asOf ? 'cash_flow' : 'net_cash'])
