import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyProgram, everything, records } from '../support/dump.ts'
import { LONG } from '../support/extent.ts'
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
import { hold } from '../support/pause.ts'

const POOLS = ['1', '6', '7'].map((digit) => `0x${digit.repeat(40)}`)
const [, POOL_2, NO_MULTIPLIER] = POOLS as [string, string, string]
const DAYS = ['2026-03-01', DAY, '2026-03-03']

const source = memorySource()
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ positionsSource: source })
})
afterAll(() => gateway.close())
const reset = async () => {
  source.rows = []
  await emptyProgram(gateway.deps.store.pool)
  await importFiles(gateway, {
    pools: POOLS.map((id) => ({ ...pool, id })),
    multipliers: [multiplier, { ...multiplier, poolAddress: POOL_2, deposit_tokenA: 0.5 }],
  })
}
beforeEach(reset)
afterEach(() => {
  source.rows = []
})

const PREVIEW = `query ($date: Date, $multipliers: [MultiplierInput!], $kind: DistributionKind!, $first: Int!) {
  previewDistribution(date: $date, multipliers: $multipliers, kind: $kind, first: $first) {
    distributionDate: date kind programPointsBefore: totalPointsBefore programPointsAfter: totalPointsAfter changedUserCount changedRankCount
    totalsBefore { positionCount userCount totalPoints: points } totalsAfter { positionCount userCount totalPoints: points }
    movers { user { address } pointsBefore pointsAfter pointsChange rankBefore rankAfter } } }`

interface Asked {
  date?: string
  kind?: 'RESYNC' | 'MANUALUPDATE'
  first?: number
  multipliers?: object[]
}
const requestPreview = (
  { date = DAY, kind = 'RESYNC', first = 1000, multipliers }: Asked = {},
  headers: Record<string, string> = asAdmin,
) => gateway.graphql(PREVIEW, { date, kind, first, multipliers }, headers)
async function preview(asked?: Asked) {
  const { data, errors } = await requestPreview(asked)
  expect(errors).toBeUndefined()
  return data.previewDistribution
}
const mutate = async (query: string, variables: object) => {
  const data = await gateway.ask(query, variables, asAdmin)
  return data
}

interface State {
  leaderboard: { nodes: { user: { address: string }; points: number; rank: number }[] }
  program: { totalPoints: number }
  distribution: { positionCount: number; userCount: number; totalPoints: number } | null
}
async function state(date: string): Promise<State> {
  const { data } =
    await gateway.graphql(`{ leaderboard(first: 1000) { nodes { user { address } points rank } }
    program { totalPoints } distribution(date: "${date}") { positionCount userCount totalPoints: points } }`)
  return data
}

/** What a preview must say, of the states before and after what it previews. */
function changes(date: string, kind: string, before: State, after: State) {
  const of = ({ leaderboard }: State) =>
    new Map(leaderboard.nodes.map((entry) => [entry.user.address, entry]))
  const [old, now] = [of(before), of(after)]
  const accounts = [...new Set([...old.keys(), ...now.keys()])].map((address) => {
    const [b, a] = [old.get(address), now.get(address)]
    const [pointsBefore, pointsAfter] = [b?.points ?? 0, a?.points ?? 0]
    const pointsChange = Math.round((pointsAfter - pointsBefore) * 1e6) / 1e6
    return {
      user: { address },
      pointsBefore,
      pointsAfter,
      pointsChange,
      rankBefore: b?.rank ?? null,
      rankAfter: a?.rank ?? null,
    }
  })
  const movers = accounts
    .filter(
      ({ user, pointsChange }) =>
        pointsChange !== 0 || old.has(user.address) !== now.has(user.address),
    )
    .sort(
      (x, y) =>
        Math.abs(y.pointsChange) - Math.abs(x.pointsChange) ||
        (x.user.address < y.user.address ? -1 : 1),
    )
  const none = { positionCount: 0, userCount: 0, totalPoints: 0 }
  return {
    distributionDate: date,
    kind,
    totalsBefore: before.distribution ?? none,
    totalsAfter: after.distribution ?? none,
    programPointsBefore: before.program.totalPoints,
    programPointsAfter: after.program.totalPoints,
    changedUserCount: movers.length,
    changedRankCount: accounts.filter(({ rankBefore, rankAfter }) => rankBefore !== rankAfter)
      .length,
    movers,
  }
}

const on = (day: string, user: string, usd: number, more: object = {}) =>
  position(user, usd, { distributionDate: midnight(day), ...more })

