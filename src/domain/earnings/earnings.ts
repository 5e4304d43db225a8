import { type RowOf, sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import {
  byEntity,
  type Holder,
  onChain,
  readGroups,
  sortValue,
  total,
  upTo,
} from '../holding/holding.ts'
import { placeColumns } from '../holding/place.ts'
import {
  EARNED_COLUMNS,
  earnedByEntity,
  interestOf,
  PROFIT,
  profitColumns,
  profitOf,
  profitOfSums,
  sumOfAll,
} from './profit.ts'

const difference = (one: string, other: string) => toDouble(`${exact(one)} - ${exact(other)}`)

const parts = (realised: string, unrealised: string) => {
  const part = (decimal: string, description: string) =>
    ({
      sql: toDouble(decimal),
      type: 'float',
      nullable: true,
      description:
        `${description} Null if a price was missing; in a period, of its ends or of a cash flow ` +
        'in it.',
    }) as const
  return {
    realisedUsd: part(
      realised,
      'The part that was taken out, in USD, at the average cost of the period: by market and ' +
        'vault, what supply earned times `withdrawn / (withdrawn + held at the end)`, and what ' +
        'debt earned times `repaid / (repaid + owed at the end)`.',
    ),
    unrealisedUsd: part(
      unrealised,
      'The other part, in USD, on what is held or owed: `earningsUsd` minus `realisedUsd`.',
    ),
  }
}

/** A holder's earnings in one market or vault: the current value minus the net cash invested. */
export const entityEarningsColumns = sqlColumns({
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
  ...profitOf((part) => `t.${part}`),
  ...interestOf('assetDecimals'),
  assetDecimals: { sql: 't.asset_decimals', type: 'int', nullable: true },
  ...parts(exact('t.realised_usd'), `${exact('t.earnings_usd')} - ${exact('t.realised_usd')}`),
  hasIncompletePrices: {
    sql: 't.incomplete',
    type: 'boolean',
    description: 'True if the price of an amount other than 0 was missing.',
  },
  lacksUsd: { sql: 't.lacks_usd', type: 'boolean' },
})

const ENTITIES = `chain_id bigint, entity_type text, entity_id text, current_value_usd float8,
    net_cash_invested_usd float8, earnings_usd float8, realised_usd float8, incomplete boolean,
    lacks_usd boolean, interest numeric, interest_usd float8, price_usd float8,
    liquidation_usd float8, profit_usd float8, asset_address text, asset_symbol text,
    asset_decimals int,
    pool_address text, sort_value float8`

/**
 * The FROM clause for `entityEarningsColumns`, from the records of `entities`: by value, largest
 * first.
 */
export const entityEarningsFrom = (records: Prisma.Sql) => byEntity(records, ENTITIES)

const [TOTAL_VALUE, TOTAL_CASH] = ['t.current_value_usd', 't.net_cash_invested_usd'].map((usd) =>
  toDouble(total(usd)),
) as [string, string]

// SQL of a decimal over rows `t`. Null if a price is missing in one of them.
const complete = (decimal: string) =>
  `CASE WHEN bool_or(t.incomplete) IS NOT TRUE THEN ${decimal} END`
const TOTAL_REALISED = total('t.realised_usd')

/** The columns over `earningsFrom`: totals, and the records of `entityEarningsFrom`. */
export const earningsColumns = sqlColumns({
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
  ...profitColumns,
  ...parts(complete(TOTAL_REALISED), complete(`${total('t.earnings_usd')} - ${TOTAL_REALISED}`)),
  hasIncompletePrices: {
    sql: 'coalesce(bool_or(t.incomplete), false)',
    type: 'boolean',
    description: 'True if the price of an amount other than 0 was missing.',
  },
  /** True if any USD are null, also those of an amount of 0. */
  lacksUsd: { sql: 'coalesce(bool_or(t.lacks_usd), false)', type: 'boolean' },
  entityCount: {
    sql: 'count(*)::int',
    type: 'int',
    description: 'The number of all rows of the breakdown.',
  },
  entities: { sql: 'array_agg(t)' },
})

export type Earnings = RowOf<typeof earningsColumns>

/** SQL of the net cash invested by a cash flow `f`, as an exact number. */
export const CASH = Prisma.raw(
  exact("CASE WHEN f.kind IN ('deposit', 'repay') THEN f.amount_usd ELSE -f.amount_usd END"),
)

const moved = (kind: string) =>
  `CASE WHEN f.kind = '${kind}' THEN coalesce(${exact('f.amount_usd')}, 0) ELSE 0 END`
const MOVED = Prisma.raw(
  Object.entries({ withdrawn: 'withdraw', borrowed: 'borrow', repaid: 'repay' })
    .map(([name, kind]) => `${moved(kind)} AS ${name}`)
    .join(', '),
)

// The net cash `f` that each `owner` has invested in an entity: the stored total, or the cash flows
// up to a moment.
const netCash = (asOf: Prisma.Sql | undefined) =>
  asOf
    ? Prisma.sql`SELECT f.chain_id, f.entity_type, f.entity_id, coalesce(${CASH}, 0) AS usd,
          ${MOVED}, (f.amount_usd IS NULL AND f.assets IS DISTINCT FROM 0)::int AS unpriced,
          (f.amount_usd IS NULL AND f.assets = 0)::int AS zeros
        FROM cash_flow f
        WHERE f.user_address = owner.address ${upTo('f.timestamp', asOf)} OFFSET 0`
    : Prisma.sql`SELECT * FROM net_cash f WHERE f.user_address = owner.address OFFSET 0`

// SQL of the part of an amount that is realised: of what there was in the period, a part went out
// and the rest is left. Without either, all of it is.
const share = (earnings: string, out: string, left: string) =>
  `CASE WHEN ${out} + ${left} = 0 THEN ${earnings}
    ELSE (${earnings}) * ${out} / (${out} + ${left}) END`

const [VALUE, CASH_SUM] = ['b.value', 'b.cash'].map(toDouble) as [string, string]
// Of a period, the difference of both ends.
const CHANGES = [
  ...['supply', 'debt', 'cash', 'withdrawn', 'borrowed', 'repaid', 'unpriced', 'zeros'],
  ...EARNED_COLUMNS,
]
const AT_THE_END = ['supply_left', 'debt_left', 'priced_usd', 'priced_assets']
const SUMS = Prisma.raw(
  [...CHANGES, ...AT_THE_END].map((name) => `sum(b.${name}) AS ${name}`).join(', '),
)
// Supply earns what it is worth more than was deposited and not withdrawn; debt what it is less
// than was borrowed and not repaid.
const SHARES = [
  share('b.supply - b.cash - b.borrowed + b.repaid', 'b.withdrawn', 'b.supply_left'),
  share('b.borrowed - b.repaid - b.debt', 'b.repaid', 'b.debt_left'),
].join(' + ')

const REALISED = Prisma.raw(`CASE WHEN NOT b.incomplete THEN ${SHARES} END`)
const AS_SHOWN = Prisma.raw(`${VALUE} AS current_value_usd, ${CASH_SUM} AS net_cash_invested_usd,
  ${difference(VALUE, CASH_SUM)} AS earnings_usd, ${toDouble('b.realised')} AS realised_usd,
  b.incomplete, b.lacks_usd, b.interest, b.interest_usd, b.price_usd, b.liquidation_usd,
  b.profit_usd, b.asset_address, b.asset_symbol, b.asset_decimals, b.pool_address`)
/**
 * The FROM clause for `earningsColumns`: a row for every entity with a snapshot or a cash flow of
 * the holder. The current value is collateral + protected - debt in a market, and the assets in a
 * vault. The net cash invested is deposits + repayments - withdrawals - borrowings.
 */
export function earningsFrom(holder: Holder): Prisma.Sql {
  const { since, asOf } = holder
  const before = since
    ? Prisma.sql`UNION ALL SELECT ${ENDS}, ${AT_START}
      FROM (${valuesAndCash({ ...holder, asOf: since })}) b
      WHERE ${since} IS NOT NULL`
    : Prisma.empty
  const summed = Prisma.sql`SELECT b.chain_id, b.entity_type, b.entity_id, ${SUMS},
      ${unvaluedIn(since)} AS unvalued,
      bool_or(b.unvalued) OR sum(b.unpriced) > 0 AS incomplete,
      bool_or(b.incomplete) OR sum(b.unpriced + b.zeros) > 0 AS lacks_usd
    FROM (${valuesAndCash(holder)} ${before}) b
    GROUP BY b.chain_id, b.entity_type, b.entity_id`
  const valued = Prisma.sql`SELECT b.*, b.supply - b.debt AS value, ${REALISED} AS realised
    FROM (${summed}) b`
  return Prisma.sql`FROM (
    SELECT b.chain_id, b.entity_type, b.entity_id, ${AS_SHOWN}, ${sortValue('b.value')}
    FROM (${profitOfSums(valued, asOf)}) b) t`
}

// The same snapshot at both ends of a period adds nothing to it, with a price or without.
const unvaluedIn = (since: Prisma.Sql | undefined) =>
  since
    ? Prisma.sql`CASE WHEN ${since} IS NULL THEN bool_or(b.unvalued)
        ELSE count(*) FILTER (WHERE b.unvalued)
          < 2 * count(DISTINCT (b.user_address, b.timestamp)) FILTER (WHERE b.unvalued) END`
    : Prisma.sql`bool_or(b.unvalued)`

const ENDS = Prisma.raw(
  `b.user_address, b.chain_id, b.entity_type, b.entity_id, b.timestamp, b.incomplete, b.unvalued`,
)
const AT_START = Prisma.raw(
  [...CHANGES.map((name) => `-b.${name}`), ...AT_THE_END.map(() => '0')].join(', '),
)
const OF_FLOWS: Record<string, string> = {
  cash: 'f.usd',
  withdrawn: 'f.withdrawn',
  borrowed: 'f.borrowed',
  repaid: 'f.repaid',
  unpriced: 'f.unpriced',
  zeros: 'f.zeros',
}
const OF_HELD: Record<string, string> = { supply_left: 'h.supply', debt_left: 'h.debt' }
const columnsFrom = (values: (name: string) => string | undefined) =>
  Prisma.raw(
    [...CHANGES, ...AT_THE_END].map((name) => `${values(name) ?? '0'} AS ${name}`).join(', '),
  )
const HELD_COLUMNS = columnsFrom((name) =>
  name in OF_FLOWS ? '0' : (OF_HELD[name] ?? `h.${name}`),
)
const FLOW_COLUMNS = columnsFrom((name) => OF_FLOWS[name])

// A query of the amounts of snapshots, and of the cash invested, by entity. `unpriced` and `zeros`
// count the cash flows without USD: those before a period count alike at both ends.
const valuesAndCash = (holder: Holder) => Prisma.sql`
  SELECT h.user_address, h.chain_id, h.entity_type, h.entity_id, h.timestamp, h.incomplete,
    h.unvalued, ${HELD_COLUMNS}
  FROM (${earnedByEntity(holder)}) h
  UNION ALL
  SELECT NULL, f.chain_id, f.entity_type::text, f.entity_id, NULL, false, false, ${FLOW_COLUMNS}
  FROM ${holder.owners} CROSS JOIN LATERAL (${netCash(holder.asOf)}) f
  WHERE ${onChain('f.chain_id', holder.chainId)}`

// The columns of earnings that are added up in groups of entities.
const groupColumns = {
  worthUsd: { ...entityEarningsColumns.worthUsd, sql: toDouble('t.value') },
  netCashInvestedUsd: { ...entityEarningsColumns.netCashInvestedUsd, sql: toDouble('t.cash') },
  earningsUsd: {
    ...entityEarningsColumns.earningsUsd,
    sql: difference(toDouble('t.value'), toDouble('t.cash')),
  },
  ...profitOf((part) => toDouble(`t.${part}`)),
  ...parts('t.realised', 't.value - t.cash - t.realised'),
  hasIncompletePrices: entityEarningsColumns.hasIncompletePrices,
}
const GROUP_SUMS = Prisma.raw(`sum(${exact('e.current_value_usd')}) AS value,
  sum(${exact('e.net_cash_invested_usd')}) AS cash, bool_or(e.incomplete) AS incomplete,
  CASE WHEN NOT bool_or(e.incomplete) THEN sum(${exact('e.realised_usd')}) END AS realised,
  ${Object.values(PROFIT)
    .map(([part]) => `${sumOfAll(exact(`e.${part}`))} AS ${part}`)
    .join(', ')}`)

const INTEREST = Prisma.raw(sumOfAll('e.interest'))

/** A holder's earnings in all markets and vaults that lend an asset. */
export const assetEarningsColumns = sqlColumns({
  chainId: { sql: 't.chain_id', type: 'integer' },
  address: { sql: 't.asset_address', type: 'address' },
  symbol: { sql: 't.asset_symbol', type: 'text' },
  decimals: { sql: 't.asset_decimals', type: 'int' },
  ...groupColumns,
  ...interestOf('decimals'),
})

export type AssetEarnings = RowOf<typeof assetEarningsColumns>

/** A holder's earnings in both markets of a pool. */
export const poolEarningsColumns = sqlColumns({
  poolAddress: { sql: 't.pool_address', type: 'address', description: "The pool's address." },
  ...groupColumns,
})

export type PoolEarnings = RowOf<typeof poolEarningsColumns>

/** The most assets or pools that are listed. */
export const MOST_GROUPS = 1000
const LIMIT = Prisma.raw(String(MOST_GROUPS))

/**
 * The FROM clause for `assetEarningsColumns`, from the records of `entities`: largest value first.
 * Unknown entities are left out.
 */
export const assetEarningsFrom = (records: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
    SELECT e.chain_id, e.asset_address, min(e.asset_symbol) AS asset_symbol,
      min(e.asset_decimals) AS asset_decimals, ${INTEREST} AS interest, ${GROUP_SUMS}
    FROM ${records} AS e(${Prisma.raw(ENTITIES)})
    WHERE e.asset_address IS NOT NULL
    GROUP BY e.chain_id, e.asset_address
    ORDER BY value DESC, e.chain_id, e.asset_address LIMIT ${LIMIT}) t
  ORDER BY t.value DESC, t.chain_id, t.asset_address`

/**
 * The FROM clause for `poolEarningsColumns`, from the records of `entities`: largest value first.
 * Vaults and unknown markets are left out.
 */
export const poolEarningsFrom = (records: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
    SELECT e.pool_address, ${GROUP_SUMS} FROM ${records} AS e(${Prisma.raw(ENTITIES)})
    WHERE e.pool_address IS NOT NULL
    GROUP BY e.pool_address ORDER BY value DESC, e.pool_address LIMIT ${LIMIT}) t
  ORDER BY t.value DESC, t.pool_address`

/** Reads the total earnings of each group of addresses, now or as of a moment, in one statement. */
export const earningsOf = (
  reader: Reader,
  groups: readonly (readonly string[])[],
  chainId: number | null,
  asOf: Date | null,
  since: Date | null = null,
) => {
  const tables = [
    'cash_flow',
    'market_liquidation_reward',
    'vault_liquidation_reward',
    ...(asOf ? [] : (['net_cash', 'net_liquidation'] as const)),
  ] as const
  return readGroups<Earnings>(
    reader,
    groups,
    chainId,
    earningsColumns,
    earningsFrom,
    asOf,
    tables,
    since,
  )
}
