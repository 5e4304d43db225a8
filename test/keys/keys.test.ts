import { createClient } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { newSecret } from '../../src/keys/secret.ts'
import { freePort, isInstalled, openRedis } from '../fire/redis-server.ts'
import { command, parsed } from '../support/command-line.ts'
import { type EventStream, subscribe } from '../support/events.ts'
import { ADMIN_TOKEN, type Gateway, type GatewayOptions, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** API keys: what they are charged, how they end, and what wrong ones get. */

let gateway: Gateway
const closing: (() => unknown)[] = []

beforeAll(async () => {
  gateway = await startOnSample({ users: 4, days: 3 })
  await vi.waitFor(() => expect(gateway.deps.notifications.connectedUntil).toBeGreaterThan(0))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(() => gateway?.close())

const QUERY = '{ pools(first: 1) { nodes { id } } }'

/** Another gateway on the same store. */
async function another(options: GatewayOptions = {}): Promise<Gateway> {
  const one = await startGateway({ on: gateway, ...options })
  closing.push(() => one.close())
  return one
}

/** Runs `gateway keys ...` on the store. */
const keys = (...args: string[]) =>
  command(['keys', ...args], { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })

async function must(...args: string[]): Promise<string> {
  const { code, out, err } = await keys(...args)
  expect(code, err).toBe(0)
  return out
}

let count = 0

async function add(...options: string[]): Promise<{ name: string; secret: string }> {
  const [key] = parsed(await must('add', `bot ${++count}`, ...options, '--json'))
  return key
}

const sent = (secret: string): Record<string, string> => ({ 'x-api-key': secret })
const bearing = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** The answer to a small query, never from a cache. */
const asked = (on: Gateway, headers: Record<string, string> = {}) =>
  fetch(`${on.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache', ...headers },
    body: JSON.stringify({ query: QUERY }),
  })

async function faultOf(response: Promise<Response> | Response) {
  const answer = await response
  const body = await answer.json()
  return {
    status: answer.status,
    code: body.errors?.[0].extensions.code,
    message: body.errors?.[0].message,
  }
}

const until = (condition: () => unknown) => vi.waitFor(condition, { timeout: 20_000, interval: 20 })

describe('a key', () => {
  test('is printed once, and the store has its digest', async () => {
    const { name, secret } = await add('--minute', '1000', '--expires', '2099-01-31')
    expect(secret).toMatch(/^lgk_[0-9a-f]{12}_[0-9a-f]{64}$/)
    const { rows } = await gateway.deps.store.pool.query('SELECT * FROM api_key')
    expect(JSON.stringify(rows)).not.toContain(secret.slice(-64))
    expect(await must('list')).toContain(
      `${name}  valid until 2099-01-31T00:00:00.000Z  1,000 points a minute, not used yet`,
    )
    expect(await must('list', '--json')).not.toContain('igest')
  })

  test.each([
    [['add', ''], 2, 'A name has'],
    [['add', 'a\nb'], 2, 'A name has'],
    [['add', "x'; DROP TABLE api_key"], 2, 'A name has'],
    [['add', 'late', '--expires', '2001-01-01'], 2, 'is past'],
    [['add', 'never', '--expires', 'soon'], 2, 'A time must look like'],
    [['add', 'none', '--minute', '0'], 2, 'needs 1 point'],
    [['add', 'many', '--day', '1e99'], 2, 'A number from'],
    [['rotate', 'nobody'], 3, 'There is no key nobody'],
    [['revoke', 'nobody'], 3, 'There is no key nobody'],
    [['remove', 'nobody'], 3, 'There is no key nobody'],
  ])('%j fails', async (args, code, message) => {
    const outcome = await keys(...args)
    expect(outcome).toMatchObject({ code, out: '' })
    expect(outcome.err).toContain(message)
  })

  test('has a name of its own', async () => {
    const { name } = await add()
    expect(await keys('add', name)).toMatchObject({ code: 4 })
    await must('revoke', name)
    await must('remove', name)
    await must('add', name)
  })

  test('is sent as either header, and another token is no key', async () => {
    const { secret } = await add('--minute', '1000')
    for (const headers of [sent(secret), bearing(secret)]) {
      const answer = await asked(gateway, headers)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=1000;w=60')
    }
    for (const headers of [sent('of a proxy'), bearing('other')]) {
      const answer = await asked(gateway, headers)
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null])
    }
  })

  test('is sent by a page of another origin, which reads what is left and when to return', async () => {
    const origin = 'https://example.org'
    const preflight = await fetch(`${gateway.base}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key,authorization',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-api-key,authorization')
    const { secret } = await add('--minute', '100')
    const from = { ...sent(secret), origin }
    const routed = await asked(gateway, from)
    const cached = await gateway.get('/points/leaderboard', from)
    await until(async () => expect((await asked(gateway, from)).status).toBe(429))
    const refused = await gateway.get('/points/leaderboard', from)
    for (const { headers } of [routed, cached, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      const readable = headers.get('access-control-expose-headers')?.split(', ')
      expect(readable).toEqual(
        expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'retry-after']),
      )
    }
  })

  test('goes with an admin token in the other header', async () => {
    const { secret } = await add()
    const headers = { ...sent(secret), authorization: `Bearer ${ADMIN_TOKEN}` }
    const { errors } = await gateway.graphql(
      'mutation { resyncDistribution(input: { date: "1999-01-01" }) { __typename } }',
      {},
      headers,
    )
    expect(errors?.[0].extensions.code).not.toBe('UNAUTHENTICATED')
  })

  test('is not looked up if none is sent, and shares the cache with everybody', async () => {
    const { secret } = await add('--minute', '1000')
    const on = await another()
    await until(() => expect(on.deps.notifications.connectedUntil).toBeGreaterThan(0))
    const read = vi.spyOn(on.deps.store.pool, 'query')
    const body = JSON.stringify({ query: QUERY })
    const cached = (headers = {}) =>
      fetch(`${on.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-explain': 'work', ...headers },
        body,
      })
    await cached()
    expect(
      read.mock.calls
        .flat()
        .map((one) => JSON.stringify(one))
        .join(),
    ).not.toContain('api_key')
    const hit = await cached(sent(secret))
    expect(hit.headers.get('server-timing')).toContain('cache;desc=hit')
    expect(hit.headers.get('vary')).not.toMatch(/authorization|x-api-key/i)
  })
})

describe('charges', () => {
  test('are counted by key, by minute and by day, at one address', async () => {
    const on = await another({ env: { RATE_LIMIT: '5000' } })
    const one = await add('--minute', '300', '--day', '100000')
    const two = await add()
    const first = await asked(on, sent(one.secret))
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"minute";q=300;w=60, "day";q=100000;w=86400',
    )
    expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=\d+;t=60, "day";r=9\d+;t=86400$/)
    await until(async () => expect((await asked(on, sent(one.secret))).status).toBe(429))
    const refused = await asked(on, sent(one.secret))
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await faultOf(refused)).message).toContain('of 300 left in this minute')
    const other = await asked(on, sent(two.secret))
    expect(other.status).toBe(200)
    expect(other.headers.get('ratelimit-policy')).toBe('"minute";q=5000;w=60')
    const anonymous = await asked(on)
    expect(anonymous.status).toBe(200)
    expect(anonymous.headers.get('ratelimit-policy')).toBe('"points";q=5000;w=60')
  })

  test('by day stop a key too, and a refused request costs nothing', async () => {
    const { secret } = await add('--minute', '100000', '--day', '150')
    const rest = () =>
      gateway.get(
        '/points/leaderboard?account=0x0000000000000000000000000000000000000001',
        sent(secret),
      )
    expect((await rest()).headers.get('ratelimit')).toMatch(/"day";r=49;/)
    const refused = await rest()
    expect(refused.status).toBe(429)
    const left = Number(/"minute";r=(\d+)/.exec(refused.headers.get('ratelimit') ?? '')?.[1])
    expect((await refused.json()).detail).toContain('left in this day')
    const next = await rest()
    expect(next.headers.get('ratelimit')).toContain(`"minute";r=${left - 1};`)
  })

  const hasRedis = isInstalled('redis-server')
  test.skipIf(!hasRedis)(
    `are counted in Redis for two gateways${hasRedis ? '' : ' (skipped: no redis-server)'}`,
    async () => {
      const redis = await openRedis()
      closing.push(() => redis.close())
      const env = { REDIS_URL: redis.url }
      const [one, two] = [await another({ env }), await another({ env })]
      const { secret } = await add('--minute', '100000')
      const left = async (on: Gateway) =>
        Number(/r=(\d+)/.exec((await asked(on, sent(secret))).headers.get('ratelimit') ?? '')?.[1])
      await until(async () => {
        const before = await left(one)
        expect(await left(two)).toBeLessThan(before)
        expect(await left(one)).toBeLessThan(before)
      })
    },
  )
})

describe('metrics', () => {
  const metricsOf = async (on: Gateway) => {
    const text = await (await on.get('/metrics')).text()
    const found = [...text.matchAll(/^gateway_key_(\w+)_total{key="([^"]*)"(.*)} (\d+)$/gm)]
    return new Map(
      found.map(([, what, key, reason, value]) => [`${what} ${key}${reason}`, Number(value)]),
    )
  }

  test('count requests, points and refusals by key, and nothing without one', async () => {
    const on = await another({ env: { RATE_LIMIT: '5000' } })
    expect((await asked(on)).status).toBe(200)
    expect((await asked(on, sent('lgk_wrong'))).status).toBe(401)
    expect(await metricsOf(on)).toEqual(new Map())
    const free = await add('--minute', '4000')
    const tight = await add('--minute', '1')
    const left = async () => {
      const answer = await asked(on, sent(free.secret))
      return 4000 - Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    }
    await left()
    const spent = await left()
    for (let i = 0; i < 3; i++) expect((await asked(on, sent(tight.secret))).status).toBe(429)
    const before = await metricsOf(on)
    expect(before.get(`requests ${free.name}`)).toBe(2)
    expect(before.get(`points ${free.name}`)).toBe(spent)
    expect(before.get(`refusals ${free.name},reason="limit"`)).toBe(0)
    expect(before.get(`requests ${tight.name}`)).toBe(3)
    expect(before.get(`points ${tight.name}`)).toBe(1)
    expect(before.get(`refusals ${tight.name},reason="limit"`)).toBe(3)
    await must('revoke', free.name)
    await until(async () => expect((await asked(on, sent(free.secret))).status).toBe(401))
    const after = await metricsOf(on)
    expect(after.get(`refusals ${free.name},reason="ended"`)).toBeGreaterThan(0)
    const guess = `${free.secret.slice(0, -4)}0000`
    expect((await asked(on, sent(guess))).status).toBe(401)
    expect(await metricsOf(on)).toEqual(after)
  })

  test('count the points of a key without a limit, whose answers name none', async () => {
    const on = await another()
    const { name, secret } = await add()
    const answer = await asked(on, sent(secret))
    expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null])
    expect((await metricsOf(on)).get(`points ${name}`)).toBeGreaterThan(1)
  })

  test('name 200 keys; others are one', async () => {
    const on = await another()
    const stored = Array.from({ length: 203 }, () => newSecret())
    await on.deps.store.pool.query(
      `INSERT INTO api_key (id, name, digest, scopes)
       SELECT id, id, digest, '[]' FROM unnest($1::text[], $2::bytea[]) AS made (id, digest)`,
      [stored.map(({ id }) => id), stored.map(({ digest }) => digest)],
    )
    for (const { secret } of stored) expect((await asked(on, sent(secret))).status).toBe(200)
    expect((await asked(on, sent(stored[202]?.secret ?? ''))).status).toBe(200)
    const counts = await metricsOf(on)
    expect([...counts.keys()].filter((one) => one.startsWith('requests'))).toHaveLength(201)
    expect(counts.get('requests other')).toBe(4)
  })
})

describe('metrics behind a key', () => {
  const env = { METRICS_KEY: 'required' }
  const scraped = async (response: Response | Promise<Response>) => {
    const answer = await response
    const { headers } = answer
    const body = await answer.text()
    const isProblem = headers.get('content-type')?.includes('application/problem+json')
    return { ...{ status: answer.status, headers, body }, ...(isProblem && JSON.parse(body)) }
  }

  test('take an admin token or the scope in either header, and nothing else', async () => {
    const on = await another({ env })
    const scrape = (headers = {}) => scraped(on.get('/metrics', headers))
    const { name, secret } = await add('--scope', 'metrics')
    for (const headers of [
      sent(secret),
      bearing(secret),
      bearing(ADMIN_TOKEN),
      { ...sent(secret), ...bearing(ADMIN_TOKEN) },
    ])
      expect(await scrape(headers)).toMatchObject({
        status: 200,
        body: expect.stringContaining('gateway_database_up 1'),
      })
    const refused = await scrape()
    expect(refused).toMatchObject({
      status: 401,
      detail:
        'Send the admin token, or an API key with the scope metrics, as ' +
        '"Authorization: Bearer <token>".',
    })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(refused.body).not.toContain('gateway_')
    for (const headers of [sent('lgk_wrong'), bearing('wrong-admin'), bearing('')])
      expect(await scrape(headers)).toMatchObject({ status: 401 })
    const reader = await add()
    const runner = await add('--scope', 'runs', 'rules')
    for (const key of [reader, runner])
      expect(await scrape(sent(key.secret))).toMatchObject({
        status: 403,
        detail: `The API key ${key.name} lacks the scope metrics.`,
      })
    expect(await scraped(on.get(`/metrics?key=${secret}`))).toMatchObject({ status: 400 })
    const head = await fetch(`${on.base}/metrics`, { method: 'HEAD' })
    expect(head.status).toBe(401)
    expect((await on.get('/METRICS')).status).toBe(404)
    for (const probe of ['/livez', '/readyz', '/health'])
      expect((await on.get(probe)).status).toBe(200)
    await must('revoke', name)
    await until(async () => expect(await scrape(sent(secret))).toMatchObject({ status: 401 }))
  })

  test('allow no change, and take no points', async () => {
    const on = await another({ env: { ...env, RATE_LIMIT: '5' } })
    const { name, secret } = await add('--scope', 'metrics', '--minute', '3')
    for (let i = 0; i < 6; i++) expect((await on.get('/metrics', sent(secret))).status).toBe(200)
    const { errors } = await gateway.graphql(
      'mutation { resyncDistribution(input: { date: "1999-01-01" }) { __typename } }',
      {},
      sent(secret),
    )
    expect(errors?.[0].message).toBe(`The API key ${name} lacks the scope runs.`)
  })

  test('are behind it on METRICS_PORT, and on a server without an admin token', async () => {
    const port = await freePort()
    const closed = { ADMIN_TOKEN: undefined as never, METRICS_PORT: String(port) }
    await another({ env: { ...env, ...closed } })
    const { secret } = await add('--scope', 'metrics')
    const scrape = (headers = {}) => scraped(fetch(`http://127.0.0.1:${port}/metrics`, { headers }))
    expect(await scrape(bearing(secret))).toMatchObject({ status: 200 })
    expect(await scrape()).toMatchObject({
      status: 403,
      detail: expect.stringContaining('set ADMIN_TOKEN'),
    })
    expect(await scrape(bearing('lgk_wrong'))).toMatchObject({ status: 401 })
  })

  test('stay readable while the store is away, by the admin and a key that is known', async () => {
    const on = await another({ env })
    await until(() => expect(on.deps.notifications.connectedUntil).toBeGreaterThan(0))
    const [known, late] = [await add('--scope', 'metrics'), await add('--scope', 'metrics')]
    expect((await on.get('/metrics', sent(known.secret))).status).toBe(200)
    const away = vi
      .spyOn(on.deps.store.pool, 'query')
      .mockRejectedValue(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }) as never)
    closing.push(() => away.mockRestore())
    for (const headers of [sent(known.secret), bearing(ADMIN_TOKEN)])
      expect(await scraped(on.get('/metrics', headers))).toMatchObject({
        status: 200,
        body: expect.stringContaining('gateway_database_up 0'),
      })
    expect(await scraped(on.get('/metrics', sent(late.secret)))).toMatchObject({ status: 503 })
  })
})

