import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type EventStream, subscribe } from '../support/events.ts'
import { type Server, startServer } from './server.ts'

const LIMIT = 500
/** REST's page that is not cached. */
const READ = 101

let server: Server
beforeAll(async () => {
  const env = {
    RATE_LIMIT: String(LIMIT),
    TRUST_PROXY: '127.0.0.1,10.0.0.0/8',
    MAX_SUBSCRIPTIONS: '20',
  }
  server = await startServer({ env })
})
afterAll(() => server?.close())

let clients = 0
/** A client that no test has used yet. */
const newClient = () => `203.0.113.${++clients}`

const get = ({ base }: Server, client: string, path = '/points/leaderboard', headers = {}) =>
  fetch(base + path, {
    headers: { 'x-forwarded-for': client, 'cache-control': 'no-cache', ...headers },
  })

/**
 * The statuses of requests, one after another. A new minute would give the client its points again:
 * then once more.
 */
async function statuses(
  count: number,
  send: (client: string) => Promise<Response>,
): Promise<number[]> {
  for (;;) {
    const client = newClient()
    const minute = Math.floor(Date.now() / 60_000)
    const all: number[] = []
    for (let i = 0; i < count; i++) all.push((await send(client)).status)
    if (minute === Math.floor(Date.now() / 60_000)) return all
  }
}

test('a client that sends too much gets a 429 with the headers that say so; another one is answered', async () => {
  const client = newClient()
  const first = await get(server, client)
  expect(first.status).toBe(200)
  expect(first.headers.get('ratelimit-policy')).toBe(`"points";q=${LIMIT};w=60`)
  expect(first.headers.get('ratelimit')).toMatch(new RegExp(`^"points";r=${LIMIT - READ};t=\\d+$`))
  expect(await statuses(6, (one) => get(server, one))).toEqual([200, 200, 200, 200, 429, 429])
  expect((await get(server, newClient())).status).toBe(200)
  const many = newClient()
  let refused: Response
  do refused = await get(server, many)
  while (refused.status === 200)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({
    status: 429,
    detail: expect.stringContaining('Try again in'),
  })
})

test('what is cached costs one point', async () => {
  const path = '/points/leaderboard'
  await get(server, newClient(), path, { 'cache-control': 'max-age=0' })
  const all = await statuses(LIMIT + 5, (one) =>
    get(server, one, path, { 'cache-control': 'max-age=0' }),
  )
  expect(all.slice(0, LIMIT).every((status) => status === 200)).toBe(true)
  expect(all.slice(LIMIT)).toEqual([429, 429, 429, 429, 429])
})

