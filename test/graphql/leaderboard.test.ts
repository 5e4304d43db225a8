import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inWrite } from '../../src/db/write.ts'
import { RunTables } from '../../src/domain/distribution/run-tables.ts'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { refreshRollups } from '../../src/domain/points/refresh-rollups.ts'
import { setSeason } from '../../src/domain/season/change-seasons.ts'
import { compileCost } from '../../src/graphql/policy/operation-cost.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { samplePool } from '../../src/sample/index.ts'
import { type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/**
 * Leaderboards of windows, compared with sums over all positions. test/facts has more of them, by
 * SQL.
 */

type Row = Record<string, any>
interface Position {
  user: string
  date: string
  pool: string
  chain: number
  points: number
}
interface Window {
  from?: string
  to?: string
  pool?: string
  chainId?: number
}

const DAYS = 45
const UNKNOWN = `0x${'9'.repeat(40)}`

let gateway: Gateway
let positions: Position[]
let dates: string[]
/** Has positions of 0 points on dates 20 to 22 and others before and after. */
let idle: string
/** Has no position on these dates, but before and after. */
let absent: string

const day = (n: number) => dates.at(n) ?? ''

beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: DAYS })
  const { pool } = gateway.deps.store
  dates = (await pool.query('SELECT date::text FROM distribution ORDER BY date')).rows.map(
    ({ date }) => date,
  )
  const [first, second] = (
    await pool.query(
      `SELECT user_address FROM account WHERE first_distribution_date <= $1 AND last_distribution_date > $2 ORDER BY rank LIMIT 2`,
      [day(10), day(30)],
    )
  ).rows
  idle = first.user_address
  absent = second.user_address
  const changed = dates.slice(20, 23)
  await inWrite({ pool }, async (writer) => {
    await writer.lock()
    await writer.query(
      'UPDATE stored_position SET points_a = 0, points_b = 0 WHERE user_address = $1 AND distribution_date = ANY($2)',
      [idle, changed],
    )
    await writer.query(
      'DELETE FROM stored_position WHERE user_address = $1 AND distribution_date = ANY($2)',
      [absent, changed],
    )
    await refreshRollups(await RunTables.open(writer, false), {
      dates: changed,
      kind: 'import',
      startedAt: new Date(),
      removed: [absent],
    })
  })
  await rebuildRankHistory(pool)
  positions = (
    await pool.query(`SELECT p.user_address AS "user", p.distribution_date::text AS date, p.pool_address AS pool,
        o.chain_id::int AS chain, (p.points_a + p.points_b)::float8 AS points
      FROM position p
      JOIN pool o ON o.id = p.pool_address`)
  ).rows
})
afterAll(() => gateway.close())

/** The leaderboard of a window, from the positions alone. */
function boardOf({ from = '', to = '9999', pool, chainId }: Window) {
  const sums = new Map<string, number>()
  for (const { user, date, points, ...at } of positions)
    if (
      date >= from &&
      date <= to &&
      (pool ?? at.pool) === at.pool &&
      (chainId ?? at.chain) === at.chain
    )
      sums.set(user, (sums.get(user) ?? 0) + points)
  return [...sums]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([userAddress, points], i) => ({ userAddress, points: points / 1e6, rank: i + 1 }))
}

/** The arguments of a window, as they are written. */
const written = (window: object) =>
  Object.entries(window)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')
const scoped = (window: object) => `scope: { window: { ${written(window)} } }`

const problem = async (args: string, selection = 'nodes { rank }', of = gateway) =>
  (await of.graphql(`{ leaderboard(${args}) { ${selection} } }`)).errors?.[0]

