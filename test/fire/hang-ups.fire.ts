import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { LONG, query, type Server, startServer } from './server.ts'

const COUNT = LONG ? 300 : 40

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { LOG_REQUESTS: 'off' } })
  await query(
    server.databaseUrl,
    `INSERT INTO "user" SELECT '0x' || lpad(to_hex(i), 40, '0') FROM generate_series(1, 900) i`,
  )
})
afterAll(() => server?.close())

const QUERY =
  '{ users(first: 500) { nodes { earnings { earningsUsd } netApr { earnNetApr: netDepositApr } } } }'

function post(text: string, accept: string): string {
  const body = JSON.stringify({ query: text })
  const headers = `accept: ${accept}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  return `POST /graphql HTTP/1.1\r\nhost: a\r\ncache-control: no-cache\r\n${headers}\r\n\r\n${body}`
}

/** True if it serves, and has logged nothing since. */
async function isWell(printed: string): Promise<void> {
  await sleep(500)
  expect((await fetch(`${server.base}/livez`)).status).toBe(200)
  expect(server.printed().slice(printed.length)).toBe('')
}

test.each([
  ['a query', post(QUERY, 'application/json')],
  ['a query over an event stream', post(QUERY, 'text/event-stream')],
  ['a subscription', post('subscription { dataChanged { version } }', 'text/event-stream')],
  ['half a body', post(QUERY, 'application/json').slice(0, -20)],
])(
  'clients that hang up at any moment of %s do not end the gateway, and leave nothing in its log',
  async (_, text) => {
    const printed = server.printed()
    for (let i = 0; i < COUNT; i++) {
      const socket = connect(Number(new URL(server.base).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.on('error', () => {})
      socket.write(text)
      await sleep(i % 40)
      socket.resetAndDestroy()
    }
    await isWell(printed)
  },
)

test('so do clients that hang up a WebSocket with messages on their way', async () => {
  const printed = server.printed()
  for (let i = 0; i < COUNT; i++) {
    const socket = new WebSocket(
      `${server.base.replace('http', 'ws')}/graphql`,
      GRAPHQL_TRANSPORT_WS_PROTOCOL,
    )
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    const text = i % 2 ? '{ nothing }' : 'subscription { dataChanged { version } }'
    for (let id = 0; id < 300; id++)
      socket.send(
        JSON.stringify({ id: `${id}`, type: 'subscribe', payload: { query: `${text} #${id}` } }),
      )
    if (i % 3 === 0) socket.pause()
    await sleep(20 + (i % 60))
    ;(socket as unknown as { _socket: Socket })._socket.resetAndDestroy()
  }
  await isWell(printed)
})
