import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'

const USERS = 2000
const DAYS = 50
const DAY = 86_400
/** So few that all of them are the pool's. */
const CONNECTIONS = 3

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ env: { DATABASE_POOL_SIZE: String(CONNECTIONS) } })
  await fill()
}, 180_000)
afterAll(() => gateway.close())

const address = (kind: number, i: number) =>
  `0x${String(kind).padStart(8, '0')}${i.toString(16).padStart(32, '0')}`
const user = address(1, 77)
const pool = address(2, 3)
const token = address(4, 3)
const market = address(3, 6)

/** The tables whose rows are as many as users, days or both. */
const tables = [
  'stored_position',
  'account',
  'account_day',
  'market_snapshot',
  'vault_snapshot',
  'market_holding',
  'vault_holding',
  'cash_flow',
  'net_cash',
]

/**
 * How many rows an operation may touch: what its pages hold, a few times over (joins, alternatives,
 * look-aheads).
 */
const budget = (rows: number) => 8 * rows + 100

const positionsPage = 'nodes { id points } pageInfo { hasNextPage endCursor }'
const lists: Record<string, { query: string; rows: number; path: string[] }> = {
  'all positions': {
    query: `query ($after: String) { positions(first: 50, after: $after) { totalCount ${positionsPage} } }`,
    rows: 50,
    path: ['positions'],
  },
  'positions of a token': {
    query: `query ($after: String) { positions(first: 50, after: $after, where: { assets: "${token}" }) { ${positionsPage} } }`,
    rows: 50,
    path: ['positions'],
  },
  'positions of several tokens': {
    query: `query ($after: String) { positions(first: 50, after: $after, where: { assets: ["${token}", "${address(4, 5)}", "${address(5, 3)}"] }) { ${positionsPage} } }`,
    rows: 300,
    path: ['positions'],
  },
  'positions of a pool': {
    query: `query ($after: String) { positions(first: 50, after: $after, where: { pools: "${pool}" }) { ${positionsPage} } }`,
    rows: 50,
    path: ['positions'],
  },
  'positions of a pool, from the pool': {
    query: `query ($after: String) { pool(address: "${pool}") { positions(first: 50, after: $after) { ${positionsPage} } } }`,
    rows: 50,
    path: ['pool', 'positions'],
  },
  'positions of a date': {
    query: `query ($after: String) { positions(first: 50, after: $after, where: { date: { eq: "2025-01-20" } }) { ${positionsPage} } }`,
    rows: 50,
    path: ['positions'],
  },
  'positions of a user': {
    query: `query ($after: String) { positions(first: 10, after: $after, where: { users: "${user}" }) { totalCount ${positionsPage} } }`,
    rows: 50,
    path: ['positions'],
  },
  'the leaderboard': {
    query:
      'query ($after: String) { leaderboard(first: 50, after: $after) { totalCount nodes { rank points } pageInfo { hasNextPage endCursor } } }',
    rows: 50,
    path: ['leaderboard'],
  },
  "a market's snapshots": {
    query: `query ($after: String) { market(chainId: 1, address: "${market}") { snapshots(first: 50, after: $after) { nodes { time } pageInfo { hasNextPage endCursor } } } }`,
    rows: 50,
    path: ['market', 'snapshots'],
  },
  "a pool's activity, and what it opens and closes": {
    query: `query ($after: String) { pool(address: "${pool}") { activity(first: 50, after: $after) { nodes { time opened closed } pageInfo { hasNextPage endCursor } } } }`,
    rows: 100,
    path: ['pool', 'activity'],
  },
}

