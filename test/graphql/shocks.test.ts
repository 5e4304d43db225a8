import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, midnight, pool, position } from '../support/one-pool.ts'

/** What a change of one price liquidates, by a computation in JavaScript that reads no index. */

const [WETH, WSTETH, USDC, ARB] = [1, 2, 3, 4].map((n) => `0x${String(n).padStart(40, '7')}`) as [
  string,
  string,
  string,
  string,
]
const PRICES: Record<string, number> = { [WETH]: 3200, [WSTETH]: 3840, [USDC]: 1, [ARB]: 0.5 }
const NEWEST = '2026-05-10'
const id = (n: number, kind: string) => `0x${kind}${String(n).padStart(39, '0')}`

/** The tokens of each pool, and the thresholds of both markets. */
const POOLS: { tokens: [string, string]; thresholds: [number | null, number | null] }[] = [
  { tokens: [WETH, USDC], thresholds: [0.8, 0.9] },
  { tokens: [WSTETH, WETH], thresholds: [0.95, 0.9] },
  { tokens: [ARB, USDC], thresholds: [0.6, null] },
  { tokens: [ARB, WETH], thresholds: [null, null] },
]
const pools = POOLS.map(({ tokens: [a, b] }, n) => ({
  ...pool,
  id: id(n, 'b'),
  marketId: n,
  asset_1_address: a,
  asset_2_address: b,
  unit_1_id: id(2 * n, 'c'),
  unit_2_id: id(2 * n + 1, 'c'),
}))
const markets = POOLS.flatMap(({ tokens, thresholds }, n) =>
  tokens.map((assetAddress, side) => ({
    chainId: pool.chainId,
    id: id(2 * n + side, 'c'),
    poolId: id(n, 'b'),
    assetAddress,
    assetSymbol: 'T',
    assetDecimals: 18,
    depositRate: 0,
    borrowRate: 0,
    maxLtv: thresholds[side] === null ? null : 0.5,
    liquidationThreshold: thresholds[side],
  })),
)

interface Held {
  supplied: number
  protectedSupply: number
  borrowed: number
}
interface Account {
  pool: number
  a: Held
  b: Held
}
const none: Held = { supplied: 0, protectedSupply: 0, borrowed: 0 }
// Debts from 5 % to 105 % of the collateral, on either side and on both.
const all: Account[] = POOLS.flatMap((_, n) =>
  Array.from({ length: 63 }, (_, i) => {
    const owed = { ...none, borrowed: 50 + 50 * (i % 21) }
    const owned = { ...none, supplied: 900, protectedSupply: 100 }
    if (i < 21) return { pool: n, a: owned, b: owed }
    if (i < 42) return { pool: n, a: owed, b: owned }
    return { pool: n, a: { ...owned, borrowed: 300 }, b: { ...owned, ...owed, supplied: 400 } }
  }),
)
const side = (name: 'a' | 'b', token: string, { supplied, protectedSupply, borrowed }: Held) => {
  const priceUsd = PRICES[token] as number
  return {
    [`${name}TokenAddress`]: token,
    [`${name}TokenPrice`]: priceUsd,
    [`${name}SuppliedAmount`]: supplied / priceUsd,
    [`${name}SuppliedAmountUsd`]: supplied,
    [`${name}ProtectedSuppliedAmount`]: protectedSupply / priceUsd,
    [`${name}ProtectedSuppliedAmountUsd`]: protectedSupply,
    [`${name}BorrowedAmount`]: borrowed / priceUsd,
    [`${name}BorrowedAmountUsd`]: borrowed,
  }
}
const positions = all.map(({ pool: n, a, b }, i) => ({
  ...position(id(i, 'a'), 0),
  id: `of ${i}`,
  marketAddress: id(n, 'b'),
  distributionDate: midnight(NEWEST),
  ...side('a', POOLS[n]?.tokens[0] as string, a),
  ...side('b', POOLS[n]?.tokens[1] as string, b),
}))

type Shock = { asset?: string; group?: string; change: number }
const GROUPS: Record<string, string[]> = { ETH: [WETH, WSTETH], USD: [USDC] }

