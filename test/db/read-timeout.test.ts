import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { asAdmin, type Gateway, hasPlans } from '../support/gateway.ts'
import { hold } from '../support/pause.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4, env: { READ_TIMEOUT_MS: '1000' } })
})
afterAll(() => gateway.close())

/** Runs `work` while nobody can read some tables. */
async function whileLocked(tables: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: gateway.deps.config.DATABASE_URL })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)
  try {
    await work()
  } finally {
    await client.end()
  }
}

const planned = '{ leaderboard(first: 3) { nodes { userAddress points } } }'
const resolved = `{ user(address: "${sampleUser}") { series { rank points } } }`

test('a read that takes too long is ended: TIMEOUT in the graph, a 503 in REST, each with what to do', async () => {
  const { data } = await gateway.graphql('{ distributions(first: 1) { nodes { id } } }')
  const node = `{ node(id: "${data.distributions.nodes[0].id}") { ... on Distribution { points } } }`
  const path = '/points/leaderboard'
  // Prisma loads its engine with the first node.
  await gateway.graphql(node)
  // At first each has a separate connection; what is known as quick shares one.
  for (let times = 0; times < 4; times++) {
    for (const query of [planned, resolved, node])
      expect((await gateway.graphql(query)).errors).toBeUndefined()
    expect((await gateway.get(path)).ok).toBe(true)
  }
  const error = { message: expect.stringMatching(/Ask for less/), extensions: { code: 'TIMEOUT' } }
  await whileLocked('account, distribution', async () => {
    for (const query of [planned, resolved, node]) {
      const { errors = [] } = await gateway.graphql(query)
      expect(errors.length, query).toBeGreaterThan(0)
      for (const one of errors) expect(one, query).toMatchObject(error)
    }
    const response = await gateway.get(path)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      status: 503,
      detail: expect.stringMatching(/Ask for less/),
    })
  })
  for (const query of [planned, resolved, node])
    expect((await gateway.graphql(query)).errors).toBeUndefined()
  expect((await gateway.get(path)).ok).toBe(true)
})

test.runIf(hasPlans)(
  'a read that the store refuses is not read a second time, by resolvers',
  async () => {
    for (const query of [
      planned,
      '{ a: pools(first: 1) { nodes { name } } b: pools(first: 2) { nodes { name } } }',
    ]) {
      await gateway.graphql(query)
      await whileLocked('account, pool', async () => {
        gateway.statements.length = 0
        const { errors = [] } = await gateway.graphql(query)
        expect(errors[0]).toMatchObject({ extensions: { code: 'TIMEOUT' } })
        expect(gateway.statements, query).toHaveLength(1)
      })
    }
  },
)

test('what writes takes as long as it takes', async () => {
  const held = await hold(gateway, 'in the middle of its writing')
  const run = gateway.graphql('mutation { resyncDistribution { run { status } } }', {}, asAdmin)
  await held.caught()
  const waitsLonger = `SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND now() - query_start > interval '1.2 s'`
  await expect.poll(async () => (await gateway.deps.store.pool.query(waitsLonger)).rowCount).toBe(1)
  await held.release()
  expect((await run).errors).toBeUndefined()
})
