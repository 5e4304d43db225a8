/**
 * What operations are charged for each millisecond of CPU, of the gateway and of Postgres: every
 * field, list, argument, example and endpoint, in a store and in one of ten times its rows.
 *
 *     npm run bench -- charges
 *
 *     --check                 in the smaller store only, without filters, orders and stored values;
 *                             fails if a charge is far from what is usual
 *     --only REGEX            these probes; --except REGEX: not these
 *     --runs N                how often each is sent and measured
 *     --data DIR              where the stores stay between runs
 *
 * Each request is computed, past every cache. What a request takes that reads nothing is
 * subtracted: RATE_LIMIT has a point for it. A probe that takes less than MEASURABLE times that is
 * left out. One that seems too cheap or too dear is measured again, more often: its median counts.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'graphql'
import pg from 'pg'
import { MIGRATIONS } from '../../../test/support/migrations.ts'
import { fillSample } from '../../../test/support/sample.ts'
import { migrate } from '../../db/server/migrate.ts'
import { openEmbedded } from '../../embedded/index.ts'
import chargeTable from '../../generated/charges.json' with { type: 'json' }
import { compileCost, figureOf } from '../../graphql/policy/operation-cost.ts'
import { createSchema } from '../../graphql/schema/schema.ts'
import { serve } from '../gateway.ts'
import { median, report, round } from '../report.ts'
import { probesOf } from './probes.ts'
import { endpointsOf, namesOf, operationsOf, type StoreNames } from './store.ts'

const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    except: { type: 'string', default: '$^' },
    runs: { type: 'string', default: '3' },
    data: { type: 'string', default: join(tmpdir(), 'gateway-charges') },
  },
})

const SIZES = { small: { users: 100, days: 30 }, large: { users: 400, days: 75 } }
/**
 * A probe whose charge for its CPU is this much above or below the median is measured again, and
 * fails in the end.
 */
const ALLOWED = 5
const MEASURABLE = 1
const RETRIES = 3
const MORE_RUNS = 9
/** The shown probes at each end. */
const SHOWN = 15
const TOKEN = 'of-the-bench'

const silent = { info() {}, warn() {}, error() {} }
const say = (text: string) => process.stderr.write(`${text}\n`)
const schema = createSchema()

interface Measured {
  name: string
  charge: number
  /** Milliseconds of CPU: of the gateway, and with Postgres. */
  gateway: number
  ms: number
}

const perMs = ({ charge, ms }: Measured) => charge / ms

interface Request {
  name: string
  charge: number
  path: string
  body?: object
}

async function measureStore(name: string, size: { users: number; days: number }): Promise<void> {
  const dataDir = join(flags.data, name)
  const mark = join(dataDir, 'filled.json')
  const filled = (await readFile(mark, 'utf8').catch(() => '')) === JSON.stringify(size)
  if (!filled) await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true })
  const server = await openEmbedded({ dataDir, log: silent })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  pool.on('error', () => {})
  try {
    await migrate({ url: server.url, migrationsDir: MIGRATIONS, log: silent })
    if (!filled) await fillSample(pool, { now: new Date(), ...size })
    await pool.query('VACUUM (ANALYZE)')
    await pool.query('CHECKPOINT')
    await writeFile(mark, JSON.stringify(size))
    const gateway = await serve({
      DATABASE_URL: server.url,
      CACHE_MAX_BYTES: '0',
      MAX_QUERY_COST: '0',
      MAX_QUERY_ALIASES: '0',
      MAX_QUERY_TOKENS: '0',
      ADMIN_TOKEN: TOKEN,
    })
    const [postmaster] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')
    try {
      await measureAll(
        name,
        size,
        gateway.base,
        [gateway.pid, Number(postmaster)],
        await namesOf(pool),
      )
    } finally {
      await gateway.stop()
    }
  } finally {
    await pool.end()
    await server.release()
  }
}

