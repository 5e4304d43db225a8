/**
 * How fast the product is, next to a hand-written server, PostGraphile, and ready bytes, in one
 * run.
 *
 *     npm run bench                          all of it, on 300,000 positions: eight minutes
 *     npm run bench -- --full                the same on 3,000,000: about an hour
 *     npm run bench -- --small --only points for use while optimising
 *     npm run bench -- --small --check       the assertions of CI: SQL statements, and the ratios
 *                                            to the floor
 *
 *     --full, --small         3,000,000 positions, or 30,000, in place of 300,000
 *     --only REGEX            these operations (and only the table of operations, without --parts)
 *     --systems LIST          of known, floor, postgraphile; the product always takes part
 *     --parts LIST            of uncached, cached, fresh, pages, growth, start
 *     --connections LIST      16, or 1,16,64 with --full
 *     --seconds N --rounds N  how long a window is, and how many of them
 *     --data DIR              where the stores and PostGraphile stay between runs
 *     --save                  writes results.json, and without --small the tables of the README
 *     --check                 fails where results.json was better
 *
 * The server under test has one core, Postgres and the load the other. Nothing is timed whose
 * answers differ from the product's for any variant.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  answerFrom,
  check,
  knowsDocuments,
  quiet,
  requestsOf,
  type System,
  type Target,
} from './check.ts'
import { difference } from './compare.ts'
import { FIRST_DAY, openSpeedStore, SHAPES, type Size, type SpeedStore, tenthOf } from './data.ts'
import { wire } from './load.ts'
import { measure, median, type Subject, type Timing } from './measure.ts'
import { documentId, documents, type Operation, operationsOn } from './operations.ts'
import { deepPages, growth, neverSeen, starts } from './parts.ts'
import {
  functions,
  hasPostgraphile,
  installPostgraphile,
  startPostgraphile,
} from './postgraphile.ts'
import {
  killServers,
  pinning,
  pinRest,
  residentOf,
  type Server,
  startOwn,
  startProduct,
} from './processes.ts'
import {
  type Found,
  goalTable,
  idleTold,
  loadTold,
  operationTable,
  type Recorded,
  type Results,
  recordedOf,
  recordOf,
  save,
  slower,
  worse,
} from './results.ts'
import { countStatements } from './statements.ts'

const { values: flags } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    systems: { type: 'string' },
    parts: { type: 'string' },
    connections: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    data: { type: 'string', default: join(tmpdir(), 'gateway-speed') },
    save: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})
const { small, full, check: asserts } = flags
type Starters = Record<Exclude<System, 'known'>, (url: string) => Promise<Server>>

const notSmall: Size = full ? 'full' : 'medium'
const size: Size = small ? 'small' : notSmall
const brief = asserts || flags.only !== undefined
const listed = (text: string | undefined, all: string) => (text ?? all).split(',')
const systems = listed(
  flags.systems,
  asserts ? 'product,floor' : 'product,known,floor,postgraphile',
)
const parts = listed(flags.parts, brief ? 'uncached' : 'uncached,cached,fresh,pages,growth,start')
const connections = listed(flags.connections, full ? '1,16,64' : '16').map(Number)
const seconds = Number(flags.seconds ?? { small: 0.3, medium: 0.4, full: 1.5 }[size])
const rounds = Number(flags.rounds ?? 3)
const only = new RegExp(flags.only ?? '', 'i')
const shape = SHAPES[size]
/**
 * How many sets of parameters an operation has, and how many starts and new documents are timed.
 */
const counts = { small: [40, 3, 10], medium: [100, 8, 15], full: [300, 15, 30] }[size] as [
  number,
  number,
  number,
]
const [variants, startCount, documentCount] = counts
/** How often an operation whose ratio is worse than recorded is measured again. */
const RETRIES = 4
/**
 * A share of the product's cache that all variants of one operation fit in, as text of two bytes a
 * character.
 */
const CACHED_BYTES = 8 * 2 ** 20

