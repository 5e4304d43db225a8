import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribute } from '../../src/db/server/distribute.ts'
import { NO_CITUS, startCitus } from '../support/citus.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { pageExamples } from '../support/graphiql.ts'
import { loadSample } from '../support/sample.ts'

describe.skipIf(NO_CITUS !== '')(`the graph of a store on Citus${NO_CITUS}`, () => {
  let citus: Awaited<ReturnType<typeof startCitus>>
  let plain: Gateway
  let sharded: Gateway

  beforeAll(async () => {
    citus = await startCitus()
    plain = await startGateway({ url: citus.url })
    await loadSample(plain)
    // What the store answers on one server, it answers on several.
    await expected()
    await distribute(citus.url)
    sharded = await startGateway({ url: citus.url })
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
      const answer = JSON.stringify(await sharded.graphql(query, variables))
      if (answer !== before[key] && !answer.includes('dataVersion'))
        differing.push(`${key}: ${answer} was ${before[key]}`)
    }
    expect(differing).toEqual([])
  }, 300_000)
})

/** The examples of GraphiQL and a board around a user, once by a plan, where there is one, and once by resolvers. */
async function queries(gateway: Gateway) {
  const { data } = await gateway.graphql('{ leaderboard(first: 2) { nodes { userAddress } } }')
  const around = {
    name: 'Around',
    query: `{ leaderboard(around: "${data.leaderboard.nodes[1].userAddress}", first: 5) { totalCount aroundRank nodes { rank } } }`,
    variables: {},
  }
  const examples = (await pageExamples(gateway.base)).filter(({ query }) => !/^(subscription|mutation)/m.test(query))
  return [...examples, around].flatMap(({ name, query, variables }) =>
    [query, query.replace(/\}\s*$/, ' __typename }')].map((text, i) => ({
      key: `${name} ${i}`,
      query: text,
      variables,
    })),
  )
}
