import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Gateway, startGateway } from '../support/gateway.ts'

/** Clients that hang up. None of them leaves a line in the log. */

let gateway: Gateway
const lines: Record<string, any>[] = []

beforeAll(async () => {
  gateway = await startGateway({ onLog: (line) => lines.push(line) })
  await gateway.deps.store.pool.query(
    `INSERT INTO "user" SELECT '0x' || lpad(to_hex(i), 40, '0') FROM generate_series(1, 900) i`,
  )
  await vi.waitFor(() => expect(gateway.deps.notifications.connectedUntil).toBeGreaterThan(0))
})
beforeEach(() => {
  lines.length = 0
})
afterAll(() => gateway?.close())

const QUERY = '{ vaults(first: 2) { nodes { name } } runs(first: 1) { nodes { kind } } }'
const CHANGES = 'subscription { dataChanged { version } }'

const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: a', 'cache-control: no-cache', ...headers].join('\r\n')}\r\n\r\n`
function post(query: string, accept: string): string {
  const body = JSON.stringify({ query })
  const headers = [
    `accept: ${accept}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return head('POST', '/graphql', ...headers) + body
}

/** Each reads a table that is locked. */
const requests: Record<string, string> = {
  POST: post(QUERY, 'application/json'),
  'POST, on resolvers': post(QUERY, 'application/json').replace(
    'host: a',
    'host: a\r\nx-graphql-cost: 1',
  ),
  GET: head('GET', `/graphql?query=${encodeURIComponent(QUERY)}`),
  REST: head('GET', '/points/leaderboard'),
  'a query over an event stream': post(QUERY, 'text/event-stream'),
  'a live query': post(
    `subscription { user(address: "0x${'1'.repeat(40)}") { points: totalPoints } }`,
    'text/event-stream',
  ),
  'a subscription': post(
    'subscription { dataChanged { query { vaults { nodes { name } } } } }',
    'text/event-stream',
  ),
}

async function sent(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.base).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

/** The statements of the gateway that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await gateway.deps.store.pool.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length
}

async function isWell(): Promise<void> {
  const { data } = await gateway.graphql('{ dataVersion }')
  expect(data.dataVersion).toMatch(/^\d+$/)
  const open = async () =>
    Number(/^gateway_subscriptions (\d+)$/m.exec(await (await gateway.get('/metrics')).text())?.[1])
  await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 20_000, interval: 100 })
  expect(lines).toEqual([])
}

test.each(Object.entries(requests))('before the answer: %s', async (_, text) => {
  const client = await gateway.deps.store.pool.connect()
  try {
    await client.query('BEGIN; LOCK TABLE account, vault, vault_snapshot')
    const open = [await sent(text), await sent(text)]
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThan(0))
    open[0]?.resetAndDestroy()
    open[1]?.destroy()
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 5000 })
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
  await isWell()
})

test.each(Object.entries(requests))('at any moment: %s', async (_, text) => {
  for (let ms = 0; ms < 30; ms++) {
    const socket = await sent(text)
    await new Promise((resolve) => setTimeout(resolve, ms))
    socket.resetAndDestroy()
  }
  await isWell()
})

test('in the middle of a body', async () => {
  for (const text of [
    post(QUERY, 'application/json'),
    head('POST', '/points/manualupdate', 'content-length: 9'),
  ]) {
    const socket = await sent(text.slice(0, -5))
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.resetAndDestroy()
  }
  await isWell()
})

test.each(['terminate', 'close', 'reset'] as const)(
  'a WebSocket, with many messages on their way: %s',
  async (how) => {
    for (let n = 0; n < 8; n++) {
      const socket = new WebSocket(
        `${gateway.base.replace('http', 'ws')}/graphql`,
        GRAPHQL_TRANSPORT_WS_PROTOCOL,
      )
      socket.on('error', () => {})
      await once(socket, 'open')
      socket.send('{"type":"connection_init"}')
      for (let i = 0; i < 100; i++) {
        const query = n % 2 ? '{ users(first: 90) { nodes { address } } }' : CHANGES
        const live = n % 2 ? `subscription { dataChanged { query ${query} } }` : query
        socket.send(JSON.stringify({ id: String(i), type: 'subscribe', payload: { query: live } }))
      }
      await new Promise((resolve) => setTimeout(resolve, 10 * n))
      if (how === 'reset') (socket as unknown as { _socket: Socket })._socket.resetAndDestroy()
      else socket[how]()
    }
    await isWell()
  },
)
