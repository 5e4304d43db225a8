/**
 * resync of one date with and without entries of the ledger, alternating: at most 1.15 times the
 * time. Every round changes the multipliers first, so that every position's points change and every
 * account has entries: the most that a resync can write.
 *
 *     npm run bench -- ledger [--positions 200000] [--dates 3] [--users 40000]
 *       [--rounds 5] [--store DIR] [--small]
 *
 * The bytes of an entry are those by which the tables grow when a store without a ledger is
 * resynced once.
 */
import { resync } from '../domain/distribution/resync.ts'
import { updateMultipliers } from '../domain/multiplier/update.ts'
import { median, options, report, round, seconds } from './report.ts'
import { BASE, openBenchStore, progress, serverCpu, settleDown } from './store.ts'

const flags = options(
  { positions: 200_000, dates: 3, users: 40_000, rounds: 5, store: '' },
  { positions: 20_000, dates: 2, users: 5_000, rounds: 2 },
)
const { rounds, store: kept, ...shape } = flags
const store = await openBenchStore(shape, kept || undefined)
const { pool } = store
try {
  const { rows: pools } = await pool.query<{ poolAddress: string }>(
    'SELECT id AS "poolAddress" FROM pool',
  )
  const measured = async (factor: number, keepsLedger: boolean) => {
    await updateMultipliers(
      { pool, now: () => new Date() },
      pools.map((one) => ({ ...one, depositA: factor })),
      'bench',
    )
    await settleDown(pool)
    const cpuBefore = await serverCpu(store)
    const at = performance.now()
    await resync({ pool, basePoints: BASE, keepsLedger, now: () => new Date() }, null, 'bench')
    return { time: seconds(at), cpu: (await serverCpu(store)) - cpuBefore }
  }
  const stored = async () => {
    await pool.query('VACUUM FULL account_day')
    const { rows } = await pool.query<{ bytes: string }>(
      "SELECT pg_total_relation_size('account_day') AS bytes",
    )
    return Number(rows[0]?.bytes)
  }
  await measured(2, false)
  const before = await stored()
  await measured(3, true)
  const { rows } = await pool.query<{ entries: number; days: number }>(
    'SELECT count(*)::int AS entries, count(DISTINCT (user_address, distribution_date))::int ' +
      'AS days FROM account_ledger',
  )
  const { entries, days } = rows[0] ?? { entries: 0, days: 0 }
  const bytes = ((await stored()) - before) / entries
  await pool.query('UPDATE account_day SET ledger = NULL')
  await stored()
  const kinds = { 'without the ledger': false, 'with the ledger': true }
  const results = Object.keys(kinds).map((what) => ({
    what,
    times: [] as number[],
    cpu: [] as number[],
  }))
  for (let nth = 0; nth < rounds; nth++)
    for (const [at, keeps] of Object.values(kinds).entries()) {
      const { time, cpu } = await measured(4 + 2 * nth + at, keeps)
      results[at]?.times.push(time)
      results[at]?.cpu.push(cpu)
      progress(`round ${nth + 1}: ${results[at]?.what} ${time.toFixed(2)} s`)
    }
  const [without, withLedger] = results.map(({ times }) => median(times))
  report(
    'ledger',
    shape,
    results.map(({ what, times, cpu }) => ({
      what,
      'median s': round(median(times)),
      's, each': times.map((time) => time.toFixed(2)).join(' '),
      'CPU s': round(median(cpu)),
    })),
    [
      {
        name: 'time, with the ledger to without',
        value: (withLedger ?? 0) / (without ?? 0),
        atMost: 1.15,
      },
      {
        name: `bytes of an entry, ${round(entries / days)} of them in a day of an account`,
        value: bytes,
        atMost: 60,
      },
    ],
  )
} finally {
  await store.close()
}
