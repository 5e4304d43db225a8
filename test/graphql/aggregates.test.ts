import type { GraphQLInputObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSchema } from '../../src/graphql/schema/schema.ts'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { orderArguments } from '../support/order.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
type Row = Record<string, any>
/** The rows of each kind, straight from the tables, with what they can be grouped by. */
let rows: Record<string, Row[]>
let users: string[]
let first: string
let last: string
/** All moments of the dates. */
let times: { gte: string; lt: string }

beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 20 })
  const { pool } = gateway.deps.store
  const read = async (sql: string) => (await pool.query(sql)).rows as Row[]
  await pool.query(
    `UPDATE market_snapshot SET collateral_usd = NULL WHERE position_id = 'main' AND timestamp % 7 = 0`,
  )
  const positions =
    await read(`SELECT p.*, p.distribution_date::text AS date, pool.chain_id AS chain, p.pool_address AS pool,
      p.user_address AS "user", p.points_a / 1e6::float8 AS points_a, p.points_b / 1e6::float8 AS points_b
    FROM position p
    LEFT JOIN pool ON pool.id = p.pool_address`)
  const snapshots = (kind: string) =>
    read(`SELECT s.*, to_char(to_timestamp(timestamp) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, s.chain_id AS chain,
        s.${kind}_id AS ${kind}, s.user_address AS "user", e.asset_address AS asset
      FROM ${kind}_snapshot s JOIN ${kind} e ON e.chain_id = s.chain_id AND e.id = s.${kind}_id`)
  const rewards = (kind: string, market: string, vault: string) =>
    read(`SELECT r.*, to_char(to_timestamp(timestamp) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date, chain_id AS chain,
        user_address AS "user", ${market} AS market, ${vault} AS vault FROM ${kind}_liquidation_reward r`)
  rows = {
    positions: positions.map((row) => ({
      ...row,
      points: row.points_a + row.points_b,
      supplied: row.a_supplied_amount_usd + row.b_supplied_amount_usd,
    })),
    sides: positions.flatMap((row) =>
      ['a', 'b'].map((side) => ({
        ...row,
        asset: row[`${side}_token_address`],
        points: row[`points_${side}`],
        supplied: row[`${side}_supplied_amount_usd`],
        amount: row[`${side}_supplied_amount`],
      })),
    ),
    market: await snapshots('market'),
    vault: await snapshots('vault'),
    rewards: [
      ...(await rewards('market', 'collateral_market_id', 'NULL')),
      ...(await rewards('vault', 'NULL', 'vault_id')),
    ],
  }
  users = [...new Set(positions.map((row) => row.user as string))].sort().slice(0, 8)
  users.push(sampleUser)
  const dates = positions.map((row) => row.date as string).sort()
  first = dates[0] ?? ''
  last = dates.at(-1) ?? ''
  times = { gte: first, lt: new Date(Date.parse(last) + 86_400_000).toISOString() }
})
afterAll(() => gateway.close())

const monday = (date: string) => {
  const time = Date.parse(date)
  return new Date(time - ((new Date(time).getUTCDay() + 6) % 7) * 86_400_000)
    .toISOString()
    .slice(0, 10)
}
const KEYS: Record<string, (row: Row) => Row> = {
  DAY: ({ date }) => ({ start: date }),
  WEEK: ({ date }) => ({ start: monday(date) }),
  MONTH: ({ date }) => ({ start: `${date.slice(0, 7)}-01` }),
  POOL: ({ pool, chain }) => ({ pool: { address: pool }, chainId: Number(chain) }),
  ASSET: ({ asset, chain }) => ({ asset: { address: asset }, chainId: Number(chain) }),
  ENTITY: ({ market, vault, chain }) => ({
    entity: { address: market ?? vault },
    chainId: Number(chain),
  }),
  CHAIN: ({ chain }) => ({ chainId: Number(chain) }),
  USER: ({ user }) => ({ user: { address: user } }),
}
const none = {
  start: null,
  chainId: null,
  pool: null,
  asset: null,
  entity: null,
  user: null,
}
const key =
  'key { start chainId pool { address } asset { address } entity { address } user { address } }'

