import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start } from '../support/command-line.ts'
import { ADMIN_TOKEN, type Server, startServer } from './server.ts'

const hostile = new Worker(join(import.meta.dirname, 'hostile-source.mjs'))
const heard = async () => (await once(hostile, 'message'))[0]
const open = () => {
  hostile.postMessage('open')
  return heard()
}

let base: string
let server: Server
const env = () => ({
  POSITIONS_SOURCE: `${base}/data`,
  POSITIONS_SOURCE_FORMAT: 'files',
  SOURCE_TIMEOUT_MS: '20000',
  SOURCE_RETRIES: '0',
  SOURCE_MAX_FETCH_BYTES: String(256 * 1024 * 1024),
  SOURCE_MAX_FETCH_RECORDS: '50000000',
  SOURCE_MAX_FETCH_SECONDS: '8',
})

beforeAll(async () => {
  base = await heard()
  server = await startServer({ env: env() })
})
afterAll(async () => {
  await server?.close()
  await hostile.terminate()
})

const run = async () => {
  const response = await fetch(`${server.base}/points/manualupdate?date=2026-03-02`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  return { status: response.status, detail: ((await response.json()) as { detail: string }).detail }
}

describe('a source that sends', () => {
  test.each([
    [
      'blank lines',
      /it (has more than 50000000 records|sent more than 268435456 bytes|took longer than 8 seconds), the/,
    ],
    ['one line', /positions\.jsonl:1: is longer than 1048576 bytes/],
    [
      'a gzip bomb',
      /it (has more than 50000000 records|sent more than 268435456 bytes|took longer than 8 seconds), the/,
    ],
    [
      'empty gzip members',
      /it (sent more than 268435456 bytes|took longer than 8 seconds), the limit of SOURCE_MAX/,
    ],
    ['40 bytes a second', /it took longer than 8 seconds, the limit of SOURCE_MAX_FETCH_SECONDS/],
    ['silence', /it took longer than 8 seconds, the limit of SOURCE_MAX_FETCH_SECONDS/],
  ])('%s ends its run, and nothing else', async (kind, reason) => {
    hostile.postMessage(kind)
    let isOver = false
    const running = run().finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver) {
      const began = performance.now()
      expect((await fetch(`${server.base}/livez`)).status).toBe(200)
      waits.push(performance.now() - began)
      await sleep(50)
    }
    const { status, detail } = await running
    expect(detail).toMatch(reason)
    expect(status).toBe(502)
    waits.sort((a, b) => a - b)
    expect(waits[Math.floor(waits.length * 0.9)]).toBeLessThan(300)
    await expect.poll(open).toBe(0)
    hostile.postMessage('one line')
    expect((await run()).status).toBe(502)
  })

  test('blank lines does not keep a gateway from ending', async () => {
    hostile.postMessage('blank lines')
    const other = await startServer({ env: env() })
    const running = fetch(`${other.base}/points/manualupdate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    }).catch(() => undefined)
    await expect.poll(open).toBe(1)
    const began = performance.now()
    await other.stop('SIGTERM')
    expect(performance.now() - began).toBeLessThan(8000)
    await running
    await other.close()
  })
})

describe('Ctrl-C ends at once', () => {
  test.each([
    ['manualupdate', 'silence'],
    ['manualupdate', 'blank lines'],
    ['import', 'silence'],
  ])('%s, while a source sends %s', async (name, kind) => {
    hostile.postMessage(kind)
    const args = name === 'import' ? [name, `${base}/data`] : [name]
    await interrupted(args, env(), async () => (await open()) === 1)
  })

  test('update, while a Postgres accepts connections and stalls', async () => {
    let connections = 0
    const silent = createServer(() => {
      connections++
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const mapping = join(await mkdtemp(join(tmpdir(), 'fire-mapping-')), 'mapping.json')
    await writeFile(mapping, JSON.stringify({ 'market-snapshots': { query: 'SELECT 1' } }))
    const settings = {
      ANALYTICS_SOURCE: `postgres://127.0.0.1:${port}/x`,
      ANALYTICS_MAPPING: mapping,
    }
    await interrupted(['update', 'market-snapshots'], settings, async () => connections > 0)
    silent.close()
  })

  async function interrupted(
    args: string[],
    settings: Record<string, string>,
    isWaiting: () => Promise<boolean>,
  ) {
    const started = start(args, {
      ...settings,
      DATABASE_URL: server.databaseUrl,
      LOG_LEVEL: 'warn',
    })
    await expect.poll(isWaiting, { timeout: 60_000 }).toBe(true)
    const began = performance.now()
    expect(await started.stop('SIGINT')).toBe(130)
    expect(performance.now() - began).toBeLessThan(3000)
    expect(started.printed()).toContain('Interrupted: unfinished work has changed nothing.')
  }
})
