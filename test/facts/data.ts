import type { Files } from '../support/datasets.ts'

/**
 * A small dataset that has what is easily got wrong: ties, nulls, gaps and extremes. It comes in
 * two imports, because the points of a position are those of the multipliers of its time.
 */

const at = (start: string, end: string) =>
  `0x${start}${'0'.repeat(40 - start.length - end.length)}${end}`

export const tokens = {
  eth: at('2e', '01'),
  usdc: at('2d', '02'),
  arb: at('2a', '03'),
  dust: at('2b', '04'),
}
/**
 * `none` never has a multiplier, `wild` has markets that the store lacks and a name full of signs
 * that SQL knows.
 */
export const pools = {
  eth: at('1e', '01'),
  arb: at('1a', '02'),
  none: at('1d', '03'),
  wild: at('1c', '04'),
}
/** `same` is a market on chain 1 and another one on chain 42161. */
export const markets = {
  same: at('3e', '01'),
  usdc: at('3d', '02'),
  arbUsdc: at('3a', '03'),
  dust: at('3b', '04'),
}
/**
 * `same` is a vault on chain 1 and another one on chain 42161; `twin` has the name of the first.
 */
export const vaults = { same: at('4e', '01'), twin: at('4d', '02') }
/**
 * `ben` and `cat` have the same points; `dan` and `eve` have positions that earn none. `gus` has
 * snapshots and `hal` a reward, but neither has a position. Nothing names `nobody`.
 */
export const users = {
  ann: at('a1', '01'),
  ben: at('be', '02'),
  cat: at('ca', '03'),
  dan: at('da', '04'),
  eve: at('ee', '05'),
  fay: at('fa', '06'),
  gus: at('91', '07'),
  hal: at('81', '08'),
}
export const nobody = at('ff', 'ff')

/**
 * From a Friday on; there is nothing on March 4, and nothing between March 5 and 31. The last two
 * came by the second import.
 */
export const dates = [
  '2025-02-28',
  '2025-03-01',
  '2025-03-02',
  '2025-03-03',
  '2025-03-05',
  '2025-03-31',
  '2025-04-01',
]
const firstImport = dates.slice(0, 5)

export const MAX = String(2n ** 256n - 1n)
/** Unix seconds of a UTC date. */
export const seconds = (date: string) => String(Date.parse(date) / 1000)

const pool = (
  id: string,
  chainId: number,
  marketId: number,
  name: string,
  a: string[],
  b: string[],
  units: string[],
) => ({
  id,
  chainId,
  marketId,
  name,
  asset_1_address: a[0],
  asset_1_symbol: a[1],
  asset_1_name: a[2],
  asset_2_address: b[0],
  asset_2_symbol: b[1],
  asset_2_name: b[2],
  createdTimestamp: 1700000000 + marketId,
  interestLastUpdated: 1740000000 + chainId,
  unit_1_id: units[0],
  unit_2_id: units[1],
})
const eth = [tokens.eth, 'ETH', 'Ether']
const usdc = [tokens.usdc, 'USDC', 'USD Coin']
const dust = [tokens.dust, 'DUST', 'Dust 100%']
const arb = [tokens.arb, 'ARB', 'Arbitrum']

const market = (
  chainId: number,
  id: string,
  poolId: string,
  asset: string[],
  decimals: number,
  rates: number[],
  threshold?: number,
) => ({
  chainId,
  id,
  poolId,
  assetAddress: asset[0],
  assetSymbol: asset[1],
  assetDecimals: decimals,
  depositRate: rates[0],
  borrowRate: rates[1],
  ...(threshold !== undefined && { liquidationThreshold: threshold }),
})

const vault = (
  chainId: number,
  id: string,
  name: string,
  asset: string[],
  depositRate: number,
) => ({
  chainId,
  id,
  name,
  assetAddress: asset[0],
  assetSymbol: asset[1],
  assetDecimals: 6,
  depositRate,
})

const multiplier = (poolAddress: string, factors: number[], updatedAt: string) => ({
  poolAddress,
  deposit_tokenA: factors[0],
  deposit_tokenB: factors[1],
  borrow_tokenA: factors[2],
  borrow_tokenB: factors[3],
  createdAt: '2025-01-01T00:00:00.000Z',
  updatedAt,
})