function groupsOf(of: Row[], groupBy: string[]): Map<string, { key: Row; rows: Row[] }> {
  const groups = new Map<string, { key: Row; rows: Row[] }>()
  for (const row of of) {
    const key = Object.assign({ ...none }, ...groupBy.map((group) => KEYS[group]?.(row)))
    const name = JSON.stringify(key)
    const group: { key: Row; rows: Row[] } = groups.get(name) ?? { key, rows: [] }
    group.rows.push(row)
    groups.set(name, group)
  }
  return groups
}

const valuesOf = (of: Row[], column: string) =>
  of.map((row) => row[column]).filter((value) => value !== null)
const sum = (of: Row[], column: string) => {
  const values = valuesOf(of, column)
  return values.length
    ? expect.closeTo(
        values.reduce((a, b) => a + b, 0),
        3,
      )
    : null
}
const average = (of: Row[], column: string) => {
  const values = valuesOf(of, column)
  return values.length ? expect.closeTo(values.reduce((a, b) => a + b, 0) / values.length, 3) : null
}
const tokens = (of: Row[], column: string) =>
  of.reduce((total, row) => total + BigInt(row[column] ?? 0), 0n).toString()
const count = (of: Row[]) => ({
  count: of.length,
  userCount: new Set(of.map((row) => row.user)).size,
})

/** A group with the whole tokens of its sums as numbers. */
const numbered = (group: Row): Row =>
  JSON.parse(JSON.stringify(group), (name, value) =>
    name === 'value' && value !== null ? Number(value) : value,
  )

/** Compares every group with what its rows add up to. */
function check(got: Row[], of: Row[], groupBy: string[], values: (rows: Row[]) => Row) {
  const groups = groupsOf(of, groupBy)
  expect(got.length).toBe(groups.size)
  expect(got.length).toBeGreaterThan(0)
  for (const one of got) {
    const group = groups.get(JSON.stringify(one.key))
    if (!group) throw new Error(`no rows have the key ${JSON.stringify(one.key)}`)
    expect(numbered(one)).toEqual({ key: group.key, ...values(group.rows) })
  }
}

