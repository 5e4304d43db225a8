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

/** The server of the run, connected to as its owner. */
async function connectAsAdmin(): Promise<{ server: string; admin: pg.Client }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: global-setup.ts starts the server and sets it')
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  return { server, admin }
}

/** Files are copied in a fifth of the time that writing each page to the log takes. */
const copyDatabase = (admin: pg.Client, template: string, name: string) =>
  admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)

/**
 * Fills a database, unless another test of the run has. @returns its name: a template for `openStore`, which copies it in
 * a fraction of the time
 */
export async function filledTemplate(name: string, fill: (pool: pg.Pool) => Promise<void>): Promise<string> {
  const { server, admin } = await connectAsAdmin()
  try {
    await admin.query("SELECT pg_advisory_lock(hashtext('filledTemplate'))")
    const { rows } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rows.length > 0) return name
    // It has its name when it is whole.
    const filling = `filling_${name}`
    await admin.query(`DROP DATABASE IF EXISTS ${filling}`)
    await copyDatabase(admin, TEMPLATE, filling)
    const pool = new pg.Pool({ connectionString: urlOf(server, filling), max: 4 })
    await fill(pool).finally(() => pool.end())
    await admin.query(`ALTER DATABASE ${filling} RENAME TO ${name}`)
    return name
  } finally {
    await admin.end()
  }
}

/** A database of its own on the run's one Postgres: with the product's tables, or a copy of another template. */
export async function openStore(template = TEMPLATE): Promise<{ url: string; pool: pg.Pool; close(): Promise<void> }> {
  const { server, admin } = await connectAsAdmin()
  const name = `test_${randomBytes(6).toString('hex')}`
  await copyDatabase(admin, template, name)
  const url = urlOf(server, name)
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  // Dropping the database may end a connection that the pool has let go of but not closed yet.
  pool.on('error', () => {})
  return {
    url,
    pool,
    async close() {
      await pool.end()
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin.end()
    },
  }
}
