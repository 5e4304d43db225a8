import { Readable } from 'node:stream'
import { type Dataset, type DatasetFile, datasetFiles } from '../../src/sources/index.ts'

export type Files = Partial<Record<DatasetFile, (object | string | Buffer)[]>>

/** A dataset from memory: an object is a record, a text or bytes are a line as they are. */
export function datasetOf(files: Files, name = 'the dataset'): Dataset {
  return {
    name,
    async open(file) {
      const lines = files[file]
      if (!lines) return undefined
      const bytes = lines.flatMap((line) => [
        Buffer.isBuffer(line)
          ? line
          : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
        Buffer.from('\n'),
      ])
      return { label: `${file}.jsonl`, stream: Readable.from([Buffer.concat(bytes)]) }
    },
  }
}

export const addressOf = (label: string) =>
  `0x${Buffer.from(label).toString('hex').padStart(40, '0')}`
export const hashOf = (label: string) => `0x${Buffer.from(label).toString('hex').padStart(64, '0')}`

const [chainId, accountId, timestamp] = [1, addressOf('alice'), '1794960000']
const reward = {
  chainId,
  txHash: hashOf('liquidation'),
  logIndex: 3,
  timestamp,
  accountId,
  supplySent: '5',
  supplySentUsd: 2.5,
  collateralReceived: '6',
  collateralReceivedUsd: null,
  liquidReward: '1',
  liquidRewardUsd: 0.5,
  userRoi: '0.05',
  claimedTimestamp: null,
}

