import { type RowOf, sqlColumns } from 'pothos-sql'
import { snakeCase } from 'pothos-sql/host'
import { moderate } from '../../db/exact-sum.ts'
import { usually } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { BASE, FACTOR_COLUMNS, inForce } from '../multiplier/rule.ts'
import { type BasePoints, sideSql } from './formula.ts'
import { MAX_POINTS, millionthsSql, pointsColumn } from './millionths.ts'

/**
 * SQL of the distribution date after the newest one: its rules are those in force now. In an empty
 * store it is today.
 */
export const NEXT_DATE = `(SELECT coalesce(max(date) + 1, (now() AT TIME ZONE 'UTC')::date)
  FROM distribution)`

/** SQL of a double. The product of three of them stays within doubles. */
export const bounded = (double: string) => moderate(double, 90)

/** The fields of a position that points are counted from. */
export const AMOUNT_FIELDS = ['a', 'b'].flatMap((side) =>
  ['Supplied', 'ProtectedSupplied', 'Borrowed'].map((name) => `${side}${name}AmountUsd`),
)
const AMOUNTS = AMOUNT_FIELDS.map(snakeCase)
// Each expression is written once in a statement: OFFSET 0 keeps the planner from writing it
// wherever it is used.
const each = (row: string, names: string[]) =>
  names.map((name) => `${bounded(`${row}.${name}`)} AS ${name}`).join(', ')

/** A FROM item `b` with the base points of a date, nulls if the settings count. */
export const baseOn = (date: string) =>
  `(SELECT b.* FROM (SELECT 1) one LEFT JOIN (SELECT ${each('r', BASE)}
    FROM base_points_rule r
    WHERE ${inForce('r', date)}) b ON true OFFSET 0) b`

/** A query of the factors that are in force for a date: those of a pool, or of all of them. */
export const factorsOn = (date: string, pool?: string) =>
  `SELECT r.pool_address, ${each('r', FACTOR_COLUMNS)} FROM multiplier_rule r
    WHERE ${inForce('r', date)} ${pool === undefined ? '' : `AND r.pool_address = ${pool}`}
    OFFSET 0`

export const pointsPerDayColumns = sqlColumns({
  pointsPerDay: {
    ...pointsColumn('t.millionths'),
    nullable: true,
    description:
      'The points of the amounts under the rules of the date after the newest ' +
      'distribution date: the run of that date yields them if no amount changes. Null if ' +
      'they are more than a side may have.',
  },
})

export type PointsPerDay = RowOf<typeof pointsPerDayColumns>

/** SQL of points as millionths. Null if they are more than a side may have. */
export const limitedMillionths = (points: string) =>
  `CASE WHEN abs(${points}) <= ${MAX_POINTS} THEN ${millionthsSql(points)} END`

const MILLIONTHS = `${limitedMillionths('s.a')} + ${limitedMillionths('s.b')} AS millionths`

const sidesOf = (base: BasePoints) =>
  (['a', 'b'] as const).map((side) => `${sideSql(base, side, 'p', 'm', 'b')} AS ${side}`).join(', ')

/**
 * The FROM clause for `pointsPerDayColumns`: one position, by its pool's address and
 * `AMOUNT_FIELDS`.
 */
export const pointsPerDayOfPosition =
  (base: BasePoints) =>
  ([pool, ...amounts]: Prisma.Sql[]): Prisma.Sql => {
    const values = Prisma.join(
      amounts.map((amount, i) => Prisma.sql`${amount} AS ${Prisma.raw(AMOUNTS[i] ?? '')}`),
    )
    const p = Prisma.sql`(SELECT ${Prisma.raw(each('v', AMOUNTS))}, v.pool
      FROM (SELECT ${values}, ${pool} AS pool) v OFFSET 0) p`
    return Prisma.sql`FROM (SELECT ${Prisma.raw(MILLIONTHS)}
      FROM (SELECT ${Prisma.raw(sidesOf(base))} FROM ${p}
      CROSS JOIN ${Prisma.raw(baseOn(NEXT_DATE))}
      LEFT JOIN LATERAL (${Prisma.raw(factorsOn(NEXT_DATE, 'p.pool'))}) m ON true OFFSET 0) s) t`
  }

/**
 * The FROM clause for `pointsPerDayColumns`: all positions of a user on the newest distribution
 * date. 0 without any.
 */
export const pointsPerDayOfUser =
  (base: BasePoints) =>
  ([user]: Prisma.Sql[]): Prisma.Sql => {
    const p = Prisma.sql`(SELECT p.pool_address, ${Prisma.raw(each('p', AMOUNTS))} FROM position p
      WHERE p.user_address = ${user}
        AND p.distribution_date = (SELECT max(date) FROM distribution) OFFSET 0) p`
    const factors = usually(
      Prisma.raw(`LATERAL (${factorsOn(NEXT_DATE, 'p.pool_address')}) m ON true`),
      { ifSpread: Prisma.raw(`(${factorsOn(NEXT_DATE)}) m ON m.pool_address = p.pool_address`) },
    )
    const sides = Prisma.sql`SELECT ${Prisma.raw(sidesOf(base))}
      FROM ${p} CROSS JOIN ${Prisma.raw(baseOn(NEXT_DATE))} LEFT JOIN ${factors} OFFSET 0`
    return Prisma.sql`FROM (
      SELECT CASE WHEN count(*) = count(millionths) THEN coalesce(sum(millionths), 0) END
        AS millionths
      FROM (SELECT ${Prisma.raw(MILLIONTHS)} FROM (${sides}) s) each) t`
  }
