import { once } from 'node:events'
import { connect } from 'node:net'
import { type Client, createClient, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { sampleUser } from '../../src/sample/index.ts'
import { type EventStream, subscribe as open } from '../support/events.ts'
import { ADMIN_TOKEN, type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Subscriptions over WebSockets, by the client of graphql-ws. */

let gateway: Gateway
let clients: Client[] = []
let sockets: WebSocket[] = []
let streams: EventStream[] = []

beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
  await vi.waitFor(() => expect(gateway.deps.notifications.connectedUntil).toBeGreaterThan(0))
})
afterEach(async () => {
  for (const client of clients) await client.dispose()
  for (const socket of sockets) socket.terminate()
  for (const stream of streams) stream.leave()
  clients = []
  sockets = []
  streams = []
  await vi.waitFor(async () => expect(await openAt(gateway)).toBe(0))
})
afterAll(() => gateway?.close())

const urlOf = ({ base }: Gateway) => `${base.replace('http', 'ws')}/graphql`

function clientOf(on: Gateway, options: Partial<Parameters<typeof createClient>[0]> = {}): Client {
  const client = createClient({
    url: urlOf(on),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...options,
  })
  clients.push(client)
  return client
}

const openAt = async (on: Gateway) =>
  Number(/^gateway_subscriptions (\d+)$/m.exec(await (await on.get('/metrics')).text())?.[1])

async function overSse(on: Gateway, query: string): Promise<EventStream> {
  const stream = await open(on, query)
  streams.push(stream)
  return stream
}

/** The results of a subscription, one after another. */
const subscribe = (client: Client, query: string, more: object = {}): AsyncIterableIterator<any> =>
  client.iterate<any>({ query, ...more })

/** The error of a subscription that does not start. */
const errorOf = (client: Client, query: string, more: object = {}): Promise<any> =>
  subscribe(client, query, more)
    .next()
    .then(({ value }) => ({ value }))
    .catch((errors) => (Array.isArray(errors) ? errors[0] : errors))

/** A socket without a client's manners. */
async function rawSocket(
  on: Gateway,
  protocol: string = GRAPHQL_TRANSPORT_WS_PROTOCOL,
): Promise<WebSocket> {
  const socket = new WebSocket(urlOf(on), protocol)
  sockets.push(socket)
  await once(socket, 'open')
  return socket
}

const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message))

async function initialised(on: Gateway): Promise<WebSocket> {
  const socket = await rawSocket(on)
  const acknowledged = messageOf(socket)
  send(socket, { type: 'connection_init' })
  expect(await acknowledged).toBe('{"type":"connection_ack"}')
  return socket
}

const messageOf = async (socket: WebSocket): Promise<string> =>
  String((await once(socket, 'message'))[0])
const closeOf = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0]

const CHANGES = 'subscription { dataChanged { version } }'

test.skipIf(onCitus)(
  'events are those of an event stream, and several subscriptions share a socket',
  async () => {
    const query = `subscription { user(address: "${sampleUser}") { rank points: totalPoints earnings { earningsUsd } } }`
    const stream = await overSse(gateway, query)
    const client = clientOf(gateway)
    const users = subscribe(client, query)
    const changes = subscribe(client, CHANGES)
    expect((await users.next()).value).toEqual(await stream.next())
    const before = (await changes.next()).value.data.dataChanged.version
    await gateway.deps.store.pool.query('UPDATE account SET points = points + 1000000')
    expect(Number((await changes.next()).value.data.dataChanged.version)).toBeGreaterThan(
      Number(before),
    )
    expect((await users.next()).value).toEqual(await stream.next())
    stream.leave()
  },
)

test('a total keeps its decimals beyond 2^33', async () => {
  await gateway.deps.store.pool.query('UPDATE program SET total_points = 12345678901234567')
  const socket = await initialised(gateway)
  const message = messageOf(socket)
  const query = 'subscription { dataChanged { query { program { totalPoints } } } }'
  send(socket, { id: '1', type: 'subscribe', payload: { query } })
  const stream = await overSse(gateway, query)
  await stream.next()
  const [, sent] = /^event: next\ndata: (.*)$/m.exec(stream.text()) ?? []
  expect(await message).toBe(`{"id":"1","type":"next","payload":${sent}}`)
  expect(sent).toContain('12345678901.234567')
  stream.leave()
})

