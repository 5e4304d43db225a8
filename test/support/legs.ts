import { addressOf, type Files, hashOf } from './datasets.ts'
import { POOL, pool } from './one-pool.ts'

/** Noon of 2 March 2026 UTC, and a day. */
export const NOON = 1_772_452_800
export const DAY_SECONDS = 86_400

export const TOKEN = pool.asset_1_address
const asset = { assetAddress: pool.asset_1_address, assetSymbol: 'S', assetDecimals: 18 }
export const MARKET = pool.unit_1_id
export const VAULT = addressOf('vault')

/** A market and a vault, which the records of legs reference. */
export const entities: Files = {
  pools: [pool],
  markets: [
    { chainId: 1, id: MARKET, poolId: POOL, ...asset, depositRate: 0.01, borrowRate: 0.02 },
  ],
  vaults: [{ chainId: 1, id: VAULT, name: 'vault', ...asset, depositRate: 0.01 }],
}

export const marketSnapshot = (
  user: string,
  timestamp: number,
  usd: number | null,
  more: object = {},
) => ({
  chainId: 1,
  accountId: addressOf(user),
  positionId: 'main',
  timestamp: String(timestamp),
  marketId: MARKET,
  collateralAssets: '1000',
  collateralUsd: usd,
  protectedAssets: '0',
  protectedUsd: 0,
  debtAssets: '0',
  debtUsd: 0,
  ...more,
})

export const cashFlow = (
  user: string,
  logIndex: number,
  timestamp: number,
  amountUsd: number,
  more: object = {},
) => ({
  chainId: 1,
  entityType: 'market',
  entityId: MARKET,
  accountId: addressOf(user),
  txHash: hashOf(`${user}${logIndex}`),
  logIndex,
  timestamp: String(timestamp),
  kind: 'deposit',
  assets: '1000',
  amountUsd,
  ...more,
})

export const priceOf = (day: number, priceUsd: number, more: object = {}) => ({
  chainId: 1,
  assetAddress: TOKEN,
  date: new Date((NOON + day * DAY_SECONDS - DAY_SECONDS / 2) * 1000).toISOString(),
  priceUsd,
  ...more,
})

export const rateChange = (timestamp: number, depositRate: number) => ({
  entityType: 'market',
  chainId: 1,
  entityId: MARKET,
  changedAt: new Date(timestamp * 1000).toISOString(),
  depositRate,
  borrowRate: 0.02,
})