const say = (text: string) => process.stderr.write(`${text}\n`)
const print = (text: string) => process.stdout.write(`${text}\n`)
/** What to undo at the end, last first. */
const open: (() => Promise<unknown>)[] = []

const pinned = pinning()
if (pinned !== true) say(`Nothing is pinned, and figures say less: ${pinned}.`)
if (systems.includes('postgraphile') && !hasPostgraphile) {
  say('PostGraphile is left out: its Node 24 is there for linux-x64 only.')
  systems.splice(systems.indexOf('postgraphile'), 1)
}

let closing: Promise<void> | undefined
const closeAll = () => {
  closing ??= (async () => {
    for (const close of open.reverse()) await close()
  })()
  return closing
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    say(`stopped by ${signal}`)
    killServers()
    await closeAll()
    process.exit(1)
  })

if (flags.save && flags.only !== undefined)
  throw new Error('--save is for all operations: leave --only out')
const recorded = asserts ? await recordedOf(size) : undefined
try {
  await mkdir(flags.data, { recursive: true })
  const results = await bench()
  for (const one of connections)
    print(`\nAt ${one} connections:\n\n${operationTable(results, String(one))}`)
  if (!brief || flags.parts !== undefined) print(`\n${goalTable(results)}`)
  const told = [
    loadTold(results),
    ...(small ? [] : [idleTold(results, 'product'), idleTold(results, 'floor')]),
  ]
  for (const line of told) if (line) print(`\n${line}`)
  if (flags.save) await save(size, results)
  if (recorded) assertNotWorse(results, recorded)
} catch (error) {
  // What was stopped fails.
  if (!closing) throw error
} finally {
  await closeAll()
}

function assertNotWorse(results: Results, recorded: Recorded): void {
  const wrong = Object.entries(results.operations).flatMap(([name, { checks }]) =>
    Object.entries(checks).flatMap(([system, { wrong }]) =>
      wrong ? [`${name}, ${system}: ${wrong}`] : [],
    ),
  )
  const failed = [...wrong, ...worse(recordOf(results), recorded)]
  for (const line of failed) print(`FAIL ${line}`)
  if (failed.length > 0) process.exitCode = 1
  else print(`No worse than recorded: ${Object.keys(results.operations).length} operations.`)
}

