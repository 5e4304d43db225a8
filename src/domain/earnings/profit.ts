import { sqlColumns } from 'pothos-sql'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type Holder, holdings, upTo } from '../holding/holding.ts'

/** The parts of the profit: their columns in rows of earnings, and what they mean. */
export const PROFIT = {
  profitUsd: [
    'profit_usd',
    'The profit, in USD: `interestUsd + priceUsd + liquidationUsd`. It is the worth by the ' +
      'newest snapshots, plus the collateral from liquidations, less what was put in before ' +
      'them. `earningsUsd` has no such collateral, counts later cash flows too, and takes those ' +
      'without USD for free. Null if the price of an amount in it is not known.',
  ],
  interestUsd: [
    'interest_usd',
    'The interest that supply earned, less that on debt, in USD. It has the price of the newest ' +
      'snapshot, else the newest daily price. A period has the price at its end, so the interest ' +
      'of consecutive periods need not add up. Null if that price is not known, or a cash flow ' +
      'has no amount of tokens.',
  ],
  priceUsd: [
    'price_usd',
    'The gain by changes of prices, in USD: `profitUsd - interestUsd - liquidationUsd`. Null if ' +
      'one of these is.',
  ],
  liquidationUsd: [
    'liquidation_usd',
    'The collateral that a lender got from defaulting liquidations, less the supply that they ' +
      'took, in USD of that day. Claims change nothing. It counts in the market whose debt was ' +
      'repaid, or in the vault, from the next snapshot there. The market of the collateral has ' +
      'none of it, and no part has a change of its price until the claim. Null if the USD of ' +
      'either is not known.',
  ],
} as const

/** The columns of profit, from SQL of each part. */
export const profitOf = (sqlOf: (part: string) => string) =>
  Object.fromEntries(
    Object.entries(PROFIT).map(([name, [part, text]]) => [
      name,
      {
        sql: sqlOf(part),
        type: 'float',
        nullable: true,
        description: text,
      } as const,
    ]),
  ) as Record<keyof typeof PROFIT, PartColumn>
type PartColumn = { sql: string; type: 'float'; nullable: true; description: string }

/** The column of the interest in one token. */
export const interestOf = (decimals: string) =>
  sqlColumns({
    interest: {
      sql: 't.interest',
      type: 'amount',
      nullable: true,
      description:
        'The interest in tokens, by the newest snapshot: what supply grew by without deposits, ' +
        'less what debt grew by without borrowings. It includes what liquidations took. ' +
        'Negative if debt cost more. Null if a cash flow has no amount of tokens.',
      tokens: { field: 'interest', usd: 'interestUsd', decimals, optional: true },
    },
  })

/** SQL of a sum of rows. Null if one of them is null. */
export const sumOfAll = (value: string) =>
  `CASE WHEN count(*) = count(${value}) THEN sum(${value}) END`

/** Profit and its parts, in all entities `t`. */
export const profitColumns = profitOf((part) =>
  toDouble(`coalesce(${sumOfAll(exact(`t.${part}`))}, CASE WHEN count(*) = 0 THEN 0 END)`),
)

/** A query of cash flows, as terms of the sums of `earnedUntil`. */
export const FLOWS = Prisma.raw(`SELECT user_address, chain_id, entity_type, entity_id, timestamp,
    CASE kind WHEN 'deposit' THEN assets WHEN 'withdraw' THEN -assets END AS supplied_assets,
    CASE kind WHEN 'borrow' THEN assets WHEN 'repay' THEN -assets END AS owed_assets,
    CASE WHEN kind IN ('deposit', 'repay') THEN 1 ELSE -1 END
      * ${exact('coalesce(amount_usd, computed_usd)')} AS usd,
    (assets IS NULL)::int AS tokenless,
    (num_nonnulls(amount_usd, computed_usd) = 0 AND assets IS DISTINCT FROM 0)::int AS unknown
  FROM cash_flow`)
const SENT = 'coalesce(supply_sent_usd, computed_sent_usd)'
/** The same of liquidation rewards. */
export const REWARDS = Prisma.raw(
  [
    ['market', 'debt_market_id', 'coalesce(collateral_received_usd, computed_received_usd)'],
    ['vault', 'vault_id', 'collateral_received_usd'],
  ]
    .map(
      ([
        kind,
        id,
        received = '',
      ]) => `SELECT user_address, chain_id, '${kind}'::entity_type AS entity_type,
        ${id} AS entity_id, timestamp, supply_sent AS sent, ${exact(SENT)} AS sent_usd,
        ${exact(received)} AS received_usd, (${SENT} IS NULL AND supply_sent <> 0)::int AS unsent,
        (${received} IS NULL AND collateral_received <> 0)::int AS unreceived
      FROM ${kind}_liquidation_reward`,
    )
    .join(' UNION ALL '),
)

