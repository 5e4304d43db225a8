import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pruneLedger } from '../../src/domain/ledger/prune.ts'
import { command } from '../support/command-line.ts'
import { emptyProgram } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import {
  ANN,
  BEN,
  CAT,
  DAY,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const NEXT = '2026-03-03'

const source = memorySource()
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ positionsSource: source })
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2, marketId: 8 }] })
})
afterAll(() => gateway.close())

const admin = async (query: string) => {
  const data = await gateway.ask(query, undefined, asAdmin)
  return data
}
const set = (poolAddress: string, depositA: number) =>
  admin(
    `mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${poolAddress}", depositA: ${depositA} }] }) { problems { code } } }`,
  )
const resync = async (day = DAY): Promise<string> =>
  (await admin(`mutation { resyncDistribution(input: { date: "${day}" }) { run { recordId } } }`))
    .resyncDistribution.run.recordId
const update = async (rows: object[]): Promise<string> => {
  source.rows = rows
  return (
    await admin(`mutation { updateDistribution(input: { date: "${DAY}" }) { run { recordId } } }`)
  ).updateDistribution.run.recordId
}
const answerOf = (run: string, args: string) =>
  gateway.graphql(`{ run(recordId: "${run}") { changes${args} { totalCount pageInfo { endCursor hasNextPage } nodes {
    user { address } runRecordId pointsBefore pointsAfter pointsChange reasons pool { recordNumber: number } } } } }`)
const changes = async (run: string, since?: string) => {
  const { data, errors } = await answerOf(run, since ? `(since: "${since}")` : '')
  if (errors) return errors[0].message
  return data.run.changes.nodes.map((one: any) => [
    one.user.address,
    one.pool.recordNumber,
    one.pointsBefore,
    one.pointsAfter,
    one.reasons.join(' '),
    one.runRecordId,
  ])
}
const idOf = async (date: string) =>
  (await gateway.ask(`{ distribution(date: "${date}") { run { recordId } } }`)).distribution.run
    .recordId

/**
 * The runs of the date: an import, two resyncs, an update and a last resync, and one of another
 * date.
 */
let runs: Record<'first' | 'doubled' | 'second' | 'updated' | 'back' | 'other', string>
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query(
    'DELETE FROM removed_day; DELETE FROM multiplier_revision; DELETE FROM run',
  )
  await importFiles(gateway, {
    multipliers: [POOL, POOL_2].map((poolAddress) => ({
      ...multiplier,
      poolAddress,
      deposit_tokenA: 1,
    })),
    positions: [
      position(ANN, 100),
      position(BEN, 10),
      position(BEN, 30, { marketAddress: POOL_2 }),
      position(ANN, 1, { distributionDate: midnight(NEXT) }),
    ],
  })
  const first = await idOf(DAY)
  const other = await idOf(NEXT)
  await set(POOL, 2)
  const doubled = await resync()
  await set(POOL_2, 4)
  await resync(NEXT)
  const second = await resync()
  const updated = await update([position(ANN, 100), position(CAT, 5)])
  await set(POOL, 1)
  runs = { first, doubled, second, updated, back: await resync(), other }
})

test('an entry has the multiplier before and after, unless an import came in between', async () => {
  const fields = 'pointsAfter multiplierBefore { depositA } multiplierAfter { depositA }'
  const of = async (run: string, args = '') =>
    (
      await gateway.ask(`{ run(recordId: "${run}") { changes${args} { nodes { ${fields} } } } }`)
    ).run.changes.nodes.map((one: any) => [
      one.pointsAfter,
      one.multiplierBefore?.depositA ?? null,
      one.multiplierAfter?.depositA ?? null,
    ])
  expect(await of(runs.doubled)).toEqual([
    [200, 1, 2],
    [20, 1, 2],
  ])
  expect(await of(runs.second)).toEqual([[120, 1, 4]])
  expect(await of(runs.updated)).toEqual([
    [0, null, null],
    [0, null, null],
    [10, null, null],
  ])
  expect(await of(runs.back, `(since: "${runs.second}")`)).toContainEqual([100, 2, 1])
  await importFiles(gateway, { positions: [position(CAT, 6)] })
  await set(POOL, 9)
  expect(await of(await resync())).toContainEqual([900, null, 9])
})

test('a revision affects the dates whose newest run used it', async () => {
  const { multiplierRevisions } = await gateway.ask(
    `{ multiplierRevisions { nodes { poolAddress depositA affectedDates { count first last } } } }`,
  )
  expect(
    multiplierRevisions.nodes.map(
      ({ poolAddress, depositA, affectedDates: { count, first, last } }: any) => [
        poolAddress === POOL ? 1 : 2,
        depositA,
        count,
        first,
        last,
      ],
    ),
  ).toEqual([
    [1, 1, 1, DAY, DAY],
    [2, 4, 0, null, null],
    [1, 2, 1, NEXT, NEXT],
    [2, 1, 0, null, null],
    [1, 1, 0, null, null],
  ])
})

