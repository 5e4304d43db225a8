import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { command } from '../support/command-line.ts'
import { openPooler } from '../support/pooler.ts'
import { isInstalled } from './redis-server.ts'
import { createDatabase, LONG, query, type Server, startServer } from './server.ts'
import { openStallingProxy } from './stalling-proxy.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
beforeAll(async () => {
  database = await createDatabase()
  // It is not migrated through a pooler.
  expect(await command(['migrate'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 })
})
afterAll(() => database.drop())

/** The number of accounts that a gateway answers, from memory if it may. */
async function total(
  server: Server,
  headers: Record<string, string> = {},
  path = '',
): Promise<number> {
  const response = await fetch(`${server.base}/points/leaderboard${path}`, { headers })
  return Number(((await response.json()) as { total: string }).total)
}

let last = 0
async function write(): Promise<number> {
  await query(database.url, 'UPDATE program SET account_count = $1', [++last])
  return last
}

/**
 * Waits until a change shows in answers that memory may give, as it does only where memory is used.
 */
const isListening = (server: Server) =>
  vi.waitFor(
    async () => {
      expect(await listeners()).not.toEqual([])
      await total(server)
    },
    { timeout: 30_000 },
  )

/** The connections that listen, by their processes. */
const listeners = async () => {
  const rows = await query(
    database.url,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gateway-listen'`,
  )
  return rows.map(({ pid }) => pid as number)
}

test('a connection that stalls while it listens, and a gateway that is stopped: memory is trusted for seconds only', async () => {
  const proxy = await openStallingProxy(database.url)
  const server = await startServer({ databaseUrl: proxy.url })
  try {
    await write()
    await isListening(server)
    await sleep(3000)
    expect(await total(server)).toBe(last)

    const stalled = await listeners()
    expect(proxy.stall('gateway-listen')).toBe(1)
    const at = performance.now()
    await write()
    await vi.waitFor(async () => expect(await total(server)).toBe(last), {
      timeout: 20_000,
      interval: 20,
    })
    expect(performance.now() - at).toBeLessThan(6000)

    // It listens again on another connection, which stalls while the process is stopped.
    const isAnother = (pid: number) => !stalled.includes(pid)
    await vi.waitFor(async () => expect((await listeners()).some(isAnother)).toBe(true), {
      timeout: 30_000,
    })
    await sleep(3000)
    expect(await total(server)).toBe(last)
    server.child.kill('SIGSTOP')
    expect(proxy.stall('gateway-listen')).toBeGreaterThan(0)
    await write()
    await sleep(4000)
    const reading = total(server)
    server.child.kill('SIGCONT')
    expect(await reading).toBe(last)
  } finally {
    await server.close()
    await proxy.close()
  }
})

const present = isInstalled('pgbouncer')
test.skipIf(!present)(
  `behind a pooler in transaction mode nothing is served from memory, and the log says why${present ? '' : ' (skipped: no pgbouncer)'}`,
  async () => {
    const pooler = await openPooler(database.url, { size: 4 })
    const server = await startServer({ databaseUrl: pooler.url })
    try {
      await vi.waitFor(() => expect(server.printed()).toContain('do not arrive'), {
        timeout: 30_000,
        interval: 200,
      })
      for (let i = 0; i < 20; i++) {
        await total(server)
        await write()
        expect(await total(server)).toBe(last)
      }
      expect(server.printed().match(/"message":"the notifications/g)).toHaveLength(1)
      expect((await fetch(`${server.base}/health`)).status).toBe(200)
    } finally {
      await server.close()
      await pooler.close()
    }
  },
)

test('two gateways under reads and writes: none is stale, none goes backwards', async () => {
  const one = await startServer({ databaseUrl: database.url })
  const two = await startServer({ databaseUrl: database.url })
  const writer = new pg.Client(database.url)
  await writer.connect()
  try {
    const end = performance.now() + (LONG ? 300_000 : 10_000)
    const written: { value: number; at: number }[] = []
    const writing = async () => {
      while (performance.now() < end) {
        await writer.query('UPDATE program SET account_count = $1', [++last])
        written.push({ value: last, at: performance.now() })
        await sleep(10)
      }
    }
    const faults: string[] = []
    let reads = 0
    const reading = async (
      server: Server,
      ageMs: number,
      headers: Record<string, string> = {},
      path = '',
    ) => {
      let seen = 0
      for (let i = 0; performance.now() < end; reads++) {
        const sent = performance.now()
        while ((written[i]?.at ?? Number.POSITIVE_INFINITY) <= sent - ageMs) i++
        const least = written[i - 1]?.value ?? 0
        const value = await total(server, headers, path)
        if (value < least) faults.push(`stale: ${value} where ${least} had been written`)
        if (value < seen) faults.push(`backwards: ${value} after ${seen}`)
        seen = value
      }
    }
    await Promise.all([
      writing(),
      ...[one, two].flatMap((server) => [
        reading(server, 3000),
        reading(server, 3000),
        // What is computed past the memory goes into it, so this is another answer.
        reading(server, 0, { 'cache-control': 'no-cache' }, '?fresh'),
      ]),
    ])
    expect(faults.slice(0, 5)).toEqual([])
    expect(written.length).toBeGreaterThan(20)
    expect(reads).toBeGreaterThan(100)
  } finally {
    await writer.end()
    await two.close()
    await one.close()
  }
})
