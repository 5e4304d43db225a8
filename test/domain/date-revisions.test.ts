import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { emptyProgram, records } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, importFiles, midnight, POOL, pool, position } from '../support/one-pool.ts'

const POOL_2 = `0x${'6'.repeat(40)}`
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await startGateway({ now: () => new Date('2026-03-04T12:00:00Z') })
  env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
  await importFiles(gateway, { pools: [pool, { ...pool, id: POOL_2 }] })
})
afterAll(() => gateway.close())
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await sql('DELETE FROM multiplier_revision; DELETE FROM base_points_revision; DELETE FROM run')
})

const sql = (text: string) => gateway.deps.store.pool.query(text)
const graph = async (query: string) => {
  const { data, errors } = await gateway.graphql(query, undefined, asAdmin)
  return errors ? { error: errors[0].message } : data
}
const set = (depositA: number, poolAddress = POOL, from = '') =>
  graph(`mutation { updateMultipliers(input: { multipliers: [{ poolAddress: "${poolAddress}", depositA: ${depositA}
    ${from && `, from: "${from}"`} }] }) { problems { code } } }`)
/** A multiplier of every date that was set at noon of a day, before there were dates. */
const setOn = async (day: string, depositA: number, poolAddress = POOL) => {
  await set(depositA, poolAddress)
  await sql(`UPDATE multiplier_revision SET changed_at = '${day}T12:00:00Z'
    WHERE id = (SELECT max(id) FROM multiplier_revision WHERE pool_address = '${poolAddress}')`)
}
const resync = (day: string) =>
  graph(
    `mutation { resyncDistribution(input: { date: "${day}" }) { run { totalsAfter { points } } } }`,
  )
const rules = async (poolAddress = POOL) =>
  Promise.all(
    DAYS.map(async (day) => {
      const { multipliers } = await gateway.ask(
        `{ multipliers(asOf: "${day}", where: { pools: "${poolAddress}" }) { nodes { depositA } } }`,
      )
      return multipliers.nodes[0]?.depositA ?? null
    }),
  )
const date = async (...words: string[]) => {
  const { code, out, err } = await command(['multipliers', 'date', ...words], env)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}
const idOf = async (depositA: number) =>
  (
    await sql(
      `SELECT id FROM multiplier_revision WHERE deposit_token_a = ${depositA} ORDER BY id LIMIT 1`,
    )
  ).rows[0].id

