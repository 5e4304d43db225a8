import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { freePort } from '../fire/redis-server.ts'
import { subscribe } from '../support/events.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

const QUERY = '{ leaderboard(first: 2) { nodes { rank points } } }'
const NAMED = `query Mine { user(address: "${sampleUser}") { points: totalPoints } }`

let store: Gateway
const open: Gateway[] = []
/** A gateway on the store, and what it logs. */
async function started(env: Record<string, string> = {}) {
  const lines: Record<string, any>[] = []
  const gateway = await startGateway({ on: store, env, onLog: (line) => lines.push(line) })
  open.push(gateway)
  // Until it is notified of changes, it caches nothing.
  await vi.waitUntil(() => gateway.deps.notifications.connectedUntil > 0, { timeout: 20_000 })
  const line = (of: (line: Record<string, any>) => boolean) =>
    vi.waitUntil(() => lines.find(of), { timeout: 20_000 })
  return { gateway, lines, lineOf: (id: string) => line(({ requestId }) => requestId === id), line }
}
/** Runs `work` while nobody else can read users. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const client = await store.deps.store.pool.connect()
  try {
    await client.query('BEGIN; LOCK TABLE account')
    await work()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
const withId = (id: string, more: Record<string, string> = {}) => ({ 'request-id': id, ...more })
const scrape = async (base: string) => (await fetch(`${base}/metrics`)).text()
const sampleIn = (text: string, name: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

beforeAll(async () => {
  store = await startGateway()
  await loadSample(store, { users: 5, days: 3 })
})
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close()
})
afterAll(() => store.close())

describe('the log', () => {
  test('has one line a request with LOG_REQUESTS=all', async () => {
    const { gateway, lines, lineOf } = await started({ LOG_REQUESTS: 'all' })
    const cached = { 'cache-control': 'max-age=60' }
    await gateway.get(`/points/${sampleUser}?limit=1`, withId('first', cached))
    expect(await lineOf('first')).toMatchObject({
      msg: 'request',
      method: 'GET',
      url: `/points/${sampleUser}?limit=1`,
      route: '/points/{address}',
      status: 200,
      cache: 'miss',
      statements: 1,
      statementMs: expect.any(Number),
      ms: expect.any(Number),
    })
    await gateway.get(`/points/${sampleUser}?limit=1`, withId('again', cached))
    expect(await lineOf('again')).toMatchObject({
      route: '/points/{address}',
      cache: 'hit',
      statements: 0,
    })
    await gateway.get(`/points/${sampleUser}?limit=1`, withId('anew'))
    expect(await lineOf('anew')).toMatchObject({ cache: 'bypass', statements: 1 })
    await gateway.get('/nowhere', withId('nowhere'))
    const nowhere = await lineOf('nowhere')
    expect(nowhere).toMatchObject({ status: 404, statements: 0 })
    expect(nowhere).not.toHaveProperty('route')
    await gateway.graphql(QUERY, {}, withId('query'))
    expect(await lineOf('query')).toMatchObject({
      route: '/graphql',
      operation: 'query { leaderboard }',
      status: 200,
      cost: 103,
      statements: 1,
    })
    await gateway.graphql(NAMED, {}, withId('named'))
    expect(await lineOf('named')).toMatchObject({ operation: 'Mine' })
    await gateway.graphql('{ nothing }', {}, withId('wrong'))
    expect(await lineOf('wrong')).toMatchObject({ errors: ['GRAPHQL_VALIDATION_FAILED'] })
    const ids = lines.map(({ requestId }) => requestId).filter(Boolean)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('has no values of undocumented parameters', async () => {
    const { gateway, lines, lineOf } = await started({ LOG_REQUESTS: 'all' })
    await gateway.get(`/points/${sampleUser}?limit=1&token=m4rk3r&m4rk3r`, withId('secret'))
    expect(await lineOf('secret')).toMatchObject({ url: `/points/${sampleUser}?limit=1&***&***` })
    await gateway.get(
      `/graphql?query=${encodeURIComponent('{ dataVersion }')}&api_key=m4rk3r`,
      withId('graph'),
    )
    expect(await lineOf('graph')).toMatchObject({
      url: '/graphql?***&***',
      operation: 'query { dataVersion }',
    })
    expect(JSON.stringify(lines)).not.toContain('m4rk3r')
  })

  test('has slow requests only by default, and their slow statements', async () => {
    const { gateway, lines, lineOf, line } = await started({
      SLOW_REQUEST_MS: '1500',
      SLOW_STATEMENT_MS: '1500',
    })
    await gateway.graphql(QUERY, {}, withId('quick'))
    let answer: ReturnType<Gateway['graphql']> | undefined
    await whileLocked(async () => {
      answer = gateway.graphql(NAMED, {}, withId('slow'))
      await vi.waitUntil(
        async () => {
          const { rows } = await store.deps.store.pool.query(
            "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND now() - query_start > '1.6 s'",
          )
          return rows.length > 0
        },
        { timeout: 20_000 },
      )
    })
    expect((await answer)?.errors).toBeUndefined()
    expect(await lineOf('slow')).toMatchObject({ operation: 'Mine' })
    expect(await line(({ msg }) => msg === 'slow statement')).toMatchObject({
      level: 40,
      requestId: 'slow',
      operation: 'Mine',
      outcome: 'ok',
      statement: expect.stringMatching(/^SELECT/),
    })
    await line(({ requestId, msg }) => requestId === 'slow' && msg === 'request')
    expect(lines.some(({ requestId }) => requestId === 'quick')).toBe(false)
  })

  test.each(['off', 'slow', '0.000001'])(
    'has changes by an admin, with who, at LOG_REQUESTS=%s',
    async (which) => {
      const { gateway, lines, lineOf } = await started({
        LOG_REQUESTS: which,
        ADMIN_TOKENS: 'alice:secret-of-alice',
      })
      const authorization = { authorization: 'Bearer secret-of-alice' }
      await fetch(`${gateway.base}/points/resync`, {
        method: 'POST',
        headers: withId('rest', authorization),
      })
      expect(await lineOf('rest')).toMatchObject({
        msg: 'change by an admin',
        admin: 'alice',
        route: '/points/resync',
        status: 200,
      })
      await gateway.graphql(
        'mutation { updateMultipliers(input: { multipliers: [] }) { multipliers { depositA } } }',
        {},
        withId('graph', asAdmin),
      )
      expect(await lineOf('graph')).toMatchObject({
        admin: 'admin',
        operation: 'mutation { updateMultipliers }',
        errors: ['BAD_INPUT'],
      })
      await gateway.graphql(QUERY, {}, withId('read', authorization))
      expect(lines.some(({ requestId }) => requestId === 'read')).toBe(false)
      expect(JSON.stringify(lines)).not.toMatch(/secret|Bearer|test-admin-token/)
    },
  )

  test('marks a client that left', async () => {
    const { gateway, lineOf } = await started({ LOG_REQUESTS: 'all' })
    await whileLocked(async () => {
      const { port } = new URL(gateway.base)
      const sent = httpRequest({ port, path: `/points/${sampleUser}`, headers: withId('gone') }).on(
        'error',
        () => {},
      )
      sent.end()
      await vi.waitUntil(
        async () =>
          Number(sampleIn(await scrape(gateway.base), 'gateway_http_requests_in_flight')) > 1,
        { timeout: 20_000 },
      )
      sent.destroy()
      expect(await lineOf('gone')).toMatchObject({ aborted: true })
    })
    const text = await scrape(gateway.base)
    const aborted = `gateway_http_request_duration_seconds_count{route="/points/{address}",operation="",status="aborted"}`
    expect(sampleIn(text, aborted)).toBe(1)
  })
})

describe('the metrics', () => {
  test('count requests by route, known operation and class of the status', async () => {
    const { gateway } = await started()
    const trusted = 'query RestLeaderboard { program { totalPoints } }'
    await gateway.get('/points/leaderboard')
    await gateway.get('/points/not-an-address')
    await gateway.get('/nowhere')
    await gateway.graphql(NAMED)
    await gateway.graphql(trusted)
    const text = await vi.waitUntil(
      async () => {
        const text = await scrape(gateway.base)
        return text.includes('operation="other"') && text
      },
      { timeout: 20_000 },
    )
    const count = (route: string, operation: string, status: string) =>
      sampleIn(
        text,
        `gateway_http_request_duration_seconds_count{route="${route}",operation="${operation}",status="${status}"}`,
      )
    expect(count('/points/leaderboard', '', '2xx')).toBe(1)
    expect(count('/points/{address}', '', '4xx')).toBe(1)
    expect(count('other', '', '4xx')).toBe(1)
    expect(count('/graphql', 'other', '2xx')).toBeGreaterThanOrEqual(1)
    expect(text).not.toContain('Mine')
    expect(text).not.toContain(sampleUser)
  })

  test('count what the cache did, and its answers', async () => {
    const { gateway } = await started()
    const cached = { 'cache-control': 'max-age=60' }
    for (let i = 0; i < 3; i++) await (await gateway.get('/points/leaderboard', cached)).text()
    await (await gateway.get('/points/leaderboard')).text()
    await vi.waitUntil(
      async () =>
        sampleIn(await scrape(gateway.base), 'gateway_cache_requests_total{result="bypass"}') === 1,
      { timeout: 20_000 },
    )
    const text = await scrape(gateway.base)
    expect(sampleIn(text, 'gateway_cache_requests_total{result="miss"}')).toBe(1)
    expect(sampleIn(text, 'gateway_cache_requests_total{result="hit"}')).toBe(2)
    expect(sampleIn(text, 'gateway_cache_answers')).toBe(1)
    expect(sampleIn(text, 'gateway_cache_bytes')).toBeGreaterThan(100)
  })

  test('do not count an event stream as a request in flight', async () => {
    const { gateway } = await started()
    const events = await subscribe(gateway, 'subscription { dataChanged { version } }')
    await events.next()
    const text = await scrape(gateway.base)
    expect(sampleIn(text, 'gateway_http_requests_in_flight')).toBe(1)
    expect(sampleIn(text, 'gateway_subscriptions')).toBe(1)
    events.leave()
  })

  test('count statements by outcome', async () => {
    const { gateway } = await started({ READ_TIMEOUT_MS: '1000' })
    await gateway.graphql(QUERY)
    await whileLocked(async () => {
      const { errors } = await gateway.graphql(NAMED)
      expect(errors?.[0].extensions.code).toBe('TIMEOUT')
    })
    const text = await scrape(gateway.base)
    expect(
      sampleIn(text, 'gateway_database_statement_duration_seconds_count{outcome="timeout"}'),
    ).toBe(1)
    expect(
      sampleIn(text, 'gateway_database_statement_duration_seconds_count{outcome="ok"}'),
    ).toBeGreaterThan(0)
  })

  test('say how the newest runs went, and the version of the data', async () => {
    const { gateway } = await started()
    await gateway.graphql('mutation { resyncDistribution { run { recordId } } }', {}, asAdmin)
    const text = await scrape(gateway.base)
    const now = Date.now() / 1000
    const at =
      sampleIn(text, 'gateway_distribution_last_success_timestamp_seconds{kind="resync"}') ?? 0
    expect(now - at).toBeLessThan(3600)
    expect(
      sampleIn(text, 'gateway_distribution_last_success_duration_seconds{kind="resync"}'),
    ).toBeGreaterThan(0)
    expect(
      sampleIn(text, 'gateway_distribution_last_success_positions{kind="resync"}'),
    ).toBeGreaterThan(0)
    expect(sampleIn(text, 'gateway_distribution_runs_in_progress')).toBe(0)
    const { data } = await gateway.graphql('{ dataVersion }')
    expect(sampleIn(text, 'gateway_data_version')).toBe(Number(data.dataVersion))
    expect(sampleIn(text, 'gateway_database_up')).toBe(1)
    expect(sampleIn(text, 'gateway_redis_up')).toBeUndefined()
    expect(text).toMatch(/gateway_build_info\{version="\d+\.\d+\.\d+",node="v\d+/)
  })

  test('have a port of their own with METRICS_PORT, and are not public then', async () => {
    const free = await freePort()
    const { gateway } = await started({ METRICS_PORT: String(free) })
    expect((await gateway.get('/metrics')).status).toBe(404)
    expect(await scrape(`http://127.0.0.1:${free}`)).toContain('gateway_build_info')
    await expect(startGateway({ on: store, env: { METRICS_PORT: String(free) } })).rejects.toThrow(
      `METRICS_PORT ${free} of 127.0.0.1 is in use`,
    )
  })
})

describe('traces', () => {
  interface Span {
    traceId: string
    spanId: string
    parentSpanId?: string
    name: string
    startTimeUnixNano: string
    endTimeUnixNano: string
    attributes: { key: string; value: Record<string, any> }[]
  }
  let collector: Server
  let endpoint: string
  let spans: Span[] = []
  let status = 200

  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      if (status === 200 && request.url === '/v1/traces')
        for (const { scopeSpans } of JSON.parse(text).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans)
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  })
  afterEach(() => {
    spans = []
    status = 200
  })
  afterAll(() => collector.close())

  const attribute = ({ attributes }: Span, name: string) =>
    Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]

  test('lead from the client through the request and its operation to the statements', async () => {
    const { gateway } = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    await gateway.graphql(NAMED, {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
    await gateway.get('/points/leaderboard', {
      traceparent: `00-${traceId.replace('0af', '1af')}-b7ad6b7169203331-00`,
    })
    await gateway.get('/points/leaderboard')
    await gateway.close()
    open.length = 0

    const traced = spans.filter((span) => span.traceId === traceId)
    const [request, operation, statement] = ['POST /graphql', 'Mine', 'SELECT'].map((name) =>
      traced.find((span) => span.name === name),
    ) as [Span, Span, Span]
    expect(traced).toHaveLength(3)
    expect(request.parentSpanId).toBe('b7ad6b7169203331')
    expect(operation.parentSpanId).toBe(request.spanId)
    expect(statement.parentSpanId).toBe(operation.spanId)
    expect(attribute(request, 'http.route')).toBe('/graphql')
    expect(attribute(request, 'http.response.status_code')).toBe(200)
    expect(attribute(statement, 'db.query.text')).toMatch(/^SELECT/)
    const [outer, inner] = [request, statement].map(({ startTimeUnixNano, endTimeUnixNano }) => [
      BigInt(startTimeUnixNano),
      BigInt(endTimeUnixNano),
    ]) as [[bigint, bigint], [bigint, bigint]]
    expect(inner[0] >= outer[0] && inner[1] <= outer[1]).toBe(true)

    const others = spans.filter((span) => span.traceId !== traceId)
    expect(others.map(({ name }) => name).sort()).toEqual(['GET /points/leaderboard', 'SELECT'])
    expect(new Set(others.map((span) => span.traceId)).size).toBe(1)
    expect(others.find(({ name }) => name.startsWith('GET'))?.parentSpanId ?? '').toBe('')
  })

  test('that cannot be exported cost no request anything, and are reported once', async () => {
    status = 400
    const secret = `${endpoint.replace('//', '//ann:m4rk3r@')}/m4rk3r?key=m4rk3r`
    const { gateway, lines } = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: secret })
    expect((await gateway.graphql(NAMED)).errors).toBeUndefined()
    await gateway.close()
    open.length = 0
    const reports = lines.filter(({ msg }) => msg === 'traces cannot be exported')
    expect(reports).toEqual([expect.objectContaining({ endpoint: new URL(endpoint).origin })])
    expect(JSON.stringify(lines)).not.toContain('m4rk3r')
  })

  test('are not loaded where they are off', () => {
    const dist = join(import.meta.dirname, '../../dist')
    const files = readdirSync(dist).filter((name) => /^(main|part-\w+)\.js$/.test(name))
    const texts = new Map(files.map((name) => [name, readFileSync(join(dist, name), 'utf8')]))
    const having = (text: string) => files.filter((name) => texts.get(name)?.includes(text))
    /** What is loaded with files, without what they import() later. */
    const loadedWith = (names: string[], loaded = new Set<string>()): string[] => {
      for (const name of names.filter((name) => !loaded.has(name))) {
        loaded.add(name)
        const imports = texts.get(name)?.matchAll(/(?:from|^import)\s*"\.\/(part-\w+\.js)"/gm) ?? []
        loadedWith(
          [...imports].map(([, file]) => file as string),
          loaded,
        )
      }
      return [...loaded]
    }
    const server = having('// src/app.ts\n')
    expect(server).toHaveLength(1)
    const exporters = having('OTLPTraceExporter')
    expect(exporters).not.toEqual([])
    const loaded = loadedWith(['main.js', ...server])
    expect(loaded.filter((name) => exporters.includes(name))).toEqual([])
  })
})
