/**
 * The cost of requests in this commit and in a previous one, in one run: CPU time, garbage, and
 * what survives its collection.
 *
 *     npm run bench -- previous                 against the commit before this one, or where this
 *                                               branch began
 *
 *     --base COMMIT           against this one
 *     --built DIR             against the program that is built in this directory
 *     --rounds N              windows of each program, for each operation
 *     --data DIR              where the store stays between runs
 *
 * It fails if an operation costs more than 5 % more CPU time, again and again in fresh processes,
 * and no commit since says `Bench: costs N % on WHAT, because WHY` in a line of its message.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FIRST_DAY, openSpeedStore, SHAPES, type SpeedStore } from './speed/data.ts'
import { run, wire } from './speed/load.ts'
import { operationsOn } from './speed/operations.ts'
import { killServers, pinning, pinRest, root, type Server, startBuilt } from './speed/processes.ts'

const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    built: { type: 'string' },
    rounds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    data: { type: 'string', default: join(tmpdir(), 'gateway-previous') },
  },
})

/** How often an operation that seems to cost more is measured again, in fresh processes. */
const RETRIES = 4
/** Many collections, so that those of a few requests are counted; the megabytes between them. */
const SEMI_SPACE = 4
const WARM_MS = 1500
const WINDOW_MS = 250
const CONNECTIONS = 8

/**
 * Costs of a request: microseconds of CPU time, and bytes that it leaves to the garbage collector,
 * and that outlive two collections.
 */
const COSTS = ['CPU', 'garbage', 'survivors'] as const
type Costs = Record<(typeof COSTS)[number], number>
/**
 * A cost that is higher by this factor fails. What outlives collections depends on when they come.
 */
const ALLOWED: Costs = { CPU: 1.05, garbage: 1.1, survivors: 1.5 }
/** Lower costs are as good as none. */
const FLOOR: Costs = { CPU: 5, garbage: 1000, survivors: 3000 }

interface Case {
  name: string
  /** Whether it is answered from the cache. */
  cached: boolean
  requests: Buffer[]
}

const git = (...args: string[]) =>
  execFileSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
const say = (text: string) => process.stdout.write(`${text}\n`)
const open: (() => Promise<unknown>)[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killServers()
    process.exit(1)
  })

/** @returns why nothing was compared */
async function compare(): Promise<string | undefined> {
  const pinned = pinning()
  if (pinned !== true) return pinned
  const base = options.built === undefined ? baseCommit() : 'HEAD'
  if (base === undefined) return 'the repository has no commit before this one'
  const changed = () =>
    git('diff', '--name-only', base, 'HEAD', '--', 'src', 'prisma', 'package-lock.json', ':!*.md')
  if (options.built === undefined && changed() === '')
    return 'the two commits have the same program'
  const built = options.built ?? (await buildOf(base))
  if (migrationsOf(built) !== migrationsOf(root)) return 'the tables of the two commits differ'
  await mkdir(options.data, { recursive: true })
  const store = await openSpeedStore(SHAPES.small, join(options.data, 'small'), say)
  open.push(() => store.close())
  pinRest(store.pid)
  const cases = (await casesOn(store)).filter(({ name }) => name.includes(options.only))
  const windows = new Map<Case, [Window[], Window[]]>(cases.map((one) => [one, [[], []]]))
  let failed = cases
  for (let attempt = 0; attempt <= RETRIES && failed.length > 0; attempt++) {
    if (attempt > 0) say('\nOnce more, in fresh processes:')
    await measure([built, root], store, failed, windows)
    failed = failed.filter((one) => isMore(windows.get(one) as [Window[], Window[]]))
  }
  if (failed.length === 0) say('\nNothing costs more than it did.')
  else {
    const told = git('log', '--format=%B', `${base}..HEAD`).match(/^Bench: costs .+$/gm)
    if (told) say(`\nIt costs more, as commits say:\n${told.join('\n')}`)
    else {
      say(
        `\nFAIL ${failed.map(({ name }) => name).join('; ')}: above 5 % more CPU time, 10 % ` +
          'more garbage or 50 % more survivors.',
      )
      say('Mend it, or say so in the message of the commit: Bench: costs N % on WHAT, because WHY')
      process.exitCode = 1
    }
  }
  return undefined
}