const ROW = 'userAddress points rank'
const windows: [string, () => Window][] = [
  ['a date', () => ({ from: day(21), to: day(21) })],
  ['a week', () => ({ from: day(7), to: day(13) })],
  ['the last week', () => ({ from: day(-7), to: day(-1) })],
  ['a month', () => ({ from: day(3), to: day(33) })],
  ['since a date', () => ({ from: day(19) })],
  ['up to a date', () => ({ to: day(19) })],
  ['the dates that one user has left out', () => ({ from: day(20), to: day(22) })],
  ['all dates', () => ({ from: '2001-01-01' })],
  ['a pool, all dates', () => ({ pool: samplePool.address })],
  ['a pool, a week', () => ({ pool: samplePool.address, from: day(18), to: day(24) })],
  ['a chain, 31 dates', () => ({ chainId: samplePool.chainId, from: day(0), to: day(30) })],
  ['a chain, since a date', () => ({ chainId: 1, from: day(-3) })],
]

describe.each(windows)('%s', (_, windowOf) => {
  test('ranks all users with a position in it by their points in it', async () => {
    const board = boardOf(windowOf())
    expect(board.length).toBeGreaterThan(0)
    const { leaderboard } = await gateway.ask(
      `{ leaderboard(${scoped(windowOf())}, first: 1000) { totalCount aroundRank nodes { ${ROW} } } }`,
    )
    expect(leaderboard).toEqual({ totalCount: board.length, aroundRank: null, nodes: board })
  })

  test('its pages, forward and backward, are one long page', async () => {
    const board = boardOf(windowOf())
    for (const [size, past, end, more] of [
      ['first', 'after', 'endCursor', 'hasNextPage'],
      ['last', 'before', 'startCursor', 'hasPreviousPage'],
    ] as const) {
      const rows: Row[] = []
      for (let cursor = ''; ; ) {
        const { leaderboard } = await gateway.ask(
          `{ leaderboard(${scoped(windowOf())}, ${size}: 13${cursor}) { nodes { ${ROW} } pageInfo { ${end} ${more} } } }`,
        )
        if (size === 'first') rows.push(...leaderboard.nodes)
        else rows.unshift(...leaderboard.nodes)
        if (!leaderboard.pageInfo[more]) break
        cursor = `, ${past}: "${leaderboard.pageInfo[end]}"`
      }
      expect(rows).toEqual(board)
    }
    const { leaderboard } = await gateway.ask(
      `{ leaderboard(${scoped(windowOf())}, first: 5, offset: 4) { nodes { ${ROW} } } }`,
    )
    expect(leaderboard.nodes).toEqual(board.slice(4, 9))
  })
})

test('users of 0 points share a rank by address, and a user without a position is left out', async () => {
  const window = { from: day(20), to: day(22) }
  const { leaderboard } = await gateway.ask(
    `{ leaderboard(${scoped(window)}, first: 1000) { nodes { ${ROW} } } }`,
  )
  const of = (user: string) =>
    leaderboard.nodes.find(({ userAddress }: Row) => userAddress === user)
  expect(of(idle)).toMatchObject({ points: 0 })
  expect(of(absent)).toBeUndefined()
  expect(boardOf({}).some(({ userAddress }) => userAddress === absent)).toBe(true)
})

