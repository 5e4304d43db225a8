import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

interface Row {
  address: string
  totalPoints: number
  recordCount: number
  worth: { netUsd: number; borrowedUsd: number } | null
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 5 })
})
afterAll(() => gateway.close())

async function list(args: string): Promise<Row[]> {
  const rows = []
  for (let after = 'null'; ; ) {
    const { users } = await gateway.ask(`{ users(first: 7, after: ${after}, ${args}) {
      nodes { address totalPoints recordCount worth { netUsd borrowedUsd } } pageInfo { hasNextPage endCursor } } }`)
    rows.push(...users.nodes)
    if (!users.pageInfo.hasNextPage) return rows
    after = JSON.stringify(users.pageInfo.endCursor)
  }
}

const worth = ({ worth: of }: Row) => of?.netUsd ?? 0
const debt = ({ worth: of }: Row) => of?.borrowedUsd ?? 0

test('pages of users by worth, debt and points are all users in order', async () => {
  const all = await list('orderBy: ADDRESS')
  const holding = all.filter((row) => worth(row) !== 0 || debt(row) !== 0)
  const by = (rows: Row[], of: (row: Row) => number) =>
    rows.toSorted((a, b) => of(b) - of(a) || (a.address < b.address ? -1 : 1))
  const debtors = all.filter((row) => debt(row) > 0)
  expect(holding.length).toBeGreaterThan(10)
  expect(await list('orderBy: WORTH_USD, orderDirection: DESC')).toEqual(by(holding, worth))
  expect(await list('orderBy: DEBT_USD, orderDirection: DESC')).toEqual(by(debtors, debt))
  expect((await list('orderBy: WORTH_USD')).map(worth)).toEqual(
    by(holding, worth).toReversed().map(worth),
  )
  const scored = all.filter(({ recordCount }) => recordCount > 0)
  expect(await list('orderBy: TOTAL_POINTS, orderDirection: DESC')).toEqual(
    by(scored, ({ totalPoints }) => totalPoints),
  )
  expect(await list('orderBy: [DEBT_USD, TOTAL_POINTS], orderDirection: DESC')).toHaveLength(
    debtors.length,
  )
})

test('users are found by ranges of worth, debt and points', async () => {
  const all = await list('orderBy: ADDRESS')
  const middle = all.map(worth).toSorted((a, b) => a - b)[20] ?? 0
  expect(await list(`where: { worthUsd: { gte: ${middle} } }`)).toEqual(
    all.filter((row) => worth(row) >= middle),
  )
  expect(
    await list(`where: { debtUsd: { gt: 0 }, totalPoints: { gt: 1 } }, orderBy: WORTH_USD`),
  ).toHaveLength(all.filter((row) => debt(row) > 0 && row.totalPoints > 1).length)
})

test('an order by worth leaves out users without worth', async () => {
  const { pool } = gateway.deps.store
  await pool.query('TRUNCATE user_worth')
  expect(await list('orderBy: WORTH_USD')).toEqual([])
})

test('a page by worth reads its rows by an index', async () => {
  const client = await gateway.deps.store.pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off')
    for (const [order, index] of [
      ['t.worth_usd DESC, t.user_address', 'user_worth_worth_usd_idx'],
      ['t.debt_usd DESC, t.user_address', 'user_worth_debt_usd_idx'],
    ]) {
      const { rows } = await client.query(
        `EXPLAIN SELECT t.user_address FROM user_worth t WHERE debt_usd > 0 ORDER BY ${order} LIMIT 10`,
      )
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(index)
    }
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('the worth of users is one statement', async () => {
  gateway.statements.length = 0
  await gateway.ask(
    '{ users(first: 5, orderBy: TOTAL_POINTS, orderDirection: DESC) { nodes { totalPoints worth { netUsd } } } }',
  )
  expect(gateway.statements).toHaveLength(1)
})
