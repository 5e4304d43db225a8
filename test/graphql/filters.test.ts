import fc from 'fast-check'
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { worthRows } from '../../src/domain/holding/refresh-worth.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { runs, SAMPLE } from '../support/extent.ts'
import type { Gateway } from '../support/gateway.ts'
import { orderOf } from '../support/order.ts'
import { addRewards } from '../support/rewards.ts'
import { startOnSample } from '../support/sample.ts'
import { post } from '../support/send.ts'

const schema = createSchema()
let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6 })
  await addRewards(gateway)
  const { pool } = gateway.deps.store
  // The largest moment is shown as the last one of the year 9999, which no filter by what is shown
  // would find.
  for (const kind of ['market', 'vault'])
    await pool.query(
      `UPDATE ${kind}_liquidation_reward SET timestamp = 253402300799 WHERE timestamp > 253402300799`,
    )
  await pool.query(
    `UPDATE market_snapshot SET debt_usd = NULL WHERE hashtext(market_id || timestamp) % 3 = 0`,
  )
  // Writers refresh the worth of users, not triggers.
  await pool.query(`TRUNCATE user_worth;
    INSERT INTO user_worth ${worthRows((kind) => `${kind}_holding s`)}`)
  await pool.query(`UPDATE market_liquidation_reward SET claimed_timestamp = log_index, liquid_reward_usd = 1.5 * log_index
    WHERE log_index > 9 AND chain_id = 1`)
  // Ties, pools without a position or a multiplier, and amounts that are 0.
  const some = (remainder: number) => `SELECT id FROM pool WHERE number % 4 = ${remainder}`
  await pool.query(`DELETE FROM pool_day WHERE pool_address IN (${some(0)})`)
  await pool.query(`UPDATE pool_day SET a_supplied_usd = 5, b_supplied_usd = 0.1, a_protected_usd = 0.2, b_protected_usd = 0,
    a_borrowed_usd = 2, b_borrowed_usd = 0 WHERE pool_address IN (${some(1)})`)
  await pool.query(
    `UPDATE pool_day SET a_supplied_usd = 0, b_supplied_usd = 0 WHERE pool_address = (${some(2)} LIMIT 1)`,
  )
  await pool.query(`UPDATE pool_total SET points = 7 WHERE pool_address IN (${some(1)})`)
  // Vaults with equal totals, without a price, without shares and without a snapshot.
  await pool.query(`UPDATE vault_day SET assets_usd = 5.5, user_count = 3 WHERE hashtext(vault_id) % 2 = 0;
    UPDATE vault_day SET unpriced = 1, shares = 0 WHERE vault_id = (SELECT min(id) FROM vault);
    DELETE FROM vault_day WHERE vault_id = (SELECT max(id) FROM vault)`)
  await pool.query(`DELETE FROM multiplier WHERE pool_address = (${some(3)} LIMIT 1)`)
})
afterAll(() => gateway.close())

type Row = Record<string, any>
type Value = string | number | bigint | boolean | null

/** A list, with what a row is for each of its conditions and its sort keys. */
interface Tried {
  field: string
  through: string
  /** Arguments next to where and orderBy. */
  extra?: string
  /** A filter that must hold for the list to be sorted at all. */
  bound?: string
  select: string
  conditions: Record<string, (row: Row) => Value | Value[]>
  keys: Record<string, (row: Row) => Value>
  /** The rows that an order by a first key leaves out. */
  leavesOut?: Record<string, (row: Row) => boolean>
  /** The first key of the list's own order. */
  first: { field: string; direction: 'ASC' | 'DESC' }
}

const day = (text: string) => Date.parse(text)
/** What a user has, unless it is worth nothing and nothing is owed. */
const held = ({ worth }: Row) => (worth?.netUsd || worth?.borrowedUsd ? worth : null)
const ofUser = `user(address: "${sampleUser}") { LIST }`
const ofLegacyUser = `user(address: "${sampleUser}") { legacy { LIST } }`

