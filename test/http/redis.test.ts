import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

const present = (() => {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!present)(`a cache in Redis${present ? '' : ' (skipped: no redis-server)'}`, () => {
  let redis: ChildProcess
  let port: number
  let gateway: Gateway
  const dir = mkdtempSync(join(tmpdir(), 'gateway-redis-'))

  const startRedis = async () => {
    redis = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir],
      {
        stdio: 'ignore',
      },
    )
    await once(redis, 'spawn')
  }
  const health = async () => {
    const response = await gateway.get('/health')
    return {
      code: response.status,
      ...((await response.json()) as { status: string; error: object }),
    }
  }

  beforeAll(async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    port = (probe.address() as { port: number }).port
    probe.close()
    await startRedis()
    gateway = await startGateway({ env: { REDIS_URL: `redis://127.0.0.1:${port}` } })
    await vi.waitFor(async () => expect((await health()).code).toBe(200), { timeout: 10_000 })
  })
  afterAll(async () => {
    await gateway?.close()
    redis.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  test('answers are cached in it, and a change of the data replaces them at once', async () => {
    const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect()
    const other = await startGateway({
      on: gateway,
      env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    })
    const points = async (one: Gateway) =>
      (await one.get('/points/userpoints', { 'cache-control': 'max-age=0' })).json()
    try {
      await vi.waitFor(async () => expect((await other.get('/health')).status).toBe(200), {
        timeout: 10_000,
      })
      expect(await points(gateway)).toEqual({ totalPoints: 0 })
      const key = await vi.waitFor(
        async () => {
          const keys = await client.keys('gateway:answer *')
          return (
            keys.find((one) => one.endsWith(' /points/userpoints')) ??
            expect.fail('it is not in Redis yet')
          )
        },
        { timeout: 10_000 },
      )
      // What one gateway has put there is what the other answers, until the data change.
      await client.set(key, JSON.stringify({ status: 200, json: '{"totalPoints":1}' }))
      expect(await points(other)).toEqual({ totalPoints: 1 })
      await gateway.deps.store.pool.query('UPDATE program SET total_points = 5000000')
      for (const one of [gateway, other])
        await expect.poll(() => points(one)).toEqual({ totalPoints: 5 })
    } finally {
      await other.close()
    }
    client.destroy()
  })

  test('a document that one gateway was sent is known to all', async () => {
    const other = await startGateway({
      on: gateway,
      env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    })
    const query = 'query Shared { program { totalPoints } }'
    const sha256Hash = createHash('sha256').update(query).digest('hex')
    const persisted = async (one: Gateway, body: object) => {
      const response = await fetch(`${one.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...body,
          extensions: { persistedQuery: { version: 1, sha256Hash } },
        }),
      })
      return response.json()
    }
    try {
      await vi.waitFor(async () => expect((await other.get('/health')).status).toBe(200), {
        timeout: 10_000,
      })
      expect(await persisted(other, {})).toHaveProperty('errors')
      expect(await persisted(gateway, { query })).toHaveProperty('data.program')
      expect(await persisted(other, {})).toHaveProperty('data.program')
    } finally {
      await other.close()
    }
  })

  test('nothing breaks when it goes away; health reports it, and it reconnects by itself', async () => {
    redis.kill('SIGKILL')
    await once(redis, 'exit')
    await expect.poll(async () => (await health()).code, { timeout: 10_000 }).toBe(503)
    expect(await health()).toMatchObject({ status: 'error', error: { cache: { status: 'down' } } })
    const response = await gateway.get('/points/userpoints')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ totalPoints: 5 })
    await startRedis()
    await expect.poll(async () => (await health()).code, { timeout: 15_000 }).toBe(200)
  })
})
