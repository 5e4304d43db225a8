import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { command, parsed, type Serving, serve } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  store = await openStore()
})
afterAll(() => store.close())

const settings = () => ({
  DATABASE_URL: store.url,
  DATABASE_POOL_SIZE: '4',
  WORKERS: '2',
  LOG_LEVEL: 'info',
  LOG_REQUESTS: 'all',
})

interface Answered {
  status: number
  requestId: string
  rateLimit: string
}

/** A client with one connection, which it keeps if it may. */
class Client {
  readonly #agent: Agent
  readonly #base: string

  constructor({ base }: Serving, keepAlive = true) {
    this.#base = base
    this.#agent = new Agent({ keepAlive, maxSockets: 1 })
  }

  async get(path = '/points/leaderboard'): Promise<Answered> {
    const request = get(this.#base + path, {
      agent: this.#agent,
      headers: { 'cache-control': 'no-cache' },
    })
    const [response] = await once(request, 'response')
    for await (const _ of response);
    const { 'request-id': requestId, ratelimit: rateLimit } = response.headers
    return { status: response.statusCode, requestId, rateLimit }
  }

  close(): void {
    this.#agent.destroy()
  }
}

const logOf = ({ printed }: Serving) =>
  parsed(
    printed()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .join('\n'),
  )

/** The process that answered a request. */
async function pidOf(gateway: Serving, { requestId }: Answered): Promise<number> {
  const line = () => logOf(gateway).find((one) => one.requestId === requestId)
  return (await vi.waitUntil(line, { timeout: 20_000 })).pid
}

const clientsOf = (gateway: Serving, count: number, keepAlive = true) =>
  Array.from({ length: count }, () => new Client(gateway, keepAlive))

/** Sends requests on each client until `end`, and counts what was not answered as it should. */
async function load(
  clients: Client[],
  end: Promise<unknown>,
): Promise<{ answered: number; faults: string[] }> {
  let over = false
  let answered = 0
  const faults: string[] = []
  const one = async (client: Client) => {
    while (!over) {
      await setTimeout(10)
      await client.get().then(
        ({ status }) => (status === 200 ? answered++ : faults.push(String(status))),
        (error) => faults.push(error.message),
      )
    }
  }
  const running = clients.map(one)
  await end.finally(() => {
    over = true
  })
  await Promise.all(running)
  return { answered, faults }
}

const workersOf = async (client: Client, gateway: Serving) => {
  await client.get('/livez')
  const text = await (await fetch(`${gateway.base}/metrics`)).text()
  return Number(/^gateway_workers (\d+)$/m.exec(text)?.[1])
}

