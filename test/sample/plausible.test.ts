import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokens } from '../../src/sample/sample-tokens.ts'
import { borrowRateAt } from '../../src/sample/simulation.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** What a reader of the graph believes of the whole sample. */

type Row = Record<string, any>

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 500, days: 90, env: { MAX_QUERY_COST: '0' } })
}, 180_000)
afterAll(() => gateway?.close())

/** All rows of a list of the graph, page by page. @param inside the object that has the list */
async function all(field: string, where: string, row: string, inside?: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let after: string | null = null; ; ) {
    const list: string = `list: ${field}(first: 1000, after: $after, ${where}) {
      nodes { ${row} } pageInfo { hasNextPage endCursor } }`
    const answer: Row = await gateway.ask(
      `query ($after: String) { ${inside ? `of: ${inside} { ${list} }` : list} }`,
      {
        after,
      },
    )
    const page = inside ? answer.of.list : answer.list
    rows.push(...page.nodes)
    if (!page.pageInfo.hasNextPage) return rows
    after = page.pageInfo.endCursor
  }
}

/** The activity in all markets. */
async function activity(where: string): Promise<Row[]> {
  const markets = await all('markets', 'where: {}', 'address chainId')
  const rows = 'kind txHash time user { address } pool { address }'
  const lists = await Promise.all(
    markets.map(({ address, chainId }) =>
      all(
        'activity',
        `where: ${where}`,
        rows,
        `market(address: "${address}", chainId: ${chainId})`,
      ),
    ),
  )
  return lists.flat()
}

/** The positions in all pools, of all dates. */
async function positions(where: string, row: string): Promise<Row[]> {
  const pools = await all('pools', 'where: {}', 'address')
  const lists = await Promise.all(
    pools.map(({ address }) => all('positions', `where: { pools: ["${address}"] ${where} }`, row)),
  )
  return lists.flat()
}

const DAY = 86_400_000
const midnight = (time: string) =>
  new Date(Math.floor(Date.parse(time) / DAY) * DAY).toISOString().slice(0, 10)

test('earnings never jump by more than the prices of what a wallet holds', async () => {
  const users = await all('users', 'where: {}', 'address')
  for (let from = 0; from < users.length; from += 100) {
    const aliases = users.slice(from, from + 100).map(
      (
        { address },
        index,
      ) => `u${index}: user(address: "${address}") { address series(interval: DAY) {
        start earningsUsd pendingCashUsd worth { suppliedUsd protectedUsd vaultsUsd borrowedUsd } } }`,
    )
    for (let at = 0; at < aliases.length; at += 10) {
      const answer = await gateway.ask(`{ ${aliases.slice(at, at + 10).join(' ')} }`)
      for (const { address, series } of Object.values(answer) as Row[]) {
        let before: Row | undefined
        for (const bucket of series) {
          if (bucket.earningsUsd === null) continue
          const { suppliedUsd, protectedUsd, vaultsUsd, borrowedUsd } = bucket.worth
          const held = suppliedUsd + protectedUsd + vaultsUsd + borrowedUsd
          const moved = Math.abs(bucket.earningsUsd - (before?.earningsUsd ?? bucket.earningsUsd))
          const largest = Math.max(held, before?.held ?? 0)
          const days = before ? (Date.parse(bucket.start) - Date.parse(before.start)) / DAY : 1
          expect(moved, `${address} on ${bucket.start}`).toBeLessThan(1 + 0.12 * days * largest)
          before = { ...bucket, held }
        }
      }
    }
  }
})