describe('an end', () => {
  test('by rotation: both secrets are valid for a day', async () => {
    const clock = { at: new Date() }
    const on = await another({ now: () => clock.at })
    const { name, secret: old } = await add()
    const [{ secret }] = parsed(await must('rotate', name, '--json'))
    expect(secret).not.toBe(old)
    for (const one of [old, secret]) expect((await asked(on, sent(one))).status).toBe(200)
    clock.at = new Date(clock.at.getTime() + 25 * 3_600_000)
    expect((await asked(on, sent(secret))).status).toBe(200)
    expect(await faultOf(asked(on, sent(old)))).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
      message: `This secret of the API key ${name} was replaced. Send the new one.`,
    })
  })

  test('by time: at the moment of its expiry, also of a stream', async () => {
    const clock = { at: new Date() }
    const on = await another({ now: () => clock.at })
    const { name, secret } = await add('--expires', '2090-01-01T12:00:00Z')
    clock.at = new Date('2090-01-01T11:59:59.999Z')
    expect((await asked(on, sent(secret))).status).toBe(200)
    const stream = await openStream(on, secret)
    clock.at = new Date('2090-01-01T12:00:00Z')
    await endsBy(stream, `The API key ${name} has expired.`)
    expect(await faultOf(asked(on, sent(secret)))).toMatchObject({
      status: 401,
      message: `The API key ${name} has expired.`,
    })
  })

  test('by revocation: at all gateways, within about a second', async () => {
    const two = await another()
    await until(() => expect(two.deps.notifications.connectedUntil).toBeGreaterThan(0))
    const { name, secret } = await add()
    for (const on of [gateway, two]) expect((await asked(on, sent(secret))).status).toBe(200)
    const streams = [await openStream(gateway, secret), await openStream(two, secret)]
    await must('revoke', name)
    for (const stream of streams) await endsBy(stream, `The API key ${name} is revoked.`)
    for (const on of [gateway, two])
      expect(await faultOf(asked(on, sent(secret)))).toMatchObject({ status: 401 })
  })

  test.each(['its first message', 'a header'])(
    'ends a live query and its WebSocket, by %s',
    async (by) => {
      const { name, secret } = await add()
      const closed = vi.fn()
      const client = createClient({
        url: `${gateway.base.replace('http', 'ws')}/graphql`,
        webSocketImpl: by === 'a header' ? withHeader(secret) : WebSocket,
        retryAttempts: 0,
        lazy: false,
        onNonLazyError() {},
        connectionParams: by === 'a header' ? {} : { 'x-api-key': secret },
        on: { closed },
      })
      closing.push(() => client.dispose())
      const results = client.iterate<any>({
        query: 'subscription { currentPositions(first: 1) { nodes { id } } }',
      })
      const first = await results.next()
      expect(first.value?.errors, JSON.stringify(first)).toBeUndefined()
      await must('revoke', name)
      expect((await results.next()).value).toMatchObject({
        errors: [
          {
            message: `The API key ${name} is revoked.`,
            extensions: { code: 'UNAUTHENTICATED' },
          },
        ],
      })
      await until(() => expect(closed).toHaveBeenCalled())
      expect(closed.mock.calls[0]?.[0]).toMatchObject({ code: 4401 })
    },
  )

  test('cuts a read that is in progress', async () => {
    const { name, secret } = await add()
    const lock = await gateway.deps.store.pool.connect()
    try {
      await lock.query('BEGIN; LOCK TABLE pool IN ACCESS EXCLUSIVE MODE')
      const reading = asked(gateway, sent(secret))
      const cut = expect(reading).rejects.toThrow()
      await new Promise((resolve) => setTimeout(resolve, 200))
      await must('revoke', name)
      await cut
    } finally {
      await lock.query('ROLLBACK')
      lock.release()
    }
  })
})

