import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { someOf } from '../support/compare.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { imports, pools } from './data.ts'
import { type Ask, asker, check, expectedOf } from './fact.ts'
import { facts } from './facts.ts'
import { type Oracle, openOracle } from './oracle.ts'

/**
 * The roads that an answer can take. A request with extensions is left to the GraphQL server, which has no plans: its
 * resolvers are those of PLAN=off, so it answers one fact in eight.
 */
const roads: Record<string, () => Ask> = {
  planned: () => asker(gateway),
  'PLAN=off': () => asker(withoutPlans),
}
const withoutPlan = () => asker(gateway, { resolved: true })

let gateway: Gateway
let withoutPlans: Gateway
let oracle: Oracle
beforeAll(async () => {
  gateway = await startGateway({ env: { PLAN: 'on' } })
  const { pool } = gateway.deps.store
  for (const files of imports) await importFiles(gateway, files)
  await pool.query('DELETE FROM multiplier WHERE pool_address = $1', [pools.wild])
  await rebuildRankHistory(pool)
  withoutPlans = await startGateway({ on: gateway, env: { PLAN: 'off' } })
  oracle = await openOracle(gateway.deps.config.DATABASE_URL ?? '', imports)
})
afterAll(async () => {
  await oracle?.close()
  await withoutPlans?.close()
  await gateway?.close()
})

for (const [group, list] of Object.entries(facts))
  describe(group, () => {
    const resolved = new Set(someOf(list, 8))
    test.concurrent.each(list.map((fact) => [fact.name, fact] as const))('%s', async (_, fact) => {
      const expected = await expectedOf(fact, oracle)
      for (const [road, ask] of Object.entries(roads)) await check(fact, expected, ask(), road)
      if (resolved.has(fact)) await check(fact, expected, withoutPlan(), 'resolved')
    })
  })

test('each fact has a name of its own', () => {
  const names = Object.values(facts).flatMap((list) => list.map((fact) => fact.name))
  expect(new Set(names).size).toBe(names.length)
})
