import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Statement } from '../../src/db/connect/scope.ts'
import { Graph } from '../../src/graphql/execution/graph.ts'
import { answerText } from '../../src/graphql/execution/outcome.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, onCitus } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 3, plan: true })
})
afterAll(() => gateway.close())

/** Answers a query with plans or on resolvers. Collects its statements. */
async function answer(query: string, variables: Record<string, unknown> = {}, plan = true) {
  const statements: Statement[] = []
  const schema = createSchema(gateway.deps)
  const graph = new Graph(schema, gateway.deps, { plan })
  const operation = graph.operations.prepare(query, undefined)
  const caller = { aborted: false, onStatement: (one: Statement) => void statements.push(one) }
  const outcome = await graph.run({ operation, variables, admin: 'no' }, caller)
  const text = outcome.failed ? JSON.stringify(outcome.failed) : answerText(operation, outcome)
  return { text, statements }
}

const nodeId = (type: string, key: string) => JSON.stringify(btoa(`${type}:${key}`))

/** Neither `__type` nor `node` has a plan, the other root fields have. */
const MIXED = `query ($user: Address!, $type: String!, $with: Boolean = true, $first: Int!) {
  top: leaderboard(first: $first) { nodes { userAddress points } }
  __type(name: $type) { name }
  ...Rest
  __typename
  user(address: $user) { totalPoints rank positions(first: 2) { nodes { points pool { name } } } }
}
fragment Rest on Query {
  node(id: ${nodeId('User', sampleUser)}) @include(if: $with) { __typename ... on User { rank } }
  program { totalPoints }
}`

test('root fields without a plan run on resolvers, the others in one statement, with equal answers in the order of the document', async () => {
  const variables = { user: sampleUser, type: 'Run', first: 3 }
  for (const sent of [variables, { ...variables, with: false }]) {
    const split = await answer(MIXED, sent)
    const resolved = await answer(MIXED, sent, false)
    expect(split.text).toBe(resolved.text)
    expect(split.statements.length).toBe('with' in sent ? 1 : 2)
    expect(resolved.statements.length).toBeGreaterThan(2)
  }
})

test('a root field without a plan that fails nulls itself alone, and its error has its path and location', async () => {
  const query = `query ($user: Address!) {
    user(address: $user) { totalPoints }
    bad: node(id: "no id") { __typename }
    program { totalPoints }
    good: node(id: ${nodeId('User', sampleUser)}) { id }
  }`
  const split = await answer(query, { user: sampleUser })
  const resolved = await answer(query, { user: sampleUser }, false)
  expect(split.text).toBe(resolved.text)
})

test('a mistake in a planned root field has the answer of resolvers', async () => {
  const query =
    '{ positions(first: -1) { totalCount nodes { points } } __type(name: "Run") { name } }'
  expect((await answer(query)).text).toBe((await answer(query, {}, false)).text)
})

test.skipIf(onCitus)('all root fields are read from one snapshot', async () => {
  const graph = new Graph(createSchema(gateway.deps), gateway.deps)
  const { pool } = gateway.deps.store
  const { data } = await gateway.graphql('{ pools(first: 1) { nodes { address name } } }')
  const [{ address, name }] = data.pools.nodes
  const query = `{ leaderboard(first: 1) { totalCount } node(id: ${nodeId('Pool', address)}) { ... on Pool { name } } }`
  const operation = graph.operations.prepare(query, undefined)
  // Resolvers wait for the lock, which ends once the plan has read.
  const writer = await pool.connect()
  await writer.query('BEGIN; LOCK TABLE pool IN ACCESS EXCLUSIVE MODE')
  await writer.query(`UPDATE pool SET name = name || ' renamed'`)
  let committed: Promise<unknown> | undefined
  const onStatement = () => {
    committed ??= writer.query('COMMIT')
  }
  const outcome = await graph.run(
    { operation, variables: {}, admin: 'no' },
    { aborted: false, onStatement },
  )
  await committed
  writer.release()
  expect(JSON.parse((outcome as { json: string }).json).node).toEqual({ name })
  const { rows } = await pool.query('SELECT name FROM pool')
  expect(rows).toContainEqual({ name: `${name} renamed` })
})
