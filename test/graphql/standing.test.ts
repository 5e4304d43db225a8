import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bringStandingsUp } from '../../src/domain/points/bring-standings-up.ts'
import { sampleUser } from '../../src/sources/sample.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { loadSample } from '../support/sample.ts'

let gateway: Gateway
let dates: string[]
type Row = Record<string, any>

beforeAll(async () => {
  gateway = await startGateway()
  await loadSample(gateway, { users: 40, days: 30 })
  const { pool } = gateway.deps.store
  const all = (await pool.query('SELECT date::text FROM distribution ORDER BY date')).rows.map((row) => row.date)
  dates = all
})
afterAll(() => gateway.close())

async function ask(query: string, variables?: object) {
  const { data, errors } = await gateway.graphql(query, variables)
  expect(errors).toBeUndefined()
  return data
}

/** The leaderboard as of a date, from the points of positions alone. */
async function boardAsOf(date: string): Promise<{ account: string; points: number; rank: number }[]> {
  const { rows } = await gateway.deps.store.pool.query(
    'SELECT user_address AS account, points_a + points_b AS points FROM position_points WHERE distribution_date <= $1',
    [date],
  )
  const totals = new Map<string, number>()
  for (const { account, points } of rows) totals.set(account, (totals.get(account) ?? 0) + points)
  return [...totals]
    .map(([account, points]) => ({ account, points }))
    .sort((a, b) => Math.round(b.points * 1e6) - Math.round(a.points * 1e6) || (a.account < b.account ? -1 : 1))
    .map((row, i) => ({ ...row, rank: i + 1 }))
}
const near = (row: Row) => ({ ...row, points: expect.closeTo(row.points, 4) })

describe('as of a date', () => {
  test('the leaderboard is what the points up to it make', async () => {
    for (const date of [dates[0], dates[11], dates.at(-2), dates.at(-1)]) {
      const { leaderboard } = await ask(
        `{ leaderboard(asOf: "${date}T15:00:00Z", first: 1000) { totalCount nodes { account points rank } } }`,
      )
      const board = await boardAsOf(date ?? '')
      expect(leaderboard.nodes).toEqual(board.map(near))
      expect(leaderboard.totalCount).toBe(board.length)
    }
    expect((await ask('{ leaderboard { nodes { account points rank } } }')).leaderboard.nodes).toEqual(
      (await boardAsOf('9999-01-01')).map(near).slice(0, 100),
    )
    expect((await ask('{ leaderboard(asOf: "2001-01-01") { totalCount nodes { rank } } }')).leaderboard).toEqual({
      totalCount: 0,
      nodes: [],
    })
  })

  test('its pages lead on', async () => {
    const query = `query ($after: String) { leaderboard(asOf: "${dates[11]}", first: 7, after: $after) {
      nodes { account } pageInfo { hasNextPage endCursor } } }`
    const found: string[] = []
    for (let after: string | null = null; ; ) {
      const { leaderboard } = await ask(query, { after })
      found.push(...leaderboard.nodes.map((row: Row) => row.account))
      if (!leaderboard.pageInfo.hasNextPage) break
      after = leaderboard.pageInfo.endCursor
    }
    expect(found).toEqual((await boardAsOf(dates[11] ?? '')).map((row) => row.account))
  })

  test("a user's points and rank, their history, and their change", async () => {
    const users = (await boardAsOf(dates[11] ?? '')).slice(0, 20).map((row) => row.account)
    const data = await ask(
      `query ($users: [Address!]!) { users(addresses: $users) { address rank rankChange month: rankChange(days: 300)
        standing(asOf: "${dates[11]}") { date points rank }
        rankHistory(from: "${dates[0]}") { date points rank } weekly: rankHistory(interval: WEEK) { date rank } } }`,
      { users },
    )
    const boards = new Map<string, Map<string, Row>>()
    for (const date of dates) boards.set(date, new Map((await boardAsOf(date)).map((row) => [row.account, row])))
    for (const user of data.users) {
      const at = (date: string | undefined) => boards.get(date ?? '')?.get(user.address)
      expect(user.standing).toEqual({
        date: `${dates[11]}T00:00:00.000Z`,
        points: expect.closeTo(at(dates[11])?.points, 4),
        rank: at(dates[11])?.rank,
      })
      const history = dates.flatMap((date) => {
        const then = at(date)
        return then ? [{ date: `${date}T00:00:00.000Z`, points: expect.closeTo(then.points, 4), rank: then.rank }] : []
      })
      expect(user.rankHistory).toEqual(history)
      const weekAgo = at(dates.at(-8))
      expect(user.rankChange).toBe(weekAgo ? weekAgo.rank - user.rank : null)
      expect(user.month).toBeNull()
      const ends = dates.filter((date, i) => i === dates.length - 1 || new Date(date).getUTCDay() === 0)
      expect(user.weekly).toEqual(
        ends.flatMap((date) => (at(date) ? [{ date: `${date}T00:00:00.000Z`, rank: at(date)?.rank }] : [])),
      )
    }
  })

  test('nobody has no standing', async () => {
    const { user } = await ask(
      `{ user(address: "0x${'9'.repeat(40)}") { standing(asOf: "${dates[3]}") { rank } rankHistory { rank } rankChange } }`,
    )
    expect(user).toEqual({ standing: null, rankHistory: [], rankChange: null })
    const before = await ask(`{ user(address: "${sampleUser}") { standing(asOf: "2001-01-01") { rank } } }`)
    expect(before.user.standing).toBeNull()
  })
})

