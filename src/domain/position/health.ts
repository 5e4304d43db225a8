/**
 * How close a position is to liquidation. A user's supply on one side of a pool, borrowable or
 * protected, is the collateral of their debt on the other side. The formulas are those of Silo's
 * LTV and Aave's health factor:
 *
 *   ltv          = Σ debt / Σ collateral
 *   healthFactor = Σ (collateral × its market's liquidationThreshold) / Σ debt
 *
 * The sums are over both sides; the collateral of a side counts only if there is debt on the other.
 * Both are null without debt, and if such tokens have no price, which are stored with a worth of 0.
 * Without collateral the LTV is null and the health factor is 0. The health factor is null if the
 * threshold of a market with such collateral is not known. From both follow
 *
 *   liquidationDrop     = 1 - 1 / healthFactor
 *   liquidationPriceUsd     = the collateral's price / healthFactor, if only one side has debt
 *   liquidationDebtPriceUsd = the debt's price × healthFactor, likewise
 *   liquidationRatio        = the collateral's price / the debt's price / healthFactor, likewise
 *   borrowingPowerUsd   = Σ (collateral × its market's maxLtv) - Σ debt
 */

import type { ColumnSql, Where } from 'pothos-sql'
import { usually } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'

type Side = 'a' | 'b'

const OTHER = { a: 'b', b: 'a' } as const

/** SQL of whether a side has collateral that backs debt. */
export const backsDebt = (side: Side) =>
  `t.${OTHER[side]}_borrowed_amount_usd > 0 AND (t.${side}_supplied_amount > 0
    OR t.${side}_protected_supplied_amount > 0)`

// Doubles near 0 are 0, and large ones are bounded, so that products and quotients stay within
// doubles.
const LEAST = '1e-140'
const clamped = (column: string) => `least(greatest(t.${column}, -1e140), 1e140)`
const isNothing = (sum: string) => `abs(${sum}) < ${LEAST}`

const isInDebt = (side: Side) => `t.${side}_borrowed_amount_usd >= ${LEAST}`

// The debt of a side. Null if tokens have no price.
const debtOf = (side: Side) => `CASE WHEN ${isInDebt(side)}
    THEN ${clamped(`${side}_borrowed_amount_usd`)}
    WHEN ${isNothing(`t.${side}_borrowed_amount`)} THEN 0 END`

const DEBT = `nullif((${debtOf('a')}) + (${debtOf('b')}), 0)`

/** SQL of a limit of a side's market. */
export type Weight = (side: Side) => string

// The sum of the collateral that backs debt, weighted. No other side's weight is looked up.
function collateral(weight: Weight): string {
  const ofSide = (side: Side) => {
    const [usd, tokens] = ['_usd', ''].map(
      (unit) =>
        `(${clamped(`${side}_supplied_amount${unit}`)}
      + ${clamped(`${side}_protected_supplied_amount${unit}`)})`,
    ) as [string, string]
    return `CASE WHEN t.${OTHER[side]}_borrowed_amount_usd < ${LEAST} THEN 0
    WHEN ${usd} >= ${LEAST} THEN ${usd} * ${weight(side)} WHEN ${isNothing(tokens)} THEN 0 END`
  }
  return `(${ofSide('a')} + ${ofSide('b')})`
}

export const LTV = `(${DEBT} / nullif(${collateral(() => '1')}, 0))`

export const healthFactorSql = (threshold: Weight) => `(${collateral(threshold)} / ${DEBT})`

/**
 * SQL of the health factor after the prices of both sides are multiplied by the factors of the FROM
 * item `f`.
 */
export const shockedHealthSql = (threshold: Weight) =>
  `(${collateral((side) => `${threshold(side)} * f.${side}_factor`)}
    / nullif((${debtOf('a')}) * f.a_factor + (${debtOf('b')}) * f.b_factor, 0))`

/**
 * SQL of the fraction by which the price of the collateral must fall until the position can be
 * liquidated.
 */
export const liquidationDropSql = (healthFactor: string) => `(1 - 1 / nullif(${healthFactor}, 0))`

// SQL over the columns of a position: a value that differs by the side of the debt. Null if both
// sides have debt.
type Derived = (column: ColumnSql) => string
type OfSide = (side: Side, column: ColumnSql) => string
const byDebt =
  (value: OfSide): Derived =>
  (column) => {
    const [a, b] = (['a', 'b'] as const).map(
      (side) => `(${column(`${side}BorrowedAmountUsd`)} >= ${LEAST})`,
    )
    return `CASE WHEN ${a} = ${b} THEN NULL
      WHEN ${a} THEN ${value('a', column)} ELSE ${value('b', column)} END`
  }

