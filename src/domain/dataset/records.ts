import type { DatasetFile } from '../../sources/dataset/dataset.ts'
import {
  address,
  boolean,
  count,
  decimals,
  defaulting,
  type FieldType,
  fraction,
  hash,
  instant,
  integer,
  message,
  midnight,
  multiplier,
  name,
  nullable,
  number,
  oneOf,
  optional,
  points,
  pointsOfBoth,
  rate,
  receipts,
  seconds,
  text,
  total,
  uint256,
  unix,
  uuid,
} from './values.ts'

/** An entity that a record can reference. It must be in the import or in the store. */
export type Entity = 'pool' | 'market' | 'vault'

/** A file of the import format, from which validation, COPY and the upsert derive. */
export interface RecordFormat {
  /** The table or view of its records. A field's column is its name in snake case. */
  table: string
  /** The table behind a view. */
  stored?: string
  /** All fields that a record can have, in any order. */
  fields: Record<string, FieldType>
  /** The fields of the natural key. A record replaces an earlier one with the same key. */
  key: string[]
  /** The fields of the table's key, if it has more. */
  tableKey?: string[]
  /** Fields without a column in the table. */
  besides?: string[]
  /** The field with a user's address. */
  user?: string
  /** The field with the date of a record. */
  dated?: string
  /** The kind of entity that the records are. */
  defines?: Entity
  /** Fields that reference an entity, with its kind or the field of its kind. Markets and vaults are on `chainId`. */
  references?: Record<string, Entity | { kindIn: string }>
  /** A unique field that is not the key. */
  unique?: string
  /** Checks between fields, after each field is valid. */
  check?(record: Record<string, unknown>): { field: string; reason: string } | undefined
  /** Says what is probably a mistake in a valid record. */
  doubt?(record: Record<string, unknown>): { field: string; reason: string } | undefined
}

const usd = nullable(number)

const reward = {
  chainId: integer,
  txHash: hash,
  logIndex: integer,
  timestamp: seconds,
  accountId: address,
  supplySent: uint256,
  supplySentUsd: usd,
  collateralReceived: uint256,
  collateralReceivedUsd: usd,
  liquidReward: uint256,
  liquidRewardUsd: usd,
  userRoi: nullable(text),
  claimedTimestamp: nullable(seconds),
}

const snapshot = {
  chainId: integer,
  accountId: address,
  positionId: defaulting(name, 'main'),
  timestamp: seconds,
}

