import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { settleDue } from '../../src/domain/multiplier/settle.ts'
import { command } from '../support/command-line.ts'
import { emptyProgram, records } from '../support/dump.ts'
import { runs } from '../support/extent.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']
const TODAY = '2026-03-04'

let gateway: Gateway
let now: Date
beforeAll(async () => {
  gateway = await startGateway({ now: () => now })
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2 }] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  now = new Date(`${TODAY}T12:00:00Z`)
  await emptyProgram(gateway.deps.store.pool)
  await gateway.deps.store.pool.query(
    'DELETE FROM multiplier_revision; DELETE FROM run; DELETE FROM base_points_revision',
  )
})

const graph = async (query: string) => {
  const { data, errors } = await gateway.graphql(query, undefined, asAdmin)
  return errors ? { error: errors[0].message } : data
}
const set = (depositA: number, from?: string, poolAddress = POOL) =>
  graph(`mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${poolAddress}", depositA: ${depositA}
    ${from ? `, from: "${from}"` : ''} }] }) { multipliers { poolAddress depositA updatedAt } } }`)
const revoke = (id: string) =>
  graph(
    `mutation { revokeMultiplier(input: { recordId: "${id}" }) { revision { recordId revokedBy from } } }`,
  )
const resync = (day: string) =>
  graph(
    `mutation { resyncDistribution(input: { date: "${day}" }) { run { totalsAfter { points } } } }`,
  )
const preview = (day: string) =>
  graph(`{ previewDistribution(date: "${day}") { totalsAfter { points } } }`)
const rest = (path: string, body?: object) =>
  fetch(gateway.base + path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache', ...asAdmin },
  })
const points = async () => {
  const { distributions } = await gateway.ask('{ distributions { nodes { date points } } }')
  return Object.fromEntries(distributions.nodes.map((one: any) => [one.date, one.points]))
}
const on = async (day: string) => {
  const { multipliers } = await gateway.ask(
    `{ multipliers(asOf: "${day}") { nodes { poolAddress depositA } } }`,
  )
  return Object.fromEntries(multipliers.nodes.map((one: any) => [one.poolAddress, one.depositA]))
}
const revisions = async () =>
  (
    await gateway.ask(
      '{ multiplierRevisions { nodes { recordId poolAddress depositA from revokedBy changedBy } } }',
    )
  ).multiplierRevisions.nodes
/** $100 of token A supplied on each day. */
const stored = () =>
  importFiles(gateway, {
    multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
    positions: DAYS.map((day) => position(ANN, 100, { distributionDate: midnight(day) })),
  })

