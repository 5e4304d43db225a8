import pg from 'pg'
import { GatewayError } from '../../errors.ts'
import { pinSession } from '../connect/client.ts'
import { LOCKS } from '../locks.ts'
import { TABLES_OF_USERS, USER_KEY } from '../marks.ts'
import { isSpread } from './find-topology.ts'

// Tables that each server has a copy of: what rows of users are joined with. Accounts are among
// them, since ranks, search and leaderboards are about the order of all of them. The other tables
// stay on the coordinator, with their triggers.
const ON_EVERY_SERVER = [
  'user',
  'account',
  'pool',
  'token_pair',
  'market',
  'vault',
  'distribution',
  'pool_day',
  'pool_total',
  'rank_history_date',
  'rate_revision',
  'asset_price',
  'token',
  'vault_day',
  'user_worth',
]

// Replacements for triggers in a sharded store. It exists only there.
const DATA_CHANGED = `CREATE FUNCTION data_changed() RETURNS VOID LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE data_version SET version = version + 1, history = gen_random_uuid(),
      written_by = pg_current_xact_id(),
      written_at = transaction_timestamp()
    WHERE id = 1 AND (written_by, written_at)
      IS DISTINCT FROM (pg_current_xact_id(), transaction_timestamp());
    IF FOUND THEN
      PERFORM pg_notify('gateway_data', '');
    END IF;
  END $$`

/**
 * Spreads the rows of users over the workers of a Citus cluster, by the user's address, so that all
 * rows of a user are on one of them. All of it is one transaction, during which nobody writes. Does
 * nothing if it has been done.
 * @param url leads to the coordinator; its tables are up to date
 * @returns how many workers there are, and whether it has been done now
 * @throws BAD_INPUT if the database is not a Citus coordinator with workers
 * @throws UNAVAILABLE if another session is writing
 */
export async function distribute(url: string): Promise<{ workers: number; done: boolean }> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    await pinSession(client)
    await client.query(
      'BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL statement_timeout = 0',
    )
    const workers = await workersOf(client)
    const { rows } = await client.query('SELECT pg_try_advisory_xact_lock($1) AS locked', [
      LOCKS.writers,
    ])
    if (!rows[0]?.locked)
      throw new GatewayError(
        'UNAVAILABLE',
        'An import, run or change of multipliers is writing to the store. Nothing was ' +
          'changed; try again when it has finished.',
      )
    if (await isSpread(client)) return { workers, done: false }
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    await dropTriggers(client)
    await adaptKeys(client)
    await joinPairs(client)
    // Without triggers, net cash and liquidations are summed up when they are read.
    await client.query(`DROP TABLE net_cash, net_liquidation;
      ALTER VIEW cash_flow_total RENAME TO net_cash;
      ALTER VIEW liquidation_total RENAME TO net_liquidation`)
    for (const table of ON_EVERY_SERVER)
      await client.query("SELECT create_reference_table(format('%I', $1::text))", [table])
    for (const name of ['holding_size(numeric,numeric)', 'holding_magnitude(float8)'])
      await client.query('SELECT create_distributed_function($1)', [name])
    let first: string | undefined
    for (const table of TABLES_OF_USERS) {
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
        table,
        USER_KEY,
        first ?? 'none',
      ])
      first ??= table
    }
    await client.query('SET LOCAL citus.enable_ddl_propagation = off')
    await client.query(DATA_CHANGED)
    await client.query('SELECT data_changed()')
    await client.query('COMMIT')
    return { workers, done: true }
  } finally {
    await client.end()
  }
}

async function workersOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'")
  assert(
    rows.length > 0,
    'The database has no Citus: run CREATE EXTENSION citus on the coordinator and on each ' +
      'worker first.',
  )
  const {
    rows: [{ coordinator, known, workers } = { coordinator: false, known: false, workers: 0 }],
  } = await client.query<{ coordinator: boolean; known: boolean; workers: number }>(
    `SELECT citus_is_coordinator() AS coordinator, coalesce(bool_or(groupid = 0), false) AS known,
       (count(*) FILTER (WHERE groupid <> 0 AND noderole = 'primary' AND isactive
         AND shouldhaveshards))::int AS workers
     FROM pg_dist_node`,
  )
  assert(
    workers > 0,
    "The Citus cluster has no workers: add each with SELECT citus_add_node('host', 5432) on the " +
      'coordinator first.',
  )
  assert(
    coordinator,
    'DATABASE_URL leads to a worker of the Citus cluster: it has to lead to the coordinator.',
  )
  assert(
    known,
    'The coordinator does not know its own address: ' +
      "run SELECT citus_set_coordinator_host('host', 5432) on it first.",
  )
  return workers
}

function assert(holds: boolean, message: string): void {
  if (!holds) throw new GatewayError('BAD_INPUT', message)
}

// Citus has no triggers on sharded tables.
async function dropTriggers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS text FROM pg_trigger
     WHERE NOT tgisinternal
       AND tgrelid = ANY(SELECT format('%I', name)::regclass FROM unnest($1::text[]) name)`,
    [[...TABLES_OF_USERS, ...ON_EVERY_SERVER]],
  )
  for (const { text } of rows) await client.query(text)
}

// A unique key of a sharded table must have the user's address, shards move to other workers while
// they are written only by a primary key, and Citus has identities of bigint alone.
async function adaptKeys(client: pg.Client): Promise<void> {
  await client.query(`
    ALTER TABLE stored_position DROP CONSTRAINT stored_position_id_key;
    CREATE INDEX stored_position_id_idx ON stored_position USING hash (id);
    DROP INDEX stored_position_user_idx;
    ALTER TABLE stored_position ADD PRIMARY KEY (user_address, distribution_date, pool_key);
    DROP INDEX stored_position_date_idx;
    CREATE INDEX stored_position_date_idx ON stored_position (distribution_date, id DESC)`)
  for (const table of ['pool', 'token_pair'])
    await client.query(`
      ALTER TABLE ${table} ALTER COLUMN key DROP IDENTITY;
      CREATE SEQUENCE ${table}_key_seq AS integer OWNED BY ${table}.key;
      SELECT setval('${table}_key_seq', (SELECT coalesce(max(key), 0) + 1 FROM ${table}), false);
      ALTER TABLE ${table} ALTER COLUMN key SET DEFAULT nextval('${table}_key_seq')`)
}

// Under Postgres 15 and 16, Citus has no plan for an outer join with a condition that it finds to
// be false: no date is before itself.
async function joinPairs(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    "SELECT pg_get_viewdef('position'::regclass) AS text",
  )
  await client.query(
    `CREATE OR REPLACE VIEW position AS ${rows[0]?.text.replace('LEFT JOIN', 'JOIN')}`,
  )
}
