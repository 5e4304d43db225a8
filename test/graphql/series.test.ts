import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samplePool, sampleUser } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const DAY_MS = 86_400_000
let gateway: Gateway
/** Every position with its points, straight from the tables. */
let positions: Row[]
let rewards: { user_address: string; timestamp: string; usd: number | null; market: boolean }[]
let dates: string[]
/** A date in the middle that the store does not have. */
let gap: string

type Row = Record<string, any>

beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 75 })
  const { pool } = gateway.deps.store
  const all = await pool.query('SELECT date::text FROM distribution ORDER BY date')
  gap = all.rows[40].date
  for (const table of ['stored_position', 'account_day', 'pool_day'])
    await pool.query(`DELETE FROM ${table} WHERE distribution_date = $1`, [gap])
  await pool.query('DELETE FROM distribution WHERE date = $1', [gap])
  await pool.query(
    `INSERT INTO market_liquidation_reward SELECT 1, '0x' || lpad(n::text, 64, '0'), n, $1,
       extract(epoch FROM $2::timestamptz)::bigint + n * 40000, '0x1', '0x2', 1, 1, 1, 1, 1, nullif(n, 3)
     FROM generate_series(0, 5) n`,
    [sampleUser, `${gap}T00:00:00Z`],
  )
  dates = all.rows.map((row) => row.date).filter((date) => date !== gap)
  positions = (
    await pool.query(`SELECT p.*, p.distribution_date::text AS date,
        p.points_a / 1e6::float8 AS points_a, p.points_b / 1e6::float8 AS points_b
      FROM position p`)
  ).rows
  rewards = (
    await pool.query(`SELECT user_address, timestamp, liquid_reward_usd AS usd, true AS market FROM market_liquidation_reward
      UNION ALL SELECT user_address, timestamp, liquid_reward_usd, false FROM vault_liquidation_reward`)
  ).rows
})
afterAll(() => gateway.close())

const iso = (time: number) => new Date(time).toISOString().slice(0, 10)
/** The first date of a date's bucket, found by walking back. */
function startOf(interval: string, date: string): string {
  let time = Date.parse(date)
  if (interval === 'WEEK') while (new Date(time).getUTCDay() !== 1) time -= DAY_MS
  if (interval === 'MONTH') while (new Date(time).getUTCDate() !== 1) time -= DAY_MS
  return iso(time)
}
/** The starts of all buckets of a range, found by walking over all of its dates. */
function startsOf(interval: string, from: string, to: string): string[] {
  const starts = new Set<string>()
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS)
    starts.add(startOf(interval, iso(time)))
  return [...starts]
}

const sum = (rows: Row[], value: (row: Row) => number) =>
  rows.reduce((total, row) => total + value(row), 0)
const points = (row: Row) => row.points_a + row.points_b
const usd = (name: string) => (row: Row) =>
  row[`a_${name}_amount_usd`] + row[`b_${name}_amount_usd`]

/** What a bucket must hold, from these positions. */
function expected(interval: string, start: string, of: Row[]) {
  const inBucket = dates.filter((date) => startOf(interval, date) === start)
  const last = inBucket.at(-1)
  const now = of.filter((row) => row.date === last)
  return {
    start,
    lastDate: last ?? null,
    distributionCount: inBucket.length,
    points: close(
      sum(
        of.filter((row) => inBucket.includes(row.date)),
        points,
      ),
    ),
    positionCount: last ? now.length : null,
  }
}
/** The same of a pool or of the program. */
function levels(interval: string, start: string, of: Row[]) {
  const last = dates.filter((date) => startOf(interval, date) === start).at(-1)
  const now = of.filter((row) => row.date === last)
  return {
    ...expected(interval, start, of),
    suppliedUsd: last ? close(sum(now, usd('supplied'))) : null,
    protectedUsd: last ? close(sum(now, usd('protected_supplied'))) : null,
    borrowedUsd: last ? close(sum(now, usd('borrowed'))) : null,
  }
}
function grouped(rows: Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group) group.push(row)
    else groups.set(key(row), [row])
  }
  return groups
}
const close = (value: number) => expect.closeTo(value, 4)
const fields = 'start lastDate distributionCount points positionCount'
const amounts = 'suppliedUsd protectedUsd borrowedUsd'

const range = () => ({
  from: iso(Date.parse(dates[0] ?? '') - 5 * DAY_MS),
  to: iso(Date.parse(dates.at(-1) ?? '') + DAY_MS),
})