test('shows what a resync would change: the biggest movers first', async () => {
  await importFiles(gateway, {
    positions: [
      on(DAY, ANN, 10, { pointsA: 1, pointsB: 0 }),
      on(DAY, BEN, 5, { pointsA: 40, pointsB: 0 }),
      on(DAY, CAT, 5),
      on(DAYS[0] as string, CAT, 1),
    ],
  })
  expect(await preview()).toEqual({
    distributionDate: DAY,
    kind: 'RESYNC',
    totalsBefore: { positionCount: 3, userCount: 3, totalPoints: 51 },
    totalsAfter: { positionCount: 3, userCount: 3, totalPoints: 40 },
    programPointsBefore: 53,
    programPointsAfter: 42,
    changedUserCount: 2,
    changedRankCount: 2,
    movers: [
      {
        user: { address: BEN },
        pointsBefore: 40,
        pointsAfter: 10,
        pointsChange: -30,
        rankBefore: 1,
        rankAfter: 3,
      },
      {
        user: { address: ANN },
        pointsBefore: 1,
        pointsAfter: 20,
        pointsChange: 19,
        rankBefore: 3,
        rankAfter: 1,
      },
    ],
  })
  expect((await preview({ first: 1 })).movers).toMatchObject([{ user: { address: BEN } }])
  expect(await preview({ first: 0 })).toMatchObject({ changedUserCount: 2, movers: [] })
})

test('of changes of one size the first address is first; without a date it is the newest stored one', async () => {
  await importFiles(gateway, {
    positions: [on(DAY, CAT, 9), on(DAY, ANN, 9), on(DAY, BEN, 9), on(DAYS[0] as string, BEN, 7)],
  })
  const { data } = await gateway.graphql(
    `{ previewDistribution(multipliers: { poolAddress: "${POOL}", depositA: 3 }) { distributionDate: date kind movers { user { address } pointsChange } } }`,
    {},
    asAdmin,
  )
  expect(data.previewDistribution).toEqual({
    distributionDate: DAY,
    kind: 'RESYNC',
    movers: [ANN, BEN, CAT].map((address) => ({ user: { address }, pointsChange: 9 })),
  })
})

test.each<[string, Asked]>([
  ['a resync', {}],
  [
    'a resync with other multipliers',
    {
      multipliers: [
        { poolAddress: POOL, depositA: 7 },
        { poolAddress: NO_MULTIPLIER, borrowB: 1 },
      ],
    },
  ],
  ['a manualupdate', { kind: 'MANUALUPDATE' }],
  ['a manualupdate of a date that is not stored', { kind: 'MANUALUPDATE', date: '2026-03-09' }],
])('of %s writes nothing', async (_, asked) => {
  await importFiles(gateway, {
    positions: [on(DAY, ANN, 10, { pointsA: 1, pointsB: 0 }), on(DAY, BEN, 5)],
  })
  source.rows = [DAY, '2026-03-09'].flatMap((day) => [
    on(day, BEN, 3),
    on(day, CAT, 4),
    on(day, ANN, 1, { marketAddress: NO_MULTIPLIER }),
  ])
  const both = async () => ({
    ...(await records(gateway.deps.store.pool)),
    ...(await everything(gateway.deps.store.pool)),
  })
  const before = await both()
  const etag = (await gateway.get('/points/leaderboard')).headers.get('etag')
  expect((await preview(asked)).movers.length).toBeGreaterThan(0)
  expect(await both()).toEqual(before)
  expect((await gateway.get('/points/leaderboard')).headers.get('etag')).toBe(etag)
})

test('while it computes, readers see what is stored, and a run of the date gets a conflict', async () => {
  await importFiles(gateway, { positions: [on(DAY, ANN, 10, { pointsA: 1, pointsB: 0 })] })
  const before = await state(DAY)
  const held = await hold(gateway, 'in the middle of its writing')
  const previewing = preview()
  await held.caught()
  expect(await state(DAY)).toEqual(before)
  const run = await fetch(`${gateway.base}/points/resync?date=${DAY}`, {
    method: 'POST',
    headers: asAdmin,
  })
  expect(run.status).toBe(409)
  expect(await run.json()).toMatchObject({
    detail: expect.stringContaining('it has just started, or is a preview'),
  })
  await held.release()
  expect((await previewing).totalsAfter.totalPoints).toBe(20)
  expect(await state(DAY)).toEqual(before)
})

