import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleMarket, sampleVault } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
/** The rates of each revision of the market, oldest first, with its moment. */
const revisions = [
  ['2026-03-03T23:59:59.999Z', 0.01, 0.02],
  ['2026-03-04T00:00:00.000Z', 0.03, 0.04],
  ['2026-03-04T12:00:00.000Z', 0.05, 0.06],
  ['2026-04-30T00:00:00.000Z', 0.07, 0.08],
] as const

beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
  const { pool } = gateway.deps.store
  // Only the revisions that the import of the entities recorded stay.
  await pool.query(
    'DELETE FROM rate_revision r WHERE changed_at < (SELECT max(changed_at) FROM rate_revision)',
  )
  await pool.query("UPDATE rate_revision SET changed_at = '2026-03-01'")
  await pool.query("DELETE FROM rate_revision WHERE entity_type = 'market' AND entity_id = $1", [
    sampleMarket.address,
  ])
  for (const [moment, deposit, borrow] of revisions) {
    await pool.query('UPDATE market SET deposit_rate = $1, borrow_rate = $2 WHERE id = $3', [
      deposit,
      borrow,
      sampleMarket.address,
    ])
    await pool.query(
      'UPDATE rate_revision SET changed_at = $1 WHERE deposit_rate = $2 AND borrow_rate = $3',
      [moment, deposit, borrow],
    )
  }
})
afterAll(() => gateway.close())

const marketSeries = async (args: string) =>
  (
    await gateway.ask(
      `query ($chainId: SafeInt!, $address: Address!) { market(chainId: $chainId, address: $address) {
        rateSeries: aprSeries(${args}) { start depositRate: depositApr borrowRate: borrowApr } } }`,
      sampleMarket,
    )
  ).market.rateSeries

test('a bucket has the rates in force at its end, and none before the first that are known', async () => {
  expect(await marketSeries('from: "2026-03-02", to: "2026-03-05"')).toEqual([
    { start: '2026-03-02', depositRate: null, borrowRate: null },
    { start: '2026-03-03', depositRate: 0.01, borrowRate: 0.02 },
    { start: '2026-03-04', depositRate: 0.05, borrowRate: 0.06 },
    { start: '2026-03-05', depositRate: 0.05, borrowRate: 0.06 },
  ])
  expect(await marketSeries('interval: MONTH, from: "2026-02-10", to: "2026-05-01"')).toEqual([
    { start: '2026-02-01', depositRate: null, borrowRate: null },
    { start: '2026-03-01', depositRate: 0.05, borrowRate: 0.06 },
    { start: '2026-04-01', depositRate: 0.07, borrowRate: 0.08 },
    { start: '2026-05-01', depositRate: 0.07, borrowRate: 0.08 },
  ])
})

test('it ends, when nothing is said, with the present rates', async () => {
  const { market } = await gateway.ask(
    'query ($chainId: SafeInt!, $address: Address!) { market(chainId: $chainId, address: $address) { depositRate: depositApr rateSeries: aprSeries { depositRate: depositApr } } }',
    sampleMarket,
  )
  expect(market.rateSeries.length).toBeGreaterThan(1)
  expect(market.rateSeries.at(-1)).toEqual({ depositRate: market.depositRate })
})

test("a vault's series has no borrow rate; all of a page are read at once", async () => {
  const { vault } = await gateway.ask(
    'query ($chainId: SafeInt!, $address: Address!) { vault(chainId: $chainId, address: $address) { depositRate: depositApr rateSeries: aprSeries { depositRate: depositApr borrowRate: borrowApr } } }',
    sampleVault,
  )
  expect(vault.rateSeries.at(-1)).toEqual({ depositRate: vault.depositRate, borrowRate: null })
  const query =
    '{ markets(first: 20) { nodes { address rateSeries: aprSeries(interval: WEEK) { start } } } }'
  await gateway.ask(query)
  gateway.statements.length = 0
  const { markets } = await gateway.ask(query)
  expect(markets.nodes.length).toBeGreaterThan(5)
  expect(gateway.statements.length).toBe(1)
})

test('writes that leave rates unchanged make no revision; changes are visible at once', async () => {
  const { pool } = gateway.deps.store
  const count = async () =>
    Number((await pool.query('SELECT count(*) FROM rate_revision')).rows[0].count)
  const before = await count()
  await pool.query('UPDATE market SET asset_symbol = asset_symbol; UPDATE vault SET name = name')
  expect(await count()).toBe(before)
  await pool.query('UPDATE vault SET deposit_rate = deposit_rate + 1')
  const { vaults } = await gateway.ask(
    '{ vaults(first: 5) { nodes { depositRate: depositApr rateSeries: aprSeries { depositRate: depositApr } } } }',
  )
  for (const { depositRate, rateSeries } of vaults.nodes)
    expect(rateSeries.at(-1)).toEqual({ depositRate })
  // The same transaction twice: the last one counts.
  await pool.query('UPDATE market SET borrow_rate = 1; UPDATE market SET borrow_rate = 2')
  expect((await marketSeries('interval: MONTH')).at(-1).borrowRate).toBe(2)
})

test("a range that is empty, or has too many buckets, is the client's mistake", async () => {
  const { errors } = await gateway.graphql(
    '{ markets { nodes { rateSeries: aprSeries(from: "2026-03-02", to: "2026-03-01") { start } } } }',
  )
  expect(errors?.[0].extensions.code).toBe('BAD_INPUT')
  const many = await gateway.graphql(
    '{ markets(first: 1) { nodes { rateSeries: aprSeries(from: "1990-01-01") { start } } } }',
  )
  expect(many.errors?.[0].extensions.code).toBe('BAD_INPUT')
})
