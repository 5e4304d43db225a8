import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { setSeason } from '../../src/domain/season/change-seasons.ts'
import { emptyProgram } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import {
  ANN,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

const [DAY, NEXT] = ['2026-03-02', '2026-03-03']

/** The clock passes midnight while positions are fetched. */
const memory = memorySource()
const source = {
  ...memory,
  positions: (...request: Parameters<typeof memory.positions>) => {
    now = new Date(`${NEXT}T00:00:01Z`)
    return memory.positions(...request)
  },
}
let gateway: Gateway
let now: Date
beforeAll(async () => {
  gateway = await startGateway({ positionsSource: source, now: () => now })
  await importFiles(gateway, { pools: [pool] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  now = new Date(`${DAY}T23:59:59Z`)
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query(
    'DELETE FROM season; DELETE FROM multiplier_revision; DELETE FROM run',
  )
  await importFiles(gateway, { multipliers: [{ ...multiplier, deposit_tokenA: 1 }] })
  memory.rows = [DAY, NEXT].map((day) => position(ANN, 100, { distributionDate: midnight(day) }))
})

const update = () =>
  gateway.graphql(
    'mutation { updateDistribution { run { date totalsAfter { points } } } }',
    undefined,
    asAdmin,
  )

test('a run that passes midnight stays on the date on which it began, with the rules of that date', async () => {
  const announce = `mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${POOL}", depositA: 7, from: "${NEXT}" }] }) { problems { code } } }`
  expect((await gateway.graphql(announce, undefined, asAdmin)).errors).toBeUndefined()
  const { data } = await update()
  expect(data.updateDistribution.run).toEqual({ date: DAY, totalsAfter: { points: 100 } })
  const { data: next } = await update()
  expect(next.updateDistribution.run).toEqual({ date: NEXT, totalsAfter: { points: 700 } })
})

test('a run of the last date of a season that ends meanwhile is stored, one of the day after is refused whole', async () => {
  await setSeason(
    { pool: gateway.deps.store.pool, now: () => now },
    { name: 'Spring', startsAt: DAY, endsAt: DAY },
    { requestedBy: 'test' },
  )
  expect((await update()).data.updateDistribution.run).toMatchObject({ date: DAY })
  const { errors } = await update()
  expect(errors?.[0].extensions.code).toBe('CONFLICT')
  expect((await gateway.ask('{ distributions { nodes { date } } }')).distributions.nodes).toEqual([
    { date: DAY },
  ])
})
