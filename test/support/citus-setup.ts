import { distribute } from '../../src/db/topology/distribute.ts'
import { NO_CITUS, startCitus } from './citus.ts'
import { closeDatabase, TEMPLATE } from './store.ts'

/**
 * One Citus cluster for the whole run; every test file takes separate, sharded databases from it.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (NO_CITUS)
    throw new Error('These tests need root, and a Citus that test/support/citus.ts can start.')
  const citus = await startCitus()
  const [coordinator, ...workers] = citus.servers
  process.env.TEST_POSTGRES_URL = coordinator
  process.env.TEST_CITUS_WORKERS = workers.join(' ')
  await distribute(citus.url)
  await closeDatabase('gateway', TEMPLATE)
  return () => citus.close()
}
