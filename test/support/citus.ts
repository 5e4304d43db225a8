import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { migrate } from '../../src/db/server/migrate.ts'
import { directoryInMemory } from './memory.ts'
import { MIGRATIONS } from './migrations.ts'
import { closeDatabase, openStore, silent, TEMPLATE } from './store.ts'

const run = promisify(execFile)
const engine = join(import.meta.dirname, '../../../shared/engines/citus')

const hasCitus =
  process.getuid?.() === 0 &&
  existsSync(join(engine, 'up.sh')) &&
  existsSync('/usr/lib/postgresql/15/bin/initdb')
/** Follows the name of a test that needs it. */
export const NO_CITUS = hasCitus ? '' : ' (skipped: no Citus, or not root)'

/** Instead of 32: each takes a part of a statement's time. */
export const SHARDS = 8
/**
 * A connection between servers takes as long as many statements, so they open few, and keep them.
 */
const SETTINGS = {
  'citus.shard_count': SHARDS,
  'citus.max_cached_conns_per_worker': 8,
  'citus.executor_slow_start_interval': 100,
  jit: 'off',
  autovacuum: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
}

export interface Citus {
  directory: string
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

/** Sets them on a server, whose next connections have them. */
async function setAll(server: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  for (const [name, value] of Object.entries(SETTINGS))
    await admin.query(`ALTER SYSTEM SET ${name} = ${value}`)
  await admin.query('SELECT pg_reload_conf()')
  await admin.end()
}

/**
 * Starts a Citus cluster of a coordinator and some workers; with `spare`, another worker that it
 * does not know yet.
 */
export async function startCitus({ workers = 2, spare = false } = {}): Promise<Citus> {
  const directory = await directoryInMemory('gateway-citus-')
  await chmod(directory, 0o755)
  const { stdout } = await run('bash', [
    join(engine, 'up.sh'),
    directory,
    String(spare ? workers + 1 : workers),
  ])
  const url = stdout.trim()
  const sql = async (text: string) => (await run('psql', ['-At', url, '-c', text])).stdout.trim()
  const servers = async () => {
    const ports = await sql('SELECT nodeport FROM pg_dist_node WHERE isactive ORDER BY groupid')
    return ports.split('\n').map((port) => `postgres://gateway@127.0.0.1:${port}/postgres`)
  }
  await Promise.all((await servers()).map(setAll))
  const port = spare
    ? await sql('SELECT nodeport FROM pg_dist_node ORDER BY nodeid DESC LIMIT 1')
    : ''
  if (spare) await sql(`SELECT citus_remove_node('127.0.0.1', ${port})`)
  await migrate({ url, migrationsDir: MIGRATIONS, log: silent })
  const control = async (worker: number, what: string) => {
    const node = join(directory, `node${worker}`)
    const command = `/usr/lib/postgresql/15/bin/pg_ctl -D ${node} -l ${node}.log -w ${what}`
    await run('su', ['postgres', '-s', '/bin/bash', '-c', command])
  }
  const pidOf = async (_: unknown, node: number) =>
    Number.parseInt(await readFile(join(directory, `node${node}/postmaster.pid`), 'utf8'), 10)
  return {
    directory,
    url,
    servers: await servers(),
    pids: await Promise.all(Array.from({ length: 1 + workers }, pidOf)),
    stop: (worker) => control(worker, '-m immediate stop'),
    start: (worker) => control(worker, 'start'),
    addSpare: async () => void (await sql(`SELECT citus_add_node('127.0.0.1', ${port})`)),
    close: () => stopCitus(directory),
  }
}

const stopCitus = async (directory: string) =>
  void (await run('bash', [join(engine, 'down.sh'), directory]))

/**
 * Runs work on the list of clusters of the run, which has one at most. One worker at a time does
 * so.
 */
async function withClusters<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(process.env.TEST_POSTGRES_URL)
  await client.connect()
  try {
    await client.query("SELECT pg_advisory_lock(hashtext('cluster'))")
    await client.query('CREATE TABLE IF NOT EXISTS cluster (directory text, servers text[])')
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * A separate migrated database on the run's one cluster, which the first test that needs it starts
 * and no test stops.
 */
export async function openCitusStore(): ReturnType<typeof openStore> {
  const servers = await withClusters(async (client) => {
    const { rows } = await client.query<{ servers: string[] }>('SELECT servers FROM cluster')
    if (rows[0]) return rows[0].servers
    const { directory, servers } = await startCitus()
    await closeDatabase('gateway', TEMPLATE, servers)
    await client.query('INSERT INTO cluster VALUES ($1, $2)', [directory, servers])
    return servers
  })
  return openStore(TEMPLATE, servers)
}

/** Stops the run's cluster, if one was started. */
export const stopClusters = () =>
  withClusters(async (client) => {
    const { rows } = await client.query<{ directory: string }>('SELECT directory FROM cluster')
    for (const { directory } of rows) await stopCitus(directory)
  })
