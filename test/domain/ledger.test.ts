import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { resync as runResync } from '../../src/domain/distribution/resync.ts'
import { pruneLedger } from '../../src/domain/ledger/prune.ts'
import { type Schedule, startSchedule } from '../../src/jobs/schedule.ts'
import { emptyProgram } from '../support/dump.ts'
import { runs } from '../support/extent.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import {
  ANN,
  BEN,
  DAY,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03']

const source = memorySource()
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ positionsSource: source })
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2, marketId: 8 }] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query(
    'DELETE FROM removed_day; DELETE FROM multiplier_revision; DELETE FROM run',
  )
})

const admin = (query: string) => gateway.ask(query, undefined, asAdmin)
const set = (depositA: number, from?: string, poolAddress = POOL) =>
  admin(`mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${poolAddress}", depositA: ${depositA}
    ${from ? `, from: "${from}"` : ''} }] }) { multipliers { depositA } } }`)
const resync = (date: string) =>
  admin(`mutation { resyncDistribution(input: { date: "${date}" }) { run { recordId } } }`)
const update = async (day: string, rows: object[]) => {
  source.rows = rows
  await admin(`mutation { updateDistribution(input: { date: "${day}" }) { run { recordId } } }`)
}
const entries = async (user = ANN, args = '') =>
  (
    await gateway.ask(`{ user(address: "${user}") { ledger${args} { totalCount nodes {
      date pool { recordNumber: number } run { kind requestedBy } pointsBefore pointsAfter pointsChange reasons } } } }`)
  ).user.ledger.nodes.map(({ pool, run, ...one }: any) => ({
    ...one,
    pool: pool.recordNumber,
    kind: run.kind,
  }))
const entry = (
  date: string,
  kind: string,
  before: number,
  after: number,
  ...reasons: string[]
) => ({
  date,
  kind,
  pool: 7,
  pointsBefore: before,
  pointsAfter: after,
  pointsChange: after - before,
  reasons,
})

describe('the ledger of an account', () => {
  test('has what each run changed and why, and nothing of the first run of a date', async () => {
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
      positions: [position(ANN, 100)],
    })
    expect(await entries()).toEqual([])
    await resync(DAY)
    expect(await entries()).toEqual([])
    await set(2)
    await resync(DAY)
    await update(DAY, [position(ANN, 150), position(BEN, 10)])
    await update(DAY, [
      position(ANN, 150, { aTokenPrice: 2, aSuppliedAmountUsd: 300 }),
      position(BEN, 10),
    ])
    await update(DAY, [position(BEN, 10)])
    await update(DAY, [position(ANN, 5), position(BEN, 10)])
    expect(await entries()).toEqual([
      entry(DAY, 'MANUALUPDATE', 0, 10, 'POSITION_ADDED'),
      entry(DAY, 'MANUALUPDATE', 600, 0, 'POSITION_REMOVED'),
      entry(DAY, 'MANUALUPDATE', 300, 600, 'PRICE'),
      entry(DAY, 'MANUALUPDATE', 200, 300, 'POSITION_CHANGED'),
      entry(DAY, 'RESYNC', 100, 200, 'MULTIPLIER'),
    ])
    const { nodes } = (
      await gateway.ask(`{ user(address: "${ANN}") { ledger { nodes { id pointsAfter } } } }`)
    ).user.ledger
    const ids = nodes.map(({ id }: { id: string }) => id)
    const query =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on LedgerEntry { pointsAfter } } }'
    expect(await gateway.ask(query, { ids: [...ids].reverse() })).toEqual({
      nodes: [...nodes].reverse(),
    })
    expect(await entries(BEN)).toEqual([entry(DAY, 'MANUALUPDATE', 0, 20, 'POSITION_ADDED')])
    expect(await entries(ANN, '(first: 1, orderBy: POINTS_CHANGE, orderDirection: ASC)')).toEqual([
      entry(DAY, 'MANUALUPDATE', 600, 0, 'POSITION_REMOVED'),
    ])
    expect(await entries(ANN, '(where: { change: { gt: 100 } })')).toEqual([
      entry(DAY, 'MANUALUPDATE', 300, 600, 'PRICE'),
    ])
  })

  test('says that points were imported, and that base points differ', async () => {
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
      positions: [position(ANN, 100)],
    })
    await importFiles(gateway, { positions: [position(ANN, 100, { pointsA: 7, pointsB: 0 })] })
    await resync(DAY)
    await gateway.deps.store.pool.query(
      "INSERT INTO base_points_revision (deposit, borrow, from_date, changed_by) VALUES (3, 1, '2026-03-02', 'test')",
    )
    await resync(DAY)
    await gateway.deps.store.pool.query('DELETE FROM base_points_revision')
    expect(await entries()).toEqual([
      entry(DAY, 'RESYNC', 100, 300, 'BASE_POINTS'),
      entry(DAY, 'RESYNC', 7, 100, 'IMPORTED_POINTS'),
      entry(DAY, 'IMPORT', 100, 7, 'IMPORTED_POINTS'),
    ])
  })

  test('is not written by a preview, nor by a run that fails', async () => {
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
      positions: [position(ANN, 100)],
    })
    await set(2)
    await admin(`{ previewDistribution(date: "${DAY}") { changedUserCount } }`)
    source.rows = []
    const { errors } = await gateway.graphql(
      `mutation { updateDistribution(input: { date: "${DAY}" }) { run { recordId } } }`,
      undefined,
      asAdmin,
    )
    expect(errors).toHaveLength(1)
    expect(await entries()).toEqual([])
  })
})

