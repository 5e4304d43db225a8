import { sqlColumns } from 'pothos-sql'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { DAY_MS, isoDay } from '../../time.ts'
import { lastDate } from './filter.ts'
import { healthFactorSql, LTV, storedThreshold } from './health.ts'

const MOST_DATES = 1000

export const healthColumns = sqlColumns({
  date: { sql: 't.distribution_date', type: 'date', description: 'The distribution date.' },
  healthFactor: {
    sql: `min(${healthFactorSql(storedThreshold)})`,
    type: 'float',
    nullable: true,
    description:
      'The `healthFactor` of the position, or the lowest of several. Null if none is known.',
  },
  ltv: {
    sql: `max(${LTV})`,
    type: 'float',
    nullable: true,
    description:
      'The `ltv` of the position as a fraction, or the highest of several. Null if none is known.',
  },
})

interface HealthArguments {
  pool?: string | null
  from: Date
  to: Date
}

/**
 * The FROM clause for `healthColumns`: the dates between two, both included, on which a user has
 * positions, of all pools or of one.
 * @throws BAD_INPUT for too many dates
 */
export function healthSeriesSql({ pool, from, to }: HealthArguments, user: Prisma.Sql): Prisma.Sql {
  if (to.getTime() - from.getTime() >= MOST_DATES * DAY_MS)
    throw badArgument('to', `must be less than ${MOST_DATES} days after from`)
  if (to < from) throw badArgument('to', 'must not be before from')
  const inPool = pool
    ? Prisma.sql`AND t.pool_key = (SELECT p.key FROM pool p WHERE p.id = ${pool})`
    : Prisma.empty
  return Prisma.sql`FROM position t WHERE t.user_address = ${user}
    AND t.distribution_date BETWEEN ${isoDay(from)}::date AND ${isoDay(to)}::date ${inPool}
    GROUP BY t.distribution_date ORDER BY t.distribution_date`
}

/** The FROM clause for `healthColumns` but the date: the positions of a user now. */
export const currentHealthSql = (user: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`FROM position t WHERE t.user_address = ${user}
    AND t.distribution_date = ${lastDate()}`
