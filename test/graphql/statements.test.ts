import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleMarket, sampleUser, sampleVault } from '../../src/sample/index.ts'
import { SAMPLE } from '../support/extent.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'
import { post } from '../support/send.ts'

let gateway: Gateway
let addresses: string[]
beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 8, plan: true })
  // The prices of positions lead to a pool.
  await gateway.deps.store.pool.query('DELETE FROM asset_price')
  const { data } = await gateway.graphql('{ leaderboard(first: 50) { nodes { userAddress } } }')
  addresses = [
    sampleUser,
    ...data.leaderboard.nodes.map((row: { userAddress: string }) => row.userAddress),
  ]
})
afterAll(() => gateway.close())

const users = (selection: string) =>
  `query ($addresses: [Address!]! ${selection.includes('$n') ? '$n: Int!' : ''}) {
    users(first: 51, where: { addresses: $addresses }) { nodes { address ${selection} } } }`

/**
 * Nested operations, with the number of SQL statements that their resolvers take however many rows
 * there are. With a plan it is one; `unplanned` are those that have none.
 */
const operations: Record<string, { statements: number; query: string; unplanned?: true }> = {
  'positions → pool → multiplier, markets; → user → points': {
    statements: 5,
    query: `query ($n: Int!) { positions(first: $n) { nodes { pointsA user { points: totalPoints rank positionCount: recordCount }
      pool { name multiplier { depositA } marketA { asset { symbol } } marketB { borrowRate: borrowApr } } } } }`,
  },
  'pools → markets, multiplier, top accounts, positions → user': {
    statements: 6,
    query: `query ($n: Int!) { pools(first: $n) { nodes { displayName marketA { depositRate: depositApr } marketB { depositRate: depositApr }
      multiplier { borrowA } currentPositions(first: 3, orderBy: POINTS, orderDirection: DESC) { nodes { points user { address } } }
      positions(first: 2) { nodes { user { points: totalPoints } } } } } }`,
  },
  'pools by TVL → totals → multiplier; → markets; → assets → price, pools': {
    statements: 7,
    query: `query ($n: Int!) { pools(first: $n, where: { totalPoints: { gte: 0 } }, orderBy: TVL_USD, orderDirection: DESC) {
      totalCount nodes { tvlUsd utilization points: totalPoints totals { sideA { tvlUsd } multiplier { depositA } }
        marketA { suppliedUsd utilization } assetA { decimals price { usd } pools { nodes { tvlUsd } } } } } }`,
  },
  'assets → price → pool': {
    statements: 3,
    query:
      'query ($n: Int!) { assets(first: $n) { nodes { symbol decimals price { usd pool { tvlUsd } } } } }',
  },
  'users → worth and its change, current positions → pool': {
    statements: 8,
    query: users(`worth { netUsd } past: worth(at: "2026-01-05") { netUsd } change { netWorthUsd }
      currentPositions(first: $n) { totalCount nodes { points pool { displayName tvlUsd } } }`),
  },
  'markets → pool → multiplier, market; → snapshots → user': {
    statements: 6,
    query: `query ($n: Int!, $market: [Address!]) { markets(first: $n, where: { addresses: $market }) { nodes { asset { symbol }
      pool { name multiplier { depositB } marketA { address } }
      snapshots(last: 2) { nodes { borrowed { raw } user { rank } } } } } }`,
  },
  'vaults → snapshots → vault, user': {
    statements: 4,
    query: `query ($n: Int!, $vault: [Address!]) { vaults(first: $n, where: { addresses: $vault }) { nodes { name
      snapshots(first: 2) { nodes { shares entity { name } user { points: totalPoints } } } } } }`,
  },
  'leaderboard → user → points, earnings → market → pool; → vault': {
    statements: 7,
    query: `query ($n: Int!, $offset: BigInt) { leaderboard(first: $n, offset: $offset) { nodes { rank user { points: totalPoints
      earnings { earningsUsd breakdown { earningsUsd entity { name asset { symbol } ... on Market { pool { name } } } }
      } } } } }`,
  },
  'distributions → positions → pool, user': {
    statements: 4,
    query: `query ($n: Int!) { distributions(first: $n) { nodes { totalPoints: points positions(first: 2) { totalCount
      nodes { points pool { name } user { rank } } } } } }`,
  },
  'multipliers → pool → markets': {
    statements: 3,
    query: `query ($n: Int!) { multipliers(first: $n) { nodes { depositA
      pool { name marketA { asset { symbol } } marketB { asset { symbol } } } } } }`,
  },
  'runs → multipliers': {
    statements: 2,
    query: `query ($n: Int!) { runs(first: $n) { nodes { kind totalsAfter { totalPoints: points } sources { digest }
      multipliers { nodes { depositA changedBy } } } } }`,
  },
  'distributions → run → multipliers, runs': {
    statements: 4,
    query: `query ($n: Int!) { distributions(first: $n) { nodes { run { kind multipliers(first: 2) { nodes { changedBy } } }
      runs(first: 3) { nodes { kind status } } } } }`,
  },
  'positions → run, multiplier used': {
    statements: 3,
    query: `query ($n: Int!) { positions(first: $n) { nodes { run { kind } multiplierUsed { depositA } } } }`,
  },
  'multipliers → revisions': {
    unplanned: true,
    statements: 2,
    query: `query ($n: Int!) { multipliers(first: $n) { nodes { revisions(first: 2) { nodes { changedBy } } } } }`,
  },
  'users → points, positions → pool → multiplier': {
    statements: 5,
    query: users(`totalPoints rank
      positions(first: $n) { nodes { points pool { name multiplier { depositA } } } }`),
  },
  'users → positions and snapshots, filtered and sorted': {
    statements: 5,
    query:
      users(`positions(first: $n, where: { points: { gt: 0 }, OR: [{ chainIds: 146 }, { suppliedUsd: { gt: 10 } }] },
        orderBy: [POINTS, POOL], orderDirection: [DESC, ASC]) { totalCount nodes { points } pageInfo { hasNextPage } }
      snapshots(first: $n, where: { borrowedUsd: { gte: 0 } }, orderBy: BORROWED_USD) { totalCount nodes { borrowed { usd } } }`),
  },
  'users → daily points → positions → pool → markets': {
    statements: 5,
    query: users(`dailyPoints(last: $n) { nodes { points
      positions { points pool { marketA { asset { symbol } } marketB { asset { symbol } } } user { address } } } }`),
  },
  'users → snapshots → market → pool, vault': {
    statements: 5,
    query: users(
      'snapshots(last: 50) { nodes { time supplied { raw } entity { name asset { symbol } ... on Market { pool { name } } } } }',
    ),
  },
  'users → latest snapshots → market → pool → multiplier; → vault': {
    statements: 7,
    query: users(`latestSnapshots { time user { address } entity { name
      ... on Market { pool { multiplier { depositA } } } } }`),
  },
  'users → liquidation rewards → markets → pool; → vault': {
    statements: 5,
    query:
      users(`liquidationRewards(first: 50) { nodes { liquidReward { raw value } debtMarket { asset { symbol } }
        entity { name ... on Market { pool { name } } } } }`),
  },
  'users → activity → market, pool, vault, user': {
    statements: 6,
    query:
      users(`activity(first: 50) { nodes { kind time amount { raw value } asset { symbol } user { rank }
      entity { name ... on Market { pool { name } } } } }`),
  },
  'markets and vaults → activity → user': {
    statements: 7,
    query: `query ($n: Int!, $market: [Address!], $vault: [Address!]) {
      markets(first: $n, where: { addresses: $market }) { nodes { activity(first: 2) { totalCount nodes { amount { usd } user { rank } } } } }
      vaults(first: $n, where: { addresses: $vault }) { nodes { activity(last: 2) { nodes { amount { raw } entity { name } } } } } }`,
  },
  'users → net APR → market → pool, vault': {
    statements: 6,
    query: users(`netApr { earnNetApr: netDepositApr entityCount breakdown(first: 1000) {
      entity { asset { symbol } ... on Market { pool { name } } ... on Vault { name } } } }`),
  },
  "users → a user's page": {
    statements: 11,
    query:
      users(`totalPoints rank earnings { earningsUsd entityCount breakdown(first: $n) { earningsUsd } }
      netApr { earnNetApr: netDepositApr breakdown(first: $n) { depositRate: depositApr } }
      latestSnapshots { time entity { name asset { symbol } } }
      liquidationRewards(first: $n) { nodes { txHash } }`),
  },
  'users → only what their page has': { statements: 1, query: users('id') },
}

