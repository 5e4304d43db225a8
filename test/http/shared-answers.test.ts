import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { variables } from '../../src/config.ts'
import { idOfDocument } from '../../src/graphql/policy/documents.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'

const present = (() => {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    return false
  }
})()
const dir = mkdtempSync(join(tmpdir(), 'gateway-shared-'))
const documents = join(dir, 'documents.json')
const DOCUMENT = '{ dataVersion }'
const mapping = join(dir, 'mapping.json')
writeFileSync(
  mapping,
  '{"cash-flows":{"query":"SELECT * FROM cash_flow WHERE timestamp >= $1::bigint"}}',
)
writeFileSync(documents, JSON.stringify({ [idOfDocument(DOCUMENT)]: DOCUMENT }))

/** Another value of each setting that changes answers. */
const OF_ANSWERS: Record<string, string> = {
  MAX_QUERY_DEPTH: '16',
  MAX_QUERY_ALIASES: '99',
  MAX_QUERY_TOKENS: '1999',
  MAX_QUERY_COST: '99999',
  MAX_ANSWER_BYTES: '1000000',
  KNOWN_DOCUMENTS: documents,
  TRUSTED_DOCUMENTS_ONLY: 'true',
  PROGRAM_NAME: 'Tides',
  LOGO_HOSTS: 'assets.example.org',
  POINTS_BASE_DEPOSIT: '2',
  POINTS_BASE_BORROW: '2',
  BASE_PATH: '/lending',
  WEBSITE_URL: 'https://example.org',
}

/** Another value of each setting that changes none. */
const LOCAL: Record<string, string> = {
  HOST: 'localhost',
  PORT: '4999',
  MIGRATE: 'off',
  DATABASE_POOL_SIZE: '9',
  LOCK_TIMEOUT_MS: '1',
  READ_TIMEOUT_MS: '29999',
  DATA_DIR: dir,
  CACHE_MAX_BYTES: '1000000',
  ADMIN_TOKEN: 'another-token',
  SEASONS: 'Always=2000-01-01..',
  ADMIN_TOKENS: 'alice:token-of-alice',
  DASHBOARD_NAME: 'Another',
  DASHBOARD_COLOR: '#0b6b4f',
  DASHBOARD_LINKS: 'App=https://app.example.org',
  ANALYTICS_SOURCE: dir,
  ANALYTICS_SOURCE_MARKET_SNAPSHOTS: dir,
  ANALYTICS_SOURCE_VAULT_SNAPSHOTS: dir,
  ANALYTICS_SOURCE_MARKET_LIQUIDATION_REWARDS: dir,
  ANALYTICS_SOURCE_VAULT_LIQUIDATION_REWARDS: dir,
  ANALYTICS_SOURCE_CASH_FLOWS: dir,
  ANALYTICS_SOURCE_RATES: dir,
  ANALYTICS_SOURCE_PRICES: dir,
  ANALYTICS_SOURCE_LIQUIDATIONS: dir,
  ANALYTICS_SOURCE_POOLS: dir,
  ANALYTICS_SOURCE_MARKETS: dir,
  ANALYTICS_SOURCE_VAULTS: dir,
  ANALYTICS_SOURCE_TOKENS: dir,
  ANALYTICS_SOURCE_THRESHOLDS: dir,
  ANALYTICS_SOURCE_KEY: 'key',
  ANALYTICS_MAPPING: mapping,
  ANALYTICS_CRON: '15 * * * *',
  ANALYTICS_MAX_DROP: '0.9',
  ANALYTICS_OVERLAP_HOURS: '1',
  POSITIONS_SOURCE: dir,
  POSITIONS_SOURCE_FORMAT: 'files',
  POSITIONS_SOURCE_KEY: 'key',
  POSITIONS_SOURCE_PAGING: 'offset',
  POSITIONS_SOURCE_PAGE_SIZE: '10',
  POSITIONS_SOURCE_FIELDS: '{"user":"account.id"}',
  PRICES_SOURCE: 'https://prices.example',
  PRICES_MAX_AGE_SECONDS: '1',
  PRICES_CHAINS: '999=hyperliquid',
  MAX_PRICE_JUMP: '6',
  SOURCE_TIMEOUT_MS: '1',
  SOURCE_RETRIES: '1',
  SOURCE_MAX_BYTES: '2048',
  SOURCE_MAX_FETCH_BYTES: '1048576',
  SOURCE_MAX_FETCH_RECORDS: '1000',
  SOURCE_MAX_FETCH_SECONDS: '60',
  SOURCE_NAMES: 'ANALYTICS_SOURCE=indexer',
  DISTRIBUTION_CRON: '15 0 * * *',
  DISTRIBUTION_CATCH_UP: '1',
  LEDGER_DAYS: '1',
  MAX_SUBSCRIPTIONS: '10',
  MAX_SUBSCRIPTIONS_PER_CLIENT: '5',
  MAX_CONNECTIONS: '1000',
  MAX_CONCURRENT_REQUESTS: '32',
  REQUEST_TIMEOUT_MS: '20000',
  SEND_TIMEOUT_MS: '20000',
  IMPORT_MAX_BYTES: '2048',
  KEEP_ALIVE_TIMEOUT_MS: '20000',
  RATE_LIMIT: '100000',
  TRUST_PROXY: '1',
  SHUTDOWN_TIMEOUT_MS: '1000',
  MEMORY_MB: '400',
  MCP_HOSTS: 'chat.example.org',
  SAMPLE_DATA: 'on',
  HOOKS_PRIVATE: 'true',
  LOG_REQUESTS: 'all',
  SLOW_REQUEST_MS: '1',
  SLOW_STATEMENT_MS: '1',
  METRICS_KEY: 'required',
  METRICS_PORT: '0',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  LOG_LEVEL: 'trace',
}

