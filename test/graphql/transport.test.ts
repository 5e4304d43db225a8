import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

let gateway: Gateway
const logged: object[] = []
beforeAll(async () => {
  gateway = await startGateway({ onLog: (line) => logged.push(line) })
})
afterAll(() => gateway.close())

const post = (body: string, type = 'application/json') =>
  fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': type, accept: 'application/json' },
    body,
  })

test.each([
  ['a body that is not JSON', '{"query":"{\n}"}'],
  ['a body that is not an object', '[1]'],
  ['no query', '{}'],
  ['a query that does not parse', '{"query":"{"}'],
  ['an unknown field', '{"query":"{ nothing }"}'],
  [
    'a wrong variable',
    '{"query":"query ($a: Address!) { user(address: $a) { rank } }","variables":{"a":"me"}}',
  ],
])('%s is reported with a code, and reveals no internals', async (_, body) => {
  const response = await post(body)
  const text = await response.text()
  expect(response.status).toBeLessThan(500)
  const { errors } = JSON.parse(text) as {
    errors: { message: string; extensions: Record<string, unknown> }[]
  }
  expect(errors[0]?.extensions.code).toMatch(/^(BAD_INPUT|BAD_REQUEST|GRAPHQL_[A-Z_]+)$/)
  expect(text).not.toMatch(/originalError|stack|node_modules|SyntaxError/)
})

test.each([
  ['GRAPHQL_PARSE_FAILED', { query: '{' }],
  ['GRAPHQL_VALIDATION_FAILED', { query: '{ nothing }' }],
  [
    'BAD_INPUT',
    {
      query: 'query ($n: Int!) { leaderboard(first: $n) { nodes { rank } } }',
      variables: { n: 'x' },
    },
  ],
  ['BAD_INPUT', { query: '{ leaderboard(first: 5000) { nodes { rank } } }' }],
  ['UNAUTHENTICATED', { query: 'mutation { resyncDistribution { run { status } } }' }],
  ['OPERATION_RESOLUTION_FAILURE', { query: '{ dataVersion }', operationName: 'None' }],
  ['BAD_REQUEST', { query: 5 }],
])(
  "an error of %s has the request's id, and a path where it has a place in the answer",
  async (code, body) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const response = await fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'request-id': 'my-request-7' },
        body: JSON.stringify(body),
      })
      const { errors, data } = (await response.json()) as { errors: any[]; data?: any }
      expect(errors[0].extensions).toMatchObject({ code, requestId: 'my-request-7' })
      expect(response.headers.get('request-id')).toBe('my-request-7')
      expect('path' in errors[0]).toBe(data !== undefined)
    }
  },
)

const form = 'application/x-www-form-urlencoded'
const part = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const parts = (operations: string, map: string) =>
  `${part('operations', operations)}${part('map', map)}--x--\r\n`
const asParts = 'multipart/form-data; boundary=x'
const QUERY = encodeURIComponent('{ dataVersion }')
const get = (name: string, value: string, accept = 'application/json') =>
  gateway.get(`/graphql?query=${QUERY}&${name}=${encodeURIComponent(value)}`, { accept })

test.each<[string, () => Promise<Response>]>([
  ...['variables', 'extensions'].flatMap((name) =>
    ['{', 'first', '[1', "{'a':1}", '{"a":1}}'].map((value): [string, () => Promise<Response>] => [
      `${name}=${value}`,
      () => get(name, value),
    ]),
  ),
  [
    'variables of another media type',
    () => get('variables', '{', 'application/graphql-response+json'),
  ],
  ['variables in a form', () => post(`query=${QUERY}&variables={`, form)],
  ['extensions in a form', () => post(`query=${QUERY}&extensions=x`, form)],
  ['parts of a form', () => post(parts('{', '{}'), asParts)],
  ['a map that is not one', () => post(parts('{"query":"{ dataVersion }"}', '{"0":5}'), asParts)],
  ['nothing in a form', () => post('--x--', asParts)],
])(
  'parameters that are not JSON are a 400 that says so, and no fault of ours: %s',
  async (_, send) => {
    logged.length = 0
    const response = await send()
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: any[] }
    expect(errors).toEqual([
      {
        message: expect.stringMatching(/JSON|multipart/),
        extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) },
      },
    ])
    expect(logged).toEqual([])
  },
)

test('so they are over an event stream', async () => {
  const text = await (await get('variables', '{', 'text/event-stream')).text()
  expect(text).toContain('"code":"BAD_REQUEST"')
})

test('a body over 1 MiB is refused', async () => {
  expect(
    (await post(JSON.stringify({ query: `{ __typename } #${'x'.repeat(1024 * 1024)}` }))).status,
  ).toBe(413)
})

test('a query by GET works from a shell, and revalidates', async () => {
  const path = `/graphql?query=${encodeURIComponent('{\n  program { totalPoints }\n}')}`
  const response = await gateway.get(path)
  expect(await response.json()).toEqual({ data: { program: { totalPoints: 0 } } })
  expect(
    (await gateway.get(path, { 'if-none-match': response.headers.get('etag') ?? '' })).status,
  ).toBe(304)
})

test('a mutation by GET is refused', async () => {
  const mutation = 'mutation{resyncDistribution{run{status}}}'
  expect((await gateway.get(`/graphql?query=${encodeURIComponent(mutation)}`)).status).toBe(405)
})
