import type { Reader } from '../../db/connect/reader.ts'
import { type Listing, selectList } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'

/** A user's amounts in a pool on a distribution date, and the points that they earned. */
export interface Position {
  id: string
  userAddress: string
  marketAddress: string
  distributionDate: Date
  pointsA: number
  pointsB: number
  /** Of both sides. */
  points: number
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

/** Positions, newest distribution date first, then by id. */
export const positionListing: Listing<Position> = {
  name: 'positions',
  from: Prisma.sql`position t LEFT JOIN position_points pp ON pp.distribution_date = t.distribution_date
    AND pp.user_address = t.user_address AND pp.market_address = t.market_address`,
  columns: {
    id: 't.id',
    userAddress: 't.user_address',
    marketAddress: 't.market_address',
    distributionDate: 't.distribution_date',
    pointsA: pointsOf('coalesce(pp.points_a, 0)'),
    pointsB: pointsOf('coalesce(pp.points_b, 0)'),
    points: pointsOf('coalesce(pp.points_a + pp.points_b, 0)'),
    runId: 'pp.run_id',
    given: 'coalesce(pp.given, false)',
    aTokenAddress: 't.a_token_address',
    aTokenSymbol: 't.a_token_symbol',
    aTokenPrice: 't.a_token_price',
    aSuppliedAmount: 't.a_supplied_amount',
    aSuppliedAmountUsd: 't.a_supplied_amount_usd',
    aProtectedSuppliedAmount: 't.a_protected_supplied_amount',
    aProtectedSuppliedAmountUsd: 't.a_protected_supplied_amount_usd',
    aBorrowedAmount: 't.a_borrowed_amount',
    aBorrowedAmountUsd: 't.a_borrowed_amount_usd',
    bTokenAddress: 't.b_token_address',
    bTokenSymbol: 't.b_token_symbol',
    bTokenPrice: 't.b_token_price',
    bSuppliedAmount: 't.b_supplied_amount',
    bSuppliedAmountUsd: 't.b_supplied_amount_usd',
    bProtectedSuppliedAmount: 't.b_protected_supplied_amount',
    bProtectedSuppliedAmountUsd: 't.b_protected_supplied_amount_usd',
    bBorrowedAmount: 't.b_borrowed_amount',
    bBorrowedAmountUsd: 't.b_borrowed_amount_usd',
  },
  order: [
    { column: 't.distribution_date', field: 'distributionDate', type: 'date', direction: 'DESC' },
    { column: 't.id', field: 'id', type: 'text', direction: 'ASC' },
  ],
}

/** The positions with these ids, in their order; null where there is none. */
export async function positionsById(reader: Reader, ids: readonly string[]): Promise<(Position | null)[]> {
  const rows = await reader.$queryRaw<Position[]>`
    SELECT ${selectList(positionListing.columns)} FROM ${positionListing.from} WHERE t.id = ANY(${[...ids]}::text[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** A date as the store writes it: YYYY-MM-DD, in UTC. */
export const isoDate = (date: Date): string => date.toISOString().slice(0, 10)
