import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleMarket } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 8 })
})
afterAll(() => gateway.close())

const unknown = `0x${'9'.repeat(40)}`
const market = `market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}")`

const COSTS = /^The operation costs [\d,]+, at most 100,000 is allowed: /

test.each([
  [
    'currentPositions(shock: { group: "ETH", change: -1 }) { totalCount }',
    /^shocks must change a price by more than -1 and at most 10, but not by 0: /,
  ],
  [
    `${market} { estimate(amountUsd: 10, days: 3651) { points } }`,
    /^days must be from 1 to 3650\.$/,
  ],
  [
    `${market} { estimate(amountUsd: -1, days: 30) { points } }`,
    /^amountUsd must be from 0 to 1000000000000000\.$/,
  ],
  [
    'asset(chainId: 1, address: "ETH") { symbol }',
    /^Address must be 0x and 40 hexadecimal digits, not "ETH"\.$/,
  ],
  [
    'positions(where: { assets: "ETH" }) { nodes { points } }',
    /^Address must be 0x and 40 hexadecimal digits, not "ETH"\.$/,
  ],
  ['assets(first: 1000) { nodes { series(from: "1970-01-01") { points } } }', COSTS],
  ['assets { nodes { series { points } prices(from: "1970-01-01") { usd } } }', COSTS],
  ['series(groupBy: ASSET, from: "1970-01-01", first: 100) { buckets { points } }', COSTS],
])('%s is refused by a sentence, and reads its owner at most', async (query, message) => {
  gateway.statements.length = 0
  const { errors } = await gateway.graphql(`{ ${query} }`)
  expect(errors?.map((error) => error.message)).toEqual([expect.stringMatching(message)])
  expect(gateway.statements.length).toBeLessThanOrEqual(1)
})

test('an unknown asset has nothing, and costs a statement for each field', async () => {
  gateway.statements.length = 0
  const { data, errors } = await gateway.graphql(`{
    asset(chainId: 1, address: "${unknown}") { symbol price { usd } series(from: "1970-01-01") { points } }
    assets(where: { addresses: "${unknown}" }) { totalCount nodes { symbol } }
    pools(where: { assets: "${unknown}" }) { totalCount nodes { name } }
    positions(where: { assets: "${unknown}" }) { nodes { points } }
    currentPositions(where: { collateralAssets: "${unknown}", liquidationDrop: { lte: 0.12 } }) { nodes { points } } }`)
  expect(errors).toBeUndefined()
  const [list, counted] = [{ nodes: [] }, { totalCount: 0, nodes: [] }]
  expect(data).toEqual({
    asset: null,
    assets: counted,
    pools: counted,
    positions: list,
    currentPositions: list,
  })
  expect(gateway.statements.length).toBeLessThanOrEqual(10)
})
