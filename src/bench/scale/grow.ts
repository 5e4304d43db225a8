/**
 * Grows a store in place, by set-based SQL: more users who do the same, and more days on which
 * everybody does the same.
 */
import type pg from 'pg'
import { USER_KEY } from '../../db/marks.ts'
import { Writer } from '../../db/write.ts'
import { positionId } from '../../domain/dataset/store-positions.ts'
import { RunTables } from '../../domain/distribution/run-tables.ts'
import { refreshRollups } from '../../domain/points/refresh-rollups.ts'
import { withoutIndexes } from '../store.ts'

export interface Factors {
  users: number
  /** Of the dates of positions and of the days of snapshots. */
  days: number
}

const DAY = 86_400
/**
 * What ranks say is computed from the rest; what was earned, paid in and paid out does not recur
 * with the days.
 */
const COPIED: Record<string, 'users and days' | 'users'> = {
  stored_position: 'users and days',
  account_day: 'users and days',
  market_snapshot: 'users and days',
  vault_snapshot: 'users and days',
  market_holding: 'users',
  vault_holding: 'users',
  market_liquidation_reward: 'users',
  vault_liquidation_reward: 'users',
  cash_flow: 'users',
}

/** The address of a user's copy `k`; 0 is the user itself. */
const copied = (column: string) =>
  `CASE k WHEN 0 THEN ${column} ELSE '0x' || substr(md5(${column} || k) || md5(k || ` +
  `${column}), 1, 40) END`

/**
 * Multiplies users and days. Earlier days are added, and the newest distribution date stays as it
 * is: a run of it has as much to do as before.
 * @param days the days that the store has
 */
export async function grow(
  pool: pg.Pool,
  factors: Factors,
  days: number,
  say: (text: string) => void,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`SET session_replication_role = replica; SET work_mem = '1GB';
      SET maintenance_work_mem = '2GB';
      SET synchronous_commit = off; SET max_parallel_maintenance_workers = 2`)
    const { rows } = await client.query<{ date: string }>(
      'SELECT max(date)::text AS date FROM distribution',
    )
    const newest = rows[0]?.date as string
    await client.query(
      `INSERT INTO "user" (user_address) SELECT ${copied('user_address')} FROM "user", ` +
        'generate_series(1, $1::int - 1) k',
      [factors.users],
    )
    for (const [table, what] of Object.entries(COPIED)) {
      const restore = await withoutIndexes(client, table)
      await copy(
        client,
        table,
        { ...factors, days: what === 'users' ? 1 : factors.days },
        days,
        newest,
      )
      say(`${table}: copied, indexing`)
      await restore()
    }
    await client.query('SET session_replication_role = DEFAULT')
    await client.query(`TRUNCATE net_cash, net_liquidation;
      INSERT INTO net_cash TABLE cash_flow_total;
      INSERT INTO net_liquidation TABLE liquidation_total`)
    await total(client)
    await rank(client, newest)
    await client.query('RESET ALL')
  } finally {
    client.release(true)
  }
  say('vacuum')
  await pool.query('VACUUM (ANALYZE)')
  await pool.query('CHECKPOINT')
}

async function copy(
  client: pg.PoolClient,
  table: string,
  { users, days }: Factors,
  daysStored: number,
  newest: string,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND ' +
      `NOT attisdropped AND attgenerated = ''`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  const dated = names.includes('distribution_date')
  const moved: Record<string, string> = {
    [USER_KEY]: copied(`o.${USER_KEY}`),
    distribution_date: `o.distribution_date - j * ${daysStored}`,
    ...(days > 1 && { timestamp: `o.timestamp - j * ${daysStored * DAY}` }),
  }
  const values = names.map((name) => `${moved[name] ?? `o.${name}`} AS ${name}`)
  const listed = names.map((name) =>
    table === 'stored_position' && name === 'id' ? `${positionId} AS id` : `s.${name}`,
  )
  await client.query(`CREATE UNLOGGED TABLE original AS SELECT * FROM ${table}`)
  const pool = table === 'stored_position' ? ', pool_key::text AS pool_address' : ''
  const before = dated ? `AND (j > 0 OR distribution_date < '${newest}')` : ''
  const time = names.includes('timestamp') ? 's.timestamp' : USER_KEY
  // As imports leave them: a day after the other.
  for (let j = days - 1; j >= 0; j--)
    await client.query(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${listed.join(', ')} FROM (
         SELECT ${values.join(', ')}${pool}
         FROM original o, generate_series(0, ${users - 1}) k, (SELECT ${j} AS j) j
         WHERE (k > 0 OR j > 0) ${before} OFFSET 0) s
       ORDER BY ${dated ? 'distribution_date' : time}, md5(${USER_KEY})`,
    )
  await client.query('DROP TABLE original')
}

/** The totals of all dates, as the gateway computes them. */
async function total(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ date: string }>(
    'SELECT DISTINCT distribution_date::text AS date FROM account_day ORDER BY date',
  )
  await client.query('BEGIN')
  const writer = await Writer.open(client)
  await writer.lock()
  await refreshRollups(await RunTables.open(writer, false), {
    dates: rows.map(({ date }) => date),
    kind: 'import',
    startedAt: new Date(),
  })
  await client.query('COMMIT')
}

/** The ranks of all past dates, which a gateway would compute in the background. */
async function rank(client: pg.PoolClient, newest: string): Promise<void> {
  await client.query('TRUNCATE rank_history, rank_history_date')
  const restore = await withoutIndexes(client, 'rank_history')
  await client.query(
    `INSERT INTO rank_history (distribution_date, user_address, points, rank)
     SELECT *, row_number() OVER (PARTITION BY distribution_date ORDER BY points DESC, user_address)
     FROM (
       SELECT distribution_date, user_address, (sum(points) OVER (PARTITION BY user_address
       ORDER BY distribution_date))::bigint AS points
       FROM account_day WHERE distribution_date < $1) s`,
    [newest],
  )
  await restore()
  await client.query(
    'INSERT INTO rank_history_date SELECT date FROM distribution WHERE date < $1',
    [newest],
  )
}