async function bench(): Promise<Results> {
  const place = systems.includes('postgraphile') ? await installPostgraphile(flags.data, say) : ''
  const store = await openStore(size, shape)
  const operations = (await operationsOf(store)).filter(({ name }) => only.test(name))
  const env = await productEnv()
  const results: Results = {
    settings: { ...shape, connections, seconds, rounds, pinned: pinned === true },
    machine: {
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      node: process.version,
      load: loadavg(),
    },
    operations: Object.fromEntries(
      operations.map(({ name, kind, answer, nested }) => [
        name,
        { kind, answer, nested, bytes: 0, checks: {}, cells: {} },
      ]),
    ),
    depth: {},
    memory: {},
  }
  const resultOf = ({ name }: Operation) => results.operations[name] as Found
  const timing = { seconds, rounds, postmaster: store.pid }

  // The same servers twice: once watched by proxies before Postgres, once as they are timed.
  const all: Starters = {
    product: (url) => startProduct(url, { CACHE_MAX_BYTES: '0', ...env }),
    floor: (url) => startOwn('floor.ts', { DATABASE_URL: url }),
    postgraphile: (url) => startPostgraphile(place, url),
  }
  const starters = Object.entries(all).filter(
    ([name]) => name === 'product' || systems.includes(name),
  )
  await checkAll(Object.fromEntries(starters) as Starters, store, operations, resultOf)
  const servers = {} as Record<System, Server>
  for (const [name, start] of starters) servers[name as System] = await kept(start(store.url))
  servers.known = servers.product
  const cached = parts.includes('cached') ? await kept(startProduct(store.url, env)) : undefined

  const subjectsOf = (operation: Operation) =>
    Object.entries(resultOf(operation).checks)
      .filter(([, { wrong }]) => wrong === undefined)
      .map(([name]): Subject => {
        const requests = requestsOf(operation, name as System) ?? []
        return { name, server: servers[name as System], requests: requests.map((one) => wire(one)) }
      })
  if (parts.includes('uncached')) {
    // What compiles as it runs is compiled by then, and not at the cost of the first operations.
    await forEach(operations, 'warm', (one) =>
      measure(subjectsOf(one), 16, { ...timing, rounds: 0 }),
    )
    await forEach(operations, 'uncached', async (operation) => {
      const subjects = subjectsOf(operation)
      await measureAll(resultOf(operation), subjects, timing)
      // It may have been the machine: what fails must fail again and again, in longer windows.
      const isSlower = () =>
        recorded && slower(recordOf(results), recorded).includes(operation.name)
      for (let again = 0; again < RETRIES && isSlower(); again++)
        await measureAll(resultOf(operation), subjects, { ...timing, seconds: 5 * seconds })
    })
  }
  if (cached)
    await cachedAnswers(operations, [cached, servers.product], resultOf, {
      ...timing,
      seconds: seconds / 2,
    })
  if (parts.includes('fresh'))
    for (const operation of operations.filter(({ kind }) => kind === 'graphql'))
      resultOf(operation).fresh = await neverSeen(servers.product, operation, documentCount)
  if (parts.includes('pages')) {
    const { names } = store
    const date = new Date(FIRST_DAY * 1000).toISOString().slice(0, 10)
    const [user, pool, market, vault] = [names.many, names.pools, names.markets, names.vaults].map(
      ([one]) => one as string,
    )
    const asset = names.aTokens[0] as string
    results.depth = await deepPages(servers.product, {
      user,
      pool,
      market,
      vault,
      asset,
      date,
    } as never)
  }
  if (parts.includes('growth')) {
    const smaller = await openStore(`${size}-tenth`, tenthOf(shape))
    const tenth = await kept(startProduct(smaller.url, { CACHE_MAX_BYTES: '0', ...env }))
    const tenths = await operationsOf(smaller)
    await forEach(operations, 'growth', async (operation) => {
      const same = tenths.find(({ name }) => name === operation.name) as Operation
      resultOf(operation).growth = await growth([servers.product, tenth], [operation, same], timing)
    })
  }
  if (parts.includes('start')) {
    const other = systems.includes('postgraphile')
      ? () => startPostgraphile(place, store.url)
      : undefined
    results.starts = await starts(operations, startCount, () => all.product(store.url), other)
  }
  const megabytes = ({ pid }: Server) => Math.round(residentOf(pid) / 2 ** 20)
  results.memory = {
    ...(cached && { 'with the cache': megabytes(cached) }),
    'without a cache': megabytes(servers.product),
  }
  return results
}

