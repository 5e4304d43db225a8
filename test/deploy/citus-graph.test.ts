import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribute } from '../../src/db/topology/distribute.ts'
import { NO_CITUS, openCitusStore } from '../support/citus.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { pageExamples } from '../support/graphiql.ts'
import { loadSample } from '../support/sample.ts'

/** Citus takes seconds to plan some of the examples. */
const PATIENT = { READ_TIMEOUT_MS: '300000' }

describe.skipIf(NO_CITUS !== '')(`the graph of a store on Citus${NO_CITUS}`, () => {
  let citus: Awaited<ReturnType<typeof openCitusStore>>
  let plain: Gateway
  let sharded: Gateway

  beforeAll(async () => {
    citus = await openCitusStore()
    plain = await startGateway({ url: citus.url, env: PATIENT })
    await loadSample(plain)
    // What the store answers on one server, it answers on several.
    await expected()
    await distribute(citus.url)
    sharded = await startGateway({ url: citus.url, env: PATIENT })
  }, 120_000)
  afterAll(async () => {
    await sharded?.close()
    await plain?.close()
    await citus?.close()
  })

  const before: Record<string, string> = {}
  async function expected() {
    for (const { key, query, variables } of await queries(plain))
      before[key] = JSON.stringify(await plain.graphql(query, variables))
  }

  test('examples have the same answer, planned and resolved', async () => {
    const differing: string[] = []
    for (const { key, query, variables } of await queries(sharded)) {
      // Which snapshots of a chain are newest is not answered there: the error says to leave the
      // field out.
      if (key.startsWith('Status ')) {
        const { errors } = await sharded.graphql(query, variables)
        expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(
          new Set(['UNSUPPORTED']),
        )
        const { data } = await sharded.graphql(query.replace(/chains \{.*?\}/, ''), variables)
        expect(data.status).toMatchObject({
          distributionLate: expect.any(Boolean),
          lastRun: { status: 'SUCCEEDED' },
        })
        continue
      }
      // So are the holders of a market: they are users of every server.
      if (key.startsWith('Holders ')) {
        const { errors } = await sharded.graphql(query, variables)
        expect(errors?.[0]?.extensions.code).toBe('UNSUPPORTED')
        continue
      }
      const answer = JSON.stringify(await sharded.graphql(query, variables))
      if (answer !== before[key] && !answer.includes('dataVersion'))
        differing.push(`${key}: ${answer} was ${before[key]}`)
    }
    expect(differing).toEqual([])
  }, 300_000)

  test('what each server has a copy of is read in one statement for all of a list', async () => {
    const query =
      '{ positions(first: 50) { nodes { __typename pool { name multiplier { depositA } } } } }'
    await sharded.graphql(query)
    sharded.statements.length = 0
    const { data } = await sharded.graphql(query)
    expect(
      new Set(data.positions.nodes.map(({ pool }: { pool: { name: string } }) => pool.name)).size,
    ).toBeGreaterThan(1)
    expect(sharded.statements).toHaveLength(3)
  })
})

/**
 * The examples of GraphiQL and what Citus takes long to plan or counts otherwise: by turns by a
 * plan, where there is one, and by resolvers.
 */
async function queries(gateway: Gateway) {
  const { data } = await gateway.graphql(
    '{ leaderboard(first: 8) { nodes { userAddress } } distributions(first: 3) { nodes { date } } }',
  )
  const users: string[] = data.leaderboard.nodes.map(
    (node: { userAddress: string }) => node.userAddress,
  )
  const asOf = data.distributions.nodes.at(-1).date
  const entities = 'entityCount breakdown { entityType chainId entityAddress }'
  const pastOf = (user: string, i: number) => `u${i}: user(address: "${user}") {
    earnings(at: "${asOf}") { earningsUsd ${entities} } netApr(at: "${asOf}") { earnNetApr: netDepositApr ${entities} } totalPoints(asOf: "${asOf}") }`
  // A larger offset is refused for its cost.
  const more = {
    Around: `{ leaderboard: leaderboardAround(user: "${users[1]}", first: 5) { totalCount aroundRank nodes { rank } } }`,
    ManyAsOf: `{ ${users.map(pastOf).join(' ')} }`,
    PastTheEnd: '{ positions(first: 2, offset: "50000") { totalCount nodes { id } } }',
  }
  const extra = Object.entries(more).map(([name, query]) => ({ name, query, variables: {} }))
  const examples = (await pageExamples(gateway.base)).filter(
    ({ query }) => !/^(subscription|mutation)/m.test(query),
  )
  return [...examples, ...extra].flatMap(({ name, query, variables }, nth) =>
    [query, query.replace(/\}\s*$/, ' __typename }')]
      .map((text, i) => ({ key: `${name} ${i}`, query: text, variables }))
      .filter((_, i) => LONG || (nth + i) % 2 === 0),
  )
}
