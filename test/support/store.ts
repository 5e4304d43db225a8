import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The migrated database that every test's is a copy of. */
export const TEMPLATE = 'template_gateway'

export const silent = { info() {}, warn() {}, error() {} }

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = database
  return url.href
}

/**
 * The server of the run, and the workers behind it, if it is a Citus cluster. They have a database
 * of the same name for each.
 */
function serversOfRun(): string[] {
  const { TEST_POSTGRES_URL: server, TEST_CITUS_WORKERS: workers } = process.env
  if (!server)
    throw new Error('TEST_POSTGRES_URL is not set: a global setup starts the server and sets it')
  return [server, ...(workers?.split(' ') ?? [])]
}

/** Runs a statement about databases on each server. */
async function onEach(servers: string[], text: string): Promise<void> {
  for (const server of servers) {
    const admin = new pg.Client({ connectionString: server })
    await admin.connect()
    await admin.query(text).finally(() => admin.end())
  }
}

/** Files are copied in a fifth of the time that writing each page to the log takes. */
const copyDatabase = (template: string, name: string, servers = serversOfRun()) =>
  onEach(servers, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)

/** Makes a database a template that nobody connects to, a process of Citus included. */
export async function closeDatabase(
  name: string,
  template: string,
  servers = serversOfRun(),
): Promise<void> {
  await onEach(servers, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await onEach(
    servers,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
  )
  await onEach(servers, `ALTER DATABASE ${name} RENAME TO ${template}`)
}

/**
 * Fills a database, unless another test of the run has. @returns its name: a template for
 * `openStore`, which copies it in a fraction of the time
 */
export async function filledTemplate(
  name: string,
  fill: (pool: pg.Pool) => Promise<void>,
): Promise<string> {
  const [server = ''] = serversOfRun()
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  try {
    await admin.query("SELECT pg_advisory_lock(hashtext('filledTemplate'))")
    const { rows } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rows.length > 0) return name
    // It has its name when it is whole.
    const filling = `filling_${name}`
    await onEach(serversOfRun(), `DROP DATABASE IF EXISTS ${filling} WITH (FORCE)`)
    await copyDatabase(TEMPLATE, filling)
    const pool = openPool(urlOf(server, filling))
    await fill(pool).finally(() => pool.end())
    await closeDatabase(filling, name)
    return name
  } finally {
    await admin.end()
  }
}

/** Empties tables. TRUNCATE makes new files, and takes twenty times as long. */
export const emptyTables = (pool: pg.Pool, tables: string[]) =>
  pool.query(tables.map((table) => `DELETE FROM "${table}"`).join('; '))

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 })
  // Dropping or closing the database may end a connection that the pool has let go of but not
  // closed yet.
  pool.on('error', () => {})
  return pool
}

/**
 * A separate database on the run's one Postgres, or on another cluster: with the product's tables,
 * or a copy of another template.
 */
export async function openStore(
  template = TEMPLATE,
  servers = serversOfRun(),
): Promise<{ url: string; pool: pg.Pool; close(): Promise<void> }> {
  const [server = ''] = servers
  const name = `test_${randomBytes(6).toString('hex')}`
  await copyDatabase(template, name, servers)
  const url = urlOf(server, name)
  const pool = openPool(url)
  return {
    url,
    pool,
    async close() {
      await pool.end()
      await onEach(servers, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
