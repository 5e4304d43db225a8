import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shownUrl } from '../../src/secrets.ts'
import { openClient, openPositionsSource } from '../../src/sources/index.ts'
import { command } from '../support/command-line.ts'
import { everything } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, BEN, DAY, importFiles, multiplier, pool } from '../support/one-pool.ts'
import {
  type Coin,
  type FakeServer,
  type PositionsOptions,
  startPositions,
  startPrices,
} from '../support/positions-server.ts'

const market = (id: string, assetAddress: string, assetSymbol: string, assetDecimals: number) => ({
  chainId: 1,
  id,
  poolId: pool.id,
  assetAddress,
  assetSymbol,
  assetDecimals,
  depositRate: 0,
  borrowRate: 0,
})
const held = (user: string, aSupplied: string, bBorrowed = '0') => ({
  user,
  pool: pool.id,
  aSupplied,
  aProtected: '0',
  aBorrowed: '0',
  bSupplied: '0',
  bProtected: '0',
  bBorrowed,
})
const NEXT = '2026-03-03'

describe('manualupdate from a GraphQL source with prices beside it', () => {
  let fault: Pick<PositionsOptions, 'lie' | 'instead'> = {}
  const positions: PositionsOptions = {
    positions: [],
    lie: (page, number) => fault.lie?.(page, number),
    instead: (request, response, number) => fault.instead?.(request, response, number) ?? false,
  }
  const coins: Record<string, Coin> = {}
  let source: FakeServer
  let prices: FakeServer
  let gateway: Gateway

  const good = () => {
    fault = {}
    positions.positions = [
      held(ANN, '2500000000000000000', '4000000'),
      held(BEN, '1000000000000000000'),
    ]
    coins[`ethereum:${pool.asset_1_address}`] = { price: 2, decimals: 18, symbol: 'S' }
    coins[`ethereum:${pool.asset_2_address}`] = { price: 1, decimals: 6, symbol: 'USDC' }
  }
  const update = (date: string) =>
    fetch(`${gateway.base}/points/manualupdate?date=${date}`, { method: 'POST', headers: asAdmin })

  beforeAll(async () => {
    good()
    source = await startPositions(positions)
    prices = await startPrices(coins)
    const client = openClient({ timeoutMs: 1000, retries: 1, maxBytes: 1_000_000, waitMs: 10 })
    gateway = await startGateway({
      positionsSource: openPositionsSource(
        {
          source: `${source.base}/graphql`,
          format: 'graphql',
          pageSize: 1,
          prices: { url: prices.base, maxAgeSeconds: 3600 },
        },
        client,
      ),
    })
    await importFiles(gateway, {
      pools: [pool],
      multipliers: [multiplier],
      markets: [
        market(pool.unit_1_id, pool.asset_1_address, 'S', 18),
        market(pool.unit_2_id, pool.asset_2_address, 'USDC', 6),
      ],
    })
  })
  afterAll(async () => {
    await gateway.close()
    await source.close()
    await prices.close()
  })

  test('a token without a price is named; if it is accepted, its positions are stored without points', async () => {
    delete coins[`ethereum:${pool.asset_2_address}`]
    const response = await update('2026-03-01')
    const unknown = `no price of USDC (${pool.asset_2_address}) on ethereum (chain 1)`
    expect((await response.json()).detail).toContain(unknown)
    const settings = {
      DATABASE_URL: gateway.deps.config.DATABASE_URL as string,
      POSITIONS_SOURCE: `${source.base}/graphql`,
      POSITIONS_SOURCE_FORMAT: 'graphql',
      POSITIONS_SOURCE_PAGE_SIZE: '1',
      PRICES_SOURCE: prices.base,
      PRICES_MAX_AGE_SECONDS: '3600',
      SOURCE_RETRIES: '0',
    }
    const args = ['manualupdate', '--date', '2026-03-01', '--json']
    const refused = await command(args, settings)
    expect(refused).toMatchObject({
      code: 5,
      err: expect.stringContaining('`gateway manualupdate --accept`'),
    })
    const { code, out, err } = await command([...args, '--accept'], settings)
    expect({ code, err: err.includes(unknown) }).toEqual({ code: 0, err: true })
    expect(JSON.parse(out)).toMatchObject({ positionCount: 2, totalPoints: 2 * 5 + 2 * 2 })
    good()
  })

  test('stores amounts, prices and points, and records what was fetched', async () => {
    const response = await update(DAY)
    expect(await response.json()).toMatchObject({
      positionCount: 2,
      totalPoints: 2 * 5 + 0.5 * 4 * 4 + 2 * 2,
    })
    expect(response.status).toBe(200)
    const { data } = await gateway.graphql(
      `query ($day: Date!) { distribution(date: $day) {
        run { kind requestedBy sources { kind name count block digest } }
        positions { nodes { userAddress points sideA { priceUsd supplied { value usd } } sideB { borrowed { value } } } } } }`,
      { day: DAY },
    )
    expect(data.distribution.run).toMatchObject({ kind: 'MANUALUPDATE', requestedBy: 'admin' })
    const [fetched, priced] = data.distribution.run.sources
    expect(fetched).toMatchObject({
      kind: 'POSITIONS',
      name: shownUrl(`${source.base}/graphql`),
      count: 2,
      block: '123',
    })
    expect(priced).toMatchObject({ kind: 'PRICES', name: prices.base, count: 2 })
    for (const { digest } of [fetched, priced]) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    const ann = data.distribution.positions.nodes.find(
      (one: { userAddress: string }) => one.userAddress === ANN,
    )
    expect(ann).toEqual({
      userAddress: ANN,
      points: 18,
      sideA: { priceUsd: 2, supplied: { value: '2.5', usd: 5 } },
      sideB: { borrowed: { value: '4' } },
    })
  })

  const faults: Record<string, { break(): unknown; says: RegExp; date?: string }> = {
    'is empty': { break: () => positions.positions.splice(0), says: /positions/ },
    'repeats a page': {
      break: () => positions.positions.splice(1, 1, held(ANN, '1')),
      says: /twice|again|repeat/,
    },
    'lies about totalCount': {
      break: () => (fault = { lie: (page) => Object.assign(page, { totalCount: 3 }) }),
      says: /totalCount|3/,
    },
    'cuts the connection': {
      break: () => (fault = { instead: (_, response) => response.destroy() !== undefined }),
      says: /closed the connection/,
    },
    'is slow': { break: () => (fault = { instead: () => true }), says: /within 1 s/ },
    'has a price of zero': {
      break: () => Object.assign(coins[`ethereum:${pool.asset_1_address}`] as object, { price: 0 }),
      says: /price/,
    },
    'has a price of little confidence': {
      break: () =>
        Object.assign(coins[`ethereum:${pool.asset_1_address}`] as object, { confidence: 0.5 }),
      says: /price/,
    },
    'has a price that jumps': {
      break: () =>
        Object.assign(coins[`ethereum:${pool.asset_1_address}`] as object, { price: 20 }),
      says: /MAX_PRICE_JUMP/,
      date: NEXT,
    },
  }
  for (const [what, one] of Object.entries(faults))
    test(`a source that ${what} is a 502 that says so, and changes nothing but the record of runs`, async () => {
      good()
      const date = one.date ?? DAY
      for (const day of new Set([DAY, date])) expect((await update(day)).status).toBe(200)
      const before = await everything(gateway.deps.store.pool)
      one.break()
      const response = await update(date)
      const { detail } = (await response.json()) as { detail: string }
      expect(response.status).toBe(502)
      expect(detail).toMatch(one.says)
      expect(detail).toContain('127.0.0.1')
      expect(await everything(gateway.deps.store.pool)).toEqual(before)
      const { data } = await gateway.graphql('{ runs(first: 1) { nodes { status error } } }')
      expect(data.runs.nodes[0]).toEqual({ status: 'FAILED', error: detail })
      good()
      expect((await update(date)).status).toBe(200)
    })
})
