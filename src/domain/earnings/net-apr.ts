import type { Reader } from '../../db/reader.ts'
import { type Holding, holdingsOf } from '../holding/holding.ts'
import { largestFirst } from './earnings.ts'

export interface NetApr {
  /** Weighted by deposits in USD, a fraction a year; 0 with nothing deposited. */
  earnNetApr: number
  /** Weighted by debts in USD, a fraction a year; 0 with nothing borrowed. */
  borrowNetApr: number
  totalEarnDepositsUsd: number
  totalBorrowUsd: number
  /** By deposit + debt, largest first, then by chain, type and id. */
  breakdown: Holding[]
}

/** The net APR of each user, over every entity in which the user has a snapshot. A missing price counts as 0. */
export async function netAprOf(reader: Reader, users: readonly string[], chainId: number | null): Promise<NetApr[]> {
  return (await holdingsOf(reader, users, chainId)).map(netAprFrom)
}

/** The net APR of holdings. */
export function netAprFrom(holdings: Holding[]): NetApr {
  const breakdown = holdings.toSorted(largestFirst((one) => one.depositUsd + one.debtUsd))
  const total = (value: (one: Holding) => number) => breakdown.reduce((sum, one) => sum + value(one), 0)
  const totalEarnDepositsUsd = total((one) => one.depositUsd)
  const totalBorrowUsd = total((one) => one.debtUsd)
  const average = (weighted: number, weight: number) => (weight === 0 ? 0 : weighted / weight)
  return {
    earnNetApr: average(
      total((one) => one.depositUsd * one.depositRate),
      totalEarnDepositsUsd,
    ),
    borrowNetApr: average(
      total((one) => one.debtUsd * one.borrowRate),
      totalBorrowUsd,
    ),
    totalEarnDepositsUsd,
    totalBorrowUsd,
    breakdown,
  }
}