describe('multipliers date', () => {
  beforeEach(async () => {
    await importFiles(gateway, {
      positions: DAYS.map((day) => position(ANN, 100, { distributionDate: midnight(day) })),
    })
    await setOn('2026-02-01', 1)
    await setOn('2026-03-02', 2)
    await setOn('2026-03-04', 3)
    await setOn('2026-03-03', 7, POOL_2)
    for (const day of DAYS) await resync(day)
  })

  test('shows the rules that would be those of each date, and changes nothing without --yes', async () => {
    // On a cluster, the lock of writers raises the version of the data.
    const stored = async () => ({ ...(await records(gateway.deps.store.pool)), data_version: null })
    const before = [await stored(), await rules()]
    const out = await date()
    expect(out).toMatch(
      /1 +0 +0 +0 +every date before\n.*2 +0 +0 +0 +2026-03-02\n.*3 +0 +0 +0 +2026-03-04\n/,
    )
    expect(out).toContain(
      'The rules of 3 stored dates would be others: 2026-03-01, 2026-03-02, 2026-03-03.\n',
    )
    expect(out).toContain('Nothing was changed. If that is right, add --yes.')
    expect([await stored(), await rules()]).toEqual(before)
    expect(before[1]).toEqual([3, 3, 3, 3])
  })

  test('dates them once, keeps what runs have used, and can be undone', async () => {
    const used = async () =>
      (
        await gateway.ask(
          '{ runs { nodes { date multipliers { nodes { poolAddress depositA } } } } }',
        )
      ).runs.nodes
    const before = await used()
    expect(JSON.parse(await date('--yes', '--json'))).toMatchObject({
      stored: true,
      rules: [
        { poolAddress: POOL, depositA: 1, from: null },
        { poolAddress: POOL, depositA: 2, from: '2026-03-02' },
        { poolAddress: POOL, depositA: 3, from: '2026-03-04' },
      ],
      dates: DAYS.slice(0, 3),
    })
    expect(await rules()).toEqual([1, 2, 2, 3])
    expect(await rules(POOL_2)).toEqual([7, 7, 7, 7])
    expect(await used()).toEqual(before)
    expect((await sql('SELECT deposit_token_a FROM multiplier ORDER BY 1')).rows).toEqual(
      [3, 7].map((deposit_token_a) => ({ deposit_token_a })),
    )
    const all = 'All revisions that count have their date already: nothing would change.\n'
    expect(await date()).toBe(all)
    expect(await date('--yes')).toBe(all)
    for (const [at, day] of DAYS.entries())
      expect(await resync(day)).toEqual({
        resyncDistribution: { run: { totalsAfter: { points: [100, 200, 200, 300][at] } } },
      })
    expect(await command(['multipliers', 'undo'], env)).toMatchObject({ code: 0 })
    expect(await rules()).toEqual([3, 3, 3, 3])
  })

  test('dates what was set for every date since, and leaves older rules to older dates', async () => {
    await date('--yes')
    await setOn('2026-03-03', 9)
    expect(await rules()).toEqual([9, 9, 9, 9])
    await date('--yes')
    expect(await rules()).toEqual([1, 2, 9, 9])
  })

  test('dates one revision, also the first, before which there is none then', async () => {
    expect(await date(await idOf(3), '--from', '2026-03-03', '--yes')).toContain(
      'The rules of 2 stored dates are others',
    )
    expect(await rules()).toEqual([2, 2, 3, 3])
    await date(await idOf(7), '--from', '2026-03-02', '--yes')
    expect(await rules(POOL_2)).toEqual([null, 7, 7, 7])
  })

  test('leaves announcements as they are', async () => {
    await set(5, POOL, '2026-04-01')
    await date('--yes')
    expect(await rules()).toEqual([1, 2, 2, 3])
    const { multipliers } = await gateway.ask(
      `{ multipliers(asOf: "2026-04-01", where: { pools: "${POOL}" }) { nodes { depositA } } }`,
    )
    expect(multipliers.nodes).toEqual([{ depositA: 5 }])
  })

  test.each([
    [['5'], 2, 'Give both the number of a revision and --from, or neither.\n'],
    [['--from', '2026-03-01'], 2, 'Give both the number of a revision and --from, or neither.\n'],
    [['x', '--from', '2026-03-01'], 2, 'A revision has a number, not x.\n'],
    [['5', '--from', 'today'], 2, 'A date must look like 2025-03-01, not today.\n'],
    [
      ['999999', '--from', '2026-03-01', '--yes'],
      3,
      'There is no revision 999999; nothing was changed.\n',
    ],
  ])('refuses %j with a sentence', async (words, code, err) => {
    expect(await command(['multipliers', 'date', ...words], env)).toMatchObject({
      code,
      err: expect.stringContaining(err),
    })
    expect(await rules()).toEqual([3, 3, 3, 3])
  })
})