/** The commit to compare with. Undefined if the repository has none. */
function baseCommit(): string | undefined {
  const of = (...args: string[]) => {
    try {
      return git(...args)
    } catch {
      return undefined
    }
  }
  if (options.base !== undefined) return git('rev-parse', options.base)
  const head = git('rev-parse', 'HEAD')
  const began = of('merge-base', 'HEAD', 'origin/main')
  return began !== undefined && began !== head
    ? began
    : of('rev-parse', '--verify', '--quiet', 'HEAD~1')
}

/** Builds the program of a commit in a worktree. @returns its directory */
async function buildOf(commit: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'gateway-base-'))
  open.push(async () => {
    git('worktree', 'remove', '--force', place)
    await rm(place, { recursive: true, force: true })
  })
  git('worktree', 'add', '--force', '--detach', place, commit)
  const inPlace = {
    cwd: place,
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
  }
  const lock = 'package-lock.json'
  if (readFileSync(join(place, lock), 'utf8') === readFileSync(join(root, lock), 'utf8'))
    await symlink(join(root, 'node_modules'), join(place, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], inPlace)
  execFileSync(process.execPath, ['--import', 'tsx', 'src/build/main.ts'], inPlace)
  return place
}

/** The scripts that make the tables of a program. */
function migrationsOf(tree: string): string {
  const directory = join(tree, 'prisma/migrations')
  const scripts = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  )
  return scripts
    .sort()
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join()
}

async function casesOn({ names }: SpeedStore): Promise<Case[]> {
  const operations = operationsOn({ names, positions: [], count: 40 })
  const one = (name: string, cached = false, headers = {}): Case => {
    const operation = operations.find((operation) => operation.name === name)
    if (!operation) throw new Error(`${name} is not an operation`)
    const requests = operation.variants.map((values) => wire(operation.product(values), headers))
    return { name: `${name}${cached ? ', cached' : ''}`, cached, requests }
  }
  return [
    one('GET /points/leaderboard'),
    one('GET /points/{address}'),
    one('GET /v1/users/{address}/earnings'),
    one('GET /v1/users/{address}/market-position-snapshots'),
    one('graphql 100 positions of an asset'),
    one('graphql 50 pools, top 5 positions, their users'),
    one("graphql a user's page"),
    one('graphql 100 users'),
    filtered(names.users),
    one('GET /points/leaderboard', true),
  ]
}

/** The filter of a dashboard: one variable, whose values differ from request to request. */
function filtered(users: string[]): Case {
  const query = `query ($where: DailyPointsFilter) {
    user(address: "${users[0]}") { dailyPoints(first: 10, where: $where) { nodes { date points }
    pageInfo { hasNextPage } } } }`
  const requests = users.slice(0, 40).map((_, nth) => {
    const gte = new Date(FIRST_DAY * 1000 + nth * 86_400_000).toISOString().slice(0, 10)
    return wire({
      path: '/graphql',
      body: { query, variables: { where: { date: { gte }, points: { gt: nth + 1 } } } },
    })
  })
  return { name: 'graphql daily points by a filter as a variable', cached: false, requests }
}

