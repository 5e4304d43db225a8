import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
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
  ['a body that is no object', '[1]'],
  ['no query', '{}'],
  ['a query that does not parse', '{"query":"{"}'],
  ['an unknown field', '{"query":"{ nothing }"}'],
  ['a wrong variable', '{"query":"query ($a: Address!) { user(address: $a) { rank } }","variables":{"a":"me"}}'],
])('%s is told with a code, and nothing of our insides', async (_, body) => {
  const response = await post(body)
  const text = await response.text()
  expect(response.status).toBeLessThan(500)
  const { errors } = JSON.parse(text) as { errors: { message: string; extensions: Record<string, unknown> }[] }
  expect(errors[0]?.extensions.code).toMatch(/^(BAD_INPUT|BAD_REQUEST|GRAPHQL_[A-Z_]+)$/)
  expect(text).not.toMatch(/originalError|stack|node_modules|SyntaxError/)
})

test('a body over 1 MiB is refused', async () => {
  expect((await post(JSON.stringify({ query: `{ __typename } #${'x'.repeat(1024 * 1024)}` }))).status).toBe(413)
})

test('a query by GET works from a shell, and revalidates', async () => {
  const path = `/graphql?query=${encodeURIComponent('{\n  program { totalPoints }\n}')}`
  const response = await gateway.get(path)
  expect(await response.json()).toEqual({ data: { program: { totalPoints: 0 } } })
  expect((await gateway.get(path, { 'if-none-match': response.headers.get('etag') ?? '' })).status).toBe(304)
})

test('a mutation by GET is refused', async () => {
  const mutation = 'mutation{resyncDistribution{totalPoints}}'
  expect((await gateway.get(`/graphql?query=${encodeURIComponent(mutation)}`)).status).toBe(405)
})
