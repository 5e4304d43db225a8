import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { LONG, type Server, startServer } from './server.ts'

/** How long a probe may take while sockets are flooded. */
const PROBE_MS = 1000

let server: Server
let sockets: WebSocket[] = []
beforeAll(async () => {
  server = await startServer()
})
afterEach(() => {
  for (const socket of sockets) socket.terminate()
  sockets = []
})
afterAll(() => server?.close())

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(
    `${server.base.replace('http', 'ws')}/graphql`,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
  )
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  return socket
}

const subscribe = (id: number, query: string) =>
  JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } })

/** The slowest of some probes: `/health` is answered, whatever else is sent. */
async function slowestProbe(count = 8): Promise<number> {
  let slowest = 0
  for (let i = 0; i < count; i++) {
    const since = performance.now()
    expect((await fetch(`${server.base}/health`)).status).toBe(200)
    slowest = Math.max(slowest, performance.now() - since)
    await sleep(50)
  }
  return slowest
}

test('20,000 mistakes on one socket hold up nobody, and its socket is closed', async () => {
  const socket = await open()
  let answers = 0
  socket.on('message', () => answers++)
  const closed = once(socket, 'close')
  for (let i = 0; i < 20_000; i++) socket.send(subscribe(i, `subscription { nothing${i} }`))
  expect(await slowestProbe()).toBeLessThan(PROBE_MS)
  expect((await closed)[0]).toBe(4400)
  expect(answers).toBe(10)
})

test('messages that are no mistakes are read one at a time', async () => {
  const flooded = await Promise.all(Array.from({ length: LONG ? 40 : 8 }, open))
  let started = 0
  for (const socket of flooded) {
    socket.on('message', (message) => {
      const { id, type } = JSON.parse(String(message))
      if (type === 'next') started++
      // It frees its slot, so that the next one starts.
      if (type === 'next') socket.send(JSON.stringify({ id, type: 'complete' }))
    })
    for (let i = 0; i < 2000; i++)
      socket.send(
        subscribe(
          i,
          `subscription { dataChanged { version ${`v${i}: version `.repeat(20).trim()} } }`,
        ),
      )
  }
  expect(await slowestProbe()).toBeLessThan(PROBE_MS)
  expect(started).toBeGreaterThan(0)
})