const OF_ENTITY = Prisma.raw(`f.chain_id = h.chain_id AND f.entity_id = h.entity_id
  AND f.entity_type = h.entity_type::entity_type`)
const sumsOf = (columns: readonly string[], sign = '') =>
  Prisma.raw(columns.map((name) => `coalesce(sum(${sign}f.${name}), 0) AS ${name}`).join(', '))

// The stored sums of records `f` of an entity without what came after its newest snapshot `h`. The
// condition names the owner: of several servers one is read then.
const storedUntil = (columns: readonly string[], records: Prisma.Sql, stored: Prisma.Sql) =>
  Prisma.sql`LATERAL (SELECT ${sumsOf(columns)} FROM (
      SELECT ${Prisma.raw(columns.join(', '))} FROM (${stored}) f
        WHERE f.user_address = owner.address AND ${OF_ENTITY}
      UNION ALL SELECT ${sumsOf(columns, '-')} FROM (${records}) f
        WHERE f.user_address = owner.address AND ${OF_ENTITY} AND f.timestamp > h.timestamp) f)`

// The sums of records `f` up to a moment, by entity, without what came after its newest snapshot
// `h`. Each record of the owners is read once.
const sumsUntil = (
  columns: readonly string[],
  records: Prisma.Sql,
  { owners, asOf }: Holder,
) => Prisma.sql`(
    SELECT h.user_address, h.chain_id, h.entity_type, h.entity_id, ${sumsOf(columns)}
    FROM amounts h LEFT JOIN (
      SELECT f.* FROM ${owners} CROSS JOIN LATERAL (
        SELECT * FROM (${records}) f
        WHERE f.user_address = owner.address ${upTo('f.timestamp', asOf)} OFFSET 0) f
    ) f ON f.user_address = h.user_address AND ${OF_ENTITY} AND f.timestamp <= h.timestamp
    GROUP BY 1, 2, 3, 4)`

/** The sums of `FLOWS` and of `REWARDS`. */
export const NET_CASH = ['supplied_assets', 'owed_assets', 'usd', 'tokenless', 'unknown'] as const
export const LIQUIDATIONS = ['sent', 'sent_usd', 'received_usd', 'unsent', 'unreceived'] as const

/** A query of what owners hold in each entity, by its newest snapshot. */
export const amountsHeld = (holder: Holder) => Prisma.sql`
  SELECT h.user_address, h.chain_id, h.entity_type, h.entity_id, max(h.timestamp) AS timestamp,
    sum(h.deposit_usd + h.protected_usd) AS supply, sum(h.debt_usd) AS debt,
    sum(h.supply_assets) AS supply_assets, sum(h.debt_assets) AS debt_assets,
    sum(h.deposit_usd + h.protected_usd + h.debt_usd) AS priced_usd,
    sum(h.priced_assets) AS priced_assets,
    bool_or(h.incomplete) AS incomplete, bool_or(h.unpriced) AS unvalued
  FROM (${holdings(holder)}) h GROUP BY 1, 2, 3, 4`

/**
 * SQL of what was earned until a snapshot: `h` has its amounts, `f` the sums of cash flows up to
 * it, and `l` those of liquidations.
 */
export const earnedUntil = (h: string, f: string, l: string) =>
  Prisma.raw(`${h}.supply_assets - ${f}.supplied_assets + ${l}.sent AS supply_interest,
    ${h}.debt_assets - ${f}.owed_assets AS debt_interest,
    ${h}.supply - ${h}.debt - ${f}.usd + ${l}.received_usd AS profit,
    ${l}.received_usd - ${l}.sent_usd AS liquidation, ${f}.tokenless, ${f}.unknown,
    ${l}.unsent, ${l}.unreceived`)
