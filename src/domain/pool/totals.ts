import { type Columns, type RowOf, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { lastDateSql } from '../leaderboard/leaderboard.ts'
import { pointsOf } from '../points/millionths.ts'
import { amountColumns, ofBothSides, ofSide, tokenColumns, tokensOfSide } from './amounts.ts'

const pointsOfDate = (millionths: string, whose: string) =>
  ({
    sql: pointsOf(`coalesce(${millionths}, 0)`),
    type: 'decimal',
    description: `Points of ${whose} on the date.`,
  }) as const

const ON_THE_DATE = { date: 'the date', nullable: false } as const

/** The columns of a pool's totals as of a distribution date. */
export const poolTotalsColumns = sqlColumns({
  date: { sql: 't.date', type: 'date', description: 'The distribution date.' },
  poolAddress: { sql: 't.pool_address', type: 'address' },
  totalPoints: {
    sql: pointsOf(`(SELECT coalesce(sum(s.a_points + s.b_points), 0) FROM pool_day s
        WHERE s.pool_address = t.pool_address AND s.distribution_date <= t.date)`),
    type: 'decimal',
    description: "Points of the pool's positions up to and including the date.",
  },
  points: pointsOfDate('d.a_points + d.b_points', "the pool's positions"),
  positionCount: {
    sql: 'coalesce(d.position_count, 0)',
    type: 'int',
    description: 'Number of positions on the date, one per user.',
  },
  ...amountColumns(ofBothSides, ON_THE_DATE),
})

const sideColumns = (side: 'a' | 'b', unit: 'unit_1_id' | 'unit_2_id') =>
  sqlColumns({
    points: pointsOfDate(`d.${side}_points`, "the side's amounts"),
    ...amountColumns(ofSide(side), ON_THE_DATE),
    ...tokenColumns(tokensOfSide(side), { ...ON_THE_DATE, decimals: 'assetDecimals' }),
    assetDecimals: {
      sql: `(SELECT m.asset_decimals FROM pool p
        JOIN market m ON m.chain_id = p.chain_id AND m.id = p.${unit}
        WHERE p.id = t.pool_address)`,
      type: 'int',
      nullable: true,
    },
  })

const sides = { a: sideColumns('a', 'unit_1_id'), b: sideColumns('b', 'unit_2_id') }

export type PoolSideTotals = RowOf<typeof sides.a>

export const poolSideColumns = sides.a

/** The name in `poolTotalsRow` of a side's column. */
export const columnOfSide = (side: 'a' | 'b', name: string) =>
  side + name.charAt(0).toUpperCase() + name.slice(1)

/** All columns of a pool's totals: its own, and those of both sides. */
export const poolTotalsRow: typeof poolTotalsColumns & Columns = {
  ...poolTotalsColumns,
  ...Object.fromEntries(
    (['a', 'b'] as const).flatMap((side) =>
      Object.entries(sides[side]).map(([name, column]) => [columnOfSide(side, name), column]),
    ),
  ),
}

export type PoolTotals = RowOf<typeof poolTotalsColumns>

/**
 * The FROM clause for `poolTotalsRow`: a pool's totals as of a date; null means the newest
 * one. Amounts are 0 without a position. No row before the first distribution date.
 */
export const poolTotalsSql = (pool: Prisma.Sql, asOf: Prisma.Sql): Prisma.Sql => Prisma.sql`FROM (
    SELECT ${pool} AS pool_address, date
      FROM (${lastDateSql(Prisma.sql`coalesce(${asOf}, 'infinity')`)}) l
    WHERE date IS NOT NULL) t
  LEFT JOIN pool_day d ON d.pool_address = t.pool_address AND d.distribution_date = t.date`
