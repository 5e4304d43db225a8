import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, onCitus } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
let wallets: string[]
type Row = Record<string, any>

beforeAll(async () => {
  gateway = await startOnSample()
  const { data } = await gateway.graphql('{ leaderboard(first: 12) { nodes { userAddress } } }')
  wallets = [sampleUser, ...data.leaderboard.nodes.map((row: Row) => row.userAddress)]
  wallets = [...new Set(wallets)]
  const { pool } = gateway.deps.store
  await pool.query('UPDATE market_snapshot SET debt_usd = NULL WHERE user_address = $1', [
    wallets[2],
  ])
})
afterAll(() => gateway.close())

const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 4))
const add = (rows: Row[], value: (row: Row) => number) =>
  rows.reduce((total, row) => total + value(row), 0)
const valuesOf = (rows: Row[], column: string) => {
  const values = rows.map((row) => row[column]).filter((value) => value !== null)
  return near(values.length ? values.reduce((a, b) => a + b, 0) : null)
}
const tokens = (rows: Row[], column: string) =>
  rows.reduce((total, row) => total + BigInt(row[column]), 0n).toString()

const WORTH = 'netUsd suppliedUsd protectedUsd borrowedUsd vaultsUsd'

test('is what its wallets have, added up', async () => {
  const each = `address points: totalPoints positionCount: recordCount rank worth { ${WORTH} } earnings { earningsUsd worthUsd netCashInvestedUsd
    hasIncompletePrices breakdown(first: 1000) { entityAddress earningsUsd worthUsd } }
    netApr { totalEarnDepositsUsd: depositUsd totalBorrowUsd: borrowedUsd earnNetApr: netDepositApr borrowNetApr: netBorrowApr }`
  const { lookupUsers } = await gateway.ask(
    `query ($a: [Address!]!) { lookupUsers(addresses: $a) { ${each} } }`,
    {
      a: wallets,
    },
  )
  const users: Row[] = lookupUsers
  const { portfolio } = await gateway.ask(
    `query ($a: [Address!]!) { portfolio(addresses: $a) { points: totalPoints positionCount: recordCount bestRank worth { ${WORTH} }
      earnings { earningsUsd worthUsd netCashInvestedUsd hasIncompletePrices
        breakdown(first: 1000) { entityAddress earningsUsd worthUsd } }
      netApr { totalEarnDepositsUsd: depositUsd totalBorrowUsd: borrowedUsd earnNetApr: netDepositApr borrowNetApr: netBorrowApr } } }`,
    { a: wallets },
  )
  expect(portfolio.points).toBeCloseTo(
    add(users, (user) => user.points),
    4,
  )
  expect(portfolio.positionCount).toBe(add(users, (user) => user.positionCount))
  expect(portfolio.bestRank).toBe(1)
  for (const field of ['earningsUsd', 'worthUsd', 'netCashInvestedUsd'])
    expect(portfolio.earnings[field]).toBeCloseTo(
      add(users, (user) => user.earnings[field]),
      3,
    )
  expect(portfolio.earnings.hasIncompletePrices).toBe(
    users.some((user) => user.earnings.hasIncompletePrices),
  )
  const items: Row[] = users.flatMap((user: Row) => user.earnings.breakdown)
  for (const item of portfolio.earnings.breakdown) {
    const parts = items.filter((one) => one.entityAddress === item.entityAddress)
    expect(item.earningsUsd).toBeCloseTo(
      add(parts, (one) => one.earningsUsd),
      3,
    )
    expect(item.worthUsd).toBeCloseTo(
      add(parts, (one) => one.worthUsd),
      3,
    )
  }
  expect(new Set(portfolio.earnings.breakdown.map((one: Row) => one.entityAddress)).size).toBe(
    new Set(items.map((one) => one.entityAddress)).size,
  )
  const deposits = add(users, (user) => user.netApr.totalEarnDepositsUsd)
  const debts = add(users, (user) => user.netApr.totalBorrowUsd)
  expect(portfolio).toMatchObject({
    worth: Object.fromEntries(
      WORTH.split(' ').map((term) => [term, near(add(users, (user) => user.worth[term]))]),
    ),
    netApr: {
      totalEarnDepositsUsd: near(deposits),
      totalBorrowUsd: near(debts),
      earnNetApr: near(
        add(users, (user) => user.netApr.earnNetApr * user.netApr.totalEarnDepositsUsd) / deposits,
      ),
      borrowNetApr: near(
        add(users, (user) => user.netApr.borrowNetApr * user.netApr.totalBorrowUsd) / debts,
      ),
    },
  })
})