test('mistakes are errors with a code, and take no slot', async () => {
  const client = clientOf(gateway, { lazyCloseTimeout: 10_000 })
  const codes: Record<string, string> = {
    'subscription { user(address: "me") { rank } }': 'BAD_INPUT',
    'subscription { nothing }': 'GRAPHQL_VALIDATION_FAILED',
    'subscription {': 'GRAPHQL_PARSE_FAILED',
    '{ dataVersion }': 'BAD_REQUEST',
    'mutation { __typename }': 'BAD_REQUEST',
    'subscription { leaderboard(first: 1000) { nodes { user { positions(first: 1000) { nodes { points } } } } } }':
      'COST_LIMIT_EXCEEDED',
  }
  for (const [query, code] of Object.entries(codes)) {
    const { message, extensions } = await errorOf(client, query)
    expect([query, message, extensions]).toEqual([
      query,
      expect.any(String),
      expect.objectContaining({ code, requestId: expect.any(String) }),
    ])
    expect(extensions).not.toHaveProperty('http')
  }
  const unknown = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }
  expect(await errorOf(client, '', unknown)).toMatchObject({
    extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
  })
  const variables = { address: Array.from({ length: 20_001 }, () => 1) }
  expect(await errorOf(client, CHANGES, { variables })).toMatchObject({
    extensions: { code: 'BAD_INPUT' },
  })
  expect(await openAt(gateway)).toBe(0)
})

test('a subscription that ends frees its slot, and so does a socket that breaks', async () => {
  const socket = await initialised(gateway)
  for (const id of ['1', '2']) send(socket, { id, type: 'subscribe', payload: { query: CHANGES } })
  await vi.waitFor(async () => expect(await openAt(gateway)).toBe(2))
  send(socket, { id: '1', type: 'complete' })
  await vi.waitFor(async () => expect(await openAt(gateway)).toBe(1))
  socket.terminate()
  await vi.waitFor(async () => expect(await openAt(gateway)).toBe(0))
})

test('a client has as many subscriptions as over event streams, and as many sockets', async () => {
  const small = await startGateway({
    on: gateway,
    env: { MAX_SUBSCRIPTIONS: '3', MAX_SUBSCRIPTIONS_PER_CLIENT: '2' },
  })
  try {
    const stream = await overSse(small, CHANGES)
    const client = clientOf(small)
    await subscribe(client, CHANGES).next()
    expect(await errorOf(client, CHANGES)).toMatchObject({ extensions: { code: 'RATE_LIMITED' } })
    stream.leave()
    await vi.waitFor(async () => expect(await openAt(small)).toBe(1))
    expect((await subscribe(client, CHANGES).next()).value.data.dataChanged.version).toMatch(
      /^\d+$/,
    )
    await initialised(small)
    const refused = new WebSocket(urlOf(small), GRAPHQL_TRANSPORT_WS_PROTOCOL)
    const [, response] = await once(
      refused.on('error', () => {}),
      'unexpected-response',
    )
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '10'])
    expect(JSON.parse(String(await once(response, 'data')))).toMatchObject({
      errors: [
        {
          message:
            'You have 2 open sockets, which is what one client may have. End one of them first.',
        },
      ],
    })
  } finally {
    for (const one of clients) await one.dispose()
    await small.close()
  }
})

test('a subscription is charged as an event stream is', async () => {
  const limited = await startGateway({ on: gateway, env: { RATE_LIMIT: '300' } })
  try {
    const client = clientOf(limited)
    const query = 'subscription { leaderboard(first: 90) { nodes { points } } }'
    await subscribe(client, query).next()
    expect(await errorOf(client, query)).toMatchObject({ extensions: { code: 'RATE_LIMITED' } })
  } finally {
    for (const one of clients) await one.dispose()
    await limited.close()
  }
})

test('only trusted documents, where nothing else is taken', async () => {
  const strict = await startGateway({ on: gateway, env: { TRUSTED_DOCUMENTS_ONLY: 'true' } })
  try {
    expect(await errorOf(clientOf(strict), CHANGES)).toMatchObject({
      extensions: { code: 'DOCUMENT_NOT_TRUSTED' },
    })
  } finally {
    for (const one of clients) await one.dispose()
    await strict.close()
  }
})

