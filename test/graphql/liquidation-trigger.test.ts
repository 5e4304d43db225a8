import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, midnight, pool, position } from '../support/one-pool.ts'

/** What liquidates a position, by what its two tokens move with and by their stored prices. */

const [WETH, WSTETH, USDC, USDT, ARB] = [1, 2, 3, 4, 5].map(
  (n) => `0x${String(n).padStart(40, '7')}`,
) as [string, string, string, string, string]
const SYMBOLS: Record<string, string> = {
  [WETH]: 'WETH',
  [WSTETH]: 'wstETH',
  [USDC]: 'USDC',
  [USDT]: 'USDT',
  [ARB]: 'ARB',
}
const PRICES: Record<string, number> = {
  [WETH]: 3200,
  [WSTETH]: 3840,
  [USDC]: 1,
  [USDT]: 1,
  [ARB]: 0.4,
}
const USER = '0x00000000000000000000000000000000000000aa'
const id = (n: number, kind: string) => `0x${kind}${String(n).padStart(39, '0')}`
const NEWEST = '2026-05-10'

/** The tokens of a pool, each of which is the collateral of a debt of the other. */
const PAIRS: [string, string][] = [
  [USDC, WETH],
  [WSTETH, WETH],
  [USDC, USDT],
  [ARB, WETH],
]
const pools = PAIRS.map(([a, b], n) => ({
  ...pool,
  id: id(n, 'b'),
  marketId: n,
  asset_1_address: a,
  asset_1_symbol: SYMBOLS[a],
  asset_2_address: b,
  asset_2_symbol: SYMBOLS[b],
  unit_1_id: id(2 * n, 'c'),
  unit_2_id: id(2 * n + 1, 'c'),
}))
const markets = PAIRS.flatMap((pair, n) =>
  pair.map((assetAddress, side) => ({
    chainId: pool.chainId,
    id: id(2 * n + side, 'c'),
    poolId: id(n, 'b'),
    assetAddress,
    assetSymbol: SYMBOLS[assetAddress],
    assetDecimals: 18,
    depositRate: 0,
    borrowRate: 0,
    liquidationThreshold: 0.8,
  })),
)
/** 1,000 dollars of one token are the collateral of 640 dollars of the other: the health is 1.25. */
const side = (name: 'a' | 'b', token: string, supplied: number, borrowed: number) => {
  const priceUsd = PRICES[token] as number
  return {
    [`${name}TokenAddress`]: token,
    [`${name}TokenSymbol`]: SYMBOLS[token],
    [`${name}TokenPrice`]: priceUsd,
    [`${name}SuppliedAmount`]: supplied / priceUsd,
    [`${name}SuppliedAmountUsd`]: supplied,
    [`${name}BorrowedAmount`]: borrowed / priceUsd,
    [`${name}BorrowedAmountUsd`]: borrowed,
  }
}
const positions = PAIRS.flatMap(([a, b], n) =>
  (['a', 'b'] as const).map((collateral) => ({
    ...position(id(n, collateral), 0),
    id: `${SYMBOLS[collateral === 'a' ? a : b]} for ${SYMBOLS[collateral === 'a' ? b : a]}`,
    marketAddress: id(n, 'b'),
    distributionDate: midnight(NEWEST),
    ...side('a', a, collateral === 'a' ? 1000 : 0, collateral === 'a' ? 0 : 640),
    ...side('b', b, collateral === 'b' ? 1000 : 0, collateral === 'b' ? 0 : 640),
  })),
)
const token = (address: string, more: object = {}) => ({
  chainId: pool.chainId,
  address,
  name: SYMBOLS[address],
  ...more,
})

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, { pools, markets, positions })
})
afterAll(() => gateway.close())

const TRIGGER =
  'liquidationTrigger { asset { address symbol } against { symbol } direction priceUsd ratio change }'

async function triggers(): Promise<Record<string, unknown>> {
  const query = `{ currentPositions { nodes { legacy { recordId } healthFactor ${TRIGGER} } } }`
  const { currentPositions } = await gateway.ask(query)
  // Resolved: by its node.
  const { nodes } = (await gateway.ask(`{ currentPositions { nodes { id } } }`)).currentPositions
  for (const node of nodes) {
    const one = await gateway.ask(
      `query ($id: ID!) { node(id: $id) { ... on Position { legacy { recordId } healthFactor ${TRIGGER} } } }`,
      { id: node.id },
    )
    expect(currentPositions.nodes).toContainEqual(one.node)
  }
  return Object.fromEntries(
    currentPositions.nodes.map(({ legacy, healthFactor, liquidationTrigger }: any) => {
      expect(healthFactor).toBe(1.25)
      const { asset, against, direction, priceUsd, ratio, change } = liquidationTrigger
      return [
        legacy.recordId,
        [
          against ? `${asset.symbol}/${against.symbol}` : asset.symbol,
          direction,
          priceUsd ?? ratio,
          Number(change.toPrecision(12)),
        ],
      ]
    }),
  )
}

const falls = (name: string, price: number) => [name, 'DOWN', price, -0.2]
const rises = (name: string, price: number) => [name, 'UP', price, 0.25]

