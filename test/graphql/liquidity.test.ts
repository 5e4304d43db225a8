import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samplePool } from '../../src/sample/index.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let planned: Gateway
let resolved: Gateway
let date: string
beforeAll(async () => {
  planned = await startOnSample({ users: 30, days: 6, plan: true })
  resolved = await startGateway({ on: planned, plan: false })
  const { pool } = planned.deps.store
  // Of one side, more is borrowed than supplied: another pool's holders have lent the rest.
  await pool.query(`UPDATE pool_day SET a_supplied_usd = 100.25, a_borrowed_usd = 150.5, b_supplied_usd = 50.000001,
    b_borrowed_usd = 20, a_supplied = 100, a_borrowed = 150, b_supplied = 50, b_borrowed = 20`)
  const { rows } = await pool.query<{ date: string }>(
    'SELECT max(date)::text AS date FROM distribution',
  )
  date = rows[0]?.date ?? ''
})
afterAll(async () => {
  await resolved?.close()
  await planned?.close()
})

const OF_POOL = 30.000001
const address = `"${samplePool.address}"`

describe.each([
  ['planned', () => planned],
  ['resolved', () => resolved],
])('what a side lacks does not take from the liquidity of the other, %s', (_, gateway) => {
  test('of a pool, its sides and its markets', async () => {
    const { pool } =
      await gateway().ask(`{ pool(address: ${address}) { liquidityUsd suppliedUsd borrowedUsd
      totals { liquidityUsd sideA { liquidityUsd } sideB { liquidityUsd } }
      marketA { liquidityUsd } marketB { liquidityUsd } } }`)
    expect(pool).toEqual({
      liquidityUsd: OF_POOL,
      suppliedUsd: 150.250001,
      borrowedUsd: 170.5,
      totals: {
        liquidityUsd: OF_POOL,
        sideA: { liquidityUsd: 0 },
        sideB: { liquidityUsd: OF_POOL },
      },
      marketA: { liquidityUsd: 0 },
      marketB: { liquidityUsd: OF_POOL },
    })
  })

  test('of filters and sort keys', async () => {
    const { all, some, none } = await gateway().ask(`{
      all: pools(where: { suppliedUsd: { gt: 0 } }, orderBy: LIQUIDITY_USD, first: 1) { totalCount nodes { liquidityUsd } }
      some: pools(where: { liquidityUsd: { gte: ${OF_POOL} } }) { totalCount }
      none: pools(where: { suppliedUsd: { gt: 0 }, liquidityUsd: { lt: 1 } }) { totalCount } }`)
    expect(all.nodes).toEqual([{ liquidityUsd: OF_POOL }])
    expect(some.totalCount).toBe(all.totalCount)
    expect(none.totalCount).toBe(0)
  })

  test('of series of a pool, of tokens, and of chains', async () => {
    const span = `from: "${date}", to: "${date}"`
    const { pools, pool, series } =
      await gateway().ask(`{ pools(where: { suppliedUsd: { gt: 0 } }) { totalCount }
      pool(address: ${address}) { series(${span}) { liquidity { usd } }
        marketB { series(${span}) { liquidity { value usd } } }
        assetB { series(${span}) { liquidity { value usd } borrowed { value } } } }
      series(groupBy: CHAIN, ${span}) { buckets { liquidity { usd } } } }`)
    expect(pool.series).toEqual([{ liquidity: { usd: OF_POOL } }])
    expect(pool.marketB.series).toEqual([{ liquidity: { value: '30', usd: OF_POOL } }])
    // A token is one side of each of its pools: 30 where it is the second, 0 where it is the first.
    const [{ liquidity }] = pool.assetB.series
    expect(Number(liquidity.value) % 30).toBe(0)
    expect(liquidity.usd).toBeCloseTo((Number(liquidity.value) / 30) * OF_POOL, 6)
    expect(Number(liquidity.value)).toBeGreaterThan(0)
    const ofChains = series.map((chain: any) => chain.buckets[0].liquidity.usd)
    expect(ofChains.reduce((sum: number, usd: number) => sum + usd, 0)).toBeCloseTo(
      pools.totalCount * OF_POOL,
      5,
    )
  })
})
