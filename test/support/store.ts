import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The migrated database that every test's is a copy of. */
export const TEMPLATE = 'template_gateway'

export const silent = { info() {}, warn() {}, error() {} }

/** A database of its own on the run's one Postgres: with the product's tables, or a copy of another template. */
export async function openStore(template = TEMPLATE): Promise<{ url: string; pool: pg.Pool; close(): Promise<void> }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: global-setup.ts starts the server and sets it')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(server)
  url.pathname = name
  const pool = new pg.Pool({ connectionString: url.href, max: 4 })
  // Dropping the database may end a connection that the pool has let go of but not closed yet.
  pool.on('error', () => {})
  return {
    url: url.href,
    pool,
    async close() {
      await pool.end()
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await admin.end()
    },
  }
}