/** One good record of every file; together they are a dataset. */
export const record = {
  pools: {
    id: addressOf('pool'),
    chainId,
    marketId: 20,
    name: 'S/USDC',
    asset_1_address: addressOf('S'),
    asset_1_name: 'Sonic',
    asset_1_symbol: 'S',
    asset_2_address: addressOf('USDC'),
    asset_2_name: 'USD Coin',
    asset_2_symbol: 'USDC',
    createdTimestamp: 1736572000,
    interestLastUpdated: 1740000020,
    unit_1_id: addressOf('market'),
    unit_2_id: addressOf('unknown market'),
  },
  'base-points-revisions': {
    id: 1,
    deposit: 1,
    borrow: 0.5,
    changedAt: '2026-11-01T12:00:00.000Z',
    changedBy: 'admin',
  },
  'multiplier-revisions': {
    id: 1,
    poolAddress: addressOf('pool'),
    deposit_tokenA: 1,
    deposit_tokenB: 2,
    borrow_tokenA: 4,
    borrow_tokenB: 8,
    changedAt: '2026-11-01T12:00:00.000Z',
    recordedAt: '2026-11-01T12:00:00.000Z',
    changedBy: 'admin',
  },
  multipliers: {
    poolAddress: addressOf('pool'),
    deposit_tokenA: 1,
    deposit_tokenB: 2,
    borrow_tokenA: 4,
    borrow_tokenB: 8,
  },
  markets: {
    chainId,
    id: addressOf('market'),
    poolId: addressOf('pool'),
    assetAddress: addressOf('S'),
    assetSymbol: 'S',
    assetDecimals: 18,
    depositRate: 0.02,
    borrowRate: 0.04,
  },
  thresholds: {
    chainId,
    id: addressOf('market'),
    maxLtv: 0.5,
    liquidationThreshold: 0.6,
  },
  vaults: {
    chainId,
    id: addressOf('vault'),
    name: 'USDC vault',
    assetAddress: addressOf('USDC'),
    assetSymbol: 'USDC',
    assetDecimals: 6,
    depositRate: 0.03,
  },
  rates: {
    entityType: 'market',
    chainId,
    entityId: addressOf('market'),
    changedAt: '2026-11-01T12:00:00.000Z',
    depositRate: 0.01,
    borrowRate: 0.03,
  },
  prices: {
    chainId,
    assetAddress: addressOf('S'),
    date: '2026-11-08T00:00:00.000Z',
    priceUsd: 0.4,
    source: 'an oracle',
    time: '2026-11-08T12:00:00.000Z',
  },
  tokens: {
    chainId,
    address: addressOf('S'),
    name: 'Sonic',
    logoURI: 'data:image/png;base64,iVBORw0KGgo=',
  },
  users: { address: accountId },
  runs: {
    id: 1,
    kind: 'import',
    date: null,
    status: 'failed',
    requestedBy: 'cli',
    startedAt: '2026-11-01T12:00:00.000Z',
    finishedAt: '2026-11-01T12:00:01.000Z',
    error: 'It was interrupted.',
    baseDeposit: 1,
    baseBorrow: 0.5,
    multiplierRevision: null,
    sources: [],
    positionCountBefore: null,
    positionCountAfter: null,
    accountCountBefore: null,
    accountCountAfter: null,
    totalPointsBefore: null,
    totalPointsAfter: null,
  },
  positions: {
    userAddress: accountId,
    marketAddress: addressOf('pool'),
    distributionDate: '2026-11-09T00:00:00.000Z',
    aTokenAddress: addressOf('S'),
    aTokenSymbol: 'S',
    aTokenPrice: 0.5,
    aSuppliedAmount: 200,
    aSuppliedAmountUsd: 100,
    aProtectedSuppliedAmount: 20,
    aProtectedSuppliedAmountUsd: 10,
    aBorrowedAmount: 2,
    aBorrowedAmountUsd: 1,
    bTokenAddress: addressOf('USDC'),
    bTokenSymbol: 'USDC',
    bTokenPrice: 1,
    bSuppliedAmount: 1000,
    bSuppliedAmountUsd: 1000,
    bProtectedSuppliedAmount: 50,
    bProtectedSuppliedAmountUsd: 50,
    bBorrowedAmount: 30,
    bBorrowedAmountUsd: 30,
  },
  'market-snapshots': {
    chainId,
    marketId: addressOf('market'),
    accountId,
    timestamp,
    collateralAssets: '1000',
    collateralUsd: 500.5,
    protectedAssets: '0',
    protectedUsd: 0,
    debtAssets: '7',
    debtUsd: null,
  },
  'vault-snapshots': {
    chainId,
    vaultId: addressOf('vault'),
    accountId,
    timestamp,
    shares: '10',
    assets: '11',
    assetsUsd: 11,
  },
  'market-liquidation-rewards': {
    ...reward,
    debtMarketId: addressOf('market'),
    collateralMarketId: addressOf('market'),
  },
  'vault-liquidation-rewards': { ...reward, vaultId: addressOf('vault') },
  liquidations: {
    chainId,
    txHash: hashOf('liquidation'),
    logIndex: 2,
    timestamp,
    borrower: accountId,
    liquidator: addressOf('liquidator'),
    poolId: addressOf('pool'),
    debtMarketId: addressOf('market'),
    collateralMarketId: addressOf('market'),
    debtRepaid: '30',
    debtRepaidUsd: 30,
    collateralSeized: '16',
    collateralSeizedUsd: 32,
  },
  'cash-flows': {
    chainId,
    entityType: 'market',
    entityId: addressOf('market'),
    accountId,
    txHash: hashOf('deposit'),
    logIndex: 0,
    timestamp,
    kind: 'deposit',
    amountUsd: 12.5,
  },
  ledger: {
    userAddress: accountId,
    distributionDate: '2026-11-09T00:00:00.000Z',
    runId: 1,
    poolAddress: addressOf('pool'),
    pointsBefore: '12.5',
    pointsAfter: '0',
    reasons: ['MULTIPLIER', 'PRICE'],
  },
  seasons: {
    name: 'Season 1',
    startsAt: '2026-01-01T00:00:00.000Z',
    endsAt: null,
    digest: null,
    closedAt: null,
    changedAt: '2026-01-01T09:00:00.000Z',
    changedBy: 'cli',
  },
} satisfies Record<DatasetFile, object>

/**
 * The points that `record.positions` gets from `record.multipliers`: its protected deposits count,
 * since both borrow.
 */
export const recordPoints = {
  pointsA: 1 * (100 + 10) + 0.5 * 4 * 1,
  pointsB: 2 * (1000 + 50) + 0.5 * 8 * 30,
}

/**
 * A dataset of the good records but those of thresholds, ledgers and seasons, with some files
 * replaced.
 */
export function goodFiles(replaced: Files = {}): Files {
  const files = datasetFiles.filter((file) => !['thresholds', 'ledger', 'seasons'].includes(file))
  return { ...Object.fromEntries(files.map((file) => [file, [record[file]]])), ...replaced }
}