describe('how long entries are kept', () => {
  test('entries of runs that are older are removed, also those of days without positions', async () => {
    const { pool: client } = gateway.deps.store
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
      positions: [position(ANN, 100), position(BEN, 10)],
    })
    await set(2)
    await resync(DAY)
    await update(DAY, [position(ANN, 100)])
    await set(3)
    await resync(DAY)
    const all = [await entries(), await entries(BEN)]
    expect(all.map((list) => list.length)).toEqual([2, 2])
    const counts = async () =>
      (
        await gateway.ask('{ runs { nodes { ledgerEntryCount changedUserCount } } }')
      ).runs.nodes.map((run: any) => [run.ledgerEntryCount, run.changedUserCount])
    // The third run added the change of Ann alone, as Ben was gone.
    expect(await counts()).toEqual([
      [1, 1],
      [1, 1],
      [2, 2],
      [null, null],
    ])
    expect(await pruneLedger(client, new Date(Date.now() - 60_000))).toBe(0)
    expect([await entries(), await entries(BEN)]).toEqual(all)

    await client.query(
      "UPDATE run SET finished_at = now() - interval '2 days' WHERE id < (SELECT max(id) FROM run)",
    )
    expect(await pruneLedger(client, new Date(Date.now() - 60_000))).toBe(2)
    expect([await entries(), await entries(BEN)]).toEqual([
      [entry(DAY, 'RESYNC', 200, 300, 'MULTIPLIER')],
      [],
    ])
    expect((await client.query('SELECT FROM removed_day')).rowCount).toBe(0)
    expect(await pruneLedger(client, new Date(Date.now() - 60_000))).toBe(0)
    expect(await pruneLedger(client, new Date(Date.now() + 60_000))).toBe(1)
    expect(await entries()).toEqual([])
    expect(new Set((await counts()).flat())).toEqual(new Set([null]))
    expect((await client.query('SELECT FROM account_day WHERE ledger IS NOT NULL')).rowCount).toBe(
      0,
    )
  })

  test('the schedule removes them, and 0 days are no ledger', async () => {
    await importFiles(gateway, {
      multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
      positions: [position(ANN, 100)],
    })
    await set(2)
    await resync(DAY)
    const now = () => new Date(Date.now() + 3 * 86_400_000)
    let schedule: Schedule | undefined
    const tidy = async (days: string) => {
      const config = readConfig({ LEDGER_DAYS: days })
      await new Promise<void>((onLooked) => {
        schedule = startSchedule({ ...gateway.deps, config, now }, { onLooked: () => onLooked() })
      })
      await schedule?.close()
    }
    await tidy('4')
    expect(await entries()).toHaveLength(1)
    await tidy('2')
    expect(await entries()).toEqual([])

    await set(3)
    const deps = { ...gateway.deps, pool: gateway.deps.store.pool, keepsLedger: false }
    await runResync(deps, new Date(DAY), 'test')
    expect(await entries()).toEqual([])
    expect(
      (
        await gateway.ask(
          '{ runs(first: 1) { nodes { ledgerEntryCount totalsAfter { points } } } }',
        )
      ).runs.nodes,
    ).toEqual([{ ledgerEntryCount: null, totalsAfter: { points: 300 } }])
  })
})