describe('around a user', () => {
  const boards: [string, () => string, () => Row[]][] = [
    ['now', () => '', () => boardOf({})],
    ['as of a date', () => `scope: { asOf: "${day(12)}" },`, () => boardOf({ to: day(12) })],
    ...[1, 5, 9].map((n): [string, () => string, () => Row[]] => {
      const [name, windowOf] = windows[n] as (typeof windows)[number]
      return [name, () => `${scoped(windowOf())},`, () => boardOf(windowOf())]
    }),
  ]
  test.each(boards)('%s: the first, one in the middle, the last', async (_, args, boardOfArgs) => {
    const board = boardOfArgs()
    for (const rank of [1, Math.ceil(board.length / 2), board.length]) {
      const { userAddress } = board[rank - 1] ?? {}
      const { leaderboard, alone } = await gateway.ask(
        `{ leaderboard: leaderboardAround(${args()} user: "${userAddress}", first: 5) { totalCount aroundRank nodes { ${ROW} } pageInfo { endCursor } }
          alone: leaderboardAround(${args()} user: "${userAddress}") { aroundRank } }`,
      )
      const start = Math.max(0, Math.min(rank - 3, board.length - 5))
      const { pageInfo, ...rest } = leaderboard
      expect(rest).toEqual({
        totalCount: board.length,
        aroundRank: rank,
        nodes: board.slice(start, start + 5),
      })
      expect(alone).toEqual({ aroundRank: rank })
      const next = await gateway.ask(
        `{ leaderboard(${args()} after: "${pageInfo.endCursor}", first: 2) { nodes { ${ROW} } } }`,
      )
      expect(next.leaderboard.nodes).toEqual(board.slice(start + 5, start + 7))
    }
  })

  test.each(boards)(
    '%s: the end of the list differs from a user that is not ranked',
    async (_, args, board) => {
      const last = board().at(-1)?.userAddress
      const { none, end } = await gateway.ask(
        `{ none: leaderboardAround(${args()} user: "${UNKNOWN}") { aroundRank nodes { rank } }
        end: leaderboardAround(${args()} user: "${last}", first: 0) { aroundRank nodes { rank } } }`,
      )
      expect(none).toEqual({ aroundRank: null, nodes: [] })
      expect(end).toEqual({ aroundRank: board().length, nodes: [] })
    },
  )

  test('a user without a position in the window is not ranked in it', async () => {
    const args = `${scoped({ from: day(20), to: day(22) })}, user: "${absent}"`
    expect(
      (
        await gateway.ask(
          `{ leaderboard: leaderboardAround(${args}) { totalCount aroundRank nodes { rank } } }`,
        )
      ).leaderboard,
    ).toEqual({
      totalCount: 0,
      aroundRank: null,
      nodes: [],
    })
  })
})

test('a window is filtered and sorted like the leaderboard', async () => {
  const window = { from: day(7), to: day(13) }
  const board = boardOf(window)
  const [best, ...others] = board
  const users = [board[3], board[1]].map((row) => row?.userAddress)
  const { few, range, sorted, count } = await gateway.ask(`{
    few: leaderboard(${scoped(window)}, where: { users: ${JSON.stringify(users)} }) { totalCount nodes { ${ROW} } }
    range: leaderboard(${scoped(window)}, where: { points: { lt: ${best?.points} } }, first: 1000) { nodes { ${ROW} } }
    sorted: leaderboard(${scoped(window)}, orderBy: USER, first: 1000) { nodes { ${ROW} } }
    count: leaderboard(${scoped(window)}, where: { rank: { gt: 4 } }) { totalCount } }`)
  expect(few).toEqual({ totalCount: 2, nodes: [board[1], board[3]] })
  expect(range.nodes).toEqual(others)
  expect(sorted.nodes).toEqual(board.toSorted((a, b) => (a.userAddress < b.userAddress ? -1 : 1)))
  expect(count.totalCount).toBe(board.length - 4)
})

test('an empty store has empty windows', async () => {
  const empty = await startGateway()
  try {
    const args = [`from: "2026-01-01"`, `to: "2026-01-01"`, `pool: "${UNKNOWN}"`, 'chainId: 1']
    for (const bound of args) {
      const window = `scope: { window: { ${bound} } }`
      const { data } = await empty.graphql(
        `{ leaderboard: leaderboardAround(${window}, user: "${UNKNOWN}") { totalCount aroundRank nodes { rank } } }`,
      )
      expect(data.leaderboard).toEqual({ totalCount: 0, aroundRank: null, nodes: [] })
    }
  } finally {
    await empty.close()
  }
})

