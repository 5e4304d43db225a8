/**
 * A GraphQL source of positions and its prices, on this machine: graphql-yoga over the schema that
 * a source should have.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createSchema, createYoga } from 'graphql-yoga'
import { addressOf, DECIMALS, POOLS, PRICE, placeOf, type Shape } from './store.ts'

/** @returns its base URL; positions are at /graphql, prices below /prices */
export async function serveSource(shape: Shape): Promise<string> {
  const users = Array.from({ length: shape.users }, (_, at) => addressOf('user', at + 1))
  const pools = Array.from({ length: POOLS }, (_, at) => addressOf('pool', at + 1))
  const unit = { a: 10n ** BigInt(DECIMALS.a), b: 10n ** BigInt(DECIMALS.b) }
  const position = (n: number) => {
    const { user, pool } = placeOf(n, shape)
    const amount = (side: 'a' | 'b', bound: number) =>
      ((BigInt(n % bound) * unit[side]) / 64n).toString()
    return {
      user: users[user - 1],
      pool: pools[pool - 1],
      aSupplied: amount('a', 1009),
      aProtected: amount('a', 101),
      aBorrowed: amount('a', 11),
      bSupplied: amount('b', 503),
      bProtected: amount('b', 53),
      bBorrowed: amount('b', 7),
    }
  }
  const typeDefs = await readFile(
    join(import.meta.dirname, '../sources/positions/graph-positions.graphql'),
    'utf8',
  )
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs,
      resolvers: {
        Query: {
          positions(_: unknown, { first, after }: { first: number; after: string | null }) {
            const start = Number(after ?? 0)
            const end = Math.min(start + first, shape.positions)
            return {
              block: '123456789',
              totalCount: shape.positions,
              pageInfo: {
                hasNextPage: end < shape.positions,
                endCursor: end < shape.positions ? String(end) : null,
              },
              nodes: Array.from({ length: end - start }, (_, at) => position(start + at)),
            }
          },
        },
      },
    }),
  })
  const server = createServer((request, response) => {
    const [, time, coins] = /^\/prices\/historical\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? []
    if (coins === undefined) return void yoga(request, response)
    const price = { price: PRICE, timestamp: Number(time), symbol: 'T' }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ coins: Object.fromEntries(coins.split(',').map((coin) => [coin, price])) }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