/**
 * How gateways reach the store and Redis: those that share answers may differ in it, but not in the
 * store.
 */
const OF_THE_STORE = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'REDIS_URL']
/** Answers have the header x-data-version with replicas, and not without. */
const OF_REPLICAS = ['DATABASE_REPLICA_URLS']

test('every setting is marked as one that changes answers or not', () => {
  const isLocal = (name: string) =>
    !variables.shape[name as keyof typeof variables.shape].meta()?.ofAnswers
  const names = Object.keys(variables.shape)
  expect(names.filter(isLocal).sort()).toEqual([...Object.keys(LOCAL), ...OF_THE_STORE].sort())
  expect(names.filter((name) => !isLocal(name)).sort()).toEqual(
    [...Object.keys(OF_ANSWERS), ...OF_REPLICAS].sort(),
  )
})

describe.skipIf(!present)(`answers in Redis${present ? '' : ' (skipped: no redis-server)'}`, () => {
  const PATH = '/points/userpoints'
  let redis: ChildProcess
  let url: string
  let gateway: Gateway

  const isUp = (one: Gateway) =>
    vi.waitFor(async () => expect((await one.get('/health')).status).toBe(200), { timeout: 60_000 })
  const answerOf = async (one: Gateway) =>
    (await one.get(PATH, { 'cache-control': 'max-age=0' })).json()
  /** What another gateway on the same store answers. */
  const answerWith = async (env: Record<string, string>) => {
    const other = await startGateway({ on: gateway, env: { REDIS_URL: url, ...env } })
    try {
      await isUp(other)
      return await answerOf(other)
    } finally {
      await other.close()
    }
  }

  beforeAll(async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as { port: number }
    probe.close()
    url = `redis://127.0.0.1:${port}`
    redis = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir],
      {
        stdio: 'ignore',
      },
    )
    gateway = await startGateway({ env: { REDIS_URL: url } })
    await isUp(gateway)
    const client = await createClient({ url }).connect()
    const key = await vi.waitFor(
      async () => {
        expect(await answerOf(gateway)).toEqual({ totalPoints: 0 })
        const keys = await client.keys('gateway:answer *')
        return keys.find((one) => one.endsWith(` ${PATH}`)) ?? expect.fail('it is not in Redis yet')
      },
      { timeout: 10_000 },
    )
    // Who answers this has it from Redis.
    await client.set(key, JSON.stringify({ name: PATH, status: 200, json: '{"totalPoints":7}' }))
    client.destroy()
  })
  afterAll(async () => {
    await gateway?.close()
    redis?.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  test('gateways share them if they differ in settings that change none', async () => {
    expect(await answerWith({})).toEqual({ totalPoints: 7 })
    expect(await answerWith(LOCAL)).toEqual({ totalPoints: 7 })
  })

  test.each(Object.entries(OF_ANSWERS))('gateways with another %s do not', async (name, value) => {
    expect(await answerWith({ [name]: value })).toEqual({ totalPoints: 0 })
  })
})
