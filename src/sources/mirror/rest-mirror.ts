import { setMaxListeners } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { GatewayError } from '../../errors.ts'
import { type Client, sourceFailed } from '../client.ts'
import type { Dataset, DatasetFile } from '../dataset/dataset.ts'
import { openDirectory } from '../dataset/directory.ts'
import { createRecordFiles, type RecordFiles } from '../dataset/record-files.ts'
import type { CopiedRules } from './copied-rules.ts'
import { type EntityRef, type GatewayGraph, openGatewayGraph } from './gateway-graph.ts'
import {
  findEntities,
  mirrorListedEntities,
  mirrorSeries,
  writeEntities,
} from './mirror-entities.ts'
import { mirrorRules } from './mirror-rules.ts'
import { mirrorRewards, mirrorUser, type UserWalk } from './mirror-users.ts'
import { PairSet } from './pair-set.ts'
import {
  address,
  Contradiction,
  points,
  positionPages,
  type RestMultiplier,
  type RestPool,
  type RestServer,
  restServer,
  serverName,
} from './rest-api.ts'
import { SeenEntities } from './seen-entities.ts'

export interface MirrorOptions {
  client: Client
  /** The base URL of the points API. */
  base: string
  /** The base URL of the indexer API, if it differs from `base`. Legacy servers are separate. */
  indexerBase?: string | undefined
  /**
   * Users to copy in addition to those of positions. The graph of another gateway lists all users.
   */
  users?: Iterable<string>
  /** Chains that may have markets, in addition to the documented and the discovered ones. */
  chains?: Iterable<number>
  /**
   * Without a graph, requests a user's liquidation rewards in every market and vault, not only in
   * those of the user's pools and vaults.
   */
  everyMarket?: boolean
  /**
   * True to copy a gateway's pools, markets, vaults, tokens and rules alone; without a graph only
   * multipliers.
   */
  onlyRules?: boolean
  /** The number of users that are read concurrently. */
  concurrency?: number
  onProgress?(progress: MirrorProgress): void
  signal?: AbortSignal | undefined
}

export interface MirrorProgress {
  what: 'positions' | 'users' | 'liquidation rewards'
  done: number
  /** Undefined if unknown. */
  total: number | undefined
}

export interface MirrorSummary {
  /** The name of the server in messages. */
  name: string
  /** True if the server is a gateway, whose graph was used too. */
  graph: boolean
  /** The rules of the gateway. Undefined without a graph. */
  rules: CopiedRules | undefined
  users: number
  /** The number of records by file. Files without records do not exist. */
  records: Partial<Record<DatasetFile, number>>
  /** Differences between the copy and the server, as sentences. */
  notes: string[]
  seconds: number
}

const DOCUMENTED_CHAINS = [1, 42161, 8453, 146]
const NO_ONE = `0x${'0'.repeat(40)}`
const CONCURRENCY = 8
const ATTEMPTS = 2

/**
 * Copies a server with the documented REST APIs (another gateway or the legacy servers) into a
 * directory in the import format: pools, multipliers, positions, and the indexer data of users. If
 * the data changes in the meantime, it is read once more.
 * @throws SOURCE_FAILED that names the server, BAD_INPUT for an invalid URL
 */
export async function mirrorGateway(options: MirrorOptions, dir: string): Promise<MirrorSummary> {
  const started = performance.now()
  const stop = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
  // Each pending request listens to it.
  setMaxListeners(0, signal)
  try {
    const server = await openServer(options, signal)
    for (let attempt = 1; ; attempt++) {
      const before = await readState(server)
      const summary = await mirrorState(server, before, dir).catch(async (error) => {
        // The data may have changed in the meantime.
        if (error instanceof Contradiction && (await hasChanged(server, before))) return undefined
        throw error
      })
      if (summary && !(await hasChanged(server, before)))
        return {
          name: server.points.name,
          ...summary,
          seconds: (performance.now() - started) / 1000,
        }
      if (attempt === ATTEMPTS)
        throw sourceFailed(
          server.points.name,
          `its data changed while they were read, ${ATTEMPTS} times in a row`,
        )
    }
  } finally {
    // Does not wait for pending requests when another fails.
    stop.abort()
  }
}