const withHeader = (secret: string) =>
  class extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers: sent(secret) })
    }
  }

async function openStream(on: Gateway, secret: string): Promise<EventStream> {
  const stream = await subscribe(on, 'subscription { dataChanged { __typename } }', {
    headers: sent(secret),
  })
  closing.push(() => stream.leave())
  expect((await stream.next()).errors).toBeUndefined()
  return stream
}

async function endsBy(stream: EventStream, message: string): Promise<void> {
  await until(() => expect(stream.ended()).toBe(true))
  expect(stream.events.at(-1).errors).toMatchObject([
    { message, extensions: { code: 'UNAUTHENTICATED' } },
  ])
}

describe('a wrong key', () => {
  test.each(['lgk_', `lgk_${'0'.repeat(12)}_${'0'.repeat(64)}`, `lgk_${'x'.repeat(500)}`])(
    'gets a 401: %s',
    async (secret) => {
      const on = await another()
      const answer = await asked(on, sent(secret))
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(await faultOf(answer)).toEqual({
        status: 401,
        code: 'UNAUTHENTICATED',
        message: 'This API key is not known here. Check that it is complete.',
      })
      const rest = await on.get('/points/leaderboard', sent(secret))
      expect(rest.status).toBe(401)
      expect(rest.headers.get('content-type')).toContain('application/problem+json')
    },
  )

  test('closes a WebSocket', async () => {
    const closed = vi.fn()
    const client = createClient({
      url: `${gateway.base.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      lazy: false,
      onNonLazyError() {},
      connectionParams: { authorization: 'Bearer lgk_wrong' },
      on: { closed },
    })
    closing.push(() => client.dispose())
    await until(() => expect(closed).toHaveBeenCalled())
    expect(closed.mock.calls[0]?.[0]).toMatchObject({ code: 4401 })
  })

  test('with another secret of a known id is refused, and the rest of it is not guessed', async () => {
    const { secret } = await add()
    const on = await another()
    expect((await asked(on, sent(secret))).status).toBe(200)
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
    expect(await faultOf(asked(on, sent(wrong)))).toMatchObject({ status: 401 })
  })

  test('is slowed by address: its lookups end, and a known key still works', async () => {
    const { secret } = await add()
    const late = await add()
    const on = await another()
    expect((await asked(on, sent(secret))).status).toBe(200)
    const guess = (i: number) => sent(`lgk_${String(i).padStart(12, '0')}_${'a'.repeat(64)}`)
    const statuses: number[] = []
    for (let i = 0; i < 30; i++) statuses.push((await asked(on, guess(i))).status)
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(10).fill(429)])
    const read = vi.spyOn(on.deps.store.pool, 'query')
    const refused = await asked(on, guess(99))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await faultOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect((await asked(on, sent(late.secret))).status).toBe(429)
    expect(read).not.toHaveBeenCalled()
    expect((await asked(on, sent(secret))).status).toBe(200)
    expect((await asked(on)).status).toBe(200)
  })

  test('that has ended takes no lookups from others at its address, however often it is sent', async () => {
    const [revoked, removed, good] = [await add(), await add(), await add()]
    await must('revoke', revoked.name)
    await must('remove', removed.name)
    // It knows none of them, as after a restart.
    const on = await another()
    for (const { secret } of [revoked, removed])
      for (let i = 0; i < 25; i++) expect((await asked(on, sent(secret))).status).toBe(401)
    expect((await asked(on, sent(good.secret))).status).toBe(200)
  })

  test('in a URL is refused, also the right one, and no log line has it', async () => {
    const { secret } = await add()
    const lines: string[] = []
    const on = await another({
      env: { LOG_REQUESTS: 'all' },
      onLog: (line) => lines.push(JSON.stringify(line)),
    })
    const encoded = secret.replace('lgk', '%6c%67%6B')
    for (const path of [
      `/points/leaderboard?account=${secret}`,
      `/points/leaderboard?api_key=${secret}`,
      `/points/leaderboard?account=${encoded}`,
      `/graphql?query=${encodeURIComponent(QUERY)}&key=${secret}`,
      `/${secret}`,
      `/${encoded}/x?%zz`,
      `/${secret.toUpperCase()}`,
    ]) {
      const answer = await on.get(path)
      expect(answer.status, path).toBe(400)
      expect(await answer.text(), path).toContain('An API key must not be in a URL')
    }
    expect((await on.get('/pools?lgk_')).status).not.toBe(400)
    await until(() => expect(lines.length).toBeGreaterThanOrEqual(8))
    const tail = secret.slice(-30)
    expect(lines.filter((line) => line.toLowerCase().includes(tail))).toEqual([])
    expect(lines.filter((line) => line.includes('lgk_') || line.includes('%6c'))).toEqual([])
  })
})

test('while the store is away a known key works, and another gets a 503', async () => {
  const { secret } = await add()
  const late = await add()
  const on = await another()
  await until(() => expect(on.deps.notifications.connectedUntil).toBeGreaterThan(0))
  const cached = (key: string) =>
    fetch(`${on.base}/graphql?query=${encodeURIComponent(QUERY)}`, { headers: sent(key) })
  expect((await cached(secret)).status).toBe(200)
  const away = vi
    .spyOn(on.deps.store.pool, 'query')
    .mockRejectedValue(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }) as never)
  closing.push(() => away.mockRestore())
  expect((await cached(secret)).status).toBe(200)
  const unknown = await cached(late.secret)
  expect(unknown.headers.get('retry-after')).toBe('1')
  expect(await faultOf(unknown)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  away.mockRestore()
  await until(async () => expect((await cached(late.secret)).status).toBe(200))
})

test('the last use is noted, at the latest when the gateway closes', async () => {
  const { name, secret } = await add()
  const on = await startGateway({ on: gateway })
  expect((await asked(on, sent(secret))).status).toBe(200)
  expect(await must('list')).toMatch(new RegExp(`${name}  valid  not used yet`))
  await on.close()
  expect(await must('list')).toMatch(new RegExp(`${name}  valid  last used 20`))
})

describe('scopes', () => {
  const RESYNC = 'mutation { resyncDistribution(input: { date: "1999-01-01" }) { __typename } }'
  const MANUAL = 'mutation { updateDistribution(input: { date: "1999-01-01" }) { __typename } }'
  const REVOKE = 'mutation { revokeBasePoints(input: { recordId: "999" }) { __typename } }'

  const matrix: [string[], Record<string, string | undefined>][] = [
    [[], { [RESYNC]: 'runs', [MANUAL]: 'runs', [REVOKE]: 'rules' }],
    [['runs'], { [RESYNC]: undefined, [MANUAL]: undefined, [REVOKE]: 'rules' }],
    [['rules'], { [RESYNC]: 'runs', [MANUAL]: 'runs', [REVOKE]: undefined }],
    [['runs', 'rules'], { [RESYNC]: undefined, [MANUAL]: undefined, [REVOKE]: undefined }],
  ]
  test.each(matrix)(
    '%j allow what they say, and an error names what is missing',
    async (scopes, expected) => {
      const { name, secret } = await add(...scopes.flatMap((scope) => ['--scope', scope]))
      for (const [mutation, missing] of Object.entries(expected)) {
        const { errors } = await gateway.graphql(mutation, {}, sent(secret))
        const message = `The API key ${name} lacks the scope ${missing}.`
        const refusal = { message, extensions: { code: 'FORBIDDEN' } }
        if (missing) expect(errors, mutation).toMatchObject([refusal])
        else expect(errors?.[0].extensions.code, mutation).not.toBe('FORBIDDEN')
      }
      const rest = await fetch(`${gateway.base}/points/resync?date=1999-01-01`, {
        method: 'POST',
        headers: sent(secret),
      })
      expect(rest.status === 403).toBe(!scopes.includes('runs'))
    },
  )

  test('work on a server without an admin token, are recorded, and end with the key', async () => {
    const lines: any[] = []
    const on = await another({
      env: { ADMIN_TOKEN: undefined as never },
      onLog: (line) => lines.push(line),
    })
    const { name, secret } = await add('--scope', 'runs')
    const date = (await on.ask('{ distributions(first: 1) { nodes { date } } }')).distributions
      .nodes[0].date
    const { resyncDistribution } = await on.ask(
      'mutation ($date: Date!) { resyncDistribution(input: { date: $date }) { run { requestedBy } } }',
      { date },
      sent(secret),
    )
    expect(resyncDistribution.run.requestedBy).toBe(name)
    await until(() => expect(lines).toContainEqual(expect.objectContaining({ admin: name })))
    await must('revoke', name)
    await until(async () => {
      const { errors } = await on.graphql(RESYNC, {}, sent(secret))
      expect(errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
    })
  })

  test('that do not exist are refused', async () => {
    expect(await keys('add', 'root', '--scope', 'all')).toMatchObject({ code: 2, out: '' })
  })
})
