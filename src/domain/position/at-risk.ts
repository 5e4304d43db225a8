import { type RowOf, sqlColumns } from 'pothos-sql'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { lastDate } from './filter.ts'
import { healthFactorSql, joinedThreshold, liquidationDropSql, withMarkets } from './health.ts'

/** The drops of the collateral's price if the client names none. */
export const DROPS = [0.05, 0.1, 0.2, 0.3, 0.5]

export const MOST_DROPS = 20

const IF_UNKNOWN = 'Null if there are such positions, and none of them has a known health factor.'

export const atRiskColumns = sqlColumns({
  drop: {
    sql: 't.drop',
    type: 'float',
    description: 'The fraction by which the price of the collateral falls: 0.2 is 20 %.',
  },
  positionCount: {
    sql: 't.positions',
    type: 'int',
    nullable: true,
    description:
      'The number of positions, one per user in each pool, that can be liquidated then: those ' +
      `whose \`liquidationDrop\` is at most \`drop\`, and those whose \`healthFactor\` is 0. ` +
      `${IF_UNKNOWN}`,
  },
  collateralUsd: {
    sql: toDouble('t.collateral'),
    type: 'float',
    nullable: true,
    description: `Their collateral before the fall, in USD. ${IF_UNKNOWN}`,
  },
  debtUsd: {
    sql: toDouble('t.debt'),
    type: 'float',
    nullable: true,
    description: `The debt that it backs, in USD. ${IF_UNKNOWN}`,
  },
  unknownPositionCount: {
    sql: 't.unknown_positions',
    type: 'int',
    description: 'Number of positions with debt but an unknown threshold or price.',
  },
  unknownCollateralUsd: {
    sql: toDouble('t.unknown_collateral'),
    type: 'float',
    nullable: true,
    description: 'Collateral of those not counted, in USD, where priced. Else null.',
  },
  unknownDebtUsd: {
    sql: toDouble('t.unknown_debt'),
    type: 'float',
    nullable: true,
    description: 'The debt of those not counted, in USD, where priced. Else null.',
  },
})

/** The positions that a drop of the collateral's price liquidates. */
export type AtRisk = RowOf<typeof atRiskColumns>

// Drops that a client may ask for. Throws BAD_INPUT.
function assertDrops(drops: readonly number[]): void {
  if (drops.length > MOST_DROPS)
    throw badArgument('drops', `has ${drops.length} values, at most ${MOST_DROPS} are allowed`)
  if (!drops.every((drop) => drop > 0 && drop <= 1))
    throw badArgument('drops', 'must be fractions above 0 and at most 1: 0.2 is 20 %')
}

// A side's collateral, the debt on the other side that it backs, and whether there is such debt.
// Null if tokens have no price.
function sideOf(side: 'a' | 'b', other: 'a' | 'b') {
  const worth = (
    ...amounts: string[]
  ) => `CASE WHEN ${amounts.map((amount) => `t.${amount}_usd > 0`).join(' OR ')}
    THEN ${amounts.map((amount) => exact(`t.${amount}_usd`)).join(' + ')}
    WHEN ${amounts.map((amount) => `t.${amount} = 0`).join(' AND ')} THEN 0 END`
  return {
    owes: `greatest(t.${other}_borrowed_amount, t.${other}_borrowed_amount_usd) > 0`,
    collateral: worth(`${side}_supplied_amount`, `${side}_protected_supplied_amount`),
    debt: worth(`${other}_borrowed_amount`),
  }
}
const A = sideOf('a', 'b')
const B = sideOf('b', 'a')

/** SQL of the collateral that backs debt of a side that counts, or of it. Null without a price. */
export const worthOfSides = (
  part: 'collateral' | 'debt',
  [ofA, ofB] = [Prisma.raw(A.owes), Prisma.raw(B.owes)] as const,
): Prisma.Sql => Prisma.sql`CASE WHEN ${ofA} THEN ${Prisma.raw(A[part])} ELSE 0 END
  + CASE WHEN ${ofB} THEN ${Prisma.raw(B[part])} ELSE 0 END`

const summed = (column: string) => `CASE WHEN bool_and(NOT p.known) IS NOT TRUE
  THEN coalesce(sum(p.${column}) FILTER (WHERE p.first_drop <= d.drop), 0) END AS ${column}`
const unknown = (column: string) => `CASE WHEN bool_and(p.known) IS NOT FALSE THEN 0
  ELSE sum(p.${column}) FILTER (WHERE NOT p.known) END AS unknown_${column}`
const SUMS = ['positions', 'collateral', 'debt']
  .flatMap((column) => [summed(column), unknown(column)])
  .join(', ')

/**
 * The FROM clause for `atRiskColumns`: for each drop of the price of a market's token what it would
 * liquidate where the token is the collateral. Each position of the pool on the newest distribution
 * date is read once. No row if the pool is not stored.
 */
export function atRiskSql(
  drops: readonly number[],
  pool: Prisma.Sql,
  market: Prisma.Sql,
): Prisma.Sql {
  assertDrops(drops)
  const [ofA, ofB] = (
    [
      ['u.unit_1_id', A],
      ['u.unit_2_id', B],
    ] as const
  ).map(
    ([unit, { owes }]) => Prisma.sql`${Prisma.raw(unit)} = ${market} AND ${Prisma.raw(owes)}`,
  ) as [Prisma.Sql, Prisma.Sql]
  // Among falling numbers, as width_bucket needs them to rise.
  const rising = drops.map((drop) => -drop).sort((one, other) => one - other)
  const falling = Prisma.sql`${rising.map(String)}::float8[]`
  return Prisma.sql`FROM (
    SELECT d.drop, d.n, ${Prisma.raw(SUMS)}
    FROM pool u CROSS JOIN unnest(${drops.map(String)}::float8[]) WITH ORDINALITY d(drop, n)
    LEFT JOIN (
      SELECT p.known, p.first_drop, count(*) AS positions, sum(p.collateral) AS collateral,
        sum(p.debt) AS debt
      FROM (
        SELECT p.health IS NOT NULL AS known, p.collateral, p.debt,
          CASE p.health WHEN 0 THEN 0
            ELSE -(${falling})[width_bucket(-p.drop, ${falling})] END AS first_drop
        FROM (
          SELECT ${Prisma.raw(healthFactorSql(joinedThreshold))} AS health,
            ${Prisma.raw(liquidationDropSql(healthFactorSql(joinedThreshold)))} AS drop,
            ${worthOfSides('collateral', [ofA, ofB])} AS collateral,
            ${worthOfSides('debt', [ofA, ofB])} AS debt
          FROM ${withMarkets(Prisma.sql`pool u`, lastDate())}
          JOIN position t ON t.pool_key = u.key AND t.distribution_date = ${lastDate()}
          WHERE u.id = ${pool} AND (${ofA} OR ${ofB})) p) p
      GROUP BY 1, 2) p ON true
    WHERE u.id = ${pool} GROUP BY d.drop, d.n) t ORDER BY t.n`
}