test.skipIf(onCitus)('holdings in pools, markets and vaults are those of the tables', async () => {
  const { portfolio } = await gateway.ask(
    `query ($a: [Address!]!) { portfolio(addresses: $a) {
      pools { poolAddress userCount points suppliedUsd protectedUsd borrowedUsd pool { id } }
      entities { chainId entityType entityAddress userCount supplied { raw usd } protected { raw usd } borrowed { raw usd }
        shares entity { name } } } }`,
    { a: [...wallets, (wallets[0] ?? '').toUpperCase()] },
  )
  const { pool } = gateway.deps.store
  const positions: Row[] = (
    await pool.query(
      `SELECT p.*, (p.points_a + p.points_b) / 1e6::float8 AS points FROM position p
       WHERE p.user_address = ANY($1) AND distribution_date = (SELECT max(date) FROM distribution)`,
      [wallets],
    )
  ).rows
  const both = (row: Row, what: string) => row[`a_${what}_amount_usd`] + row[`b_${what}_amount_usd`]
  expect(portfolio.pools.length).toBe(new Set(positions.map((row) => row.pool_address)).size)
  for (const { pool: _, ...one } of portfolio.pools) {
    const ofPool = positions.filter((row) => row.pool_address === one.poolAddress)
    expect(one).toEqual({
      poolAddress: one.poolAddress,
      userCount: ofPool.length,
      points: near(add(ofPool, (row) => row.points)),
      suppliedUsd: near(add(ofPool, (row) => both(row, 'supplied'))),
      protectedUsd: near(add(ofPool, (row) => both(row, 'protected_supplied'))),
      borrowedUsd: near(add(ofPool, (row) => both(row, 'borrowed'))),
    })
  }
  /** Every wallet's newest snapshots of each entity. */
  const newest = async (kind: string) => {
    const rows: Row[] = (
      await pool.query(`SELECT * FROM ${kind}_snapshot WHERE user_address = ANY($1)`, [wallets])
    ).rows
    const latest = (row: Row) =>
      Math.max(
        ...rows
          .filter(
            (one) =>
              one.user_address === row.user_address &&
              one[`${kind}_id`] === row[`${kind}_id`] &&
              one.chain_id === row.chain_id,
          )
          .map((one) => Number(one.timestamp)),
      )
    return rows.filter((row) => Number(row.timestamp) === latest(row))
  }
  const [markets, vaults] = [await newest('market'), await newest('vault')]
  const ofType = (type: string) =>
    portfolio.entities.filter(({ entityType }: Row) => entityType === type)
  expect(ofType('MARKET').length).toBe(
    new Set(markets.map((row) => `${row.chain_id} ${row.market_id}`)).size,
  )
  for (const one of ofType('MARKET')) {
    const matching = markets.filter(
      (row) => row.market_id === one.entityAddress && Number(row.chain_id) === one.chainId,
    )
    expect(one).toMatchObject({
      userCount: new Set(matching.map((row) => row.user_address)).size,
      supplied: {
        raw: tokens(matching, 'collateral_assets'),
        usd: valuesOf(matching, 'collateral_usd'),
      },
      protected: {
        raw: tokens(matching, 'protected_assets'),
        usd: valuesOf(matching, 'protected_usd'),
      },
      borrowed: { raw: tokens(matching, 'debt_assets'), usd: valuesOf(matching, 'debt_usd') },
    })
  }
  expect(ofType('VAULT').length).toBeGreaterThan(0)
  for (const one of ofType('VAULT')) {
    const matching = vaults.filter(
      (row) => row.vault_id === one.entityAddress && Number(row.chain_id) === one.chainId,
    )
    expect(one).toMatchObject({
      userCount: new Set(matching.map((row) => row.user_address)).size,
      shares: tokens(matching, 'shares'),
      supplied: { raw: tokens(matching, 'assets'), usd: valuesOf(matching, 'assets_usd') },
    })
  }
})

test('an invalid address is refused once, with its place', async () => {
  const texts = [sampleUser, 'nonsense', sampleUser.toUpperCase()]
  for (const field of [
    'lookupUsers(addresses: $a) { address }',
    'portfolio(addresses: $a) { users { address } }',
  ]) {
    const query = `query ($a: [Address!]!) { ${field} }`
    const { data, errors } = await gateway.graphql(query, { a: texts })
    expect(data).toBeUndefined()
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({
      message: expect.stringMatching(
        /"a\[1\]".*Address must be 0x and 40 hexadecimal digits, not "nonsense"\./,
      ),
      extensions: { code: 'BAD_INPUT' },
    })
    const answer = await gateway.ask(query, { a: [texts[0], texts[2]] })
    expect(answer.lookupUsers ?? answer.portfolio.users).toEqual([
      { address: sampleUser },
      { address: sampleUser },
    ])
  }
})

test('a portfolio of nobody, and of too many', async () => {
  const { portfolio } = await gateway.ask(
    '{ portfolio(addresses: []) { points: totalPoints bestRank worth { netUsd } earnings { earningsUsd } netApr { earnNetApr: netDepositApr } pools { points } entities { borrowed { usd } } } }',
  )
  expect(portfolio).toEqual({
    points: 0,
    bestRank: null,
    worth: null,
    earnings: { earningsUsd: 0 },
    netApr: { earnNetApr: 0 },
    pools: [],
    entities: [],
  })
  const a = Array.from({ length: 1001 }, () => sampleUser)
  for (const field of [
    'portfolio(addresses: $a) { totalPoints }',
    'lookupUsers(addresses: $a) { address }',
  ]) {
    const { errors } = await gateway.graphql(`query ($a: [Address!]!) { ${field} }`, { a })
    expect(errors?.[0].message).toMatch(/at most 1000: ask for the others in another request/)
  }
})

test('a thousand wallets take as many statements as one', async () => {
  const query = `query ($a: [Address!]!) { portfolio(addresses: $a) { points: totalPoints positionCount: recordCount bestRank worth { netUsd }
    users { rank } earnings { earningsUsd } netApr { earnNetApr: netDepositApr }
    pools { points pool { name } } entities { borrowed { usd } supplied { usd } entity { name asset { symbol } } } } }`
  const many = Array.from(
    { length: 1000 },
    (_, i) => wallets[i] ?? `0x${String(i).padStart(40, '0')}`,
  )
  for (const a of [[sampleUser], many]) {
    for (let warm = 0; warm < 2; warm++) await gateway.graphql(query, { a })
    gateway.statements.length = 0
    await gateway.ask(query, { a })
    expect(gateway.statements.length).toBe(10)
  }
})
