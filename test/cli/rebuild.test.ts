import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuildSums } from '../../src/domain/sums/rebuild-sums.ts'
import { command, parsed } from '../support/command-line.ts'
import { tables } from '../support/dump.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6 })
  env = { DATABASE_URL: gateway.deps.config.DATABASE_URL as string }
})
afterAll(() => gateway?.close())

const SUMS = [
  'distribution',
  'pool_day',
  'pool_total',
  'account_day',
  'account',
  'program',
  'vault_day',
  'user_worth',
  'net_cash',
  'net_liquidation',
  'token_pair',
]
const HOLDINGS = ['market_holding', 'vault_holding']

/** Every stored sum, and the ranks of past dates. */
async function sums(): Promise<Record<string, unknown[]>> {
  const { pool } = gateway.deps.store
  const orders: Record<string, string> = {
    ...tables,
    rank_history: 'distribution_date, rank',
    rank_history_date: 'date',
  }
  const all: Record<string, unknown[]> = {}
  for (const table of [...SUMS, ...HOLDINGS, 'rank_history', 'rank_history_date'])
    all[table] = (await pool.query(`SELECT * FROM ${table} ORDER BY ${orders[table]}`)).rows
  return all
}

async function checked(...args: string[]) {
  const { out } = await command(['doctor', '--json', ...args], env)
  return parsed(out).find(({ check }) => check === 'sums')
}

/** Changes the store behind its triggers, as a restore of some tables does. */
async function spoil(...statements: string[]): Promise<void> {
  const client = await gateway.deps.store.pool.connect()
  try {
    await client.query(`SET session_replication_role = replica; ${statements.join('; ')}`)
  } finally {
    client.release(true)
  }
}

test('sums that are right stay as they are', async () => {
  const before = await sums()
  expect(await checked()).toMatchObject({ status: 'ok' })
  expect(await checked('--deep')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('All stored sums'),
  })
  const { code, out, err } = await command(['rebuild'], env)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/Every stored sum was right\.\n$/)
  expect(await sums()).toEqual(before)
})

test.each([
  [
    'days of accounts',
    'UPDATE account_day SET points = points + 1 WHERE user_address = (SELECT min(user_address) FROM account)',
  ],
  [
    'days of accounts',
    'DELETE FROM account_day WHERE distribution_date = (SELECT max(date) FROM distribution)',
  ],
  ['distributions', 'UPDATE distribution SET account_count = account_count + 1'],
  ['days of pools', 'UPDATE pool_day SET a_supplied_usd = a_supplied_usd * 2'],
  ['days of pools', 'DELETE FROM pool_day'],
  ['totals of pools', 'UPDATE pool_total SET points = 0'],
  ['totals of accounts', 'UPDATE account SET points = points * 2, rank = rank + 1'],
  ['totals of the program', 'UPDATE program SET account_count = 0'],
  ['ranks', 'UPDATE account SET rank = 1 + (SELECT count(*) FROM account)::int - rank'],
  ['ranks of past dates', 'UPDATE rank_history SET points = points + 1'],
  ['holdings', 'DELETE FROM market_holding'],
  ['holdings', 'UPDATE vault_holding SET assets = assets + 1'],
  ['net cash', 'UPDATE net_cash SET usd = usd + 1'],
  ['net cash', 'DELETE FROM net_cash'],
  ['net cash', 'UPDATE net_cash SET supplied_assets = supplied_assets + 1'],
  ['net liquidation', 'UPDATE net_liquidation SET sent = sent + 1'],
  ['net liquidation', 'DELETE FROM net_liquidation'],
  ['pairs of tokens', "UPDATE token_pair SET mover = 'a' WHERE mover = 'both'"],
  ['days of vaults', 'UPDATE vault_day SET assets = assets + 1'],
  ['user worth', 'UPDATE user_worth SET debt_usd = debt_usd + 1'],
])('%s that were changed by SQL are found and restored (%#)', async (name, statement) => {
  const before = await sums()
  await spoil(statement)
  expect(await sums()).not.toEqual(before)
  const found = await checked('--deep')
  expect(found).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('gateway rebuild'),
  })
  expect(found.message).toContain(name)
  expect(await command(['rebuild', '--json'], env)).toMatchObject({ code: 0, err: '' })
  expect(await sums()).toEqual(before)
})

test('records that were removed by SQL: a sample finds it, and a rebuild can be interrupted', async () => {
  const { pool } = gateway.deps.store
  await spoil(
    `DELETE FROM stored_position WHERE distribution_date = (SELECT max(date) FROM distribution)
       AND user_address IN (SELECT user_address FROM account WHERE rank % 2 = 0)`,
    'DELETE FROM stored_position WHERE user_address = (SELECT user_address FROM account WHERE rank = 1)',
    'DELETE FROM market_snapshot WHERE user_address = (SELECT min(user_address) FROM market_snapshot)',
    'DELETE FROM vault_snapshot WHERE user_address = (SELECT min(user_address) FROM vault_snapshot)',
    'DELETE FROM cash_flow WHERE user_address = (SELECT min(user_address) FROM cash_flow)',
    'DELETE FROM stored_position WHERE distribution_date = (SELECT min(date) FROM distribution)',
  )
  expect(await checked()).toMatchObject({ status: 'problem' })
  for (let parts = 1; parts <= 9; parts += 4) {
    let left = parts
    for await (const _ of rebuildSums({ pool })) if (--left === 0) break
  }
  const { out, code } = await command(['rebuild'], env)
  expect({ out, code }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Every stored sum is right now\.\n$/),
  })
  expect(await checked('--deep')).toMatchObject({ status: 'ok' })
  const { rows } =
    await pool.query(`SELECT (SELECT sum(points_a + points_b) FROM stored_position) AS records,
    (SELECT total_points FROM program) AS program, (SELECT sum(points) FROM account) AS accounts`)
  expect([rows[0].program, rows[0].accounts].map(Number)).toEqual([
    Number(rows[0].records),
    Number(rows[0].records),
  ])
  const { data } = await gateway.graphql(
    '{ leaderboard(first: 100) { nodes { rank } totalCount } }',
  )
  expect(data.leaderboard.nodes.map(({ rank }: { rank: number }) => rank)).toEqual(
    data.leaderboard.nodes.map((_: unknown, i: number) => i + 1),
  )
})