test('what only an admin may select takes the token of the connection', async () => {
  const query = 'subscription { dataChanged { query { previewDistribution { kind } } } }'
  const { value } = await subscribe(clientOf(gateway), query).next()
  expect(value.errors[0].extensions.code).toBe('UNAUTHENTICATED')
  const admin = clientOf(gateway, { connectionParams: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  const { value: allowed } = await subscribe(admin, query).next()
  expect(allowed.data.dataChanged.query.previewDistribution).toEqual({ kind: 'RESYNC' })
})

test('a message that is too long, or none of the protocol, ends the socket', async () => {
  const long = await initialised(gateway)
  long.send(
    JSON.stringify({
      id: '1',
      type: 'subscribe',
      payload: { query: `${CHANGES}#${' '.repeat(65_536)}` },
    }),
  )
  expect(await closeOf(long)).toBe(1009)
  const broken = await initialised(gateway)
  broken.send('{')
  expect(await closeOf(broken)).toBe(4400)
  const early = await rawSocket(gateway)
  send(early, { id: '1', type: 'subscribe', payload: { query: CHANGES } })
  expect(await closeOf(early)).toBe(4401)
  const twice = await initialised(gateway)
  for (let i = 0; i < 2; i++)
    send(twice, { id: '1', type: 'subscribe', payload: { query: CHANGES } })
  expect(await closeOf(twice)).toBe(4409)
  expect(await closeOf(await rawSocket(gateway))).toBe(4408)
})

test('a socket without a subscription is closed, one with a subscription stays', async () => {
  const quick = await startGateway({ on: gateway, env: { KEEP_ALIVE_TIMEOUT_MS: '200' } })
  try {
    const subscribed = await initialised(quick)
    send(subscribed, { id: '1', type: 'subscribe', payload: { query: CHANGES } })
    await once(subscribed, 'message')
    for (let i = 0; i < 2; i++) expect(await closeOf(await initialised(quick))).toBe(1000)
    expect(subscribed.readyState).toBe(WebSocket.OPEN)
    subscribed.terminate()
  } finally {
    await quick.close()
  }
})

test('a socket of mistakes is closed, and one that corrects them stays', async () => {
  const socket = await initialised(gateway)
  const messages: any[] = []
  socket.on('message', (message) => messages.push(JSON.parse(String(message))))
  const mistaken = (id: number) =>
    send(socket, { id: `m${id}`, type: 'subscribe', payload: { query: `{ no${id} }` } })
  for (let i = 0; i < 9; i++) mistaken(i)
  send(socket, { id: 'right', type: 'subscribe', payload: { query: CHANGES } })
  for (let i = 10; i < 19; i++) mistaken(i)
  await vi.waitFor(() => expect(messages.filter(({ type }) => type === 'error')).toHaveLength(18))
  expect(messages.filter(({ type }) => type === 'next')).toHaveLength(1)
  expect(socket.readyState).toBe(WebSocket.OPEN)
  const closed = once(socket, 'close')
  for (let i = 20; i < 200; i++) mistaken(i)
  const [code, reason] = await closed
  expect([code, String(reason)]).toEqual([
    4400,
    '10 mistakes in a row. Correct them, then connect again.',
  ])
  expect(messages.filter(({ type }) => type === 'error')).toHaveLength(19)
})

test('messages are answered in their order, one at a time', async () => {
  const small = await startGateway({ on: gateway, env: { MAX_CONCURRENT_REQUESTS: '1' } })
  try {
    const socket = await initialised(small)
    const ids: string[] = []
    socket.on('message', (message) => {
      const { id, type } = JSON.parse(String(message))
      ids.push(`${type} ${id ?? ''}`)
    })
    const wanted: string[] = []
    for (let i = 0; i < 9; i++) {
      const filler = '#'.repeat(30_000)
      send(socket, {
        id: String(i),
        type: 'subscribe',
        payload: { query: `{ nothing } ${filler}` },
      })
      send(socket, { type: 'ping' })
      wanted.push(`error ${i}`, 'pong ')
    }
    await vi.waitFor(() => expect(ids).toEqual(wanted), { timeout: 60_000 })
  } finally {
    await small.close()
  }
})

test('a message that only a server may send ends the socket, and is not logged', async () => {
  const lines: object[] = []
  const logging = await startGateway({
    on: gateway,
    onLog: (line) => line.level > 30 && lines.push(line),
  })
  try {
    for (const type of ['next', 'error', 'connection_ack']) {
      const socket = await initialised(logging)
      send(socket, { id: '1', type, payload: type === 'error' ? [{ message: '' }] : {} })
      expect(await closeOf(socket)).toBe(4400)
    }
    expect(lines).toEqual([])
  } finally {
    await logging.close()
  }
})

test('a gateway that closes ends its sockets, and their clients go to the next', async () => {
  const closing = await startGateway({ on: gateway })
  const socket = await initialised(closing)
  const messages: string[] = []
  socket.on('message', (message) => messages.push(String(message)))
  send(socket, { id: '1', type: 'subscribe', payload: { query: CHANGES } })
  await vi.waitFor(() => expect(messages).toHaveLength(1))
  const silent = await initialised(closing)
  silent.pause()
  const code = closeOf(socket)
  await closing.close()
  expect(await code).toBe(1001)
  expect(messages).toHaveLength(1)
  silent.resume()
  await closeOf(silent)
})

test('other offers to upgrade a connection are ignored, as they may be', async () => {
  const { port } = new URL(gateway.base)
  const query = JSON.stringify({ query: '{ dataVersion }' })
  const offer =
    'connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQ\r\n'
  const json = `content-type: application/json\r\ncontent-length: ${query.length}\r\n`
  const requests = [
    `GET /livez HTTP/1.1\r\nhost: a\r\n${offer}\r\n`,
    `POST /graphql HTTP/1.1\r\nhost: a\r\n${offer}${json}\r\n${query}`,
    'GET /points/leaderboard HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'GET /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  ]
  const socket = connect(Number(port), '127.0.0.1')
  let answers = ''
  socket.on('data', (data) => {
    answers += data
  })
  const statuses = () => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  for (const [i, request] of requests.entries()) {
    socket.write(request)
    await vi.waitFor(() => expect(statuses()).toHaveLength(i + 1))
  }
  await vi.waitFor(() => expect(socket.readableEnded).toBe(true))
  expect(statuses()).toEqual(['200', '200', '200', '404'])
  expect(answers).toMatch(/\{"data":\{"dataVersion":"\d+"\}\}/)
})
