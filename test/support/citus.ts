import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '../../src/db/server/migrate.ts'
import { directoryInMemory } from './memory.ts'
import { MIGRATIONS } from './migrations.ts'
import { silent } from './store.ts'

const run = promisify(execFile)
const engine = join(import.meta.dirname, '../../../shared/engines/citus')

const hasCitus =
  process.getuid?.() === 0 && existsSync(join(engine, 'up.sh')) && existsSync('/usr/lib/postgresql/15/bin/initdb')
/** Follows the name of a test that needs it. */
export const NO_CITUS = hasCitus ? '' : ' (skipped: no Citus, or not root)'

export interface Citus {
  /** The migrated database on the coordinator. */
  url: string
  /** Where one connects to make databases: on the coordinator, then on each worker. */
  servers: string[]
  /** The process ids of the first process of the coordinator and of each worker. */
  pids: number[]
  /** Stops a worker, of which the first is 1, and starts it again. */
  stop(worker: number): Promise<void>
  start(worker: number): Promise<void>
  /** Adds the spare worker to the cluster. */
  addSpare(): Promise<void>
  close(): Promise<void>
}

/** Starts a Citus cluster of a coordinator and some workers; with `spare`, another worker that it does not know yet. */
export async function startCitus({ workers = 2, spare = false } = {}): Promise<Citus> {
  const directory = await directoryInMemory('gateway-citus-')
  await chmod(directory, 0o755)
  const { stdout } = await run('bash', [join(engine, 'up.sh'), directory, String(spare ? workers + 1 : workers)])
  const url = stdout.trim()
  const sql = async (text: string) => (await run('psql', ['-At', url, '-c', text])).stdout.trim()
  const port = spare ? await sql('SELECT nodeport FROM pg_dist_node ORDER BY nodeid DESC LIMIT 1') : ''
  if (spare) await sql(`SELECT citus_remove_node('127.0.0.1', ${port})`)
  await migrate({ url, migrationsDir: MIGRATIONS, log: silent })
  const control = async (worker: number, what: string) => {
    const node = join(directory, `node${worker}`)
    const command = `/usr/lib/postgresql/15/bin/pg_ctl -D ${node} -l ${node}.log -w ${what}`
    await run('su', ['postgres', '-s', '/bin/bash', '-c', command])
  }
  const pidOf = async (_: unknown, node: number) =>
    Number.parseInt(await readFile(join(directory, `node${node}/postmaster.pid`), 'utf8'), 10)
  const nodes = await sql('SELECT nodeport FROM pg_dist_node WHERE isactive ORDER BY groupid')
  return {
    url,
    servers: nodes.split('\n').map((port) => `postgres://gateway@127.0.0.1:${port}/postgres`),
    pids: await Promise.all(Array.from({ length: 1 + workers }, pidOf)),
    stop: (worker) => control(worker, '-m immediate stop'),
    start: (worker) => control(worker, 'start'),
    addSpare: async () => void (await sql(`SELECT citus_add_node('127.0.0.1', ${port})`)),
    close: async () => void (await run('bash', [join(engine, 'down.sh'), directory])),
  }
}
