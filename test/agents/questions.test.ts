import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Agent, connectAgent } from '../support/agent.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/**
 * Questions that people ask in a chat, answered with at most three calls each. The right answer is
 * that of a query of the graph.
 */

let gateway: Gateway
let agent: Agent
let ask: Gateway['ask']
/** A wallet with debt, and the newest date. */
let user: string
let newest: string
let calls = 0

beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 20 })
  agent = await connectAgent(gateway.base)
  ask = gateway.ask
  const { currentPositions, distributions } = await ask(`{
    currentPositions(where: { healthFactor: { lt: 3 } }, orderBy: HEALTH_FACTOR, first: 1) {
      nodes { user { address } }
    }
    distributions(first: 1) { nodes { date } }
  }`)
  user = currentPositions.nodes[0].user.address
  newest = distributions.nodes[0].date
})
afterAll(async () => {
  await agent?.close()
  await gateway?.close()
})

const use = (name: string, sent?: object) => {
  calls++
  return agent.ask(name, sent)
}
const daysAgo = (days: number) =>
  new Date(Date.parse(newest) - days * 86_400_000).toISOString().slice(0, 10)
const largest = <Row>(rows: Row[], value: (row: Row) => number): Row =>
  rows.reduce((best, row) => (value(row) > value(best) ? row : best))

/** A question, and a script that answers it and compares the answer. */
function question(text: string, answer: () => Promise<void>): void {
  test(text, async () => {
    calls = 0
    await answer()
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThanOrEqual(3)
  })
}

const one = (fields: string, address = user) =>
  ask(`{ user(address: "${address}") { ${fields} } }`).then((data) => data.user)

question('Who gained most ranks this week, and why?', async () => {
  const { gained, lost } = await use('rank_movers')
  const { address, change } = gained[0].user
  expect(change.rank).toBeGreaterThan(0)
  const graph = await ask(
    '{ leaderboard(first: 1000) { nodes { user { address change(days: 7) { rank } } } } }',
  )
  const ranks = graph.leaderboard.nodes.map((row: any) => row.user.change.rank ?? -Infinity)
  expect(change.rank).toBe(Math.max(...ranks))
  const losses = graph.leaderboard.nodes.map((row: any) => row.user.change.rank ?? 0)
  expect(lost[0].user.change.rank).toBe(Math.min(...losses))
  const where = { users: [address], date: { gte: daysAgo(6) } }
  const { positions } = await use('positions', { where, first: 100 })
  const { positionAggregates } = await ask(
    `query ($where: PositionFilter!) {
      positionAggregates(where: $where, groupBy: [POOL], orderBy: [SUM_POINTS], orderDirection: [DESC]) {
        key { pool { address } }
        sumPoints
      }
    }`,
    { where },
  )
  const sums = new Map<string, number>()
  for (const { poolAddress, points } of positions.nodes)
    sums.set(poolAddress, (sums.get(poolAddress) ?? 0) + points)
  const [pool, points] = largest([...sums], ([, sum]) => sum)
  expect(pool).toBe(positionAggregates[0].key.pool.address)
  expect(points).toBeCloseTo(positionAggregates[0].sumPoints, 3)
})

question('Which wallets fall if ETH loses 12 %?', async () => {
  const shock = { group: 'ETH', change: -0.12 }
  const { currentPositions } = await use('positions_hit_by_price_change', { shock })
  const graph = await ask(
    `query ($shock: PriceShock) {
      currentPositions(shock: $shock, first: 1000) { totalCount nodes { user { address } } }
    }`,
    { shock },
  )
  const wallets = (rows: any[]) => [...new Set(rows.map(({ user }) => user.address))].sort()
  expect(currentPositions.totalCount).toBe(graph.currentPositions.totalCount)
  expect(currentPositions.totalCount).toBeGreaterThan(0)
  expect(wallets(currentPositions.nodes)).toEqual(wallets(graph.currentPositions.nodes))
})

