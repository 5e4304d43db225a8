import { rm } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../../src/db/server/migrate.ts'
import { openEmbedded } from '../../src/embedded/index.ts'
import { stopClusters } from './citus.ts'
import { directoryInMemory } from './memory.ts'
import { MIGRATIONS } from './migrations.ts'
import { silent, TEMPLATE } from './store.ts'

/** One embedded Postgres for the whole run; every test file takes separate databases from it. */
export default async function setup(): Promise<() => Promise<void>> {
  // Every project of the run calls this, one after another.
  if (process.env.TEST_POSTGRES_URL) return async () => {}
  const dataDir = await directoryInMemory('gateway-test-')
  const server = await openEmbedded({ dataDir, log: silent })
  process.env.TEST_POSTGRES_URL = server.url
  await makeTemplate(server.url)
  return async () => {
    await stopClusters()
    await server.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A migrated database, which is copied for each test: migrating one takes ten times as long. */
async function makeTemplate(server: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  // Durability does not matter here, nor do secrets: each of thousands of connections proves the
  // password.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'])
    await admin.query(`ALTER SYSTEM SET ${setting} = off`)
  await admin.query('SELECT pg_reload_conf()')
  await admin.query(
    `SET scram_iterations = 1; ALTER ROLE gateway PASSWORD '${new URL(server).password}'`,
  )
  await admin.query(`CREATE DATABASE ${TEMPLATE}`)
  await admin.end()
  const url = new URL(server)
  url.pathname = TEMPLATE
  await migrate({ url: url.href, migrationsDir: MIGRATIONS, log: silent })
}
