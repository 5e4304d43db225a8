/**
 * Stores for the benches: a separate embedded server, filled with many positions by set-based SQL.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { MIGRATIONS } from '../../test/support/migrations.ts'
import { migrate } from '../db/server/migrate.ts'
import { Writer } from '../db/write.ts'
import { positionId } from '../domain/dataset/store-positions.ts'
import { RunTables } from '../domain/distribution/run-tables.ts'
import { refreshRollups } from '../domain/points/refresh-rollups.ts'
import { openEmbedded } from '../embedded/index.ts'

export interface Shape {
  /** Positions a date. */
  positions: number
  dates: number
  users: number
}

export const POOLS = 200
/** The decimals of a pool's tokens, and their price. */
export const DECIMALS = { a: 18, b: 6 }
export const PRICE = 1.25
export const BASE = { deposit: 1, borrow: 0.5 }
/** The date with a number from 0 up, as YYYY-MM-DD. */
export const dateOf = (day: number) =>
  new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)

const md5 = (text: string) => createHash('md5').update(text).digest('hex')
/** The address of something by its kind and number, from 1; `addressSql` gives the same. */
export const addressOf = (kind: string, n: number) =>
  `0x${`${md5(`${kind}${n}`)}${md5(`${n}${kind}`)}`.slice(0, 40)}`
const addressSql = (kind: string, n: string) =>
  `'0x' || substr(md5('${kind}' || (${n})) || md5((${n}) || '${kind}'), 1, 40)`

/**
 * Whose and where the position with a number from 0 up is; every user has some, in different pools.
 */
export const placeOf = (n: number, { users }: Shape) => ({
  user: (n % users) + 1,
  pool: ((Math.floor(n / users) + n) % POOLS) + 1,
})

export interface BenchStore {
  url: string
  dataDir: string
  pool: pg.Pool
  close(): Promise<void>
}

const silent = { info() {}, warn() {} }

/**
 * A store with `shape.dates` dates from `dateOf(0)` on.
 * @param kept the directory it stays in, or is already in; without one, a temporary directory,
 * removed on close
 */