describe('what changed between two runs of a date', () => {
  test('is an entry for each user and pool, the largest change first, with all reasons', async () => {
    const { first, doubled, second, updated, back } = runs
    expect(await changes(first)).toEqual([])
    expect(await changes(doubled)).toEqual([
      [ANN, 7, 100, 200, 'MULTIPLIER', doubled],
      [BEN, 7, 10, 20, 'MULTIPLIER', doubled],
    ])
    expect(await changes(second, doubled)).toEqual([[BEN, 8, 30, 120, 'MULTIPLIER', second]])
    expect(await changes(updated, first)).toEqual([
      [ANN, 7, 100, 200, 'MULTIPLIER', doubled],
      [BEN, 8, 30, 0, 'POSITION_REMOVED MULTIPLIER', updated],
      [BEN, 7, 10, 0, 'POSITION_REMOVED MULTIPLIER', updated],
      [CAT, 7, 0, 10, 'POSITION_ADDED', updated],
    ])
    // A later run took back the rest.
    expect(await changes(back, first)).toEqual([
      [BEN, 8, 30, 0, 'POSITION_REMOVED MULTIPLIER', updated],
      [BEN, 7, 10, 0, 'POSITION_REMOVED MULTIPLIER', updated],
      [CAT, 7, 0, 5, 'POSITION_ADDED MULTIPLIER', back],
    ])
  })

  test('is paged and filtered as the ledger is', async () => {
    const { first, updated } = runs
    const page = (await answerOf(updated, `(since: "${first}", first: 1)`)).data.run.changes
    expect(page).toMatchObject({
      totalCount: 4,
      pageInfo: { hasNextPage: true },
      nodes: [{ user: { address: ANN } }],
    })
    const rest = (
      await answerOf(updated, `(since: "${first}", after: "${page.pageInfo.endCursor}")`)
    ).data.run.changes
    expect(rest.nodes.map((one: any) => one.user.address)).toEqual([BEN, BEN, CAT])
    const up = (
      await answerOf(
        updated,
        `(since: "${first}", where: { change: { gt: 0 } }, orderBy: POINTS_CHANGE)`,
      )
    ).data.run.changes
    expect(up.nodes.map((one: any) => one.pointsChange)).toEqual([10, 100])
  })

  test('has the order in which runs stored the date, not that of their numbers', async () => {
    const { first, doubled, second } = runs
    const { pool: client } = gateway.deps.store
    const [a, b] = (
      await client.query('SELECT finished_at FROM run WHERE id = ANY($1::bigint[]) ORDER BY id', [
        [doubled, second],
      ])
    ).rows
    await client.query('UPDATE run SET finished_at = $2 WHERE id = $1', [doubled, b.finished_at])
    await client.query('UPDATE run SET finished_at = $2 WHERE id = $1', [second, a.finished_at])
    expect(await changes(doubled, second)).toEqual([
      [ANN, 7, 100, 200, 'MULTIPLIER', doubled],
      [BEN, 7, 10, 20, 'MULTIPLIER', doubled],
    ])
    expect(await changes(second, first)).toEqual([[BEN, 8, 30, 120, 'MULTIPLIER', second]])
  })

  test('is the same by command', async () => {
    const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
    const { code, out } = await command(
      ['runs', 'diff', runs.updated, runs.first, '--limit', '2'],
      env,
    )
    expect(code).toBe(0)
    expect(out).toMatch(new RegExp(`${ANN} .* 100 +200 +100 +supply A x1 -> x2 +${runs.doubled}\n`))
    expect(out).toMatch(
      new RegExp(`${BEN} .* 30 +0 +-30 +position removed, supply A x1 -> x4 +${runs.updated}\n`),
    )
    expect(out).toContain(`4 changes on ${DAY}, 2 shown.`)
    const json = await command(['runs', 'diff', runs.doubled, '--json'], env)
    expect(
      json.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { user: { address: ANN }, pointsChange: 100, reasons: ['MULTIPLIER'] },
      { user: { address: BEN }, pointsChange: 10 },
    ])
    expect(await command(['runs', 'diff', runs.first], env)).toMatchObject({
      out: 'The points of no user changed.\n',
    })
    expect(await command(['runs', 'diff', '999999'], env)).toMatchObject({
      code: 3,
      err: 'There is no run 999999.\n',
    })
  })

  test('is refused with a sentence for other runs, and for changes that are not kept', async () => {
    const { first, doubled, updated, other, back } = runs
    const earlier = `since must be an earlier run of ${DAY} that succeeded`
    for (const since of [other, back, updated, '999999'])
      expect(await changes(updated, since)).toContain(earlier)
    expect(await changes(updated, 'x')).toContain('BigInt')
    const { pool: client } = gateway.deps.store
    await client.query(
      "UPDATE run SET finished_at = finished_at - interval '2 days' WHERE id <= $1",
      [doubled],
    )
    await pruneLedger(client, new Date(Date.now() - 60_000))
    expect(await changes(updated, first)).toContain(
      `since must be a later run: the changes of run ${doubled} are not kept`,
    )
    expect(await changes(updated, doubled)).toHaveLength(3)
    // A run is known although its changes are not.
    const query =
      'query ($run: BigInt!) { run(recordId: $run) { status changesNotKept changes { totalCount } } }'
    const of = async (run: string) => (await gateway.ask(query, { run })).run
    expect(await of(doubled)).toEqual({
      status: 'SUCCEEDED',
      changesNotKept: `The changes of run ${doubled} were not kept.`,
      changes: { totalCount: 0 },
    })
    expect(await of(updated)).toMatchObject({ changesNotKept: null })
    const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
    expect(await command(['runs', 'diff', doubled], env)).toMatchObject({ code: 3 })
    const { out } = await command(['explain', ANN, '--date', DAY], env)
    expect(out).toMatch(
      new RegExp(`^Changes up to [-0-9]{10} [0-9:]{5} \\(run ${doubled}\\) were not kept[.]$`, 'm'),
    )
  })
})