describe('positions', () => {
  const fields = `${key} count userCount sumPoints averagePoints sumSupplied { usd value } averageSuppliedUsd`
  const query = `query ($where: PositionFilter!, $groupBy: [GroupBy!]!) {
    positionAggregates(where: $where, groupBy: $groupBy, first: 1000) { ${fields} } }`
  const values = (tokens: boolean) => (of: Row[]) => ({
    ...count(of),
    sumPoints: sum(of, 'points'),
    averagePoints: average(of, 'points'),
    sumSupplied: { usd: sum(of, 'supplied'), value: tokens ? sum(of, 'amount') : null },
    averageSuppliedUsd: average(of, 'supplied'),
  })
  for (const groupBy of [
    ['POOL'],
    ['DAY'],
    ['WEEK', 'CHAIN'],
    ['MONTH', 'POOL'],
    ['USER'],
    ['ASSET'],
    ['ASSET', 'WEEK'],
    [],
  ])
    test(`by ${groupBy.join(', ') || 'nothing'}`, async () => {
      const { positionAggregates } = await gateway.ask(query, {
        where: { date: { gte: first, lte: last } },
        groupBy,
      })
      const asset = groupBy.includes('ASSET')
      check(positionAggregates, rows[asset ? 'sides' : 'positions'] ?? [], groupBy, values(asset))
    })

  test('of users, of a pool, of a token and of a chain', async () => {
    const asset = rows.sides?.[0]?.asset
    const some: [object, Row[]][] = [
      [{ users }, rows.positions?.filter((row) => users.includes(row.user)) ?? []],
      [
        { users, date: { gte: last } },
        rows.positions?.filter((row) => users.includes(row.user) && row.date === last) ?? [],
      ],
      [
        { pools: samplePool.address, date: { gte: first, lte: last } },
        rows.positions?.filter((row) => row.pool === samplePool.address) ?? [],
      ],
      [
        { assets: asset, date: { gte: first, lte: last } },
        rows.sides?.filter((row) => row.asset === asset) ?? [],
      ],
      [
        { chainIds: samplePool.chainId, users },
        rows.positions?.filter(
          (row) => users.includes(row.user) && Number(row.chain) === samplePool.chainId,
        ) ?? [],
      ],
    ]
    for (const [where, of] of some) {
      const { positionAggregates } = await gateway.ask(query, { where, groupBy: ['USER'] })
      check(positionAggregates, of, ['USER'], values(false))
    }
  })

  test('sorted by a number, cut and continued', async () => {
    const page = async (order: string, rest = '') =>
      (
        await gateway.ask(`{ positionAggregates(where: { date: { gte: "${first}", lte: "${last}" } }, groupBy: [USER, POOL], ${orderArguments(order)} ${rest}) {
        key { user { address points: totalPoints } pool { name } } count sumPoints averageBorrowedUsd } }`)
      ).positionAggregates as Row[]
    const all = await page('SUM_POINTS_DESC')
    expect(all.length).toBeGreaterThan(20)
    expect(all).toEqual(all.toSorted((a, b) => b.sumPoints - a.sumPoints))
    expect(await page('SUM_POINTS_DESC', ', first: 7, offset: 5')).toEqual(all.slice(5, 12))
    const counted = await page('COUNT_ASC, AVERAGE_BORROWED_USD_DESC')
    expect(counted).toEqual(
      counted.toSorted((a, b) => a.count - b.count || b.averageBorrowedUsd - a.averageBorrowedUsd),
    )
  })

  test('no rows: no groups, or one of nothing', async () => {
    const where = { users: [`0x${'9'.repeat(40)}`] }
    expect((await gateway.ask(query, { where, groupBy: ['POOL'] })).positionAggregates).toEqual([])
    expect((await gateway.ask(query, { where, groupBy: [] })).positionAggregates).toEqual([
      {
        key: none,
        count: 0,
        userCount: 0,
        sumPoints: 0,
        averagePoints: null,
        sumSupplied: { usd: 0, value: null },
        averageSuppliedUsd: null,
      },
    ])
  })
})

const isOfToken = (groupBy: string[]) => groupBy.some((one) => ['ENTITY', 'ASSET'].includes(one))

