/**
 * What the workers of a Citus cluster do: an import, a run, and reads of many users, on one
 * Postgres and with 1, 2 and 4 workers. All nodes share the cores of this machine, so look at the
 * CPU time of each: what the busiest node has to do is what bounds a cluster whose nodes have
 * separate machines.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Citus, NO_CITUS, startCitus } from '../../../test/support/citus.ts'
import { median, round, seconds as secondsSince } from '../report.ts'
import { namesOf, type Shape, writeFiles } from '../speed/data.ts'
import { each, wire } from '../speed/load.ts'
import { operationsOn } from '../speed/operations.ts'
import { ALL_CORES, cpuOf, pinRest, runProduct, startProduct } from '../speed/processes.ts'
import type { Part } from './part.ts'

/** No workers: the coordinator is one Postgres. */
const CLUSTERS = [0, 1, 2, 4]
/** How often each read is timed, one after the other. */
const READ = 10
const READS = [
  'graphql leaderboard, top 100',
  'graphql 100 users',
  'graphql 100 positions of an asset',
  'graphql 50 pools, top 5 positions, their users',
  'GET /positions/breakdown-by-markets',
  'GET /points/reports',
  "graphql a user's page",
  'GET /points/{address}',
]
const shapeOf = (small: boolean): Shape =>
  small
    ? { users: 300, pools: 40, poolsPerUser: 5, snapshots: 15_000 }
    : { users: 1_500, pools: 200, poolsPerUser: 5, snapshots: 75_000 }

type Row = Record<string, string | number>

export async function cluster({ small, say, report }: Part): Promise<void> {
  if (NO_CITUS) return say(`cluster${NO_CITUS}`)
  const shape = shapeOf(small)
  const directory = await mkdtemp(join(tmpdir(), 'gateway-cluster-'))
  const rows: Row[] = []
  try {
    const files = join(directory, 'files')
    await writeFiles(shape, files)
    for (const workers of CLUSTERS) {
      const citus = await startCitus({ workers })
      try {
        rows.push(
          ...(await work(citus, shape, files, (what) => say(`${workers} workers: ${what}`))),
        )
      } finally {
        await citus.close()
      }
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  // The clusters side by side.
  const order = rows.map(({ what }) => String(what))
  const sorted = rows.toSorted(
    (a, b) => order.indexOf(String(a.what)) - order.indexOf(String(b.what)),
  )
  report('cluster', shape, sorted, [])
}

async function work(
  { url, pids }: Citus,
  shape: Shape,
  files: string,
  say: (what: string) => void,
): Promise<Row[]> {
  const workers = pids.length - 1
  const [coordinator = 0] = pids
  const env = { DATABASE_URL: url }
  pinRest(coordinator, ALL_CORES)
  /** The CPU time of each node so far, in milliseconds. */
  const cpu = () => pids.map((pid) => cpuOf(pid, true))
  const since = (before: number[]) => cpu().map((ms, i) => ms - (before[i] ?? 0))
  const command = async (what: string, args: string[]): Promise<Row> => {
    say(what)
    const before = cpu()
    const at = performance.now()
    await runProduct(args, env)
    return {
      what: `${what}, s`,
      workers,
      time: round(secondsSince(at)),
      ...ofNodes(
        cpu().map((ms, i) => ms - (before[i] ?? 0)),
        1000,
      ),
    }
  }
  const rows: Row[] = []
  if (workers > 0) await runProduct(['distribute'], env)
  rows.push(await command('import', ['import', files]))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('UPDATE multiplier SET deposit_token_a = deposit_token_a + 1')
  if (workers > 0) await client.query('SELECT data_changed()')
  rows.push(await command('resync of a date', ['resync']))
  await client.query('VACUUM (ANALYZE)')
  const positions = (
    await client.query('SELECT id, pool_address AS market FROM position ORDER BY id LIMIT 40')
  ).rows
  await client.end()
  const server = await startProduct(url, { CACHE_MAX_BYTES: '0' }, ALL_CORES)
  try {
    const operations = operationsOn({ names: namesOf(shape), positions, count: 40 })
    for (const name of READS) {
      say(name)
      const operation = operations.find((one) => one.name === name)
      if (!operation) throw new Error(`there is no operation "${name}"`)
      const requests = operation.variants.map((values) => wire(operation.product(values)))
      await each(server.port, requests.slice(0, READ))
      const before = cpu()
      const times = await each(
        server.port,
        Array.from({ length: READ }, (_, i) => requests[i % requests.length] as Buffer),
      )
      rows.push({
        what: `${name}, ms`,
        workers,
        time: round(median(times)),
        ...ofNodes(since(before), READ),
      })
    }
  } finally {
    await server.stop()
  }
  return rows
}

/** A part of the CPU time of the coordinator, of all workers, and of the busiest of them. */
function ofNodes(milliseconds: number[], parts: number) {
  const [coordinator = 0, ...workers] = milliseconds.map((ms) => ms / parts)
  return {
    'CPU of the coordinator': round(coordinator),
    'of all workers': round(workers.reduce((sum, one) => sum + one, 0)),
    'of the busiest': round(Math.max(0, ...workers)),
  }
}