const price: OfSide = (side, column) =>
  `CASE WHEN ${column(`${side}TokenPrice`)} >= 1e-90
    THEN least(${column(`${side}TokenPrice`)}, 1e90) END`

// Within these, products and quotients with moderate numbers stay within doubles.
const health: Derived = (column) => `least(greatest(${column('healthFactor')}, 1e-100), 1e100)`

// Null if the health factor is null or 0.
const ofHealth =
  (value: Derived): Derived =>
  (column) =>
    `(CASE WHEN ${column('healthFactor')} > 0 THEN ${value(column)} END)`

// True if the debt must rise, as the collateral is stable. Else the collateral must fall.
const rises = byDebt((debt, column) => `${column('mover')} = '${debt}'`)
const named = (name: string) =>
  byDebt((debt, column) => {
    const [owed, backing] = [column(`${debt}${name}`), column(`${OTHER[debt]}${name}`)]
    return `CASE WHEN ${column('mover')} = '${debt}' THEN ${owed} ELSE ${backing} END`
  })
const against = (name: string) =>
  byDebt((debt, column) => `CASE WHEN ${column('mover')} = 'both' THEN ${column(debt + name)} END`)

const collateralPrice = ofHealth(
  byDebt((debt, column) => `(${price(OTHER[debt], column)}) / ${health(column)}`),
)
const debtPrice = ofHealth(byDebt((debt, column) => `(${price(debt, column)}) * ${health(column)}`))
const ratio = ofHealth(
  byDebt(
    (debt, column) =>
      `(${price(OTHER[debt], column)}) / (${price(debt, column)}) / ${health(column)}`,
  ),
)

/**
 * SQL of the columns of a position that follow from its health factor: the prices that liquidate
 * it, and the parts of its trigger, which is the one of them that moves.
 */
export const liquidation = {
  collateralPrice,
  debtPrice,
  ratio,
  triggerAddress: ofHealth(named('TokenAddress')),
  triggerSymbol: named('TokenSymbol'),
  triggerAgainstAddress: against('TokenAddress'),
  triggerAgainstSymbol: against('TokenSymbol'),
  triggerDirection: (column) => `CASE WHEN ${rises(column)} THEN 'UP' ELSE 'DOWN' END`,
  triggerPriceUsd: (column) => `CASE WHEN ${column('mover')} = 'both' THEN NULL
    WHEN ${rises(column)} THEN ${debtPrice(column)} ELSE ${collateralPrice(column)} END`,
  triggerRatio: (column) => `CASE WHEN ${column('mover')} = 'both' THEN ${ratio(column)} END`,
  triggerChange: ofHealth(
    (column) =>
      `CASE WHEN ${rises(column)} THEN ${health(column)} ELSE 1 / ${health(column)} END - 1`,
  ),
} satisfies Record<string, Derived>

// Null if the limit is.
const clampedLimit = (limit: string) =>
  `CASE WHEN ${limit} >= ${LEAST} THEN least(${limit}, 1e140) WHEN ${limit} < ${LEAST} THEN 0 END`

type LoanLimit = 'liquidation_threshold' | 'max_ltv'

// A limit of a market `m` on a date. A change of limits counts from the date on that is the newest
// then: earlier ones have the previous limits.
function limitOn(limit: LoanLimit, date: Prisma.Sql): Prisma.Sql {
  const [past, now] = [`m.past_${limit}s`, `m.${limit}`].map((column) => Prisma.raw(column))
  return Prisma.sql`coalesce(${past}[width_bucket(${date}, m.limits_until) + 1], ${now})`
}

const UNIT = { a: 'unit_1_id', b: 'unit_2_id' }

const storedLimit = (side: Side, limit: LoanLimit) =>
  `(SELECT ${clampedLimit(limitOn(limit, Prisma.raw('t.distribution_date')).sql)} FROM pool p
    JOIN market m ON m.chain_id = p.chain_id AND m.id = p.${UNIT[side]}
    WHERE p.key = t.pool_key)`

/** Looks the threshold up by the position's pool. */
export const storedThreshold: Weight = (side) => storedLimit(side, 'liquidation_threshold')

/** Reads the threshold from the joins of `withMarkets`. */
export const joinedThreshold: Weight = (side) =>
  `(${clampedLimit(`${side}.liquidation_threshold`)})`

/** SQL of what could still be borrowed. */
export const BORROWING_POWER = `(${collateral((side) => storedLimit(side, 'max_ltv'))} - ${DEBT})`

const supply = (side: Side) =>
  `least(t.${side}_supplied_amount_usd, 1e140) + ` +
  `least(t.${side}_protected_supplied_amount_usd, 1e140)`