describe('the pages of a list', () => {
  for (const [name, { query, rows, path }] of Object.entries(lists))
    test(`${name}: each costs what it holds, the first as a deep one`, async () => {
      let after: string | null = null
      for (let page = 0; page < 6; page++) {
        const { answer, read }: Read = await reading(query, { after })
        const list: any = path.reduce((value: any, key) => value[key], answer)
        expect(list.nodes.length).toBeGreaterThan(0)
        expect(read.scans, `page ${page}: ${JSON.stringify(read)}`).toEqual([])
        expect(read.rows, `page ${page}: ${JSON.stringify(read)}`).toBeLessThanOrEqual(budget(rows))
        if (!list.pageInfo.hasNextPage) break
        after = list.pageInfo.endCursor
      }
    })

  test('a page in the middle of 100,000 positions costs as the first', async () => {
    for (const filter of ['', `assets: ["${token}"]`, `pools: "${pool}"`]) {
      const { data } = await gateway.graphql(
        `{ positions(first: 1, where: { date: { eq: "2025-01-25" } ${filter} }) { nodes { legacy { recordId } } } }`,
      )
      const record = data.positions.nodes[0].legacy.recordId
      const query = `{ legacy { positions(first: 50, afterRecord: "${record}", where: { ${filter} }) { ${positionsPage} } } }`
      const { answer, read } = await reading(query)
      expect(answer.legacy.positions.nodes).toHaveLength(50)
      expect(read.scans, JSON.stringify(read)).toEqual([])
      expect(read.rows, JSON.stringify(read)).toBeLessThanOrEqual(budget(50))
      const back = await reading(query.replace('first: 50', 'last: 50'))
      expect(back.read.scans).toEqual([])
      expect(back.read.rows).toBeLessThanOrEqual(budget(50))
    }
  })
})

const single: Record<string, { query: string; rows: number }> = {
  "a user's 30 days of snapshots": {
    query: `{ user(address: "${user}") { legacy { marketSnapshots(first: 100, from: "${10 * DAY}", to: "${39 * DAY}") { totalCount nodes { time } }
      vaultSnapshots(first: 100, from: "${10 * DAY}", to: "${39 * DAY}") { totalCount nodes { time } } } } }`,
    rows: 120,
  },
  "a user's 30 days of snapshots in one market, grouped": {
    query: `{ user(address: "${user}") { legacy { marketSnapshots(first: 100, where: { entities: "${market}" }, from: "${10 * DAY}", to: "${39 * DAY}", grouped: true) { totalCount nodes { time borrowed { raw } } } } } }`,
    rows: 120,
  },
  'what a user has now': {
    query: `{ user(address: "${user}") { latestSnapshots { time } earnings { earningsUsd } netApr { earnNetApr: netDepositApr } } }`,
    rows: 20,
  },
  "a user's place": {
    query: `{ user(address: "${user}") { points: totalPoints rank } program { totalPoints } }`,
    rows: 1,
  },
  "a user's daily points": {
    query: `{ user(address: "${user}") { dailyPoints(last: 10) { nodes { points positions { points } } } } }`,
    rows: 30,
  },
  "a user's series": {
    query: `{ user(address: "${user}") { series(interval: WEEK, from: "2025-01-01") { points positionCount marketLiquidationRewardsUsd }
      days: series(from: "2025-01-01") { points worth { netUsd } } } }`,
    rows: 160,
  },
  "a user's sums": {
    query: `{ positionAggregates(where: { users: ["${user}"] }, groupBy: [POOL, ASSET]) { count sumPoints }
      snapshotAggregates(where: { users: ["${user}"] }, groupBy: [ENTITY]) { count sumBorrowed { raw } sumShares } }`,
    rows: 300,
  },
  'sums over a date': {
    query: `{ positionAggregates(where: { date: { eq: "2025-01-20" } }, groupBy: [CHAIN]) { count userCount } }`,
    rows: USERS,
  },
  'sums over a pool': {
    query: `{ positionAggregates(where: { pools: "${pool}", date: { gte: "2025-01-05", lte: "2025-01-08" } }, groupBy: [DAY]) { count } }`,
    rows: (4 * USERS) / 20,
  },
  'a portfolio of fifty': {
    query: `{ portfolio(addresses: ${JSON.stringify(Array.from({ length: 50 }, (_, i) => address(1, i * 7)))}) { points: totalPoints worth { netUsd }
      earnings { earningsUsd } pools { points } entities { borrowed { raw } supplied { raw } } } }`,
    rows: 50 * 40,
  },
  "a pool's top accounts": {
    // Its work is that of the pool's positions on one date.
    query: `{ pool(address: "${pool}") { currentPositions(first: 10, orderBy: POINTS, orderDirection: DESC) { nodes { points } } } }`,
    rows: USERS / 10,
  },
  'fifty users': {
    query: `{ lookupUsers(addresses: ${JSON.stringify(Array.from({ length: 50 }, (_, i) => address(1, i * 7)))}) { points: totalPoints rank positions(first: 5) { totalCount nodes { points } }
      snapshots(last: 5) { nodes { time } } latestSnapshots { time } earnings { earningsUsd } } }`,
    rows: 50 * (50 + 5 * 2 + 5 + 10),
  },
}