describe('snapshots', () => {
  test('of markets', async () => {
    const fields = `${key} count userCount sumSupplied { usd raw } averageSuppliedUsd averageBorrowedUsd sumBorrowed { raw }`
    const query = `query ($where: SnapshotFilter!, $groupBy: [GroupBy!]!) {
      snapshotAggregates(where: $where, groupBy: $groupBy, first: 1000) { ${fields} } }`
    const values = (groupBy: string[]) => (of: Row[]) => ({
      ...count(of),
      sumSupplied: {
        usd: sum(of, 'collateral_usd'),
        raw: isOfToken(groupBy) ? tokens(of, 'collateral_assets') : null,
      },
      averageSuppliedUsd: average(of, 'collateral_usd'),
      averageBorrowedUsd: average(of, 'debt_usd'),
      sumBorrowed: { raw: isOfToken(groupBy) ? tokens(of, 'debt_assets') : null },
    })
    const theirs = rows.market?.filter((row) => users.includes(row.user)) ?? []
    for (const groupBy of [
      ['ENTITY'],
      ['ASSET'],
      ['USER', 'DAY'],
      ['CHAIN', 'WEEK'],
      ['ENTITY', 'USER'],
    ]) {
      const { snapshotAggregates } = await gateway.ask(query, {
        where: { users, entityTypes: 'MARKET' },
        groupBy,
      })
      check(snapshotAggregates, theirs, groupBy, values(groupBy))
    }
    const where = {
      entities: sampleMarket.address,
      entityTypes: 'MARKET',
      chainIds: sampleMarket.chainId,
      time: times,
    }
    const { snapshotAggregates } = await gateway.ask(query, { where, groupBy: ['DAY'] })
    const there = rows.market?.filter(
      (row) => row.market === sampleMarket.address && row.date >= first && row.date <= last,
    )
    check(snapshotAggregates, there ?? [], ['DAY'], values(['DAY']))
  })

  test('of vaults', async () => {
    const query = `query ($where: SnapshotFilter!, $groupBy: [GroupBy!]!) {
      snapshotAggregates(where: $where, groupBy: $groupBy, first: 1000) { ${key} count userCount sumSupplied { usd raw } averageSuppliedUsd sumShares } }`
    const values = (groupBy: string[]) => (of: Row[]) => ({
      ...count(of),
      sumSupplied: {
        usd: sum(of, 'assets_usd'),
        raw: isOfToken(groupBy) ? tokens(of, 'assets') : null,
      },
      averageSuppliedUsd: average(of, 'assets_usd'),
      sumShares: groupBy.includes('ENTITY') ? tokens(of, 'shares') : null,
    })
    for (const groupBy of [['ENTITY', 'DAY'], ['ASSET'], ['USER']]) {
      const { snapshotAggregates } = await gateway.ask(query, {
        where: { users, entityTypes: 'VAULT' },
        groupBy,
      })
      check(
        snapshotAggregates,
        rows.vault?.filter((row) => users.includes(row.user)) ?? [],
        groupBy,
        values(groupBy),
      )
    }
    const where = { entities: sampleVault.address, entityTypes: 'VAULT', time: times }
    const { snapshotAggregates } = await gateway.ask(query, { where, groupBy: ['ENTITY'] })
    const there = rows.vault?.filter(
      (row) => row.vault === sampleVault.address && row.date >= first && row.date <= last,
    )
    check(snapshotAggregates, there ?? [], ['ENTITY'], values(['ENTITY']))
  })
})

test('liquidation rewards', async () => {
  const query = `query ($where: LiquidationRewardFilter!, $groupBy: [GroupBy!]!) {
    liquidationRewardAggregates(where: $where, groupBy: $groupBy, first: 1000) { ${key} count userCount claimedCount
      sumLiquidReward { usd raw } averageLiquidRewardUsd sumSupplySent { usd } } }`
  const values = (groupBy: string[]) => (of: Row[]) => ({
    ...count(of),
    claimedCount: of.filter((row) => row.claimed_timestamp !== null).length,
    sumLiquidReward: {
      usd: sum(of, 'liquid_reward_usd'),
      raw: groupBy.includes('ENTITY') && of[0]?.market ? tokens(of, 'liquid_reward') : null,
    },
    averageLiquidRewardUsd: average(of, 'liquid_reward_usd'),
    sumSupplySent: { usd: sum(of, 'supply_sent_usd') },
  })
  const inRange = rows.rewards?.filter((row) => row.date >= first && row.date <= last) ?? []
  for (const groupBy of [['DAY'], ['ENTITY'], ['ENTITY', 'USER'], ['USER', 'CHAIN'], ['MONTH']]) {
    const { liquidationRewardAggregates } = await gateway.ask(query, {
      where: { time: times },
      groupBy,
    })
    check(liquidationRewardAggregates, inRange, groupBy, values(groupBy))
  }
  const { market, chain } =
    rows.rewards?.find((row) => row.market && users.includes(row.user)) ?? {}
  const where = { users, entities: market, entityTypes: 'MARKET', chainIds: Number(chain) }
  const { liquidationRewardAggregates } = await gateway.ask(query, { where, groupBy: ['ENTITY'] })
  const there =
    rows.rewards?.filter(
      (row) => row.market === market && row.chain === chain && users.includes(row.user),
    ) ?? []
  check(liquidationRewardAggregates, there, ['ENTITY'], values(['ENTITY']))
})

