import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { emptyProgram } from '../support/dump.ts'
import { LONG } from '../support/extent.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { memorySource } from '../support/memory-source.ts'
import { importFiles, midnight, pool, position } from '../support/one-pool.ts'

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03']
const USERS = ['a', 'b', 'c', 'd', 'e'].map((digit) => `0x${digit.repeat(40)}`)
const POOLS = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)

const source = memorySource()
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    positionsSource: source,
    env: { POINTS_BASE_BORROW: '0.25', MAX_QUERY_COST: '0' },
  })
  await importFiles(gateway, { pools: POOLS.map((id) => ({ ...pool, id })) })
})
afterAll(() => gateway.close())

type Row = ReturnType<typeof position>
type Op =
  | { op: 'import'; rows: Row[]; factors: Factors[] }
  | { op: 'bad import'; rows: Row[] }
  | { op: 'multipliers'; factors: Factors[] }
  | { op: 'resync' | 'preview'; day: string; factors: Factors[] }
  | { op: 'manualupdate'; day: string; rows: Row[]; breaksAfter: number }
  | { op: 'together'; ops: Op[] }
interface Factors {
  poolAddress: string
  deposit_tokenA?: number
  deposit_tokenB?: number
  borrow_tokenA?: number
  borrow_tokenB?: number
}

const day = fc.constantFrom(...DAYS)
/** Few values, so that different amounts and multipliers often come to equal points. */
const usd = fc.oneof(
  fc.constantFrom(0, 1, 2, 5, 10),
  fc.nat(1e9).map((n) => n / 7e4),
)
const factor = fc.option(
  fc.oneof(
    fc.constantFrom(0, 1, 2, 0.5),
    fc.nat(50).map((n) => n / 10),
  ),
  { nil: undefined },
)
const row: fc.Arbitrary<Row> = fc
  .record({
    user: fc.constantFrom(...USERS),
    day,
    marketAddress: fc.constantFrom(...POOLS),
    a: usd,
    amounts: fc.record({
      aProtectedSuppliedAmountUsd: usd,
      aBorrowedAmountUsd: usd,
      bSuppliedAmountUsd: usd,
      bProtectedSuppliedAmountUsd: usd,
      bBorrowedAmountUsd: usd,
    }),
    points: fc.option(fc.record({ pointsA: usd, pointsB: usd }), { nil: {} }),
  })
  .map(({ user, day, marketAddress, a, amounts, points }) =>
    position(user, a, { distributionDate: midnight(day), marketAddress, ...amounts, ...points }),
  )
const rows = (maxLength: number) =>
  fc.uniqueArray(row, {
    minLength: 1,
    maxLength,
    selector: ({ userAddress, distributionDate, marketAddress }) =>
      `${userAddress} ${distributionDate} ${marketAddress}`,
  })
const factors = (minLength: number) =>
  fc.uniqueArray(
    fc.record({
      poolAddress: fc.constantFrom(...POOLS),
      deposit_tokenA: factor,
      deposit_tokenB: factor,
      borrow_tokenA: factor,
      borrow_tokenB: factor,
    }),
    { minLength, maxLength: 3, selector: ({ poolAddress }) => poolAddress },
  ) as fc.Arbitrary<Factors[]>
const one: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('import'), rows: rows(10), factors: factors(0) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('bad import'), rows: rows(5) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('multipliers'), factors: factors(1) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('resync'), day, factors: fc.constant([]) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('preview'), day, factors: factors(0) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('manualupdate'),
      day,
      rows: rows(8),
      breaksAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(6)),
    }),
  },
) as fc.Arbitrary<Op>
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: one },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('together' as const),
      ops: fc.array(one, { minLength: 2, maxLength: 4 }),
    }),
  },
)

