/**
 * resync of one date against the bare SQL that updates the same rows and rebuilds totals and ranks, side by side on the
 * product's own tables: `node --import tsx test/bench/resync.ts [--positions 1000000] [--dates 1] [--rounds 3]`.
 * Every round changes the multipliers first, so that every position's points change.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openEmbedded } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { resync } from '../../src/domain/distribution/resync.ts'
import { settle } from '../../src/domain/points/settle.ts'

const { values } = parseArgs({
  options: {
    positions: { type: 'string', default: '1000000' },
    dates: { type: 'string', default: '1' },
    users: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
  },
})
const [positions, dates, users, rounds] = [values.positions, values.dates, values.users, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const POOLS = 200
const BASE = { deposit: 1, borrow: 0.5 }
const log = { info() {}, warn() {} }
const say = (text: string) => process.stdout.write(`${text}\n`)

const dataDir = await mkdtemp(join(tmpdir(), 'gateway-bench-'))
const server = await openEmbedded({ dataDir, log })
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
try {
  await migrate({ url: server.url, migrationsDir: join(import.meta.dirname, '../../prisma/migrations'), log })
  const started = performance.now()
  await fill()
  say(
    `${positions} positions a date, ${dates} dates, ${users} users, made in ${seconds(started)} s; ${cpus().length} cores`,
  )

  const bare: number[] = []
  const ours: number[] = []
  for (let round = 1; round <= rounds; round++) {
    for (const [name, times, run] of [
      ['bare SQL', bare, bareResync],
      ['resync', ours, () => resync({ pool, basePoints: BASE, now: () => new Date() }, null)],
    ] as const) {
      await pool.query('UPDATE multiplier SET deposit_token_a = deposit_token_a + 1')
      await pool.query('VACUUM (ANALYZE) position_points, account, account_day')
      await pool.query('CHECKPOINT')
      const at = performance.now()
      await run()
      times.push((performance.now() - at) / 1000)
      say(`round ${round}: ${name} ${times.at(-1)?.toFixed(2)} s`)
    }
  }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  say(
    `median: bare SQL ${median(bare).toFixed(2)} s, resync ${median(ours).toFixed(2)} s ` +
      `(${Math.round(positions / median(ours))} positions/s), ratio ${(median(ours) / median(bare)).toFixed(2)} (at most 1.5)`,
  )
} finally {
  await pool.end()
  await server.release()
  await rm(dataDir, { recursive: true, force: true })
}

/** The same rows updated and the same totals and ranks rebuilt, by the plainest set-based statements. */
async function bareResync(): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query("SET LOCAL work_mem = '256MB'")
    const { rows } = await client.query<{ date: string }>('SELECT max(date)::text AS date FROM distribution')
    const date = rows[0]?.date
    await client.query(
      `UPDATE position_points pp SET
         points_a = m.deposit_token_a * (p.a_supplied_amount_usd
             + CASE WHEN p.b_borrowed_amount_usd > 0 THEN p.a_protected_supplied_amount_usd ELSE 0 END)
           + 0.5 * m.borrow_token_a * p.a_borrowed_amount_usd,
         points_b = m.deposit_token_b * (p.b_supplied_amount_usd
             + CASE WHEN p.a_borrowed_amount_usd > 0 THEN p.b_protected_supplied_amount_usd ELSE 0 END)
           + 0.5 * m.borrow_token_b * p.b_borrowed_amount_usd
       FROM position p JOIN multiplier m ON m.pool_address = p.market_address
       WHERE p.distribution_date = $1 AND pp.distribution_date = $1
         AND pp.user_address = p.user_address AND pp.market_address = p.market_address`,
      [date],
    )
    await client.query(
      `UPDATE account_day d SET points = s.points FROM (
         SELECT user_address, sum(points_a + points_b) AS points FROM position_points
         WHERE distribution_date = $1 GROUP BY user_address) s
       WHERE d.user_address = s.user_address AND d.distribution_date = $1`,
      [date],
    )
    await client.query(
      'UPDATE distribution SET total_points = (SELECT sum(points_a + points_b) FROM position_points WHERE distribution_date = $1) WHERE date = $1',
      [date],
    )
    await client.query(
      `UPDATE account a SET points = s.points, rank = s.rank FROM (
         SELECT user_address, points, row_number() OVER (ORDER BY round(points * 1e6) DESC, user_address) AS rank
         FROM (SELECT user_address, sum(points) AS points FROM account_day GROUP BY user_address) t) s
       WHERE a.user_address = s.user_address`,
    )
    await client.query('UPDATE program SET total_points = (SELECT sum(total_points) FROM distribution)')
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

async function fill(): Promise<void> {
  const address = (kind: string, n: string) => `'0x' || substr(md5('${kind}' || ${n}) || md5(${n} || '${kind}'), 1, 40)`
  const asset = `'0x' || repeat('a', 40), 'AAA'`
  await pool.query(`INSERT INTO pool SELECT ${address('pool', 'n')}, 1, n, 'P' || n, '0x' || repeat('a', 40), 'A', 'A',
    '0x' || repeat('b', 40), 'B', 'B', 0, 0, ${address('unit1', 'n')}, ${address('unit2', 'n')} FROM generate_series(1, ${POOLS}) n`)
  await pool.query('INSERT INTO multiplier SELECT gen_random_uuid()::text, id, 1, 2, 1, 2, now(), now() FROM pool')
  await pool.query(`INSERT INTO "user" SELECT ${address('user', 'n')} FROM generate_series(1, ${users}) n`)
  const client = await pool.connect()
  try {
    for (let day = 0; day < dates; day++) {
      await client.query('BEGIN')
      await client.query(
        `INSERT INTO position SELECT 'p${day}-' || n, ${address('user', `(n % ${users} + 1)`)}, date '2026-01-01' + ${day},
           ${address('pool', `(n / ${users} % ${POOLS} + 1)`)}, ${asset}, 1, n % 1000, n % 1000, n % 100, n % 100, n % 10, n % 10,
           '0x' || repeat('b', 40), 'BBB', 1, n % 500, n % 500, n % 50, n % 50, n % 5, n % 5
         FROM generate_series(0, ${positions - 1}) n`,
      )
      await client.query(`INSERT INTO position_points SELECT distribution_date, user_address, market_address, 0, 0
        FROM position WHERE distribution_date = date '2026-01-01' + ${day}`)
      const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
      await settle(client, { dates: [date], kind: 'import', startedAt: new Date() })
      await client.query('COMMIT')
    }
  } finally {
    client.release()
  }
  await pool.query('VACUUM (ANALYZE)')
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
