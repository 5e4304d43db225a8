/** The rows of 'must reach' that are not a cell of the table. */
import { answerFrom } from './check.ts'
import { each, percentileOf, run, wire } from './load.ts'
import { median, type Timing, usual } from './measure.ts'
import type { Operation, Request } from './operations.ts'
import type { Server } from './processes.ts'

const first = (operation: Operation, n = 0) =>
  operation.product(operation.variants[n % operation.variants.length] ?? {})

/** Milliseconds of a document's first run and of its second. */
export interface Fresh {
  first: number
  second: number
}

/** Documents that were never seen: the same one under a new name. */
export async function neverSeen(
  server: Server,
  operation: Operation,
  count: number,
): Promise<Fresh> {
  const requests = Array.from({ length: count }, (_, n) => {
    const { path, body } = first(operation, n)
    const { query, variables } = body as { query: string; variables: object }
    const name = `Fresh${process.pid}x${Date.now()}x${n}`
    const fresh = wire({
      path,
      body: { query: query.replace(/query \w+/, `query ${name}`), variables },
    })
    // Before it, the known document with the same variables: the store's pages are warm for both.
    return [wire({ path, body: { query, variables } }), fresh, fresh]
  })
  const times = await each(server.port, requests.flat())
  return {
    first: median(times.filter((_, i) => i % 3 === 1)),
    second: median(times.filter((_, i) => i % 3 === 2)),
  }
}

/**
 * GraphQL lists that can be deep, as a document of `$first`, `$after` and `$offset`, and where in
 * its answer the list is.
 */
const PAGE = 'first: $first, after: $after, offset: $offset'
const WHAT = 'pageInfo { hasNextPage endCursor }'
const lists = (names: {
  pool: string
  asset: string
  user: string
  market: string
  vault: string
  date: string
}) => ({
  leaderboard: `leaderboard(${PAGE}) { nodes { rank user { address } points } ${WHAT} }`,
  users: `users(${PAGE}) { nodes { address } ${WHAT} }`,
  positions: `positions(${PAGE}) { nodes { id points } ${WHAT} }`,
  'positions of an asset': `positions(where: { assets: "${names.asset}" }, ${PAGE}) {
    nodes { id points } ${WHAT} }`,
  'positions of a pool': `pool(address: "${names.pool}") { positions(${PAGE}) {
    nodes { id points } ${WHAT} } }`,
  'positions of a date': `distribution(date: "${names.date}") { positions(${PAGE}) {
    nodes { id points } ${WHAT} } }`,
  'snapshots of a user': `user(address: "${names.user}") { snapshots(${PAGE}) {
    nodes { time borrowed { usd } } ${WHAT} } }`,
  'snapshots of a market': `market(chainId: 1, address: "${names.market}") { snapshots(${PAGE}) {
    nodes { time borrowed { usd } } ${WHAT} } }`,
  'snapshots of a vault': `vault(chainId: 1, address: "${names.vault}") { snapshots(${PAGE}) {
    nodes { time supplied { usd } } ${WHAT} } }`,
})

/** Milliseconds of a list's first page and of its thousandth. */
export interface Depth {
  first: number
  thousandth: number
}

/**
 * Lists with a thousand pages, of up to 20 rows; those that are shorter have no entry.
 * @param others more lists, made of the arguments that page them
 */
export async function deepPages(
  server: Server,
  names: Parameters<typeof lists>[0],
  others: (page: string) => Record<string, string> = () => ({}),
): Promise<Record<string, Depth>> {
  const depths: Record<string, Depth> = {}
  for (const [name, selection] of Object.entries({ ...lists(names), ...others(PAGE) })) {
    const query = `query ($first: Int!, $after: String, $offset: BigInt) { ${selection} }`
    const page = (variables: object): Request => ({ path: '/graphql', body: { query, variables } })
    const cursorAt = async (offset: number) => {
      const { text } = await answerFrom(server.port, page({ first: 1, offset: String(offset) }))
      return /"endCursor":"([^"]+)"/.exec(text)?.[1]
    }
    const size = await largest(
      [20, 10, 5, 2, 1],
      async (rows) => (await cursorAt(1000 * rows - 1)) !== undefined,
    )
    if (size === undefined) continue
    const requests = [
      page({ first: size }),
      page({ first: size, after: await cursorAt(999 * size - 1) }),
    ].map((one) => wire(one))
    const times = (
      await each(
        server.port,
        Array.from({ length: 400 }, (_, i) => requests[i % 2] as Buffer),
      )
    ).slice(100)
    depths[name] = {
      first: median(times.filter((_, i) => i % 2 === 0)),
      thousandth: median(times.filter((_, i) => i % 2 === 1)),
    }
  }
  return depths
}

async function largest(
  sizes: number[],
  fits: (size: number) => Promise<boolean>,
): Promise<number | undefined> {
  for (const size of sizes) if (await fits(size)) return size
  return undefined
}

/** Milliseconds (p50) of an operation in the store, and in one with a tenth of the rows. */
export interface Growth {
  tenth: number
  full: number
}

const wired = (of: Operation) => of.variants.map((values) => wire(of.product(values)))

export async function growth(
  [full, tenth]: [Server, Server],
  [operation, smaller]: [Operation, Operation],
  { seconds, rounds }: Timing,
): Promise<Growth> {
  // The pages of both stores are in memory then.
  await each(full.port, wired(operation))
  await each(tenth.port, wired(smaller))
  const times: Growth[] = []
  const p50 = async ({ port }: Server, of: Operation) => {
    const requests = wired(of)
    const window = await run({
      port,
      requests,
      connections: 1,
      warmMs: seconds * 250,
      windowMs: seconds * 1000,
    })
    return percentileOf(window.latencies, 50)
  }
  for (let round = 0; round < rounds; round++)
    times.push({ full: await p50(full, operation), tenth: await p50(tenth, smaller) })
  const ratios = times.map((one) => one.full / one.tenth)
  return times[
    ratios.indexOf(ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] as number)
  ] as Growth
}

export interface Starts {
  /** Milliseconds from the start of the process to /health ok. */
  product: number[]
  postgraphile: number[]
  /** The first request after that, and what it takes usually, in milliseconds. */
  first: { operation: string; first: number; usual: number }[]
}

/**
 * Starts the product and PostGraphile in turn; each start of the product gets another operation
 * first.
 */
export async function starts(
  operations: Operation[],
  count: number,
  startProduct: () => Promise<Server>,
  startPostgraphile: (() => Promise<Server>) | undefined,
): Promise<Starts> {
  const seconds: Starts = { product: [], postgraphile: [], first: [] }
  for (let n = 0; n < count; n++) {
    const product = await startProduct()
    seconds.product.push(product.startMs)
    const operation = operations[(n * 7) % operations.length] as Operation
    const request = first(operation, n)
    const [ms = Number.NaN] = await each(product.port, [wire(request)])
    seconds.first.push({
      operation: operation.name,
      first: ms,
      usual: await usual(product.port, [request]),
    })
    await product.stop()
    if (!startPostgraphile) continue
    const other = await startPostgraphile()
    seconds.postgraphile.push(other.startMs)
    await other.stop()
  }
  return seconds
}