const OF_COLLATERAL = {
  'USDC for WETH': falls('USDC', 0.8),
  'WETH for USDC': falls('WETH', 2560),
  'wstETH for WETH': falls('wstETH', 3072),
  'WETH for wstETH': falls('WETH', 2560),
  'USDC for USDT': falls('USDC', 0.8),
  'USDT for USDC': falls('USDT', 0.8),
  'ARB for WETH': falls('ARB', 0.4 / 1.25),
  'WETH for ARB': falls('WETH', 2560),
}
const BY_GROUP = {
  ...OF_COLLATERAL,
  'USDC for WETH': rises('WETH', 4000),
  'wstETH for WETH': falls('wstETH/WETH', 0.96),
  'WETH for wstETH': falls('WETH/wstETH', 3200 / 3840 / 1.25),
  'USDC for USDT': falls('USDC/USDT', 0.8),
  'USDT for USDC': falls('USDT/USDC', 0.8),
}

test('the collateral, where nothing says how prices move', async () => {
  expect(await triggers()).toEqual(OF_COLLATERAL)
})

describe('by the tokens of tokens.jsonl', () => {
  test('the volatile token of a pair, or the ratio of those that move together', async () => {
    const { warnings } = await importFiles(gateway, {
      tokens: [
        token(USDC, { tags: ['stablecoin', 'wrapped'] }),
        token(USDT, { movesWith: 'usd' }),
        token(WETH, { tags: ['like_ETH'] }),
        token(WSTETH, { movesWith: 'ETH', tags: ['like_eth'] }),
      ],
    })
    expect(warnings).toEqual([])
    expect(await triggers()).toEqual(BY_GROUP)
    const { asset } = await gateway.ask(
      `{ asset(chainId: ${pool.chainId}, address: "${WSTETH}") { movesWith } }`,
    )
    expect(asset).toEqual({ movesWith: 'ETH' })
  })

  test('tags that contradict each other are not stored, and the import says so', async () => {
    const { warnings } = await importFiles(gateway, {
      tokens: [token(USDC, { tags: ['stablecoin', 'like_ETH'] }), token(WETH)],
    })
    expect(warnings).toEqual([
      'One line of tokens.jsonl is changed (line 1: tags contradict each other: the price cannot move with USD and with ETH).',
    ])
    expect((await triggers())['USDC for WETH']).toEqual(OF_COLLATERAL['USDC for WETH'])
  })

  test('a group has letters and digits, else the line is left out', async () => {
    const { warnings } = await importFiles(gateway, {
      tokens: [token(USDC, { movesWith: 'the dollar' }), token(WETH)],
    })
    expect(warnings).toEqual([
      expect.stringContaining('movesWith must be a text of 1 to 20 letters'),
    ])
  })
})

describe('by 90 days of prices', () => {
  const days = Array.from({ length: 90 }, (_, n) =>
    new Date(Date.parse('2026-02-10') + n * 86_400_000).toISOString().slice(0, 10),
  )
  // Ether doubles and its staked form with it; ARB falls; both dollars stay near 1.
  const course: Record<string, (n: number) => number> = {
    [WETH]: (n) => 1600 * (1 + n / 89),
    [WSTETH]: (n) => 1600 * (1 + n / 89) * (1.19 + n / 9000),
    [USDC]: (n) => 1 + (n % 3) / 100,
    [USDT]: (n) => 1 - (n % 2) / 100,
    [ARB]: (n) => 0.9 - n / 200,
  }
  const prices = (of: string[], some = days) =>
    of.flatMap((assetAddress) =>
      some.map((date, n) => ({
        chainId: pool.chainId,
        assetAddress,
        date,
        priceUsd: course[assetAddress]?.(n),
      })),
    )

  test('of too few days, they say nothing', async () => {
    await importFiles(gateway, {
      tokens: Object.keys(SYMBOLS).map((address) => token(address)),
      prices: prices(Object.keys(SYMBOLS), days.slice(0, 29)),
    })
    expect(await triggers()).toEqual(OF_COLLATERAL)
  })

  test('of enough days, they say which token moves, and which move together', async () => {
    await importFiles(gateway, { prices: prices(Object.keys(SYMBOLS)) })
    expect(await triggers()).toEqual(BY_GROUP)
  })

  test('two tokens that say what they move with are not measured', async () => {
    await importFiles(gateway, {
      tokens: [token(USDC, { movesWith: 'EUR' }), token(USDT, { movesWith: 'USD' })],
    })
    expect((await triggers())['USDC for USDT']).toEqual(falls('USDC', 0.8))
  })

  test('a new position in a pool of known tokens has its trigger at once', async () => {
    await importFiles(gateway, { tokens: [token(USDC)] })
    await gateway.deps.store.pool.query('UPDATE token_pair SET mover = NULL')
    await importFiles(gateway, {
      positions: [
        {
          ...positions[0],
          id: 'later',
          userAddress: USER,
          aTokenSymbol: 'USDC.e',
        } as (typeof positions)[number],
      ],
    })
    expect((await triggers()).later).toEqual(rises('WETH', 4000))
  })
})