describe('what is refused', () => {
  const pool = samplePool.address
  test.each([
    [`from: "2026-01-02", to: "2026-01-01"`, 'from must not be later than to.'],
    [
      'chainId: 1',
      `from and to must span at most 366 distribution dates with pool, or 31 with chainId alone, not ${DAYS}: give both, closer together.`,
    ],
  ])('%s', async (args, message) => {
    expect(await problem(`scope: { window: { ${args} } }`)).toMatchObject({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      extensions: { code: 'BAD_INPUT' },
    })
  })

  test('a date together with a window, and paging around a user', async () => {
    expect(
      await problem(`scope: { asOf: "2026-01-01", window: { pool: "${pool}" } }`),
    ).toMatchObject({
      message: expect.stringMatching(/must specify exactly one key/),
    })
    expect(await problem('scope: {}')).toMatchObject({
      message: expect.stringMatching(/must specify exactly one key/),
    })
    const { errors } = await gateway.graphql(
      `{ leaderboardAround(user: "${UNKNOWN}", last: 3) { aroundRank } }`,
    )
    expect(errors?.[0]?.message).toMatch(/Unknown argument "last"/)
  })

  test('a pool over more than 366 dates', async () => {
    const { pool: database } = gateway.deps.store
    const years = `generate_series(date '1990-01-01', date '1990-12-31', '1 day')`
    await database.query(
      `INSERT INTO distribution SELECT d, 0, 0, 0, 'import', now(), now() FROM ${years} d`,
    )
    try {
      expect(await problem(scoped({ pool }))).toMatchObject({
        message: expect.stringMatching(`not ${365 + DAYS}: give both`),
        extensions: { code: 'BAD_INPUT' },
      })
      expect(await problem(scoped({ pool, from: day(0) }))).toBeUndefined()
    } finally {
      await database.query(`DELETE FROM distribution WHERE date < '1991-01-01'`)
    }
  })

  test('a window whose ranks are being recomputed, but not one that needs none of them', async () => {
    const { pool: database } = gateway.deps.store
    await database.query('DELETE FROM rank_history_date WHERE date >= $1', [day(12)])
    try {
      for (const window of [{ from: day(13) }, { from: day(13), to: day(20) }, { to: day(12) }])
        expect(await problem(scoped(window))).toMatchObject({
          message: expect.stringMatching(
            `The ranks of ${day(12)} are being recomputed.*Try again in a moment`,
          ),
          extensions: { code: 'UNAVAILABLE' },
        })
      for (const window of [
        { from: day(12) },
        { from: day(5), to: day(11) },
        { pool, from: day(13) },
      ])
        expect(await problem(scoped(window))).toBeUndefined()
    } finally {
      await rebuildRankHistory(database)
    }
  })
})

test.runIf(hasPlans)(
  'a window takes two statements, and one more around a user, however many rows',
  async () => {
    const page = '{ totalCount aroundRank nodes { rank user { totalPoints } } }'
    const around = `user: "${boardOf({})[0]?.userAddress}"`
    const counts: [string, number][] = [
      [`{ leaderboard(first: 3) ${page} }`, 1],
      [`{ leaderboard: leaderboardAround(${around}) ${page} }`, 2],
      ...[1, 100].flatMap((first): [string, number][] => [
        [
          `{ leaderboard(scope: { window: { from: "${day(5)}", to: "${day(9)}" } }, first: ${first}) ${page} }`,
          2,
        ],
        [
          `{ leaderboard(scope: { window: { pool: "${samplePool.address}" } }, first: ${first}) ${page} }`,
          2,
        ],
        [
          `{ leaderboard(scope: { window: { from: "${day(-3)}", chainId: 1 } }, first: ${first}) ${page} }`,
          2,
        ],
        [
          `{ leaderboardAround(scope: { window: { from: "${day(5)}" } }, ${around}, first: ${first}) ${page} }`,
          3,
        ],
      ]),
    ]
    for (const [query, count] of counts) {
      for (let warm = 0; warm < 2; warm++) await gateway.ask(query)
      gateway.statements.length = 0
      await gateway.ask(query)
      expect(gateway.statements, query).toHaveLength(count)
    }
  },
)

