import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/db/server/embedded.ts'
import { silent } from './store.ts'

/** One embedded Postgres for the whole run; every test file takes databases of its own from it. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-test-'))
  const server = await openEmbedded({ dataDir, log: silent })
  process.env.TEST_POSTGRES_URL = server.url
  return async () => {
    await server.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}
