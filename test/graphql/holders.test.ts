import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleMarket, samplePool, sampleUser, sampleVault } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const [first, second] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
const LATEST = 9_000_000_000

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 6 })
  const add = (user: string, position: string, time: number, amount: string, usd: number | null) =>
    gateway.deps.store.pool.query(
      `INSERT INTO market_snapshot (user_address, chain_id, market_id, timestamp, position_id,
         collateral_assets, collateral_usd, protected_assets, debt_assets, debt_usd)
       VALUES ($1, 999, $2, $3, $4, $5, $6, 1, $5, NULL)`,
      [user, sampleMarket.address, time, position, amount, usd],
    )
  await gateway.deps.store.pool.query(
    `INSERT INTO market (chain_id, id, pool_address, asset_address, asset_symbol, asset_decimals,
       deposit_rate, borrow_rate)
     VALUES (999, $1, $1, $1, 'BIG', 0, 0, 0)`,
    [sampleMarket.address],
  )
  await add(first, 'one', LATEST, String(2n ** 256n - 1n), 2)
  await add(first, 'two', LATEST, '5', null)
  await add(second, 'one', LATEST - 86_400, '7', null)
  await add(second, 'one', LATEST, '0', 0)
})
afterAll(() => gateway.close())

const holdersOf = async (chain: number, args = '', row = 'rank user { address }') =>
  (
    await gateway.ask(
      `{ market(chainId: ${chain}, address: "${sampleMarket.address}") {
        holders${args} { totalCount nodes { ${row} } } } }`,
    )
  ).market.holders

test('positions of a user add up exactly, in 256 bits and more', async () => {
  const { nodes } = await holdersOf(
    999,
    '(first: 1)',
    'supplied { raw usd } protected { raw } borrowed { raw usd } share',
  )
  const sum = String(2n ** 256n - 1n + 5n)
  expect(nodes).toEqual([
    {
      supplied: { raw: sum, usd: 2 },
      protected: { raw: '2' },
      borrowed: { raw: sum, usd: null },
      share: 1,
    },
  ])
})

test('a user whose newest snapshot has less is ranked by it, and was first before', async () => {
  const row = 'rank user { address } since time'
  const time = new Date(LATEST * 1000).toISOString()
  const before = new Date((LATEST - 86_400) * 1000).toISOString()
  expect((await holdersOf(999, '', row)).nodes).toEqual([
    { rank: 1, user: { address: first }, since: time, time },
    { rank: 2, user: { address: second }, since: before, time },
  ])
  expect((await holdersOf(999, `(asOf: "${before.slice(0, 10)}")`, row)).nodes).toEqual([
    { rank: 1, user: { address: second }, since: before, time: before },
  ])
  expect(await holdersOf(999, '(asOf: "1970-01-01")')).toEqual({ totalCount: 0, nodes: [] })
})

test('shares of a market add up to 1, and the amounts are those of the newest snapshots', async () => {
  const row = 'user { address } share supplied { raw }'
  const { nodes, totalCount } = await holdersOf(sampleMarket.chainId, '(first: 1000)', row)
  expect(totalCount).toBe(nodes.length)
  const shares = nodes.map((one: { share: number }) => one.share)
  expect(shares.reduce((sum: number, one: number) => sum + one, 0)).toBeCloseTo(1, 9)
  expect(shares).toEqual(shares.toSorted((a: number, b: number) => b - a))
  const mine = nodes.find((one: { user: { address: string } }) => one.user.address === sampleUser)
  const { user } = await gateway.ask(`{ user(address: "${sampleUser}") {
    latestSnapshots(chainId: ${sampleMarket.chainId}) { entityAddress supplied { raw } } } }`)
  const held = user.latestSnapshots.filter(
    (one: { entityAddress: string }) => one.entityAddress === sampleMarket.address,
  )
  expect(mine?.supplied.raw).toBe(
    String(
      held.reduce(
        (sum: bigint, one: { supplied: { raw: string } }) => sum + BigInt(one.supplied.raw),
        0n,
      ),
    ),
  )
})

test('a vault has holders with shares of it; a pool is no market and has none', async () => {
  const { vault, market } = await gateway.ask(`{
    vault(chainId: ${sampleVault.chainId}, address: "${sampleVault.address}") {
      holders(first: 2) { nodes { rank share debtShare shares protected { raw } } } }
    market(chainId: ${samplePool.chainId}, address: "${samplePool.address}") {
      holders { totalCount } } }`)
  expect(vault.holders.nodes[0]).toMatchObject({ rank: 1, debtShare: null, protected: null })
  expect(market).toBeNull()
})

test('the holders of several markets are one statement', async () => {
  gateway.statements.length = 0
  await gateway.ask(
    '{ markets(first: 5) { nodes { holders(first: 3) { nodes { rank share since } } } } }',
  )
  expect(gateway.statements).toHaveLength(1)
})

test('an index finds the holders of a market', async () => {
  const client = await gateway.deps.store.pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off')
    const { rows } = await client.query(
      `EXPLAIN SELECT * FROM market_holding WHERE market_id = 'x' AND chain_id = 1`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(
      'market_holding_market_id_idx',
    )
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