describe('around an account', () => {
  test('the page has it in its middle, now and as of a date', async () => {
    for (const [argument, board] of [
      ['', await boardAsOf('9999-01-01')],
      [`, asOf: "${dates[11]}"`, await boardAsOf(dates[11] ?? '')],
    ] as const)
      for (const rank of [1, 2, 9, board.length]) {
        const { account } = board[rank - 1] ?? {}
        const { leaderboard } = await ask(
          `{ leaderboard(around: "${account}", first: 5${argument}) { nodes { account rank } pageInfo { endCursor } } }`,
        )
        const from = Math.max(0, rank - 3)
        expect(leaderboard.nodes).toEqual(board.slice(from, from + 5).map(({ account, rank }) => ({ account, rank })))
        const next = await ask(
          `{ leaderboard(first: 2, after: "${leaderboard.pageInfo.endCursor}"${argument}) { nodes { rank } } }`,
        )
        expect(next.leaderboard.nodes.map((row: Row) => row.rank)).toEqual(
          board.slice(from + 5, from + 7).map((row) => row.rank),
        )
      }
  })

  test('an account without a place has no page; another cursor is refused', async () => {
    const { leaderboard } = await ask(`{ leaderboard(around: "0x${'9'.repeat(40)}") { nodes { rank } } }`)
    expect(leaderboard.nodes).toEqual([])
    const { errors } = await gateway.graphql(`{ leaderboard(around: "${sampleUser}", last: 5) { nodes { rank } } }`)
    expect(errors?.[0]).toMatchObject({
      message: 'around cannot be given together with after, before, last, offset, where or orderBy.',
      extensions: { code: 'BAD_INPUT' },
    })
  })
})

test('many users take as many statements as one', async () => {
  const users = (await boardAsOf('9999-01-01')).map((row) => row.account)
  const query = `query ($users: [Address!]!) { users(addresses: $users) { rankChange standing(asOf: "${dates[5]}") { rank }
    rankHistory { rank } } }`
  for (const some of [users.slice(0, 1), users]) {
    for (let known = 0; known < 2; known++) await ask(query, { users: some })
    gateway.statements.length = 0
    await ask(query, { users: some })
    expect(gateway.statements.length).toBe(5)
  }
})

describe('when a date changes', () => {
  const resync = (date: string | undefined) =>
    gateway.graphql(`mutation { resyncDistribution(date: "${date}") { totalPoints } }`, {}, asAdmin)

  test('later ranks are told to be in the making, then they are right; earlier ones stay', async () => {
    const { pool } = gateway.deps.store
    await pool.query('UPDATE multiplier SET deposit_token_a = deposit_token_a * random() * 9')
    await resync(dates[20])
    const query = `{ user(address: "${sampleUser}") { rankHistory(from: "${dates[18]}") { date points rank } } }`
    const stale = (await ask(query)).user.rankHistory as Row[]
    expect(stale.map((row) => row.rank === null)).toEqual(
      dates.slice(18).map((date) => date >= (dates[20] ?? '') && date !== dates.at(-1)),
    )
    const { errors } = await gateway.graphql(`{ leaderboard(asOf: "${dates[22]}") { nodes { rank } } }`)
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(/are being computed anew.*Try again in a moment/),
      extensions: { code: 'UNAVAILABLE' },
    })
    expect(await bringStandingsUp(pool)).toBe(dates.length - 21)
    expect(await bringStandingsUp(pool)).toBe(0)
    const again = (await ask(query)).user.rankHistory as Row[]
    expect(again.map(({ points }) => points)).toEqual(stale.map(({ points }) => points))
    for (const date of [dates[19], dates[20], dates[25], dates.at(-2)]) {
      const { leaderboard } = await ask(
        `{ leaderboard(asOf: "${date}", first: 1000) { nodes { account points rank } } }`,
      )
      expect(leaderboard.nodes).toEqual((await boardAsOf(date ?? '')).map(near))
    }
  })

  test('the newest date leaves no work behind, and neither does a new one', async () => {
    const { pool } = gateway.deps.store
    await resync(dates.at(-1))
    expect(await bringStandingsUp(pool)).toBe(0)
    const next = new Date(Date.parse(dates.at(-1) ?? '') + 3 * 86_400_000).toISOString()
    const before = await boardAsOf(dates.at(-1) ?? '')
    const { rows } = await pool.query(`SELECT * FROM position WHERE user_address = $1 LIMIT 1`, [sampleUser])
    const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
    const { id: _, ...position } = Object.fromEntries(
      Object.entries(rows[0]).map(([name, value]) => [camel(name), value]),
    )
    await importFiles(gateway, { positions: [{ ...position, distributionDate: next }] })
    expect(await bringStandingsUp(pool)).toBe(0)
    const { leaderboard } = await ask(
      `{ leaderboard(asOf: "${dates.at(-1)}", first: 1000) { nodes { account points rank } } }`,
    )
    expect(leaderboard.nodes).toEqual(before.map(near))
  })
})
