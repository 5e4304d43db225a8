import pg from 'pg'
import { TABLES_OF_USERS } from '../connect/of-users.ts'

/** Tables that each node has a copy of: what rows of users are joined with, and the order of all accounts. */
const ON_EVERY_NODE = [
  'user',
  'account',
  'pool',
  'token_pair',
  'multiplier',
  'market',
  'vault',
  'distribution',
  'pool_day',
  'pool_total',
]

export async function distribute(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(
      "BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
    )
    const tables = [...Object.keys(TABLES_OF_USERS), ...ON_EVERY_NODE]
    const { rows } = await client.query(
      `SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS text FROM pg_trigger
       WHERE NOT tgisinternal AND tgrelid = ANY(SELECT format('%I', t)::regclass FROM unnest($1::text[]) t)`,
      [tables],
    )
    for (const { text } of rows) await client.query(text)
    await client.query(`
      ALTER TABLE stored_position DROP CONSTRAINT stored_position_id_key;
      CREATE INDEX stored_position_id_idx ON stored_position USING hash (id);
      DROP INDEX stored_position_date_idx;
      CREATE INDEX stored_position_date_idx ON stored_position (distribution_date, id DESC);`)
    for (const table of ['pool', 'token_pair'])
      await client.query(`
        ALTER TABLE ${table} ALTER COLUMN key DROP IDENTITY;
        CREATE SEQUENCE ${table}_key_seq AS integer OWNED BY ${table}.key;
        SELECT setval('${table}_key_seq', (SELECT coalesce(max(key), 0) + 1 FROM ${table}), false);
        ALTER TABLE ${table} ALTER COLUMN key SET DEFAULT nextval('${table}_key_seq');`)
    for (const table of ON_EVERY_NODE)
      await client.query("SELECT create_reference_table(format('%I', $1::text))", [table])
    let first: string | undefined
    for (const [table, column] of Object.entries(TABLES_OF_USERS)) {
      await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
        table,
        column,
        first ?? 'none',
      ])
      first ??= table
    }
    await client.query('COMMIT')
  } finally {
    await client.end()
  }
}