const positions = {
  select:
    'userAddress poolAddress date points ltv healthFactor liquidationDrop pool { chainId } sideA { asset { address } supplied { usd } protected { usd } borrowed { usd } } sideB { asset { address } supplied { usd } protected { usd } borrowed { usd } }',
  conditions: {
    users: (r: Row) => r.userAddress,
    pools: (r: Row) => r.poolAddress,
    assets: (r: Row) => [r.sideA.asset.address, r.sideB.asset.address],
    chainIds: (r: Row) => r.pool.chainId,
    date: (r: Row) => day(r.date),
    points: (r: Row) => r.points,
    suppliedUsd: (r: Row) => r.sideA.supplied.usd + r.sideB.supplied.usd,
    protectedUsd: (r: Row) => r.sideA.protected.usd + r.sideB.protected.usd,
    tvlUsd: (r: Row) =>
      r.sideA.supplied.usd + r.sideB.supplied.usd + r.sideA.protected.usd + r.sideB.protected.usd,
    borrowedUsd: (r: Row) => r.sideA.borrowed.usd + r.sideB.borrowed.usd,
    ltv: (r: Row) => r.ltv,
    healthFactor: (r: Row) => r.healthFactor,
    liquidationDrop: (r: Row) => r.liquidationDrop,
    collateralAssets: (r: Row) => [
      ...(r.sideB.borrowed.usd > 0 && r.sideA.supplied.usd + r.sideA.protected.usd > 0
        ? [r.sideA.asset.address]
        : []),
      ...(r.sideA.borrowed.usd > 0 && r.sideB.supplied.usd + r.sideB.protected.usd > 0
        ? [r.sideB.asset.address]
        : []),
    ],
  },
  first: { field: 'DATE', direction: 'DESC' as const },
}
const positionKeys = {
  DATE: positions.conditions.date,
  USER: positions.conditions.users,
  POOL: positions.conditions.pools,
  POINTS: positions.conditions.points,
  SUPPLIED_USD: positions.conditions.suppliedUsd,
  PROTECTED_USD: positions.conditions.protectedUsd,
  TVL_USD: positions.conditions.tvlUsd,
  BORROWED_USD: positions.conditions.borrowedUsd,
  LTV: positions.conditions.ltv,
  HEALTH_FACTOR: positions.conditions.healthFactor,
  LIQUIDATION_DROP: positions.conditions.liquidationDrop,
}

const snapshots = {
  select:
    'positionId userAddress chainId time entityType entityAddress entity { asset { address } } supplied { usd } protected { usd } borrowed { usd }',
  conditions: {
    users: (r: Row) => r.userAddress,
    entities: (r: Row) => r.entityAddress,
    entityTypes: (r: Row) => r.entityType,
    assets: (r: Row) => r.entity.asset.address,
    chainIds: (r: Row) => r.chainId,
    time: (r: Row) => day(r.time),
    suppliedUsd: (r: Row) => r.supplied.usd,
    protectedUsd: (r: Row) => r.protected?.usd ?? null,
    borrowedUsd: (r: Row) => r.borrowed?.usd ?? null,
  },
  keys: {
    TIME: (r: Row) => day(r.time),
    CHAIN_ID: (r: Row) => r.chainId,
    ENTITY: (r: Row) => r.entityAddress,
    USER: (r: Row) => r.userAddress,
    SUPPLIED_USD: (r: Row) => r.supplied.usd,
    PROTECTED_USD: (r: Row) => r.protected?.usd ?? null,
    BORROWED_USD: (r: Row) => r.borrowed?.usd ?? null,
  },
  first: { field: 'TIME', direction: 'ASC' as const },
}
const rewards = {
  conditions: {
    users: (r: Row) => r.userAddress,
    entities: (r: Row) => r.entityAddress,
    entityTypes: (r: Row) => r.entityType,
    debtMarkets: (r: Row) => r.debtMarketAddress,
    chainIds: (r: Row) => r.chainId,
    time: (r: Row) => day(r.time),
    claimed: (r: Row) => r.claimedAt !== null,
    claimedAt: (r: Row) => r.claimedAt && day(r.claimedAt),
    supplySentUsd: (r: Row) => r.supplySent.usd,
    collateralReceivedUsd: (r: Row) => r.collateralReceived.usd,
    liquidRewardUsd: (r: Row) => r.liquidReward.usd,
  },
  keys: {
    TIME: (r: Row) => day(r.time),
    CHAIN_ID: (r: Row) => r.chainId,
    CLAIMED_AT: (r: Row) => r.claimedAt && day(r.claimedAt),
    SUPPLY_SENT_USD: (r: Row) => r.supplySent.usd,
    COLLATERAL_RECEIVED_USD: (r: Row) => r.collateralReceived.usd,
    LIQUID_REWARD_USD: (r: Row) => r.liquidReward.usd,
  },
  first: { field: 'TIME', direction: 'DESC' as const },
}
const holders = {
  select:
    'user { address } rank share debtShare time supplied { usd } protected { usd } borrowed { usd }',
  conditions: {
    users: (r: Row) => r.user.address,
    share: (r: Row) => r.share,
    debtShare: (r: Row) => r.debtShare,
    time: (r: Row) => day(r.time),
    suppliedUsd: (r: Row) => r.supplied.usd,
    protectedUsd: (r: Row) => r.protected?.usd ?? null,
    borrowedUsd: (r: Row) => r.borrowed?.usd ?? null,
  },
  keys: {
    USER: (r: Row) => r.user.address,
    DEBT_SHARE: (r: Row) => r.debtShare,
    TIME: (r: Row) => day(r.time),
    SUPPLIED_USD: (r: Row) => r.supplied.usd,
    PROTECTED_USD: (r: Row) => r.protected?.usd ?? null,
    BORROWED_USD: (r: Row) => r.borrowed?.usd ?? null,
  },
  first: { field: 'RANK', direction: 'ASC' as const },
}
const rewardFields =
  'txHash logIndex chainId userAddress entityType entityAddress debtMarketAddress time claimedAt supplySent { usd } collateralReceived { usd } liquidReward { usd }'