describe('the rules of a date', () => {
  test('are the newest revision without a date, or with one that is not after it', async () => {
    await stored()
    expect(await points()).toEqual({
      [DAYS[0]!]: 100,
      [DAYS[1]!]: 100,
      [DAYS[2]!]: 100,
      [DAYS[3]!]: 100,
    })
    await set(2, '2026-03-03')
    await set(5, '2026-03-02')
    expect(
      await Promise.all(['2026-03-01', '2026-03-02', '2026-03-03', '9999-12-31'].map(on)),
    ).toEqual([1, 5, 5, 5].map((factor) => ({ [POOL]: factor })))
    await set(7, '2026-03-04')
    for (const day of DAYS) await resync(day)
    expect(await points()).toEqual({
      [DAYS[0]!]: 100,
      [DAYS[1]!]: 500,
      [DAYS[2]!]: 500,
      [DAYS[3]!]: 700,
    })
    // Without a date it counts for every date, as it always did.
    await set(3)
    for (const day of DAYS) await resync(day)
    expect(Object.values(await points())).toEqual([300, 300, 300, 300])
  })

  test('count for imports and previews too, and a run says which it used', async () => {
    await set(2)
    await set(4, '2026-03-03')
    await stored()
    await set(6, '2026-03-02')
    expect(await preview('2026-03-01')).toEqual({
      previewDistribution: { totalsAfter: { points: 100 } },
    })
    expect(await preview('2026-03-02')).toEqual({
      previewDistribution: { totalsAfter: { points: 600 } },
    })
    await resync('2026-03-02')
    await set(9)
    const { distribution } = await gateway.ask(`{ distribution(date: "2026-03-02") {
      positions { nodes { multiplierUsed { depositA from } } } run { multipliers { nodes { poolAddress depositA } } } } }`)
    expect(distribution).toEqual({
      positions: { nodes: [{ multiplierUsed: { depositA: 6, from: '2026-03-02' } }] },
      run: { multipliers: { nodes: [{ poolAddress: POOL, depositA: 6 }] } },
    })
  })

  test('of today are those that REST shows, before and after midnight', async () => {
    await stored()
    const before = await (await rest('/multipliers/all')).json()
    const answer = await rest('/multipliers/update', {
      poolAddress: POOL,
      deposit_tokenA: 8,
      from: '2026-03-05',
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      [{ poolAddress: POOL, deposit_tokenA: 8 }],
    ])
    expect(await (await rest('/multipliers/all')).json()).toEqual(before)
    expect(await settleDue(gateway.deps.store.pool, now)).toBe(0)
    await gateway.deps.store.pool.query(
      "UPDATE multiplier_revision SET changed_at = '2026-03-04T12:00:00Z'",
    )
    now = new Date('2026-03-05T00:00:30Z')
    expect(await settleDue(gateway.deps.store.pool, now)).toBe(1)
    expect(await settleDue(gateway.deps.store.pool, now)).toBe(0)
    const [after] = await (await rest('/multipliers/all')).json()
    expect(after).toEqual({
      ...before[0],
      deposit_tokenA: 8,
      updatedAt: '2026-03-05T00:00:00.000Z',
    })
    expect(await revisions()).toHaveLength(2)
  })

  test('follow an announcement until it is revoked', async () => {
    await stored()
    expect(await set(8, '2026-04-01')).toMatchObject({
      updateMultipliers: { multipliers: [{ depositA: 8 }] },
    })
    const [announced] = await revisions()
    expect(announced).toMatchObject({
      from: '2026-04-01',
      depositA: 8,
      changedBy: 'admin',
      revokedBy: null,
    })
    expect(await on('2026-04-01')).toEqual({ [POOL]: 8 })
    expect(await revoke(announced.recordId)).toEqual({
      revokeMultiplier: {
        revision: { recordId: announced.recordId, revokedBy: 'admin', from: '2026-04-01' },
      },
    })
    expect(await on('2026-04-01')).toEqual({ [POOL]: 1 })
    expect(await revisions()).toMatchObject([
      { recordId: announced.recordId, revokedBy: 'admin' },
      { from: null },
    ])
  })

  test('are undone by restating those from before, for the dates that they counted for', async () => {
    await stored()
    await set(2, '2026-03-03')
    await set(5)
    const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
    expect(await command(['multipliers', 'undo'], env)).toMatchObject({ code: 0 })
    expect(await Promise.all(DAYS.map(on))).toEqual(
      [1, 1, 2, 2].map((factor) => ({ [POOL]: factor })),
    )
    expect(await command(['multipliers', 'undo'], env)).toMatchObject({ code: 0 })
    expect(await Promise.all(DAYS.map(on))).toEqual(
      [5, 5, 5, 5].map((factor) => ({ [POOL]: factor })),
    )
    await set(6, '9000-01-01')
    expect(await command(['multipliers', 'undo', POOL], env)).toMatchObject({ code: 0 })
    expect(await on('9000-01-01')).toEqual({ [POOL]: 5 })
    expect((await revisions())[0]).toMatchObject({ depositA: 6, revokedBy: 'cli' })
  })

  test('come along when the history is exported and imported', async () => {
    await stored()
    await set(2, '2026-03-03')
    await set(5, '2026-04-01')
    const [future] = await revisions()
    await revoke(future.recordId)
    const { rows } =
      await gateway.deps.store.pool.query(`SELECT id::int, pool_address AS "poolAddress",
      deposit_token_a AS "deposit_tokenA", deposit_token_b AS "deposit_tokenB", borrow_token_a AS "borrow_tokenA",
      borrow_token_b AS "borrow_tokenB", changed_at AS "changedAt", recorded_at AS "recordedAt", changed_by AS "changedBy",
      from_date::text AS "fromDate", revoked_at AS "revokedAt", revoked_by AS "revokedBy" FROM multiplier_revision ORDER BY id`)
    const { rows: current } =
      await gateway.deps.store.pool.query(`SELECT pool_address AS "poolAddress",
      deposit_token_a AS "deposit_tokenA", deposit_token_b AS "deposit_tokenB", borrow_token_a AS "borrow_tokenA",
      borrow_token_b AS "borrow_tokenB", updated_at AS "updatedAt" FROM multiplier`)
    const before = await revisions()
    await emptyProgram(gateway.deps.store.pool)
    await gateway.deps.store.pool.query('DELETE FROM multiplier_revision; DELETE FROM run')
    await importFiles(gateway, { 'multiplier-revisions': rows, multipliers: current })
    expect(await revisions()).toEqual(before)
    expect(await Promise.all([...DAYS, '2026-04-01'].map(on))).toEqual(
      [1, 1, 2, 2, 2].map((factor) => ({ [POOL]: factor })),
    )
  })
})

