import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subscribe } from '../support/events.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const NOW = new Date('2026-03-05T12:00:00Z')
const DAILY = { DISTRIBUTION_CRON: '10 1 * * *', POSITIONS_SOURCE: 'somewhere' }
let plain: Gateway
let daily: Gateway

beforeAll(async () => {
  plain = await startGateway({ plan: true, now: () => NOW })
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
  test('health has its two components, and nothing else of them, with or without a daily job', async () => {
    const components = { database: { status: 'up' }, cache: { status: 'up' } }
    for (const gateway of [plain, daily])
      expect(await health(gateway)).toEqual({
        status: 200,
        body: { status: 'ok', info: components, error: {}, details: components },
      })
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
    await plain.graphql('mutation { resyncDistribution { run { recordId } } }', {}, asAdmin)
    await daily.graphql('mutation { resyncDistribution { run { recordId } } }', {}, asAdmin)
  })

  test('every gateway gives the same numbers of the store', async () => {
    for (const gateway of [plain, daily]) {
      const text = await metrics(gateway)
      const midnight = Date.UTC(2026, 2, 4) / 1000
      expect(sampleOf(text, 'gateway_newest_distribution_timestamp_seconds')).toBe(midnight)
      expect(sampleOf(text, 'gateway_newest_distribution_age_seconds')).toBe(36 * 3600)
      expect(
        sampleOf(text, 'gateway_distribution_runs_total{kind="import",status="succeeded"}'),
      ).toBe(3)
      expect(
        sampleOf(text, 'gateway_distribution_runs_total{kind="resync",status="succeeded"}'),
      ).toBe(2)
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

describe('refused operations', () => {
  const env = {
    MAX_QUERY_DEPTH: '5',
    MAX_QUERY_ALIASES: '2',
    MAX_QUERY_TOKENS: '60',
    MAX_QUERY_COST: '50',
    MAX_SUBSCRIPTIONS: '1',
  }
  const deep = '{ pools { nodes { marketA { pool { marketB { address } } } } } }'
  const dear = '{ pools(first: 60) { nodes { name } } }'
  const bodies: [code: string, body: object][] = [
    ['DEPTH_LIMIT_EXCEEDED', { query: deep }],
    ['ALIAS_LIMIT_EXCEEDED', { query: '{ a: dataVersion b: dataVersion c: dataVersion }' }],
    ['TOKEN_LIMIT_EXCEEDED', { query: `{ ${'__typename '.repeat(70)} }` }],
    ['COST_LIMIT_EXCEEDED', { query: dear }],
    ['DOCUMENT_NOT_KNOWN', { documentId: `sha256:${'0'.repeat(64)}` }],
    [
      'PERSISTED_QUERY_NOT_FOUND',
      { extensions: { persistedQuery: { version: 1, sha256Hash: '1'.repeat(64) } } },
    ],
    [
      'PERSISTED_QUERY_HASH_MISMATCH',
      { query: dear, extensions: { persistedQuery: { version: 1, sha256Hash: '2'.repeat(64) } } },
    ],
  ]
  const counted = async (gateway: Gateway, code: string) =>
    sampleOf(await metrics(gateway), `gateway_graphql_refusals_total{code="${code}"}`)
  const postBody = (gateway: Gateway, body: object) =>
    fetch(`${gateway.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    }).then(
      (response) => response.json() as Promise<{ errors?: { extensions: { code: string } }[] }>,
    )

  test('are counted by the code of their error, each time, and others are not', async () => {
    const gateway = await startGateway({ on: plain, env })
    try {
      for (const [code, body] of bodies) {
        expect(await counted(gateway, code)).toBe(0)
        for (let times = 1; times <= 2; times++) {
          expect((await postBody(gateway, body)).errors?.[0]?.extensions.code).toBe(code)
          expect(await counted(gateway, code)).toBe(times)
        }
      }
      const before = await metrics(gateway)
      await postBody(gateway, { query: '{ __typename }' })
      await postBody(gateway, { query: '{ nothing }' })
      await postBody(gateway, { query: '{ pool(address: "x") { name } }' })
      const refusals = (text: string) =>
        text.split('\n').filter((line) => line.startsWith('gateway_graphql_refusals'))
      expect(refusals(await metrics(gateway))).toEqual(refusals(before))
    } finally {
      await gateway.close()
    }
  })

  test('so are documents that are not trusted, and subscriptions for which there is no place', async () => {
    const gateway = await startGateway({
      on: plain,
      env: { ...env, TRUSTED_DOCUMENTS_ONLY: 'true' },
    })
    try {
      await postBody(gateway, { query: '{ __typename }' })
      expect(await counted(gateway, 'DOCUMENT_NOT_TRUSTED')).toBe(1)
    } finally {
      await gateway.close()
    }
    const open = await startGateway({ on: plain, env })
    try {
      const query = 'subscription { dataChanged { version } }'
      const one = await subscribe(open, query)
      await one.next()
      const other = await subscribe(open, query)
      expect(other.response.status).toBe(503)
      expect(await counted(open, 'UNAVAILABLE')).toBe(1)
      one.leave()
      other.leave()
    } finally {
      await open.close()
    }
  })
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

describe('queries that run without a plan', () => {
  const countOf = async (gateway: Gateway, reason: string) =>
    sampleOf(await metrics(gateway), `gateway_graphql_unplanned_total{reason="${reason}"}`)

  test('are counted by the field that has none', async () => {
    const query = '{ status { distributionLate } search(text: "0x") { __typename } }'
    await plain.graphql('{ distributions { nodes { date } } }')
    expect(await countOf(plain, 'Query.status')).toBeUndefined()
    for (let warm = 0; warm < 2; warm++) await plain.graphql(query)
    const before = (await countOf(plain, 'Query.status')) ?? 0
    await plain.graphql(query)
    expect(await countOf(plain, 'Query.status')).toBe(before + 1)
    expect(await countOf(plain, 'Query.search')).toBeUndefined()
  })

  test('are counted by how they are selected or requested, where each field has one', async () => {
    const twice = '{ distributions { nodes { date } edges { node { totalPoints: points } } } }'
    const before = await countOf(plain, 'selection')
    await plain.graphql(twice)
    expect(await countOf(plain, 'selection')).toBe(Number(before) + 1)
    const requests = await countOf(plain, 'request')
    await plain.graphql('{ distributions { nodes { date } } }', {}, { 'x-graphql-cost': '1' })
    expect(await countOf(plain, 'request')).toBe(Number(requests) + 1)
  })

  test('are all without plans, those of REST too', async () => {
    const off = await startGateway({ on: plain, plan: false })
    try {
      await off.graphql('{ distributions { nodes { date } } }')
      expect(await countOf(off, 'off')).toBe(1)
      await off.get('/points/reports')
      expect(await countOf(off, 'off')).toBe(2)
    } finally {
      await off.close()
    }
  })
})