const entities = {
  addresses: (r: Row) => r.address,
  assets: (r: Row) => r.asset.address,
  chainIds: (r: Row) => r.chainId,
  depositApr: (r: Row) => r.depositApr,
}
const factors = {
  DEPOSIT_A: (r: Row) => r.depositA,
  DEPOSIT_B: (r: Row) => r.depositB,
  BORROW_A: (r: Row) => r.borrowA,
  BORROW_B: (r: Row) => r.borrowB,
}

/** The amounts of a pool or a market now. */
const amounts = {
  select: 'suppliedUsd protectedUsd tvlUsd borrowedUsd liquidityUsd utilization',
  conditions: {
    suppliedUsd: (r: Row) => r.suppliedUsd,
    protectedUsd: (r: Row) => r.protectedUsd,
    tvlUsd: (r: Row) => r.tvlUsd,
    borrowedUsd: (r: Row) => r.borrowedUsd,
    liquidityUsd: (r: Row) => r.liquidityUsd,
    utilization: (r: Row) => r.utilization,
  },
  keys: {
    SUPPLIED_USD: (r: Row) => r.suppliedUsd,
    PROTECTED_USD: (r: Row) => r.protectedUsd,
    TVL_USD: (r: Row) => r.tvlUsd,
    BORROWED_USD: (r: Row) => r.borrowedUsd,
    LIQUIDITY_USD: (r: Row) => r.liquidityUsd,
    UTILIZATION: (r: Row) => r.utilization,
  },
}
const rate = (side: 'A' | 'B', name: string) => (r: Row) => r[`market${side}`]?.[name] ?? null
const better = (name: string, of: (...values: number[]) => number) => (r: Row) => {
  const known = (['A', 'B'] as const).flatMap((side) => rate(side, name)(r) ?? [])
  return known.length > 0 ? of(...known) : null
}
const multiplier = (name: string) => (r: Row) => r.multiplier?.[name] ?? null
const poolRates = {
  depositAprA: rate('A', 'depositApr'),
  depositAprB: rate('B', 'depositApr'),
  borrowAprA: rate('A', 'borrowApr'),
  borrowAprB: rate('B', 'borrowApr'),
  bestDepositApr: better('depositApr', Math.max),
  lowestBorrowApr: better('borrowApr', Math.min),
  multiplierDepositA: multiplier('depositA'),
  multiplierDepositB: multiplier('depositB'),
  multiplierBorrowA: multiplier('borrowA'),
  multiplierBorrowB: multiplier('borrowB'),
}
const constantCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

const pools = {
  select: `address number chainId name createdAt marketAAddress marketBAddress assetA { address } assetB { address }
    totalPoints positionCount ${amounts.select} marketA { depositApr borrowApr } marketB { depositApr borrowApr }
    multiplier { depositA depositB borrowA borrowB }`,
  conditions: {
    addresses: (r: Row) => r.address,
    markets: (r: Row) => [r.marketAAddress, r.marketBAddress],
    assets: (r: Row) => [r.assetA.address, r.assetB.address],
    chainIds: (r: Row) => r.chainId,
    numbers: (r: Row) => r.number,
    createdAt: (r: Row) => day(r.createdAt),
    totalPoints: (r: Row) => r.totalPoints,
    positionCount: (r: Row) => r.positionCount,
    ...amounts.conditions,
    ...poolRates,
  },
  keys: {
    NUMBER: (r: Row) => r.number,
    ADDRESS: (r: Row) => r.address,
    CHAIN_ID: (r: Row) => r.chainId,
    NAME: (r: Row) => r.name,
    CREATED_AT: (r: Row) => day(r.createdAt),
    TOTAL_POINTS: (r: Row) => r.totalPoints,
    POSITION_COUNT: (r: Row) => r.positionCount,
    ...amounts.keys,
    ...Object.fromEntries(Object.entries(poolRates).map(([name, of]) => [constantCase(name), of])),
  },
  first: { field: 'NUMBER', direction: 'ASC' as const },
}