question('How much debt falls if BTC or ETH loses 30 %, and in which pool most?', async () => {
  const shocks = ['BTC', 'ETH'].map((group) => ({ group, change: -0.3 }))
  const answer = await use('price_change_totals', { shocks })
  const graph = await ask(
    `query ($shocks: [PriceShock!]!) {
      collateralAtRisk(shocks: $shocks) { group debtUsd }
      poolsAtRisk(shocks: $shocks) { group poolAddress debtUsd }
    }`,
    { shocks },
  )
  expect(answer.collateralAtRisk).toMatchObject(graph.collateralAtRisk)
  expect(answer.poolsAtRisk).toMatchObject(graph.poolsAtRisk)
})

question('What does a wallet earn?', async () => {
  const { user: rates } = await use('wallet_rates', { address: user })
  const { user: earned } = await use('wallet_earnings', { address: user })
  const graph = await one(
    'netApr { netDepositApr netBorrowApr } earnings { profitUsd interestUsd }',
  )
  expect(rates.netApr).toMatchObject(graph.netApr)
  expect(earned.earnings).toMatchObject(graph.earnings)
})

question('What did it earn this week, and with which token?', async () => {
  const sent = { address: user, since: daysAgo(7) }
  const { earnings } = (await use('wallet_earnings_of_period', sent)).user
  const graph = await one(
    `earnings(since: "${daysAgo(7)}") { profitUsd byAsset { asset { symbol } profitUsd } }`,
  )
  expect(earnings).toMatchObject(graph.earnings)
})

question('Which pool is best for 10,000 USDC for 30 days?', async () => {
  const { assets } = await use('tokens')
  const usdc = assets.nodes.filter(({ symbol }: any) => symbol === 'USDC')
  const addresses = usdc.map(({ address }: any) => address)
  const { pools } = await use('earnings_estimate', {
    ...{ amountUsd: 10_000, days: 30, where: { assets: addresses } },
  })
  const sides = pools.nodes.flatMap((pool: any) =>
    ['A', 'B']
      .filter((side) => addresses.includes(pool[`asset${side}`].address))
      .map((side) => ({ pool: pool.address, ...pool[`market${side}`].supply })),
  )
  const best = largest<any>(sides, ({ totalUsd }) => totalUsd)
  const { markets } = await ask(
    `query ($assets: [Address!]) {
      markets(where: { assets: $assets }, first: 1000) {
        nodes { pool { address } estimate(amountUsd: 10000, days: 30) { totalUsd } }
      }
    }`,
    { assets: addresses },
  )
  const right = largest<any>(
    markets.nodes.filter(({ pool }: any) => pool !== null),
    ({ estimate }) => estimate?.totalUsd ?? -1,
  )
  expect(best.totalUsd).toBe(right.estimate.totalUsd)
})

question('Where does a wallet stand, and how far is the next rank?', async () => {
  const { user: mine, leaderboardAround } = await use('wallet_standing', { address: user })
  const graph = await one('rank totalPoints')
  expect(mine).toMatchObject(graph)
  const above = leaderboardAround.nodes.find(({ rank }: any) => rank === mine.rank - 1)
  const { leaderboard } = await ask('{ leaderboard(first: 1000) { nodes { rank points } } }')
  const right = leaderboard.nodes.find(({ rank }: any) => rank === graph.rank - 1)
  expect(above?.points).toBe(right?.points)
})

question('Who leads, and with which share of all points?', async () => {
  const { program, leaderboard } = await use('leaderboard', { first: 1 })
  const graph = await ask(
    '{ program { totalPoints } leaderboard(first: 1) { nodes { points user { address } } } }',
  )
  expect(leaderboard.nodes[0]).toMatchObject(graph.leaderboard.nodes[0])
  expect(leaderboard.nodes[0].points / program.totalPoints).toBeCloseTo(
    graph.leaderboard.nodes[0].points / graph.program.totalPoints,
  )
})

question('Who got the most points in the last three days?', async () => {
  const scope = { window: { from: daysAgo(2), to: newest } }
  const { leaderboard } = await use('leaderboard', { scope, first: 1 })
  const { positionAggregates } = await ask(
    `{ positionAggregates(
        where: { date: { gte: "${daysAgo(2)}", lte: "${newest}" } }, groupBy: [USER], first: 1,
        orderBy: [SUM_POINTS], orderDirection: [DESC]
      ) { sumPoints key { user { address } } } }`,
  )
  expect(leaderboard.nodes[0].user.address).toBe(positionAggregates[0].key.user.address)
  expect(leaderboard.nodes[0].points).toBeCloseTo(positionAggregates[0].sumPoints, 3)
})

