import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { subscribe } from '../support/events.ts'
import { LONG, memoryOf, query, type Server, startServer } from './server.ts'

const CLIENTS = LONG ? 2000 : 200
const TIMEOUT_MS = 3000

let server: Server
const sockets: Socket[] = []

beforeAll(async () => {
  server = await startServer({
    env: {
      REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
      SEND_TIMEOUT_MS: String(TIMEOUT_MS),
      MAX_CONNECTIONS: '5000',
    },
  })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await server.close()
})

/** Opens connections and sends the same on each. They read what comes unless they are `deaf`. */
async function open(count: number, text: string, { deaf = false } = {}) {
  const opened = Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(server.base).port), '127.0.0.1')
    socket.on('error', () => {})
    let received = ''
    if (!deaf) socket.on('data', (bytes) => (received += bytes.toString('latin1')))
    return { socket, received: () => received }
  })
  sockets.push(...opened.map(({ socket }) => socket))
  await Promise.all(opened.map(({ socket }) => once(socket, 'connect')))
  if (text !== '') for (const { socket } of opened) socket.write(text)
  return opened
}

/** Waits until the server has ended all of them. */
const ended = (opened: { socket: Socket }[]) =>
  vi.waitFor(() => expect(opened.filter(({ socket }) => !socket.closed)).toHaveLength(0), {
    timeout: 10 * TIMEOUT_MS,
    interval: 100,
  })

async function isWell() {
  const response = await fetch(`${server.base}/points/leaderboard`, {
    headers: { 'cache-control': 'no-cache' },
  })
  expect(response.status).toBe(200)
}

