import type { Filter } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDate } from './position.ts'

/** Filters positions by the last distribution date up to a moment. Without one, all positions match. */
export const asOfFilter = (asOf: Date | null | undefined): Filter => ({
  where: asOf
    ? [Prisma.sql`t.distribution_date = (SELECT max(date) FROM distribution WHERE date <= ${isoDate(asOf)}::date)`]
    : [],
})

/** Filters positions by the newest distribution date. */
export const onNewestDate: Filter = {
  where: [Prisma.sql`t.distribution_date = (SELECT max(date) FROM distribution)`],
}