test('an operation of the graph is charged what it costs', async () => {
  const send = (first: number) => (client: string) =>
    fetch(`${server.base}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': client,
        'cache-control': 'no-cache',
      },
      body: JSON.stringify({ query: `{ leaderboard(first: ${first}) { nodes { rank } } }` }),
    })
  expect(await statuses(4, send(60))).toEqual([200, 200, 200, 429])
  const refused = await send(600)(newClient())
  expect(refused.status).toBe(429)
  const { errors } = (await refused.json()) as any
  expect(errors[0].extensions.code).toBe('RATE_LIMITED')
  expect(errors[0].message).toContain('more than the 500')
})

test('a subscription is charged what it costs', async () => {
  const open = async (client: string) => {
    const { response, leave } = await subscribe(
      server,
      'subscription { leaderboard(first: 300) { nodes { rank } } }',
      {
        headers: { 'x-forwarded-for': client },
      },
    )
    leave()
    return response
  }
  expect(await statuses(2, open)).toEqual([200, 429])
})

test('addresses that no trusted proxy has written make no difference; IPv6 clients are their /64 network', async () => {
  const forged = await statuses(6, (one) =>
    get(server, `198.51.100.${Math.ceil(Math.random() * 200)}, ${one}`),
  )
  expect(forged.slice(-2)).toEqual([429, 429])
  const prefix = () => `2001:db8:0:${(++clients).toString(16)}`
  const network = prefix()
  let last = 200
  for (let i = 1; last === 200 && i < 20; i++)
    last = (await get(server, `${network}::${i.toString(16)}`)).status
  expect(last).toBe(429)
  expect((await get(server, `${prefix()}::1`)).status).toBe(200)
  const direct = await startServer({ env: { RATE_LIMIT: String(LIMIT) } })
  try {
    const all: number[] = []
    for (let i = 0; i < 12; i++) all.push((await get(direct, newClient())).status)
    expect(all).toContain(429)
  } finally {
    await direct.close()
  }
})

describe('addresses with ports, as Azure and IIS write them', () => {
  let ports = 1024
  const withPort = (address: string) => `${address}:${++ports}`

  test.each([
    ['an IPv4 address', (one: string) => withPort(one)],
    [
      'an IPv4 address, with and without a port',
      (one: string) => (++ports % 2 ? one : withPort(one)),
    ],
    ['an IPv6 address', (one: string) => withPort(`[2001:db8:1:${one.split('.').at(-1)}::1]`)],
    [
      'an address behind a proxy with a port',
      (one: string) => `${withPort(one)}, ${withPort('10.1.2.3')}`,
    ],
    [
      'a forged address before it',
      (one: string) => `${withPort(`198.51.100.${ports % 200}`)}, ${withPort(one)}`,
    ],
  ])(
    '%s: a client has one share, whatever its ports, and another client another',
    async (_, write) => {
      const all = await statuses(6, (one) => get(server, write(one)))
      expect(all).toEqual([200, 200, 200, 200, 429, 429])
      expect((await get(server, write(newClient()))).status).toBe(200)
    },
  )
})

test('one client does not get all event streams', async () => {
  const streams: EventStream[] = []
  const open = async (client: string) => {
    const stream = await subscribe(server, 'subscription { dataChanged { version } }', {
      headers: { 'x-forwarded-for': client },
    })
    streams.push(stream)
    return stream
  }
  try {
    const client = newClient()
    expect((await open(client)).response.status).toBe(200)
    expect((await open(`${client}:50001`)).response.status).toBe(200)
    const refused = await open(`${client}:50002`)
    expect(refused.response.status).toBe(429)
    expect(refused.response.headers.get('retry-after')).toBe('10')
    expect((await open(`${newClient()}:50001`)).response.status).toBe(200)
  } finally {
    for (const stream of streams) stream.leave()
  }
})

test('probes are never refused', async () => {
  const client = newClient()
  for (let i = 0; i < 6; i++) await get(server, client)
  // To the last point.
  while (
    (await get(server, client, '/points/leaderboard', { 'cache-control': 'max-age=0' })).status ===
    200
  );
  expect((await get(server, client, '/health')).status).toBe(200)
  expect((await get(server, client, '/metrics')).status).toBe(200)
})

describe('with Redis', () => {
  let redis: ChildProcess
  let both: Server[] = []
  beforeAll(async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address() as { port: number }
    await once(probe.close(), 'close')
    redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    for await (const line of redis.stdout ?? []) if (String(line).includes('Ready to accept')) break
    const env = {
      RATE_LIMIT: String(LIMIT),
      TRUST_PROXY: '1',
      REDIS_URL: `redis://127.0.0.1:${port}`,
    }
    both = [await startServer({ env }), await startServer({ env })]
  })
  afterAll(async () => {
    redis?.kill('SIGKILL')
    for (const one of both) await one.close()
  })

  test('gateways count together; when it hangs or is gone each counts by itself', async () => {
    const alternate = async () => {
      let i = 0
      return statuses(6, (client) => get(both[i++ % 2] as Server, client))
    }
    // Until Redis is connected each counts alone.
    const together = async () => expect(await alternate()).toEqual([200, 200, 200, 200, 429, 429])
    await vi.waitFor(together, { timeout: 30_000, interval: 500 })
    redis.kill('SIGSTOP')
    const since = performance.now()
    expect(await statuses(6, (client) => get(both[0] as Server, client))).toEqual([
      200, 200, 200, 200, 429, 429,
    ])
    expect(performance.now() - since).toBeLessThan(10_000)
    redis.kill('SIGKILL')
    expect(await statuses(6, (client) => get(both[1] as Server, client))).toEqual([
      200, 200, 200, 200, 429, 429,
    ])
  })
})