test('bodies that are nearly sent fill no memory, and hold up no request without one', async () => {
  const before = await memoryOf(server.pid)
  const megabyte = 1024 * 1024
  const head = `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${megabyte}\r\n\r\n`
  await open(2 * CLIENTS, head + ' '.repeat(megabyte - 1))
  const post = () =>
    fetch(`${server.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ dataVersion }"}',
    })
  await vi.waitFor(async () => expect((await post()).status).toBe(503), {
    timeout: TIMEOUT_MS,
    interval: 20,
  })
  await isWell()
  expect((await memoryOf(server.pid)) - before).toBeLessThan(300 * megabyte)
  await vi.waitFor(async () => expect((await post()).status).toBe(200), {
    timeout: 10 * TIMEOUT_MS,
    interval: 100,
  })
})

test('a body that does not arrive is a 408, and its connection ends', async () => {
  const head =
    'POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{'
  const opened = await open(CLIENTS, head)
  const trickle = setInterval(() => {
    for (const { socket } of opened) if (socket.writable) socket.write(' ')
  }, 200)
  await isWell()
  await ended(opened)
  clearInterval(trickle)
  for (const { received } of opened) expect(received()).toMatch(/^HTTP\/1.1 408 /)
})

test('so are headers that do not arrive, and idle connections', async () => {
  const opened = [
    ...(await open(CLIENTS, 'GET / HTTP/1.1\r\nhost: a\r\n')),
    ...(await open(CLIENTS, '')),
  ]
  await isWell()
  await ended(opened)
})

test('answers that are not read are cut, and hold no more memory than they may', async () => {
  const before = await memoryOf(server.pid)
  // Each wants more than the buffers of the kernel take.
  const request = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'
  const opened = await open(LONG ? 300 : 30, request.repeat(100), { deaf: true })
  await isWell()
  for (const { socket } of opened) socket.pause()
  await vi.waitFor(
    async () => {
      const metrics = await (await fetch(`${server.base}/metrics`)).text()
      expect(metrics).toContain('gateway_connections')
      expect(Number(/^gateway_connections (\d+)/m.exec(metrics)?.[1])).toBeLessThan(10)
    },
    { timeout: 10 * TIMEOUT_MS, interval: 200 },
  )
  expect((await memoryOf(server.pid)) - before).toBeLessThan(500 * 1024 * 1024)
  await isWell()
})

test('what all clients together leave unread has a bound', async () => {
  const patient = await startServer({ env: { SEND_TIMEOUT_MS: '3600000', MAX_QUERY_ALIASES: '0' } })
  try {
    await query(
      patient.databaseUrl,
      `INSERT INTO "user" SELECT '0x' || lpad(to_hex(i), 40, '0') FROM generate_series(1, 1000) i`,
    )
    const repeat = (count: number, of: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => of(i)).join(' ')
    const lists = repeat(20, (i) => `l${i}:users(first:1000){nodes{...F}}`)
    const path = `/graphql?query=${encodeURIComponent(`{${lists}}fragment F on User{${repeat(24, (i) => `a${i}:address`)}}`)}`
    const bytes = (await (await fetch(patient.base + path)).arrayBuffer()).byteLength
    expect(bytes).toBeGreaterThan(20 * 2 ** 20)
    // Twice as much as the bound, and what the kernel takes with it.
    const count = Math.ceil((2 * 256 * 2 ** 20) / bytes)
    const port = Number(new URL(patient.base).port)
    const opened = Array.from({ length: count }, () =>
      connect(port, '127.0.0.1').on('error', () => {}),
    )
    sockets.push(...opened)
    for (const socket of opened) socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    const connections = async () => {
      const metrics = await (await fetch(`${patient.base}/metrics`)).text()
      return Number(/^gateway_connections (\d+)/m.exec(metrics)?.[1])
    }
    await vi.waitFor(async () => expect(await connections()).toBeGreaterThan(count), {
      timeout: 10_000,
    })
    await vi.waitFor(async () => expect(await connections()).toBeLessThan(0.75 * count), {
      timeout: 30_000,
      interval: 200,
    })
  } finally {
    await patient.close()
  }
})

test('an event stream that says nothing for longer stays', async () => {
  const stream = await subscribe(server, 'subscription { dataChanged { version } }')
  await stream.next()
  await sleep(2.5 * TIMEOUT_MS)
  expect(stream.ended()).toBe(false)
  stream.leave()
})

test('a connection over the limit gets a 503, and probes are answered on it', async () => {
  const small = await startServer({ env: { MAX_CONNECTIONS: '20' } })
  const port = Number(new URL(small.base).port)
  const open = (count: number) =>
    Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}))
  const idle = open(20)
  try {
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    const response = await fetch(`${small.base}/points/leaderboard`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await response.json()).toMatchObject({
      status: 503,
      detail: expect.stringContaining('connections'),
    })
    expect((await fetch(`${small.base}/health`)).status).toBe(200)
    // A tenth more are accepted and get a 503. The others are closed.
    idle.push(...open(60))
    for (const socket of idle) socket.resume()
    await vi.waitFor(
      () => expect(idle.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(22),
      10_000,
    )
    for (const socket of idle.splice(0)) socket.destroy()
    await vi.waitFor(async () =>
      expect((await fetch(`${small.base}/points/leaderboard`)).status).toBe(200),
    )
  } finally {
    for (const socket of idle) socket.destroy()
    await small.close()
  }
})

test('3,000 idle connections and 900 event streams that are not read are no problem', async () => {
  const large = await startServer({ env: { REQUEST_TIMEOUT_MS: '3600000' } })
  const port = Number(new URL(large.base).port)
  const open = async (count: number, text: string) => {
    const opened = Array.from({ length: count }, () =>
      connect(port, '127.0.0.1').on('error', () => {}),
    )
    sockets.push(...opened)
    await Promise.all(opened.map((socket) => once(socket, 'connect')))
    if (text) for (const socket of opened) socket.write(text)
    return opened
  }
  try {
    const query = encodeURIComponent('subscription { dataChanged { version } }')
    await open(3000, '')
    const streams = await open(
      900,
      `GET /graphql?query=${query} HTTP/1.1\r\nhost: a\r\naccept: text/event-stream\r\n\r\n`,
    )
    for (const socket of streams) socket.pause()
    await vi.waitFor(
      async () => {
        const metrics = await (await fetch(`${large.base}/metrics`)).text()
        expect(metrics).toMatch(/^gateway_subscriptions 900$/m)
      },
      { timeout: 60_000, interval: 200 },
    )
    const response = await fetch(`${large.base}/points/leaderboard`, {
      headers: { 'cache-control': 'no-cache' },
    })
    expect(response.status).toBe(200)
  } finally {
    for (const socket of sockets.splice(0)) socket.destroy()
    await large.close()
  }
})
