import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  LONG,
  memoryOf,
  type OwnPostgres,
  openPostgres,
  query,
  type Server,
  startServer,
} from './server.ts'

const FROZEN_MS = LONG ? 20_000 : 6000
const READ_TIMEOUT_MS = 3000
const address = `0x${'1'.repeat(40)}`
const fresh = { 'cache-control': 'no-cache' }

let postgres: OwnPostgres
let server: Server
beforeAll(async () => {
  postgres = await openPostgres()
  const env = { READ_TIMEOUT_MS: String(READ_TIMEOUT_MS) }
  server = await startServer({ databaseUrl: postgres.url, env })
})
afterAll(async () => {
  await server?.close()
  await postgres?.close()
})

interface Seen {
  status: number
  body: any
  retryAfter: string | null
  ms: number
}

async function seen(path: string, init: RequestInit = { headers: fresh }): Promise<Seen> {
  const since = performance.now()
  const response = await fetch(server.base + path, init)
  const body = await response.json()
  return {
    status: response.status,
    body,
    retryAfter: response.headers.get('retry-after'),
    ms: performance.now() - since,
  }
}

const paths = [
  '/points/leaderboard',
  `/points/${address}?limit=3`,
  `/positions/${address}`,
  `/v1/users/${address}/earnings`,
]
const graph = (text: string) => seen(`/graphql?query=${encodeURIComponent(text)}`)
const operations = [
  () => graph('{ leaderboard(first: 3) { nodes { points } } }'),
  () =>
    graph('{ a: pools(first: 1) { nodes { name } } b: markets(first: 1) { nodes { address } } }'),
]

test('while Postgres hangs each read is refused within its time, and soon after it all is well', async () => {
  for (let times = 0; times < 3; times++) {
    for (const path of paths) expect(await seen(path)).toMatchObject({ status: 200 })
    for (const operation of operations) expect((await operation()).body.errors).toBeUndefined()
  }
  const memory = await memoryOf(server.pid)
  const answers: Promise<Seen>[] = []
  const queries: Promise<Seen>[] = []
  postgres.freeze()
  try {
    const since = performance.now()
    while (performance.now() - since < FROZEN_MS) {
      for (const path of paths) answers.push(seen(path))
      for (const operation of operations) queries.push(operation())
      await sleep(LONG ? 20 : 100)
    }
    // What was sent last is refused within its time, too, before the thaw.
    const refused = await Promise.all(answers)
    for (const { status, body, retryAfter, ms } of refused) {
      expect({ status, body }).toMatchObject({
        status: 503,
        body: { status: 503, detail: expect.any(String) },
      })
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(ms).toBeLessThan(READ_TIMEOUT_MS + 5000)
    }
    for (const { body, ms } of await Promise.all(queries)) {
      expect(body.errors[0].extensions.code).toMatch(/^(UNAVAILABLE|TIMEOUT)$/)
      expect(ms).toBeLessThan(READ_TIMEOUT_MS + 5000)
    }
    expect((await memoryOf(server.pid)) - memory).toBeLessThan(100 * 2 ** 20)
  } finally {
    postgres.thaw()
  }
  const thawed = performance.now()
  await vi.waitFor(
    async () => {
      const all = await Promise.all([
        ...paths.map((path) => seen(path)),
        ...operations.map((run) => run()),
      ])
      for (const { status, body } of all) expect([status, body.errors]).toEqual([200, undefined])
    },
    { timeout: 10_000, interval: 50 },
  )
  expect(performance.now() - thawed).toBeLessThan(4000)
  // The log reports the outage, not each request.
  await vi.waitFor(() => expect(server.printed()).toContain('the store is back'), {
    timeout: 10_000,
  })
  expect(server.printed().match(/the store is away/g)).toHaveLength(1)
  expect(server.printed().split('\n').length).toBeLessThan((answers.length + queries.length) / 4)
  const old = await query(
    postgres.url,
    `SELECT query, now() - query_start AS age FROM pg_stat_activity
     WHERE application_name = 'gateway' AND state = 'active' AND query_start < now() - interval '1 second'`,
  )
  expect(old).toEqual([])
})

test('SIGTERM ends a gateway whose Postgres hangs', async () => {
  postgres.freeze()
  try {
    for (const path of paths) seen(path).catch(() => {})
    await sleep(300)
    const since = performance.now()
    await server.stop('SIGTERM')
    expect(performance.now() - since).toBeLessThan(15_000)
  } finally {
    postgres.thaw()
  }
})