question('How new is the data, and is any of it late?', async () => {
  const { status } = await use('status')
  expect(status.distribution.date).toBe(newest)
  const graph = await ask('{ status { distributionLate chains { chainId late } } }')
  expect(status).toMatchObject(graph.status)
  expect(status.chains.some(({ late }: any) => late)).toBe(true)
})

question('What did a wallet do last?', async () => {
  const { activity } = (await use('wallet_activity', { address: user, first: 1 })).user
  const graph = await one('activity(first: 1) { totalCount nodes { kind time amount { value } } }')
  expect(activity).toMatchObject(graph.activity)
})

question('What does a wallet hold, and how much does it owe?', async () => {
  const { latestSnapshots } = (await use('wallet_holdings', { address: user })).user
  const owed = latestSnapshots.reduce((sum: number, row: any) => sum + (row.borrowed?.usd ?? 0), 0)
  const graph = await one('worth { borrowedUsd }')
  expect(owed).toBeCloseTo(graph.worth.borrowedUsd, 3)
})

question('When was its health lowest?', async () => {
  const sent = { user, from: daysAgo(30), to: newest }
  const { healthSeries } = (await use('wallet_health_over_time', sent)).user
  const known = healthSeries.filter(({ healthFactor }: any) => healthFactor !== null)
  const lowest = largest<any>(known, ({ healthFactor }) => -healthFactor)
  const { positions } = await ask(
    `query ($user: Address!) {
      positions(where: { users: [$user] }, first: 1000) { nodes { date healthFactor } }
    }`,
    { user },
  )
  const rows = positions.nodes.filter(({ healthFactor }: any) => healthFactor !== null)
  const right = largest<any>(rows, ({ healthFactor }) => -healthFactor)
  expect(lowest).toMatchObject({ date: right.date, healthFactor: right.healthFactor })
})

question('Which wallet is nearest to liquidation?', async () => {
  const { currentPositions } = await use('positions_near_liquidation', { below: 5, first: 1 })
  expect(currentPositions.nodes[0].user.address).toBe(user)
})

question('What if it borrows 10 more tokens?', async () => {
  const where = { users: [user], healthFactor: { lt: 3 } }
  const { positions } = await use('positions', { where, first: 1 })
  const [{ poolAddress: pool, sideA, sideB }] = positions.nodes
  const side = sideA.supplied.usd + sideA.protected.usd > 0 ? sideA : sideB
  const sent = { user, pool, collateral: side.asset.address, borrow: 10 }
  const { healthPreview } = await use('wallet_health_preview', sent)
  const graph = await ask(
    `query ($user: Address!, $pool: Address!, $collateral: Address!) {
      healthPreview(user: $user, pool: $pool, collateral: $collateral, borrow: 10) {
        healthFactorBefore healthFactor
      }
    }`,
    sent,
  )
  expect(healthPreview).toMatchObject(graph.healthPreview)
  expect(healthPreview.healthFactor).toBeLessThan(healthPreview.healthFactorBefore)
})

question('Which pool is the largest, and what are its rates?', async () => {
  const sent = { orderBy: ['TVL_USD'], orderDirection: ['DESC'], first: 1 }
  const { pools } = await use('pools', sent)
  const graph = await ask(`{
    pools(first: 1000) { nodes { address tvlUsd marketA { depositApr } marketB { borrowApr } } }
  }`)
  expect(pools.nodes[0]).toMatchObject(largest<any>(graph.pools.nodes, ({ tvlUsd }) => tvlUsd))
})

question('How did TVL develop in a week?', async () => {
  const { program } = await use('program_over_time', { from: daysAgo(7), to: newest })
  const graph = await ask(`{ program { series(from: "${daysAgo(7)}") { start tvlUsd } } }`)
  expect(program.series).toMatchObject(graph.program.series)
  expect(program.series.length).toBe(8)
})

question('Which chain has the most points?', async () => {
  const { series } = await use('program_by_group', { groupBy: 'CHAIN', first: 20 })
  const graph = await ask('{ series(groupBy: CHAIN) { points key { chainId } } }')
  expect(series[0].key.chainId).toBe(graph.series[0].key.chainId)
  expect(series[0].points).toBe(graph.series[0].points)
})