const price: Record<string, number> = { ETH: 2000, USDC: 1, ARB: 0.5, DUST: 1e-7 }
type Usd = [supplied: number, protectedSupplied: number, borrowed: number]
const side = (
  s: 'a' | 'b',
  [address, symbol = '']: string[],
  [supplied, protectedSupplied, borrowed]: Usd,
) => {
  const amount = (usd: number) => usd / (price[symbol] ?? 1)
  return {
    [`${s}TokenAddress`]: address,
    [`${s}TokenSymbol`]: symbol,
    [`${s}TokenPrice`]: price[symbol],
    [`${s}SuppliedAmount`]: amount(supplied),
    [`${s}SuppliedAmountUsd`]: supplied,
    [`${s}ProtectedSuppliedAmount`]: amount(protectedSupplied),
    [`${s}ProtectedSuppliedAmountUsd`]: protectedSupplied,
    [`${s}BorrowedAmount`]: amount(borrowed),
    [`${s}BorrowedAmountUsd`]: borrowed,
  }
}
const pairs = {
  [pools.eth]: [eth, usdc],
  [pools.arb]: [arb, usdc],
  [pools.none]: [usdc, eth],
  [pools.wild]: [eth, dust],
}

/** Numbers from 0 up that look random and are the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) % sides
  }
}

/** Positions of all dates. Their points have at most six decimals. */
function positions() {
  const roll = dice(7)
  const usd = () => [0, 0, 0, 0.000004, 0.1, 0.3, 12.25, 100, 100, 2500.5, 1e8][roll(11)] ?? 0
  const amounts = (): Usd => [usd(), usd(), usd()]
  const made: { user: string; pool: string; date: string; a: Usd; b: Usd }[] = []
  for (const date of dates)
    for (const pool of Object.values(pools)) {
      for (const user of [users.ann, users.ben, users.fay])
        if (roll(10) < 7) made.push({ user, pool, date, a: amounts(), b: amounts() })
      for (const { a, b } of made.filter(
        (one) => one.user === users.ben && one.date === date && one.pool === pool,
      ))
        made.push({ user: users.cat, pool, date, a, b })
    }
  made.push({
    user: users.dan,
    pool: pools.none,
    date: '2025-03-02',
    a: [500, 0, 20],
    b: [0, 7, 0],
  })
  made.push({ user: users.eve, pool: pools.eth, date: '2025-03-05', a: [0, 0, 0], b: [0, 0, 0] })
  // A protected deposit counts only while the other token is borrowed: here A's does, there none
  // does.
  made.push({ user: users.dan, pool: pools.wild, date: '2025-03-31', a: [0, 64, 0], b: [0, 0, 0] })
  return made.map(({ user, pool, date, a, b }, n) => {
    const [tokenA = [], tokenB = []] = pairs[pool] ?? []
    return {
      // Neither the order of the file nor that of a locale: capitals come before small letters.
      id: `${n % 3 === 0 ? 'R' : 'r'}${String((n * 37) % 101).padStart(3, '0')}`,
      userAddress: user,
      marketAddress: pool,
      distributionDate: `${date}T00:00:00.000Z`,
      ...side('a', tokenA, a),
      ...side('b', tokenB, b),
      // Points that came with the import, whatever the multiplier.
      ...(n % 13 === 5 ? { pointsA: 0.1, pointsB: 0.2 } : {}),
    }
  })
}

type Row = [
  user: string,
  chain: number,
  entity: string,
  position: string,
  time: string,
  ...unknown[],
]
const { ann, ben, cat, dan, fay, gus, hal } = users
const [D1, D2, D3] = [seconds('2025-03-01'), seconds('2025-03-02'), seconds('2025-04-01')]