test('a filter that would read a whole table is refused, and so is what makes no sense', async () => {
  const many = JSON.stringify(
    Array.from({ length: 101 }, (_, i) => `0x${String(i).padStart(40, '0')}`),
  )
  const range = (days: number, name = 'date') =>
    `${name}: { gte: "2025-01-01", lte: "${new Date(Date.UTC(2025, 0, days)).toISOString().slice(0, 10)}" }`
  const pool = `pools: "${samplePool.address}"`
  const advice =
    /^where would read too many rows: add where\.users, or where\.date with at most 31 dates, or where\.pools and where\.date with at most 366 dates, at its top level, as in \/graphql#example=Aggregates\.$/
  for (const [field, message] of [
    ['positionAggregates(where: {})', advice],
    [`positionAggregates(where: {${range(32)}})`, advice],
    ['positionAggregates(where: {date: {gt: "2024-12-31", lt: "2025-02-02"}})', advice],
    ['positionAggregates(where: {date: {gte: "2025-01-01"}})', advice],
    [`positionAggregates(where: {AND: [{${range(1)}}]})`, advice],
    [`positionAggregates(where: {OR: [{users: "${sampleUser}"}]})`, advice],
    [`positionAggregates(where: {NOT: {users: "${sampleUser}"}, users: null})`, advice],
    [`positionAggregates(where: {${pool}, ${range(367)}})`, advice],
    [
      `positionAggregates(where: {pools: ["${samplePool.address}", "${sampleVault.address}"], ${range(184)}})`,
      advice,
    ],
    [`positionAggregates(where: {${pool}})`, advice],
    [`positionAggregates(where: {users: ${many}})`, /where\.users must be at most 100/],
    [
      `snapshotAggregates(where: {${range(8, 'time')}})`,
      /add where\.users, or where\.time with at most 7 dates, or where\.entities and where\.time with at most 366 dates/,
    ],
    [
      `snapshotAggregates(where: {entities: "${sampleVault.address}"})`,
      /where\.entities and where\.time with at most 366/,
    ],
    [
      `snapshotAggregates(where: {entities: "${sampleVault.address}", ${range(367, 'time')}})`,
      /at most 366 dates/,
    ],
    [
      'snapshotAggregates(where: {users: []}, groupBy: POOL)',
      /must be of DAY, WEEK, MONTH, ENTITY, ASSET, CHAIN, USER/,
    ],
    [
      'liquidationRewardAggregates(where: {})',
      /add where\.users, or where\.time with at most 366 dates/,
    ],
    [`liquidationRewardAggregates(where: {${range(367, 'time')}})`, /at most 366 dates/],
    [
      'positionAggregates(where: {date: {gte: "2025-01-02", lte: "2025-01-01"}})',
      /where\.date is empty/,
    ],
    [
      'positionAggregates(where: {users: []}, groupBy: [DAY, WEEK])',
      /at most one of DAY, WEEK, MONTH/,
    ],
    ['positionAggregates(where: {users: []}, first: 1001)', /from 0 to 1000/],
    ['positionAggregates(where: {users: []}, offset: -1)', /from 0 to 1000000/],
  ] as const) {
    const { errors } = await gateway.graphql(`{ ${field} { count } }`)
    expect(errors?.[0], field).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'BAD_INPUT' },
    })
  }
  for (const field of [
    `positionAggregates(where: {${range(31)}})`,
    'positionAggregates(where: {date: {gt: "2024-12-31", lt: "2025-02-01"}})',
    'positionAggregates(where: {date: {in: ["2025-01-01", "2026-01-01"]}})',
    `positionAggregates(where: {${pool}, ${range(366)}})`,
    `liquidationRewardAggregates(where: {${range(366, 'time')}})`,
    'liquidationRewardAggregates(where: {time: {gte: "2025-01-01", lt: "2026-01-02"}})',
    `snapshotAggregates(where: {${range(7, 'time')}})`,
  ])
    expect((await gateway.graphql(`{ ${field} { count } }`)).errors, field).toBeUndefined()
})

