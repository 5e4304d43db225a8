import type { Filter } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'

/** SQL of the newest distribution date, or of the last one up to a moment. */
export const lastDate = (asOf?: Date | null): Prisma.Sql =>
  asOf
    ? Prisma.sql`(SELECT max(date) FROM distribution WHERE date <= ${isoDay(asOf)}::date)`
    : Prisma.sql`(SELECT max(date) FROM distribution)`

/**
 * Filters positions by the last distribution date up to a moment. Without one, all positions match.
 */
export const asOfFilter = (asOf: Date | null | undefined): Filter => ({
  where: asOf ? [Prisma.sql`t.distribution_date = ${lastDate(asOf)}`] : [],
})

export const onNewestDate: Filter = { where: [Prisma.sql`t.distribution_date = ${lastDate()}`] }
