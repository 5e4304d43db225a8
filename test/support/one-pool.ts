import { importDataset } from '../../src/domain/dataset/import.ts'
import { datasetOf, type Files } from './datasets.ts'
import type { Gateway } from './gateway.ts'
import { silent } from './store.ts'

export const POOL = `0x${'1'.repeat(40)}`
export const ANN = `0x${'a'.repeat(40)}`
export const BEN = `0x${'b'.repeat(40)}`
export const CAT = `0x${'c'.repeat(40)}`
export const DAY = '2026-03-02'

/** The distribution date of a day. */
export const midnight = (day: string) => `${day}T00:00:00.000Z`

export const pool = {
  id: POOL,
  chainId: 1,
  marketId: 7,
  name: 'S/USDC',
  asset_1_address: `0x${'2'.repeat(40)}`,
  asset_1_name: 'S',
  asset_1_symbol: 'S',
  asset_2_address: `0x${'3'.repeat(40)}`,
  asset_2_name: 'USDC',
  asset_2_symbol: 'USDC',
  createdTimestamp: 1,
  interestLastUpdated: 1,
  unit_1_id: `0x${'4'.repeat(40)}`,
  unit_2_id: `0x${'5'.repeat(40)}`,
}

export const multiplier = {
  poolAddress: POOL,
  deposit_tokenA: 2,
  deposit_tokenB: 1,
  borrow_tokenA: 1,
  borrow_tokenB: 4,
}

/**
 * A position of `DAY` with dollars of token A supplied: with `multiplier`, it has twice as many
 * points.
 */
export const position = (userAddress: string, aUsd: number, more: object = {}) => ({
  userAddress,
  marketAddress: POOL,
  distributionDate: midnight(DAY),
  aTokenAddress: pool.asset_1_address,
  aTokenSymbol: 'S',
  aTokenPrice: 1,
  aSuppliedAmount: aUsd,
  aSuppliedAmountUsd: aUsd,
  aProtectedSuppliedAmount: 0,
  aProtectedSuppliedAmountUsd: 0,
  aBorrowedAmount: 0,
  aBorrowedAmountUsd: 0,
  bTokenAddress: pool.asset_2_address,
  bTokenSymbol: 'USDC',
  bTokenPrice: 1,
  bSuppliedAmount: 0,
  bSuppliedAmountUsd: 0,
  bProtectedSuppliedAmount: 0,
  bProtectedSuppliedAmountUsd: 0,
  bBorrowedAmount: 0,
  bBorrowedAmountUsd: 0,
  ...more,
})

/** Loads records, as `gateway import` does. */
export const importFiles = (
  { deps: { store, basePoints } }: Gateway,
  files: Files,
  requestedBy?: string,
) =>
  importDataset(
    { pool: store.pool, basePoints, log: silent },
    datasetOf(files),
    requestedBy ? { requestedBy } : {},
  )

export const jsonLines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