/** The import format: one entry for each row of its document. */
export const records: Record<DatasetFile, RecordFormat> = {
  pools: {
    table: 'pool',
    key: ['id'],
    defines: 'pool',
    fields: {
      id: address,
      chainId: integer,
      marketId: integer,
      name: text,
      asset_1_address: address,
      asset_1_name: text,
      asset_1_symbol: text,
      asset_2_address: address,
      asset_2_name: text,
      asset_2_symbol: text,
      createdTimestamp: unix,
      interestLastUpdated: unix,
      unit_1_id: address,
      unit_2_id: address,
    },
  },
  'multiplier-revisions': {
    table: 'multiplier_revision',
    key: ['id'],
    dated: 'changedAt',
    references: { poolAddress: 'pool' },
    fields: {
      id: integer,
      poolAddress: address,
      deposit_tokenA: nullable(multiplier),
      deposit_tokenB: nullable(multiplier),
      borrow_tokenA: nullable(multiplier),
      borrow_tokenB: nullable(multiplier),
      changedAt: instant,
      recordedAt: instant,
      changedBy: text,
    },
    check: revisionFits,
  },
  multipliers: {
    table: 'multiplier',
    key: ['poolAddress'],
    unique: 'id',
    references: { poolAddress: 'pool' },
    fields: {
      id: optional(uuid),
      poolAddress: address,
      deposit_tokenA: multiplier,
      deposit_tokenB: multiplier,
      borrow_tokenA: multiplier,
      borrow_tokenB: multiplier,
      createdAt: optional(instant),
      updatedAt: optional(instant),
    },
  },
  markets: {
    table: 'market',
    key: ['chainId', 'id'],
    defines: 'market',
    references: { poolId: 'pool' },
    fields: {
      chainId: integer,
      id: address,
      poolId: address,
      assetAddress: address,
      assetSymbol: text,
      assetDecimals: decimals,
      depositRate: rate,
      borrowRate: rate,
      maxLtv: optional(nullable(fraction)),
      liquidationThreshold: optional(nullable(fraction)),
    },
    check: riskFits,
  },
  vaults: {
    table: 'vault',
    key: ['chainId', 'id'],
    defines: 'vault',
    fields: {
      chainId: integer,
      id: address,
      name: text,
      assetAddress: address,
      assetSymbol: text,
      assetDecimals: decimals,
      depositRate: rate,
    },
  },
  rates: {
    table: 'rate_revision',
    key: ['entityType', 'chainId', 'entityId', 'changedAt'],
    dated: 'changedAt',
    references: { entityId: { kindIn: 'entityType' } },
    fields: {
      entityType: oneOf('entity_type', 'market', 'vault'),
      chainId: integer,
      entityId: address,
      changedAt: instant,
      depositRate: rate,
      borrowRate: optional(nullable(rate)),
    },
    check: ratesFit,
  },
  users: { table: '"user"', key: ['address'], fields: { address } },
  runs: {
    table: 'run',
    key: ['id'],
    dated: 'date',
    fields: {
      id: integer,
      kind: oneOf('distribution_kind', 'import', 'manualupdate', 'resync'),
      date: nullable(midnight),
      status: oneOf('run_status', 'succeeded', 'failed'),
      requestedBy: text,
      startedAt: instant,
      finishedAt: instant,
      error: nullable(message),
      baseDeposit: number,
      baseBorrow: number,
      multiplierRevision: nullable(integer),
      sources: receipts,
      positionCountBefore: nullable(count),
      positionCountAfter: nullable(count),
      accountCountBefore: nullable(count),
      accountCountAfter: nullable(count),
      totalPointsBefore: nullable(total),
      totalPointsAfter: nullable(total),
    },
    check: runFits,
  },
  positions: {
    table: 'position',
    stored: 'stored_position',
    key: ['userAddress', 'distributionDate', 'marketAddress'],
    unique: 'id',
    user: 'userAddress',
    dated: 'distributionDate',
    references: { marketAddress: 'pool' },
    besides: ['pointsA', 'pointsB', 'points', 'pointsGiven', 'runId'],
    fields: {
      id: optional(name),
      userAddress: address,
      marketAddress: address,
      distributionDate: midnight,
      pointsA: optional(points),
      pointsB: optional(points),
      points: optional(pointsOfBoth),
      pointsGiven: optional(boolean),
      runId: optional(nullable(integer)),
      aTokenAddress: address,
      aTokenSymbol: text,
      aTokenPrice: number,
      aSuppliedAmount: number,
      aSuppliedAmountUsd: number,
      aProtectedSuppliedAmount: number,
      aProtectedSuppliedAmountUsd: number,
      aBorrowedAmount: number,
      aBorrowedAmountUsd: number,
      bTokenAddress: address,
      bTokenSymbol: text,
      bTokenPrice: number,
      bSuppliedAmount: number,
      bSuppliedAmountUsd: number,
      bProtectedSuppliedAmount: number,
      bProtectedSuppliedAmountUsd: number,
      bBorrowedAmount: number,
      bBorrowedAmountUsd: number,
    },
    check: pointsFit,
    doubt: doubtUsd,
  },
  'market-snapshots': {
    table: 'market_snapshot',
    key: ['accountId', 'chainId', 'marketId', 'timestamp', 'positionId'],
    user: 'accountId',
    dated: 'timestamp',
    references: { marketId: 'market' },
    fields: {
      ...snapshot,
      marketId: address,
      collateralAssets: uint256,
      collateralUsd: usd,
      protectedAssets: uint256,
      protectedUsd: usd,
      debtAssets: uint256,
      debtUsd: usd,
    },
  },
  'vault-snapshots': {
    table: 'vault_snapshot',
    key: ['accountId', 'chainId', 'vaultId', 'timestamp', 'positionId'],
    user: 'accountId',
    dated: 'timestamp',
    references: { vaultId: 'vault' },
    fields: { ...snapshot, vaultId: address, shares: uint256, assets: uint256, assetsUsd: usd },
  },
  'market-liquidation-rewards': {
    table: 'market_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    references: { debtMarketId: 'market', collateralMarketId: 'market' },
    fields: { ...reward, debtMarketId: address, collateralMarketId: address },
  },
  'vault-liquidation-rewards': {
    table: 'vault_liquidation_reward',
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    references: { vaultId: 'vault' },
    fields: { ...reward, vaultId: address },
  },
  'cash-flows': {
    table: 'cash_flow',
    key: ['chainId', 'txHash', 'logIndex'],
    tableKey: ['chainId', 'txHash', 'logIndex', 'accountId'],
    user: 'accountId',
    dated: 'timestamp',
    references: { entityId: { kindIn: 'entityType' } },
    fields: {
      chainId: integer,
      entityType: oneOf('entity_type', 'market', 'vault'),
      entityId: address,
      accountId: address,
      txHash: hash,
      logIndex: integer,
      timestamp: seconds,
      kind: oneOf('cash_flow_kind', 'deposit', 'withdraw', 'borrow', 'repay'),
      assets: optional(nullable(uint256)),
      amountUsd: usd,
    },
  },
}