const marketSnapshots = (
  [
    [ann, 1, markets.same, 'main', D1, '1000', 0.1, '0', 0, '0', 0],
    [ann, 1, markets.same, 'second', D1, '7', 0.2, '0', null, '0', null],
    [ann, 1, markets.same, 'main', D2, MAX, 1000000.25, MAX, 5, MAX, 250.5],
    [ann, 1, markets.same, 'second', D2, MAX, 0.3, '1', null, '1', null],
    [ann, 42161, markets.same, 'main', D1, '5', null, '6', null, '7', null],
    [ann, 42161, markets.same, 'main', D3, '50', 40, '0', 0, '7', 60],
    [ann, 1, markets.usdc, 'main', D2, '0', 0, '0', 0, '900000000', 900],
    [ann, 1, markets.usdc, 'third', D1, '9', 9, '0', 0, '0', 0],
    [ben, 1, markets.same, 'main', D2, '3', 3, '0', 0, '0', 0],
    [ben, 1, markets.same, 'main', D3, '0', 0, '0', 0, '0', 0],
    [cat, 1, markets.same, 'main', D2, '3', 3, '4', 4, '5', 5],
    [cat, 1, markets.same, 'B', D2, '30', null, '40', 0.000004, '50', 1e-12],
    [cat, 1, markets.same, 'a', D2, '300', 100, '0', 0, '0', 0],
    [
      dan,
      42161,
      markets.arbUsdc,
      'main',
      seconds('2025-03-09T23:59:59Z'),
      '11',
      null,
      '0',
      null,
      '0',
      null,
    ],
    [dan, 42161, markets.arbUsdc, 'main', seconds('2025-03-10'), '12', 100, '0', 0, '40', 100],
    [fay, 1, markets.dust, 'main', '0', '1', 1, '0', 0, '0', 0],
    [gus, 1, markets.dust, 'main', D1, '2', 1e-12, '0', 0, MAX, null],
    // On the larger chain, but of the smaller address.
    [gus, 42161, markets.arbUsdc, 'main', D1, '6', 6, '0', 0, '0', 0],
  ] as Row[]
).map(([accountId, chainId, marketId, positionId, timestamp, ...amounts]) => ({
  chainId,
  marketId,
  accountId,
  ...(positionId === 'main' ? {} : { positionId }),
  timestamp,
  collateralAssets: amounts[0],
  collateralUsd: amounts[1],
  protectedAssets: amounts[2],
  protectedUsd: amounts[3],
  debtAssets: amounts[4],
  debtUsd: amounts[5],
}))

const vaultSnapshots = (
  [
    [ann, 1, vaults.same, 'main', D1, '10', '11', 11.5],
    [ann, 1, vaults.same, 'main', D2, MAX, MAX, null],
    [ann, 1, vaults.same, 'second', D2, MAX, '20', 0.000004],
    [ann, 42161, vaults.same, 'main', D2, '5', '6', 60],
    [ann, 1, vaults.twin, 'main', D1, '1', '1', null],
    [ben, 1, vaults.same, 'main', D2, '8', '8', 8],
    [ben, 1, vaults.same, 'main', D3, '0', '0', 0],
    [cat, 1, vaults.same, 'main', D2, '8', '8', 8],
    [gus, 42161, vaults.same, 'main', D3, '4', '5', 0.1],
    [gus, 1, vaults.twin, 'main', D3, '4', '5', 0.2],
  ] as Row[]
).map(([accountId, chainId, vaultId, positionId, timestamp, shares, assets, assetsUsd]) => ({
  chainId,
  vaultId,
  accountId,
  positionId,
  timestamp,
  shares,
  assets,
  assetsUsd,
}))

const hash = (byte: string) => `0x${byte.repeat(32)}`
const reward = (
  [accountId, chainId, txHash, logIndex, timestamp]: [string, number, string, number, string],
  [supplySentUsd, collateralReceivedUsd, liquidRewardUsd]: (number | null)[],
  liquidReward: string,
  claimedTimestamp: string | null,
  userRoi: string | null,
) => ({
  chainId,
  txHash: hash(txHash),
  logIndex,
  timestamp,
  accountId,
  supplySent: '500',
  supplySentUsd,
  collateralReceived: String(600 + logIndex),
  collateralReceivedUsd,
  liquidReward,
  liquidRewardUsd,
  userRoi,
  claimedTimestamp,
})
const [usdcDebt, ethCollateral] = [
  { debtMarketId: markets.usdc },
  { collateralMarketId: markets.same },
]

