import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../src/db/server/migrate.ts'

export const silent = { info() {}, warn() {}, error() {} }

/** A database of its own with the product's tables, on the run's one Postgres. */
export async function openStore(): Promise<{ url: string; pool: pg.Pool; close(): Promise<void> }> {
  const server = process.env.TEST_POSTGRES_URL
  if (!server) throw new Error('TEST_POSTGRES_URL is not set: global-setup.ts starts the server and sets it')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  await migrate({ url: url.href, migrationsDir: join(import.meta.dirname, '../../prisma/migrations'), log: silent })
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
