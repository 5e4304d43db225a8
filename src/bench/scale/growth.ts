/**
 * What thirty times the rows cost: each documented read, and a run of a date, on a store and on one
 * that has six times its users and five times its days, in turn. Answers have the same length on
 * both, but for lists of all dates.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { median, type report, round, seconds as secondsSince } from '../report.ts'
import { answerFrom } from '../speed/check.ts'
import { DAYS, openSpeedStore, type Shape, type SpeedStore } from '../speed/data.ts'
import { wire } from '../speed/load.ts'
import { figuresOf, measure } from '../speed/measure.ts'
import { type Operation, operationsOn } from '../speed/operations.ts'
import { cpuOf, pinRest, runProduct, type Server, startProduct } from '../speed/processes.ts'
import { grow } from './grow.ts'
import type { Part } from './part.ts'

const FACTORS = { users: 6, days: 5 }
const AT_MOST = 1.3
/** Few, so that no time is that of waiting for the others. */
const CONNECTIONS = 4
const shapeOf = (small: boolean): Shape =>
  small
    ? { users: 300, pools: 40, poolsPerUser: 5, snapshots: 15_000 }
    : { users: 6_667, pools: 200, poolsPerUser: 5, snapshots: 333_333 }

export async function growth({ small, seconds, data, say, report: print }: Part): Promise<void> {
  const shape = shapeOf(small)
  const [base, large] = ['base', 'grown'].map((name) =>
    join(data, small ? `${name}-small` : name),
  ) as [string, string]
  const stores: SpeedStore[] = []
  const servers: Server[] = []
  try {
    const made = await openSpeedStore(shape, base, say)
    await made.close()
    stores.push(await openGrown(shape, base, large, say))
    stores.unshift(await openSpeedStore(shape, base, say))
    for (const { pid } of stores) pinRest(pid)
    for (const { url } of stores) servers.push(await startProduct(url, { CACHE_MAX_BYTES: '0' }))
    const sizes = await Promise.all(stores.map(sizeOf))

    const rows: Parameters<typeof report>[2] = []
    const checks: Parameters<typeof report>[3] = []
    for (const operation of await operationsOf(stores[0] as SpeedStore)) {
      say(operation.name)
      const lengths = await Promise.all(servers.map((server) => lengthOf(server.port, operation)))
      const cells = await measure(
        servers.map((server, i) => ({
          name: i === 0 ? 'base' : 'grown',
          server,
          postmaster: stores[i]?.pid as number,
          requests: operation.variants.map((values) => wire(operation.product(values))),
        })),
        CONNECTIONS,
        { seconds, rounds: 5, postmaster: stores[0]?.pid as number },
      )
      const [one, other] = [cells.base, cells.grown].map((cell) => figuresOf(cell as never))
      if (!one || !other) throw new Error(`${operation.name} was not measured`)
      const same = Math.abs((lengths[1] as number) / (lengths[0] as number) - 1) < 0.05
      const ratio = other.p50 / one.p50
      rows.push({
        read: operation.name,
        'KB, base': round((lengths[0] as number) / 1024, 1),
        'KB, grown': round((lengths[1] as number) / 1024, 1),
        'p50 ms, base': one.p50,
        'p50 ms, grown': other.p50,
        ratio: round(ratio),
        'Postgres µs, base': one.postgres,
        'Postgres µs, grown': other.postgres,
      })
      if (same)
        checks.push({
          name: `${operation.name}: p50, grown to base`,
          value: ratio,
          atMost: AT_MOST,
        })
    }

    for (const server of servers) await server.stop()
    const runs = [[], []] as { seconds: number; cpu: number }[][]
    for (let nth = 0; nth < 3; nth++)
      for (const [i, store] of stores.entries()) runs[i]?.push(await rerun(store))
    const [first, second] = runs.map((list) => median(list.map((one) => one.seconds))) as [
      number,
      number,
    ]
    const [cpu, cpuGrown] = runs.map((list) => median(list.map((one) => one.cpu))) as [
      number,
      number,
    ]
    rows.push({
      read: 'resync of the newest date',
      'p50 ms, base': round(first * 1000, 0),
      'p50 ms, grown': round(second * 1000, 0),
      ratio: round(second / first),
      'Postgres µs, base': round(cpu * 1e6, 0),
      'Postgres µs, grown': round(cpuGrown * 1e6, 0),
    })
    checks.push({
      name: 'resync of the newest date: time, grown to base',
      value: second / first,
      atMost: AT_MOST,
    })
    print('growth', { ...shape, factors: FACTORS, stores: sizes }, rows, checks)
  } finally {
    for (const server of servers) await server.stop()
    for (const store of stores) await store.close()
  }
}

/**
 * Opens the store that was grown from another, and makes it when it is not there or was grown from
 * another state.
 */
async function openGrown(
  shape: Shape,
  from: string,
  to: string,
  say: (text: string) => void,
): Promise<SpeedStore> {
  const mark = join(to, 'grown.json')
  const texts = [join(from, 'made-of.txt'), join(import.meta.dirname, 'grow.ts')].map((file) =>
    readFile(file, 'utf8'),
  )
  const grown = JSON.stringify([FACTORS, ...(await Promise.all(texts))])
  const made = (await readFile(mark, 'utf8').catch(() => '')) === grown
  if (!made) {
    await rm(to, { recursive: true, force: true })
    await cp(from, to, { recursive: true })
  }
  const store = await openSpeedStore(shape, to, say)
  if (made) return store
  try {
    const since = performance.now()
    await grow(store.pool, FACTORS, DAYS, say)
    await writeFile(mark, grown)
    say(`${to}: grown after ${Math.round((performance.now() - since) / 1000)} s`)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function operationsOf({ names, pool }: SpeedStore): Promise<Operation[]> {
  const { rows } = await pool.query<{ id: string; market: string }>(
    `SELECT id, pool_address AS market FROM position WHERE distribution_date = (SELECT max(date)
      FROM distribution)
     ORDER BY id LIMIT 100`,
  )
  return operationsOn({ names, positions: rows, count: 100 })
}

/** The mean length of an answer, in bytes. */
async function lengthOf(port: number, { variants, product }: Operation): Promise<number> {
  const some = variants.slice(0, 20)
  let bytes = 0
  for (const values of some)
    bytes += Buffer.byteLength((await answerFrom(port, product(values))).text)
  return bytes / some.length
}

/** What a store holds, and its size. */
async function sizeOf({ pool }: SpeedStore): Promise<object> {
  const { rows } = await pool.query(
    `SELECT (SELECT sum(position_count)::int FROM distribution) AS positions,
       (SELECT count(*)::int FROM market_snapshot) + (SELECT count(*)::int
       FROM vault_snapshot) AS snapshots,
       (SELECT count(*)::int FROM account) AS accounts, (SELECT count(*)::int
       FROM distribution) AS dates,
       (pg_database_size(current_database()) / 1e9)::numeric(10, 1)::float8 AS "GB"`,
  )
  return rows[0]
}

/**
 * Recomputes the newest date after all multipliers have changed.
 * @returns its time and Postgres' CPU time, in seconds
 */
async function rerun({ pool, pid, url }: SpeedStore): Promise<{ seconds: number; cpu: number }> {
  await pool.query('UPDATE multiplier SET deposit_token_a = deposit_token_a + 1')
  await pool.query('CHECKPOINT')
  const cpu = cpuOf(pid, true)
  const at = performance.now()
  await runProduct(['resync'], { DATABASE_URL: url })
  return { seconds: secondsSince(at), cpu: (cpuOf(pid, true) - cpu) / 1000 }
}
