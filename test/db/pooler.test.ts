import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { command, parsed, serve } from '../support/command-line.ts'
import { conformanceTemplate, failedCases } from '../support/conformance.ts'
import { goodFiles } from '../support/datasets.ts'
import { hasPooler, NO_POOLER, openPooler } from '../support/pooler.ts'
import { openStore } from '../support/store.ts'

type Closing<T extends (...args: any) => any> = Awaited<ReturnType<T>>

describe.skipIf(!hasPooler)(`behind a pooler in transaction mode${NO_POOLER}`, () => {
  let store: Closing<typeof openStore>
  let pooler: Closing<typeof openPooler>
  beforeAll(async () => {
    store = await openStore()
    pooler = await openPooler(store.url, { size: 4 })
  })
  afterAll(async () => {
    await pooler?.close()
    await store?.close()
  })

  test('with DATABASE_DIRECT_URL changes are heard, and answers come from memory', async () => {
    const gateway = await serve({
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: store.url,
      LOG_LEVEL: 'info',
    })
    try {
      const get = () =>
        fetch(`${gateway.base}/points/leaderboard`).then(async (one) => (await one.json()) as any)
      const metric = async (name: string) =>
        Number(
          new RegExp(`^${name} (\\S+)$`, 'm').exec(
            await (await fetch(`${gateway.base}/metrics`)).text(),
          )?.[1],
        )
      await vi.waitFor(async () => expect(await metric('gateway_notifications_up')).toBe(1), {
        timeout: 20_000,
      })
      // A job that ends meanwhile changes the data.
      const cached = async () => {
        await get()
        expect(await metric('gateway_cache_answers')).toBeGreaterThan(0)
      }
      await vi.waitFor(cached, { timeout: 20_000 })
      for (let i = 1; i <= 5; i++) {
        await store.pool.query('UPDATE program SET account_count = $1', [i])
        await vi.waitFor(async () => expect((await get()).total).toBe(String(i)), {
          timeout: 20_000,
        })
      }
      // Its connections take turns on those of the pooler, also when many reads come at once.
      const status = async () =>
        (await fetch(`${gateway.base}/pools/all`, { headers: { 'cache-control': 'no-cache' } }))
          .status
      const answers = await Promise.all(Array.from({ length: 200 }, status))
      expect(new Set(answers)).toEqual(new Set([201]))
      expect(gateway.printed()).not.toMatch(/"level":[45]0/)
    } finally {
      expect(await gateway.stop('SIGTERM')).toBe(0)
    }
  })

  test('an import and a run work, and wait for another writer no longer than LOCK_TIMEOUT_MS', async () => {
    const env = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: store.url, LOCK_TIMEOUT_MS: '300' }
    const dir = await mkdtemp(join(tmpdir(), 'gateway-pooler-'))
    try {
      for (const [file, records = []] of Object.entries(goodFiles()))
        await writeFile(
          join(dir, `${file}.jsonl`),
          records.map((one) => `${JSON.stringify(one)}\n`).join(''),
        )
      expect(await command(['import', dir, '--json'], env)).toMatchObject({ code: 0, err: '' })
      expect(await command(['resync', '--all', '--json'], env)).toMatchObject({ code: 0, err: '' })
      const holder = await store.pool.connect()
      await holder.query('BEGIN; LOCK TABLE pool IN EXCLUSIVE MODE')
      const { code, err } = await command(['import', dir, '--json'], env)
      await holder.query('ROLLBACK')
      holder.release()
      expect({ code, failure: parsed(err).at(-1) }).toMatchObject({
        code: 6,
        failure: { code: 'UNAVAILABLE' },
      })
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  test('without it, one line says so, nothing is cached, and every answer is right', async () => {
    const gateway = await serve({ DATABASE_URL: pooler.url, LOG_LEVEL: 'warn' })
    try {
      expect(gateway.printed().match(/set DATABASE_DIRECT_URL/g)).toHaveLength(1)
      for (let i = 11; i <= 15; i++) {
        await store.pool.query('UPDATE program SET account_count = $1', [i])
        const answer = await fetch(`${gateway.base}/points/leaderboard`)
        expect(((await answer.json()) as any).total).toBe(String(i))
      }
    } finally {
      expect(await gateway.stop('SIGTERM')).toBe(0)
    }
  })

  test('without it, migrations that are missing are one clear line, and no lock stays behind', async () => {
    const name = `empty_${randomBytes(6).toString('hex')}`
    await store.pool.query(`CREATE DATABASE ${name}`)
    const url = new URL(store.url)
    url.pathname = name
    const empty = await openPooler(url.href, { size: 4 })
    try {
      const failed = await command(['serve'], { DATABASE_URL: empty.url })
      expect(failed.code).toBe(2)
      expect(failed.err).toMatch(/^The database lacks .*set DATABASE_DIRECT_URL.*\n$/)
      const env = { DATABASE_URL: empty.url, DATABASE_DIRECT_URL: url.href }
      expect(await command(['migrate'], env)).toMatchObject({ code: 0, err: '' })
    } finally {
      await empty.close()
      await store.pool.query(`DROP DATABASE ${name} WITH (FORCE)`)
    }
  })
})

test.skipIf(!hasPooler)(
  `a pooler in session mode that lends too few connections is one clear line${NO_POOLER}`,
  async () => {
    const store = await openStore()
    const pooler = await openPooler(store.url, { mode: 'session', size: 4 })
    const roomy = await openPooler(store.url, { mode: 'session', size: 14 })
    try {
      const failed = await command(['serve'], { DATABASE_URL: pooler.url })
      expect(failed.code).toBe(2)
      expect(failed.err).toMatch(
        /^DATABASE_URL leads to a pooler in session mode that lends 4 connections, .* needs 13: .*\n$/,
      )
      const gateway = await serve({ DATABASE_URL: roomy.url, LOG_LEVEL: 'warn' })
      expect((await fetch(`${gateway.base}/points/leaderboard`)).status).toBe(200)
      expect(gateway.printed()).not.toMatch(/"level":[45]0/)
      expect(await gateway.stop('SIGTERM')).toBe(0)
    } finally {
      await pooler.close()
      await roomy.close()
      await store.close()
    }
  },
)

test.skipIf(!hasPooler)(
  `the conformance suite passes behind a pooler in transaction mode${NO_POOLER}`,
  { timeout: 300_000 },
  async () => {
    const store = await openStore(await conformanceTemplate())
    const pooler = await openPooler(store.url, { size: 4 })
    const gateway = await serve({
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: store.url,
      ADMIN_TOKEN: 'test-admin-token',
    })
    try {
      expect(await failedCases(gateway, 5)).toBe(0)
    } finally {
      await gateway.stop('SIGTERM')
      await pooler.close()
      await store.close()
    }
  },
)