/** Extensions that the graph does not know: what has any is left to its resolvers. */
const RESOLVED = { resolved: true }

/**
 * The statements that an operation takes once it is known.
 * @param extensions RESOLVED, or none
 */
async function statementsOf(
  query: string,
  variables?: object,
  extensions?: object,
): Promise<string[]> {
  for (let warm = 0; warm < 2; warm++) await answerTo(query, variables, extensions)
  gateway.statements.length = 0
  const { errors } = await answerTo(query, variables, extensions)
  expect(errors).toBeUndefined()
  return [...gateway.statements]
}

async function answerTo(
  query: string,
  variables?: object,
  extensions?: object,
): Promise<{ errors?: unknown[] }> {
  return JSON.parse(await post(gateway.base, { query, variables, extensions }))
}

for (const [nth, [name, { query, statements, unplanned }]] of Object.entries(
  operations,
).entries()) {
  const planned = ['planned', unplanned ? statements : 1, undefined] as const
  const resolved = ['resolved', statements, RESOLVED] as const
  // A sample has one way of each operation.
  const ways = [planned, resolved].filter((_, i) => !SAMPLE || i === nth % 2)
  for (const [way, expected, extensions] of ways)
    test(`${name}, ${way}: ${expected} statements for one row and for fifty`, async () => {
      const { data } = await gateway.graphql(`{ user(address: "${sampleUser}") { rank } }`)
      const few = {
        n: 1,
        addresses: [sampleUser],
        market: sampleMarket.address,
        vault: sampleVault.address,
        offset: data.user.rank - 1,
      }
      const one = await statementsOf(query, few, extensions)
      const many = await statementsOf(query, { n: 50, addresses }, extensions)
      expect(one.length, one.join('\n')).toBe(expected)
      expect(many.length, many.join('\n')).toBe(expected)
    })
}