/** Measures the previous and the present program in turn, window by window. */
async function measure(
  trees: [string, string],
  { url, pid }: SpeedStore,
  cases: Case[],
  windows: Map<Case, [Window[], Window[]]>,
): Promise<void> {
  const servers: Record<string, Watched> = {}
  try {
    for (const [i, tree] of trees.entries())
      for (const cached of new Set(cases.map((one) => one.cached)))
        servers[`${i} ${cached}`] = await startWatched(tree, url, cached)
    pinRest(pid)
    for (const one of cases) {
      const both = [`0 ${one.cached}`, `1 ${one.cached}`].map((key) => servers[key] as Watched)
      for (const server of both) await windowOf(server, one.requests, WARM_MS)
      const of = windows.get(one) as [Window[], Window[]]
      for (let round = 0; round < Number(options.rounds); round++)
        for (const nth of round % 2 ? ([1, 0] as const) : ([0, 1] as const))
          of[nth].push(await windowOf(both[nth] as Watched, one.requests, WINDOW_MS))
      const [before, after] = of.map(costsOf) as [Costs, Costs]
      const ratios = ratiosOf(of)
      const texts = COSTS.map(
        (cost) =>
          `${cost} ${told(before[cost])} -> ${told(after[cost])} (${ratios[cost].toFixed(3)})`,
      )
      say(`${one.name}: ${texts.join(', ')}`)
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop()
  }
}

const told = (value: number) => value.toLocaleString('en-US', { maximumSignificantDigits: 4 })

/**
 * CPU time as the least of windows, as other programs only add to it. Collections do not come in
 * each window.
 */
function costsOf(windows: Window[]): Costs {
  const sum = (of: (window: Window) => number) => windows.reduce((sum, one) => sum + of(one), 0)
  const mean = (cost: keyof Costs) => sum((window) => window[cost]) / sum(({ answers }) => answers)
  const CPU = Math.min(...windows.map(({ CPU, answers }) => CPU / answers))
  return { CPU, garbage: mean('garbage'), survivors: mean('survivors') }
}

function ratiosOf(windows: [Window[], Window[]]): Costs {
  const [before, after] = windows.map(costsOf) as [Costs, Costs]
  const ratio = (cost: keyof Costs) =>
    Math.max(after[cost], FLOOR[cost]) / Math.max(before[cost], FLOOR[cost])
  return { CPU: ratio('CPU'), garbage: ratio('garbage'), survivors: ratio('survivors') }
}

/**
 * Whether a request costs more than is allowed, and by more than each program differs from itself.
 */
function isMore(windows: [Window[], Window[]]): boolean {
  const ratios = ratiosOf(windows)
  const ofItself = windows.map((all) =>
    ratiosOf([all.filter((_, i) => i % 2), all.filter((_, i) => i % 2 === 0)]),
  )
  return COSTS.some((cost) => {
    const noise = ofItself.map((own) => Math.max(own[cost], 1 / own[cost]))
    return ratios[cost] > noise.reduce((product, one) => product * one, ALLOWED[cost])
  })
}

interface Watched extends Server {
  /**
   * The bytes that were allocated and that were promoted to the old generation, as of the last
   * collection.
   */
  heap: { allocated: number; promoted: number }
}

async function startWatched(tree: string, url: string, cached: boolean): Promise<Watched> {
  const heap = { allocated: 0, promoted: 0 }
  const env = { DATABASE_URL: url, LOG_LEVEL: 'warn', ...(!cached && { CACHE_MAX_BYTES: '0' }) }
  const flags = [
    '--trace-gc-nvp',
    `--min-semi-space-size=${SEMI_SPACE}`,
    `--max-semi-space-size=${SEMI_SPACE}`,
  ]
  let rest = ''
  const server = await startBuilt(tree, env, flags, (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      for (const what of ['allocated', 'promoted'] as const)
        heap[what] += Number(new RegExp(` ${what}=(\\d+)`).exec(line)?.[1] ?? 0)
  })
  return { ...server, heap }
}

/** The costs of the answers that arrived in a window. */
interface Window extends Costs {
  answers: number
}

/** Sends requests for some time, until some are answered. */
async function windowOf(
  { port, pid, heap }: Watched,
  requests: Buffer[],
  windowMs: number,
): Promise<Window> {
  const sample = () => [cpuMicros(pid), heap.allocated, heap.promoted]
  const { answers, grown } = await run({
    port,
    requests,
    connections: CONNECTIONS,
    warmMs: 20,
    windowMs,
    sample,
  })
  if (answers < CONNECTIONS) return windowOf({ port, pid, heap } as Watched, requests, windowMs * 2)
  const [CPU = 0, garbage = 0, survivors = 0] = grown
  return { answers, CPU, garbage, survivors }
}

/** The CPU time of a process, in microseconds, more finely than by ticks. */
function cpuMicros(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const of = (task: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      return 0
    }
  }
  return tasks.reduce((sum, task) => sum + of(task), 0) / 1000
}

try {
  const skipped = await compare()
  if (skipped !== undefined) say(`Nothing was compared: ${skipped}.`)
} finally {
  for (const close of open.reverse()) await close()
}
