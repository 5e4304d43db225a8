import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateMultipliers } from '../../src/domain/multiplier/update.ts'
import { type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { ANN, BEN, importFiles, multiplier, POOL, pool, position } from '../support/one-pool.ts'

const OTHER = {
  ...pool,
  id: `0x${'6'.repeat(40)}`,
  marketId: 8,
  unit_1_id: `0x${'7'.repeat(40)}`,
  unit_2_id: `0x${'8'.repeat(40)}`,
}
const VAULT = `0x${'9'.repeat(40)}`
const of = (asset: string) => ({
  chainId: 1,
  assetAddress: asset,
  assetSymbol: 'S',
  assetDecimals: 18,
})

let gateway: Gateway
let resolved: Gateway
beforeAll(async () => {
  gateway = await startGateway({ env: { POINTS_BASE_BORROW: '0.3' } })
  resolved = await startGateway({ on: gateway, plan: false, env: { POINTS_BASE_BORROW: '0.3' } })
  const inOther = {
    marketAddress: OTHER.id,
    bBorrowedAmount: 3,
    bBorrowedAmountUsd: 3.7,
    aProtectedSuppliedAmountUsd: 0.1,
  }
  await importFiles(gateway, {
    pools: [pool, OTHER],
    markets: [
      {
        ...of(pool.asset_1_address),
        id: pool.unit_1_id,
        poolId: POOL,
        depositRate: 0.037,
        borrowRate: 0.08,
      },
      {
        ...of(pool.asset_2_address),
        id: pool.unit_2_id,
        poolId: POOL,
        depositRate: 1e6,
        borrowRate: -1e6,
      },
    ],
    vaults: [{ ...of(pool.asset_1_address), id: VAULT, name: 'V', depositRate: 0.05 }],
    multipliers: [multiplier, { ...multiplier, poolAddress: OTHER.id, deposit_tokenA: 0.7 }],
    positions: [
      position(ANN, 12.345678),
      position(ANN, 7.1, inOther),
      position(BEN, 1e300, { pointsA: 1, pointsB: 1 }),
    ],
  })
})
afterAll(async () => {
  await resolved?.close()
  await gateway?.close()
})

const market = (args: string) =>
  `{ market(chainId: 1, address: "${pool.unit_1_id}") { estimate(${args}) { points interestUsd totalUsd to } } }`
const vault = (args: string) =>
  `{ vault(chainId: 1, address: "${VAULT}") { estimate(${args}) { points interestUsd } } }`
/** Answers of both roads are the same. */
async function onBoth(query: string) {
  const [one, other] = [await gateway.graphql(query), await resolved.graphql(query)]
  expect(one.data).toEqual(other.data)
  expect(one.errors?.[0].message).toEqual(other.errors?.[0].message)
  return one
}

test.each([
  ['amountUsd: -0.01, days: 1', 'amountUsd must be from 0 to 1000000000000000'],
  ['amountUsd: 1e16, days: 1', 'amountUsd must be from 0 to 1000000000000000'],
  ['amountUsd: 1, days: 0', 'days must be from 1 to 3650'],
  ['amountUsd: 1, days: 3651', 'days must be from 1 to 3650'],
  ['amountUsd: 1, days: 1, pointValueUsd: -1', 'pointValueUsd must be from 0 to 1000000'],
  ['amountUsd: 1, days: 1, from: "9999-12-31"', 'from must not be after the year 9000'],
])('an estimate of %s is refused', async (args, message) => {
  for (const query of [market(args), vault(args)]) {
    const { errors } = await onBoth(query)
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'BAD_INPUT' } },
    ])
  }
})

test('an unknown market or vault has no estimate', async () => {
  const unknown = `chainId: 1, address: "0x${'0'.repeat(40)}"`
  const estimate = '{ estimate(amountUsd: 1, days: 1) { points } }'
  const { data } = await onBoth(`{ market(${unknown}) ${estimate} vault(${unknown}) ${estimate} }`)
  expect(data).toEqual({ market: null, vault: null })
})