for (const [name, { query, rows }] of Object.entries(single))
  test(`${name}: costs what it shows`, async () => {
    const { read } = await reading(query)
    expect(read.scans, JSON.stringify(read)).toEqual([])
    expect(read.rows, JSON.stringify(read)).toBeLessThanOrEqual(budget(rows))
  })

const many = (count: number, of: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => `a${nth}: ${of(nth)}`).join(' ')
const moment = (nth: number) =>
  `2025-01-${String((nth % 28) + 1).padStart(2, '0')}T00:00:${String(nth % 60).padStart(2, '0')}Z`
const dateOf = (nth: number) => moment(nth).slice(0, 10)
const users = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => address(1, i)))
const oneUser = `user(address: "${user}")`

describe('what takes seconds is refused by its cost', () => {
  const tenFields =
    'start points positionCount rank totalPoints earningsUsd netCashInvestedUsd pendingCashUsd hasIncompletePrices worth { netUsd }'
  test.each([
    [
      'values of the past',
      `users(first: 500) { nodes { ${many(95, (i) => `totalPoints(asOf: "${dateOf(i)}")`)} } }`,
    ],
    [
      'skipped rows',
      'a: positions(offset: "100000") { nodes { id } } b: positions(offset: "100000") { nodes { id } }',
    ],
    [
      'buckets of many users',
      `lookupUsers(addresses: ${users(60)}) { series(from: "2025-01-01", to: "2025-03-31") { ${tenFields} } }`,
    ],
    [
      'earnings since moments',
      `users(first: 100) { nodes { ${many(80, (i) => `earnings(since: "${moment(i)}") { worthUsd }`)} } }`,
    ],
    [
      'many shocks',
      many(95, (i) => `poolsAtRisk(shocks: { group: "ETH", change: ${1 + i / 100} }) { debtUsd }`),
    ],
    [
      'estimates',
      `markets(first: 1000) { nodes { ${many(50, (i) => `estimate(amountUsd: ${i}, days: 90) { points }`)} } }`,
    ],
    [
      'points per dollar',
      `markets(first: 1000) { nodes { ${many(95, (i) => `depositPointsPerDollar(asOf: "2025-01-${10 + (i % 20)}")`)} } }`,
    ],
    [
      'many rankings',
      many(
        30,
        (i) =>
          `leaderboardAround(user: "${user}", scope: { window: { from: "2025-01-0${1 + (i % 9)}", to: "2025-01-20" } }, first: 1) { nodes { rank } }`,
      ),
    ],
    [
      'series of groups',
      many(
        70,
        (i) =>
          `series(groupBy: ASSET, from: "2025-01-01", to: "2025-01-${10 + (i % 20)}") { points }`,
      ),
    ],
    [
      'counts of filtered lists',
      many(95, (i) => `currentPositions(where: { points: { gt: ${i} } }) { totalCount }`),
    ],
    [
      'pages of positions as of moments',
      many(95, (i) => `positions(asOf: "${dateOf(i)}", first: 500) { nodes { points } }`),
    ],
  ])('%s', async (_, selection) => {
    const { errors } = await gateway.graphql(`{ ${selection} }`)
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/^The operation costs [\d,]+, at most 100,000 is allowed/),
      }),
    ])
  })

  test('in fragments and by variables too', async () => {
    const fragments = `query ($skip: BigInt, $asOf: Date) {
      users(first: 500, offset: $skip) { nodes { ...Past } } }
      fragment Past on User { ${many(40, () => 'rank(asOf: $asOf)')} }`
    for (const variables of [{ skip: '1', asOf: dateOf(1) }, { skip: '300000' }]) {
      const { errors } = await gateway.graphql(fragments, variables)
      expect(errors?.[0]?.extensions.code, JSON.stringify(variables)).toBe('COST_LIMIT_EXCEEDED')
    }
    expect((await gateway.graphql(fragments, { skip: '1' })).errors).toBeUndefined()
  })
})

