import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { emptyProgram, records } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  DAY,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'
import { hold } from '../support/pause.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const alice = { authorization: 'Bearer the-token-of-alice' }

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ env: { ADMIN_TOKENS: 'alice:the-token-of-alice' } })
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2 }] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await sql('DELETE FROM multiplier_revision')
})

const sql = async (text: string) => (await gateway.deps.store.pool.query(text)).rows
const graph = (query: string, headers = {}) => gateway.ask(query, undefined, headers)
const byGraph = (input: string, headers = alice) =>
  graph(
    `mutation { updateMultipliers(input: { multipliers: [${input}] }) { multipliers { poolAddress depositA updatedAt } } }`,
    headers,
  )
const byRest = (body: object, headers = asAdmin) =>
  fetch(`${gateway.base}/multipliers/update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const FACTORS = 'depositA depositB borrowA borrowB'
const history = async (args = '') =>
  (
    await graph(`{ multiplierRevisions(first: 1000 ${args}) { totalCount nodes {
    recordId poolAddress ${FACTORS} changedAt recordedAt changedBy } } }`)
  ).multiplierRevisions.nodes
const at = async (asOf?: string, of = POOL) =>
  (
    await graph(
      `{ multiplierRevisions(where: { pools: "${of}" }, at: "${asOf ?? '9999-12-31'}") { nodes { ${FACTORS} changedBy } } }`,
    )
  ).multiplierRevisions.nodes[0] ?? null
const current = async () =>
  (
    await graph(
      `{ multipliers { nodes { poolAddress ${FACTORS} updatedAt revisions(first: 1) { nodes { recordId ${FACTORS} } } } } }`,
    )
  ).multipliers.nodes

describe('who changed what when', () => {
  test('an import, GraphQL, REST, the command line and SQL each leave a revision', async () => {
    const began = Date.now()
    const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
    await importFiles(gateway, { multipliers: [multiplier] }, 'carol')
    await byGraph(`{ poolAddress: "${POOL}", depositA: 3 }`)
    expect((await byRest({ poolAddress: POOL, borrow_tokenA: 7 })).status).toBe(200)
    expect(
      await command(['multipliers', 'set', POOL, '--deposit-b', '9', '--yes'], env),
    ).toMatchObject({
      code: 0,
      err: '',
    })
    await importFiles(gateway, { multipliers: [{ ...multiplier, borrow_tokenB: 0 }] })
    await sql('UPDATE multiplier SET deposit_token_a = 100, updated_at = clock_timestamp()')
    const [{ role }] = await sql('SELECT session_user AS role')

    const all = await history()
    const values = ({ depositA, depositB, borrowA, borrowB, changedBy }: any) => [
      ...[depositA, depositB, borrowA, borrowB, changedBy],
    ]
    expect(all.map(values).reverse()).toEqual([
      [2, 1, 1, 4, 'carol'],
      [3, 1, 1, 4, 'alice'],
      [3, 1, 7, 4, 'admin'],
      [3, 9, 7, 4, 'cli'],
      [2, 1, 1, 0, 'import'],
      [100, 1, 1, 0, role],
    ])
    const times = all.map(({ changedAt }: any) => Date.parse(changedAt)).reverse()
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times[0]).toBeGreaterThanOrEqual(began - 1)
    for (const { changedAt, recordedAt } of all)
      expect(Math.abs(Date.parse(recordedAt) - Date.parse(changedAt))).toBeLessThan(5000)
    const [{ updatedAt, revisions }] = await current()
    expect(updatedAt).toBe(all[0].changedAt)
    expect(revisions.nodes[0].recordId).toBe(all[0].recordId)
  })

  test('a revision for each pool that changed, even if more were given', async () => {
    await byGraph(`{ poolAddress: "${POOL}", depositA: 1 }, { poolAddress: "${POOL_2}" }`)
    await byGraph(
      `{ poolAddress: "${POOL}", depositA: 1 }, { poolAddress: "${POOL_2}", borrowB: 5 }`,
    )
    expect(
      (await history()).map((one: any) => [one.poolAddress, one.depositA, one.borrowB]),
    ).toEqual([
      [POOL_2, 0, 5],
      [POOL_2, 0, 0],
      [POOL, 1, 0],
    ])
    expect(await history(`where: { pools: "${POOL}" }`)).toMatchObject([
      { poolAddress: POOL, changedBy: 'alice' },
    ])
    expect(await history(`where: { pools: "${ANN}" }`)).toEqual([])
  })

  test('none where nothing changed', async () => {
    await importFiles(gateway, { multipliers: [multiplier] })
    const before = await history()
    await importFiles(gateway, { multipliers: [multiplier] })
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, updatedAt: '2026-01-01T00:00:00Z' }],
    })
    await byGraph(`{ poolAddress: "${POOL}" }, { poolAddress: "${POOL_2}" }`)
    await byGraph(
      `{ poolAddress: "${POOL}", depositA: 2 }, { poolAddress: "${POOL_2}", depositA: 0 }`,
    )
    await sql(`UPDATE multiplier SET updated_at = now()`)
    expect(await history(`where: { pools: "${POOL}" }`)).toEqual(before)
    expect(await history(`where: { pools: "${POOL_2}" }`)).toHaveLength(1)
  })

  test('none where it was refused', async () => {
    await importFiles(gateway, { multipliers: [multiplier] })
    const before = await records(gateway.deps.store.pool)
    const refused = [
      [{ poolAddress: POOL, deposit_tokenA: 50 }, { poolAddress: ANN }],
      [{ poolAddress: POOL, deposit_tokenA: -1 }],
      [{ poolAddress: POOL, deposit_tokenA: 50 }, { poolAddress: POOL }],
      [],
    ]
    for (const body of refused) expect((await byRest(body)).status).toBeGreaterThanOrEqual(400)
    expect(
      (
        await byRest(
          { poolAddress: POOL, deposit_tokenA: 50 },
          { authorization: 'Bearer no-such-token' },
        )
      ).status,
    ).toBe(401)
    expect(await records(gateway.deps.store.pool)).toEqual(before)
  })

  test('a change takes effect when it gets the lock, not when it was requested; the newest revision is what is stored', async () => {
    await importFiles(gateway, { multipliers: [multiplier] })
    const held = await hold(gateway)
    const changes = [3, 4, 5].map((factor) =>
      byGraph(`{ poolAddress: "${POOL}", depositA: ${factor} }`),
    )
    await held.caught()
    const [{ turn }] = await sql('SELECT clock_timestamp() AS turn')
    await held.release()
    await Promise.all(changes)
    const newest = (await history()).slice(0, 3)
    for (const { changedAt } of newest)
      expect(Date.parse(changedAt)).toBeGreaterThanOrEqual(turn.getTime())
    const [{ depositA, revisions }] = await current()
    expect(revisions.nodes).toMatchObject([{ recordId: newest[0].recordId, depositA }])
    expect(await at()).toMatchObject({ depositA })
  })
})

describe('the multiplier at a moment', () => {
  const factors = (updatedAt: string, deposit_tokenA: number) =>
    importFiles(gateway, { multipliers: [{ ...multiplier, deposit_tokenA, updatedAt }] })

  test('is null before the first revision, then that of the newest one', async () => {
    await factors('2026-01-10T00:00:00Z', 10)
    await factors('2026-01-20T00:00:00Z', 20)
    expect(await at('2026-01-09T23:59:59.999Z')).toBeNull()
    expect(await at('2026-01-10')).toMatchObject({ depositA: 10, depositB: 1, changedBy: 'import' })
    expect(await at('2026-01-19T23:59:59.999Z')).toMatchObject({ depositA: 10 })
    expect(await at('2026-01-20')).toMatchObject({ depositA: 20 })
    expect(await at()).toMatchObject({ depositA: 20 })
    expect(await at(undefined, POOL_2)).toBeNull()
    const many = await graph(
      `{ ${['2026-01-09', '2026-01-15', '2026-02-01']
        .map(
          (day, i) =>
            `m${i}: multiplierRevisions(where: { pools: "${POOL}" }, at: "${day}") { nodes { depositA } }`,
        )
        .join(' ')} }`,
    )
    expect(Object.values(many).map((list: any) => list.nodes)).toEqual([
      [],
      [{ depositA: 10 }],
      [{ depositA: 20 }],
    ])
  })

  test('what is recorded later stands from its moment on: now is what is stored', async () => {
    await factors('2026-01-20T00:00:00Z', 20)
    await factors('2026-01-10T00:00:00Z', 10)
    expect((await current())[0]).toMatchObject({ depositA: 10 })
    for (const moment of ['2026-01-10', '2026-01-15', '2026-01-20', '2026-02-01', undefined])
      expect(await at(moment)).toMatchObject({ depositA: 10 })
    expect(await at('2026-01-09')).toBeNull()
  })

  test('that was removed is null from then on', async () => {
    await factors('2026-01-10T00:00:00Z', 10)
    await sql('DELETE FROM multiplier')
    expect(await at()).toBeNull()
    expect(await at('2026-02-01')).toMatchObject({ depositA: 10 })
    const [{ role }] = await sql('SELECT session_user AS role')
    const [removal] = await history()
    expect(removal).toMatchObject({ depositA: null, borrowB: null, changedBy: role })
    expect(await at(removal.changedAt)).toBeNull()
    await byGraph(`{ poolAddress: "${POOL}", borrowA: 2 }`)
    expect(await at()).toMatchObject({ depositA: 0, borrowA: 2 })
  })
})

test('a run shows what it used, whether or not it succeeded', async () => {
  const day = (date: string) => position(ANN, 10, { distributionDate: midnight(date) })
  const used = async (id: string) =>
    (
      await graph(
        `{ run(recordId: "${id}") { multipliers { totalCount nodes { poolAddress depositA changedBy } } } }`,
      )
    ).run.multipliers
  const resync = async () =>
    (await graph('mutation { resyncDistribution { run { recordId } } }', alice)).resyncDistribution
      .run.recordId
  await importFiles(gateway, {
    multipliers: [multiplier, { ...multiplier, poolAddress: POOL_2 }],
    positions: [day(DAY)],
  })
  const [two] = (await graph('{ runs(first: 1) { nodes { recordId } } }')).runs.nodes
  await byGraph(`{ poolAddress: "${POOL}", depositA: 6 }`)
  const changed = await resync()
  await sql(`DELETE FROM multiplier WHERE pool_address = '${POOL}'`)
  const removed = await resync()
  await sql('DELETE FROM multiplier')
  const none = await resync()

  const of = (poolAddress: string, depositA: number, changedBy: string) => ({
    poolAddress,
    depositA,
    changedBy,
  })
  const kept = of(POOL_2, 2, 'import')
  expect(await used(two.recordId)).toEqual({ totalCount: 2, nodes: [of(POOL, 2, 'import'), kept] })
  expect(await used(changed)).toEqual({ totalCount: 2, nodes: [of(POOL, 6, 'alice'), kept] })
  expect(await used(removed)).toEqual({ totalCount: 1, nodes: [kept] })
  expect(await used(none)).toEqual({ totalCount: 0, nodes: [] })
  const { positions } = await graph(`{ positions { nodes { points multiplierUsed { id } } } }`)
  expect(positions.nodes).toEqual([{ points: 0, multiplierUsed: null }])
})
