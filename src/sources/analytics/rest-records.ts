import type { Hash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { pMapIterable } from 'p-map'
import type * as z from 'zod'
import { isoDay } from '../../time.ts'
import type { Client } from '../client.ts'
import type { DatasetFile } from '../dataset/dataset.ts'
import { type Fetched, received } from '../fetched.ts'
import {
  type EntityRef,
  type GatewayGraph,
  type GraphUser,
  openGatewayGraph,
} from '../mirror/gateway-graph.ts'
import { LISTED, limitRecords, listedPools, listedRecords } from '../mirror/mirror-entities.ts'
import {
  Contradiction,
  indexerPages,
  marketReward,
  marketSnapshot,
  points,
  positionPages,
  type RestServer,
  restServer,
  vaultReward,
  vaultSnapshot,
} from '../mirror/rest-api.ts'
import { analyticsName, type RecordsRequest } from './analytics-source.ts'

const USERS_AT_ONCE = 8
const USERS_AHEAD = 32
// Later than any snapshot that a legacy server accepts a time of.
const END_OF_TIME = '9999999999'

type ReadUser = (user: GraphUser) => AsyncIterable<object[]>

/**
 * Another gateway or a legacy server as a source of analytics, read user by user from a date on.
 * Its users are those that its graph lists; a legacy server's are those of its positions since
 * then, and those of the store. Undefined for records that a legacy server does not show: cash
 * flows, liquidations, prices, rates, and what only a graph lists with its chain and tokens.
 */
export async function restRecords(
  client: Client,
  base: string,
  name: string,
  file: DatasetFile,
  request: RecordsRequest,
): Promise<Fetched | undefined> {
  const { since } = request
  const stop = new AbortController()
  const signal = request.signal ? AbortSignal.any([request.signal, stop.signal]) : stop.signal
  // Each pending request listens to it.
  setMaxListeners(0, signal)
  const server = restServer(client, base, { signal, name: analyticsName(file, name) })
  const graph = await openGatewayGraph(client, base, signal)
  const ofEntities = graph && listOf(server, graph, file)
  const read = readerOf(server, graph, file, request)
  if (!ofEntities && !read) return undefined
  const users = graph ? usersOfGraph(graph) : usersOfPositions(server, request)

  async function recordsOf(user: GraphUser): Promise<object[]> {
    const records: object[] = []
    for await (const page of read?.(user) ?? []) records.push(...page)
    return records
  }

  async function* arriving(hash: Hash) {
    const limits = { concurrency: USERS_AT_ONCE, backpressure: USERS_AHEAD }
    try {
      for await (const records of ofEntities?.(since) ?? pMapIterable(users, recordsOf, limits)) {
        signal.throwIfAborted()
        for (const record of records) hash.update(`${JSON.stringify(record)}\n`)
        yield records as Record<string, unknown>[]
      }
    } finally {
      // Pending requests would fail when the client is closed.
      stop.abort()
    }
  }
  return received(file, { kind: 'ANALYTICS', name, time: since?.toISOString() ?? null }, arriving)
}

// The graph's list of a file without users, from a date on.
function listOf(
  server: RestServer,
  graph: GatewayGraph,
  file: DatasetFile,
): ((since: Date | null) => AsyncIterable<object[]>) | undefined {
  if (file === 'prices' || file === 'rates' || file === 'liquidations') return graph[file]
  if (file === 'thresholds') return () => limitRecords(graph)
  const listed = LISTED.find((one) => one === file)
  if (!listed || (listed === 'tokens' && !graph.assets)) return undefined
  const pools = async () =>
    listedPools(graph, server.name, await server.get('/pools/all', points.pools))
  return () => listedRecords(graph, listed, pools)
}

function readerOf(
  server: RestServer,
  graph: GatewayGraph | undefined,
  file: DatasetFile,
  { since, known }: RecordsRequest,
): ReadUser | undefined {
  const from = BigInt(Math.floor((since?.getTime() ?? 0) / 1000))
  const isNew = ({ timestamp }: { timestamp: string }) => BigInt(timestamp) >= from
  switch (file) {
    case 'market-snapshots':
    case 'vault-snapshots': {
      const kind = file === 'market-snapshots' ? 'market' : 'vault'
      const window = `from_timestamp=${from}&to_timestamp=${END_OF_TIME}`
      return ({ address }) =>
        ofUser(
          server,
          `/v1/users/${address}/${kind}-position-snapshots?${window}`,
          SNAPSHOTS[kind],
          address,
        )
    }
    case 'market-liquidation-rewards':
    case 'vault-liquidation-rewards': {
      const kind = file === 'market-liquidation-rewards' ? 'market' : 'vault'
      return async function* ({ address: user, rewards }) {
        const refs = (rewards ?? (await known()).entities).filter((ref) => ref.kind === kind)
        for (const { address, chainId } of refs) {
          const place = `${kind}=${address}&chain_id=${chainId}`
          const path = `/v1/users/${user}/${kind}-liquidation-rewards?${place}`
          if (!rewards && !(await server.has(`${path}&page=1&page_size=1`))) continue
          yield* newest(ofUser(server, path, REWARDS[kind], user), isNew, (row) => ({
            chainId,
            ...row,
          }))
        }
      }
    }
    case 'cash-flows': {
      const cashFlows = graph?.cashFlows
      return cashFlows && (({ address }) => newest(cashFlows(address), isNew, (flow) => flow))
    }
    default:
      return undefined
  }
}

type RowSchema = z.ZodType<{ accountId: string; timestamp: string }>
const SNAPSHOTS: Record<EntityRef['kind'], RowSchema> = {
  market: marketSnapshot,
  vault: vaultSnapshot,
}
const REWARDS: Record<EntityRef['kind'], RowSchema> = { market: marketReward, vault: vaultReward }

async function* ofUser<T extends { accountId: string }>(
  server: RestServer,
  path: string,
  row: z.ZodType<T>,
  user: string,
): AsyncGenerator<T[]> {
  for await (const { rows } of indexerPages(server, path, row)) {
    const other = rows.find(({ accountId }) => accountId !== user)
    if (other)
      throw new Contradiction(
        server.name,
        `asked for data of ${user}, it returned some of ${other.accountId}`,
      )
    yield rows
  }
}

// The records since a date of a list that has the newest first.
async function* newest<T extends { timestamp: string }>(
  pages: AsyncIterable<T[]>,
  isNew: (row: T) => boolean,
  recordOf: (row: T) => object,
): AsyncGenerator<object[]> {
  for await (const rows of pages) {
    const recent = rows.filter(isNew)
    if (recent.length > 0) yield recent.map(recordOf)
    if (recent.length < rows.length) return
  }
}

async function* usersOfGraph(graph: GatewayGraph): AsyncGenerator<GraphUser> {
  for await (const { users } of graph.users()) yield* users
}

async function* usersOfPositions(
  server: RestServer,
  { since, known }: RecordsRequest,
): AsyncGenerator<GraphUser> {
  const seen = new Set((await known()).users)
  for (const address of seen) yield { address, rewards: undefined }
  const first = since ? isoDay(since) : ''
  for await (const { items } of positionPages(server)) {
    for (const { userAddress: address } of items) {
      if (seen.has(address)) continue
      seen.add(address)
      yield { address, rewards: undefined }
    }
    if (items.some(({ distributionDate }) => distributionDate < first)) return
  }
}
