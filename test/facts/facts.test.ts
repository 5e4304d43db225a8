import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { someOf } from '../support/compare.ts'
import { SAMPLE } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { imports, pools } from './data.ts'
import { type Ask, asker, check, expectedOf } from './fact.ts'
import { facts } from './facts.ts'
import { type Oracle, openOracle } from './oracle.ts'

/**
 * The roads that an answer can take, and how many facts take them: one in so many. A request with
 * extensions is left to the GraphQL server, which has no plans: it runs the same resolvers.
 */
const roads: [name: string, nth: number, ask: () => Ask][] = [
  ['planned', 1, () => asker(gateway)],
  ['without plans', SAMPLE ? 8 : 1, () => asker(withoutPlans)],
  ['resolved', SAMPLE ? 32 : 8, () => asker(gateway, { resolved: true })],
]

let gateway: Gateway
let withoutPlans: Gateway
let oracle: Oracle
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  const { pool } = gateway.deps.store
  for (const files of imports) await importFiles(gateway, files)
  await pool.query('DELETE FROM multiplier WHERE pool_address = $1', [pools.wild])
  await rebuildRankHistory(pool)
  withoutPlans = await startGateway({ on: gateway, plan: false })
  oracle = await openOracle(gateway.deps.config.DATABASE_URL ?? '', imports)
})
afterAll(async () => {
  await oracle?.close()
  await withoutPlans?.close()
  await gateway?.close()
})

for (const [group, list] of Object.entries(facts))
  describe(group, () => {
    const taking = roads.map(([road, nth, ask]) => ({
      road,
      facts: new Set(someOf(list, nth)),
      ask,
    }))
    test.concurrent.each(list.map((fact) => [fact.name, fact] as const))('%s', async (_, fact) => {
      const expected = await expectedOf(fact, oracle)
      for (const { road, facts, ask } of taking)
        if (facts.has(fact)) await check(fact, expected, ask(), road)
    })
  })

test('each fact has a name of its own', () => {
  const names = Object.values(facts).flatMap((list) => list.map((fact) => fact.name))
  expect(new Set(names).size).toBe(names.length)
})