function expected({ asset, group, change }: Shock, accounts: readonly Account[] = all) {
  const moved = asset ? [asset] : (GROUPS[group as string] ?? [])
  const result = {
    positionCount: 0,
    collateralUsd: 0,
    debtUsd: 0,
    unknownPositionCount: 0,
    unknownDebtUsd: 0,
  }
  for (const account of accounts) {
    const { tokens, thresholds } = POOLS[account.pool] as (typeof POOLS)[number]
    let [collateral, debt, shockedDebt] = [0, 0, 0]
    let weighted: number | null = 0
    for (const n of [0, 1] as const) {
      const [own, other] = n === 0 ? [account.a, account.b] : [account.b, account.a]
      const factor = moved.includes(tokens[n]) ? 1 + change : 1
      debt += own.borrowed
      shockedDebt += own.borrowed * factor
      if (other.borrowed === 0) continue
      const worth = own.supplied + own.protectedSupply
      collateral += worth
      const threshold = thresholds[n]
      if (worth > 0 && threshold === null) weighted = null
      else if (weighted !== null) weighted += worth * factor * (threshold ?? 0)
    }
    if (debt === 0) continue
    if (weighted === null) {
      result.unknownPositionCount += 1
      result.unknownDebtUsd += debt
    } else if (weighted / shockedDebt <= 1) {
      result.positionCount += 1
      result.collateralUsd += collateral
      result.debtUsd += debt
    }
  }
  return result
}

let gateway: Gateway
let withoutPlans: Gateway
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  withoutPlans = await startGateway({ on: gateway, plan: false })
  await importFiles(gateway, {
    pools,
    markets,
    tokens: [
      { chainId: 1, address: WETH, name: 'WETH', movesWith: 'ETH' },
      { chainId: 1, address: WSTETH, name: 'wstETH', movesWith: 'ETH' },
      { chainId: 1, address: USDC, name: 'USDC', tags: ['stablecoin'] },
    ],
    positions,
  })
})
afterAll(async () => {
  await withoutPlans.close()
  await gateway.close()
})

const QUERY = `query ($shocks: [PriceShock!]!) { collateralAtRisk(shocks: $shocks) {
  asset group change positionCount collateralUsd debtUsd unknownPositionCount unknownDebtUsd } }`
const rounded = (rows: any[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? Number(value.toPrecision(12)) : value,
      ]),
    ),
  )

