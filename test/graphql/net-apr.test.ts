import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleMarket, sampleVault } from '../../src/sample/index.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Markets and vaults that are not stored have no known rates. */
const unknownMarket = `0x${'c1'.repeat(20)}`
const unknownVault = `0x${'c2'.repeat(20)}`
/** Has known and unknown rates, and only unknown ones. */
const some = `0x${'d1'.repeat(20)}`
const none = `0x${'d2'.repeat(20)}`

let planned: Gateway
let resolved: Gateway
let rates: { depositApr: number; borrowApr: number }
beforeAll(async () => {
  planned = await startOnSample({ users: 30, days: 6, plan: true })
  resolved = await startGateway({ on: planned, plan: false })
  const { pool } = planned.deps.store
  const market = (user: string, address: string, deposit: number, debt: number) =>
    pool.query(
      `INSERT INTO market_snapshot VALUES ($1, $2, $3, 1600000000, 'p', '1', $4, '0', 0, '1', $5)`,
      [user, sampleMarket.chainId, address, deposit, debt],
    )
  const vault = (user: string, chainId: number, address: string, usd: number) =>
    pool.query(`INSERT INTO vault_snapshot VALUES ($1, $2, $3, 1600000000, 'p', '1', '1', $4)`, [
      user,
      chainId,
      address,
      usd,
    ])
  await market(some, sampleMarket.address, 100, 40)
  await market(some, unknownMarket, 300, 60)
  await vault(some, 1, unknownVault, 7)
  await market(none, unknownMarket, 300, 60)
  const { market: stored } = await planned.ask(
    `{ market(chainId: ${sampleMarket.chainId}, address: "${sampleMarket.address}") { depositApr borrowApr } }`,
  )
  rates = stored
})
afterAll(async () => {
  await resolved?.close()
  await planned?.close()
})

const NET_APR = `netDepositApr netBorrowApr depositUsd borrowedUsd
  withoutRates { entityType entityAddress depositUsd borrowedUsd hasRates }
  breakdown { entityAddress depositApr borrowApr hasRates } legacy { netDepositApr netBorrowApr }`

const row = (
  entityType: string,
  entityAddress: string,
  depositUsd: number,
  borrowedUsd: number,
) => ({
  entityType,
  entityAddress,
  depositUsd,
  borrowedUsd,
  hasRates: false,
})

describe.each([
  ['planned', () => planned],
  ['resolved', () => resolved],
])('a rate that is not known does not weigh in net APR, %s', (_, gateway) => {
  test.each([
    ['a user', (user: string) => `user(address: "${user}")`, ''],
    ['a user at a moment', (user: string) => `user(address: "${user}")`, '(at: "2999-01-01")'],
    ['a portfolio', (user: string) => `portfolio(addresses: ["${user}"])`, ''],
    [
      'a portfolio at a moment',
      (user: string) => `portfolio(addresses: ["${user}"], at: "2999-01-01")`,
      '',
    ],
  ])('of %s', async (_, owner, args) => {
    const netAprOf = (user: string) =>
      gateway().ask(`{ owner: ${owner(user)} { netApr${args} { ${NET_APR} } } }`)
    const { netApr } = (await netAprOf(some)).owner
    expect(netApr).toMatchObject({
      netDepositApr: rates.depositApr,
      netBorrowApr: rates.borrowApr,
      depositUsd: 407,
      borrowedUsd: 100,
      withoutRates: [row('MARKET', unknownMarket, 300, 60), row('VAULT', unknownVault, 7, 0)],
    })
    expect(netApr.legacy.netDepositApr).toBeCloseTo((100 * rates.depositApr) / 407, 12)
    expect(netApr.legacy.netBorrowApr).toBeCloseTo((40 * rates.borrowApr) / 100, 12)
    expect(netApr.breakdown.map((one: { hasRates: boolean }) => one.hasRates)).toEqual([
      false,
      true,
      false,
    ])
    expect((await netAprOf(none)).owner.netApr).toMatchObject({
      netDepositApr: 0,
      netBorrowApr: 0,
      withoutRates: [row('MARKET', unknownMarket, 300, 60)],
    })
  })

  test('of a series, which is null where no rate is known', async () => {
    const series = (user: string) =>
      gateway().ask(`{ user(address: "${user}") {
      series(interval: DAY, from: "2020-09-20", to: "2020-09-20") { netDepositApr netBorrowApr } } }`)
    expect((await series(some)).user.series).toEqual([
      { netDepositApr: rates.depositApr, netBorrowApr: rates.borrowApr },
    ])
    expect((await series(none)).user.series).toEqual([{ netDepositApr: null, netBorrowApr: null }])
  })
})

test('REST counts such a rate as 0', async () => {
  const body: any = await (await planned.get(`/v1/users/${some}/net-apr`)).json()
  expect(body.data.earn_net_apr).toBeCloseTo((100 * rates.depositApr) / 407, 12)
  expect(body.data.borrow_net_apr).toBeCloseTo((40 * rates.borrowApr) / 100, 12)
  expect(Object.keys(body.data)).toEqual([
    'earn_net_apr',
    'borrow_net_apr',
    'total_earn_deposits_usd',
    'total_borrow_usd',
    'breakdown',
  ])
  expect(body.data.breakdown[0]).toEqual({
    chain_id: sampleMarket.chainId,
    entity_id: unknownMarket,
    entity_type: 'market',
    earn_deposit_usd: 300,
    deposit_rate: 0,
    borrow_usd: 60,
    borrow_rate: 0,
  })
})

test('a vault whose rate is known is not among those without', async () => {
  const { pool } = planned.deps.store
  const user = `0x${'d3'.repeat(20)}`
  const { chainId, address } = sampleVault
  await pool.query(`INSERT INTO vault_snapshot VALUES ($1, $2, $3, 1600000000, 'p', '1', '1', 5)`, [
    user,
    chainId,
    address,
  ])
  const query = `{ user(address: "${user}") { netApr { netBorrowApr withoutRates { entityAddress } } } }`
  expect((await planned.ask(query)).user.netApr).toEqual({ netBorrowApr: 0, withoutRates: [] })
})