export async function openBenchStore(shape: Shape, kept?: string): Promise<BenchStore> {
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'gateway-bench-')))
  const mark = join(dataDir, 'bench.json')
  const marked = await readFile(mark, 'utf8').catch(() => undefined)
  if (marked !== undefined && marked !== JSON.stringify(shape))
    throw new Error(`${dataDir} has another shape: ${marked}`)
  const server = await openEmbedded({ dataDir, log: silent })
  const pool = new pg.Pool({ connectionString: server.url, max: 4, idleTimeoutMillis: 0 })
  pool.on('error', () => {})
  const close = async () => {
    await pool.end()
    await server.release()
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await migrate({ url: server.url, migrationsDir: MIGRATIONS, log: silent })
    if (marked === undefined) await fill(pool, shape)
    await writeFile(mark, JSON.stringify(shape))
    return { url: server.url, dataDir, pool, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The CPU time that a store's server has taken so far, with all its processes, in seconds; NaN
 * where that is not known. It says more than the clock on a machine that others use, too.
 */
export async function serverCpu({ dataDir }: BenchStore): Promise<number> {
  try {
    const [master = ''] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split(
      '\n',
    )
    const times = async (pid: string) =>
      (await readFile(`/proc/${pid}/stat`, 'utf8'))
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11, 15)
        .map(Number)
    const children = (await readFile(`/proc/${master}/task/${master}/children`, 'utf8'))
      .trim()
      .split(' ')
    const ms = await times(master)
    const others = await Promise.all(children.map((pid) => times(pid).catch(() => [0, 0])))
    const ticks = [...ms, ...others.flatMap((all) => all.slice(0, 2))].reduce(
      (sum, time) => sum + time,
      0,
    )
    return ticks / 100
  } catch {
    return Number.NaN
  }
}

/** Brings the tables to rest, so that one measurement does not pay for another. */
export async function settleDown(pool: pg.Pool): Promise<void> {
  await pool.query('VACUUM (ANALYZE)')
  await pool.query('CHECKPOINT')
}

async function fill(pool: pg.Pool, shape: Shape): Promise<void> {
  const started = performance.now()
  const client = await pool.connect()
  try {
    await client.query("SET maintenance_work_mem = '1GB'; SET work_mem = '512MB'")
    await client.query(`INSERT INTO pool SELECT ${addressSql('pool', 'n')}, 1, n, 'P' || n,
      ${addressSql('token', '2 * n')}, 'A' || n,
      'A' || n, ${addressSql('token', 'n % 20 * 2 + 1')}, 'B' || n % 20, 'B' || n % 20, 0, 0,
      ${addressSql('unit', '2 * n')}, ${addressSql('unit', '2 * n + 1')}
      FROM generate_series(1, ${POOLS}) n`)
    await client.query(`INSERT INTO market
      SELECT 1, unit_1_id, id, asset_1_address, asset_1_symbol, ${DECIMALS.a}, 0, 0 FROM pool
      UNION ALL
      SELECT 1, unit_2_id, id, asset_2_address, asset_2_symbol, ${DECIMALS.b}, 0, 0 FROM pool`)
    await client.query(
      'INSERT INTO multiplier SELECT gen_random_uuid()::text, id, 1, 2, 1, 2, now(), now() ' +
        'FROM pool',
    )
    await client.query(
      `INSERT INTO "user" SELECT ${addressSql('user', 'n')} FROM generate_series(1, ` +
        `${shape.users}) n`,
    )
    await client.query(`INSERT INTO token_pair (pool_key, pool_address, a_token_address,
      a_token_symbol, b_token_address, b_token_symbol)
      SELECT key, id, asset_1_address, asset_1_symbol, asset_2_address, asset_2_symbol FROM pool`)
    const restore = await withoutIndexes(client, 'stored_position')
    for (let day = 0; day < shape.dates; day++) await fillDay(client, shape, day)
    progress(`${shape.dates * shape.positions} rows after ${since(started)} s, indexing`)
    await restore()
    for (let day = 0; day < shape.dates; day++) {
      await client.query('BEGIN')
      const writer = await Writer.open(client)
      await writer.lock()
      await refreshRollups(await RunTables.open(writer, false), {
        dates: [dateOf(day)],
        kind: 'import',
        startedAt: new Date(),
      })
      await client.query('COMMIT')
    }
    await client.query('RESET ALL')
  } finally {
    client.release()
  }
  await settleDown(pool)
  progress(`the store was made in ${since(started)} s`)
}

/** Positions of all users, as an import of the date would have stored them. */
async function fillDay(client: pg.PoolClient, shape: Shape, day: number): Promise<void> {
  const amounts = (s: 'a' | 'b', bounds: number[]) =>
    ['supplied', 'protected_supplied', 'borrowed'].flatMap((of, i) => [
      [`${s}_${of}_amount`, `x.n % ${bounds[i]} / 64::float8`],
      [`${s}_${of}_amount_usd`, `x.n % ${bounds[i]} / 64::float8 * ${PRICE}`],
    ])
  const columns = [...amounts('a', [1009, 101, 11]), ...amounts('b', [503, 53, 7])]
  const names = columns.map(([name]) => name).join(', ')
  await client.query(
    `INSERT INTO stored_position (user_address, distribution_date, pool_key, id, pair_key, given,
      a_token_price, b_token_price,
       ${names}, points_a, points_b)
     SELECT user_address, distribution_date, pool_key, ${positionId} AS id, pair_key, false,
     ${PRICE}, ${PRICE}, ${names},
       round((a_supplied_amount_usd + CASE WHEN b_borrowed_amount_usd > 0
       THEN a_protected_supplied_amount_usd ELSE 0 END + 0.5 * a_borrowed_amount_usd) * 1e6),
       round((2 * (b_supplied_amount_usd + CASE WHEN a_borrowed_amount_usd > 0
       THEN b_protected_supplied_amount_usd ELSE 0 END) + b_borrowed_amount_usd) * 1e6)
     FROM (
       SELECT user_address, date AS distribution_date, k.pool_address, k.pool_key,
       k.key AS pair_key,
         ${columns.map(([name, value]) => `${value} AS ${name}`).join(', ')}
       FROM (SELECT n, ${addressSql('user', `n % ${shape.users} + 1`)} AS user_address,
       date '${dateOf(day)}' AS date,
           (n / ${shape.users} + n) % ${POOLS} + 1 AS pool
         FROM generate_series(0, ${shape.positions - 1}) n) x
       JOIN pool p ON p.number = x.pool JOIN token_pair k ON k.pool_key = p.key
     ) s ORDER BY id DESC`,
  )
}

/** Takes a table's indexes away; the result puts them back. */
export async function withoutIndexes(
  client: pg.PoolClient,
  table: string,
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `SELECT CASE WHEN c.oid IS NULL THEN format('DROP INDEX %I', i.relname)
      ELSE format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, c.conname) END AS drop,
       CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.oid)
       ELSE format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, c.conname,
       pg_get_constraintdef(c.oid)) END AS make
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
     LEFT JOIN pg_constraint c ON c.conindid = i.oid AND c.contype IN ('p', 'u', 'x')
     WHERE t.relname = $1 AND t.relnamespace = 'public'::regnamespace`,
    [table],
  )
  for (const { drop } of rows) await client.query(drop)
  return async () => {
    for (const { make } of rows) await client.query(make)
  }
}

const since = (at: number) => ((performance.now() - at) / 1000).toFixed(0)

/** Says how far a bench is, next to its figures. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
