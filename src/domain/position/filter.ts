import type { Filter } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDate } from './position.ts'

export interface PositionFilter {
  user?: string | null
  pool?: string | null
  /** Tokens. A position matches if either of its two is among them. */
  assets?: string[] | null
  date?: Date | null
  /** Only positions of the last distribution date up to this moment. */
  asOf?: Date | null
}

/** Filters positions by all given conditions. Each token is a separate branch, so that its index serves it. */
export function positionFilter({ user, pool, assets, date, asOf }: PositionFilter): Filter {
  const where: Prisma.Sql[] = []
  if (user) where.push(Prisma.sql`t.user_address = ${user}`)
  if (typeof pool === 'string') where.push(Prisma.sql`t.market_address = ${pool}`)
  if (date) where.push(Prisma.sql`t.distribution_date = ${isoDate(date)}::date`)
  if (asOf)
    where.push(
      Prisma.sql`t.distribution_date = (SELECT max(date) FROM distribution WHERE date <= ${isoDate(asOf)}::date)`,
    )
  if (!assets) return { where }
  const tokens = [...new Set(assets)]
  return {
    where,
    branches: tokens.flatMap((token) => [
      Prisma.sql`t.a_token_address = (SELECT ${token}::text)`,
      Prisma.sql`t.b_token_address = (SELECT ${token}::text)`,
    ]),
  }
}

/** Filters positions by the newest distribution date. */
export const onNewestDate: Filter = {
  where: [Prisma.sql`t.distribution_date = (SELECT max(date) FROM distribution)`],
}