async function measureAll(
  store: string,
  size: object,
  base: string,
  [gateway, postmaster]: [number, number],
  names: StoreNames,
): Promise<void> {
  const send = async (path: string, body?: object) => {
    const headers = {
      'cache-control': 'no-cache',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
    }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(base + path, { headers, ...sent })).text()
  }
  const measure = async ({ path, body }: Pick<Request, 'path' | 'body'>, runs: number) => {
    const [gateways, sums]: [number[], number[]] = [[], []]
    for (let nth = 0; nth < runs; nth++) {
      const before = [ofThreads(gateway), ofChildren(postmaster)] as const
      await send(path, body)
      const own = ofThreads(gateway) - before[0]
      gateways.push(own)
      sums.push(own + ofChildren(postmaster) - before[1])
    }
    return { gateway: median(gateways), ms: median(sums) }
  }

  const counts = await countsOf(async (query) => JSON.parse(await send('/graphql', { query })))
  const [only, except] = [new RegExp(flags.only), new RegExp(flags.except)]
  const requests: Request[] = [
    ...probesOf(schema, { ...names, counts }).map(({ name, of, query }) =>
      graphql(`${name}, ${of}`, query, {}),
    ),
    ...operationsOf(names).map(({ name, query, variables }) => graphql(name, query, variables)),
    ...endpointsOf(names),
  ].filter(({ name }) => only.test(name) && !except.test(name) && (!flags.check || isChecked(name)))

  const nothing = { path: '/graphql', body: { query: '{ __typename }' } }
  await measure(nothing, 200)
  const idle = await measure(nothing, 100)
  const refused: string[] = []
  const measured = new Map<Request, Measured>()
  const measureAgain = async (request: Request, runs: number) => {
    const { gateway, ms } = await measure(request, runs)
    const { name, charge } = request
    measured.set(request, { name, charge, gateway: gateway - idle.gateway, ms: ms - idle.ms })
  }
  for (const request of requests) {
    const text = await send(request.path, request.body)
    const error = /"errors":\[\{"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
    if (error) refused.push(`${request.name}: ${error}`)
    else {
      await send(request.path, request.body)
      await measureAgain(request, Number(flags.runs))
    }
  }
  const usable = () => [...measured].filter(([, { ms }]) => ms > MEASURABLE * idle.ms)
  const usual = () => median(usable().map(([, one]) => perMs(one)))
  const isFar = (one: Measured) => Math.max(perMs(one) / usual(), usual() / perMs(one)) > ALLOWED
  for (let nth = 0; nth < RETRIES; nth++)
    for (const [request] of usable().filter(([, one]) => isFar(one)))
      await measureAgain(request, MORE_RUNS)

  const sorted = usable()
    .map(([, one]) => one)
    .toSorted((a, b) => perMs(a) - perMs(b))
  const [cheapest, dearest] = [sorted[0], sorted.at(-1)]
  if (!cheapest || !dearest) throw new Error('nothing was measured')
  for (const one of refused) say(`refused: ${one}`)
  const shown =
    sorted.length > 2 * SHOWN ? [...sorted.slice(0, SHOWN), ...sorted.slice(-SHOWN)] : sorted
  const checks = flags.check
    ? [
        {
          name: `the median to ${cheapest.name}`,
          value: usual() / perMs(cheapest),
          atMost: ALLOWED,
        },
        { name: `${dearest.name} to the median`, value: perMs(dearest) / usual(), atMost: ALLOWED },
      ]
    : []
  report(
    'charges',
    {
      store,
      ...size,
      probes: requests.length,
      measured: sorted.length,
      refused: refused.length,
      'ms of a request that reads nothing': round(idle.ms, 3),
      'median of charge/ms': round(usual()),
      'dearest to cheapest': round(perMs(dearest) / perMs(cheapest)),
    },
    shown.map((one) => ({
      probe: one.name,
      charge: one.charge,
      'ms of the gateway': round(one.gateway),
      'ms with Postgres': round(one.ms),
      'charge/ms': round(perMs(one)),
    })),
    checks,
  )
}

/** Filters and orders have hundreds of probes; stored values are in those of their lists. */
function isChecked(name: string): boolean {
  const [field] = /^\w+\.\w+/.exec(name) ?? []
  return field === undefined || (field in chargeTable && !/\((where|orderBy|last)/.test(name))
}

function graphql(name: string, query: string, variables: object): Request {
  const charge = figureOf(compileCost(schema, parse(query), undefined) ?? 0, variables as never)
  return { name, charge, path: '/graphql', body: { query, variables } }
}

/** How many rows the lists at the root have. */
async function countsOf(
  ask: (query: string) => Promise<{ data?: Record<string, { totalCount: number }> }>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, type } of Object.values(schema.getQueryType()?.getFields() ?? {}))
    if (/Connection!?$/.test(String(type))) {
      const { data } = await ask(`{ ${name} { totalCount } }`)
      if (data?.[name]) counts[name] = data[name].totalCount
    }
  return counts
}

/** The CPU time of a process so far, in milliseconds, more finely than by ticks. */
const ofThreads = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) => sum + cpuMs(`/proc/${pid}/task/${task}/schedstat`),
    0,
  )

/** The CPU time of a server's processes, each of which has one thread. */
function ofChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return children.reduce((sum, child) => sum + cpuMs(`/proc/${child}/schedstat`), 0)
}

function cpuMs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

for (const [name, size] of Object.entries(SIZES))
  if (name === 'small' || !flags.check) await measureStore(name, size)
