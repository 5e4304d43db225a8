import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribute } from '../../src/db/topology/distribute.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { imports, pools } from '../facts/data.ts'
import { type Ask, asker, check, expectedOf } from '../facts/fact.ts'
import { facts } from '../facts/facts.ts'
import { type Oracle, openOracle } from '../facts/oracle.ts'
import { NO_CITUS, openCitusStore } from '../support/citus.ts'
import { someOf } from '../support/compare.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { openStore } from '../support/store.ts'

/** One in nine of the facts: citus.config.ts runs all of them, on every road. */
describe.skipIf(NO_CITUS !== '')(`facts of a store on Citus${NO_CITUS}`, () => {
  let citus: Awaited<ReturnType<typeof openCitusStore>>
  let plain: Awaited<ReturnType<typeof openStore>>
  let oracle: Oracle
  const started: Gateway[] = []
  const gatewayWith = async (plan: boolean) => {
    const gateway = await startGateway({ url: citus.url, plan })
    started.push(gateway)
    return gateway
  }
  let roads: Record<string, Ask>

  beforeAll(async () => {
    citus = await openCitusStore()
    plain = await openStore()
    oracle = await openOracle(plain.url, imports)
    await distribute(citus.url)
    const gateway = await gatewayWith(true)
    for (const files of imports) await importFiles(gateway, files)
    const { pool } = gateway.deps.store
    await pool.query('DELETE FROM multiplier WHERE pool_address = $1', [pools.wild])
    await rebuildRankHistory(pool)
    roads = { planned: asker(gateway) }
    if (LONG) roads['without plans'] = asker(await gatewayWith(false))
  }, 120_000)
  afterAll(async () => {
    await oracle?.close()
    for (const gateway of started) await gateway.close()
    await plain?.close()
    await citus?.close()
  })

  // The holders of a market are users of every server: a list of them is refused there.
  const answered = Object.entries(facts).filter(([name]) => name !== 'holders')
  test.each(answered)(
    '%s',
    async (_, list) => {
      const wrong: string[] = []
      for (const fact of someOf(list, 9)) {
        const expected = await expectedOf(fact, oracle)
        for (const [road, ask] of Object.entries(roads))
          await check(fact, expected, ask, road).catch((error) =>
            wrong.push(`${fact.name}: ${error.message}`),
          )
      }
      expect(wrong).toEqual([])
    },
    300_000,
  )
})