/** Sends every variant of every operation to every system. */
async function checkAll(
  starters: Starters,
  store: SpeedStore,
  operations: Operation[],
  resultOf: (operation: Operation) => Found,
): Promise<void> {
  const closing: (() => Promise<unknown>)[] = []
  const targets: Partial<Record<System, Target>> = {}
  try {
    for (const [name, start] of Object.entries(starters)) {
      const counter = await countStatements(store.url)
      closing.push(() => counter.close())
      const server = await start(counter.url)
      closing.push(() => server.stop())
      targets[name as System] = { port: server.port, take: counter.take }
    }
    const { product } = targets as { product: Target }
    await quiet(product)
    if (systems.includes('known') && (await knowsDocuments(product.port, operations)))
      targets.known = product
    await forEach(operations, 'the same answers', async (operation) => {
      resultOf(operation).checks = await check(operation, targets)
      for (const [name, { wrong }] of Object.entries(resultOf(operation).checks))
        if (wrong !== undefined) say(`\n${operation.name}: ${name} is not timed: ${wrong}`)
      const sizes = operation.variants
        .slice(0, 20)
        .map(async (values) =>
          Buffer.byteLength((await answerFrom(product.port, operation.product(values))).text),
        )
      resultOf(operation).bytes = median(await Promise.all(sizes))
    })
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

async function measureAll({ cells }: Found, subjects: Subject[], timing: Timing): Promise<void> {
  for (const one of connections)
    cells[one] = { ...cells[one], ...(await measure(subjects, one, timing)) }
}

/**
 * Answers from the product's cache next to the same bytes served by bare node:http, whole and as a
 * 304.
 */
async function cachedAnswers(
  operations: Operation[],
  [cached, plain]: [Server, Server],
  resultOf: (operation: Operation) => Found,
  timing: Timing,
): Promise<void> {
  const bytes: Record<string, { body: string; etag: string }> = {}
  const requests = new Map<Operation, ReturnType<Operation['product']>[]>()
  for (const operation of operations) {
    if (resultOf(operation).checks.product?.wrong !== undefined) continue
    const fitting = Math.max(1, Math.floor(CACHED_BYTES / resultOf(operation).bytes))
    const those = operation.variants.slice(0, fitting).map(operation.product)
    requests.set(operation, those)
    for (const request of those) {
      const uncached = await answerFrom(plain.port, request)
      await answerFrom(cached.port, request)
      const { text, etag } = await answerFrom(cached.port, request)
      const wrong = difference(JSON.parse(uncached.text), JSON.parse(text))
      if (wrong !== undefined) throw new Error(`${operation.name} from the cache: ${wrong}`)
      bytes[request.body ? JSON.stringify(request.body) : request.path] = { body: text, etag }
    }
  }
  const file = join(flags.data, 'bytes.json')
  await writeFile(file, JSON.stringify(bytes))
  const bare = await kept(startOwn('bare.ts', { BYTES: file }))
  await forEach([...requests.keys()], 'cached', async (operation) => {
    const list = requests.get(operation) ?? []
    const whole = list.map((one) => wire(one))
    const subjects: Subject[] = [
      { name: 'cached', server: cached, requests: whole },
      { name: 'bare', server: bare, requests: whole },
    ]
    if (operation.kind === 'rest') {
      const tag = (path: string) => bytes[path]?.etag ?? ''
      const unchanged = list.map((one) => wire(one, { 'if-none-match': tag(one.path) }))
      subjects.push({ name: 'cached 304', server: cached, requests: unchanged })
      subjects.push({ name: 'bare 304', server: bare, requests: unchanged })
    }
    await measureAll(resultOf(operation), subjects, timing)
  })
}

async function openStore(name: string, of: typeof shape): Promise<SpeedStore> {
  const store = await openSpeedStore(of, join(flags.data, name), say)
  open.push(() => store.close())
  if (systems.includes('postgraphile')) await store.pool.query(await functions())
  pinRest(store.pid)
  return store
}

async function operationsOf({ names, pool }: SpeedStore): Promise<Operation[]> {
  const { rows } = await pool.query<{ id: string; market: string }>(
    `SELECT id, pool_address AS market FROM position
     WHERE id >= (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM position) ORDER BY id
     LIMIT $1`,
    [variants],
  )
  return operationsOn({ names, positions: rows, count: variants })
}

/** The product's trusted documents: a file with each under its id. */
async function productEnv(): Promise<Record<string, string>> {
  const file = join(flags.data, 'documents.json')
  const stored = Object.values(documents).map((text) => [documentId(text), text])
  await writeFile(file, JSON.stringify(Object.fromEntries(stored)))
  return { KNOWN_DOCUMENTS: file }
}

async function kept(starting: Promise<Server>): Promise<Server> {
  const server = await starting
  open.push(() => server.stop())
  return server
}

async function forEach(
  list: Operation[],
  what: string,
  work: (operation: Operation) => Promise<unknown>,
): Promise<void> {
  const since = performance.now()
  for (const [i, operation] of list.entries()) {
    if (process.stderr.isTTY)
      process.stderr.write(`\r\x1b[K${what} ${i + 1}/${list.length} ${operation.name}`)
    await work(operation)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  say(`${what}: ${((performance.now() - since) / 1000).toFixed(0)} s`)
}
