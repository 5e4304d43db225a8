import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Load } from './load.ts'
import { createDatabase, LONG, load as loadServer, type Server, startServer } from './server.ts'

const WINDOW_MS = LONG ? 20_000 : 4000
const ANONYMOUS = 'GET /points/leaderboard HTTP/1.1\r\nhost: a\r\ncache-control: no-cache\r\n\r\n'

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { SAMPLE_DATA: 'on' } })
})
afterAll(() => server?.close())

const load = (more: Partial<Load>) =>
  loadServer(server, {
    connections: 16,
    requests: [ANONYMOUS],
    warmMs: 4000,
    windowMs: WINDOW_MS,
    ...more,
  })

test('at many times its capacity it serves a part as fast as before, refuses the rest, and answers probes', async () => {
  const calm = await load({ connections: 64 })
  expect(Object.keys(calm.answers)).toEqual(['200'])
  const storm = await load({ connections: 2000, probe: '/livez' })
  const [served, refused] = [storm.answers[200], storm.answers[503]]
  process.stdout.write(`${JSON.stringify({ calm, storm })}\n`)
  expect(Object.keys(storm.answers).sort()).toEqual(['200', '503'])
  expect(served?.count).toBeGreaterThan((calm.answers[200]?.count ?? 0) / 5)
  expect(refused?.count).toBeGreaterThan(0)
  // Thirty times as many clients as at its capacity would wait thirty times as long, if all waited.
  expect(served?.p50).toBeLessThan(6 * (calm.answers[200]?.p50 ?? 0))
  // The slowest wait for the machine, which sends and refuses 20,000 requests too.
  expect(served?.p99).toBeLessThan(3 * (calm.answers[200]?.p99 ?? 0) + 600)
  expect(storm.probe.count).toBeGreaterThan(0)
  expect(storm.probe.max).toBeLessThan(1000)
})

test('a refusal is a problem, or a GraphQL error, with retry-after; afterwards everything is answered', async () => {
  const storm = load({ connections: 1000, windowMs: 6000 })
  const refused = (path: string) =>
    vi.waitFor(
      async () => {
        const all = await Promise.all(
          Array.from({ length: 100 }, () =>
            fetch(server.base + path, { headers: { 'cache-control': 'no-cache' } }),
          ),
        )
        const response = all.find(({ status }) => status === 503)
        expect(response?.headers.get('retry-after')).toBe('1')
        return response?.json()
      },
      { timeout: 10_000, interval: 20 },
    )
  expect(await refused('/pools/all')).toMatchObject({ status: 503 })
  expect(await refused('/graphql?query={dataVersion}')).toMatchObject({
    errors: [{ extensions: { code: 'UNAVAILABLE' } }],
  })
  await storm
  await vi.waitFor(async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, () => fetch(`${server.base}/points/leaderboard`)),
    )
    expect(all.every(({ status }) => status === 200)).toBe(true)
  }, 10_000)
})

test('a burst that it can work off is answered whole', async () => {
  // An overload is over when nothing had to be refused for half a second.
  await sleep(2000)
  const all = await Promise.all(
    Array.from({ length: 500 }, (_, i) =>
      fetch(`${server.base}/points/leaderboard?x=${i}`).then(({ status }) => status),
    ),
  )
  expect(all.filter((status) => status !== 200)).toEqual([])
})

test('slow bodies do not take the slots of others', async () => {
  const small = await startServer({ env: { MAX_CONCURRENT_REQUESTS: '2' } })
  try {
    const { port } = new URL(small.base)
    const sockets = Array.from({ length: 50 }, () =>
      connect(Number(port), '127.0.0.1').on('error', () => {}),
    )
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const socket of sockets)
      socket.write(
        'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{',
      )
    expect((await fetch(`${small.base}/points/leaderboard`)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  } finally {
    await small.close()
  }
})

test('while Postgres is away the log has one line for the outage and one for its end', async () => {
  const database = await createDatabase()
  const target = new URL(database.url)
  const sockets = new Set<Socket>()
  const relay = createServer((socket) => {
    const behind = connect(Number(target.port), target.hostname)
    for (const one of [socket, behind]) sockets.add(one.on('error', () => {}))
    socket.pipe(behind).pipe(socket)
  })
  const listen = async (port: number) => {
    await once(relay.listen(port, '127.0.0.1'), 'listening')
    return (relay.address() as { port: number }).port
  }
  const port = await listen(0)
  const away = () => {
    relay.close()
    for (const socket of sockets) socket.destroy()
  }
  const url = new URL(database.url)
  url.host = `127.0.0.1:${port}`
  const alone = await startServer({ databaseUrl: url.href })
  try {
    away()
    for (let i = 0; i < 30; i++) {
      const response = await fetch(`${alone.base}/points/leaderboard`, {
        headers: { 'cache-control': 'no-cache' },
      })
      expect(response.status).toBe(503)
    }
    await listen(port)
    await vi.waitFor(() => expect(alone.printed()).toContain('the store is back'), {
      timeout: 60_000,
    })
    const lines = alone.printed().split('\n')
    expect(lines.filter((line) => line.includes('the store is away'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('"stack"')).length).toBeLessThan(3)
  } finally {
    await alone.close()
    away()
    await database.drop()
  }
})