test('two resyncs of a date give the same millionths, whatever changed in between for other dates', async () => {
  const from = fc.option(fc.constantFrom(...DAYS, '2026-03-05', '2026-03-06'), { nil: undefined })
  const change = fc.record({
    depositA: fc.nat(9_999).map((n) => n / 7),
    from,
    pool: fc.constantFrom(POOL, POOL_2),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 6 }),
      fc.array(change, { maxLength: 4 }),
      async (first, then) => {
        await emptyProgram(gateway.deps.store.pool)
        await gateway.deps.store.pool.query('DELETE FROM multiplier_revision')
        await importFiles(gateway, {
          positions: DAYS.flatMap((day, i) =>
            [POOL, POOL_2].map((marketAddress) =>
              position(ANN, 100 / (i + 3), { distributionDate: midnight(day), marketAddress }),
            ),
          ),
        })
        const log: typeof first = []
        const make = async (one: (typeof first)[number]) => {
          log.push(one)
          await set(one.depositA, one.from, one.pool)
        }
        /** Computed by hand: the newest change whose date is absent or not after the day. */
        const expected = (day: string, at: number) =>
          [POOL, POOL_2].reduce((sum, pool) => {
            const rule = log.findLast(
              (one) => one.pool === pool && (one.from === undefined || one.from <= day),
            )
            return sum + Math.round((rule?.depositA ?? 0) * (100 / (at + 3)) * 1e6)
          }, 0) / 1e6
        const all = async () => {
          for (const day of DAYS) await resync(day)
          const stored = await points()
          for (const [at, day] of DAYS.entries())
            expect(stored[day], day).toBeCloseTo(expected(day, at), 6)
          return stored
        }
        for (const one of first) await make(one)
        const before = await all()
        for (const one of then) await make(one)
        const after = await all()
        const others = then.map(({ from }) => from ?? '')
        for (const day of DAYS)
          if (others.every((date) => date > day)) expect(after[day]).toBe(before[day])
      },
    ),
    { numRuns: runs({ sample: 4, all: 12, long: 12 }) },
  )
})

describe('refused, with nothing changed', () => {
  beforeEach(stored)
  const unchanged = async (work: () => Promise<unknown>) => {
    const before = await records(gateway.deps.store.pool)
    const answer = await work()
    expect(await records(gateway.deps.store.pool)).toEqual(before)
    return answer
  }

  test.each(['tomorrow', '2026-02-30', '', 20260301, null])(
    'a first date that is %j',
    async (from) => {
      const answer = (await unchanged(() =>
        rest('/multipliers/update', { poolAddress: POOL, from }),
      )) as Response
      expect(answer.status).toBe(400)
      expect((await answer.json()).errors).toContainEqual(
        expect.objectContaining({ message: expect.stringContaining('must be a date') }),
      )
      if (typeof from === 'string')
        expect(await unchanged(() => set(1, from || ' '))).toEqual({
          error: expect.stringContaining('Date must be'),
        })
    },
  )

  test('an announcement for a pool that is unknown', async () => {
    expect(await unchanged(() => set(1, '2026-04-01', ANN))).toEqual({
      error: `There is no pool ${ANN}; nothing was changed.`,
    })
  })

  test('a factor that points cannot hold, when its date is computed', async () => {
    await set(1e9, '2026-03-02')
    const before = await points()
    expect(await resync('2026-03-02')).toEqual({
      error: expect.stringMatching(/^The points are beyond .*Nothing was changed\.$/),
    })
    expect(await points()).toEqual(before)
    expect(await resync('2026-03-01')).toEqual({
      resyncDistribution: { run: { totalsAfter: { points: 100 } } },
    })
  })

  test('the revocation of a revision that is in force, of an unknown one, and a second one', async () => {
    await set(2, '2026-03-04')
    await set(4, '2026-03-05')
    const [future, dated, first] = (await revisions()).map((one: any) => one.recordId)
    expect(await unchanged(() => revoke(dated))).toEqual({
      error: `The revision ${dated} has been in force since 2026-03-04: set other multipliers instead.`,
    })
    expect(await unchanged(() => revoke(first))).toEqual({
      error: `The revision ${first} has been in force since the first date: set other multipliers instead.`,
    })
    expect(await unchanged(() => revoke('999999'))).toEqual({
      error: 'There is no revision 999999; nothing was changed.',
    })
    expect(await unchanged(() => revoke('x'))).toEqual({
      error: 'BigInt must be a decimal integer from 0 up, as a string, not "x".',
    })
    now = new Date('2026-03-05T00:00:00Z')
    expect(await revoke(future)).toEqual({
      error: `The revision ${future} has been in force since 2026-03-05: set other multipliers instead.`,
    })
    now = new Date(`${TODAY}T23:59:59Z`)
    await Promise.all([revoke(future), revoke(future)]).then((both) =>
      expect(both).toContainEqual({ error: `admin has revoked the revision ${future} before.` }),
    )
  })

  test('two admins at once: both changes are in the log, and the later one is the rule', async () => {
    await Promise.all([set(2, '2026-03-02'), set(3, '2026-03-02')])
    const [newest, older] = await revisions()
    expect([newest.depositA, older.depositA].toSorted()).toEqual([2, 3])
    expect(await on('2026-03-02')).toEqual({ [POOL]: newest.depositA })
  })
})
