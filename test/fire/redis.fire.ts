import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { isInstalled, openRedis } from './redis-server.ts'
import { createDatabase, LONG, memoryOf, query, type Server, startServer } from './server.ts'

/** Nobody else requests it: servers warm up with the one without a parameter. */
const PATH = '/points/leaderboard?fire'
const present = isInstalled('redis-server')

describe.skipIf(!present)(`Redis${present ? '' : ' (skipped: no redis-server)'}`, () => {
  let redis: Awaited<ReturnType<typeof openRedis>>
  beforeAll(async () => {
    redis = await openRedis()
  })
  afterAll(() => redis?.close())

  const start = (databaseUrl?: string, env: Record<string, string> = {}) =>
    startServer({ databaseUrl: databaseUrl as string, env: { REDIS_URL: redis.url, ...env } })
  const answers = async () =>
    (await redis.client.keys('gateway:*')).filter((key) => key.endsWith(` ${PATH}`))
  const isUp = (server: Server) =>
    vi.waitFor(async () => expect((await fetch(`${server.base}/health`)).status).toBe(200), {
      timeout: 60_000,
    })
  /** The number of accounts that it answers: of the store, whatever it has cached. */
  const total = async (server: Server) => {
    const { total } = (await (await fetch(server.base + PATH)).json()) as { total: string }
    return Number(total)
  }
  const setTotal = (url: string, value: number) =>
    query(url, 'UPDATE program SET account_count = $1', [value])
  const isCached = (server: Server, value: number, count: number) =>
    vi.waitFor(
      async () => {
        expect(await total(server)).toBe(value)
        expect(await answers()).toHaveLength(count)
      },
      { timeout: 30_000 },
    )

  test('a restored backup and a copy of the store are never given the answers of another history', async () => {
    await redis.client.flushAll()
    const store = await createDatabase()
    const server = process.env.TEST_POSTGRES_URL as string
    const name = new URL(store.url).pathname.slice(1)
    const backup = `${name}_backup`
    const gateway = await start(store.url)
    let other: Server | undefined
    try {
      await isUp(gateway)
      await setTotal(store.url, 1)
      await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await query(
        server,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [name],
      )
      await query(server, `CREATE DATABASE ${backup} TEMPLATE ${name}`)
      await query(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
      await setTotal(store.url, 2)
      await isCached(gateway, 2, 1)

      // The same number of writes later, the restored store has the version of the one that is
      // gone.
      await query(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await query(server, `CREATE DATABASE ${name} TEMPLATE ${backup}`)
      await setTotal(store.url, 3)
      other = await start(store.url)
      await isUp(other)
      expect(await total(other)).toBe(3)
      await vi.waitFor(async () => expect(await total(gateway)).toBe(3), { timeout: 30_000 })
      await other.close()

      const backupUrl = new URL(store.url)
      backupUrl.pathname = backup
      await setTotal(backupUrl.href, 4)
      other = await start(backupUrl.href)
      await isUp(other)
      expect(await total(other)).toBe(4)
      const versions = 'SELECT sum(version) AS version FROM data_version'
      expect(await query(backupUrl.href, versions)).toEqual(await query(store.url, versions))
    } finally {
      await other?.close()
      await gateway.close()
      await store.drop()
      await query(server, `DROP DATABASE ${backup} WITH (FORCE)`)
    }
  })

  test('two releases do not share answers; gateways of one do', async () => {
    await redis.client.flushAll()
    const one = await start()
    const twin = await start(one.databaseUrl, { DATABASE_POOL_SIZE: '4' })
    const other = await start(one.databaseUrl, { POINTS_BASE_DEPOSIT: '2' })
    try {
      for (const [server, count] of [
        [one, 1],
        [twin, 1],
        [other, 2],
      ] as const) {
        await isUp(server)
        await isCached(server, 0, count)
      }
    } finally {
      for (const server of [other, twin, one]) await server.close()
    }
  })

  describe('with answers of 190 kB', () => {
    let gateway: Server
    beforeEach(async () => {
      gateway = await start(undefined, { SAMPLE_DATA: 'on', CACHE_MAX_BYTES: '1000000' })
      await isUp(gateway)
    }, 120_000)
    afterEach(() => gateway?.close())

    /** Requests answers under keys that were never used, for a time. */
    let unique = 0
    const request = async () => {
      const response = await fetch(`${gateway.base}/pools/all?unique=${unique++}`)
      expect(response.status).toBe(201)
      return (await response.arrayBuffer()).byteLength
    }
    const load = async (bytes: number) => {
      for (let received = 0; received < bytes; )
        received += (await Promise.all(Array.from({ length: 8 }, request))).reduce((a, b) => a + b)
    }

    test('one that is frozen takes no memory, holds up nobody, is reported once, and is used again when it is back', async () => {
      // So much takes the heap to its size.
      await load(60_000_000)
      const memory = await memoryOf(gateway.pid)
      const reports = () => gateway.printed().match(/Redis cannot be reached/g)?.length ?? 0
      const before = reports()
      redis.freeze()
      try {
        await load(LONG ? 3_000_000_000 : 60_000_000)
        expect((await memoryOf(gateway.pid)) - memory).toBeLessThan(40_000_000)
        const health = await fetch(`${gateway.base}/health`)
        expect(health.status).toBe(503)
        expect(await health.json()).toMatchObject({
          status: 'error',
          error: { cache: { status: 'down' } },
        })
        for (const path of ['/livez', '/readyz'])
          expect((await fetch(gateway.base + path)).status).toBe(200)
        expect(reports()).toBeGreaterThan(0)
        // On a busy machine an outage may have been reported before.
        expect(reports() - before).toBeLessThanOrEqual(1)
      } finally {
        redis.thaw()
      }
      await isUp(gateway)
      await redis.client.flushAll()
      await request()
      await vi.waitFor(async () => expect(await redis.client.dbSize()).toBeGreaterThan(0), {
        timeout: 10_000,
      })
    })

    test('one client cannot fill it: values have a short life and their sum a bound', async () => {
      await redis.client.flushAll()
      await load(LONG ? 1_000_000_000 : 100_000_000)
      await sleep(500)
      const used = Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))?.[1])
      expect(used).toBeLessThan(90_000_000)
      const keys = await redis.client.keys('gateway:*')
      expect(keys.length).toBeGreaterThan(100)
      for (const key of keys.slice(0, 100))
        expect(await redis.client.ttl(key)).toBeLessThanOrEqual(300)
    })
  })
})
