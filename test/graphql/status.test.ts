import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, importFiles, pool, position } from '../support/one-pool.ts'

const STATUS = `{ status {
  distribution { date } nextDistributionDate nextDistributionExpectedAt distributionLate
  chains { chainId newestRecordAt expectedAt late }
  lastRun { kind status } lastImport { kind status date }
} }`

let gateway: Gateway
let daily: Gateway
let now = new Date('2026-03-03T12:00:00Z')
beforeAll(async () => {
  gateway = await startGateway({ now: () => now })
  const env = { DISTRIBUTION_CRON: '30 20 * * *', POSITIONS_SOURCE: 'somewhere' }
  daily = await startGateway({ on: gateway, env, now: () => now })
})
afterAll(async () => {
  await daily?.close()
  await gateway?.close()
})

const statusOf = async (one: Gateway) => {
  const data = await one.ask(STATUS)
  return data.status
}
const at = (iso: string) => {
  now = new Date(iso)
}
const seconds = (iso: string) => String(Date.parse(iso) / 1000)

test('of an empty store is unknown, and nothing is late', async () => {
  expect(await statusOf(gateway)).toEqual({
    distribution: null,
    nextDistributionDate: null,
    nextDistributionExpectedAt: null,
    distributionLate: false,
    chains: [],
    lastRun: null,
    lastImport: null,
  })
})

describe('of a store', () => {
  const market = { ...record.markets, chainId: 1 }
  const vault = { ...record.vaults, chainId: 146 }
  /** Lends at the address of a market on another chain, where nobody has a snapshot. */
  const twin = { ...market, chainId: 10 }
  const snapshot = record['market-snapshots']
  beforeAll(async () => {
    await importFiles(gateway, {
      pools: [pool, record.pools],
      positions: [position(ANN, 10)],
      markets: [market, twin],
      vaults: [vault],
      'market-snapshots': [
        { ...snapshot, chainId: 1, timestamp: seconds('2026-03-01T18:00:00Z') },
        { ...snapshot, chainId: 1, timestamp: seconds('2026-03-02T18:00:00Z') },
      ],
      'vault-snapshots': [
        { ...record['vault-snapshots'], chainId: 146, timestamp: seconds('2026-02-01T00:00:00Z') },
      ],
    })
  })

  test('is not late before more was expected since it was loaded', async () => {
    const { rows } = await gateway.deps.store.pool.query(
      'SELECT finished_at FROM run ORDER BY id LIMIT 1',
    )
    const loadedAt: Date = rows[0].finished_at
    const dayLater = new Date(loadedAt.getTime() + 86_400_000).toISOString()
    now = new Date(loadedAt.getTime() + 60_000)
    const fresh = await statusOf(gateway)
    expect(fresh).toMatchObject({ distributionLate: false, nextDistributionExpectedAt: dayLater })
    // The last chain ended a month before the others.
    expect(fresh.chains.map(({ late }: { late: boolean }) => late)).toEqual([false, false, true])
    expect(fresh.chains[0].expectedAt).toBe(dayLater)
    const tick = Date.parse((await statusOf(daily)).nextDistributionExpectedAt)
    expect(tick).toBeGreaterThan(loadedAt.getTime())
    expect(new Date(tick).toISOString()).toMatch(/T20:30:00.000Z$/)
    now = new Date(tick + 12 * 3_600_000 + 1000)
    expect(await statusOf(daily)).toMatchObject({ distributionLate: true })
    now = new Date(loadedAt.getTime() + 37 * 3_600_000)
    expect(await statusOf(gateway)).toMatchObject({
      distributionLate: true,
      chains: [{ late: true }, {}, { late: true }],
    })
    // The other tests are about a store that was loaded long ago.
    await gateway.deps.store.pool.query(
      `UPDATE run SET started_at = '2026-01-01', finished_at = '2026-01-01'`,
    )
  })

  test('has the newest of each chain, and the last run and import', async () => {
    at('2026-03-03T12:00:00Z')
    expect(await statusOf(gateway)).toEqual({
      distribution: { date: '2026-03-02' },
      nextDistributionDate: '2026-03-03',
      nextDistributionExpectedAt: '2026-03-03T00:00:00.000Z',
      distributionLate: false,
      chains: [
        {
          chainId: 1,
          newestRecordAt: '2026-03-02T18:00:00.000Z',
          expectedAt: '2026-03-03T18:00:00.000Z',
          late: false,
        },
        { chainId: 10, newestRecordAt: null, expectedAt: null, late: false },
        {
          chainId: 146,
          newestRecordAt: '2026-02-01T00:00:00.000Z',
          expectedAt: '2026-02-02T00:00:00.000Z',
          late: true,
        },
      ],
      lastRun: { kind: 'IMPORT', status: 'SUCCEEDED' },
      lastImport: { kind: 'IMPORT', status: 'SUCCEEDED', date: '2026-03-02' },
    })
  })

  test('is late 12 hours after more was expected: at midnight, or when the daily job runs', async () => {
    at('2026-03-03T12:00:01Z')
    expect(await statusOf(gateway)).toMatchObject({ distributionLate: true })
    const expected = { nextDistributionExpectedAt: '2026-03-03T20:30:00.000Z' }
    expect(await statusOf(daily)).toMatchObject({ ...expected, distributionLate: false })
    at('2026-03-04T08:30:01Z')
    expect(await statusOf(daily)).toMatchObject({ ...expected, distributionLate: true })
  })

  test('follows the clock although no data changes, also of a request that may come from cache', async () => {
    const statusNow = async () => {
      const query = encodeURIComponent('{ status { distributionLate } }')
      return (await (await fetch(`${gateway.base}/graphql?query=${query}`)).json()) as any
    }
    at('2026-03-03T11:00:00Z')
    expect((await statusNow()).data.status.distributionLate).toBe(false)
    at('2026-03-03T13:00:00Z')
    expect((await statusNow()).data.status.distributionLate).toBe(true)
  })

  test('metrics have the newest snapshot of each chain', async () => {
    at('2026-03-03T12:00:00Z')
    const text = await (await gateway.get('/metrics')).text()
    expect(text).toContain(
      `gateway_newest_snapshot_timestamp_seconds{chain="1"} ${seconds('2026-03-02T18:00:00Z')}\n`,
    )
    expect(text).toContain(`gateway_newest_snapshot_age_seconds{chain="1"} ${18 * 3600}\n`)
    expect(text).not.toContain('gateway_newest_snapshot_age_seconds{chain="10"}')
  })
})

test('prices are late 12 hours after the day of the next price has ended', async () => {
  await gateway.deps.store.pool.query(
    `INSERT INTO leg_progress (leg, source, newest, since, record_count, user_count, value_usd, updated_at, chains)
     VALUES ('prices', 'x', '2026-03-02', '2026-03-01', 1, 0, 0, '2026-03-03T01:00:00Z', '{"1": "2026-03-02T00:00:00Z"}')`,
  )
  const chains = async (iso: string) => {
    at(iso)
    return (await gateway.ask('{ status { legs { chains { expectedAt late } } } }')).status.legs[0]
      .chains
  }
  const expectedAt = '2026-03-04T00:00:00.000Z'
  expect(await chains('2026-03-03T20:00:00Z')).toEqual([{ expectedAt, late: false }])
  expect(await chains('2026-03-04T11:59:00Z')).toEqual([{ expectedAt, late: false }])
  expect(await chains('2026-03-04T12:01:00Z')).toEqual([{ expectedAt, late: true }])
})