test.skipIf(!hasPlans)(
  'an estimate with its rules and the points of a dollar are one statement',
  async () => {
    const query = `{ markets { nodes { depositPointsPerDollar borrowPointsPerDollar(asOf: "2026-05-01")
    estimate(amountUsd: 1, days: 1, borrowed: true) { points rules { pointsPerDollar } } } } }`
    await gateway.graphql(query)
    gateway.statements.length = 0
    await gateway.graphql(query)
    expect(gateway.statements).toHaveLength(1)
  },
)

test('estimates of consecutive days add up, also over an announced rule', async () => {
  await updateMultipliers(
    { pool: gateway.deps.store.pool, now: gateway.deps.now },
    [{ poolAddress: POOL, depositA: 5.5, from: new Date('2096-02-10') }],
    'test',
  )
  const days = fc.integer({ min: 1, max: 1800 })
  const amount = fc.integer({ min: 0, max: 1e8 }).map((cents) => cents / 1000)
  await fc.assert(
    fc.asyncProperty(days, days, amount, async (one, other, usd) => {
      const from = '2093-01-05'
      const then = new Date(Date.parse(from) + one * 86_400_000).toISOString().slice(0, 10)
      const [whole, first, second] = await Promise.all(
        [
          [from, one + other],
          [from, one],
          [then, other],
        ].map(async ([from, days]) => {
          const query = market(
            `amountUsd: ${usd}, days: ${days}, from: "${from}", pointValueUsd: 0.25`,
          )
          return (await gateway.ask(query)).market.estimate
        }),
      )
      const millionths = (points: number) => BigInt(points.toFixed(6).replace('.', ''))
      expect(millionths(first.points) + millionths(second.points)).toBe(millionths(whole.points))
      expect(first.interestUsd + second.interestUsd).toBeCloseTo(whole.interestUsd, 6)
      expect(whole.to).toBe(second.to)
    }),
    { numRuns: 20 },
  )
})

test('the points per day of positions add up to those of the user', async () => {
  const query = `{ user(address: "${ANN}") { pointsPerDay currentPositions { nodes { poolAddress pointsPerDay } } } }`
  const { data } = await onBoth(query)
  const { pointsPerDay, currentPositions } = data.user
  // 2 * 12.345678, and 0.7 * (7.1 + 0.1) + 4 * 0.3 * 3.7
  expect(
    currentPositions.nodes.map((one: { pointsPerDay: number }) => one.pointsPerDay).toSorted(),
  ).toEqual([24.691356, 9.48])
  expect(pointsPerDay).toBe(34.171356)
})

test('points that are more than a side may have are null, at the largest rates', async () => {
  const { data } =
    await onBoth(`{ user(address: "${BEN}") { pointsPerDay currentPositions { nodes { pointsPerDay } } }
    market(chainId: 1, address: "${pool.unit_2_id}") { estimate(amountUsd: 1e15, days: 3650) { interestUsd points totalApr }
      owed: estimate(amountUsd: 1e15, days: 3650, borrowed: true) { interestUsd } } }`)
  expect(data.user).toEqual({
    pointsPerDay: null,
    currentPositions: { nodes: [{ pointsPerDay: null }] },
  })
  expect(data.market.estimate.points).toBeNull()
  expect(data.market.estimate.interestUsd).toBe(1e22)
  expect(data.market.owed.interestUsd).toBe(-1e22)
})

test('in an empty store a user earns nothing', async () => {
  const empty = await startGateway()
  try {
    expect(
      await empty.ask(
        `{ user(address: "${ANN}") { pointsPerDay } markets { nodes { depositPointsPerDollar } } }`,
      ),
    ).toEqual({
      user: { pointsPerDay: 0 },
      markets: { nodes: [] },
    })
  } finally {
    await empty.close()
  }
})
