import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/db/server/migrate.ts'
import { migrationsUpTo } from '../support/migrations.ts'
import { openStore, silent } from '../support/store.ts'

const HOLDINGS = '20261202000000_holdings'
const NET_CASH = '20261204000000_net_cash'

let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  store = await openStore('template1')
  await using before = await migrationsUpTo('20261201010000_lean_positions_swap')
  await migrate({ url: store.url, migrationsDir: before.dir, log: silent })
})
afterAll(() => store.close())

/** 20 users in 5 markets and 2 vaults on 2 chains at up to 6 times, with up to 3 positions, not all of them at the newest time. */
const STORE = `
  INSERT INTO market SELECT c, 'market' || m, 'pool', 'asset', 'A', 18, 0.1, 0.2 FROM generate_series(1, 2) c, generate_series(1, 5) m;
  INSERT INTO vault SELECT c, 'vault' || v, 'Vault', 'asset', 'A', 18, 0.1 FROM generate_series(1, 2) c, generate_series(1, 2) v;
  INSERT INTO market_snapshot SELECT 'user' || u, c, 'market' || m, 100 * t, 'p' || p, u * 1e30 + t, NULLIF(u / 7.0, 1), p, m / 3.0, t, NULL
    FROM generate_series(1, 20) u, generate_series(1, 2) c, generate_series(1, 5) m, generate_series(1, 6) t, generate_series(1, 3) p
    WHERE (u + m + p) % 6 >= t - 1;
  INSERT INTO vault_snapshot SELECT 'user' || u, c, 'vault' || v, 100 * t, 'p' || p, u, t, u / 9.0
    FROM generate_series(1, 20) u, generate_series(1, 2) c, generate_series(1, 2) v, generate_series(1, 6) t, generate_series(1, 2) p
    WHERE (u + v + p) % 6 >= t - 1;
  INSERT INTO cash_flow SELECT c, 'tx' || n, n, 'user' || u, CASE n % 3 WHEN 0 THEN 'vault' ELSE 'market' END::entity_type, 'entity' || n % 4,
      n, (enum_range(NULL::cash_flow_kind))[n % 4 + 1], NULLIF(n / 7.0, 1)
    FROM generate_series(1, 2) c, generate_series(1, 20) u, generate_series(1, 30) n`

test('a former store has the same snapshots, and the holdings and net cash that follow from them', async () => {
  const { pool, url } = store
  await pool.query(STORE)
  const rows = async (sql: string) => (await pool.query(sql)).rows
  const snapshots = async () =>
    await Promise.all(
      ['market', 'vault'].map((kind) =>
        rows(`SELECT * FROM ${kind}_snapshot ORDER BY account_id, chain_id, ${kind}_id, timestamp, position_id`),
      ),
    )
  const old = await snapshots()
  expect(old.map(({ length }) => length > 300)).toEqual([true, true])
  // Later ones may add columns.
  await using after = await migrationsUpTo(NET_CASH)
  expect((await migrate({ url, migrationsDir: after.dir, log: silent })).applied).toContain(HOLDINGS)
  expect(await snapshots()).toEqual(old)

  for (const [i, kind] of ['market', 'vault'].entries()) {
    const newest = new Map<string, number>()
    const entityOf = (row: Record<string, string>) => [row.account_id, row.chain_id, row[`${kind}_id`]].join()
    for (const row of old[i] ?? []) newest.set(entityOf(row), Math.max(newest.get(entityOf(row)) ?? 0, +row.timestamp))
    const latest = (old[i] ?? []).filter((row) => +row.timestamp === newest.get(entityOf(row)))
    expect(latest.length).toBeLessThan((old[i] ?? []).length)
    const order = `account_id, chain_id, ${kind}_id, timestamp, position_id`
    expect(await rows(`SELECT * FROM ${kind}_holding ORDER BY ${order}`)).toEqual(latest)
  }
  const totals = await rows('SELECT * FROM cash_flow_total ORDER BY 1, 2, 3, 4')
  expect(totals.reduce((flows, row) => flows + +row.flows, 0)).toBe(1200)
  expect(await rows('SELECT * FROM net_cash ORDER BY 1, 2, 3, 4')).toEqual(totals)
})
