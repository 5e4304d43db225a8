/**
 * manualupdate of a date from a GraphQL source on this machine, next to just downloading the same
 * pages with the product's own client: at most twice the time. For a date that is new to a full
 * store, and again for the date that is then stored.
 *
 *     npm run bench -- manualupdate [--positions 1000000] [--dates 10] [--users 200000]
 *       [--rounds 3] [--page 1000] [--store DIR] [--profile 1] [--small]
 *
 * The source, and each measurement, has a separate process. `--profile 1` prints the time of every
 * statement.
 */
import pg from 'pg'
import { inWrite } from '../db/write.ts'
import { manualUpdate } from '../domain/distribution/manual-update.ts'
import { RunTables } from '../domain/distribution/run-tables.ts'
import { refreshRollups } from '../domain/points/refresh-rollups.ts'
import { defaultNames, openClient, openPositionsSource } from '../sources/index.ts'
import { inNamesOf } from '../sources/positions/graph-names.ts'
import { positionsByCursor } from '../sources/positions/graph-operations.ts'
import { serveSource } from './graph-source.ts'
import { median, megabytes, options, report, round } from './report.ts'
import { type Measured, measured, startRole, tellStatements } from './roles.ts'
import {
  addressOf,
  BASE,
  dateOf,
  openBenchStore,
  POOLS,
  progress,
  serverCpu,
  settleDown,
} from './store.ts'

const flags = options(
  {
    positions: 1_000_000,
    dates: 10,
    users: 200_000,
    rounds: 3,
    page: 1000,
    store: '',
    profile: 0,
    role: 'compare',
    source: '',
    database: '',
    date: '',
  },
  { positions: 50_000, dates: 3, users: 10_000, rounds: 2 },
)
const { rounds, page, store: kept, profile, role, source, database, date, ...shape } = flags

interface Timed extends Measured {
  /** Seconds of CPU of the store. */
  storeCpu?: number
}

const client = () => openClient({ timeoutMs: 30_000, retries: 0, maxBytes: 1 << 26 })

const roles: Record<string, () => Promise<unknown>> = {
  compare,
  serve: () => serveSource(shape),
  download: () => measured(download),
  read: () => measured(readOnly),
  update: () => measured(update),
}
const told = await roles[role]?.()
if (role !== 'compare') process.send?.(told)

/** All pages, one after the other, parsed. */
async function download(): Promise<void> {
  const http = client()
  let count = 0
  for (let after: string | null = null; ; ) {
    const pools = Array.from({ length: POOLS }, (_, at) => addressOf('pool', at + 1))
    const variables = { pools, time: Date.parse(date) / 1000, first: page, after }
    const body = await http.bytes('The source', `${source}/graphql`, {
      json: { query: inNamesOf(defaultNames, positionsByCursor), variables },
    })
    const { positions } = JSON.parse(body.toString()).data
    count += positions.nodes.length
    if (!positions.pageInfo.hasNextPage) break
    after = positions.pageInfo.endCursor
  }
  if (count !== shape.positions) throw new Error(`${count} positions were downloaded`)
  await http.close()
}

function openSource() {
  const http = client()
  const prices = { url: source, maxAgeSeconds: 60 }
  const positions = openPositionsSource(
    { source: `${source}/graphql`, format: 'graphql', pageSize: page, prices },
    http,
  )
  return { http, positions }
}

/** All pages, checked and made into records, but not stored. */
async function readOnly(): Promise<void> {
  const { http, positions } = openSource()
  const side = (name: string, n: number, decimals: number) => ({
    address: addressOf('token', n),
    symbol: name,
    decimals,
  })
  const pools = new Map(
    Array.from({ length: POOLS }, (_, at) => [
      addressOf('pool', at + 1),
      { chainId: 1, a: side('A', 2 * at + 2, 18), b: side('B', ((at + 1) % 20) * 2 + 1, 6) },
    ]),
  )
  const { batches } = await positions.positions(date, { pools })
  for await (const _ of batches);
  await http.close()
}

async function update(): Promise<void> {
  const { http, positions } = openSource()
  const pool = new pg.Pool({ connectionString: database, max: 4 })
  if (profile) tellStatements()
  const deps = {
    pool,
    basePoints: BASE,
    now: () => new Date('2027-01-01'),
    positionsSource: positions,
    maxPriceJump: 5,
  }
  const { positionCount } = await manualUpdate(deps, new Date(date), 'bench')
  if (positionCount !== shape.positions) throw new Error(`${positionCount} positions were stored`)
  await pool.end()
  await http.close()
}

function child<T>(role: string, more: Record<string, string> = {}) {
  return startRole<T>(import.meta.filename, { ...flags, ...more, role })
}

async function compare(): Promise<void> {
  const store = await openBenchStore(shape, kept || undefined)
  const server = child<string>('serve')
  try {
    const base = await server.result
    const newDate = dateOf(shape.dates)
    const of = (role: string) => async () =>
      child<Timed>(role, { source: base, database: store.url, date: newDate }).result
    const steps = [
      ['download', of('download')],
      ['download, checked and priced', of('read')],
      ['manualupdate, new date', of('update')],
      ['manualupdate, stored date', of('update')],
    ] as const
    const times = new Map<string, Timed[]>()
    // The source's own code must be warm, too.
    await of('download')()
    for (let nth = 1; nth <= rounds; nth++) {
      await forget(newDate)
      for (const [name, work] of steps) {
        await settleDown(store.pool)
        const before = await serverCpu(store)
        const result = await work()
        result.storeCpu = (await serverCpu(store)) - before
        times.set(name, [...(times.get(name) ?? []), result])
        progress(`round ${nth}: ${name} ${result.seconds.toFixed(2)} s`)
      }
    }
    await forget(newDate)
    const took = (name: string) => median((times.get(name) ?? []).map((one) => one.seconds))
    const rows = steps.map(([name]) => {
      const all = times.get(name) ?? []
      return {
        what: name,
        'median s': round(took(name)),
        's, each': all.map((one) => one.seconds.toFixed(2)).join(' '),
        'to download': round(took(name) / took('download')),
        'CPU s': round(median(all.map((one) => one.cpu))),
        'CPU s, store': round(median(all.map((one) => one.storeCpu ?? Number.NaN))),
        'peak RSS, MB': megabytes(Math.max(...all.map((one) => one.peak))),
      }
    })
    report(
      'manualupdate',
      { ...shape, page },
      rows,
      ['new', 'stored'].map((kind) => ({
        name: `time, manualupdate of a ${kind} date to download`,
        value: took(`manualupdate, ${kind} date`) / took('download'),
        atMost: 2,
      })),
    )
  } finally {
    server.made.kill()
    await store.close()
  }

  /** Takes a date out of the store. */
  async function forget(date: string): Promise<void> {
    await inWrite({ pool: store.pool }, async (writer) => {
      await writer.lock()
      const { rows } = await writer.query<{ user_address: string }>(
        'WITH gone AS (DELETE FROM stored_position WHERE distribution_date = $1 RETURNING ' +
          'user_address) SELECT DISTINCT user_address FROM gone',
        [date],
      )
      await writer.query('DELETE FROM distribution WHERE date = $1', [date])
      const removed = rows.map((row) => row.user_address)
      await refreshRollups(await RunTables.open(writer, false), {
        dates: [date],
        kind: 'import',
        startedAt: new Date(),
        removed,
      })
    })
  }
}
