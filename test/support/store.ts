import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** The migrated database that every test's is a copy of. */
export const TEMPLATE = 'template_gateway'

export const silent = { info() {}, warn() {}, error() {} }

/** A database of its own with the product's tables, on the run's one Postgres. */
export async function openStore(): Promise<{ url: string; pool: pg.Pool; close(): Promise<void> }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: global-setup.ts starts the server and sets it')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
  const url = new URL(server)
  url.pathname = name
  const pool = new pg.Pool({ connectionString: url.href, max: 4 })
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