/** A revision has all four factors, or none where the multiplier was removed. */
function revisionFits(revision: Record<string, unknown>) {
  const factors = ['deposit_tokenA', 'deposit_tokenB', 'borrow_tokenA', 'borrow_tokenB']
  const removed = factors.filter((factor) => revision[factor] === null)
  const [field] = removed
  if (field === undefined || removed.length === factors.length) return undefined
  return { field, reason: 'must be a number, unless all four are null' }
}

/** A run that succeeded stored a date. */
function runFits({ status, date }: Record<string, unknown>) {
  if (status === 'failed' || date !== null) return undefined
  return { field: 'date', reason: 'must not be null: the run succeeded' }
}

/** A market has both rates, a vault has no borrow rate. */
function ratesFit({ entityType, borrowRate }: Record<string, unknown>) {
  if ((entityType === 'market') === (typeof borrowRate === 'number')) return undefined
  return { field: 'borrowRate', reason: entityType === 'market' ? 'is missing' : 'must be absent: a vault has none' }
}

/** A loan that is allowed must not be liquidated at once. */
function riskFits({ maxLtv, liquidationThreshold }: Record<string, unknown>) {
  if (typeof maxLtv !== 'number' || typeof liquidationThreshold !== 'number' || maxLtv <= liquidationThreshold)
    return undefined
  return {
    field: 'maxLtv',
    reason: `must not be above liquidationThreshold, ${liquidationThreshold}, but is ${maxLtv}`,
  }
}

/** A USD amount may differ from amount × price by this share of the larger one, or by this many dollars: prices are rounded. */
const USD_SHARE = 0.01
const USD_ROUNDING = 1

const priced = ['a', 'b'].flatMap((side) =>
  ['SuppliedAmount', 'ProtectedSuppliedAmount', 'BorrowedAmount'].map((amount) => ({
    usd: `${side}${amount}Usd`,
    amount: `${side}${amount}`,
    price: `${side}TokenPrice`,
  })),
)

/** A USD amount is its amount times the price. */
function doubtUsd(position: Record<string, unknown>) {
  for (const { usd, amount, price } of priced) {
    const [stated, expected] = [Number(position[usd]), Number(position[amount]) * Number(position[price])]
    const difference = Math.abs(stated - expected)
    if (difference > USD_ROUNDING && difference > USD_SHARE * Math.max(Math.abs(stated), Math.abs(expected)))
      return { field: usd, reason: `is ${stated}, but ${amount} × ${price} is ${Number(expected.toPrecision(6))}` }
  }
  return undefined
}

/** pointsA and pointsB are given together or not at all. If given, points is their sum. */
function pointsFit({ pointsA, pointsB, points }: Record<string, unknown>) {
  if (typeof pointsA !== 'number' && typeof pointsB !== 'number')
    return points === undefined ? undefined : { field: 'points', reason: 'needs pointsA and pointsB' }
  if (typeof pointsA !== 'number') return { field: 'pointsA', reason: 'is missing: pointsB is given' }
  if (typeof pointsB !== 'number') return { field: 'pointsB', reason: 'is missing: pointsA is given' }
  const sum = pointsA + pointsB
  if (typeof points !== 'number' || Math.abs(points - sum) <= 1e-9 * Math.max(1, Math.abs(pointsA), Math.abs(pointsB)))
    return undefined
  return { field: 'points', reason: `must be pointsA + pointsB, ${Number(sum.toFixed(6))}, not ${points}` }
}
