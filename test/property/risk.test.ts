import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from '../facts/fact.ts'
import { addressOf } from '../support/datasets.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, midnight, pool, position } from '../support/one-pool.ts'

/**
 * Positions that falling prices liquidate: random ones in one pool, on another distribution date in
 * each run.
 */

type Row = Record<string, any>

const THRESHOLDS = [0.8, 0.65]
const START = Date.parse('2026-03-01T00:00:00Z')
let days = 0
const nextDay = () => new Date(START + days++ * 86_400_000).toISOString().slice(0, 10)

let gateway: Gateway
let withoutPlans: Gateway
let ask: Ask
let roads: Ask[]
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  withoutPlans = await startGateway({ on: gateway, plan: false })
  ask = asker(gateway)
  roads = [ask, asker(gateway, { resolved: true }), asker(withoutPlans)]
  await importFiles(gateway, {
    pools: [pool],
    markets: THRESHOLDS.map((liquidationThreshold, side) => ({
      chainId: pool.chainId,
      id: side === 0 ? pool.unit_1_id : pool.unit_2_id,
      poolId: pool.id,
      assetAddress: side === 0 ? pool.asset_1_address : pool.asset_2_address,
      assetSymbol: side === 0 ? 'S' : 'USDC',
      assetDecimals: 18,
      depositRate: 0,
      borrowRate: 0,
      maxLtv: 0.6,
      liquidationThreshold,
    })),
  })
})
afterAll(async () => {
  await withoutPlans.close()
  await gateway.close()
})

interface Held {
  collateral: 'a' | 'b'
  supplied: number
  protectedSupply: number
  borrowed: number
}
const held = fc.record<Held>({
  collateral: fc.constantFrom('a', 'b'),
  supplied: fc.integer({ min: 0, max: 5000 }),
  protectedSupply: fc.integer({ min: 0, max: 500 }),
  borrowed: fc.integer({ min: 1, max: 4000 }),
})
const prices = fc.record(
  {
    a: fc.double({ min: 0.01, max: 3000, noNaN: true }),
    b: fc.double({ min: 0.01, max: 3000, noNaN: true }),
  },
  { noNullPrototype: true },
)

const recordsOf = (day: string, all: Held[], price: (side: 'a' | 'b', n: number) => number) =>
  all.map(({ collateral, supplied, protectedSupply, borrowed }, n) => {
    const debt = collateral === 'a' ? 'b' : 'a'
    const [worth, owed] = [price(collateral, n), price(debt, n)]
    return {
      ...position(addressOf(`holder ${n}`), 0),
      id: `${day} ${n}`,
      distributionDate: midnight(day),
      [`${collateral}TokenPrice`]: worth,
      [`${debt}TokenPrice`]: owed,
      [`${collateral}SuppliedAmount`]: supplied,
      [`${collateral}SuppliedAmountUsd`]: supplied * worth,
      [`${collateral}ProtectedSuppliedAmount`]: protectedSupply,
      [`${collateral}ProtectedSuppliedAmountUsd`]: protectedSupply * worth,
      [`${debt}BorrowedAmount`]: borrowed,
      [`${debt}BorrowedAmountUsd`]: borrowed * owed,
    }
  })
const current = `currentPositions(first: 1000) { nodes { user { address } healthFactor liquidationDrop liquidationPriceUsd liquidationDebtPriceUsd liquidationRatio } }`

test('at each of its liquidation prices a position has a health factor of 1', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(held, { minLength: 1, maxLength: 8 }), prices, async (all, price) => {
      await importFiles(gateway, { positions: recordsOf(nextDay(), all, (side) => price[side]) })
      const byUser = async () =>
        new Map<string, Row>(
          (await ask(`{ ${current} }`)).currentPositions.nodes.map((row: Row) => [
            row.user.address,
            row,
          ]),
        )
      const before = await byUser()
      const rows = all.map((_, n) => before.get(addressOf(`holder ${n}`)) as Row)
      const fallen = (side: 'a' | 'b', n: number) =>
        side === all[n]?.collateral ? (rows[n]?.liquidationPriceUsd ?? price[side]) : price[side]
      await importFiles(gateway, { positions: recordsOf(nextDay(), all, fallen) })
      const after = await byUser()
      const risen = (side: 'a' | 'b', n: number) =>
        side === all[n]?.collateral
          ? price[side]
          : (rows[n]?.liquidationDebtPriceUsd ?? price[side])
      await importFiles(gateway, { positions: recordsOf(nextDay(), all, risen) })
      const afterRise = await byUser()
      for (const [n, { supplied, protectedSupply }] of all.entries()) {
        const row = rows[n] as Row
        if (supplied + protectedSupply === 0) {
          expect(row).toMatchObject({
            healthFactor: 0,
            liquidationDrop: null,
            liquidationPriceUsd: null,
            liquidationDebtPriceUsd: null,
            liquidationRatio: null,
          })
          continue
        }
        expect(after.get(row.user.address)?.healthFactor).toBeCloseTo(1, 9)
        expect(afterRise.get(row.user.address)?.healthFactor).toBeCloseTo(1, 9)
        expect(row.liquidationRatio * row.liquidationDebtPriceUsd).toBeCloseTo(
          price[(all[n] as Held).collateral],
          6,
        )
        const { collateral } = all[n] as Held
        expect(price[collateral] * (1 - row.liquidationDrop)).toBeCloseTo(
          row.liquidationPriceUsd,
          6,
        )
      }
    }),
    { numRuns: LONG ? 200 : 15 },
  )
}, 60_000)

test('the list of a shock has as many positions as its sums, in all and in the pools', async () => {
  const shock = fc.record({
    asset: fc.constantFrom(pool.asset_1_address, pool.asset_2_address),
    change: fc.double({ min: -0.999, max: 10, noNaN: true }).filter((change) => change !== 0),
  })
  const sums = 'asset change positionCount collateralUsd debtUsd unknownPositionCount'
  const query = `query ($shock: PriceShock!) {
    collateralAtRisk(shocks: [$shock]) { ${sums} } poolsAtRisk(shocks: [$shock]) { ${sums} }
    currentPositions(shock: $shock) { totalCount nodes { healthFactor } } }`
  await fc.assert(
    fc.asyncProperty(
      fc.array(held, { maxLength: 20 }),
      prices,
      shock,
      async (all, price, shock) => {
        await importFiles(gateway, { positions: recordsOf(nextDay(), all, (side) => price[side]) })
        const [planned, ...others] = await Promise.all(roads.map((ask) => ask(query, { shock })))
        for (const other of others) expect(other).toEqual(planned)
        const { collateralAtRisk, poolsAtRisk, currentPositions } = planned
        expect(currentPositions.totalCount).toBe(collateralAtRisk[0].positionCount)
        expect(currentPositions.nodes).toHaveLength(currentPositions.totalCount)
        expect(poolsAtRisk).toEqual(currentPositions.totalCount > 0 ? collateralAtRisk : [])
      },
    ),
    { numRuns: LONG ? 200 : 15 },
  )
}, 60_000)