describe('base points', () => {
  const basePoints = async (...words: string[]) => command(['base-points', ...words], env)
  const on = async (day: string) =>
    (await gateway.ask(`{ basePoints(asOf: "${day}") { deposit borrow } }`)).basePoints
  const revisions = async () =>
    (
      await gateway.ask(
        '{ basePointsRevisions { recordId deposit borrow from changedBy revokedBy } }',
      )
    ).basePointsRevisions
  const setBase = (deposit: number, borrow: number, from = '') =>
    graph(`mutation { setBasePoints(input: { deposit: ${deposit}, borrow: ${borrow} ${from && `, from: "${from}"`} }) {
      revision { recordId deposit borrow from changedBy revokedAt } } }`)
  const revoke = (recordId: string) =>
    graph(
      `mutation { revokeBasePoints(input: { recordId: "${recordId}" }) { revision { recordId revokedBy } } }`,
    )

  test('are set, announced and revoked by command and in the graph, and runs use those of their date', async () => {
    await importFiles(gateway, {
      positions: DAYS.map((day) => position(ANN, 100, { distributionDate: midnight(day) })),
    })
    await set(2)
    expect(await on(DAYS[0]!)).toEqual({ deposit: 1, borrow: 0.5 })
    expect(
      await gateway.ask(
        '{ basePoints { revision { recordId } } basePointsRevisions { recordId } }',
      ),
    ).toEqual({
      basePoints: { revision: null },
      basePointsRevisions: [],
    })
    const said = await basePoints('set', '--deposit', '3', '--borrow', '1', '--from', '2026-03-03')
    expect(said.out).toMatch(
      /^Revision \d+: 3 points for a dollar supplied, 1 for one borrowed, for dates from 2026-03-03 on\.\n/,
    )
    expect(await setBase(4, 2, '9000-01-01')).toMatchObject({
      setBasePoints: {
        revision: {
          deposit: 4,
          borrow: 2,
          from: '9000-01-01',
          changedBy: 'admin',
          revokedAt: null,
        },
      },
    })
    expect(await Promise.all([...DAYS, '9000-01-01'].map(on))).toEqual(
      [1, 1, 3, 3, 4].map((deposit) => expect.objectContaining({ deposit })),
    )
    for (const [at, day] of DAYS.entries())
      expect(await resync(day)).toEqual({
        resyncDistribution: { run: { totalsAfter: { points: [200, 200, 600, 600][at] } } },
      })
    expect(
      (await gateway.ask('{ runs(first: 2) { nodes { basePointsDeposit } } }')).runs.nodes,
    ).toEqual([{ basePointsDeposit: 3 }, { basePointsDeposit: 3 }])

    const [announced, dated] = (await revisions()).map((one: any) => one.recordId)
    expect(await revoke(dated)).toEqual({
      error: `The revision ${dated} has been in force since 2026-03-03: set other base points instead.`,
    })
    expect(await basePoints('revoke', announced)).toMatchObject({ code: 0 })
    expect(await revoke(announced)).toEqual({
      error: `cli has revoked the revision ${announced} before.`,
    })
    expect(await on('9000-01-01')).toEqual({ deposit: 3, borrow: 1 })
    expect(await setBase(1.5, 0.25)).toMatchObject({ setBasePoints: { revision: { from: null } } })
    expect(await on(DAYS[0]!)).toEqual({ deposit: 1.5, borrow: 0.25 })
    const { out } = await basePoints('history')
    expect(out).toMatch(/4 +2 +9000-01-01 .*admin, revoked by cli\n/)
    expect(out).toContain('Today 1.5 for a dollar supplied and 0.25 for one borrowed count.')
  })

  test('are refused with a sentence, without a change', async () => {
    const before = await revisions()
    expect(await setBase(-1, 1)).toEqual({
      error: expect.stringContaining('must be a finite number from 0 up'),
    })
    expect(await setBase(1, 1, 'tomorrow')).toEqual({
      error: expect.stringContaining('Date must be'),
    })
    expect(await revoke('x')).toEqual({
      error: 'BigInt must be a decimal integer from 0 up, as a string, not "x".',
    })
    expect(await revoke('999999')).toEqual({
      error: 'There is no revision 999999; nothing was changed.',
    })
    expect(await basePoints('set', '--deposit', 'much', '--borrow', '1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('A number of points is a finite number from 0 up, not much.'),
    })
    const { errors } = await gateway.graphql(
      'mutation { setBasePoints(input: { deposit: 1, borrow: 1 }) { revision { from } } }',
    )
    expect(errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
    expect(await revisions()).toEqual(before)
  })
})
