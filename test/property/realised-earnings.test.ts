import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 20 })
})
afterAll(() => gateway.close())

const PARTS = 'earningsUsd realisedUsd unrealisedUsd'
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

test.each([
  ['of all time', ''],
  ['until a moment', `(at: "${day(8)}")`],
  ['of a period', `(since: "${day(15)}", at: "${day(4)}")`],
  ['since a moment', `(since: "${day(10)}")`],
])(
  'both parts of earnings add up to them, and those of groups to the parts of all: %s',
  async (_, args) => {
    const { users } =
      await gateway.ask(`{ users(first: 30) { nodes { earnings${args} { ${PARTS} hasIncompletePrices
    breakdown { entityType ${PARTS} } byAsset { ${PARTS} } byPool { ${PARTS} } } } } }`)
    let realised = 0
    for (const { earnings } of users.nodes) {
      const { breakdown, byAsset, byPool } = earnings
      for (const one of [earnings, ...breakdown, ...byAsset, ...byPool])
        if (one.realisedUsd !== null)
          expect(one.realisedUsd + one.unrealisedUsd).toBeCloseTo(one.earningsUsd, 6)
      expect(earnings.realisedUsd === null).toBe(earnings.hasIncompletePrices)
      if (earnings.realisedUsd === null) continue
      const sum = (rows: Record<string, number>[], name: string) =>
        rows.reduce((all, row) => all + (row[name] as number), 0)
      for (const name of PARTS.split(' ')) {
        expect(sum(breakdown, name)).toBeCloseTo(earnings[name], 6)
        expect(sum(byAsset, name)).toBeCloseTo(earnings[name], 6)
        const markets = breakdown.filter(
          ({ entityType }: { entityType: string }) => entityType === 'MARKET',
        )
        expect(sum(byPool, name)).toBeCloseTo(sum(markets, name), 6)
      }
      if (Math.abs(earnings.realisedUsd) > 0.01 && Math.abs(earnings.unrealisedUsd) > 0.01)
        realised++
    }
    expect(realised, 'some users have both parts').toBeGreaterThan(0)
  },
)

test.each([
  // 1,000 became 1,100, of which the half was taken out: half of the gain.
  [
    [
      ['deposit', 1000],
      ['withdraw', 550],
    ],
    { supplied: 550 },
    50,
    50,
  ],
  // All was taken out, with a gain or a loss.
  [
    [
      ['deposit', 1000],
      ['withdraw', 400],
      ['withdraw', 700],
    ],
    { supplied: 0 },
    100,
    0,
  ],
  [
    [
      ['deposit', 1000],
      ['withdraw', 900],
    ],
    { supplied: 0 },
    -100,
    0,
  ],
  // Nothing came back.
  [[['deposit', 1000]], { supplied: 0 }, -1000, 0],
  // Two deposits cost 300 together and are worth 450: a third of it is taken out.
  [
    [
      ['deposit', 100],
      ['deposit', 200],
      ['withdraw', 150],
    ],
    { supplied: 300 },
    50,
    100,
  ],
  // A debt of 100 cost 20, of which the half is paid.
  [
    [
      ['borrow', 100],
      ['repay', 60],
    ],
    { borrowed: 60 },
    -10,
    -10,
  ],
  // Supply and debt are separate.
  [
    [
      ['deposit', 1000],
      ['withdraw', 550],
      ['borrow', 100],
      ['repay', 60],
    ],
    { supplied: 550, borrowed: 60 },
    40,
    40,
  ],
  [[['deposit', 10]], { supplied: 15 }, 0, 5],
] as [[string, number][], { supplied?: number; borrowed?: number }, number, number][])(
  'the parts of %j with %j left are %d and %d',
  async (flows, { supplied = 0, borrowed = 0 }, realisedUsd, unrealisedUsd) => {
    const { pool } = gateway.deps.store
    const user = `0x${'e'.repeat(40)}`
    await pool.query(
      `DELETE FROM cash_flow WHERE user_address = '${user}'; DELETE FROM market_snapshot WHERE user_address = '${user}'`,
    )
    for (const [n, [kind, usd]] of flows.entries())
      await pool.query(
        `INSERT INTO cash_flow SELECT chain_id, 'tx', ${n}, '${user}', 'market', id, ${n}, '${kind}', ${usd} FROM market ORDER BY 3 LIMIT 1`,
      )
    await pool.query(`INSERT INTO market_snapshot (user_address, chain_id, market_id, timestamp, position_id, collateral_assets, collateral_usd,
        protected_assets, protected_usd, debt_assets, debt_usd)
      SELECT '${user}', chain_id, entity_id, 99, 'main', 1, ${supplied}, 0, 0, 1, ${borrowed} FROM cash_flow WHERE user_address = '${user}' LIMIT 1`)
    for (const args of ['', '(at: "2020-01-01")', '(since: "1960-01-01")']) {
      const { user: answer } = await gateway.ask(
        `{ user(address: "${user}") { earnings${args} { realisedUsd unrealisedUsd byPool { realisedUsd } } } }`,
      )
      expect(answer.earnings).toEqual({ realisedUsd, unrealisedUsd, byPool: [{ realisedUsd }] })
    }
  },
)