const lists: Record<string, Tried> = {
  positions: {
    field: 'Query.positions',
    through: 'LIST',
    bound: 'all dates',
    ...positions,
    keys: { DATE: positionKeys.DATE },
  },
  "a user's positions, of all": {
    field: 'Query.positions',
    through: 'LIST',
    bound: `users: "${sampleUser}"`,
    ...positions,
    keys: positionKeys,
  },
  'positions near liquidation': {
    field: 'Query.currentPositions',
    through: 'LIST',
    bound: 'healthFactor',
    ...positions,
    keys: positionKeys,
  },
  'positions that a drop brings near liquidation': {
    field: 'Query.currentPositions',
    through: 'LIST',
    bound: 'liquidationDrop',
    ...positions,
    keys: positionKeys,
  },
  "a user's positions": {
    field: 'User.positions',
    through: ofUser,
    ...positions,
    keys: positionKeys,
  },
  "a user's current positions": {
    field: 'User.currentPositions',
    through: ofUser,
    ...positions,
    keys: positionKeys,
  },
  "a pool's current positions": {
    field: 'Pool.currentPositions',
    through: `pool(address: "${samplePool.address}") { LIST }`,
    ...positions,
    keys: positionKeys,
  },
  "a pool's positions": {
    field: 'Pool.positions',
    through: `pool(address: "${samplePool.address}") { LIST }`,
    bound: `date: { eq: "${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}" }`,
    ...positions,
    keys: positionKeys,
  },
  leaderboard: {
    field: 'Query.leaderboard',
    through: 'LIST',
    select: 'rank userAddress points',
    conditions: {
      users: (r) => r.userAddress,
      rank: (r) => r.rank,
      points: (r) => r.points,
    },
    keys: { RANK: (r) => r.rank, POINTS: (r) => -r.rank, USER: (r) => r.userAddress },
    first: { field: 'RANK', direction: 'ASC' },
  },
  pools: { field: 'Query.pools', through: 'LIST', ...pools },
  "an asset's pools": {
    field: 'Asset.pools',
    through: `pool(address: "${samplePool.address}") { assetB { LIST } }`,
    ...pools,
  },
  assets: {
    field: 'Query.assets',
    through: 'LIST',
    select: 'chainId address symbol name',
    conditions: {
      addresses: (r) => r.address,
      chainIds: (r) => r.chainId,
      symbols: (r) => r.symbol,
    },
    keys: {
      CHAIN_ID: (r) => r.chainId,
      ADDRESS: (r) => r.address,
      NAME: (r) => r.name,
      SYMBOL: (r) => r.symbol,
    },
    first: { field: 'CHAIN_ID', direction: 'ASC' },
  },
  markets: {
    field: 'Query.markets',
    through: 'LIST',
    select: `address chainId asset { address symbol } depositApr borrowApr maxLtv liquidationThreshold pool { address }
      ${amounts.select}`,
    conditions: {
      ...amounts.conditions,
      ...entities,
      pools: (r) => r.pool.address,
      borrowApr: (r) => r.borrowApr,
      maxLtv: (r) => r.maxLtv,
      liquidationThreshold: (r) => r.liquidationThreshold,
    },
    keys: {
      CHAIN_ID: (r) => r.chainId,
      ADDRESS: (r) => r.address,
      ASSET_SYMBOL: (r) => r.asset.symbol,
      DEPOSIT_APR: (r) => r.depositApr,
      BORROW_APR: (r) => r.borrowApr,
      MAX_LTV: (r) => r.maxLtv,
      LIQUIDATION_THRESHOLD: (r) => r.liquidationThreshold,
      ...amounts.keys,
    },
    first: { field: 'CHAIN_ID', direction: 'ASC' },
  },
  vaults: {
    field: 'Query.vaults',
    through: 'LIST',
    select: 'address chainId name asset { address symbol } depositApr tvlUsd sharePrice userCount',
    conditions: {
      ...entities,
      tvlUsd: (r) => r.tvlUsd,
      sharePrice: (r) => r.sharePrice,
      userCount: (r) => r.userCount,
    },
    keys: {
      CHAIN_ID: (r) => r.chainId,
      ADDRESS: (r) => r.address,
      NAME: (r) => r.name,
      ASSET_SYMBOL: (r) => r.asset.symbol,
      DEPOSIT_APR: (r) => r.depositApr,
      TVL_USD: (r) => r.tvlUsd,
      SHARE_PRICE: (r) => r.sharePrice,
      USER_COUNT: (r) => r.userCount,
    },
    first: { field: 'CHAIN_ID', direction: 'ASC' },
  },
  "a user's snapshots": { field: 'User.snapshots', through: ofUser, ...snapshots },
  "a user's market snapshots": {
    field: 'LegacyUser.marketSnapshots',
    through: ofLegacyUser,
    ...snapshots,
  },
  "a user's grouped market snapshots": {
    field: 'LegacyUser.marketSnapshots',
    through: ofLegacyUser,
    extra: 'grouped: true',
    ...snapshots,
  },
  "a market's snapshots": {
    field: 'Market.snapshots',
    through: `market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}") { LIST }`,
    bound: `users: "${sampleUser}"`,
    ...snapshots,
  },
  "a market's holders": {
    field: 'Market.holders',
    through: `market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}") { LIST }`,
    ...holders,
  },
  "a vault's holders": {
    field: 'Vault.holders',
    through: `vault(chainId: ${sampleVault.chainId}, address: "${sampleVault.address}") { LIST }`,
    ...holders,
  },
  "a user's vault snapshots": {
    field: 'LegacyUser.vaultSnapshots',
    through: ofLegacyUser,
    ...snapshots,
  },
  "a vault's snapshots": {
    field: 'Vault.snapshots',
    through: `vault(chainId: ${sampleVault.chainId}, address: "${sampleVault.address}") { LIST }`,
    bound: 'time',
    ...snapshots,
  },
  "a user's rewards": {
    field: 'User.liquidationRewards',
    through: ofUser,
    ...rewards,
    select: rewardFields,
  },
  "a user's days": {
    field: 'User.dailyPoints',
    through: ofUser,
    select: 'date points positionCount',
    conditions: {
      date: (r) => day(r.date),
      points: (r) => r.points,
      positionCount: (r) => r.positionCount,
    },
    keys: {
      DATE: (r) => day(r.date),
      POINTS: (r) => r.points,
      POSITION_COUNT: (r) => r.positionCount,
    },
    first: { field: 'DATE', direction: 'ASC' },
  },
  multipliers: {
    field: 'Query.multipliers',
    through: 'LIST',
    select:
      'poolAddress depositA depositB borrowA borrowB updatedAt pool { number chainId assetA { address } assetB { address } }',
    conditions: {
      pools: (r) => r.poolAddress,
      chainIds: (r) => r.pool.chainId,
      assets: (r) => [r.pool.assetA.address, r.pool.assetB.address],
      updatedAt: (r) => day(r.updatedAt),
      depositA: (r) => r.depositA,
      depositB: (r) => r.depositB,
      borrowA: (r) => r.borrowA,
      borrowB: (r) => r.borrowB,
    },
    keys: { POOL_NUMBER: (r) => r.pool.number, POOL: (r) => r.poolAddress, ...factors },
    first: { field: 'POOL_NUMBER', direction: 'ASC' },
  },
  'revisions of multipliers': {
    field: 'Query.multiplierRevisions',
    through: 'LIST',
    select:
      'recordId poolAddress from changedAt recordedAt changedBy revokedAt depositA depositB borrowA borrowB',
    conditions: {
      pools: (r) => r.poolAddress,
      changedAt: (r) => day(r.changedAt),
      recordedAt: (r) => day(r.recordedAt),
      changedBy: (r) => r.changedBy,
      from: (r) => r.from && day(r.from),
      revokedAt: (r) => r.revokedAt && day(r.revokedAt),
    },
    keys: {
      RECORD_ID: (r) => BigInt(r.recordId),
      POOL: (r) => r.poolAddress,
      FROM: (r) => r.from && day(r.from),
      ...factors,
    },
    first: { field: 'RECORD_ID', direction: 'DESC' },
  },
  distributions: {
    field: 'Query.distributions',
    through: 'LIST',
    select: 'date kind points positionCount userCount finishedAt',
    conditions: {
      date: (r) => day(r.date),
      kinds: (r) => r.kind,
      points: (r) => r.points,
      positionCount: (r) => r.positionCount,
      userCount: (r) => r.userCount,
      finishedAt: (r) => day(r.finishedAt),
    },
    keys: {
      DATE: (r) => day(r.date),
      POINTS: (r) => r.points,
      POSITION_COUNT: (r) => r.positionCount,
      USER_COUNT: (r) => r.userCount,
    },
    first: { field: 'DATE', direction: 'DESC' },
  },
  runs: {
    field: 'Query.runs',
    through: 'LIST',
    select: 'recordId date kind leg status requestedBy startedAt finishedAt',
    conditions: {
      date: (r) => r.date && day(r.date),
      kinds: (r) => r.kind,
      legs: (r) => r.leg,
      statuses: (r) => r.status,
      requestedBy: (r) => r.requestedBy,
      startedAt: (r) => day(r.startedAt),
      finishedAt: (r) => r.finishedAt && day(r.finishedAt),
    },
    keys: { RECORD_ID: (r) => BigInt(r.recordId), DATE: (r) => r.date && day(r.date) },
    first: { field: 'RECORD_ID', direction: 'DESC' },
  },
  'all users': {
    field: 'Query.users',
    through: 'LIST',
    select: 'address totalPoints rank worth { netUsd borrowedUsd }',
    conditions: {
      addresses: (r) => r.address,
      worthUsd: (r) => held(r)?.netUsd ?? null,
      debtUsd: (r) => held(r)?.borrowedUsd ?? null,
      totalPoints: (r) => (r.rank === null ? null : r.totalPoints),
    },
    keys: {
      ADDRESS: (r) => r.address,
      WORTH_USD: (r) => held(r)?.netUsd ?? null,
      DEBT_USD: (r) => held(r)?.borrowedUsd ?? null,
      TOTAL_POINTS: (r) => r.rank && -r.rank,
    },
    leavesOut: {
      WORTH_USD: (r) => held(r) === null,
      DEBT_USD: (r) => !held(r)?.borrowedUsd,
      TOTAL_POINTS: (r) => r.rank === null,
    },
    first: { field: 'ADDRESS', direction: 'ASC' },
  },
}

