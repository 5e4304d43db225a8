import { afterAll, beforeAll, expect, test } from 'vitest'
import { Graph } from '../../src/graphql/execution/graph.ts'
import { Operations } from '../../src/graphql/execution/operations.ts'
import { deprecated, deprecatedElements } from '../../src/graphql/policy/deprecations.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { createGraphQLServer } from '../../src/http/graphql/yoga.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const reason = deprecated('`User.address`', '2027-06-01')

/** The schema with a deprecated field, argument, filter and sort key. */
function schemaWithDeprecations() {
  const schema = createSchema()
  const fieldsOf = (name: string) => (schema.getType(name) as any).getFields()
  fieldsOf('User').id.deprecationReason = reason
  fieldsOf('Query').users.args.find(({ name }: any) => name === 'offset').deprecationReason =
    'No longer supported'
  fieldsOf('UserFilter').addresses.deprecationReason = reason
  ;(schema.getType('UserOrder') as any).getValue('ADDRESS').deprecationReason = reason
  return schema
}

const used = { replacement: '`User.address`', removal: '2027-06-01' }

test('an operation names what it uses that is deprecated, each once', () => {
  const operations = new Operations(schemaWithDeprecations())
  const warningsOf = (text: string) => operations.find(text, undefined)?.warnings
  expect(warningsOf('{ users { nodes { address } } }')).toBeUndefined()
  expect(
    warningsOf(
      `{ a: users(offset: 1, orderBy: ADDRESS, orderDirection: DESC, where: { addresses: [] }) { nodes { id again: id } } }`,
    ),
  ).toEqual({
    deprecations: [
      { element: 'Query.users(offset:)', replacement: null, removal: null },
      { element: 'UserOrder.ADDRESS', ...used },
      { element: 'UserFilter.addresses', ...used },
      { element: 'User.id', ...used },
    ],
  })
})

test('an answer has the warnings, next to the cost', async () => {
  const schema = schemaWithDeprecations()
  const server = createGraphQLServer(new Graph(schema, gateway.deps))
  const answerTo = async (query: string, headers = {}) => {
    const request = new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
    const context = { requestId: '', admin: 'no', client: '', signal: new AbortController().signal }
    return (await server.fetch(request, context as never)).json()
  }
  const query = `{ user(address: "0x${'1'.repeat(40)}") { id } }`
  const { data, extensions } = await answerTo(query)
  expect(data.user.id).toEqual(expect.any(String))
  expect(extensions).toEqual({ deprecations: [{ element: 'User.id', ...used }] })
  expect((await answerTo(query, { 'x-graphql-cost': '1' })).extensions).toMatchObject({
    deprecations: [{ element: 'User.id' }],
    cost: { requested: expect.any(Number) },
  })
  expect(await answerTo('{ users { totalCount } }')).toEqual({ data: { users: { totalCount: 0 } } })
})

test('everything deprecated has a replacement and the date of its removal', () => {
  for (const { element, reason } of deprecatedElements(createSchema()))
    expect(reason, element).toMatch(/^Use .+\. Removed on \d{4}-\d{2}-\d{2}\.$/)
})
