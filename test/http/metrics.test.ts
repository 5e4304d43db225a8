import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const NOW = new Date('2026-03-05T12:00:00Z')
const DAILY = { DISTRIBUTION_CRON: '10 1 * * *', POSITIONS_SOURCE: 'somewhere' }
let plain: Gateway
let daily: Gateway

beforeAll(async () => {
  plain = await startGateway({ now: () => NOW })
  daily = await startGateway({ on: plain, env: DAILY, now: () => NOW })
})
afterAll(async () => {
  await daily.close()
  await plain.close()
})

const health = async (gateway: Gateway) => {
  const response = await gateway.get('/health')
  return { status: response.status, body: (await response.json()) as any }
}
const metrics = async (gateway: Gateway) => (await gateway.get('/metrics')).text()
const sampleOf = (text: string, name: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

describe('in an empty store', () => {
  test('health tells of distributions where they are computed daily, and only there', async () => {
    expect(Object.keys((await health(plain)).body.details).sort()).toEqual(['cache', 'database'])
    const { status, body } = await health(daily)
    expect(status).toBe(200)
    const distribution = { status: 'up', newestDate: null, ageSeconds: null }
    expect(body).toMatchObject({ status: 'ok', info: { distribution }, details: { distribution }, error: {} })
  })

  test('the metrics of the newest distribution are absent', async () => {
    const text = await metrics(plain)
    expect(sampleOf(text, 'gateway_newest_distribution_timestamp_seconds')).toBeUndefined()
    expect(sampleOf(text, 'gateway_newest_distribution_age_seconds')).toBeUndefined()
    expect(sampleOf(text, 'gateway_subscriptions')).toBe(0)
  })
})

describe('with distributions', () => {
  beforeAll(async () => {
    await loadSample(plain, { users: 5, days: 3, now: new Date('2026-03-05T00:00:00Z') })
    await plain.graphql('mutation { resyncDistribution { run { id } } }', {}, asAdmin)
    await daily.graphql('mutation { resyncDistribution { run { id } } }', {}, asAdmin)
  })

  test('health tells the newest date and its age, and never minds it', async () => {
    const { status, body } = await health(daily)
    expect(status).toBe(200)
    expect(body.info.distribution).toEqual({ status: 'up', newestDate: '2026-03-04', ageSeconds: 36 * 3600 })
    expect(Object.keys((await health(plain)).body.details).sort()).toEqual(['cache', 'database'])
  })

  test('every gateway gives the same numbers of the store', async () => {
    for (const gateway of [plain, daily]) {
      const text = await metrics(gateway)
      const midnight = Date.UTC(2026, 2, 4) / 1000
      expect(sampleOf(text, 'gateway_newest_distribution_timestamp_seconds')).toBe(midnight)
      expect(sampleOf(text, 'gateway_newest_distribution_age_seconds')).toBe(36 * 3600)
      expect(sampleOf(text, 'gateway_distribution_runs_total{kind="import",status="succeeded"}')).toBe(3)
      expect(sampleOf(text, 'gateway_distribution_runs_total{kind="resync",status="succeeded"}')).toBe(2)
    }
  })
})

test('metrics are as Prometheus takes them: text, with help, types, and those of the process', async () => {
  const response = await plain.get('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(response.headers.get('etag')).toBeNull()
  expect(response.headers.get('request-id')).toEqual(expect.any(String))
  const text = await response.text()
  expect(text).toMatch(/^# TYPE gateway_distribution_runs_total counter$/m)
  expect(text).toMatch(/^# HELP gateway_subscriptions .+$/m)
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m)
  expect((await fetch(`${plain.base}/metrics`, { method: 'POST' })).status).toBe(405)
  const [one, two] = await Promise.all([metrics(plain), metrics(plain)])
  const runs = 'gateway_distribution_runs_total{kind="import",status="succeeded"}'
  expect(sampleOf(one, runs)).toBe(sampleOf(two, runs))
})

test('while the store is away there are metrics, without those of the store, and health is of its components', async () => {
  const gateway = await startGateway({ env: DAILY, now: () => NOW })
  try {
    await gateway.deps.store.pool.query('DROP TABLE distribution')
    const text = await metrics(gateway)
    expect(sampleOf(text, 'gateway_newest_distribution_age_seconds')).toBeUndefined()
    expect(sampleOf(text, 'gateway_subscriptions')).toBe(0)
    const { status, body } = await health(gateway)
    expect(status).toBe(200)
    expect(Object.keys(body.details).sort()).toEqual(['cache', 'database'])
  } finally {
    await gateway.close()
  }
})