/** Filters that were once answered wrongly. */
const TRIED: [number[]][] = [
  [[1981, 5, 913, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0]],
  [[2897, 0, 5033, 0, 2, 0, 0, 0, 43, 0, 0, 0, 1, 0, 800, 0, 0, 1, 0, 0, 141]],
]

/** Extensions that the graph does not know: what has any is left to its resolvers. */
const RESOLVED = { resolved: true }

async function answerTo(
  query: string,
  variables: object,
  extensions?: object,
): Promise<{ data?: any; errors?: any[] }> {
  return JSON.parse(await post(gateway.base, { query, variables, extensions }))
}

const typesOf = ({ field }: Tried) => {
  const [parent = '', name = ''] = field.split('.')
  const list = (schema.getType(parent) as GraphQLObjectType).getFields()[name]
  const argument = (of: string) =>
    list?.args.find((one) => one.name === of)?.type as GraphQLInputType
  return {
    name,
    where: getNamedType(argument('where')) as GraphQLInputObjectType,
    orderBy: argument('orderBy'),
  }
}

function queryOf(list: Tried): string {
  const { name, where, orderBy } = typesOf(list)
  const connection = `${name}(first: $first, after: $after, last: $last, before: $before, where: $where, orderBy: $orderBy, orderDirection: $orderDirection ${list.extra ? `, ${list.extra}` : ''})
    { totalCount edges { cursor node { ${list.select} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
  return `query ($first: Int, $after: String, $last: Int, $before: String, $where: ${where}, $orderBy: ${orderBy}, $orderDirection: [OrderDirection!]) {
    ${list.through.replace('LIST', connection)} }`
}

function listIn(data: any): any {
  let value = data
  while (!('edges' in value)) value = Object.values(value)[0]
  return value
}

type Pick = <T>(from: readonly T[]) => T

const picker = (seed: number[]): Pick => {
  let at = 0
  return (from) => from[(seed[at++ % seed.length] as number) % from.length] as never
}

/** A filter of a list with values that its rows have. */
function randomWhere(list: Tried, rows: Row[], pick: Pick, depth = 0): Row {
  const { where } = typesOf(list)
  const row: Row = {}
  for (let n = pick([0, 1, 1, 2]); n > 0; n--) {
    const name = pick(Object.keys(list.conditions))
    const type = where.getFields()[name]?.type
    if (!type) throw new Error(`no condition ${name}`)
    row[name] = randomValue(type, () => valueIn(list.conditions[name]?.(pick(rows)), pick), pick)
  }
  if (depth < 2 && pick([true, false, false])) row.NOT = randomWhere(list, rows, pick, depth + 1)
  for (const name of ['AND', 'OR'])
    if (depth < 2 && pick([true, false, false, false]))
      row[name] = pick([[], [0], [0, 1]]).map(() => randomWhere(list, rows, pick, depth + 1))
  return row
}

const valueIn = (value: unknown, pick: Pick) => (Array.isArray(value) ? pick(value) : value)

function randomValue(type: GraphQLInputType, value: () => unknown, pick: Pick): unknown {
  const named = getNullableType(type)
  if (isListType(named)) {
    const values = pick([[], [0], [0, 1, 2]]).map(() => randomValue(named.ofType, value, pick))
    return values.filter((one) => one !== null)
  }
  if (!isInputObjectType(named)) return written(value(), String(named))
  const operators = Object.values(named.getFields())
  return Object.fromEntries(
    pick([[], [0], [0, 1]]).map(() => {
      const { name, type: of } = pick(operators)
      return [name, randomValue(of, value, pick)]
    }),
  )
}

/** A DateTime ends with the year 9999, Unix seconds do not. */
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z')

function written(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type === 'Date') return new Date(value as number).toISOString().slice(0, 10)
  if (type === 'DateTime') return new Date(Math.min(value as number, LAST_SECOND)).toISOString()
  return typeof value === 'bigint' ? String(value) : value
}

/** What the filter means, said once more. */
function matches(list: Tried, where: Row, row: Row): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    if (wanted === null) return true
    if (name === 'AND') return wanted.every((part: Row) => matches(list, part, row))
    if (name === 'OR') return wanted.some((part: Row) => matches(list, part, row))
    if (name === 'NOT') return !matches(list, wanted, row)
    const values = [list.conditions[name]?.(row) as Value].flat()
    const read = (value: any): Value => {
      const type = typesOf(list).where.getFields()[name]?.type
      return /^Date(Time)?Range$/.test(String(type)) ? Date.parse(value) : value
    }
    if (Array.isArray(wanted))
      return values.some((value) => wanted.some((one: any) => one !== null && read(one) === value))
    if (typeof wanted !== 'object') return values.some((value) => value === read(wanted))
    return Object.entries(wanted).every(([operator, bound]: [string, any]) => {
      if (bound === null) return true
      const [value] = values as [any]
      if (value === null) return false
      if (operator === 'in') return bound.some((one: any) => one !== null && read(one) === value)
      const other: any = read(bound)
      if (operator === 'eq') return value === other
      if (operator === 'gt') return value > other
      if (operator === 'gte') return value >= other
      return operator === 'lt' ? value < other : value <= other
    })
  })
}

/** Rows in an order, given in the list's own. */
function inOrder(list: Tried, rows: Row[], by: { field: string; direction: string }[]): Row[] {
  const [first] = by
  const reversed = first && isOwn(list, first.field) && turned(list, first) !== list.first.direction
  const placed = rows.map((row, place) => ({ row, place }))
  placed.sort((a, b) => {
    for (const { field, direction } of by) {
      const [x, y] = [list.keys[field]?.(a.row), list.keys[field]?.(b.row)] as [any, any]
      if (x === y) continue
      if (x === null || y === null) return x === null ? 1 : -1
      return x < y === (direction === 'ASC') ? -1 : 1
    }
    return reversed ? b.place - a.place : a.place - b.place
  })
  return placed.map(({ row }) => row)
}

/** Points on the leaderboard are its ranks the other way round. */
const isOwn = (list: Tried, field: string) =>
  field === list.first.field || (list.field === 'Query.leaderboard' && field === 'POINTS')
const OPPOSITE: Record<string, string> = { ASC: 'DESC', DESC: 'ASC' }
const turned = (list: Tried, { field, direction }: { field: string; direction: string }) =>
  field === list.first.field ? direction : (OPPOSITE[direction] as string)

function randomOrder(list: Tried, pick: Pick): { field: string; direction: string }[] {
  const keys = Object.keys(list.keys)
  const cursors = new Map<string, string>()
  for (let n = pick([0, 1, 1, 2, 3]); n > 0; n--) cursors.set(pick(keys), pick(['ASC', 'DESC']))
  if (cursors.has('RANK')) cursors.delete('POINTS')
  return [...cursors].map(([field, direction]) => ({ field, direction }))
}

for (const [nth, [name, list]] of Object.entries(lists).entries())
  describe(name, () => {
    const query = queryOf(list)
    const bound: Row = {}
    let rows: Row[] = []
    beforeAll(async () => {
      const { data, errors } = await answerTo(query, { first: 1000 })
      expect(errors).toBeUndefined()
      rows = listIn(data).edges.map((edge: any) => edge.node)
      expect(rows.length).toBeGreaterThan(0)
      if (list.bound) Object.assign(bound, boundOf(list, rows))
    })

    test('every condition and every key is tried', () => {
      const { where, orderBy } = typesOf(list)
      const names = Object.keys(where.getFields()).filter(
        (one) => !['AND', 'OR', 'NOT'].includes(one),
      )
      expect(Object.keys(list.conditions).sort()).toEqual(names.sort())
      const order = getNamedType(orderBy)
      if (!isEnumType(order)) throw new Error('no enum')
      if (name !== 'positions')
        expect(Object.keys(list.keys).sort()).toEqual(
          order
            .getValues()
            .map((one) => one.name)
            .sort(),
        )
    })

    test('filters and orders are what they are in plain JavaScript, planned and resolved', {
      timeout: 120_000,
    }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat({ max: 5039 }), { minLength: 20, maxLength: 60 }),
          async (seed) => {
            const pick = picker(seed)
            const where = { ...randomWhere(list, rows, pick), ...bound }
            const by = randomOrder(list, pick)
            const order = orderOf(by.map(({ field, direction }) => `${field}_${direction}`))
            const [key = list.first] = by
            const expected = inOrder(
              list,
              rows.filter(
                (row) => matches(list, where, row) && list.leavesOut?.[key.field]?.(row) !== true,
              ),
              by,
            )
            const told = JSON.stringify({ where, orderBy: by })
            const whole = await answerTo(query, { first: 1000, where, ...order })
            expect(whole.errors, told).toBeUndefined()
            const matching = listIn(whole.data)
            expect(
              matching.edges.map((edge: any) => edge.node),
              told,
            ).toEqual(expected)
            expect(matching.totalCount, told).toBe(expected.length)
            expect(await answerTo(query, { first: 1000, where, ...order }, RESOLVED), told).toEqual(
              whole,
            )
            if (expected.length < 3) return
            const cursors = matching.edges.map((edge: any) => edge.cursor)
            const middle = pick(cursors.slice(1, -1)) as string
            const at = cursors.indexOf(middle)
            for (const extensions of [undefined, RESOLVED]) {
              const after = listIn(
                (await answerTo(query, { first: 4, after: middle, where, ...order }, extensions))
                  .data,
              )
              expect(
                after.edges.map((edge: any) => edge.node),
                told,
              ).toEqual(expected.slice(at + 1, at + 5))
              expect(
                after.edges.map((edge: any) => edge.cursor),
                told,
              ).toEqual(cursors.slice(at + 1, at + 5))
              const before = listIn(
                (await answerTo(query, { last: 4, before: middle, where, ...order }, extensions))
                  .data,
              )
              expect(
                before.edges.map((edge: any) => edge.node),
                told,
              ).toEqual(expected.slice(Math.max(0, at - 4), at))
            }
          },
        ),
        { numRuns: runs({ sample: 3, all: 12, long: 25 }), examples: TRIED },
      )
    })

    // How a cursor is bound does not depend on the list.
    if (SAMPLE && nth % 3 !== 0) return
    test('a cursor leads on only with the filter and the order that it came with', async () => {
      const key = Object.keys(list.keys)[0]
      const order = orderOf([`${key}_ASC`])
      const other = orderOf([`${key}_DESC`])
      const where = { ...bound, AND: [], NOT: { OR: [] } }
      const { data } = await answerTo(query, { first: 2, where, ...order })
      const after = listIn(data).pageInfo.endCursor
      expect((await answerTo(query, { first: 2, after, where, ...order })).errors).toBeUndefined()
      for (const extensions of [undefined, RESOLVED])
        for (const changed of [{ where, ...other }, list.bound ? { where } : order, {}]) {
          const { errors } = await answerTo(query, { first: 2, after, ...changed }, extensions)
          expect(errors?.map((error) => error.extensions.code)).toEqual(['BAD_INPUT'])
          expect(errors?.[0].message).toContain('another filter or order. Start again')
        }
    })
  })

function median(values: (number | null)[]): number {
  const numbers = values.filter((value) => value !== null).sort((a, b) => a - b)
  return numbers[Math.floor(numbers.length / 2)] as number
}

/** The filter that bounds a list, with values of its rows. */
function boundOf({ bound = '' }: Tried, rows: Row[]): Row {
  if (bound.startsWith('user'))
    return { users: rows.find((row) => row.userAddress === sampleUser)?.userAddress }
  if (bound === 'all dates') return { date: { gte: rows.at(-1)?.date, lte: rows[0]?.date } }
  if (bound === 'healthFactor')
    return { healthFactor: { lt: median(rows.map((row) => row.healthFactor)) } }
  if (bound === 'liquidationDrop')
    return { liquidationDrop: { lte: median(rows.map((row) => row.liquidationDrop)) } }
  if (bound.startsWith('date')) return { date: { eq: rows[0]?.date } }
  const newest = day(rows.at(-1)?.time)
  return { time: { gte: new Date(newest - 86_400_000), lte: new Date(newest) } }
}