question('Who was liquidated last, and by whom?', async () => {
  const { liquidations } = await use('liquidations', { first: 1 })
  const graph = await ask(
    '{ liquidations(first: 1) { nodes { time user { address } liquidator { address } } } }',
  )
  expect(liquidations.nodes.length).toBe(1)
  expect(liquidations.nodes).toMatchObject(graph.liquidations.nodes)
})

question('What was WETH worth a week ago?', async () => {
  const { assets } = await use('tokens')
  const { chainId, address } = assets.nodes.find(({ symbol }: any) => symbol === 'WETH')
  const day = daysAgo(7)
  const { asset } = await use('token_prices', { chainId, address, from: day, to: day })
  const graph = await ask(
    `query ($chainId: SafeInt!, $address: Address!) {
      asset(chainId: $chainId, address: $address) { prices(from: "${day}", to: "${day}") { usd } }
    }`,
    { chainId, address },
  )
  expect(asset.prices[0].usd).toBe(graph.asset.prices[0].usd)
  expect(asset.prices[0].usd).toBeGreaterThan(0)
})

question('Who has the most points in the ARB pool?', async () => {
  const { search } = await use('search', { text: 'ARB·USDC' })
  const { address } = search.find(({ item }: any) => item.__typename === 'Pool').item
  const { pool } = await use('pool_top_wallets', { address, first: 1 })
  const graph = await ask(
    `query ($pools: [Address!]) {
      currentPositions(where: { pools: $pools }, first: 1000) { nodes { points user { address } } }
    }`,
    { pools: [address] },
  )
  const right = largest<any>(graph.currentPositions.nodes, ({ points }) => points)
  expect(pool.currentPositions.nodes[0]).toMatchObject(right)
})

question('Which vault pays most, and who is in it?', async () => {
  const { vaults } = await use('vaults', { orderBy: ['DEPOSIT_APR'], orderDirection: ['DESC'] })
  const graph = await ask('{ vaults(first: 1000) { nodes { chainId address depositApr } } }')
  const right = largest<any>(graph.vaults.nodes, ({ depositApr }) => depositApr ?? -1)
  expect(vaults.nodes[0].depositApr).toBe(right.depositApr)
  const { chainId, address } = vaults.nodes[0]
  const { vault } = await use('vault_holders', { chainId, address })
  const { vault: holders } = await ask(
    `query ($chainId: SafeInt!, $address: Address!) {
      vault(chainId: $chainId, address: $address) { holders { nodes { user { address } } } }
    }`,
    { chainId, address },
  )
  expect(vault.holders.nodes).toMatchObject(holders.holders.nodes)
})

question('Which of two wallets gained more points in a week?', async () => {
  const { leaderboard } = await ask('{ leaderboard(first: 2) { nodes { user { address } } } }')
  const addresses = leaderboard.nodes.map((row: any) => row.user.address)
  const sent = { addresses, from: daysAgo(6), to: newest }
  const { lookupUsers } = await use('wallets_over_time', sent)
  const sums = lookupUsers.map(({ series }: any) =>
    series.reduce((sum: number, { points }: any) => sum + points, 0),
  )
  for (const [i, address] of addresses.entries()) {
    const { change } = await one('change(days: 7) { points }', address)
    expect(sums[i]).toBeCloseTo(change.points, 3)
  }
})

question('Why does a pool give more points than another?', async () => {
  const { pools } = await use('pools', {
    ...{ orderBy: ['MULTIPLIER_DEPOSIT_B'], orderDirection: ['DESC'], first: 1 },
  })
  const [{ address, multiplier }] = pools.nodes
  const graph = await ask(
    `query ($pool: Address!) {
      pool(address: $pool) { multiplier { depositB } marketB { depositPointsPerDollar } }
    }`,
    { pool: address },
  )
  expect(multiplier.depositB).toBe(graph.pool.multiplier.depositB)
  const { pool } = await use('pool', { address })
  const { basePoints } = await use('base_points')
  expect(pool.marketB.depositPointsPerDollar).toBe(basePoints.deposit * multiplier.depositB)
  expect(pool.marketB).toMatchObject(graph.pool.marketB)
})