describe('the cost follows the work', () => {
  const costOf = async (selection: string) => {
    const answer = await gateway.graphql(`{ ${selection} }`, {}, { 'x-graphql-cost': '1' })
    expect(answer.errors, selection).toBeUndefined()
    return (answer as { extensions?: { cost: { requested: number } } }).extensions?.cost
      .requested as number
  }
  const added = async (one: string, other: string) => (await costOf(other)) - (await costOf(one))

  test('each alias of a computed value counts, in each row', async () => {
    const rates = (count: number, rows: number) =>
      `markets(first: ${rows}) { nodes { ${many(count, () => 'depositPointsPerDollar')} } }`
    expect(await added(rates(1, 10), rates(2, 10))).toBe(250 + 10)
    expect(await added(rates(3, 10), rates(3, 20))).toBe(10 + 3 * 10)
  })

  test('a value as of a moment costs more than that of now', async () => {
    const points = (args: string) => `users(first: 10) { nodes { totalPoints${args} } }`
    expect(await added(points(''), points(`(asOf: "${dateOf(1)}")`))).toBeGreaterThanOrEqual(
      100 + 10 * 10,
    )
    expect(await added(points(''), points('(asOf: null)'))).toBe(0)
    const earned = (args: string) => `${oneUser} { earnings${args} { earningsUsd } }`
    const [one, both] = [`(at: "${moment(9)}")`, `(at: "${moment(9)}", since: "${moment(1)}")`]
    expect(await added(earned(one), earned(both))).toBe(await added(earned(''), earned(one)))
  })

  test('each skipped row costs, in each list of each row', async () => {
    const skipping = (rows: string) => `users(first: 10, offset: "${rows}") { nodes { address } }`
    expect(await added(skipping('0'), skipping('1000'))).toBe(500)
    const within = (rows: string) =>
      `users(first: 10) { nodes { positions(first: 1, offset: "${rows}") { nodes { points } } } }`
    expect(await added(within('0'), within('100'))).toBe(10 * 100)
  })

  test('each value of a bucket costs, for each address', async () => {
    const series = (addresses: number, fields: string) =>
      `lookupUsers(addresses: ${users(addresses)}) { series(from: "2025-01-01", to: "2025-01-30") { ${fields} } }`
    expect(await added(series(1, 'points'), series(1, 'points rank'))).toBe(30)
    expect(await added(series(1, 'points'), series(1, 'points earningsUsd'))).toBe(3 * 30)
    expect(await added(series(1, 'points'), series(2, 'points'))).toBe(1 + 10 + 30 * (2 + 1))
  })

  test('each value in a filter costs, also in its branches', async () => {
    const filtered = (where: string) => `activity(first: 1, where: { ${where} }) { nodes { time } }`
    expect(await added(filtered(`users: ${users(1)}`), filtered(`users: ${users(100)}`))).toBe(99)
    const branches = (count: number) => `OR: [${`{ users: ${users(2)} } `.repeat(count)}]`
    expect(await added(filtered(branches(1)), filtered(branches(20)))).toBe(38)
  })
})

interface Read {
  answer: any
  /**
   * The tables that were read whole, and the rows (of tables, or of indexes alone) that were read
   * in all.
   */
  read: { scans: string[]; rows: number; by: Record<string, number> }
}

/** Runs an operation and reads from the server's statistics what it cost. */
async function reading(query: string, variables?: object): Promise<Read> {
  const before = await statistics()
  const { data, errors } = await gateway.graphql(query, variables)
  expect(errors).toBeUndefined()
  const after = await statistics()
  const by: Record<string, number> = {}
  for (const [index, rows] of after.rows)
    if (rows > (before.rows.get(index) ?? 0)) by[index] = rows - (before.rows.get(index) ?? 0)
  const scans = tables.filter((table) => after.scans.get(table) !== before.scans.get(table))
  const rows = Object.values(by).reduce((sum, one) => sum + one, 0)
  expect(rows, 'the statistics have come').toBeGreaterThan(0)
  return { answer: data, read: { scans, rows, by } }
}

/** How often each table was read whole, and how many rows were read through each index, so far. */
async function statistics(): Promise<{ scans: Map<string, number>; rows: Map<string, number> }> {
  const { pool } = gateway.deps.store
  await flush()
  const scans = await pool.query(
    'SELECT relname, seq_scan::int FROM pg_stat_user_tables WHERE relname = ANY($1)',
    [tables],
  )
  const rows = await pool.query(
    'SELECT indexrelname, idx_tup_read::int FROM pg_stat_user_indexes WHERE relname = ANY($1)',
    [tables],
  )
  return {
    scans: new Map(scans.rows.map((row) => [row.relname, row.seq_scan])),
    rows: new Map(rows.rows.map((row) => [row.indexrelname, row.idx_tup_read])),
  }
}

