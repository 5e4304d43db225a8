import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/db/server/migrate.ts'
import { MIGRATIONS, migrationsUpTo } from '../support/migrations.ts'
import { openStore, silent } from '../support/store.ts'

const LEAN = '20261201000000_lean_positions'
const SWAP = '20261201010000_lean_positions_swap'

/** A store of the previous version: 20 users in 3 pools on 4 dates; a pool's symbol changes, some points came from a run. */
const FORMER = `
  INSERT INTO pool SELECT 'pool' || p, 1, p, 'A/B', 'a' || p, 'A', 'A', 'b', 'B', 'B', 0, 0, 'm' || p, 'n' || p
    FROM generate_series(1, 3) p;
  INSERT INTO position SELECT md5(u || ' ' || p || ' ' || d), 'user' || u, date '2026-03-01' + d, 'pool' || p, 'a' || p,
      CASE WHEN d < 2 THEN 'A' ELSE 'A2' END, 1.5, u, u * 1.5, 0, 0, d, d * 1.5, 'b', 'B', 2, 1, 2, 3, 6, 0, 0
    FROM generate_series(1, 20) u, generate_series(1, 3) p, generate_series(0, 3) d;
  INSERT INTO position_points SELECT distribution_date, user_address, market_address, 1000001, 2,
      CASE WHEN distribution_date > '2026-03-02' THEN 7 END, user_address = 'user3'
    FROM position;
  INSERT INTO distribution SELECT distribution_date, 1, 60, 20, 'import', now(), now() FROM position GROUP BY 1;
  INSERT INTO standing VALUES ('2026-03-01', 'user1', 5, 1);
  INSERT INTO standing_day VALUES ('2026-03-01')`

const RECORDS = `id, user_address, distribution_date::text, market_address, a_token_address, a_token_symbol, a_token_price,
  a_supplied_amount, a_supplied_amount_usd, a_protected_supplied_amount, a_protected_supplied_amount_usd, a_borrowed_amount,
  a_borrowed_amount_usd, b_token_address, b_token_symbol, b_token_price, b_supplied_amount, b_supplied_amount_usd,
  b_protected_supplied_amount, b_protected_supplied_amount_usd, b_borrowed_amount, b_borrowed_amount_usd, points_a, points_b,
  run_id, given`

let store: Awaited<ReturnType<typeof openStore>>
let former: unknown[]
beforeEach(async () => {
  store = await openStore('template1')
  await using before = await migrationsUpTo('20261130')
  await migrate({ url: store.url, migrationsDir: before.dir, log: silent })
  await store.pool.query(FORMER)
  former =
    await rows(`SELECT ${RECORDS} FROM position JOIN position_points USING (distribution_date, user_address, market_address)
    ORDER BY id`)
})
afterEach(() => store.close())

const rows = async (sql: string) => (await store.pool.query(sql)).rows
const present = () => rows(`SELECT ${RECORDS} FROM position ORDER BY id`)

async function moveOnce(): Promise<{ moved: number; total: number }> {
  const results = (await store.pool.query(await readFile(join(MIGRATIONS, SWAP, 'move.sql'), 'utf8'))) as unknown
  const [row] = (results as pg.QueryResult[]).at(-1)?.rows ?? []
  return { moved: Number(row.moved), total: Number(row.total) }
}

test('a former store has the same positions afterwards, in one table; each step is logged', async () => {
  const steps: object[] = []
  const log = { info: (details: object) => steps.push(details) }
  const { applied } = await migrate({ url: store.url, migrationsDir: MIGRATIONS, log })
  expect(applied.slice(0, 2)).toEqual([LEAN, SWAP])
  expect(steps).toContainEqual({ migration: SWAP, moved: 7, total: 7 })
  expect(former).toHaveLength(240)
  expect(await present()).toEqual(former)
  expect(await rows('SELECT a_token_symbol, count(*)::int FROM token_pair GROUP BY 1 ORDER BY 1')).toEqual([
    { a_token_symbol: 'A', count: 3 },
    { a_token_symbol: 'A2', count: 3 },
  ])
  expect(await rows('SELECT rank FROM rank_history JOIN rank_history_date ON date = distribution_date')).toEqual([
    { rank: 1 },
  ])
  expect(await rows("SELECT FROM pg_class WHERE relname IN ('moved_date', 'position_points', 'standing')")).toEqual([])
})

test('it goes on where it was stopped', async () => {
  await using begun = await migrationsUpTo(LEAN)
  await migrate({ url: store.url, migrationsDir: begun.dir, log: silent })
  expect(await moveOnce()).toEqual({ moved: 1, total: 7 })
  expect(await moveOnce()).toEqual({ moved: 2, total: 7 })
  const [{ xmin }] = await rows('SELECT min(xmin::text::bigint) AS xmin FROM stored_position')
  await migrate({ url: store.url, migrationsDir: MIGRATIONS, log: silent })
  expect(await present()).toEqual(former)
  expect(await rows('SELECT min(xmin::text::bigint) AS xmin FROM stored_position')).toEqual([{ xmin }])
})

test('what the former version wrote in between is not lost', async () => {
  await using begun = await migrationsUpTo(LEAN)
  await migrate({ url: store.url, migrationsDir: begun.dir, log: silent })
  await moveOnce()
  await store.pool.query(
    "UPDATE position_points SET points_a = 9 WHERE distribution_date = (SELECT max(date) FROM distribution) AND user_address = 'user5'",
  )
  await migrate({ url: store.url, migrationsDir: MIGRATIONS, log: silent })
  expect(await present()).toHaveLength(240)
  expect(await rows('SELECT user_address FROM position WHERE points_a = 9 GROUP BY 1')).toEqual([
    { user_address: 'user5' },
  ])
})

test('a position of an unknown pool stops it, and nothing is lost', async () => {
  await store.pool.query("DELETE FROM pool WHERE id = 'pool2'")
  await expect(migrate({ url: store.url, migrationsDir: MIGRATIONS, log: silent })).rejects.toThrow(
    `The migration ${SWAP} failed: There are positions without a distribution or a pool`,
  )
  expect(await rows('SELECT count(*)::int FROM position_points')).toEqual([{ count: 240 }])
})

test('writers of the former version wait while rows are moved, readers do not', async () => {
  const reader = new pg.Client({ connectionString: store.url })
  await reader.connect()
  const writer = new pg.Client({ connectionString: store.url })
  await writer.connect()
  await writer.query('BEGIN; SELECT pg_advisory_xact_lock(7014010)')
  const migrated = migrate({ url: store.url, migrationsDir: MIGRATIONS, log: silent })
  await expect
    .poll(() => rows("SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), {
      timeout: 10_000,
    })
    .toEqual([{ count: 1 }])
  expect((await reader.query('SELECT count(*)::int FROM position')).rows).toEqual([{ count: 240 }])
  await writer.query('COMMIT')
  await migrated
  await writer.end()
  await reader.end()
  expect(await present()).toEqual(former)
})