test('prices move slowly, and those of one market together', async () => {
  const rows = await positions(
    '',
    'date sideA { asset { symbol } priceUsd } sideB { asset { symbol } priceUsd }',
  )
  const prices = new Map<string, Map<string, number>>()
  for (const { date, sideA, sideB } of rows) {
    for (const { asset, priceUsd } of [sideA, sideB]) {
      const days = prices.get(asset.symbol) ?? new Map()
      prices.set(asset.symbol, days.set(date, priceUsd))
    }
  }
  const moves = (symbol: string) => {
    const days = [...(prices.get(symbol) ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, price]) => price)
    return days.slice(1).map((price, day) => Math.log(price / (days[day] as number)))
  }
  for (const symbol of prices.keys()) {
    for (const move of moves(symbol)) expect(Math.abs(move), symbol).toBeLessThan(0.1)
  }
  const [ether, bitcoin] = [moves('WETH'), moves('WBTC')]
  const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length
  const spread = (one: number[], other: number[]) =>
    mean(one.map((move, day) => (move - mean(one)) * ((other[day] as number) - mean(other))))
  expect(
    spread(ether, bitcoin) / Math.sqrt(spread(ether, ether) * spread(bitcoin, bitcoin)),
  ).toBeGreaterThan(0.8)
})

test('a loan is liquidated on the day after its health factor is below 1, and on no other', async () => {
  const newest = await gateway.ask('{ distributions(first: 1) { nodes { date } } }')
  const last = newest.distributions.nodes[0].date
  const unhealthy = await positions(
    'healthFactor: { lt: 1 }',
    'date healthFactor user { address } pool { address }',
  )
  expect(unhealthy.length).toBeGreaterThan(30)
  const rewards = await activity('{ kinds: [LIQUIDATION_REWARD] }')
  const liquidations = new Set(rewards.map(({ txHash }) => txHash))
  const repaid = await activity('{ kinds: [REPAY] }')
  const hit = repaid.filter(({ txHash }) => liquidations.has(txHash))
  const key = (day: string, { user, pool }: Row) => `${day} ${user.address} ${pool.address}`
  const expected = unhealthy.filter(({ date }) => date < last).map((row) => key(row.date, row))
  expect([...new Set(hit.map((row) => key(midnight(row.time), row)))].sort()).toEqual(
    expected.sort(),
  )
})

test('rates follow utilization', async () => {
  const { markets } = await gateway.ask(`{ markets(first: 100) { nodes { asset { symbol } chainId
    aprSeries(interval: DAY) { start depositApr borrowApr } series(interval: DAY) { start suppliedUsd borrowedUsd } } } }`)
  let compared = 0
  for (const { asset, chainId, aprSeries, series } of markets.nodes) {
    const token = tokens.find((one) => one.symbol === asset.symbol && one.chainId === chainId)
    const rates = new Map<string, Row>(aprSeries.map((bucket: Row) => [bucket.start, bucket]))
    for (const { start, suppliedUsd, borrowedUsd } of series) {
      const rate = rates.get(start)
      if (!rate || !token || !(suppliedUsd > 100)) continue
      const utilization = Math.min(borrowedUsd / suppliedUsd, 1)
      expect(rate.borrowApr).toBeCloseTo(borrowRateAt(token, utilization), 4)
      expect(rate.depositApr).toBeLessThanOrEqual(rate.borrowApr)
      compared++
    }
  }
  expect(compared).toBeGreaterThan(1000)
})

test('deposits and loans change over time, and the rules twice', async () => {
  const flows = await activity('{ NOT: { kinds: [LIQUIDATION_REWARD] } }')
  for (const kind of ['DEPOSIT', 'WITHDRAW', 'BORROW', 'REPAY']) {
    const days = new Set(
      flows.filter((flow) => flow.kind === kind).map(({ time }) => midnight(time)),
    )
    expect(days.size, kind).toBeGreaterThan(80)
  }
  const { distributions, multiplierRevisions } = await gateway.ask(`{
    distributions(last: 1) { nodes { date } } multiplierRevisions(first: 1000) { nodes { from } } }`)
  const first = distributions.nodes[0].date
  const changes = multiplierRevisions.nodes.flatMap(({ from }: Row) => from ?? [])
  expect(new Set(changes).size).toBe(2)
  for (const date of changes) expect(date > first).toBe(true)
})