/**
 * Connections keep their counts for a second: has each idle one hand them over, so that the server
 * knows them.
 */
async function flush(): Promise<void> {
  const { pool } = gateway.deps.store
  const held = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
  for (const client of held) await client.query('SELECT pg_stat_force_next_flush()')
  for (const client of held) client.release()
}

/**
 * 2,000 users with a position on each of 50 days in one of 20 pools: 100,000 positions, and
 * snapshots of every day.
 */
async function fill(): Promise<void> {
  const { pool: store } = gateway.deps.store
  const id = (kind: number, i: string) =>
    `'0x' || lpad('${kind}', 8, '0') || lpad(to_hex(${i}), 32, '0')`
  const days = `generate_series(0, ${DAYS - 1}) d, generate_series(0, ${USERS - 1}) u`
  for (const statement of [
    `INSERT INTO pool SELECT ${id(2, 'i')}, 1, i, 'Pool ' || i, ${id(4, 'i')}, 'A', 'A', ${id(5, 'i')}, 'B', 'B', 0, 0,
      ${id(3, '2 * i')}, ${id(3, '2 * i + 1')} FROM generate_series(0, 19) i`,
    `INSERT INTO market SELECT 1, ${id(3, 'i')}, ${id(2, 'i / 2')}, ${id(4, 'i')}, 'T', 18, 0.1, 0.2 FROM generate_series(0, 39) i`,
    `INSERT INTO token_pair SELECT key, key, id, asset_1_address, 'A', asset_2_address, 'B' FROM pool`,
    `INSERT INTO stored_position SELECT 1, 2, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, date '2025-01-01' + d, p.key, p.key, NULL, false,
      ${id(1, 'u')}, md5(u || ' ' || d)::uuid::text FROM ${days}, pool p WHERE p.number = (u + d) % 20`,
    `INSERT INTO pool_day SELECT p.id, date '2025-01-01' + d, ${USERS / 20}, p.asset_1_address, 1, 1, 0, 0, p.asset_2_address, 2, 1, 0, 0
      FROM generate_series(0, ${DAYS - 1}) d, pool p`,
    `INSERT INTO account_day SELECT ${id(1, 'u')}, date '2025-01-01' + d, 3, 1 FROM ${days}`,
    `INSERT INTO account SELECT ${id(1, 'u')}, 3 * ${DAYS}, u + 1, ${DAYS}, date '2025-01-01', date '2025-01-01' + ${DAYS - 1}
      FROM generate_series(0, ${USERS - 1}) u`,
    `INSERT INTO distribution SELECT date '2025-01-01' + d, 3 * ${USERS}, ${USERS}, ${USERS}, 'import', now(), now() FROM generate_series(0, ${DAYS - 1}) d`,
    `UPDATE program SET total_points = 3 * ${USERS * DAYS}, account_count = ${USERS}, position_count = ${USERS * DAYS}`,
    `INSERT INTO market_snapshot SELECT ${id(1, 'u')}, 1, ${id(3, '2 * (u % 20)')}, d * ${DAY}, 'p' || n, 1, 1, 1, 1, 1, 1 FROM ${days}, generate_series(1, 2) n`,
    `INSERT INTO market_snapshot SELECT ${id(1, '77')}, 1, ${id(3, '6')}, d * ${DAY}, 'p' || n, 1, 1, 1, 1, 1, 1
      FROM generate_series(0, ${DAYS - 1}) d, generate_series(1, 2) n ON CONFLICT DO NOTHING`,
    `INSERT INTO vault_snapshot SELECT ${id(1, 'u')}, 1, ${id(6, 'u % 5')}, d * ${DAY}, 'p', 1, 1, 1 FROM ${days}`,
    `INSERT INTO cash_flow SELECT 1, '0x' || md5(u || ' ' || n), n, ${id(1, 'u')}, 'market', ${id(3, '2 * (u % 20)')}, 0, 'deposit', 1
      FROM generate_series(0, ${USERS - 1}) u, generate_series(1, 5) n`,
    'VACUUM ANALYZE',
  ])
    await store.query(statement)
}