test('a number does not depend on what else is selected, or how', async () => {
  const args = `where: { users: ["${sampleUser}"] }, groupBy: [POOL], orderBy: AVERAGE_BORROWED_USD, orderDirection: DESC`
  const aggregate = async (selection: string, variables?: object) => {
    const head = variables ? 'query ($more: Boolean!) ' : ''
    const data = await gateway.ask(`${head}{ positionAggregates(${args}) ${selection}`, variables)
    return data.positionAggregates as Row[]
  }
  const all = await aggregate(
    '{ key { pool { address } } count userCount sumPoints averagePoints sumSupplied { usd } averageBorrowedUsd } }',
  )
  expect(all.length).toBeGreaterThan(2)
  for (let times = 0; times < 3; times++) {
    const only = (...names: string[]) =>
      all.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
    expect(await aggregate('{ key { pool { address } } } }')).toEqual(only('key'))
    expect(await aggregate('{ sumPoints } }')).toEqual(only('sumPoints'))
    const aliased = await aggregate(
      '{ points: sumPoints ... on PositionAggregate { userCount } ...Rest } } fragment Rest on PositionAggregate { averagePoints }',
    )
    expect(aliased).toEqual(
      all.map(({ sumPoints, userCount, averagePoints }) => ({
        points: sumPoints,
        userCount,
        averagePoints,
      })),
    )
    for (const more of [true, false])
      expect(
        await aggregate('{ count sumSupplied @include(if: $more) { usd } } }', { more }),
      ).toEqual(more ? only('count', 'sumSupplied') : only('count'))
  }
  const { data } = await gateway.graphql(
    `{ positionAggregates(where: { users: ["${sampleUser}"] }) { __typename } }`,
  )
  expect(data.positionAggregates).toEqual([{ __typename: 'PositionAggregate' }])
})

test('groups with their pools and users: a fixed number of statements', async () => {
  const query = `query ($first: Int!) { positionAggregates(where: { date: { gte: "${first}", lte: "${last}" } }, groupBy: [USER, POOL], first: $first) {
    key { user { points: totalPoints } pool { name } } sumPoints } }`
  for (const n of [1, 200]) {
    for (let warm = 0; warm < 2; warm++) await gateway.graphql(query, { first: n })
    gateway.statements.length = 0
    await gateway.ask(query, { first: n })
    expect(gateway.statements.length).toBe(3)
  }
})

/**
 * A value for each condition that both a list and its aggregate take. Each matches some rows of the
 * user.
 */
const some = { gt: 0 }
const recent = { gte: new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10) }
const people = { users: [sampleUser] }
const onChain = (chainId: number) => ({ chainIds: [chainId] })
const among = (name: string, address: string) => ({ [`${name}s`]: [address] })
const conditionsOf = (type: string) =>
  Object.keys((createSchema().getType(`${type}Filter`) as GraphQLInputObjectType).getFields())
    .filter((name) => !['AND', 'OR', 'NOT'].includes(name))
    .sort()