test('a cash flow without a price counts alike at both ends of a period that it precedes', async () => {
  const { pool } = gateway.deps.store
  const user = `0x${'f'.repeat(40)}`
  const flow = (n: number, timestamp: number, kind: string, usd: number | null) =>
    pool.query(
      `INSERT INTO cash_flow SELECT chain_id, 'tx', $1::bigint, $2, 'market', id, $3::bigint, $4::cash_flow_kind, $5::float8 FROM market ORDER BY id LIMIT 1`,
      [n, user, timestamp, kind, usd],
    )
  const snapshot = (timestamp: number, usd: number) =>
    pool.query(
      `INSERT INTO market_snapshot SELECT $1, chain_id, id, $2::bigint, 'main', 1, $3::float8, 0, 0, 0, 0 FROM market ORDER BY id LIMIT 1`,
      [user, timestamp, usd],
    )
  await flow(0, 1000, 'deposit', null)
  await snapshot(2000, 100)
  await flow(1, 5000, 'withdraw', 50)
  await snapshot(6000, 60)
  const earnings = async (args: string) =>
    await gateway.ask(`{ user(address: "${user}") { earnings${args} {
        ${PARTS} hasIncompletePrices breakdown { realisedUsd } byPool { realisedUsd } byAsset { realisedUsd } } }
        portfolio(addresses: ["${user}"]${args.includes('at:') ? ', at: "2020-01-01"' : ''}) {
          earnings(since: "1970-01-01T01:00:00Z") { ${PARTS} } } }`)
  for (const args of [
    '(since: "1970-01-01T01:00:00Z")',
    '(since: "1970-01-01T01:00:00Z", at: "2020-01-01")',
  ]) {
    const { user, portfolio } = await earnings(args)
    expect(user.earnings).toMatchObject({ earningsUsd: 10, hasIncompletePrices: false })
    expect(user.earnings.realisedUsd).toBeCloseTo((10 * 50) / 110, 9)
    for (const rows of [user.earnings.breakdown, user.earnings.byPool, user.earnings.byAsset])
      expect(rows).toEqual([{ realisedUsd: user.earnings.realisedUsd }])
    expect(portfolio.earnings.realisedUsd).toBe(user.earnings.realisedUsd)
  }
  const all = (await earnings('')).user.earnings
  expect(all).toMatchObject({ realisedUsd: null, hasIncompletePrices: true })
  // A flow without a price within the period does count.
  await flow(2, 5500, 'deposit', null)
  const { user: later } = await earnings('(since: "1970-01-01T01:00:00Z")')
  expect(later.earnings).toMatchObject({ realisedUsd: null, hasIncompletePrices: true })
})
