/**
 * A price model: the start in USD, how much of the market's moves it follows, the volatility of its
 * other moves, and how much of those persists on the next day.
 */
export const courses = {
  USD: { start: 1, follows: 0, move: 0.0004, keep: 0.7 },
  EUR: { start: 1.134, follows: 0, move: 0.002, keep: 0.98 },
  JPY: { start: 0.00672, follows: 0, move: 0.003, keep: 0.98 },
  ETH: { start: 2840, follows: 1, move: 0.006, keep: 1 },
  BTC: { start: 97400, follows: 0.8, move: 0.004, keep: 1 },
  S: { start: 0.512, follows: 1.2, move: 0.011, keep: 1 },
  ARB: { start: 0.418, follows: 1.3, move: 0.012, keep: 1 },
  LINK: { start: 16.3, follows: 1.1, move: 0.01, keep: 1 },
  GMX: { start: 17.8, follows: 1.1, move: 0.012, keep: 1 },
  PENDLE: { start: 3.94, follows: 1.2, move: 0.011, keep: 1 },
  AERO: { start: 0.83, follows: 1.2, move: 0.012, keep: 1 },
}

export interface Token {
  chainId: number
  symbol: string
  name: string
  decimals: number
  follows: keyof typeof courses
  /** The value of one token relative to the model. */
  worth?: number
  /** The yearly gain relative to the model, for staked tokens and bonds. */
  growth?: number
  /** How far the price strays from the model in a day, as a share. */
  wobble?: number
  /** Days without a price, counted back from the last (0). */
  gaps?: number[]
  /** Omitted for an invented token. */
  address?: string
}