const marketRewards = [
  {
    ...reward([ann, 1, 'b1', 3, D1], [10, 12, 0.1], '1', null, '0.2'),
    ...usdcDebt,
    ...ethCollateral,
  },
  {
    ...reward([ann, 1, 'a1', 3, D1], [10, 12.5, 0.2], MAX, D2, '0.25'),
    ...usdcDebt,
    ...ethCollateral,
  },
  {
    ...reward([ann, 1, 'a2', 9, D1], [20, null, null], MAX, null, null),
    ...usdcDebt,
    ...ethCollateral,
  },
  {
    ...reward([ann, 1, 'a3', 0, D3], [null, null, null], '4', D3, null),
    ...usdcDebt,
    collateralMarketId: markets.dust,
  },
  {
    ...reward([ann, 42161, 'a1', 3, D1], [7, 8, 1], '5', null, '0.1'),
    debtMarketId: markets.arbUsdc,
    ...ethCollateral,
  },
  {
    ...reward([ben, 1, 'a1', 3, D1], [1, 1.5, 0.5], '6', D1, '0.5'),
    ...usdcDebt,
    ...ethCollateral,
  },
  {
    ...reward([hal, 1, 'a1', 3, D1], [0, 1e-12, 1e-12], '0', null, '-1'),
    ...usdcDebt,
    ...ethCollateral,
  },
]
const vaultRewards = [
  { ...reward([ann, 1, 'c1', 1, D1], [1, 2, 1], '10', null, '1'), vaultId: vaults.same },
  { ...reward([ann, 42161, 'c1', 1, D1], [1, null, null], '11', D2, null), vaultId: vaults.same },
  { ...reward([ann, 1, 'c2', 2, D2], [3, 3.5, 0.5], MAX, D3, '0.1'), vaultId: vaults.twin },
  { ...reward([cat, 1, 'c1', 1, D1], [5, 6, 1], '12', null, '0.2'), vaultId: vaults.same },
  // The same event as a reward of a market.
  { ...reward([ann, 1, 'a1', 3, D1], [2, 3, 0.1], '13', null, '0.1'), vaultId: vaults.twin },
]

const liquidations = (
  [
    // With the rewards of ann, ben and hal, and one more in their transaction.
    [dan, 1, 'a1', 4, D1, hal, pools.eth, markets.usdc, markets.same, '13000001', 13, MAX, 14.5],
    [cat, 1, 'a1', 5, D1, hal, pools.eth, markets.same, markets.usdc, '1', null, '2', null],
    [dan, 1, 'f7', 0, D2, hal, pools.eth, markets.usdc, markets.same, '0', 0, '5', 0.5],
    [dan, 42161, 'f7', 0, D2, gus, pools.arb, markets.arbUsdc, markets.same, '7', 7, '3', null],
    [dan, 1, 'f8', 0, D3, gus, pools.wild, markets.dust, markets.dust, '9', 9, '9', 9.25],
  ] as [string, number, string, number, string, ...(string | number | null)[]][]
).map(([borrower, chainId, txHash, logIndex, timestamp, ...rest]) => {
  const [liquidator, poolId, debtMarketId, collateralMarketId, ...amounts] = rest
  const [debtRepaid, debtRepaidUsd, collateralSeized, collateralSeizedUsd] = amounts
  return {
    chainId,
    txHash: hash(txHash),
    logIndex,
    timestamp,
    borrower,
    liquidator,
    poolId,
    debtMarketId,
    collateralMarketId,
    debtRepaid,
    debtRepaidUsd,
    collateralSeized,
    collateralSeizedUsd,
  }
})

const cashFlows = (
  [
    [ann, 1, 'market', markets.same, 'd1', 'deposit', 1000, '500000000000000000'],
    [ann, 1, 'market', markets.same, 'd2', 'borrow', 200.25, '100125000000000001'],
    [ann, 1, 'market', markets.same, 'd3', 'repay', 0.1],
    [ann, 1, 'market', markets.same, 'd4', 'withdraw', 0.2, '1'],
    [ann, 42161, 'market', markets.same, 'd1', 'deposit', null, MAX],
    [ann, 42161, 'market', markets.same, 'd2', 'deposit', 30],
    // Without a snapshot there.
    [ann, 1, 'market', markets.dust, 'd5', 'deposit', 3, '3000'],
    [ann, 1, 'vault', vaults.same, 'd6', 'deposit', 11, '11000000'],
    [ann, 42161, 'vault', vaults.same, 'd7', 'withdraw', 60],
    [ben, 1, 'market', markets.same, 'e1', 'deposit', 3],
    [ben, 1, 'market', markets.same, 'e2', 'withdraw', 4.5],
    [gus, 1, 'vault', vaults.twin, 'e3', 'deposit', 0.2],
    // The same event as rewards of ann.
    [ann, 1, 'market', markets.usdc, 'a1', 'repay', 10, '10000001', D1, 3],
    [ann, 1, 'vault', vaults.same, 'c1', 'withdraw', null, '0', D1, 1],
    [
      ann,
      1,
      'market',
      markets.usdc,
      'f1',
      'borrow',
      12,
      '12000000',
      seconds('2025-03-02T12:30:15Z'),
    ],
    // No calendar has that year.
    [gus, 1, 'vault', vaults.twin, 'e4', 'withdraw', 0.1, '100000', String(2n ** 63n - 1n)],
    [gus, 42161, 'market', markets.arbUsdc, 'e5', 'borrow', 5, '5', '0'],
  ] as [string, number, string, string, string, string, number | null, string?, string?, number?][]
).map(
  (
    [
      accountId,
      chainId,
      entityType,
      entityId,
      txHash,
      kind,
      amountUsd,
      assets,
      timestamp,
      logIndex,
    ],
    n,
  ) => ({
    chainId,
    entityType,
    entityId,
    accountId,
    txHash: hash(txHash),
    logIndex: logIndex ?? n,
    timestamp: timestamp ?? D1,
    kind,
    amountUsd,
    ...(assets && { assets }),
  }),
)