for (const interval of ['DAY', 'WEEK', 'MONTH'])
  describe(`by ${interval}`, () => {
    const variables = () => ({ interval, ...range(), user: sampleUser, pool: samplePool.address })
    const starts = () => startsOf(interval, range().from, range().to)

    test("a user's buckets are what the user's positions add up to, gaps among them", async () => {
      const { user } = await gateway.ask(
        `query ($user: Address!, $interval: Interval!, $from: DateTime, $to: DateTime) { user(address: $user) {
          series(interval: $interval, from: $from, to: $to) { ${fields}
            liquidationRewardCount marketLiquidationRewardsUsd vaultLiquidationRewardsUsd } } }`,
        variables(),
      )
      const mine = positions.filter((row) => row.user_address === sampleUser)
      const got = rewards.filter((row) => row.user_address === sampleUser)
      expect(user.series).toEqual(
        starts().map((start) => {
          const these = got.filter(
            (row) => startOf(interval, iso(Number(row.timestamp) * 1000)) === start,
          )
          const total = (rows: typeof these) => {
            const priced = rows.filter((row) => row.usd !== null)
            return rows.length && !priced.length ? null : close(sum(priced, (row) => row.usd))
          }
          return {
            ...expected(interval, start, mine),
            liquidationRewardCount: these.length,
            marketLiquidationRewardsUsd: total(these.filter((row) => row.market)),
            vaultLiquidationRewardsUsd: total(these.filter((row) => !row.market)),
          }
        }),
      )
      expect(sum(user.series, (row) => row.liquidationRewardCount)).toBe(got.length)
      expect(user.series.some((row: Row) => row.positionCount > 0 && row.points > 0)).toBe(true)
    })

    test("a pool's and the program's", async () => {
      const { pool, program } = await gateway.ask(
        `query ($pool: Address!, $interval: Interval!, $from: DateTime, $to: DateTime) {
          pool(address: $pool) { series(interval: $interval, from: $from, to: $to) { ${fields} ${amounts} tvlUsd userCount } }
          program { series(interval: $interval, from: $from, to: $to) { ${fields} ${amounts} tvlUsd userCount } } }`,
        variables(),
      )
      const check = (series: Row[], of: Row[]) =>
        expect(series).toEqual(
          starts().map((start) => {
            const bucket = levels(interval, start, of)
            const now = of.filter((row) => row.date === bucket.lastDate)
            return {
              ...bucket,
              tvlUsd: bucket.lastDate
                ? close(sum(now, usd('supplied')) + sum(now, usd('protected_supplied')))
                : null,
              userCount: bucket.lastDate ? new Set(now.map((row) => row.user_address)).size : null,
            }
          }),
        )
      check(
        pool.series,
        positions.filter((row) => row.pool_address === samplePool.address),
      )
      check(program.series, positions)
    })

    test('those of each pool, chain and token', async () => {
      const { pool: store } = gateway.deps.store
      const chains = new Map(
        (await store.query('SELECT id, chain_id FROM pool')).rows.map((row) => [
          row.id,
          row.chain_id,
        ]),
      )
      const query = `query ($interval: Interval!, $from: DateTime, $to: DateTime, $groupBy: GroupBy!) {
        series(groupBy: $groupBy, interval: $interval, from: $from, to: $to, first: 100) {
          key { chainId asset { address } pool { address name } } points buckets { ${fields} ${amounts} userCount } } }`
      const sides = positions.flatMap((row) =>
        ['a', 'b'].map((side) => ({
          ...Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              /^[ab]_.*_usd$/.test(name) && !name.startsWith(`${side}_`) ? 0 : value,
            ]),
          ),
          points_a: side === 'a' ? row.points_a : 0,
          points_b: side === 'b' ? row.points_b : 0,
          asset: row[`${side}_token_address`],
        })),
      ) as Row[]
      const keys: Record<string, [Row[], (row: Row) => string]> = {
        POOL: [positions, (row) => `${chains.get(row.pool_address)} ${row.pool_address} null`],
        CHAIN: [positions, (row) => `${chains.get(row.pool_address)} null null`],
        ASSET: [sides, (row) => `${chains.get(row.pool_address)} null ${row.asset}`],
      }
      for (const [groupBy, [rows, key]] of Object.entries(keys)) {
        const { series } = await gateway.ask(query, { ...variables(), groupBy })
        const groups = grouped(rows, key)
        expect(series.length).toBe(Math.min(100, groups.size))
        expect(series.map((one: Row) => one.points)).toEqual(
          series.map((one: Row) => one.points).toSorted((a: number, b: number) => b - a),
        )
        for (const one of series) {
          const of = groups.get(
            `${one.key.chainId} ${one.key.pool?.address ?? null} ${one.key.asset?.address ?? null}`,
          )
          if (!of) throw new Error(`${groupBy} has no ${JSON.stringify(one.key)}`)
          expect(one.buckets.map(({ userCount: _, ...bucket }: Row) => bucket)).toEqual(
            starts().map((start) => levels(interval, start, of)),
          )
          expect(one.points).toBeCloseTo(sum(of, points), 3)
        }
      }
    })
  })