test('a window costs what it reads', () => {
  const schema = createSchema()
  const costIn = (field: string, window: string, more = '', selection = 'aroundRank') =>
    compileCost(
      schema,
      parse(
        `{ ${field}(${window && `scope: { window: { ${window} } } `}${more}) { ${selection} } }`,
      ),
      undefined,
    )
  const costOf = (window: string, more = 'first: 100', selection = 'aroundRank') =>
    costIn('leaderboard', window, more, selection)
  const costAround = (window: string) => costIn('leaderboardAround', window, `user: "${UNKNOWN}"`)
  // `aroundRank` is a value.
  const [LIST, AROUND] = [101, 202]
  const week = 'from: "2026-01-01", to: "2026-01-07"'
  const pool = `pool: "${UNKNOWN}"`
  expect(costOf('', 'first: 3', 'totalCount nodes { rank }')).toBe(LIST + 10 + 3)
  expect(costAround('')).toBe(AROUND)
  expect(costOf(week)).toBe(LIST + 1 + 2000)
  expect(costOf(week, 'first: 3', 'totalCount nodes { rank }')).toBe(LIST + 2000 + 2000 + 3)
  expect(costAround(week)).toBe(AROUND + 2 * 2000)
  expect(costOf(`${week}, ${pool}`)).toBe(LIST + 1 + 7 * 20)
  expect(costAround(`${week}, ${pool}`)).toBe(AROUND + 2 * 7 * 20)
  expect(costOf(`${week}, chainId: 1`, 'first: 3', 'totalCount')).toBe(LIST + 2 * 7 * 1000)
  expect(costOf(pool)).toBe(LIST + 1 + 366 * 20)
  expect(costOf('chainId: 0')).toBe(LIST + 1 + 31 * 1000)
  expect(costOf('chainId: 1, from: "1999-01-01"')).toBe(LIST + 1 + 31 * 1000)
})

test('a season ranks the users of its dates, as the window of the same dates does', async () => {
  const { store } = gateway.deps
  const seasons = { pool: store.pool, now: () => new Date() }
  await setSeason(
    seasons,
    { name: 'Past', startsAt: day(5), endsAt: day(9) },
    { requestedBy: 'test' },
  )
  await setSeason(
    seasons,
    { name: 'Present', startsAt: day(10), endsAt: null },
    { requestedBy: 'test' },
  )
  await setSeason(
    seasons,
    { name: 'Before', startsAt: '2001-01-01', endsAt: '2001-01-02' },
    { requestedBy: 'test' },
  )
  const FIELDS = 'totalCount nodes { userAddress points rank }'
  const of = (scope: string) =>
    gateway.ask(`{ leaderboard(first: 1000, scope: ${scope}) { ${FIELDS} } }`)
  const past = await of('{ season: "Past" }')
  expect(past.leaderboard.totalCount).toBeGreaterThan(10)
  expect(past).toEqual(await of(`{ window: { from: "${day(5)}", to: "${day(9)}" } }`))
  expect(await of('{ season: "Present" }')).toEqual(await of(`{ window: { from: "${day(10)}" } }`))
  expect(await of('{ season: "Before" }')).toEqual({ leaderboard: { totalCount: 0, nodes: [] } })
  const { rank, userAddress } = past.leaderboard.nodes[4]
  expect(
    await gateway.ask(
      `{ leaderboardAround(user: "${userAddress}", scope: { season: "Past" }, first: 3) { aroundRank } }`,
    ),
  ).toEqual({ leaderboardAround: { aroundRank: rank } })
  const unknown = await gateway.graphql('{ leaderboard(scope: { season: "past" }) { totalCount } }')
  expect(unknown.errors?.[0].message).toBe(
    'season must be the name of a season, as program { seasons { name } } lists them.',
  )
})