describe('shocks of one price over all markets', () => {
  const shocks: Shock[] = [
    { group: 'ETH', change: -0.1 },
    { group: 'ETH', change: 0.1 },
    { asset: WSTETH, change: -0.07 },
    { asset: WETH, change: 0.5 },
    { group: 'USD', change: -0.12 },
    { asset: ARB, change: -0.9 },
    { asset: ARB, change: 10 },
    { asset: WETH, change: -0.999 },
  ]

  test('liquidate what a computation over all positions says, alone and together', async () => {
    const rows = shocks.map((shock) => ({
      asset: shock.asset ?? null,
      group: shock.group ?? null,
      change: shock.change,
      ...expected(shock),
    }))
    for (const one of [gateway, withoutPlans]) {
      const { collateralAtRisk } = await one.ask(QUERY, { shocks })
      expect(rounded(collateralAtRisk)).toEqual(rounded(rows))
      for (const [n, shock] of shocks.entries()) {
        const alone = await one.ask(QUERY, { shocks: [shock] })
        expect(rounded(alone.collateralAtRisk)).toEqual(rounded([rows[n]]))
      }
    }
    expect(new Set(rows.map(({ positionCount }) => positionCount)).size).toBeGreaterThan(4)
    expect(rows[0]?.unknownPositionCount).toBeGreaterThan(60)
  })

  test('are the same by pool, and as a list', async () => {
    for (const one of [gateway, withoutPlans])
      for (const { change, ...of } of shocks) {
        const { poolsAtRisk, currentPositions } = await one.ask(
          `query ($shock: PriceShock!, $pools: [Address!]) {
            poolsAtRisk(shocks: [$shock], pools: $pools) { poolAddress pool { address } positionCount collateralUsd
              debtUsd unknownPositionCount unknownDebtUsd }
            currentPositions(shock: $shock, orderBy: HEALTH_FACTOR, first: 1000) {
              totalCount nodes { poolAddress healthFactor } } }`,
          { shock: { change, ...of } },
        )
        const rows = POOLS.map((_, n) => ({
          ...{ poolAddress: id(n, 'b'), pool: { address: id(n, 'b') } },
          ...expected(
            { change, ...of },
            all.filter(({ pool }) => pool === n),
          ),
        })).filter(
          ({ positionCount, unknownPositionCount }) => positionCount + unknownPositionCount > 0,
        )
        const unrated = { positionCount: null, collateralUsd: null, debtUsd: null }
        const byAddress = (some: any[]) =>
          rounded(some).sort((a: any, b: any) => a.poolAddress.localeCompare(b.poolAddress))
        expect(byAddress(poolsAtRisk)).toEqual(
          byAddress(
            rows.map((row) => (row.poolAddress === id(3, 'b') ? { ...row, ...unrated } : row)),
          ),
        )
        const { totalCount, nodes } = currentPositions
        expect(totalCount).toBe(expected({ change, ...of }).positionCount)
        expect(nodes).toHaveLength(totalCount)
        const factors = nodes.map(({ healthFactor }: any) => healthFactor)
        expect(factors).toEqual([...factors].sort((a: number, b: number) => a - b))
        for (const { poolAddress, positionCount } of rows)
          expect(nodes.filter((node: any) => node.poolAddress === poolAddress)).toHaveLength(
            positionCount,
          )
      }
    const shock = { asset: WETH, change: 0.3 }
    const query = `query ($shock: PriceShock!, $pools: [Address!]) {
      poolsAtRisk(shocks: [$shock], pools: $pools) { poolAddress } }`
    const only = await gateway.ask(query, { shock, pools: [id(0, 'b')] })
    expect(only.poolsAtRisk).toEqual([{ poolAddress: id(0, 'b') }])
    const many = Array.from({ length: 11 }, (_, n) => id(n, 'b'))
    const { errors } = await gateway.graphql(query, { shock, pools: many })
    expect(errors?.[0]?.message).toMatch(/^pools has 11 values, at most 10 are allowed/)
  })

  test('a short is liquidated by a rise of its debt alone', async () => {
    const of = async (change: number) =>
      (
        await gateway.ask(
          `query ($shock: PriceShock!) { currentPositions(shock: $shock, first: 1000) {
            nodes { user { address } healthFactor liquidationDebtPriceUsd } } }`,
          { shock: { asset: WETH, change } },
        )
      ).currentPositions.nodes
    // 1,000 dollars of USDC at 90 % back 800 dollars of WETH: it dies when WETH rises by 12.5 %.
    const short = all.findIndex(({ pool, a }) => pool === 0 && a.borrowed === 800)
    const find = async (change: number) =>
      (await of(change)).find(({ user }: any) => user.address === id(short, 'a'))
    expect(await find(0.124)).toBeUndefined()
    expect(await find(-0.5)).toBeUndefined()
    expect(await find(0.126)).toMatchObject({ healthFactor: 1.125, liquidationDebtPriceUsd: 3600 })
  })

  test('a pair whose tokens move together is safe from a fall of both', async () => {
    const of = async (shock: Shock) =>
      (await gateway.ask(QUERY, { shocks: [shock] })).collateralAtRisk[0].positionCount
    expect(await of({ group: 'ETH', change: -0.1 })).toBeLessThan(
      (await of({ asset: WSTETH, change: -0.1 })) + (await of({ asset: WETH, change: -0.1 })),
    )
  })

  test('a token without a group joins the group that it moves together with', async () => {
    await importFiles(gateway, { tokens: [{ chainId: 1, address: WSTETH, name: 'wstETH' }] })
    const before = (await gateway.ask(QUERY, { shocks: [{ group: 'ETH', change: -0.1 }] }))
      .collateralAtRisk[0].positionCount
    await gateway.deps.store.pool.query(
      `UPDATE token_pair SET mover = 'both' WHERE pool_address = '${id(1, 'b')}'`,
    )
    const { collateralAtRisk } = await gateway.ask(QUERY, {
      shocks: [{ group: 'eth', change: -0.1 }],
    })
    expect(collateralAtRisk[0].positionCount).toBe(
      expected({ group: 'ETH', change: -0.1 }).positionCount,
    )
    expect(before).not.toBe(collateralAtRisk[0].positionCount)
    await importFiles(gateway, {
      tokens: [{ chainId: 1, address: WSTETH, name: 'wstETH', movesWith: 'ETH' }],
    })
  })

  test.each([
    [[{ asset: WETH, change: -1 }], /more than -1 and at most 10, but not by 0.*-1 is not allowed/],
    [[{ asset: WETH, change: 0 }], /but not by 0/],
    [[{ asset: WETH, change: 10.5 }], /at most 10/],
    [[{ change: 0.5 }], /must each name an asset or a group, not both/],
    [[{ asset: WETH, group: 'ETH', change: 0.5 }], /not both/],
    [[{ asset: id(9, 'f'), change: 0.5 }], /names 0xf0+9, but no pool has such a token or group/],
    [
      [
        { group: 'ETH', change: 0.5 },
        { group: 'DOGE', change: 0.5 },
      ],
      /names DOGE, but no pool has such a token or group/,
    ],
    [
      Array.from({ length: 49 }, () => ({ asset: WETH, change: 0.5 })),
      /has 49 values, at most 48 are allowed/,
    ],
  ])('are refused where they make no sense %#', async (shocks, message) => {
    for (const one of [gateway, withoutPlans]) {
      const { errors } = await one.graphql(QUERY, { shocks })
      expect(errors?.[0]?.extensions.code).toBe('BAD_INPUT')
      expect(errors?.[0]?.message).toMatch(message)
      if (shocks.length !== 1) continue
      const list = await one.graphql(
        'query ($shock: PriceShock!) { currentPositions(shock: $shock) { totalCount } }',
        { shock: shocks[0] },
      )
      expect(list.errors?.[0]?.message).toMatch(message)
    }
  })

  test('where no market has a threshold they are null, not 0, and 0 where others have', async () => {
    const unrated = await startGateway()
    const ofPool = (n: number) =>
      positions.filter(({ marketAddress }) => marketAddress === id(n, 'b')).slice(0, 3)
    try {
      await importFiles(unrated, { pools, positions: ofPool(3) })
      const shocked = { shocks: [{ asset: WETH, change: -0.01 }] }
      const before = await unrated.ask(QUERY, shocked)
      expect(before.collateralAtRisk[0]).toMatchObject({
        ...{ positionCount: null, collateralUsd: null, debtUsd: null },
        ...{ unknownPositionCount: 3, unknownDebtUsd: 300 },
      })
      await importFiles(unrated, { markets, positions: ofPool(0) })
      const after = await unrated.ask(QUERY, shocked)
      expect(after.collateralAtRisk[0]).toMatchObject({
        ...{ positionCount: 0, collateralUsd: 0, debtUsd: 0 },
        ...{ unknownPositionCount: 3, unknownDebtUsd: 300 },
      })
    } finally {
      await unrated.close()
    }
  })

  test('an empty store has none at risk', async () => {
    const empty = await startGateway()
    try {
      const { collateralAtRisk } = await empty.ask(QUERY, { shocks: shocks.slice(0, 1) })
      expect(collateralAtRisk).toEqual([
        {
          ...{ asset: null, group: 'ETH', change: -0.1 },
          ...{ positionCount: 0, collateralUsd: 0, debtUsd: 0 },
          ...{ unknownPositionCount: 0, unknownDebtUsd: 0 },
        },
      ])
    } finally {
      await empty.close()
    }
  })

  test('no shocks have no rows', async () => {
    expect(await gateway.ask(QUERY, { shocks: [] })).toEqual({ collateralAtRisk: [] })
  })
})