test('without a range: thirty buckets that end with the newest distribution', async () => {
  const { program, user } = await gateway.ask(
    `{ program { series { start } } user(address: "${sampleUser}") { series(interval: MONTH) { start points } } }`,
  )
  expect(program.series).toHaveLength(30)
  expect(program.series.at(-1).start.slice(0, 10)).toBe(dates.at(-1))
  expect(user.series.map((row: Row) => row.start.slice(0, 10))).toEqual(
    startsOf('MONTH', dates[0] ?? '', dates.at(-1) ?? ''),
  )
  expect(sum(user.series, (row) => row.points)).toBeCloseTo(
    sum(
      positions.filter((row) => row.user_address === sampleUser),
      points,
    ),
    3,
  )
})

test('a bucket does not depend on where in it the range begins and ends', async () => {
  const { program } = await gateway.ask(
    `{ program { series(interval: WEEK, from: "${dates[9]}", to: "${dates[20]}T13:00:00Z") { start points } } }`,
  )
  const whole = await gateway.ask(
    `{ program { series(interval: WEEK, from: "${dates[0]}") { start points } } }`,
  )
  for (const bucket of program.series) expect(whole.program.series).toContainEqual(bucket)
})

test('a range that is too long or the wrong way round is refused, with what to do', async () => {
  for (const [args, message] of [
    [
      'from: "2001-01-01", to: "2020-01-01"',
      /at most 1000 buckets before to: ask for a shorter range, or for weeks/,
    ],
    ['interval: MONTH, from: "0001-01-01", to: "9999-12-31"', /at most 1000 buckets/],
    ['from: "2020-01-02", to: "2020-01-01"', /must not be later than to/],
  ] as const) {
    const { errors } = await gateway.graphql(`{ program { series(${args}) { start } } }`)
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'BAD_INPUT' },
    })
  }
})

test('the ends of the calendar', async () => {
  const { program } = await gateway.ask(
    `{ program { series(interval: WEEK, to: "9999-12-31") { start points }
      early: series(interval: MONTH, to: "0001-03-05") { start points lastDate } } }`,
  )
  expect(program.series).toHaveLength(30)
  expect(program.early).toEqual(
    [1, 2, 3].map((month) => ({ start: `0001-0${month}-01`, points: 0, lastDate: null })),
  )
})

test('the earnings of no wallet jump for one day alone by more than a tenth of what it holds', async () => {
  const { lookupUsers } = await gateway.ask(
    `query ($a: [Address!]!, $from: DateTime) { lookupUsers(addresses: $a) {
      series(from: $from) { earningsUsd worth { suppliedUsd protectedUsd vaultsUsd } } } }`,
    { a: [...new Set(positions.map((row) => row.user_address))], from: dates[0] },
  )
  expect(lookupUsers.length).toBeGreaterThan(20)
  for (const user of lookupUsers) {
    const computed: Row[] = user.series.filter(({ earningsUsd }: Row) => earningsUsd !== null)
    const most = Math.max(
      ...computed.map(({ worth }) => worth.suppliedUsd + worth.protectedUsd + worth.vaultsUsd),
    )
    for (const [i, { earningsUsd }] of computed.entries()) {
      const [before, after] = [
        computed[i - 1]?.earningsUsd ?? earningsUsd,
        computed[i + 1]?.earningsUsd ?? earningsUsd,
      ]
      const isAlone = (earningsUsd - before) * (earningsUsd - after) > 0
      const by = Math.min(Math.abs(earningsUsd - before), Math.abs(earningsUsd - after))
      if (isAlone) expect(by).toBeLessThan(most / 10)
    }
  }
})

test('an unknown user has no points and positions where the program has a distribution, and no worth', async () => {
  const { user } = await gateway.ask(
    `{ user(address: "0x${'9'.repeat(40)}") { series(from: "${gap}", to: "${dates.at(-1)}") { points positionCount worth { netUsd } } } }`,
  )
  expect(user.series[0]).toEqual({ points: 0, positionCount: null, worth: null })
  expect(user.series.at(-1)).toEqual({ points: 0, positionCount: 0, worth: null })
})

test('many users, pools or groups take as many statements as one', async () => {
  const count = async (query: string, variables?: object) => {
    for (let warm = 0; warm < 2; warm++) await gateway.graphql(query, variables)
    gateway.statements.length = 0
    await gateway.ask(query, variables)
    return gateway.statements.length
  }
  const { leaderboard } = await gateway.ask('{ leaderboard { nodes { userAddress } } }')
  const addresses = leaderboard.nodes.map((row: Row) => row.userAddress)
  const users = `query ($addresses: [Address!]!) { lookupUsers(addresses: $addresses) {
    series(interval: WEEK) { points rank worth { netUsd } marketLiquidationRewardsUsd } } }`
  expect(await count(users, { addresses: [sampleUser] })).toBe(1)
  expect(await count(users, { addresses })).toBe(1)
  for (const query of [
    (n: number) => `{ pools(first: ${n}) { nodes { series { tvlUsd points } } } }`,
    (n: number) =>
      `{ series(groupBy: POOL, first: ${n}) { key { pool { name } } buckets { tvlUsd } } }`,
  ]) {
    const one = await count(query(1))
    expect(one).toBeLessThanOrEqual(3)
    expect(await count(query(50))).toBe(one)
  }
})