const SUPPLY = `(CASE WHEN t.b_borrowed_amount_usd > 0 THEN ${supply('a')} ELSE 0 END
    + CASE WHEN t.a_borrowed_amount_usd > 0 THEN ${supply('b')} ELSE 0 END)`

// True if a position has debt, and its collateral for each dollar of it: the index
// `stored_position_coverage_idx` is on both. Beyond what doubles hold the coverage is less than the
// quotient.
const INDEBTED = '(t.a_borrowed_amount_usd > 0 OR t.b_borrowed_amount_usd > 0)'
const COVERAGE = `(CASE WHEN ${SUPPLY} > 1e-150
    AND t.a_borrowed_amount_usd < 1e150 AND t.b_borrowed_amount_usd < 1e150
    THEN ${SUPPLY} / greatest(
      greatest(t.a_borrowed_amount_usd, 0) + greatest(t.b_borrowed_amount_usd, 0), 1e-150)
    ELSE 0 END)`

/**
 * Joins pools `u` with the markets of their sides, whose limits on a date `joinedThreshold` reads.
 */
export function withMarkets(pools: Prisma.Sql, date: Prisma.Sql): Prisma.Sql {
  const threshold = limitOn('liquidation_threshold', date)
  const markets = Prisma.sql`(
    SELECT m.chain_id, m.id, ${threshold} AS liquidation_threshold FROM market m)`
  return Prisma.sql`${pools}
    LEFT JOIN ${markets} a ON a.chain_id = u.chain_id AND a.id = u.unit_1_id
    LEFT JOIN ${markets} b ON b.chain_id = u.chain_id AND b.id = u.unit_2_id`
}

/**
 * The FROM items of a date's positions, as `t`, whose health factor may be at most `most`. As it is
 * at least the coverage times the pool's lower threshold, an index gives few others. A pool without
 * thresholds has health factors of 0 alone.
 * @param most a number, or SQL over the pools `u` and their markets `a` and `b`. With infinity, all
 * positions with debt
 */
export function positionsUpTo(
  most: number | Prisma.Sql,
  date: Prisma.Sql,
  pools = Prisma.sql`pool u`,
): Prisma.Sql {
  const limit = typeof most === 'number' ? Prisma.sql`${String(most)}::numeric` : most
  const lower = Prisma.sql`least(a.liquidation_threshold, b.liquidation_threshold)::numeric`
  // The factor covers what doubles round off.
  const bound = Prisma.sql`CASE WHEN ${lower} = 0 OR ${limit} = 'Infinity' THEN 'Infinity'
    ELSE least(greatest(${limit} * 1.000001 / ${lower}, 1e-300), 1e300)::float8 END`
  const matches = Prisma.sql`t.pool_key = u.key AND t.distribution_date = ${date}
    AND ${Prisma.raw(INDEBTED)} AND ${Prisma.raw(COVERAGE)} <= ${bound}`
  const positions = usually(
    Prisma.sql`CROSS JOIN LATERAL (SELECT * FROM position t WHERE ${matches} OFFSET 0) t`,
    { ifSpread: Prisma.sql`JOIN position t ON ${matches}` },
  )
  return Prisma.sql`${withMarkets(pools, date)} ${positions}`
}

/**
 * The largest health factor that a filter allows by limits of it or of the drop to liquidation,
 * Infinity if they are only lower ones. Undefined if it limits neither, or names users or a pool,
 * whose positions are few.
 */
export function mostHealth(where: Where | null | undefined): number | undefined {
  const { users, pools, healthFactor, liquidationDrop } = where ?? {}
  if (users || (pools as unknown[] | null | undefined)?.length === 1) return undefined
  const limits = [upperLimit(healthFactor), healthAt(upperLimit(liquidationDrop))].filter(
    (most) => most !== undefined,
  )
  return limits.length > 0 ? Math.min(...limits) : undefined
}

type NumberRange = { [bound in 'eq' | 'lt' | 'lte' | 'gt' | 'gte']?: number | null }

function upperLimit(range: unknown): number | undefined {
  const { lt, lte, gt, gte } = (range ?? {}) as NumberRange
  const upper = [lt, lte].filter((bound) => typeof bound === 'number')
  if (upper.length > 0) return Math.min(...upper)
  return typeof (gt ?? gte) === 'number' ? Number.POSITIVE_INFINITY : undefined
}

// The health factor of a drop. Above 99.9 % doubles round the drop too much.
function healthAt(drop: number | undefined): number | undefined {
  if (drop === undefined) return undefined
  return drop < 0.999 ? 1 / (1 - drop) : Number.POSITIVE_INFINITY
}