/** Mirrors a server into a temporary directory and passes it to `work` as a dataset. */
export async function withMirror<T>(
  options: MirrorOptions,
  work: (dataset: Dataset, summary: MirrorSummary) => Promise<T>,
): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-mirror-'))
  try {
    const summary = await mirrorGateway(options, dir)
    return await work(
      { ...(await openDirectory(dir)), name: summary.name, rules: summary.rules },
      summary,
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

interface MirroredServer {
  points: RestServer
  indexer: RestServer
  graph: GatewayGraph | undefined
  options: MirrorOptions
  /** Explicitly requested users. */
  users: Set<string>
  signal: AbortSignal
}

async function openServer(options: MirrorOptions, signal: AbortSignal): Promise<MirroredServer> {
  const { client, base, indexerBase = base } = options
  const users = new Set<string>()
  for (const user of options.users ?? []) {
    const parsed = address.safeParse(user)
    if (!parsed.success)
      throw new GatewayError(
        'BAD_INPUT',
        `${user} is not a user: an address is 0x and 40 hex digits.`,
      )
    users.add(parsed.data)
  }
  const points = restServer(client, base, { signal })
  const indexer = restServer(client, indexerBase, { signal })
  for (const [server, path] of [
    [points, '/pools/all'],
    [points, '/positions/breakdown-by-assets'],
    [indexer, `/v1/users/${NO_ONE}/net-apr`],
  ] as const)
    if (!(await server.has(path)))
      throw new GatewayError(
        'SOURCE_FAILED',
        `${server.name} is not a gateway: it has no ${path.replace(NO_ONE, '{address}')}.`,
      )
  const isOne = serverName(base) === serverName(indexerBase)
  const graph = isOne ? await openGatewayGraph(client, base, signal) : undefined
  return { points, indexer, graph, options, users, signal }
}

// Reads a small part of the data before and after a copy. If it is unchanged, so is the rest.
interface ServerState {
  pools: RestPool[]
  multipliers: RestMultiplier[]
  reports: { distributionDate: string; totalPoints: number; positionCount: number }[]
  totalPoints: number
  accounts: string
  dataVersion: string | undefined
}

async function readState({ points: server, graph }: MirroredServer): Promise<ServerState> {
  const dataVersion = await graph?.dataVersion()
  const pools = await server.get('/pools/all', points.pools)
  const multipliers = await server.get('/multipliers/all', points.multipliers)
  const { items: reports } = await server.get('/points/reports', points.reports)
  const { totalPoints } = await server.get('/points/userpoints', points.total)
  const { total: accounts } = await server.get('/points/leaderboard', points.leaderboard)
  return { pools, multipliers, reports, totalPoints, accounts, dataVersion }
}

async function hasChanged(server: MirroredServer, before: ServerState): Promise<boolean> {
  return JSON.stringify(await readState(server)) !== JSON.stringify(before)
}

interface Walk extends MirroredServer, UserWalk {
  state: ServerState
  files: RecordFiles
  report(what: MirrorProgress['what'], done: number, total?: number): void
}

async function mirrorState(
  server: MirroredServer,
  state: ServerState,
  dir: string,
): Promise<Pick<MirrorSummary, 'graph' | 'rules' | 'users' | 'records' | 'notes'>> {
  const { points, graph, options } = server
  const files = await createRecordFiles(dir)
  let otherValues = 0
  const walk: Walk = {
    ...server,
    state,
    files,
    entities: new SeenEntities(
      points.name,
      graph ? [] : [...DOCUMENTED_CHAINS, ...(options.chains ?? [])],
    ),
    endOfTime: graph ? String(2n ** 63n - 1n) : '9999999999',
    cashFlows: graph?.cashFlows,
    needsRates: graph === undefined,
    onOtherValue: () => otherValues++,
    report: (what, done, total) => options.onProgress?.({ what, done, total }),
  }
  try {
    assertPools(points.name, state)
    await files.write('multipliers', state.multipliers)
    const { rules, notes: hidden } = graph
      ? await mirrorProgram(walk, graph)
      : { rules: undefined, notes: [] }
    if (options.onlyRules)
      return { graph: graph !== undefined, rules, users: 0, records: files.counts, notes: hidden }
    const poolsOfUsers = await mirrorPositions(walk)
    const { users, notes } = graph
      ? await mirrorKnownUsers(walk, graph, poolsOfUsers.keys())
      : await mirrorFoundUsers(walk, poolsOfUsers)
    notes.push(...hidden)
    if (otherValues > 0)
      notes.push(
        `In ${otherValues} markets and vaults of users, the current value differs from the ` +
          'newest snapshot.',
      )
    return { graph: graph !== undefined, rules, users, records: files.counts, notes }
  } finally {
    await files.close()
  }
}

function assertPools(source: string, { pools, multipliers }: ServerState): void {
  if (pools.length === 0) throw new Contradiction(source, 'its list of pools is empty')
  const ids = new Set(pools.map((pool) => pool.id))
  if (ids.size < pools.length) throw new Contradiction(source, 'a pool came twice')
  const unknown = multipliers.find((multiplier) => !ids.has(multiplier.poolAddress))
  if (unknown)
    throw new Contradiction(
      source,
      `it has a multiplier of ${unknown.poolAddress}, but no such pool`,
    )
  if (new Set(multipliers.map((one) => one.poolAddress)).size < multipliers.length)
    throw new Contradiction(source, 'it has two multipliers of one pool')
}

// Copies all positions. Each date must have as many as its report counts, without duplicate
// pairs of user and pool. The set that checks this is dropped when a date is complete. Returns
// the pools of each user, as indexes into the list of pools.
async function mirrorPositions({
  points: server,
  state,
  files,
  report,
}: Walk): Promise<Map<string, number[]>> {
  const { pools, reports, totalPoints } = state
  const wrong = (reason: string) => new Contradiction(server.name, reason)
  const indexes = new Map(pools.map((pool, index) => [pool.id, index]))
  const days = new Map(
    reports.map(({ distributionDate, positionCount }) => [
      distributionDate,
      { expected: positionCount, count: 0, seen: undefined as PairSet | undefined },
    ]),
  )
  if (days.size < reports.length) throw wrong('/points/reports has a date twice')
  const users = new Map<string, number[]>()
  const total = reports.reduce((sum, { positionCount }) => sum + positionCount, 0)
  let done = 0
  for await (const { items } of positionPages(server)) {
    for (const { id, userAddress, marketAddress, distributionDate } of items) {
      const date = dateOf(distributionDate)
      const pool = indexes.get(marketAddress)
      if (pool === undefined)
        throw wrong(`the position ${id} is in ${marketAddress}, which is none of its pools`)
      const day = days.get(distributionDate)
      if (!day) throw wrong(`the position ${id} is of ${date}, which /points/reports does not have`)
      if (day.count === day.expected)
        throw wrong(
          `it has more positions of ${date} than the ${day.expected} that its report counts`,
        )
      day.seen ??= new PairSet()
      if (!day.seen.add(userAddress, pool))
        throw wrong(`the position of ${userAddress} in ${marketAddress} on ${date} came twice`)
      if (++day.count === day.expected) day.seen = undefined
      const poolsOfUser = users.get(userAddress)
      if (!poolsOfUser) users.set(userAddress, [pool])
      else if (!poolsOfUser.includes(pool)) poolsOfUser.push(pool)
    }
    await files.write('positions', items)
    done += items.length
    report('positions', done, total)
  }
  for (const [date, { expected, count }] of days)
    if (count < expected)
      throw wrong(
        `it gave ${count} positions of ${dateOf(date)}, fewer than the ${expected} that its ` +
          'report counts',
      )
  if (done === 0 && totalPoints !== 0)
    throw wrong(`it returned no positions, but reports ${totalPoints} points`)
  return users
}

const dateOf = (distributionDate: string) => distributionDate.slice(0, 10)

type Users = { users: number; notes: string[] }

async function mirrorProgram(
  { points, entities, files, state: { pools } }: Walk,
  graph: GatewayGraph,
) {
  const { name: source } = points
  await mirrorListedEntities(graph, entities, files, { source, pools })
  return mirrorRules(graph, files, { source, pools })
}

// Copies the users of another gateway, whose graph lists them and their rewards, with prices and
// rates.
async function mirrorKnownUsers(
  walk: Walk,
  graph: GatewayGraph,
  ofPositions: Iterable<string>,
): Promise<Users> {
  const { points, entities, files, signal, options, report } = walk
  await mirrorSeries(graph, files)
  const everywhere = [...entities.all('market'), ...entities.all('vault')]
  const addresses = new Set<string>()
  let total: number | undefined
  async function* everyone() {
    for await (const page of graph.users()) {
      total = page.total
      for (const user of page.users) {
        if (addresses.has(user.address))
          throw new Contradiction(points.name, `its graph has the user ${user.address} twice`)
        addresses.add(user.address)
        yield user
      }
    }
    if (addresses.size !== (total ?? 0))
      throw new Contradiction(
        points.name,
        `its graph gave ${addresses.size} users, and counts ${total}`,
      )
    for (const user of ofPositions)
      if (!addresses.has(user))
        throw new Contradiction(points.name, `its graph does not have the user ${user}`)
  }
  let users = 0
  await pMap(
    everyone(),
    async ({ address, rewards }) => {
      await mirrorUser(walk, address)
      await mirrorRewards(walk, address, rewards ?? everywhere, () => true)
      report('users', ++users, total)
    },
    { concurrency: options.concurrency ?? CONCURRENCY, signal },
  )
  return { users, notes: [] }
}

// Copies the users that REST shows, and explicitly requested ones. Markets, vaults, chains and
// possible rewards are derived from their data and from the pools.
async function mirrorFoundUsers(walk: Walk, poolsOfUsers: Map<string, number[]>): Promise<Users> {
  const { indexer, entities, files, state, signal, report } = walk
  const { pools } = state
  const limits = { concurrency: walk.options.concurrency ?? CONCURRENCY, signal }
  const users = [...new Set([...poolsOfUsers.keys(), ...walk.users])]
  const entitiesOfUsers = new Map<string, EntityRef[]>()
  await pMap(
    users,
    async (user) => {
      entitiesOfUsers.set(user, await mirrorUser(walk, user))
      report('users', entitiesOfUsers.size, users.length)
    },
    limits,
  )
  await findEntities(entities, { indexer, pools, user: users[0] ?? NO_ONE, ...limits })

  const markets = byAddress(entities.all('market'))
  const vaults = byAddress(entities.all('vault'))
  const everywhere = [...entities.all('market'), ...entities.all('vault')]
  // The markets of both sides of the user's pools, and the user's vaults.
  const rewardEntities = (user: string) => {
    const own = entitiesOfUsers.get(user) ?? []
    const ofKind = (kind: EntityRef['kind']) =>
      own.filter((ref) => ref.kind === kind).map(({ address }) => address)
    const inPositions = new Set(poolsOfUsers.get(user))
    const sides = pools
      .filter(
        ({ unit_1_id, unit_2_id }, index) =>
          inPositions.has(index) ||
          own.some(({ address }) => address === unit_1_id || address === unit_2_id),
      )
      .flatMap(({ unit_1_id, unit_2_id }) => [unit_1_id, unit_2_id])
    const marketAddresses = new Set([...ofKind('market'), ...sides])
    return [
      ...[...marketAddresses].flatMap((address) => markets.get(address) ?? []),
      ...[...new Set(ofKind('vault'))].flatMap((address) => vaults.get(address) ?? []),
    ]
  }
  const isOnSeveral = ({ kind, address }: EntityRef) =>
    ((kind === 'market' ? markets : vaults).get(address)?.length ?? 0) > 1
  let done = 0
  await pMap(
    users,
    async (user) => {
      await mirrorRewards(
        walk,
        user,
        walk.options.everyMarket ? everywhere : rewardEntities(user),
        isOnSeveral,
      )
      report('liquidation rewards', ++done, users.length)
    },
    limits,
  )
  const without = await writeEntities(entities, files, pools)
  return {
    users: users.length,
    notes:
      without > 0
        ? [`${without} markets are sides of no pool: they were given to the first one.`]
        : [],
  }
}

function byAddress(refs: EntityRef[]): Map<string, EntityRef[]> {
  const refsOf = new Map<string, EntityRef[]>()
  for (const ref of refs) refsOf.set(ref.address, [...(refsOf.get(ref.address) ?? []), ref])
  return refsOf
}
