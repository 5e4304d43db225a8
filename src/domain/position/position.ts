import type { Listing } from '../../db/listing.ts'
import type { Reader } from '../../db/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** A user's amounts in a pool on a distribution date, and the points that they earned. */
export interface Position {
  id: string
  userAddress: string
  marketAddress: string
  distributionDate: Date
  pointsA: number
  pointsB: number
  /** The run that gave the points; null: it was before runs were recorded. */
  runId: bigint | null
  /** The points came with an import. */
  given: boolean
  aTokenAddress: string
  aTokenSymbol: string
  aTokenPrice: number
  aSuppliedAmount: number
  aSuppliedAmountUsd: number
  aProtectedSuppliedAmount: number
  aProtectedSuppliedAmountUsd: number
  aBorrowedAmount: number
  aBorrowedAmountUsd: number
  bTokenAddress: string
  bTokenSymbol: string
  bTokenPrice: number
  bSuppliedAmount: number
  bSuppliedAmountUsd: number
  bProtectedSuppliedAmount: number
  bProtectedSuppliedAmountUsd: number
  bBorrowedAmount: number
  bBorrowedAmountUsd: number
}

const side = (s: 'a' | 'b') => `
  t.${s}_token_address AS "${s}TokenAddress", t.${s}_token_symbol AS "${s}TokenSymbol", t.${s}_token_price AS "${s}TokenPrice",
  t.${s}_supplied_amount AS "${s}SuppliedAmount", t.${s}_supplied_amount_usd AS "${s}SuppliedAmountUsd",
  t.${s}_protected_supplied_amount AS "${s}ProtectedSuppliedAmount",
  t.${s}_protected_supplied_amount_usd AS "${s}ProtectedSuppliedAmountUsd",
  t.${s}_borrowed_amount AS "${s}BorrowedAmount", t.${s}_borrowed_amount_usd AS "${s}BorrowedAmountUsd"`

/** Positions, newest distribution date first, then by id. */
export const positionListing: Listing<Position> = {
  name: 'positions',
  from: Prisma.sql`position t LEFT JOIN position_points pp ON pp.distribution_date = t.distribution_date
    AND pp.user_address = t.user_address AND pp.market_address = t.market_address`,
  columns: Prisma.raw(`t.id, t.user_address AS "userAddress", t.market_address AS "marketAddress",
    t.distribution_date AS "distributionDate", coalesce(pp.points_a, 0) AS "pointsA", coalesce(pp.points_b, 0) AS "pointsB",
    pp.run_id AS "runId", coalesce(pp.given, false) AS given,
    ${side('a')}, ${side('b')}`),
  order: [
    { column: 't.distribution_date', field: 'distributionDate', type: 'date', direction: 'DESC' },
    { column: 't.id', field: 'id', type: 'text', direction: 'ASC' },
  ],
}

/** The positions with these ids, in their order; null where there is none. */
export async function positionsById(reader: Reader, ids: readonly string[]): Promise<(Position | null)[]> {
  const rows = await reader.$queryRaw<Position[]>`
    SELECT ${positionListing.columns} FROM ${positionListing.from} WHERE t.id = ANY(${[...ids]}::text[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** A user's positions on a date, by pool, then id: for each pair of the two, in order. */
export async function positionsOfDays(
  reader: Reader,
  days: readonly { userAddress: string; distributionDate: Date }[],
): Promise<Position[][]> {
  const users = days.map((day) => day.userAddress)
  const dates = days.map((day) => isoDate(day.distributionDate))
  const rows = await reader.$queryRaw<(Position & { place: number })[]>`
    SELECT day.place::int AS place, ${positionListing.columns}
    FROM unnest(${users}::text[], ${dates}::date[]) WITH ORDINALITY AS day(user_address, distribution_date, place)
    JOIN ${positionListing.from} ON t.user_address = day.user_address AND t.distribution_date = day.distribution_date
    ORDER BY place, t.market_address, t.id`
  const found: Position[][] = days.map(() => [])
  for (const row of rows) found[row.place - 1]?.push(row)
  return found
}

/** A date as the store writes it: YYYY-MM-DD, in UTC. */
export const isoDate = (date: Date): string => date.toISOString().slice(0, 10)