describe('a gateway of two workers', () => {
  let gateway: Serving
  beforeAll(async () => {
    gateway = await serve(settings())
  })
  afterAll(() => gateway.stop('SIGKILL'))

  test('both answer, and the metrics are those of both', { timeout: 60_000 }, async () => {
    const clients = clientsOf(gateway, 8)
    const pids = new Set<number>()
    for (const client of clients) pids.add(await pidOf(gateway, await client.get()))
    expect(pids.size).toBe(2)
    expect(pids).not.toContain(gateway.child.pid)
    const text = await (await fetch(`${gateway.base}/metrics`)).text()
    expect(text).toMatch(/^gateway_workers 2$/m)
    expect(text).toMatch(/^gateway_build_info\{.*\} 1$/m)
    expect(text).toMatch(/^gateway_database_up 1$/m)
    expect(text).toMatch(
      /^gateway_http_request_duration_seconds_count\{route="\/points\/leaderboard".*\} 8$/m,
    )
    for (const client of clients) client.close()
  })

  test('a worker that is killed is replaced, and the clients of the other do not notice', {
    timeout: 60_000,
  }, async () => {
    const clients = clientsOf(gateway, 8)
    const pids = await Promise.all(
      clients.map(async (client) => pidOf(gateway, await client.get())),
    )
    const [victim = 0] = pids
    const others = clients.filter((_, i) => pids[i] !== victim)
    expect(others.length).toBeGreaterThan(0)
    const replaced = async () => {
      process.kill(victim, 'SIGKILL')
      await vi.waitFor(() => expect(gateway.printed()).toContain('a worker has ended'), {
        timeout: 20_000,
      })
      const fresh = new Client(gateway)
      await vi.waitFor(async () => expect(await workersOf(fresh, gateway)).toBe(2), {
        timeout: 30_000,
      })
      fresh.close()
    }
    const { answered, faults } = await load(others, replaced())
    expect(faults).toEqual([])
    expect(answered).toBeGreaterThan(others.length)
    for (const client of clients) client.close()
  })

  test('SIGHUP replaces the workers one after the other, and no request fails', {
    timeout: 90_000,
  }, async () => {
    const clients = [...clientsOf(gateway, 8), ...clientsOf(gateway, 2, false)]
    const before = new Set(
      await Promise.all(clients.map(async (client) => pidOf(gateway, await client.get()))),
    )
    const restarted = async () => {
      // A second one while it restarts is part of the first.
      for (let i = 0; i < 2; i++) gateway.child.kill('SIGHUP')
      await vi.waitFor(() => expect(gateway.printed()).toContain('restarted the workers'), {
        timeout: 60_000,
      })
    }
    const { answered, faults } = await load(clients, restarted())
    expect(faults).toEqual([])
    expect(answered).toBeGreaterThan(clients.length)
    const after = new Set(
      await Promise.all(clients.map(async (client) => pidOf(gateway, await client.get()))),
    )
    expect(after.size).toBe(2)
    expect([...after].filter((pid) => before.has(pid))).toEqual([])
    for (const client of clients) client.close()
  })

  test('SIGTERM lets requests under way end, and ends all processes', {
    timeout: 60_000,
  }, async () => {
    const locker = await store.pool.connect()
    await locker.query('BEGIN; LOCK TABLE program, account')
    const client = new Client(gateway)
    const answer = client.get()
    const waits = async () =>
      (
        await store.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rows.length > 0
    await vi.waitUntil(waits, { timeout: 20_000 })
    const pids = [...new Set(logOf(gateway).map(({ pid }) => pid as number))]
    const stopped = gateway.stop('SIGTERM')
    const refuses = () =>
      fetch(`${gateway.base}/livez`, { signal: AbortSignal.timeout(300) }).then(
        () => false,
        () => true,
      )
    await vi.waitUntil(refuses, { timeout: 20_000 })
    await locker.query('ROLLBACK')
    locker.release()
    expect((await answer).status).toBe(200)
    expect(await stopped).toBe(0)
    const alive = pids.filter((pid) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    })
    expect(alive).toEqual([])
    client.close()
  })
})

test('RATE_LIMIT counts what all workers answer', { timeout: 60_000 }, async () => {
  const gateway = await serve({ ...settings(), RATE_LIMIT: '20' })
  const clients = clientsOf(gateway, 20, false)
  const left = async (): Promise<string[]> => {
    const minute = Math.floor(Date.now() / 60_000)
    const names: string[] = []
    for (const client of clients)
      names.push(/r=(\d+)/.exec((await client.get('/openapi.json')).rateLimit)?.[1] ?? '')
    return Math.floor(Date.now() / 60_000) === minute ? names : left()
  }
  const files = await left()
  // The requests that a start sends to itself are counted too.
  const most = Number(files[0])
  expect(most).toBeGreaterThan(10)
  expect(files).toEqual(clients.map((_, i) => String(Math.max(0, most - i))))
  expect((await new Client(gateway).get('/openapi.json')).status).toBe(429)
  await gateway.stop('SIGTERM')
})

describe('what prevents the start is one clear line', () => {
  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const { code, err } = await command(['serve'], {
      ...settings(),
      LOG_LEVEL: 'silent',
      PORT: String(port),
    })
    expect(code).toBe(2)
    expect(err).toMatch(new RegExp(`^PORT ${port} of 127.0.0.1 is in use: .*\n$`))
    other.close()
  })

  test('more connections than the embedded Postgres has', async () => {
    const { code, err } = await command(['serve'], { WORKERS: '8' })
    expect(code).toBe(2)
    expect(err).toMatch(/^WORKERS of 8 may open 117 connections, .*\n$/)
  })
})