describe('wrong questions', () => {
  beforeEach(() => importFiles(gateway, { positions: [on(DAY, ANN, 10)] }))
  const error = async (asked: Asked, headers?: Record<string, string>) => {
    const { data, errors } = await requestPreview(asked, headers)
    expect(data?.previewDistribution ?? null).toBeNull()
    return errors?.[0]
  }
  const factor = (value: unknown) => ({ multipliers: [{ poolAddress: POOL, depositA: value }] })

  test.each<[string, Asked, string, string | RegExp]>([
    ['a date in the future', { date: '2999-01-01' }, 'BAD_INPUT', 'must not be in the future'],
    [
      'a date without positions',
      { date: '2026-03-08' },
      'NOT_FOUND',
      'No positions are stored for 2026-03-08',
    ],
    [
      'an unknown pool',
      { multipliers: [{ poolAddress: ANN, depositA: 1 }] },
      'NOT_FOUND',
      `There is no pool ${ANN}`,
    ],
    [
      'a pool twice',
      {
        multipliers: [{ poolAddress: POOL }, { poolAddress: POOL.toUpperCase().replace('X', 'x') }],
      },
      'BAD_INPUT',
      '',
    ],
    ['a negative factor', factor(-1), 'BAD_INPUT', ''],
    ['a factor that is not a number', factor('NaN'), 'BAD_INPUT', /NaN/],
    [
      'a pool that is not an address',
      { multipliers: [{ poolAddress: 'S/USDC' }] },
      'BAD_INPUT',
      /Address must be/,
    ],
    ['no multipliers in a list', { multipliers: [] }, '', ''],
    ['fewer than none', { first: -1 }, 'BAD_INPUT', 'first must be from 0 to 1000'],
    ['too many', { first: 1001 }, 'BAD_INPUT', 'first must be from 0 to 1000'],
    [
      'what the source does not have',
      { kind: 'MANUALUPDATE' },
      'SOURCE_FAILED',
      `it has no positions of ${DAY}`,
    ],
  ])('%s', async (_, asked, code, message) => {
    if (code === '') return void (await preview(asked))
    const before = await records(gateway.deps.store.pool)
    const refusal = await error(asked)
    expect(refusal).toMatchObject({
      extensions: { code },
      message:
        typeof message === 'string'
          ? expect.stringContaining(message)
          : expect.stringMatching(message),
    })
    if (code === 'BAD_INPUT' && message === '') expect(refusal?.extensions.problems).toHaveLength(1)
    expect(await records(gateway.deps.store.pool)).toEqual(before)
  })

  test('without the admin token, or with a wrong one', async () => {
    expect(await error({}, {})).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
    expect(await error({}, { authorization: 'Bearer no-such-token' })).toMatchObject({
      extensions: { code: 'UNAUTHENTICATED' },
    })
  })
})

test('equals what the run then does, also with multipliers that are not stored yet', async () => {
  const usd = fc.nat(1e9).map((n) => n / 7e4)
  const factor = fc.option(
    fc.nat(100).map((n) => n / 10),
    { nil: undefined },
  )
  const amounts = fc.record({
    aSuppliedAmountUsd: usd,
    aProtectedSuppliedAmountUsd: usd,
    bBorrowedAmountUsd: usd,
    bSuppliedAmountUsd: usd,
  })
  const users = Array.from({ length: 6 }, (_, i) => `0x${String(i + 1).repeat(40)}`)
  const row = fc
    .tuple(fc.constantFrom(...DAYS), fc.constantFrom(...users), fc.constantFrom(...POOLS), amounts)
    .map(([day, user, marketAddress, more]) => on(day, user, 1, { marketAddress, ...more }))
  const generated = fc
    .tuple(row, fc.option(fc.tuple(usd, usd), { nil: undefined }))
    .map(([of, points]) => ({
      ...of,
      ...(points && { pointsA: points[0], pointsB: points[1] }),
    }))
  const rows = (maxLength: number) =>
    fc.uniqueArray(generated, {
      minLength: 1,
      maxLength,
      selector: ({ userAddress, distributionDate, marketAddress }) =>
        `${userAddress} ${distributionDate} ${marketAddress}`,
    })
  const updates = fc.uniqueArray(
    fc.record({
      poolAddress: fc.constantFrom(...POOLS),
      depositA: factor,
      depositB: factor,
      borrowB: factor,
    }),
    { selector: ({ poolAddress }) => poolAddress, maxLength: 3 },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        stored: rows(14),
        fetched: rows(10),
        kind: fc.constantFrom('RESYNC', 'MANUALUPDATE'),
        multipliers: updates,
        first: fc.integer({ min: 0, max: 8 }),
      }),
      async ({ stored, fetched, kind, multipliers, first }) => {
        await reset()
        await importFiles(gateway, { positions: stored })
        source.rows = fetched
        const date = (kind === 'RESYNC' ? stored : fetched)[0]?.distributionDate.slice(0, 10) ?? DAY
        const before = await state(date)
        const previewed = await preview({ date, kind, multipliers, first })
        expect(await state(date)).toEqual(before)
        if (multipliers.length > 0)
          await mutate(
            'mutation ($m: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $m }) { multipliers { id } } }',
            {
              m: multipliers,
            },
          )
        const verb = kind === 'RESYNC' ? 'resyncDistribution' : 'updateDistribution'
        await mutate(
          `mutation ($date: Date) { ${verb}(input: { date: $date }) { run { status } } }`,
          { date },
        )
        const done = changes(date, kind, before, await state(date))
        expect(previewed).toEqual({ ...done, movers: done.movers.slice(0, first) })
      },
    ),
    { numRuns: LONG ? 20 : 8, interruptAfterTimeLimit: 40_000 },
  )
})