const post = async (path: string, body?: unknown) =>
  (
    await fetch(gateway.base + path, {
      method: 'POST',
      headers: { ...asAdmin, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  ).status
const json = async (path: string): Promise<any> => (await gateway.get(path)).json()
const graph = (query: string) => gateway.ask(query, undefined, asAdmin)

async function perform(op: Op): Promise<void> {
  switch (op.op) {
    case 'import': {
      const multipliers = op.factors.map((factor) => ({
        ...{ deposit_tokenA: 1, deposit_tokenB: 1, borrow_tokenA: 1, borrow_tokenB: 1 },
        ...JSON.parse(JSON.stringify(factor)),
      }))
      return void (await importFiles(gateway, { multipliers, positions: op.rows }))
    }
    case 'bad import':
      return expect(
        importFiles(gateway, { positions: [...op.rows, { userAddress: 'me' }] }),
      ).rejects.toThrow('jsonl')
    case 'multipliers':
      return expect(await post('/multipliers/update', op.factors)).toBe(200)
    case 'resync':
      return expect([200, 404, 409]).toContain(await post(`/points/resync?date=${op.day}`))
    case 'manualupdate': {
      source.rows = op.rows
      source.breaksAfter = op.breaksAfter
      return expect([200, 409, 502]).toContain(await post(`/points/manualupdate?date=${op.day}`))
    }
    case 'preview': {
      const multipliers = op.factors.map((f) => ({
        poolAddress: f.poolAddress,
        depositA: f.deposit_tokenA,
        borrowB: f.borrow_tokenB,
      }))
      const query = `query ($day: Date, $multipliers: [MultiplierInput!]) {
        previewDistribution(date: $day, multipliers: $multipliers) { totalsAfter { totalPoints: points } } }`
      const { errors } = await gateway.graphql(query, { day: op.day, multipliers }, asAdmin)
      return expect([undefined, 'NOT_FOUND', 'CONFLICT']).toContain(errors?.[0].extensions.code)
    }
    case 'together':
      return void (await Promise.all(op.ops.map(perform)))
  }
}

const same = (value: number, expected: number, what: string) => expect(value, what).toBe(expected)
const pointsOf = (all: { points: number }[]) =>
  all.reduce((sum, { points }) => sum + Math.round(points * 1e6), 0) / 1e6
/** Times a million, in doubles, ties to even. */
function rounded(points: number): number {
  const scaled = points * 1e6
  return (Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : Math.round(scaled)) / 1e6
}

const SIDE = 'supplied { usd } protected { usd } borrowed { usd }'
const STATE = `{
  program { totalPoints userCount positionCount: recordCount }
  leaderboard(first: 1000) { totalCount nodes { userAddress points rank
    user { points: totalPoints rank positionCount: recordCount dailyPoints { nodes { distributionDate: date points positions { points } } }
      positions { nodes { points } } } } }
  distributions { nodes { date totalPoints: points positionCount userCount kind
    run { status kind basePointsDeposit basePointsBorrow totalsAfter { totalPoints: points positionCount userCount } }
    runs(first: 1000) { nodes { status } } } }
  positions(first: 1000) { nodes { userAddress poolAddress distributionDate: date points pointsA pointsB
    sideA { ${SIDE} } sideB { ${SIDE} } run { kind status date }
    multiplierUsed { depositA depositB borrowA borrowB } } } }`

/** The published rule, written down once more. */
function formula(p: any): [number, number] {
  const m = p.multiplierUsed ?? { depositA: 0, depositB: 0, borrowA: 0, borrowB: 0 }
  const side = (mine: any, other: any, deposit: number, borrow: number) =>
    deposit * (mine.supplied.usd + (other.borrowed.usd > 0 ? mine.protected.usd : 0)) +
    0.25 * borrow * mine.borrowed.usd
  return [
    side(p.sideA, p.sideB, m.depositA, m.borrowA),
    side(p.sideB, p.sideA, m.depositB, m.borrowB),
  ]
}

async function agree(): Promise<void> {
  const { program, leaderboard, distributions, positions } = await graph(STATE)
  await agreeInTotal(program, leaderboard.nodes, distributions.nodes, positions.nodes)
  const of = (account: string) => positions.nodes.filter((p: any) => p.userAddress === account)
  await Promise.all(
    leaderboard.nodes.map((one: any) =>
      agreeOnAccount(one, of(one.userAddress), program.totalPoints),
    ),
  )
  for (const date of distributions.nodes)
    agreeOnDate(
      date,
      positions.nodes.filter((p: any) => p.distributionDate === date.date),
    )
}

async function agreeInTotal(
  program: any,
  accounts: any[],
  distributions: any[],
  positions: any[],
): Promise<void> {
  same(pointsOf(accounts), program.totalPoints, 'the accounts')
  same(
    pointsOf(distributions.map((d) => ({ points: d.totalPoints }))),
    program.totalPoints,
    'the dates',
  )
  same(pointsOf(positions), program.totalPoints, 'the positions')
  expect(program).toMatchObject({ userCount: accounts.length, positionCount: positions.length })
  expect(new Set(accounts.map((a) => a.userAddress))).toEqual(
    new Set(positions.map((p) => p.userAddress)),
  )

  const ranked = [...accounts].sort(
    (x, y) => y.points - x.points || (x.userAddress < y.userAddress ? -1 : 1),
  )
  expect(accounts).toEqual(ranked)
  expect(accounts.map((a) => a.rank)).toEqual(accounts.map((_, i) => i + 1))

  expect((await json('/points/reports')).items).toEqual(
    distributions.map(({ date, totalPoints, positionCount }) => ({
      distributionDate: midnight(date),
      totalPoints,
      positionCount,
    })),
  )
  expect(await json('/points/userpoints')).toEqual({ totalPoints: program.totalPoints })
}

async function agreeOnAccount(
  { userAddress: account, points, rank, user }: any,
  ofDate: any[],
  totalPoints: number,
): Promise<void> {
  same(pointsOf(ofDate), points, account)
  expect(user).toMatchObject({ points, rank, positionCount: ofDate.length })
  expect(user.positions.nodes).toHaveLength(ofDate.length)
  same(pointsOf(user.dailyPoints.nodes), points, `the days of ${account}`)
  for (const day of user.dailyPoints.nodes)
    same(pointsOf(day.positions), day.points, day.distributionDate)

  const [userPoints, board, page] = await Promise.all([
    json(`/points/userpoints?account=${account}`),
    json(`/points/leaderboard?account=${account}`),
    json(`/points/${account}?limit=100`),
  ])
  expect(userPoints).toEqual({ account, userPoints: points, totalPoints })
  expect(board.topAccounts.at(-1)).toEqual({ account, points, rank: String(rank) })
  same(pointsOf(page.items.flatMap((day: any) => day.positions)), points, `the page of ${account}`)
}

function agreeOnDate(
  { date, totalPoints, positionCount, userCount, kind, run, runs }: any,
  ofDate: any[],
): void {
  same(pointsOf(ofDate), totalPoints, date)
  expect(positionCount).toBe(ofDate.length)
  expect(userCount).toBe(new Set(ofDate.map((p) => p.userAddress)).size)
  expect(run).toMatchObject({
    status: 'SUCCEEDED',
    kind,
    totalsAfter: { totalPoints, positionCount, userCount },
  })
  expect(runs.nodes.some((one: any) => one.status === 'RUNNING')).toBe(false)
  for (const p of ofDate) {
    expect(p.run).toMatchObject({ status: 'SUCCEEDED', date })
    if (kind !== 'IMPORT') expect(p.run.kind).toBe(kind)
    // Points that came with an import name no multiplier.
    if (p.run.kind === 'IMPORT' && p.multiplierUsed === null) continue
    const [a, b] = formula(p)
    same(p.pointsA, rounded(a), `side A of ${p.userAddress} in ${p.poolAddress}`)
    same(p.pointsB, rounded(b), `side B of ${p.userAddress} in ${p.poolAddress}`)
  }
}

/**
 * The sums of pools and the standings of past dates, against those made from positions alone: the
 * rows that differ.
 */
async function agreeOnWhatIsStored(): Promise<void> {
  const { pool: store } = gateway.deps.store
  const sums = (side: string) =>
    ['supplied_amount_usd', 'protected_supplied_amount_usd', 'borrowed_amount_usd']
      .map((column) => `p.${side}_${column}`)
      .reduce(
        (all, column) => `${all}, sum(round(${column} * 1e6)) / 1e6`,
        `sum(p.points_${side})::bigint`,
      )
      .concat(
        ...['supplied_amount', 'protected_supplied_amount', 'borrowed_amount'].map(
          (column) => `, sum(p.${side}_${column}::text::numeric)`,
        ),
      )
  const kept = (side: string) =>
    [
      'points',
      ...['supplied_usd', 'protected_usd', 'borrowed_usd'],
      ...['supplied', 'protected', 'borrowed'],
    ]
      .map((value) => `${side}_${value}`)
      .join(', ')
  const made = `SELECT pool_address, distribution_date, count(*)::int, ${sums('a')}, ${sums('b')} FROM position p GROUP BY 1, 2`
  const days = `SELECT pool_address, distribution_date, position_count, ${kept('a')}, ${kept('b')} FROM pool_day`
  const total = 'SELECT pool_address, points FROM pool_total'
  const summed = `SELECT pool_address, sum(points_a + points_b)::bigint FROM position GROUP BY 1`
  await rebuildRankHistory(store)
  const board = `SELECT d.date, user_address, points, row_number() OVER (PARTITION BY d.date
      ORDER BY points DESC, user_address)::int AS rank FROM distribution d
    CROSS JOIN LATERAL (SELECT user_address, sum(points)::bigint AS points FROM account_day
      WHERE distribution_date <= d.date GROUP BY user_address) t
    WHERE d.date < (SELECT max(date) FROM distribution)`
  const standings =
    'SELECT distribution_date, user_address, points, rank FROM rank_history JOIN rank_history_date ON date = distribution_date'
  for (const [one, other] of [
    [made, days],
    [summed, total],
    [board, standings],
  ]) {
    const { rows } = await store.query(
      `(${one} EXCEPT ALL (${other})) UNION ALL ((${other}) EXCEPT ALL (${one}))`,
    )
    expect(rows).toEqual([])
  }
}

test('leaderboard, users, reports, positions, dates and the program agree after any sequence of writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 2, maxLength: 8 }), async (ops) => {
      await emptyProgram(gateway.deps.store.pool)
      for (const one of ops) await perform(one)
      await agree()
      await agreeOnWhatIsStored()
    }),
    { numRuns: LONG ? 20 : 10, interruptAfterTimeLimit: 40_000 },
  )
})