const allPositions = positions()
const isFirst = ({ distributionDate }: { distributionDate: string }) =>
  firstImport.includes(distributionDate.slice(0, 10))

/** The two imports, in the import format. */
export const imports: Files[] = [
  {
    pools: [
      pool(pools.eth, 1, 20, 'ETH/USDC', eth, usdc, [markets.same, markets.usdc]),
      pool(pools.arb, 42161, 7, 'ARB/USDC', arb, usdc, [markets.same, markets.arbUsdc]),
      pool(pools.none, 1, 20, 'USDC/ETH', usdc, eth, [markets.usdc, markets.same]),
      // No position, no markets.
      pool(at('1b', '05'), 7, 9, 'ARB/DUST', arb, dust, [at('3f', '08'), at('3f', '07')]),
      pool(pools.wild, 146, 9, `a "b" \\ %s '' $1 {é} 🦊`, eth, dust, [
        markets.dust,
        at('3f', '09'),
      ]),
    ],
    multipliers: [
      multiplier(pools.eth, [2, 1, 4, 0.5], '2025-02-01T00:00:00.000Z'),
      multiplier(pools.arb, [1, 0, 0, 6], '2025-02-02T12:00:00.000Z'),
      multiplier(pools.wild, [1.5, 1, 1, 1], '2025-02-03T00:00:00.000Z'),
    ],
    markets: [
      market(1, markets.same, pools.eth, eth, 18, [0.02, 0.04], 0.8),
      market(42161, markets.same, pools.arb, arb, 18, [0.03, 0.06], 0.65),
      market(1, markets.usdc, pools.eth, usdc, 6, [0.02, 0.05], 0.9),
      market(42161, markets.arbUsdc, pools.arb, usdc, 6, [0, 0.08]),
      market(1, markets.dust, pools.wild, dust, 0, [1e-9, 3]),
    ],
    vaults: [
      vault(1, vaults.same, 'Prime USDC', usdc, 0.06),
      vault(42161, vaults.same, 'Prime USDC on L2', usdc, 0.02),
      vault(1, vaults.twin, 'Prime USDC', dust, 0.06),
    ],
    prices: [
      ...[
        ['2025-03-03', 1900.5, 'oracle', '2025-03-03T12:00:00.000Z'],
        ['2025-03-09', 1850.25, null, null],
      ].map(([date, priceUsd, source, time]) => ({
        chainId: 1,
        assetAddress: tokens.eth,
        date,
        priceUsd,
        source,
        time,
      })),
      // Of a day with a snapshot whose values are unknown.
      { chainId: 42161, assetAddress: tokens.usdc, date: '2025-03-09', priceUsd: 1.5 },
    ],
    positions: allPositions.filter(isFirst),
    'market-snapshots': marketSnapshots,
    'vault-snapshots': vaultSnapshots,
    'market-liquidation-rewards': marketRewards,
    'vault-liquidation-rewards': vaultRewards,
    liquidations,
    'cash-flows': cashFlows,
  },
  {
    multipliers: [multiplier(pools.eth, [3, 1.5, 4, 0], '2025-03-10T12:00:00.000Z')],
    positions: allPositions.filter((one) => !isFirst(one)),
  },
]