/** The names of its columns. */
export const EARNED_COLUMNS = [
  ...['supply_interest', 'debt_interest', 'profit', 'liquidation'],
  ...['tokenless', 'unknown', 'unsent', 'unreceived'],
]
const EARNED = earnedUntil('h', 'f', 'l')
const STORED_CASH = Prisma.sql`SELECT user_address, chain_id, entity_type, entity_id,
  supplied_assets, owed_assets, usd + computed AS usd, tokenless, unknown FROM net_cash`
const STORED_LIQUIDATIONS = Prisma.sql`SELECT * FROM net_liquidation`

/** A query of the same, and of what was earned there until the newest snapshot. */
export const earnedByEntity = (holder: Holder) =>
  holder.asOf
    ? Prisma.sql`WITH amounts AS MATERIALIZED (${amountsHeld(holder)})
        SELECT h.*, ${EARNED} FROM amounts h
        JOIN ${sumsUntil(NET_CASH, FLOWS, holder)} f
          USING (user_address, chain_id, entity_type, entity_id)
        JOIN ${sumsUntil(LIQUIDATIONS, REWARDS, holder)} l
          USING (user_address, chain_id, entity_type, entity_id)`
    : Prisma.sql`SELECT h.*, ${EARNED} FROM ${holder.owners}
        JOIN (${amountsHeld(holder)}) h ON h.user_address = owner.address
        CROSS JOIN ${storedUntil(NET_CASH, FLOWS, STORED_CASH)} f
        CROSS JOIN ${storedUntil(LIQUIDATIONS, REWARDS, STORED_LIQUIDATIONS)} l`

// USD are rounded as they are shown, so that the parts add up.
const PARTS = Prisma.raw(`CASE WHEN b.tokenless = 0 THEN b.supply_interest - b.debt_interest END
    AS interest,
  CASE WHEN b.unsent = 0 AND b.unreceived = 0 THEN round(b.liquidation, 6) END AS liquidated,
  CASE WHEN b.unreceived = 0 AND b.unknown = 0 AND NOT b.unvalued THEN round(b.profit, 6) END
    AS profited`)
const PROFIT_AS_SHOWN = Prisma.raw(`${toDouble('i.usd')} AS interest_usd,
  ${toDouble('b.profited - b.liquidated - i.usd')} AS price_usd,
  ${toDouble('b.liquidated')} AS liquidation_usd, ${toDouble('b.profited')} AS profit_usd`)
const TOKEN = Prisma.raw(
  ['address', 'symbol', 'decimals']
    .map((name) => `coalesce(m.asset_${name}, v.asset_${name}) AS asset_${name}`)
    .join(', '),
)

// The interest `i` of an entity `b` in USD: by the price of its snapshot, else by the newest daily
// price up to then. Twelve decimals are enough to round the quotient to six. OFFSET 0 stops the
// planner from computing it in each column that uses it.
const interestUsd = (asOf: Prisma.Sql | undefined) => Prisma.sql`LATERAL (
  SELECT round(CASE WHEN b.interest = 0 THEN 0
    WHEN b.priced_usd > 0 AND b.priced_assets > 0
      THEN b.interest * b.priced_usd * 1.000000000000 / b.priced_assets
    ELSE b.interest * ('1e-' || b.asset_decimals)::numeric * (
      SELECT ${Prisma.raw(exact('p.price_usd'))} FROM asset_price p
      WHERE p.chain_id = b.chain_id AND p.asset_address = b.asset_address
        AND p.date <= coalesce((${asOf ?? Prisma.sql`NULL::timestamptz`} AT TIME ZONE 'UTC')::date,
          'infinity')
      ORDER BY p.date DESC LIMIT 1) END, 6) AS usd OFFSET 0)`

/**
 * A query of the profit of entities, with its parts, from sums `b` of what was earned in each.
 * @param asOf SQL of the moment whose prices value interest; the newest by default
 */
export const profitOfSums = (sums: Prisma.Sql, asOf?: Prisma.Sql) => Prisma.sql`
  SELECT b.*, ${PROFIT_AS_SHOWN}
  FROM (
    SELECT b.*, ${PARTS}, ${TOKEN}, m.pool_address
    FROM (${sums}) b
    LEFT JOIN market m
      ON b.entity_type = 'market' AND m.chain_id = b.chain_id AND m.id = b.entity_id
    LEFT JOIN vault v
      ON b.entity_type = 'vault' AND v.chain_id = b.chain_id AND v.id = b.entity_id
    OFFSET 0) b
  CROSS JOIN ${interestUsd(asOf)} i`