test.each([
  [
    'Position',
    'positionAggregates',
    'positions(where: $where) { totalCount nodes { sideA { asset { address } } sideB { asset { address } } } }',
    {
      ...onChain(samplePool.chainId),
      ...among('pool', samplePool.address),
      ...among('asset', 'TOKEN'),
    },
    [
      'points',
      'suppliedUsd',
      'protectedUsd',
      'tvlUsd',
      'borrowedUsd',
      'ltv',
      'healthFactor',
      'liquidationDrop',
    ],
  ],
  [
    'Snapshot',
    'snapshotAggregates',
    `user(address: "${sampleUser}") { snapshots(where: $where) { totalCount nodes { entity { asset { address } } } } }`,
    {
      ...onChain(sampleMarket.chainId),
      entities: [sampleMarket.address, sampleVault.address],
      entityTypes: 'MARKET',
      assets: 'TOKEN',
    },
    ['suppliedUsd', 'protectedUsd', 'borrowedUsd'],
  ],
])(
  'each filter of %s aggregates matches what it matches in a list',
  async (type, aggregate, list, extra, numbers) => {
    const query = `query ($where: ${type}Filter!) { ${aggregate}(where: $where) { count } ${list} }`
    const compared = async (more: object) => {
      const where = { users: sampleUser, ...more }
      const { [aggregate]: groups, ...rest } = await gateway.ask(query, { where })
      const { totalCount, nodes } = rest.positions ?? Object.values<Row>(rest.user)[0]
      expect(groups, JSON.stringify(where)).toEqual([{ count: totalCount }])
      return { count: totalCount as number, nodes }
    }
    const all = await compared({})
    const [{ sideA, entity }] = all.nodes
    const token = (sideA ?? entity).asset.address
    const conditions: Row = JSON.parse(
      JSON.stringify({ ...people, ...extra }).replaceAll('TOKEN', token),
    )
    for (const name of numbers) conditions[name] = some
    if (type === 'Position')
      conditions.collateralAssets = [
        ...new Set(
          all.nodes.flatMap(({ sideA, sideB }: Row) => [sideA.asset.address, sideB.asset.address]),
        ),
      ]
    conditions[type === 'Position' ? 'date' : 'time'] = recent
    expect(Object.keys(conditions).sort()).toEqual(conditionsOf(type))
    for (const [name, value] of Object.entries(conditions)) {
      const one = { [name]: value }
      const { count } = await compared({ AND: [one] })
      expect(count, name).toBeGreaterThan(0)
      expect((await compared({ NOT: one })).count, name).toBe(all.count - count)
      expect((await compared({ OR: [one, { NOT: one }] })).count, name).toBe(all.count)
      // Tokens at the top level count sides.
      if (type !== 'Position' || !name.startsWith('asset'))
        expect((await compared(one)).count, name).toBe(count)
    }
  },
)

test('each filter of reward aggregates matches what it matches in a list', async () => {
  const listed = async (where: object) =>
    (
      await gateway.ask(
        `query ($where: LiquidationRewardFilter) { user(address: "${sampleUser}") {
          list: liquidationRewards(where: $where) { totalCount } } }`,
        { where },
      )
    ).user.list.totalCount as number
  const aggregated = async (more: object) => {
    const query =
      'query ($where: LiquidationRewardFilter!) { liquidationRewardAggregates(where: $where) { count } }'
    const { liquidationRewardAggregates } = await gateway.ask(query, {
      where: { users: [sampleUser], ...more },
    })
    return liquidationRewardAggregates[0].count as number
  }
  const { user } = await gateway.ask(`{ user(address: "${sampleUser}") {
    markets: liquidationRewards(last: 1, where: { entityTypes: MARKET }) { nodes { chainId entityAddress debtMarketAddress } }
    vaults: liquidationRewards(last: 1, where: { entityTypes: VAULT }) { nodes { entityAddress } } } }`)
  const [{ chainId, entityAddress, debtMarketAddress }] = user.markets.nodes
  const [{ entityAddress: vault }] = user.vaults.nodes
  const past = { gte: '2020-01-01' }
  const conditions = {
    ...people,
    ...onChain(chainId),
    claimed: true,
    time: past,
    claimedAt: past,
    collateralReceivedUsd: some,
    liquidRewardUsd: some,
    supplySentUsd: some,
    debtMarkets: debtMarketAddress,
    entities: [entityAddress, vault],
    entityTypes: 'VAULT',
  }
  expect(Object.keys(conditions).sort()).toEqual(conditionsOf('LiquidationReward'))
  const all = await listed({})
  expect(await aggregated({})).toBe(all)
  for (const [name, value] of Object.entries(conditions)) {
    const one = { [name]: value }
    const count = await listed(one)
    expect(count, name).toBeGreaterThan(0)
    expect(await aggregated(one), name).toBe(count)
    // Rows whose value is null match neither, like the debt market of a vault's reward.
    expect(await aggregated({ NOT: one }), name).toBe(await listed({ NOT: one }))
  }
  expect(await aggregated({ AND: [{ entities: entityAddress }, { entities: vault }] })).toBe(0)
})
