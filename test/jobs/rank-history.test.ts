import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { startRankHistory } from '../../src/jobs/rank-history.ts'
import { sampleUser } from '../../src/sample/index.ts'
import { asAdmin, type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
let dates: string[]
type Row = Record<string, any>

beforeAll(async () => {
  gateway = await startOnSample({ days: 30 })
  const { pool } = gateway.deps.store
  const all = (await pool.query('SELECT date::text FROM distribution ORDER BY date')).rows.map(
    (row) => row.date,
  )
  dates = all
})
afterAll(() => gateway.close())

/** The leaderboard as of a date, from the points of positions alone. */
async function boardAsOf(
  date: string,
): Promise<{ userAddress: string; points: number; rank: number }[]> {
  const { rows } = await gateway.deps.store.pool.query(
    'SELECT user_address AS "userAddress", (points_a + points_b)::float8 AS points FROM position WHERE distribution_date <= $1',
    [date],
  )
  const totals = new Map<string, number>()
  for (const { userAddress, points } of rows)
    totals.set(userAddress, (totals.get(userAddress) ?? 0) + points)
  return [...totals]
    .map(([userAddress, millionths]) => ({ userAddress, points: millionths / 1e6 }))
    .sort((a, b) => b.points - a.points || (a.userAddress < b.userAddress ? -1 : 1))
    .map((row, i) => ({ ...row, rank: i + 1 }))
}

describe('as of a date', () => {
  test('the leaderboard is what the points up to it make', async () => {
    for (const date of [dates[0], dates[11], dates.at(-2), dates.at(-1)]) {
      const { leaderboard } = await gateway.ask(
        `{ leaderboard(scope: { asOf: "${date}" }, first: 1000) { totalCount nodes { userAddress points rank } } }`,
      )
      const board = await boardAsOf(date ?? '')
      expect(leaderboard.nodes).toEqual(board)
      expect(leaderboard.totalCount).toBe(board.length)
    }
    expect(
      (await gateway.ask('{ leaderboard { nodes { userAddress points rank } } }')).leaderboard
        .nodes,
    ).toEqual((await boardAsOf('9999-01-01')).slice(0, 100))
    expect(
      (
        await gateway.ask(
          '{ leaderboard(scope: { asOf: "2001-01-01" }) { totalCount nodes { rank } } }',
        )
      ).leaderboard,
    ).toEqual({
      totalCount: 0,
      nodes: [],
    })
  })

  test('its pages lead on', async () => {
    const query = `query ($after: String) { leaderboard(scope: { asOf: "${dates[11]}" }, first: 7, after: $after) {
      nodes { userAddress } pageInfo { hasNextPage endCursor } } }`
    const lines: string[] = []
    for (let after: string | null = null; ; ) {
      const { leaderboard } = await gateway.ask(query, { after })
      lines.push(...leaderboard.nodes.map((row: Row) => row.userAddress))
      if (!leaderboard.pageInfo.hasNextPage) break
      after = leaderboard.pageInfo.endCursor
    }
    expect(lines).toEqual((await boardAsOf(dates[11] ?? '')).map((row) => row.userAddress))
  })

  test("a user's points and rank, their history, and their change", async () => {
    const users = (await boardAsOf(dates[11] ?? '')).slice(0, 20).map((row) => row.userAddress)
    const data = await gateway.ask(
      `query ($users: [Address!]!) { users(first: 20, where: { addresses: $users }) { nodes {
        address rank change { rank } month: change(days: 300) { rank }
        pointsThen: totalPoints(asOf: "${dates[11]}") rankThen: rank(asOf: "${dates[11]}")
        days: series(from: "${dates[0]}") { lastDate totalPoints rank } weeks: series(interval: WEEK) { lastDate rank } } } }`,
      { users },
    )
    const boards = new Map<string, Map<string, Row>>()
    for (const date of dates)
      boards.set(date, new Map((await boardAsOf(date)).map((row) => [row.userAddress, row])))
    expect(data.users.nodes).toHaveLength(users.length)
    for (const user of data.users.nodes) {
      const at = (date: string | undefined) => boards.get(date ?? '')?.get(user.address)
      expect([user.pointsThen, user.rankThen]).toEqual([
        expect.closeTo(at(dates[11])?.points, 4),
        at(dates[11])?.rank,
      ])
      const days = dates.map((date) => {
        const then = at(date)
        const totalPoints = then ? expect.closeTo(then.points, 4) : null
        return { lastDate: date, totalPoints, rank: then?.rank ?? null }
      })
      expect(user.days).toEqual(days)
      const weekAgo = at(dates.at(-8))
      expect(user.change.rank).toBe(weekAgo ? weekAgo.rank - user.rank : null)
      expect(user.month).toBeNull()
      const ends = dates.filter(
        (date, i) => i === dates.length - 1 || new Date(date).getUTCDay() === 0,
      )
      expect(user.weeks).toEqual(
        ends.map((date) => ({ lastDate: date, rank: at(date)?.rank ?? null })),
      )
    }
  })

  test('a change over no days, or over more than ten years, is refused', async () => {
    for (const days of [0, -1, 3661, 2 ** 31 - 1])
      for (const field of [
        `pools(first: 1) { nodes { change(days: ${days}) { points } } }`,
        `user(address: "${sampleUser}") { change(days: ${days}) { points } }`,
      ])
        for (const unplanned of ['', 'limits { depth }']) {
          const { errors } = await gateway.graphql(`{ ${field} ${unplanned} }`)
          expect(errors?.[0]).toMatchObject({
            message: 'days must be from 1 to 3660.',
            extensions: { code: 'BAD_INPUT' },
          })
        }
  })

  test('an address without positions has no points and no rank', async () => {
    const { user } = await gateway.ask(
      `{ user(address: "0x${'9'.repeat(40)}") { points: totalPoints(asOf: "${dates[3]}") rank(asOf: "${dates[3]}") series { totalPoints rank } change { rank points netWorthUsd } } }`,
    )
    expect(user).toMatchObject({
      points: 0,
      rank: null,
      change: { rank: null, points: 0, netWorthUsd: null },
    })
    expect(new Set(user.series.map((one: Row) => one.rank ?? one.totalPoints))).toEqual(
      new Set([null]),
    )
    const before = await gateway.ask(
      `{ user(address: "${sampleUser}") { points: totalPoints(asOf: "2001-01-01") rank(asOf: "2001-01-01") } }`,
    )
    expect(before.user).toEqual({ points: 0, rank: null })
  })

  test('asOf that is null is now', async () => {
    const query = `query ($asOf: Date) { user(address: "${sampleUser}") {
      points: totalPoints rank then: totalPoints(asOf: $asOf) rankThen: rank(asOf: $asOf) } }`
    for (const variables of [{}, { asOf: null }, { asOf: '2999-01-01' }]) {
      const { user } = await gateway.ask(query, variables)
      expect([user.then, user.rankThen]).toEqual([user.points, user.rank])
    }
  })
})

describe('pools, positions and multipliers as of a date', () => {
  const sum = (rows: Row[], of: (row: Row) => number) =>
    rows.reduce((total, row) => total + of(row), 0)

  test("a pool's points and amounts are what its positions up to the date make", async () => {
    const { pools } = await gateway.ask(`{ pools(first: 20) { nodes { address
      ${dates
        .map(
          (
            date,
            i,
          ) => `at${i}: totals(asOf: "${date}") { date points: totalPoints pointsOfDate: points positionCount
        suppliedUsd protectedUsd tvlUsd borrowedUsd multiplier { depositA } }`,
        )
        .join(' ')}
      multiplier { depositA } } } }`)
    const { rows } = await gateway.deps.store.pool.query(
      `SELECT t.*, t.distribution_date::text AS date, (t.points_a + t.points_b)::float8 AS points
       FROM position t`,
    )
    for (const pool of pools.nodes)
      for (const [i, date] of dates.entries()) {
        const all = rows.filter((row) => row.pool_address === pool.address && row.date <= date)
        const day = all.filter((row) => row.date === date)
        const usd = (what: string) =>
          sum(day, (row) => row[`a_${what}_amount_usd`] + row[`b_${what}_amount_usd`])
        const near = (value: number) => expect.closeTo(value, 3)
        expect(pool[`at${i}`], `${pool.address} ${date}`).toEqual({
          date,
          points: sum(all, (row) => row.points) / 1e6,
          pointsOfDate: sum(day, (row) => row.points) / 1e6,
          positionCount: day.length,
          suppliedUsd: near(usd('supplied')),
          protectedUsd: near(usd('protected_supplied')),
          tvlUsd: near(usd('supplied') + usd('protected_supplied')),
          borrowedUsd: near(usd('borrowed')),
          multiplier: pool.multiplier,
        })
      }
  })

  test('nothing is of before the first distribution', async () => {
    const { pools, positions, multiplierRevisions } = await gateway.ask(`{
      pools(first: 3) { nodes { totals(asOf: "2001-01-01") { date } } }
      positions(asOf: "2001-01-01") { totalCount nodes { points } }
      multiplierRevisions(at: "2001-01-01") { totalCount nodes { depositA } } }`)
    expect(pools.nodes).toEqual([{ totals: null }, { totals: null }, { totals: null }])
    expect(positions).toEqual({ totalCount: 0, nodes: [] })
    expect(multiplierRevisions).toEqual({ totalCount: 0, nodes: [] })
  })

  test('positions are those of the last date up to this one, wherever they are listed', async () => {
    const list = '{ totalCount nodes { id distributionDate: date } }'
    const { pools } = await gateway.ask('{ pools(first: 1) { nodes { address } } }')
    const asked = (argument: string) =>
      gateway.ask(`{ positions(first: 1000, ${argument}) ${list}
        user(address: "${sampleUser}") { positions(${argument}, orderBy: POINTS) ${list} }
        pool(address: "${pools.nodes[0].address}") { positions(${argument}, orderBy: POINTS) ${list} } }`)
    for (const [moment, date] of [
      [dates[11], dates[11]],
      [dates[10], dates[10]],
      ['2999-01-01', dates.at(-1)],
    ])
      expect(await asked(`asOf: "${moment}"`)).toEqual(
        await asked(`where: { date: { eq: "${date}" } }`),
      )
  })

  test('an order of the positions as of a date is refused where it is refused of the date', async () => {
    const { errors } = await gateway.graphql(
      `{ positions(asOf: "${dates[3]}", orderBy: HEALTH_FACTOR) { nodes { points } } }`,
    )
    expect(errors?.[0]?.extensions.code).toBe('BAD_INPUT')
  })

  test('multipliers are those that each pool had, also one that has changed or is gone since', async () => {
    const { pool } = gateway.deps.store
    const before = await gateway.ask(
      '{ multipliers(first: 1000, orderBy: POOL) { nodes { poolAddress depositA borrowB } } }',
    )
    const then = new Date().toISOString()
    const [changed, removed] = before.multipliers.nodes.map((one: Row) => one.poolAddress)
    const list = '{ totalCount nodes { poolAddress depositA borrowB } }'
    const { rows: kept } = await pool.query('SELECT * FROM multiplier WHERE pool_address = $1', [
      removed,
    ])
    await pool.query(
      `UPDATE multiplier SET deposit_token_a = 77, updated_at = now() + interval '1 hour' WHERE pool_address = $1`,
      [changed],
    )
    await pool.query('DELETE FROM multiplier WHERE pool_address = $1', [removed])
    const answer = await gateway.ask(
      `{ then: multiplierRevisions(at: "${then}", first: 1000) ${list}
         later: multiplierRevisions(at: "2999-01-01", first: 1000) ${list}
         page: multiplierRevisions(at: "${then}", first: 2) { nodes { poolAddress } pageInfo { endCursor } } }`,
    )
    expect(answer.then).toEqual({
      totalCount: before.multipliers.nodes.length,
      nodes: before.multipliers.nodes,
    })
    expect(answer.later.nodes).toEqual(
      before.multipliers.nodes.flatMap((one: Row) => {
        if (one.poolAddress === removed) return []
        return one.poolAddress === changed ? { ...one, depositA: 77 } : one
      }),
    )
    const next = await gateway.ask(
      `{ multiplierRevisions(at: "${then}", first: 2, after: "${answer.page.pageInfo.endCursor}") { nodes { poolAddress } } }`,
    )
    expect(
      [...answer.page.nodes, ...next.multiplierRevisions.nodes].map((one: Row) => one.poolAddress),
    ).toEqual(before.multipliers.nodes.slice(0, 4).map((one: Row) => one.poolAddress))
    const [row] = kept
    await pool.query(
      `INSERT INTO multiplier (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map((_, i) => `$${i + 1}`)})`,
      Object.values(row),
    )
  })

  test.runIf(hasPlans)(
    'they are read in one statement, of many pools and users as of one',
    async () => {
      const query = `query ($n: Int!, $users: [Address!]!) {
      pools(first: $n) { nodes { totals(asOf: "${dates[5]}") { points: totalPoints multiplier { depositA } } } }
      users(first: $n, where: { addresses: $users }) { nodes { points: totalPoints(asOf: "${dates[5]}") rank(asOf: "${dates[5]}")
        positions(asOf: "${dates[5]}") { nodes { points } } } } }`
      const users = (await boardAsOf('9999-01-01')).map((row) => row.userAddress)
      for (const some of [users.slice(0, 1), users]) {
        for (let warm = 0; warm < 2; warm++)
          await gateway.ask(query, { n: some.length, users: some })
        gateway.statements.length = 0
        await gateway.ask(query, { n: some.length, users: some })
        expect(gateway.statements).toHaveLength(1)
      }
    },
  )
})

describe('around a user', () => {
  test('the page has it in its middle, now and as of a date', async () => {
    for (const [argument, board] of [
      ['', await boardAsOf('9999-01-01')],
      [`, scope: { asOf: "${dates[11]}" }`, await boardAsOf(dates[11] ?? '')],
    ] as const)
      for (const rank of [1, 2, 9, board.length]) {
        const { userAddress } = board[rank - 1] ?? {}
        const { leaderboard } = await gateway.ask(
          `{ leaderboard: leaderboardAround(user: "${userAddress}", first: 5${argument}) { nodes { userAddress rank } pageInfo { endCursor } } }`,
        )
        // A page at the end of the list is whole too.
        const from = Math.min(Math.max(0, rank - 3), board.length - 5)
        expect(leaderboard.nodes).toEqual(
          board.slice(from, from + 5).map(({ userAddress, rank }) => ({ userAddress, rank })),
        )
        const next = await gateway.ask(
          `{ leaderboard(first: 2, after: "${leaderboard.pageInfo.endCursor}"${argument}) { nodes { rank } } }`,
        )
        expect(next.leaderboard.nodes.map((row: Row) => row.rank)).toEqual(
          board.slice(from + 5, from + 7).map((row) => row.rank),
        )
      }
  })

  test('a user without a rank has no page', async () => {
    const { leaderboard } = await gateway.ask(
      `{ leaderboard: leaderboardAround(user: "0x${'9'.repeat(40)}") { nodes { rank } } }`,
    )
    expect(leaderboard.nodes).toEqual([])
  })
})

test('many users take as many statements as one', async () => {
  const users = (await boardAsOf('9999-01-01')).map((row) => row.userAddress)
  const query = `query ($n: Int!, $users: [Address!]!) { users(first: $n, where: { addresses: $users }) { nodes {
    change { rank points netWorthUsd } rank(asOf: "${dates[5]}") series { rank } } } }`
  for (const some of [users.slice(0, 1), users]) {
    for (let warm = 0; warm < 2; warm++) await gateway.ask(query, { n: some.length, users: some })
    gateway.statements.length = 0
    await gateway.ask(query, { n: some.length, users: some })
    expect(gateway.statements.length).toBe(1)
  }
})

describe('when a date changes', () => {
  const resync = (date: string | undefined) =>
    gateway.graphql(
      `mutation { resyncDistribution(input: { date: "${date}" }) { run { status } } }`,
      {},
      asAdmin,
    )

  test('later ranks are reported as being recomputed, then they are right; earlier ones stay', async () => {
    const { pool } = gateway.deps.store
    await pool.query('UPDATE multiplier SET deposit_token_a = deposit_token_a * random() * 9')
    await resync(dates[20])
    const query = `{ user(address: "${sampleUser}") { series(from: "${dates[18]}") { totalPoints rank } } }`
    const stale = (await gateway.ask(query)).user.series as Row[]
    expect(stale.map((row) => row.rank === null)).toEqual(
      dates.slice(18).map((date) => date >= (dates[20] ?? '') && date !== dates.at(-1)),
    )
    const { errors } = await gateway.graphql(
      `{ leaderboard(scope: { asOf: "${dates[22]}" }) { nodes { rank } } }`,
    )
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(/are being recomputed.*Try again in a moment/),
      extensions: { code: 'UNAVAILABLE' },
    })
    expect(await rebuildRankHistory(pool)).toBe(dates.length - 21)
    expect(await rebuildRankHistory(pool)).toBe(0)
    const again = (await gateway.ask(query)).user.series as Row[]
    expect(again.map((one) => one.totalPoints)).toEqual(stale.map((one) => one.totalPoints))
    for (const date of [dates[19], dates[20], dates[25], dates.at(-2)]) {
      const { leaderboard } = await gateway.ask(
        `{ leaderboard(scope: { asOf: "${date}" }, first: 1000) { nodes { userAddress points rank } } }`,
      )
      expect(leaderboard.nodes).toEqual(await boardAsOf(date ?? ''))
    }
  })

  test('gateways on the store recompute them by themselves, when they start and after a run of any of them', async () => {
    const other = await startGateway({ on: gateway })
    const workers = [gateway, other].map(({ deps }) => startRankHistory(deps))
    const last = `{ leaderboard(scope: { asOf: "${dates.at(-2)}" }, first: 1000) { nodes { userAddress points rank } } }`
    const right = async () => {
      const data = await gateway.ask(last)
      expect(data.leaderboard.nodes).toEqual(await boardAsOf(dates.at(-2) ?? ''))
    }
    try {
      await gateway.deps.store.pool.query('DELETE FROM rank_history; DELETE FROM rank_history_date')
      expect((await gateway.graphql(last)).errors?.[0].extensions.code).toBe('UNAVAILABLE')
      await vi.waitFor(right, { timeout: 60_000, interval: 100 })
      await gateway.deps.store.pool.query(
        'UPDATE multiplier SET deposit_token_a = deposit_token_a * 3 + 1',
      )
      await resync(dates[2])
      await vi.waitFor(right, { timeout: 60_000, interval: 100 })
    } finally {
      for (const worker of workers) await worker.close()
      await other.close()
    }
    expect(await rebuildRankHistory(gateway.deps.store.pool)).toBe(0)
  })

  test('the newest date leaves no work behind, and neither does a new one', async () => {
    const { pool } = gateway.deps.store
    await resync(dates.at(-1))
    expect(await rebuildRankHistory(pool)).toBe(0)
    const next = new Date(Date.parse(dates.at(-1) ?? '') + 3 * 86_400_000).toISOString()
    const before = await boardAsOf(dates.at(-1) ?? '')
    const { rows } = await pool.query(
      `SELECT *, pool_address AS market_address FROM position WHERE user_address = $1 LIMIT 1`,
      [sampleUser],
    )
    const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
    const ofTheStore = [
      'id',
      'pool_address',
      'pool_key',
      'pair_key',
      'mover',
      'points_a',
      'points_b',
      'run_id',
      'given',
    ]
    const position = Object.fromEntries(
      Object.entries(rows[0]).flatMap(([name, value]) =>
        ofTheStore.includes(name) ? [] : [[camel(name), value]],
      ),
    )
    await importFiles(gateway, { positions: [{ ...position, distributionDate: next }] })
    expect(await rebuildRankHistory(pool)).toBe(0)
    const { leaderboard } = await gateway.ask(
      `{ leaderboard(scope: { asOf: "${dates.at(-1)}" }, first: 1000) { nodes { userAddress points rank } } }`,
    )
    expect(leaderboard.nodes).toEqual(before)
  })
})