// biome-ignore format: a table of tokens
export const tokens: Token[] = [
  { chainId: 1, symbol: 'USDC', name: 'USD Coin', decimals: 6, follows: 'USD',
    address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' },
  { chainId: 1, symbol: 'USDT', name: 'Tether USD', decimals: 6, follows: 'USD',
    address: '0xdac17f958d2ee523a2206206994597c13d831ec7' },
  { chainId: 1, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, follows: 'ETH',
    address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' },
  { chainId: 1, symbol: 'WBTC', name: 'Wrapped BTC', decimals: 8, follows: 'BTC',
    address: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599' },
  { chainId: 1, symbol: 'LINK', name: 'ChainLink Token', decimals: 18, follows: 'LINK',
    address: '0x514910771af9ca656af840dff83e8264ecf986ca' },
  { chainId: 1, symbol: 'wstETH', name: 'Wrapped liquid staked Ether 2.0', decimals: 18,
    follows: 'ETH', worth: 1.198, growth: 0.028,
    address: '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0' },
  { chainId: 1, symbol: 'weETH', name: 'Wrapped eETH', decimals: 18,
    follows: 'ETH', worth: 1.064, growth: 0.031, gaps: [22],
    address: '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee' },
  { chainId: 1, symbol: 'sUSDe', name: 'Staked USDe', decimals: 18,
    follows: 'USD', worth: 1.171, growth: 0.064,
    address: '0x9d39a5de30e57443bff2a8307a4256c8797a3497' },
  { chainId: 1, symbol: 'PT-sUSDe-USDC-LP-30DEC2027',
    name: 'Principal Token: sUSDe-USDC LP, 30DEC2027', decimals: 18, follows: 'USD', worth: 0.968, growth: 0.091, gaps: [37, 38, 39] },

  { chainId: 42161, symbol: 'USDC', name: 'USD Coin', decimals: 6, follows: 'USD',
    address: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' },
  { chainId: 42161, symbol: 'USDC.e', name: 'USD Coin (Arb1)', decimals: 6,
    follows: 'USD', worth: 0.9994, address: '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8' },
  { chainId: 42161, symbol: 'USD₮0', name: 'USD₮0', decimals: 6, follows: 'USD', gaps: [4, 6],
    address: '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9' },
  { chainId: 42161, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, follows: 'ETH',
    address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1' },
  { chainId: 42161, symbol: 'WBTC', name: 'Wrapped BTC', decimals: 8, follows: 'BTC',
    address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f' },
  { chainId: 42161, symbol: 'ARB', name: 'Arbitrum', decimals: 18, follows: 'ARB', gaps: [11],
    address: '0x912ce59144191c1204e64559fe8253a0e49e6548' },
  { chainId: 42161, symbol: 'GMX', name: 'GMX', decimals: 18, follows: 'GMX', gaps: [16],
    address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a' },
  { chainId: 42161, symbol: 'PENDLE', name: 'Pendle', decimals: 18, follows: 'PENDLE',
    address: '0x0c880f6761f1af8d9aa9c466984b80dab9a8c9e8' },
  { chainId: 42161, symbol: 'weETH', name: 'Wrapped eETH', decimals: 18,
    follows: 'ETH', worth: 1.064, growth: 0.031,
    address: '0x35751007a407ca6feffe80b3cb397736d2cf4dbe' },

  { chainId: 8453, symbol: 'USDC', name: 'USD Coin', decimals: 6, follows: 'USD',
    address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
  { chainId: 8453, symbol: 'EURC', name: 'EURC', decimals: 6, follows: 'EUR',
    address: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42' },
  { chainId: 8453, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, follows: 'ETH',
    address: '0x4200000000000000000000000000000000000006' },
  { chainId: 8453, symbol: 'cbETH', name: 'Coinbase Wrapped Staked ETH', decimals: 18,
    follows: 'ETH', worth: 1.097, growth: 0.026,
    address: '0x2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22' },
  { chainId: 8453, symbol: 'cbBTC', name: 'Coinbase Wrapped BTC', decimals: 8, follows: 'BTC',
    address: '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf' },
  { chainId: 8453, symbol: 'AERO', name: 'Aerodrome', decimals: 18, follows: 'AERO',
    address: '0x940181a94a35a4569e4529a3cdfb74e38fd98631' },
  { chainId: 8453, symbol: 'KŌBAN', name: 'Kōban Yen · 小判', decimals: 4,
    follows: 'JPY', gaps: [8, 51] },

  { chainId: 146, symbol: 'S', name: 'Wrapped Sonic', decimals: 18, follows: 'S',
    address: '0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38' },
  { chainId: 146, symbol: 'USDC', name: 'Bridged USDC (Sonic Labs)', decimals: 6, follows: 'USD',
    address: '0x29219dd400f2bf60e5a23d13be72b486d4038894' },
  { chainId: 146, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, follows: 'ETH',
    address: '0x50c42deacd8fc9773493ed674b675be577f2634b' },
  { chainId: 146, symbol: 'stS', name: 'Beets Staked Sonic', decimals: 18,
    follows: 'S', worth: 1.031, growth: 0.052, wobble: 0.005,
    address: '0xe5da20f15420ad15de0fa650600afc998bbe3955' },
  { chainId: 146, symbol: 'wOS', name: 'Wrapped OS', decimals: 18,
    follows: 'S', worth: 1.022, growth: 0.057, gaps: [3, 4, 11],
    address: '0x9f0df7799f6fdad409300080cff680f5a23df4b1' },
  { chainId: 146, symbol: 'scUSD', name: 'Sonic USD', decimals: 6,
    follows: 'USD', worth: 0.9991, gaps: [64],
    address: '0xd3dce716f3ef535c5ff8d041c1a41c3bd89b97ae' },

  { chainId: 10, symbol: 'USDC', name: 'USD Coin', decimals: 6, follows: 'USD',
    address: '0x0b2c639c533813f4aa9d7837caf62653d097ff85' }
]

/**
 * Pools, most used first. A is the collateral, B is lent and borrowed. A pool may have no
 * multiplier.
 */
export const pairs: {
  chainId: number
  a: string
  b: string
  marketId: number
  multiplier?: Multiplier
}[] = [
  { chainId: 42161, a: 'WETH', b: 'USDC', marketId: 12, multiplier: [1, 2, 0, 1] },
  { chainId: 146, a: 'stS', b: 'S', marketId: 61, multiplier: [1, 2, 1, 1] },
  { chainId: 1, a: 'sUSDe', b: 'USDT', marketId: 34, multiplier: [2, 1, 0, 1] },
  { chainId: 8453, a: 'cbBTC', b: 'USDC', marketId: 47, multiplier: [1, 1.5, 1, 1] },
  { chainId: 1, a: 'wstETH', b: 'WETH', marketId: 31, multiplier: [1, 1, 1, 1] },
  { chainId: 146, a: 'S', b: 'USDC', marketId: 58, multiplier: [1, 1, 1, 2] },
  { chainId: 42161, a: 'ARB', b: 'USDC', marketId: 11, multiplier: [0.5, 2, 0, 0.5] },
  { chainId: 1, a: 'WBTC', b: 'USDC', marketId: 32, multiplier: [1, 1, 1, 1] },
  { chainId: 42161, a: 'WBTC', b: 'USD₮0', marketId: 15, multiplier: [1, 2, 1, 2] },
  { chainId: 8453, a: 'cbETH', b: 'WETH', marketId: 46, multiplier: [1, 1, 0, 0.5] },
  { chainId: 146, a: 'scUSD', b: 'USDC', marketId: 63 },
  { chainId: 1, a: 'weETH', b: 'WETH', marketId: 36, multiplier: [1, 2, 1, 1] },
  { chainId: 42161, a: 'USD₮0', b: 'USDC', marketId: 18, multiplier: [0, 0, 0, 0] },
  { chainId: 146, a: 'wOS', b: 'S', marketId: 62, multiplier: [1, 2, 1, 0] },
  { chainId: 8453, a: 'AERO', b: 'USDC', marketId: 49, multiplier: [1, 1, 1, 1] },
  {
    chainId: 1,
    a: 'PT-sUSDe-USDC-LP-30DEC2027',
    b: 'USDC',
    marketId: 40,
    multiplier: [2, 1, 0, 1],
  },
  { chainId: 42161, a: 'weETH', b: 'WETH', marketId: 21, multiplier: [1, 1, 1, 1] },
  { chainId: 8453, a: 'EURC', b: 'USDC', marketId: 50, multiplier: [0.5, 0.5, 0.5, 0.5] },
  { chainId: 146, a: 'S', b: 'USDC', marketId: 70, multiplier: [2, 2, 1, 1] },
  { chainId: 42161, a: 'GMX', b: 'USDC.e', marketId: 13, multiplier: [1, 0, 1, 0] },
  { chainId: 1, a: 'LINK', b: 'USDC', marketId: 33, multiplier: [1, 1, 1, 1] },
  { chainId: 146, a: 'WETH', b: 'USDC', marketId: 66 },
  { chainId: 42161, a: 'PENDLE', b: 'USDC', marketId: 24, multiplier: [1, 1, 1, 1] },
  { chainId: 8453, a: 'KŌBAN', b: 'USDC', marketId: 55 },
]

/** deposit A, deposit B, borrow A, borrow B */
export type Multiplier = [number, number, number, number]

/**
 * Changes of the program's rules: how many days before the end, and the multipliers until then by
 * the pool's number.
 */
export const ruleChanges: { daysAgo: number; until: Record<number, Multiplier> }[] = [
  {
    daysAgo: 61,
    until: { 12: [1, 1, 0, 1], 61: [1, 1, 1, 1], 34: [1, 1, 0, 1], 58: [1, 1, 1, 1] },
  },
  {
    daysAgo: 26,
    until: { 12: [1, 1.5, 0, 1], 47: [1, 1, 1, 1], 15: [1, 1, 1, 1], 70: [1, 1, 1, 1] },
  },
]

/** The chain whose snapshots and cash flows stop before the others', by so many days. */
export const lateChain = { chainId: 10, days: 2 }

/** Vaults. `lends` must be the B of a pool on the same chain, if that has pools. */
export const vaultNames: { chainId: number; lends: string; name: string }[] = [
  { chainId: 146, lends: 'S', name: 'Boréal S Reserve' },
  { chainId: 8453, lends: 'USDC', name: 'Harbour USDC Core' },
  { chainId: 1, lends: 'USDC', name: 'Harbour USDC Prime' },
  { chainId: 42161, lends: 'USDC', name: 'Lantern USDC Growth' },
  { chainId: 1, lends: 'WETH', name: 'Lantern Ether' },
  { chainId: 146, lends: 'USDC', name: 'Boréal USDC' },
  { chainId: 42161, lends: 'USD₮0', name: 'Harbour USD₮0 (high yield, 2.0)' },
  { chainId: 10, lends: 'USDC', name: 'Harbour USDC Outpost' },
]
