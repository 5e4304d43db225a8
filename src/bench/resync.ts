/**
 * resync of one date in a full store, next to the bare SQL that updates the same rows and rebuilds
 * the same totals and ranks: at most 1.1 times the time. The process that runs it must not grow.
 *
 *     npm run bench -- resync [--positions 1000000] [--dates 10] [--users 200000] [--rounds 3]
 *       [--store DIR] [--small]
 *
 * And next to what somebody would write on one wide table of positions (speed/plain.sql), and next
 * to a loop that reads a position through the ORM, computes its points and writes them, one row
 * after the other. Every round changes the multipliers first, so that every position's points
 * change. `--store` keeps the store, which takes minutes to make, and finds it again.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { resync } from '../domain/distribution/resync.ts'
import { PrismaClient } from '../generated/prisma/client.ts'
import { median, megabytes, options, report, round, seconds } from './report.ts'
import { BASE, openBenchStore, progress, serverCpu, settleDown } from './store.ts'

const flags = options(
  { positions: 1_000_000, dates: 10, users: 200_000, rounds: 3, store: '' },
  { positions: 50_000, dates: 3, users: 10_000, rounds: 2 },
)
const { rounds, store: kept, ...shape } = flags
const LOOPED = 3000
const store = await openBenchStore(shape, kept || undefined)
const { pool } = store
try {
  progress('filling plain tables')
  await pool.query(await readFile(join(import.meta.dirname, 'speed/plain.sql'), 'utf8'))
  const bare = { times: [] as number[], cpu: [] as number[] }
  const plain = { times: [] as number[], cpu: [] as number[] }
  const ours = { times: [] as number[], cpu: [] as number[] }
  const grown: number[] = []
  let peak = 0
  for (let nth = 1; nth <= rounds; nth++) {
    for (const [name, { times, cpu }, run] of [
      ['bare SQL on plain tables', plain, plainResync],
      ['bare SQL', bare, bareResync],
      [
        'resync',
        ours,
        () => resync({ pool, basePoints: BASE, now: () => new Date() }, null, 'bench'),
      ],
    ] as const) {
      for (const table of ['multiplier', 'plain.multiplier'])
        await pool.query(`UPDATE ${table} SET deposit_token_a = deposit_token_a + 1`)
      await settleDown(pool)
      const before = process.memoryUsage.rss()
      let most = before
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 50)
      const cpuBefore = await serverCpu(store)
      const at = performance.now()
      await run()
      times.push(seconds(at))
      cpu.push((await serverCpu(store)) - cpuBefore)
      clearInterval(watch)
      if (name === 'resync') {
        grown.push(most - before)
        peak = Math.max(peak, most)
      }
      progress(`round ${nth}: ${name} ${times.at(-1)?.toFixed(2)} s`)
    }
  }
  const row = (what: string, { times, cpu }: typeof bare) => ({
    what,
    'median s': round(median(times)),
    's, each': times.map((time) => time.toFixed(2)).join(' '),
    'CPU s': round(median(cpu)),
    'positions/s': Math.round(shape.positions / median(times)),
  })
  const looped = await rowByRow()
  report(
    'resync',
    shape,
    [
      row('bare SQL on plain tables', plain),
      row('bare SQL', bare),
      { what: `row by row through the ORM, ${LOOPED} of them`, 'positions/s': Math.round(looped) },
      {
        ...row('resync', ours),
        'peak RSS, MB': megabytes(peak),
        'grown by, MB': megabytes(Math.max(...grown)),
      },
    ],
    [
      { name: 'time, ours to bare', value: median(ours.times) / median(bare.times), atMost: 1.1 },
      {
        name: 'time, ours to that of an ORM loop over as many positions',
        value: median(ours.times) / (shape.positions / looped),
        atMost: 0.01,
      },
      {
        name: 'MB that the process grew by in a run',
        value: megabytes(Math.max(...grown)),
        atMost: 20,
      },
    ],
  )
} finally {
  await pool.query('DROP SCHEMA IF EXISTS plain CASCADE')
  await store.close()
}

/** Runs statements that have the newest date as their first value in one transaction. */
async function inOne(statements: string[]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query("SET LOCAL work_mem = '256MB'")
    const { rows } = await client.query<{ date: string }>(
      'SELECT max(date)::text AS date FROM distribution',
    )
    for (const text of statements)
      await client.query(text, text.includes('$1') ? [rows[0]?.date] : [])
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

/** The points of a side of the position `p`, by the multiplier `m`. */
function pointsOf(side: 'a' | 'b'): string {
  const other = side === 'a' ? 'b' : 'a'
  return `(m.deposit_token_${side} * (p.${side}_supplied_amount_usd
      + CASE WHEN p.${other}_borrowed_amount_usd > 0 THEN p.${side}_protected_supplied_amount_usd
      ELSE 0 END)
    + 0.5 * m.borrow_token_${side} * p.${side}_borrowed_amount_usd)`
}

/** The ranks of the accounts of a schema by their points of all dates. */
function ranksOf(schema: string): string {
  return `UPDATE ${schema}.account a SET points = s.points, rank = s.rank FROM (
    SELECT user_address, points, row_number() OVER (ORDER BY points DESC, user_address) AS rank
    FROM (SELECT user_address, sum(points) AS points FROM ${schema}.account_day
    GROUP BY user_address) t) s
  WHERE a.user_address = s.user_address`
}

/**
 * The same rows updated and the same totals and ranks rebuilt, by the plainest set-based
 * statements.
 */
function bareResync(): Promise<void> {
  return inOne([
    `UPDATE stored_position p SET points_a = round(${pointsOf('a')} * 1e6)::bigint,
      points_b = round(${pointsOf('b')} * 1e6)::bigint
     FROM pool JOIN multiplier m ON m.pool_address = pool.id
     WHERE p.distribution_date = $1 AND pool.key = p.pool_key`,
    `UPDATE account_day d SET points = s.points FROM (
       SELECT user_address, sum(points_a + points_b) AS points FROM position
       WHERE distribution_date = $1 GROUP BY user_address) s
     WHERE d.user_address = s.user_address AND d.distribution_date = $1`,
    'UPDATE distribution SET total_points = (SELECT sum(points_a + points_b) FROM position ' +
      'WHERE distribution_date = $1) WHERE date = $1',
    ranksOf('public'),
    `UPDATE pool_day d SET a_points = s.a_points, b_points = s.b_points FROM (
       SELECT pool_address, sum(points_a) AS a_points, sum(points_b) AS b_points FROM position
       WHERE distribution_date = $1 GROUP BY pool_address) s
     WHERE d.pool_address = s.pool_address AND d.distribution_date = $1`,
    'UPDATE program SET total_points = (SELECT sum(total_points) FROM distribution)',
  ])
}

/** The same on plain tables, which have no sums of pools. */
function plainResync(): Promise<void> {
  return inOne([
    `UPDATE plain.position p SET points_a = ${pointsOf('a')}, points_b = ${pointsOf('b')},
      points = ${pointsOf('a')} + ${pointsOf('b')}
     FROM plain.multiplier m WHERE p.distribution_date = $1 AND m.pool_address = p.pool_address`,
    `UPDATE plain.account_day d SET points = s.points FROM (
       SELECT user_address, sum(points) AS points FROM plain.position WHERE distribution_date = $1
       GROUP BY user_address) s
     WHERE d.user_address = s.user_address AND d.distribution_date = $1`,
    'UPDATE plain.distribution SET total_points = (SELECT sum(points) FROM plain.position ' +
      'WHERE distribution_date = $1) WHERE date = $1',
    ranksOf('plain'),
    'UPDATE plain.program SET total_points = (SELECT sum(total_points) FROM plain.distribution)',
  ])
}

/** The points of some positions computed and stored one by one. @returns positions a second */
async function rowByRow(): Promise<number> {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })
  const newest = await prisma.distribution.findFirstOrThrow({ orderBy: { date: 'desc' } })
  const ids = await prisma.position.findMany({
    where: { distributionDate: newest.date },
    select: { id: true },
    take: LOOPED,
  })
  const at = performance.now()
  for (const { id } of ids) {
    const p = await prisma.position.findUniqueOrThrow({ where: { id } })
    const m = await prisma.multiplier.findUniqueOrThrow({ where: { poolAddress: p.poolAddress } })
    const millionths = (points: number) => BigInt(Math.round(points * 1e6))
    const deposit = (supplied: number, kept: number, borrowed: number) =>
      supplied + (borrowed > 0 ? kept : 0)
    const pointsA = millionths(
      m.depositA *
        deposit(p.aSuppliedAmountUsd, p.aProtectedSuppliedAmountUsd, p.bBorrowedAmountUsd) +
        0.5 * m.borrowA * p.aBorrowedAmountUsd,
    )
    const pointsB = millionths(
      m.depositB *
        deposit(p.bSuppliedAmountUsd, p.bProtectedSuppliedAmountUsd, p.aBorrowedAmountUsd) +
        0.5 * m.borrowB * p.bBorrowedAmountUsd,
    )
    await prisma.$executeRaw`UPDATE stored_position SET points_a = ${pointsA}, points_b = ${pointsB}
      WHERE id = ${id}`
  }
  const rate = ids.length / seconds(at)
  await prisma.$disconnect()
  return rate
}
