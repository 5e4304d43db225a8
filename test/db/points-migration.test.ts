import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/db/server/migrate.ts'
import { migrationsUpTo } from '../support/migrations.ts'
import { openStore, silent } from '../support/store.ts'

const POINTS = '20261124000000_points'

let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  store = await openStore('template1')
  await using before = await migrationsUpTo('20261124000000_history')
  await migrate({ url: store.url, migrationsDir: before.dir, log: silent })
})
afterAll(() => store.close())

/** A store as it was when points were doubles: 40 users in 3 pools on 4 dates, with totals added up in no good order. */
const STORE = `
  INSERT INTO position_points (distribution_date, user_address, market_address, points_a, points_b)
  SELECT date '2026-03-01' + d, 'user' || u, 'pool' || p, u * 1000.1 / 7, CASE u WHEN 1 THEN 0.0000005 WHEN 2 THEN 0.0000015 ELSE d / 3.0 END
  FROM generate_series(1, 40) u, generate_series(1, 3) p, generate_series(1, 4) d;
  INSERT INTO account_day SELECT user_address, distribution_date, sum(points_a + points_b), count(*) FROM position_points GROUP BY 1, 2;
  INSERT INTO account SELECT user_address, sum(points), row_number() OVER (ORDER BY user_address), sum(position_count),
    min(distribution_date), max(distribution_date) FROM account_day GROUP BY 1;
  INSERT INTO distribution SELECT distribution_date, sum(points), sum(position_count), count(*), 'import', now(), now()
    FROM account_day GROUP BY 1;
  INSERT INTO pool_day SELECT market_address, distribution_date, count(*), 'a', sum(points_a), 1, 2, 3, 'b', sum(points_b), 4, 5, 6
    FROM position_points GROUP BY 1, 2;
  INSERT INTO standing SELECT distribution_date, user_address, points, 1 FROM account_day;
  INSERT INTO standing_day SELECT date FROM distribution;
  UPDATE program SET total_points = (SELECT sum(total_points) FROM distribution);
  INSERT INTO run (kind, status, requested_by, started_at, base_deposit, base_borrow, total_points_before, total_points_after)
  VALUES ('import', 'succeeded', 'test', now(), 1, 0.5, 0.1, 54911939.079849996), ('import', 'failed', 'test', now(), 1, 0.5, NULL, NULL)`

test('a store of doubles becomes one of millionths, whose totals are the exact sums of its positions', async () => {
  const { pool, url } = store
  await pool.query(STORE)
  await using points = await migrationsUpTo(POINTS)
  expect((await migrate({ url, migrationsDir: points.dir, log: silent })).applied).toEqual([POINTS])

  const one = async (sql: string) => (await pool.query(sql)).rows
  expect(
    await one(`SELECT points_a, points_b FROM position_points WHERE distribution_date = '2026-03-02' AND market_address = 'pool1'
      AND user_address IN ('user1', 'user2', 'user3') ORDER BY user_address`),
  ).toEqual([
    { points_a: '142871429', points_b: '0' },
    { points_a: '285742857', points_b: '2' },
    { points_a: '428614286', points_b: '333333' },
  ])
  const differ = (table: string, sum: string) => one(`SELECT * FROM ${table} EXCEPT ${sum}`)
  const sum = 'sum(points_a + points_b)::bigint'
  expect(
    await differ(
      '(SELECT user_address, distribution_date, points FROM account_day)',
      `SELECT user_address, distribution_date, ${sum} FROM position_points GROUP BY 1, 2`,
    ),
  ).toEqual([])
  expect(
    await differ(
      '(SELECT user_address, points, rank FROM account)',
      `SELECT user_address, ${sum}, row_number() OVER (ORDER BY ${sum} DESC, user_address)::int FROM position_points GROUP BY 1`,
    ),
  ).toEqual([])
  expect(
    await differ(
      '(SELECT date, total_points FROM distribution)',
      `SELECT distribution_date, ${sum} FROM position_points GROUP BY 1`,
    ),
  ).toEqual([])
  expect(
    await differ(
      '(SELECT pool_address, distribution_date, a_points, b_points FROM pool_day)',
      `SELECT market_address, distribution_date, sum(points_a)::bigint, sum(points_b)::bigint FROM position_points GROUP BY 1, 2`,
    ),
  ).toEqual([])
  expect(await differ('(SELECT total_points FROM program)', `SELECT ${sum} FROM position_points`)).toEqual([])
  expect(await one('SELECT total_points_before, total_points_after FROM run ORDER BY id')).toEqual([
    { total_points_before: '100000', total_points_after: '54911939079850' },
    { total_points_before: null, total_points_after: null },
  ])
  expect(await one('SELECT FROM standing_day')).toEqual([])
  await expect(pool.query('UPDATE position_points SET points_a = 8589934592000001')).rejects.toMatchObject({
    constraint: 'position_points_range',
  })
  expect(await one("SELECT reloptions::text FROM pg_class WHERE relname = 'position_points'")).toEqual([
    { reloptions: '{fillfactor=50}' },
  ])
})