test('the lowest health of a user is that of the positions whose health is known', async () => {
  const user = id(0, 'a')
  await importFiles(gateway, {
    positions: [1, 3].map((n) => ({
      ...positions[0],
      id: `more ${n}`,
      marketAddress: id(n, 'b'),
      ...side('a', POOLS[n]?.tokens[0] as string, { ...none, supplied: 1000 }),
      ...side('b', POOLS[n]?.tokens[1] as string, { ...none, borrowed: 760 }),
    })) as typeof positions,
  })
  const query = `query ($user: Address!) { user(address: $user) { lowestHealthFactor
    currentPositions { nodes { healthFactor } } } }`
  for (const one of [gateway, withoutPlans]) {
    const { user: lowest } = await one.ask(query, { user })
    expect(lowest.lowestHealthFactor).toBe(1.25)
    expect(lowest.currentPositions.nodes).toHaveLength(3)
    const nobody = await one.ask(query, { user: id(99, 'f') })
    expect(nobody.user.lowestHealthFactor).toBeNull()
  }
})

test('the health through time is that of a position, or the worst of all', async () => {
  const earlier = '2026-05-01'
  const user = id(0, 'a')
  await importFiles(gateway, {
    positions: [0, 1].map((n) => ({
      ...positions[0],
      id: `earlier ${n}`,
      marketAddress: id(n, 'b'),
      distributionDate: midnight(earlier),
      ...side('a', POOLS[n]?.tokens[0] as string, { ...none, supplied: 1000 }),
      ...side('b', POOLS[n]?.tokens[1] as string, { ...none, borrowed: n === 0 ? 400 : 950 }),
    })) as typeof positions,
  })
  const series = (args: string) =>
    `query ($user: Address!) { user(address: $user) { healthSeries(${args}) { date healthFactor ltv } } }`
  for (const one of [gateway, withoutPlans]) {
    const all = await one.ask(series(`from: "${earlier}", to: "${NEWEST}"`), { user })
    expect(all.user.healthSeries[0]).toEqual({ date: earlier, healthFactor: 1, ltv: 0.95 })
    expect(all.user.healthSeries.map(({ date }: { date: string }) => date)).toEqual([
      earlier,
      NEWEST,
    ])
    const inPool = await one.ask(
      series(`pool: "${id(0, 'b')}", from: "2026-01-01", to: "2026-05-09"`),
      { user },
    )
    expect(inPool.user.healthSeries).toEqual([{ date: earlier, healthFactor: 2, ltv: 0.4 }])
    for (const [args, message] of [
      [`from: "2020-01-01", to: "${NEWEST}"`, /^to must be less than 1000 days after from/],
      [`from: "${NEWEST}", to: "${earlier}"`, /^to must not be before from/],
    ] as const) {
      const { errors } = await one.graphql(series(args), { user })
      expect(errors?.[0]?.extensions.code).toBe('BAD_INPUT')
      expect(errors?.[0]?.message).toMatch(message)
    }
  }
})