test('the first points of a date and the entries of the ledger add up to the points', async () => {
  const usd = fc.constantFrom(0, 1, 10 / 7, 1e5 / 3)
  const row = fc.record({
    user: fc.constantFrom(ANN, BEN),
    pool: fc.constantFrom(POOL, POOL_2),
    usd,
  })
  const rows = fc.uniqueArray(row, {
    minLength: 1,
    maxLength: 4,
    selector: (one) => one.user + one.pool,
  })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('update' as const), day: fc.constantFrom(...DAYS), rows }),
    fc.record({ kind: fc.constant('import' as const), day: fc.constantFrom(...DAYS), rows }),
    fc.record({ kind: fc.constant('resync' as const), day: fc.constantFrom(...DAYS) }),
    fc.record({
      kind: fc.constant('set' as const),
      factor: fc.nat(50).map((n) => n / 7),
      pool: fc.constantFrom(POOL, POOL_2),
      from: fc.option(fc.constantFrom(...DAYS), { nil: undefined }),
    }),
  )
  const key = "user_address || ' ' || distribution_date || ' ' || pool_key"
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
      const { pool: client } = gateway.deps.store
      await emptyProgram(client)
      await client.query(
        'DELETE FROM removed_day; DELETE FROM multiplier_revision; DELETE FROM run',
      )
      const read = async (sql: string) =>
        new Map(
          (await client.query<{ key: string; points: string }>(sql)).rows.map((one) => [
            one.key,
            BigInt(one.points),
          ]),
        )
      const stored = () =>
        read(`SELECT ${key} AS key, points_a + points_b AS points FROM stored_position`)
      const first = new Map<string, bigint>()
      const seen = new Set<string>()
      for (const one of steps) {
        const days = one.kind === 'set' ? [] : [one.day]
        const at = (day: string) =>
          (one.kind === 'update' || one.kind === 'import' ? one.rows : []).map((row) =>
            position(row.user, row.usd, {
              marketAddress: row.pool,
              distributionDate: midnight(day),
            }),
          )
        if (one.kind === 'set') await set(one.factor, one.from, one.pool)
        if (one.kind === 'update') await update(one.day, at(one.day))
        if (one.kind === 'import') await importFiles(gateway, { positions: at(one.day) })
        if (one.kind === 'resync' && seen.has(one.day)) await resync(one.day)
        if (one.kind === 'resync') continue
        for (const day of days)
          if (!seen.has(day)) {
            seen.add(day)
            for (const [key, points] of await stored())
              if (key.includes(day)) first.set(key, points)
          }
      }
      // On a cluster, a ledger is read user by user.
      const changesOf = (user: string) =>
        read(`SELECT ${key} AS key, sum(points_after - points_before) AS points FROM account_ledger
          WHERE user_address = '${user}' GROUP BY 1`)
      const changes = new Map([...(await changesOf(ANN)), ...(await changesOf(BEN))])
      const now = await stored()
      for (const key of new Set([...first.keys(), ...changes.keys(), ...now.keys()]))
        expect((first.get(key) ?? 0n) + (changes.get(key) ?? 0n), key).toBe(now.get(key) ?? 0n)
    }),
    { numRuns: runs({ sample: 4, all: 12, long: 12 }) },
  )
})
