import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSchema, createYoga } from 'graphql-yoga'
import type { SourcePool } from '../../src/sources/index.ts'
import { addressOf } from './datasets.ts'

export interface SourceRequest {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface FakeServer {
  /** http://127.0.0.1:PORT */
  base: string
  /** The requests, in order. */
  requests: SourceRequest[]
  close(): Promise<void>
}

type Handler = (request: SourceRequest, response: ServerResponse, number: number) => unknown

/** A local HTTP server; `number` is the request's, from 1. */
export async function startServer(handler: Handler): Promise<FakeServer> {
  const requests: SourceRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url = '', headers } = request
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString() }
      requests.push(seen)
      try {
        await handler(seen, response, requests.length)
      } catch {
        response.destroy()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const answerJson = (response: ServerResponse, value: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

/** A position as a GraphQL source gives it. */
export interface SourcePosition {
  user: string
  pool: string
  aSupplied: string
  aProtected: string
  aBorrowed: string
  bSupplied: string
  bProtected: string
  bBorrowed: string
}

/** A page as a GraphQL source gives it: not what it should be, where a test says so. */
export interface SourcePage {
  block: unknown
  totalCount: unknown
  pageInfo: { hasNextPage: unknown; endCursor: unknown }
  nodes: unknown[]
}

export interface PageArguments {
  pools?: string[]
  time?: number
  first?: number
  after?: string | null
  limit?: number
  offset?: number
}

export interface PositionsOptions {
  positions: SourcePosition[]
  block?: string | null
  /** The most positions that it gives a page. */
  mostPerPage?: number
  /** What only those may read it who bring it. */
  key?: string
  /** Changes a page, by the number of the request, from 1. */
  lie?(page: SourcePage, number: number): void
  /** Handles a request in place of the source, where it gives true. */
  instead?(
    request: SourceRequest,
    response: ServerResponse,
    number: number,
  ): boolean | Promise<boolean>
}

const sdl = readFileSync(
  join(import.meta.dirname, '../../src/sources/positions/graph-positions.graphql'),
  'utf8',
)

/** The page that an honest source gives. */
export function pageOf(
  { positions, block = '123', mostPerPage = 1000 }: PositionsOptions,
  asked: PageArguments,
): SourcePage {
  const start = asked.offset ?? Number(asked.after ?? 0)
  const end = Math.min(
    start + Math.min(asked.first ?? asked.limit ?? mostPerPage, mostPerPage),
    positions.length,
  )
  const hasNextPage = end < positions.length
  return {
    block,
    totalCount: positions.length,
    pageInfo: { hasNextPage, endCursor: hasNextPage ? String(end) : null },
    nodes: positions.slice(start, end),
  }
}

/**
 * A GraphQL source of positions, at `/graphql` of its base. Honest pages are given by graphql-yoga,
 * from the schema that the gateway expects; a source that lies gives JSON, since its pages would
 * not fit the schema.
 */
export async function startPositions(options: PositionsOptions): Promise<FakeServer> {
  const { key, lie, instead } = options
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: sdl,
      resolvers: {
        Query: { positions: (_: unknown, asked: PageArguments) => pageOf(options, asked) },
      },
    }),
  })
  return startServer(async (request, response, number) => {
    if (await instead?.(request, response, number)) return
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return void answerJson(response, { errors: [{ message: 'Who are you?' }] }, 401)
    const url = new URL(request.url, 'http://source')
    if (url.pathname !== '/graphql') return void response.writeHead(404).end()
    if (lie) {
      const page = pageOf(options, JSON.parse(request.body).variables)
      lie(page, number)
      return void answerJson(response, { data: { positions: page } })
    }
    const { method, headers, body } = request
    const answer = await yoga.fetch(url.href, {
      method,
      headers: headers as Record<string, string>,
      ...(body && { body }),
    })
    response
      .writeHead(answer.status, Object.fromEntries(answer.headers))
      .end(Buffer.from(await answer.arrayBuffer()))
  })
}

export interface Coin {
  price?: unknown
  timestamp?: unknown
  decimals?: unknown
  symbol?: unknown
  confidence?: unknown
}

/**
 * A source of prices in the shape of the DefiLlama coins API; `coins` by their keys. Prices are of
 * the requested moment.
 */
export async function startPrices(coins: Record<string, Coin>): Promise<FakeServer> {
  return startServer((request, response) => {
    const [, time, keys] = /^\/prices\/historical\/(\d+)\/(.+)$/.exec(request.url) ?? []
    if (!keys) return void response.writeHead(404).end()
    const asked = keys.split(',').filter((key) => coins[key])
    const answer = asked.map((key) => [
      key,
      { timestamp: Number(time), symbol: 'X', confidence: 0.99, ...coins[key] },
    ])
    answerJson(response, { coins: Object.fromEntries(answer) })
  })
}

export const POOL = addressOf('pool')
export const OTHER_POOL = addressOf('other pool')
export const [S, USDC, WETH] = [addressOf('S'), addressOf('USDC'), addressOf('WETH')] as [
  string,
  string,
  string,
]

/** Two pools of the store: S/USDC and WETH/USDC on chain 146. */
export const sourcePools: ReadonlyMap<string, SourcePool> = new Map([
  [
    POOL,
    {
      chainId: 146,
      a: { address: S, symbol: 'S', decimals: 18 },
      b: { address: USDC, symbol: 'USDC', decimals: 6 },
    },
  ],
  [
    OTHER_POOL,
    {
      chainId: 146,
      a: { address: WETH, symbol: 'WETH', decimals: undefined },
      b: { address: USDC, symbol: 'USDC', decimals: 6 },
    },
  ],
])

/** Their tokens' prices, by the keys of the source. */
export const coins = {
  [`sonic:${S}`]: { price: 0.5, decimals: 18 },
  [`sonic:${USDC}`]: { price: 1.25, decimals: 6 },
  [`sonic:${WETH}`]: { price: 2000, decimals: 18 },
} satisfies Record<string, Coin>

/** A position of a user by number. */
export const sourcePosition = (
  number: number,
  replaced: Partial<SourcePosition> = {},
): SourcePosition => ({
  user: `0x${number.toString(16).padStart(40, '0')}`,
  pool: POOL,
  aSupplied: `${number}000000000000000000`,
  aProtected: '0',
  aBorrowed: '1',
  bSupplied: '0',
  bProtected: '1500000',
  bBorrowed: String(number),
  ...replaced,
})

export const sourcePositions = (count: number) =>
  Array.from({ length: count }, (_, at) => sourcePosition(at + 1))