describe('a preview', () => {
  const PREVIEW = `query ($user: Address!, $pool: Address!, $collateral: Address!, $supply: Float! = 0,
      $withdraw: Float! = 0, $borrow: Float! = 0, $repay: Float! = 0) {
    healthPreview(user: $user, pool: $pool, collateral: $collateral, supply: $supply,
        withdraw: $withdraw, borrow: $borrow, repay: $repay) {
      healthFactorBefore healthFactor ltv liquidationPriceUsd borrowingPowerUsd
      liquidationTrigger { asset { address } direction priceUsd change } } }`
  // 900 and 100 protected dollars of WETH, 50 dollars owed.
  const of = { user: id(0, 'a'), pool: id(0, 'b'), collateral: WETH }
  const preview = async (moves: object) =>
    (await gateway.ask(PREVIEW, { ...of, ...moves })).healthPreview

  test('of no move is the stored position', async () => {
    expect(await preview({})).toEqual({
      healthFactorBefore: 16,
      healthFactor: 16,
      ltv: 0.05,
      liquidationPriceUsd: 200,
      liquidationTrigger: {
        asset: { address: WETH },
        direction: 'DOWN',
        priceUsd: 200,
        change: -0.9375,
      },
      borrowingPowerUsd: 450,
    })
  })

  test('adds what is supplied and borrowed, and takes what is withdrawn and repaid', async () => {
    expect(await preview({ borrow: 350 })).toMatchObject({ healthFactor: 2, ltv: 0.4 })
    expect(await preview({ supply: 1000 / 3200, borrow: 750 })).toMatchObject({
      healthFactor: 2,
      borrowingPowerUsd: 200,
    })
    expect(await preview({ withdraw: 950 / 3200 })).toMatchObject({ healthFactor: 0.8, ltv: 1 })
    expect(await preview({ repay: 25 })).toMatchObject({ healthFactorBefore: 16, healthFactor: 32 })
    expect(await preview({ repay: 50, withdraw: 900 / 3200 + 100 / 3200 })).toMatchObject({
      healthFactor: null,
      ltv: null,
      liquidationTrigger: null,
    })
  })

  test('of a user without a position begins with nothing', async () => {
    expect(await preview({ user: id(77, 'f'), supply: 1, borrow: 1600 })).toEqual({
      healthFactorBefore: null,
      healthFactor: 1.6,
      ltv: 0.5,
      liquidationPriceUsd: 2000,
      liquidationTrigger: {
        asset: { address: WETH },
        direction: 'DOWN',
        priceUsd: 2000,
        change: -0.375,
      },
      borrowingPowerUsd: 0,
    })
  })

  test.each([
    [{ withdraw: 1 }, /^withdraw is more than the 0.3125 that the position has/],
    [{ repay: 51 }, /^repay is more than the 50 that the position owes/],
    [{ supply: -1 }, /^supply must be whole tokens from 0 to/],
    [{ borrow: 1e31 }, /^borrow must be whole tokens from 0 to/],
    [{ collateral: ARB }, /^collateral 0x7+4 is not a token of the pool/],
    [{ pool: id(9, 'f') }, /^pool 0xf0+9 is not stored/],
  ])('refuses what cannot be: %o', async (moves, message) => {
    const { errors } = await gateway.graphql(PREVIEW, { ...of, ...moves })
    expect(errors?.[0]?.extensions.code).toBe('BAD_INPUT')
    expect(errors?.[0]?.message).toMatch(message)
  })
})
