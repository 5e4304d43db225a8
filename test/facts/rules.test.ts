import { afterAll, beforeAll, expect, test } from 'vitest'
import { resync } from '../../src/domain/distribution/resync.ts'
import { setBasePoints } from '../../src/domain/multiplier/base-points.ts'
import { updateMultipliers } from '../../src/domain/multiplier/update.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { dates, imports, pools } from './data.ts'
import { asker, check, expectedOf } from './fact.ts'
import { type Oracle, openOracle } from './oracle.ts'
import { base, changes, ruleFacts } from './rules.ts'

let gateway: Gateway
let withoutPlans: Gateway
let oracle: Oracle
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  const deps = { ...gateway.deps, pool: gateway.deps.store.pool }
  for (const files of imports) await importFiles(gateway, files)
  const updates = [
    { poolAddress: pools.eth, depositA: changes.eth.depositA, from: new Date(changes.eth.from) },
    { poolAddress: pools.arb, depositA: changes.arb.depositA, from: new Date(changes.arb.from) },
  ]
  await updateMultipliers(deps, updates, 'facts')
  await setBasePoints(deps, { ...base, from: new Date(base.from) }, 'facts')
  for (const date of dates) await resync(deps, new Date(date), 'facts')
  withoutPlans = await startGateway({ on: gateway, plan: false })
  oracle = await openOracle(gateway.deps.config.DATABASE_URL ?? '', imports)
})
afterAll(async () => {
  await oracle?.close()
  await withoutPlans?.close()
  await gateway?.close()
})

test.each(ruleFacts.map((fact) => [fact.name, fact] as const))('%s', async (_, fact) => {
  const expected = await expectedOf(fact, oracle)
  await check(fact, expected, asker(gateway), 'planned')
  await check(fact, expected, asker(withoutPlans), 'without plans')
})

test('each fact has a name of its own', () => {
  expect(new Set(ruleFacts.map(({ name }) => name)).size).toBe(ruleFacts.length)
})