test('a page after a record takes one statement', async () => {
  const { data } = await gateway.graphql(
    '{ positions(first: 1) { nodes { legacy { recordId } } } }',
  )
  const after = { id: data.positions.nodes[0].legacy.recordId }
  const page =
    'query ($id: String!) { legacy { positions(first: 2, afterRecord: $id) { nodes { id } } } }'
  expect(await statementsOf(page, after)).toHaveLength(1)
})

test('introspection takes no statement at all', async () => {
  expect(await statementsOf('{ __schema { types { name } } }')).toEqual([])
})

for (const [list, { counts }] of Object.entries({
  'positions(first: 2)': { counts: 1 },
  'positions(first: 2, where: { date: { eq: "2020-01-01" } })': { counts: 1 },
  'positions(first: 2, where: { suppliedUsd: { gt: 1 }, date: { gte: "2026-01-01", lte: "2026-01-31" } }, orderBy: DATE)':
    { counts: 1 },
  'leaderboard(first: 2, where: { rank: { gt: 1 } }, orderBy: USER, orderDirection: DESC)': {
    counts: 1,
  },
  'leaderboard(first: 2)': { counts: 1 },
  'pools(first: 2)': { counts: 1 },
  'distributions(first: 2)': { counts: 1 },
}))
  test(`${list}: totalCount costs a statement only when it is selected`, async () => {
    const without = await statementsOf(
      `{ ${list} { edges { cursor } pageInfo { hasNextPage } } }`,
      {},
      RESOLVED,
    )
    const counted = await statementsOf(
      `{ ${list} { totalCount edges { cursor } pageInfo { hasNextPage } } }`,
      {},
      RESOLVED,
    )
    expect(without).toHaveLength(1)
    expect(counted).toHaveLength(1 + counts)
  })

test('the totals of many owners are counted in one statement, those that are stored in none', async () => {
  const counted = await statementsOf(
    users('positions(first: $n) { totalCount }'),
    { n: 1, addresses },
    RESOLVED,
  )
  expect(counted).toHaveLength(3)
  const stored = await statementsOf(
    '{ distributions { nodes { positions(first: 1) { totalCount } } } }',
    {},
    RESOLVED,
  )
  expect(stored).toHaveLength(2)
})

test('lists of all positions and of all accounts are counted without reading them', async () => {
  for (const list of ['positions', 'leaderboard']) {
    const counted = await statementsOf(`{ ${list}(first: 1) { totalCount } }`)
    expect(counted.join()).not.toMatch(/count\(\*\)/i)
  }
})
