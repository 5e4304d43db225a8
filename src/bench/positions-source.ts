/**
 * A million positions from a GraphQL source on this machine, in a separate process: read through
 * `graphPositions` (checked, priced, made into records) and by a bare loop that only downloads and
 * parses the same pages. `node --import tsx src/bench/positions-source.ts [--positions 1000000]
 * [--page 1000] [--rounds 3] [--paging offset] [--server ready]`: the source is graphql-yoga, or a
 * server that has its answers ready, as no real source has. Each reading has a separate process, so
 * that its memory can be measured.
 */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type DocumentNode, print } from 'graphql'
import { createSchema, createYoga } from 'graphql-yoga'
import { openClient, type SourcePool } from '../sources/index.ts'
import { positionsByCursor, positionsByOffset } from '../sources/positions/graph-operations.ts'
import { graphPositions } from '../sources/positions/graph-positions.ts'
import { coinPrices } from '../sources/prices.ts'

const POOLS = 200
const { values } = parseArgs({
  options: {
    positions: { type: 'string', default: '1000000' },
    page: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    server: { type: 'string', default: 'graphql' },
    paging: { type: 'string', default: 'cursor' },
    role: { type: 'string', default: 'all' },
    url: { type: 'string', default: '' },
  },
})
const [positions, pageSize, rounds] = [values.positions, values.page, values.rounds].map(
  Number,
) as [number, number, number]
const { paging, url } = values

const hex = (seed: number) => (Math.imul(seed, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
const address = (seed: number) =>
  `0x${[1, 2, 3, 4, 5].map((part) => hex(seed * 5 + part)).join('')}`
const token = (pool: number, side: number) => address(2_000_000_000 + pool * 2 + side)
const poolId = (pool: number) => address(1_000_000_000 + pool)
const amount = (seed: number, digits: number) =>
  seed % 3 === 0
    ? '0'
    : `${1 + (seed % 9)}${(hex(seed) + hex(seed + 1)).replace(/[a-f]/g, '7').repeat(2)}`.slice(
        0,
        digits,
      )

function node(at: number) {
  return {
    user: address(Math.floor(at / 5)),
    pool: poolId((Math.floor(at / 5) + (at % 5) * 41) % POOLS),
    aSupplied: amount(at * 6, 22),
    aProtected: amount(at * 6 + 1, 20),
    aBorrowed: amount(at * 6 + 2, 21),
    bSupplied: amount(at * 6 + 3, 11),
    bProtected: amount(at * 6 + 4, 9),
    bBorrowed: amount(at * 6 + 5, 10),
  }
}

interface Asked {
  after?: string | null
  first?: number
  limit?: number
  offset?: number
}

/** A page of as many positions as requested. */
function pageOf(
  nodes: object[],
  { after, first = pageSize, limit = first, offset = Number(after ?? 0) }: Asked,
) {
  const end = Math.min(offset + limit, positions)
  const pageInfo = { hasNextPage: end < positions, endCursor: String(end) }
  return { block: '1', totalCount: positions, pageInfo, nodes: nodes.slice(offset, end) }
}

function serve() {
  const nodes = Array.from({ length: positions }, (_, at) => node(at))
  const ready = new Map<number, Buffer>()
  if (values.server === 'ready')
    for (let offset = 0; offset < positions; offset += pageSize) {
      const page = pageOf(nodes, { offset })
      ready.set(offset, Buffer.from(JSON.stringify({ data: { positions: page } })))
    }
  const typeDefs = readFileSync(
    join(import.meta.dirname, '../sources/positions/graph-positions.graphql'),
    'utf8',
  )
  const resolvers = { Query: { positions: (_: unknown, asked: Asked) => pageOf(nodes, asked) } }
  const yoga = createYoga({ logging: false, schema: createSchema({ typeDefs, resolvers }) })
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const coins = request.url?.split('/').at(-1)?.split(',') ?? []
      const price = { price: 1.25, timestamp: Date.parse('2026-03-02') / 1000, symbol: 'T' }
      response.end(
        JSON.stringify({ coins: Object.fromEntries(coins.map((coin) => [coin, price])) }),
      )
      return
    }
    if (values.server !== 'ready') return void yoga(request, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { after, offset = Number(after ?? 0) } = JSON.parse(
        Buffer.concat(chunks).toString(),
      ).variables
      response.setHeader('content-type', 'application/json')
      response.end(ready.get(offset))
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

const client = () => openClient({ timeoutMs: 30_000, retries: 0, maxBytes: 1 << 28 })

async function bare() {
  const operation = paging === 'offset' ? positionsByOffset : positionsByCursor
  const query = print(operation as DocumentNode)
  const common = { pools: Array.from({ length: POOLS }, (_, pool) => poolId(pool)), time: 1 }
  for (let count = 0, after: string | null = null; ; ) {
    const place =
      paging === 'offset' ? { offset: count, limit: pageSize } : { after, first: pageSize }
    const answer: Response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { ...common, ...place } }),
    })
    const page: any = ((await answer.json()) as any).data.positions
    count += page.nodes.length
    if (count === positions) return count
    after = page.pageInfo?.endCursor
  }
}

async function ours() {
  const side = (pool: number, side: number) => ({
    address: token(pool, side),
    symbol: 'T',
    decimals: side ? 6 : 18,
  })
  const pools = new Map<string, SourcePool>(
    Array.from({ length: POOLS }, (_, pool) => [
      poolId(pool),
      { chainId: 1, a: side(pool, 0), b: side(pool, 1) },
    ]),
  )
  const http = client()
  const prices = coinPrices(http, { url, maxAgeSeconds: 60 })
  const source = graphPositions(http, prices, {
    url: `${url}/graphql`,
    pageSize,
    paging: paging as 'cursor' | 'offset',
  })
  const { batches, receipts } = await source.positions('2026-03-02', { pools })
  let count = 0
  for await (const { records } of batches) count += records.length
  if (receipts()[0]?.count !== count) throw new Error('the receipt does not fit')
  await http.close()
  return count
}

async function measure(work: () => Promise<number>) {
  let rss = 0
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss())
  }, 20)
  const started = performance.now()
  const cpu = process.cpuUsage()
  const count = await work()
  const seconds = (performance.now() - started) / 1000
  clearInterval(watch)
  process.send?.({ count, seconds, rss, cpu: process.cpuUsage(cpu).user / 1e6 })
}

const child = (role: string, ...more: string[]) => {
  const made = fork(import.meta.filename, [...process.argv.slice(2), '--role', role, ...more])
  return { made, told: new Promise<any>((resolve) => made.once('message', resolve)) }
}

async function all() {
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const server = child('serve')
  const base = `http://127.0.0.1:${await server.told}`
  const times: Record<string, number[]> = { bare: [], ours: [] }
  for (let round = 1; round <= rounds; round++)
    for (const role of ['bare', 'ours']) {
      const { count, seconds, rss, cpu } = await child(role, '--url', base).told
      times[role]?.push(seconds)
      say(
        `round ${round}: ${role} ${count} positions in ${seconds.toFixed(2)} s ` +
          `(${cpu.toFixed(2)} s of CPU), at most ${(rss / 2 ** 20).toFixed(0)} MiB`,
      )
    }
  const median = (list: number[] = []) =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
  say(
    `median: bare ${median(times.bare).toFixed(2)} s, ours ${median(times.ours).toFixed(2)} s, ` +
      `ratio ${(median(times.ours) / median(times.bare)).toFixed(2)}`,
  )
  server.made.kill()
}

if (values.role === 'serve') serve()
else if (values.role === 'bare') await measure(bare)
else if (values.role === 'ours') await measure(ours)
else await all()
