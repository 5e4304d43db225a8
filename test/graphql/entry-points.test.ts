import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { REFUSALS } from '../../src/errors.ts'
import { type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Every limit, and what a client may do wrong, at every entry point. */

interface Operation {
  /** What is selected of the query. A subscription selects the same of `dataChanged.query`. */
  selection?: string
  fragments?: string
  /** The definitions of its variables. */
  definitions?: string
  variables?: object
  operationName?: string | null
  /** Sent in place of the document. */
  documentId?: string
  /** The hash of a persisted query, with its document or in place of it. */
  hash?: string
  hashAlone?: boolean
  /** A path of REST that does as much. */
  path?: string
}

interface Answer {
  /** An HTTP status, or the code that a WebSocket is closed with. */
  status?: number | undefined
  code?: string | undefined
  message?: string | undefined
  /** Where the first error is in the answer and in the document. */
  path?: unknown
  locations?: unknown
  data?: unknown
}

type Send = (on: Gateway, operation: Operation) => Promise<Answer>

const bodyOf = (
  { selection = 'dataVersion', ...operation }: Operation,
  kind: 'query' | 'subscription',
) => {
  const {
    fragments = '',
    definitions = '',
    operationName,
    variables,
    documentId,
    hash,
    hashAlone,
  } = operation
  const selected = kind === 'query' ? selection : `dataChanged { query { ${selection} } }`
  return {
    ...(documentId || hashAlone
      ? {}
      : { query: `${kind} Asked${definitions} { ${selected} } ${fragments}` }),
    ...(documentId !== undefined && { documentId }),
    ...(operationName !== undefined && { operationName }),
    ...(variables && { variables }),
    ...(hash && { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }),
  }
}

/** Sends a request on a connection that it opens. */
async function send(on: Gateway, path: string, init: RequestInit = {}): Promise<Answer> {
  const { method = 'GET', headers, body } = init
  const sent = request(on.base + path, {
    method,
    headers: headers as Record<string, string>,
    agent: false,
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    // Of an event stream, the first event.
    if (/^event: next\ndata: .*\n\n/m.test(text)) break
  }
  const json = text.startsWith('{') ? text : (/^event: next\ndata: (.*)$/m.exec(text)?.[1] ?? '{}')
  return { status: response.statusCode, ...errorOf(JSON.parse(json)) }
}

function errorOf({
  errors,
  data,
  detail,
}: {
  errors?: any[]
  data?: unknown
  detail?: string
}): Answer {
  if (detail !== undefined) return { message: detail }
  const { message, path, locations, extensions } = errors?.[0] ?? {}
  return { code: extensions?.code, message, path, locations, data }
}

const ignored = { 'cache-control': 'no-cache' }
const json = { ...ignored, 'content-type': 'application/json' }
const post = (accept: string, kind: 'query' | 'subscription', headers = {}): Send => {
  return (on, operation) =>
    send(on, '/graphql', {
      method: 'POST',
      headers: { ...json, ...headers, accept },
      body: JSON.stringify(bodyOf(operation, kind)),
    })
}

const parameters = (operation: Operation) =>
  new URLSearchParams(
    Object.entries(bodyOf(operation, 'query'))
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )

const GRAPHQL: Record<string, Send> = {
  'a POST': post('application/json', 'query'),
  'a POST that Yoga handles': post('application/json', 'query', { 'x-graphql-cost': '1' }),
  'a form': (on, operation) =>
    send(on, '/graphql', {
      method: 'POST',
      headers: {
        ...ignored,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: String(parameters(operation)),
    }),
  'a GET': (on, operation) => send(on, `/graphql?${parameters(operation)}`, { headers: ignored }),
  'a query over an event stream': post('text/event-stream', 'query'),
  'a subscription over an event stream': post('text/event-stream', 'subscription'),
  async 'a WebSocket'(on, operation) {
    const socket = new WebSocket(
      `${on.base.replace('http', 'ws')}/graphql`,
      GRAPHQL_TRANSPORT_WS_PROTOCOL,
    )
    try {
      const refused = new Promise<Answer>((resolve) =>
        socket.once('unexpected-response', async (_, response) => {
          const [text] = await once(response, 'data')
          resolve({ status: response.statusCode, ...errorOf(JSON.parse(String(text))) })
        }),
      )
      const closed = new Promise<Answer>((resolve) =>
        socket.once('close', (code, reason) => resolve({ status: code, message: String(reason) })),
      )
      const rejected = await Promise.race([refused, once(socket, 'open').then(() => undefined)])
      if (rejected) return rejected
      socket.send('{"type":"connection_init"}')
      await once(socket, 'message')
      const answered = once(socket, 'message').then(([text]): Answer => {
        const { type, payload } = JSON.parse(String(text))
        return errorOf(type === 'error' ? { errors: payload } : payload)
      })
      const { query = '', ...payload } = bodyOf(operation, 'subscription') as { query?: string }
      const extensions = {
        ...('extensions' in payload ? (payload.extensions as object) : {}),
        ...documentIdOf(payload),
      }
      socket.send(
        JSON.stringify({ id: '1', type: 'subscribe', payload: { ...payload, query, extensions } }),
      )
      return await Promise.race([answered, closed])
    } finally {
      socket.terminate()
    }
  },
}

/** By the protocol of WebSockets, a message has no other place for it. */
const documentIdOf = ({ documentId }: { documentId?: unknown }) =>
  documentId === undefined ? {} : { documentId }

const REST: Send = (on, { path = '/points/leaderboard' }) => send(on, path, { headers: ignored })

interface Limit {
  env?: Record<string, string>
  operation?: Operation
  code: string
  message: RegExp
  /**
   * The status of REST. Undefined if clients of REST do not choose what is limited: its answer is a
   * 200.
   */
  rest?: number
  /** Entry points where a client meets another limit before. */
  other?: Record<string, Answer>
  /** Done before the first request; returns what ends it. */
  before?(on: Gateway): Promise<() => unknown>
}

const many = (count: number, one: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ')
const HASH = 'a'.repeat(64)
const CLOSE_TOO_LONG = { status: 1009 }

/** Opens connections that stay. */
async function connections(on: Gateway, count: number) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(new URL(on.base).port), '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  return () => sockets.forEach((socket) => void socket.destroy())
}

/** Locks the tables that the operation reads. */
async function lock(on: Gateway) {
  const client = await on.deps.store.pool.connect()
  await client.query('BEGIN; LOCK TABLE account, program IN ACCESS EXCLUSIVE MODE')
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

const LEADERBOARD = 'leaderboard(first: 40) { nodes { points rank user { address } } }'

const LIMITS: Record<string, Limit> = {
  'tokens (MAX_QUERY_TOKENS)': {
    operation: { selection: many(1500, (i) => `a${i}: dataVersion`) },
    code: 'TOKEN_LIMIT_EXCEEDED',
    message: /more than 2,000 tokens/,
    other: { 'a GET': { status: 431 } },
  },
  'tokens of a short document': {
    env: { MAX_QUERY_TOKENS: '30' },
    operation: { selection: many(30, (i) => `a${i}: dataVersion`) },
    code: 'TOKEN_LIMIT_EXCEEDED',
    message: /more than 30 tokens/,
  },
  'aliases (MAX_QUERY_ALIASES)': {
    operation: { selection: many(101, (i) => `a${i}: dataVersion`) },
    code: 'ALIAS_LIMIT_EXCEEDED',
    message: /has 101 aliases, at most 100/,
  },
  'depth (MAX_QUERY_DEPTH)': {
    operation: {
      selection: `pools { nodes { ${'marketA { pool { '.repeat(8)} name ${'} }'.repeat(8)} } }`,
    },
    code: 'DEPTH_LIMIT_EXCEEDED',
    message: /levels deep, at most 15/,
  },
  'what fragments add': {
    operation: {
      selection: 'program { ...F0 }',
      fragments: many(30, (i) => `fragment F${i} on Program { ...F${i + 1} ...F${i + 1} }`).concat(
        ' fragment F30 on Program { totalPoints }',
      ),
    },
    code: 'SELECTION_LIMIT_EXCEEDED',
    message: /fragments add/,
  },
  'one field, again and again': {
    operation: { selection: 'dataVersion '.repeat(60) },
    code: 'SELECTION_LIMIT_EXCEEDED',
    message: /selects one field 60 times/,
  },
  'cost (MAX_QUERY_COST)': {
    operation: {
      selection: 'users(first: 1000) { nodes { positions(first: 1000) { nodes { points } } } }',
    },
    code: 'COST_LIMIT_EXCEEDED',
    message: /costs 1,00\d,\d+, at most 100,000/,
  },
  'cost by variables': {
    operation: {
      selection: 'users(first: $n) { nodes { positions(first: $n) { nodes { points } } } }',
      definitions: '($n: Int!)',
      variables: { n: 1000 },
    },
    code: 'COST_LIMIT_EXCEEDED',
    message: /costs 1,00\d,\d+, at most 100,000/,
  },
  introspection: {
    operation: {
      selection: many(50, (i) => `a${i}: __schema { types { fields { type { name } } } }`),
    },
    code: 'COST_LIMIT_EXCEEDED',
    message: /fields of the schema's description/,
  },
  'values of variables': {
    operation: { variables: { list: Array(20_001).fill(1) } },
    code: 'BAD_INPUT',
    message: /more than 20,000 values/,
    other: { 'a GET': { status: 431 } },
  },
  'objects in variables': {
    operation: { variables: { list: Array(1001).fill({}) } },
    code: 'BAD_INPUT',
    message: /more than 1,000 objects/,
  },
  'nesting of variables': {
    operation: { variables: JSON.parse(`{"a":${'{"a":'.repeat(101)}1${'}'.repeat(101)}}`) },
    code: 'BAD_INPUT',
    message: /more than 100 levels deep/,
  },
  'a filter of everything': {
    operation: { selection: `positions(where: { points: { gt: 1 } }) { totalCount }` },
    code: 'BAD_INPUT',
    message: /./,
  },
  'bytes of a request': {
    operation: { selection: `dataVersion #${' '.repeat(1024 * 1024)}\n` },
    code: 'BAD_REQUEST',
    message: /./,
    other: {
      ...Object.fromEntries(Object.keys(GRAPHQL).map((name) => [name, { status: 413 }])),
      'a GET': { status: 431 },
      'a WebSocket': CLOSE_TOO_LONG,
    },
  },
  'the name of an operation': {
    operation: { operationName: 'Other' },
    code: 'OPERATION_RESOLUTION_FAILURE',
    message: /has no operation Other\. Send operationName as one of: Asked\./,
  },
  'several operations': {
    operation: { fragments: 'query More { dataVersion }' },
    code: 'OPERATION_RESOLUTION_FAILURE',
    message: /has 2 operations.*one of: Asked, More\./,
  },
  'documents by id': {
    operation: { documentId: `sha256:${HASH}` },
    code: 'DOCUMENT_NOT_KNOWN',
    message: /no trusted document/,
  },
  'persisted queries': {
    operation: { hash: HASH, hashAlone: true },
    code: 'PERSISTED_QUERY_NOT_FOUND',
    message: /./,
  },
  'persisted queries of another hash': {
    operation: { hash: HASH },
    code: 'PERSISTED_QUERY_HASH_MISMATCH',
    message: /./,
  },
  'trust in documents (TRUSTED_DOCUMENTS_ONLY)': {
    env: { TRUSTED_DOCUMENTS_ONLY: 'true' },
    code: 'DOCUMENT_NOT_TRUSTED',
    message: /./,
  },
  'who may change and preview': {
    operation: { selection: 'previewDistribution { kind }' },
    code: 'UNAUTHENTICATED',
    message: /./,
  },
  'the rate of requests (RATE_LIMIT)': {
    env: { RATE_LIMIT: '10' },
    code: 'RATE_LIMITED',
    message: /This request costs 1 point, and you have 0 of 10 left/,
    rest: 429,
    async before(on) {
      for (let i = 0; i < 10; i++) await send(on, '/openapi.json')
      return () => {}
    },
  },
  'the rate of what is read (RATE_LIMIT)': {
    env: { RATE_LIMIT: '40' },
    operation: { selection: LEADERBOARD },
    code: 'RATE_LIMITED',
    message: /This request costs \d+ points, more than the 40/,
    rest: 429,
  },
  'connections (MAX_CONNECTIONS)': {
    env: { MAX_CONNECTIONS: '20' },
    code: 'UNAVAILABLE',
    message: /limit of connections/,
    rest: 503,
    before: (on) => connections(on, 20),
  },
  'requests at a time (MAX_CONCURRENT_REQUESTS)': {
    env: { MAX_CONCURRENT_REQUESTS: '1' },
    code: 'UNAVAILABLE',
    message: /more requests than it can answer/,
    rest: 503,
    async before(on) {
      const unlock = await lock(on)
      // The first has the only slot, and the second waits too long for it.
      const first = send(on, '/points/leaderboard')
      await vi.waitFor(async () => {
        const { rows } = await on.deps.store.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
        expect(rows.length).toBeGreaterThan(0)
      }, 20_000)
      expect(await send(on, '/points/leaderboard')).toMatchObject({ status: 503 })
      return async () => {
        await unlock()
        expect(await first).toMatchObject({ status: 200 })
      }
    },
  },
  'the time of reads (READ_TIMEOUT_MS)': {
    env: { READ_TIMEOUT_MS: '400' },
    operation: { selection: LEADERBOARD },
    code: 'TIMEOUT',
    message: /./,
    rest: 503,
    before: lock,
  },
  'bytes of an answer (MAX_ANSWER_BYTES)': {
    env: { MAX_ANSWER_BYTES: '1024' },
    operation: { selection: LEADERBOARD, path: '/positions/breakdown-by-assets?limit=100' },
    code: 'ANSWER_TOO_LARGE',
    message: /./,
    rest: 400,
  },
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample()
})
afterAll(() => gateway.close())

test('every reason to reject an operation is in the table', () => {
  const codes = new Set(Object.values(LIMITS).map(({ code }) => code))
  expect(Object.keys(REFUSALS).filter((code) => !codes.has(code))).toEqual([])
})

/** As Python's gql and Hasura send requests that name no operation. */
describe.each([
  ['an empty', ''],
  ['a null', null],
])('%s operationName counts as none', (_, operationName) => {
  const operations: [string, Operation, Answer][] = [
    ['a query', {}, {}],
    ['an unknown field', { selection: 'nothing' }, { code: 'GRAPHQL_VALIDATION_FAILED' }],
    [
      'a wrong argument',
      { selection: 'leaderboard(first: 5000) { nodes { rank } }' },
      { code: 'BAD_INPUT' },
    ],
    ['a cost', LIMITS['cost (MAX_QUERY_COST)']?.operation ?? {}, { code: 'COST_LIMIT_EXCEEDED' }],
    [
      'a field for admins',
      { selection: 'previewDistribution { kind }' },
      { code: 'UNAUTHENTICATED' },
    ],
    ['an unknown hash', { hash: HASH, hashAlone: true }, { code: 'PERSISTED_QUERY_NOT_FOUND' }],
    ['an unknown document', { documentId: `sha256:${HASH}` }, { code: 'DOCUMENT_NOT_KNOWN' }],
  ]
  const byEntryPoint = Object.keys(GRAPHQL).flatMap((name) =>
    operations.map((one) => [one[0], name, one] as const),
  )

  test.each(byEntryPoint)('%s: %s', async (_, name, [, operation, expected]) => {
    const answer = await GRAPHQL[name]?.(gateway, { ...operation, operationName })
    expect(answer?.code).toBe(expected.code)
  })

  test('a mutation', async () => {
    const query = 'mutation { resyncDistribution { run { status } } }'
    for (const headers of [json, { ...json, 'x-graphql-cost': '1' }]) {
      const body = JSON.stringify({ query, operationName })
      const answer = await send(gateway, '/graphql', { method: 'POST', headers, body })
      expect(answer.code).toBe('UNAUTHENTICATED')
    }
  })
})

test.each(Object.entries(GRAPHQL))('an empty documentId counts as none: %s', async (_, send) => {
  expect((await send(gateway, { documentId: '' })).code).toBeUndefined()
})

describe.each(Object.entries(LIMITS))('%s', (_, limit) => {
  const { env, operation = {}, code, message, rest, other = {}, before } = limit
  let limited: Gateway
  let end: (() => unknown) | undefined
  beforeAll(async () => {
    limited = env ? await startGateway({ on: gateway, env }) : gateway
    await vi.waitFor(
      () => expect(limited.deps.notifications.connectedUntil).toBeGreaterThan(0),
      20_000,
    )
    end = await before?.(limited)
  })
  afterAll(async () => {
    await end?.()
    if (limited !== gateway) await limited.close()
  })

  test.each(Object.entries(GRAPHQL))('applies to %s', async (name, send) => {
    const answer = await send(limited, operation)
    expect(answer).toMatchObject(other[name] ?? { code, message: expect.stringMatching(message) })
    if (code in REFUSALS && answer.status !== undefined && !other[name])
      expect(answer.status).toBe(REFUSALS[code as keyof typeof REFUSALS])
  })

  test(`${rest ? 'applies' : 'is not for'} REST`, async () => {
    const answer = await REST(limited, operation)
    expect(answer.status).toBe(rest ?? 200)
    if (rest && message.source !== '.') expect(answer.message).toMatch(message)
  })
})

interface Mistake extends Operation {
  env?: Record<string, string>
  /** Undefined if the answer has no error. */
  code: string | undefined
  /** The error's path in the answer to a query. */
  at?: string[]
  /** The SQL statements of a query, and of REST. */
  statements?: number
  /** The status of REST, if the mistake has a path there. */
  rest?: number
}

const IN_NONE = 'scope: { season: "none" }'
const NONE_AFTER = 'positions(first: 2, afterRecord: "none") { nodes { id } }'

const MISTAKES: Record<string, Mistake> = {
  'a bad address': {
    selection: 'user(address: $address) { rank }',
    definitions: '($address: Address!)',
    variables: { address: '0x1' },
    code: 'BAD_INPUT',
    path: '/points/0x1',
    rest: 400,
    statements: 0,
  },
  'a bad date': {
    selection: 'positions(asOf: $date) { nodes { id } }',
    definitions: '($date: Date)',
    variables: { date: '2026-02-30' },
    code: 'BAD_INPUT',
    statements: 0,
  },
  'a page that is too long': {
    selection: 'positions(first: 1001) { nodes { id } }',
    code: 'BAD_INPUT',
    at: ['positions'],
    path: '/positions/breakdown-by-markets?limit=101',
    rest: 400,
    statements: 0,
  },
  'a cursor of another list': {
    selection: 'pools(after: $cursor) { nodes { name } }',
    definitions: '($cursor: String)',
    code: 'BAD_INPUT',
    at: ['pools'],
    statements: 0,
  },
  'a record that is not there': {
    selection: `legacy { ${NONE_AFTER} }`,
    code: 'BAD_INPUT',
    at: ['legacy', 'positions'],
    path: '/positions/breakdown-by-assets?cursor=none',
    rest: 400,
    statements: 2,
  },
  'a record that is not there, in variables': {
    selection: 'legacy { positions(first: 2, afterRecord: $id) { nodes { id } } }',
    definitions: '($id: String)',
    variables: { id: 'nowhere' },
    code: 'BAD_INPUT',
    at: ['legacy', 'positions'],
    statements: 2,
  },
  'a record that is not there, with another list': {
    selection: `legacy { ${NONE_AFTER} } positions(first: 3) { nodes { points user { rank } } }`,
    code: 'BAD_INPUT',
    at: ['legacy', 'positions'],
  },
  'a record that is not there, selected twice in fragments': {
    selection: `l: legacy { ...First } l: legacy { ${NONE_AFTER} p: ${NONE_AFTER} }`,
    fragments:
      'fragment First on LegacyQuery { positions(first: 2, afterRecord: "none") { totalCount } }',
    code: 'BAD_INPUT',
    at: ['l', 'positions'],
  },
  'a season that is not there': {
    selection: `leaderboard(${IN_NONE}) { nodes { rank } }`,
    code: 'BAD_INPUT',
    at: ['leaderboard'],
    statements: 1,
  },
  'a season that is not there, and another mistake': {
    selection: `leaderboard(${IN_NONE}) { nodes { rank } } pools(first: 1001) { nodes { name } }`,
    code: 'BAD_INPUT',
    at: ['pools'],
  },
  'a season that is not there, and a mistake in a user': {
    selection: `leaderboard(${IN_NONE}) { nodes { rank } } user(address: "0x${'0'.repeat(40)}") { change(days: 0) { __typename } }`,
    code: 'BAD_INPUT',
  },
  'a season that is not there, and a mistake in what has no plan': {
    selection: `node(id: "none") { id } leaderboard(${IN_NONE}) { nodes { rank } }`,
    code: 'BAD_INPUT',
  },
  'a season that is not there, around a user': {
    selection: `leaderboardAround(user: "0x${'0'.repeat(40)}", ${IN_NONE}) { nodes { rank } }`,
    code: 'BAD_INPUT',
    at: ['leaderboardAround'],
    statements: 1,
  },
  'a page that is too long, of a season': {
    selection: 'leaderboard(first: 1001, scope: { asOf: "2020-01-01" }) { nodes { rank } }',
    code: 'BAD_INPUT',
    at: ['leaderboard'],
    statements: 1,
  },
  'a user who is not ranked': {
    selection: `leaderboardAround(user: "0x${'0'.repeat(40)}") { aroundRank nodes { rank } }`,
    code: undefined,
  },
  'a count of everything': {
    selection: 'positions(where: { points: { gt: 1 } }) { totalCount }',
    code: 'BAD_INPUT',
  },
  'an answer that is too large': {
    env: { MAX_ANSWER_BYTES: '1024' },
    selection: 'leaderboard(first: 40) { nodes { points rank user { address } } }',
    code: 'ANSWER_TOO_LARGE',
    path: '/positions/breakdown-by-assets?limit=100',
    rest: 400,
    statements: 1,
  },
  'an answer that is too large, where something has no plan': {
    env: { MAX_ANSWER_BYTES: '1024' },
    selection:
      'leaderboard(first: 40) { nodes { points rank user { address } } } node(id: "UG9vbDox") { id }',
    code: 'ANSWER_TOO_LARGE',
  },
  'a mistake in what has no plan and may be null': {
    selection: 'program { totalPoints } node(id: "none") { id }',
    code: 'BAD_INPUT',
    at: ['node'],
  },
}

describe.each(Object.entries(MISTAKES))(
  '%s',
  (_, { env = {}, code, at, statements, rest, ...operation }) => {
    let planning: Gateway
    let resolving: Gateway
    beforeAll(async () => {
      planning = await startGateway({ on: gateway, env })
      resolving = await startGateway({ on: gateway, plan: false, env })
      for (const { deps } of [planning, resolving])
        await vi.waitFor(() => expect(deps.notifications.connectedUntil).toBeGreaterThan(0), 20_000)
      if (operation.definitions?.includes('$cursor')) {
        const { positions } = await gateway.ask(
          '{ positions(first: 1) { pageInfo { endCursor } } }',
        )
        operation.variables = { cursor: positions.pageInfo.endCursor }
      }
    })
    afterAll(async () => {
      await planning.close()
      await resolving.close()
    })

    test.each(Object.entries(GRAPHQL))(
      'is the same with and without plans: %s',
      async (_, send) => {
        const planned = await send(planning, operation)
        expect(planned).toEqual(await send(resolving, operation))
        expect(planned.code).toBe(code)
        if (code === 'BAD_INPUT') expect(planned.locations).toBeDefined()
      },
    )

    test('has its path, and is read once', async () => {
      planning.statements.length = 0
      const { path } = (await GRAPHQL['a POST']?.(planning, operation)) ?? {}
      if (at) expect(path).toEqual(at)
      if (statements !== undefined && hasPlans) expect(planning.statements).toHaveLength(statements)
    })

    if (rest)
      test('is the same in REST', async () => {
        planning.statements.length = 0
        const planned = await REST(planning, operation)
        if (statements !== undefined && hasPlans)
          expect(planning.statements).toHaveLength(statements)
        expect(planned.status).toBe(rest)
        expect(planned).toEqual(await REST(resolving, operation))
      })
  },
)
