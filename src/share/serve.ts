import type { FastifyReply, FastifyRequest } from 'fastify'
import { readAddress } from '../address.ts'
import type { Config } from '../config.ts'
import type { Caller } from '../db/connect/scope.ts'
import { GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { EdgeCache } from '../http/cache/edge-cache.ts'
import { sendAnswer } from '../http/cache/send-answer.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'

/** The settings, the graph and the caches that cards, badges and charts share. */
export interface Share {
  config: Config
  graph: Graph
  edge: Edge
  /** Cards, apart from the answers of the graph, which they would displace. */
  cards: EdgeCache
}

/** A file that is made of answers of the graph. */
export interface Made {
  /** Its path with the parameters, for logs. */
  name: string
  /** The words that it depends on, besides the stored data. */
  key: string
  cache: EdgeCache
  type: string
  /** The rate-limit points of one that is not cached. */
  cost: number
  headers: string[]
  /** Makes the text, which is base64 of a picture. */
  make(caller: Caller): Promise<string>
}

/** Sends a file: from the cache until the data change. */
export async function serve(
  { edge }: Share,
  { name, key, cache, type, cost, headers, make }: Made,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const exchange = exchangeOf(request.raw, reply.raw)
  const isCached = !exchange.bypassesCache && cache.find(key, exchange.minVersion) !== undefined
  const rejection = isCached ? undefined : await edge.rateLimit.charge(request.raw, reply.raw, cost)
  if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
  const compute = async (caller: Caller) => ({ name, status: 200, json: await make(caller) })
  const answer = await cache.answer(key, compute, exchange)
  const sent =
    type === 'image/png'
      ? { ...answer, key: undefined, body: Buffer.from(answer.body.toString('latin1'), 'base64') }
      : answer
  sendAnswer(request, reply.hijack().raw, sent, cache, {
    type,
    headers: ['x-content-type-options', 'nosniff', ...headers],
  })
}

/** The address in a path. @throws BAD_INPUT for any other text */
export function addressOf(text: string): string {
  const address = readAddress(text)
  if (address !== undefined) return address
  const message = 'must be an address: 0x and 40 hexadecimal digits'
  throw new GatewayError('BAD_INPUT', `address ${message}.`, [
    { in: 'path', name: 'address', message },
  ])
}

/** A parameter of a query that is one of some words, the first by default. @throws BAD_INPUT */
export function oneOf<Word extends string>(
  { query }: FastifyRequest,
  name: string,
  words: readonly [Word, ...Word[]],
): Word {
  const sent = (query as Record<string, unknown>)[name]
  if (sent === undefined) return words[0]
  const word = words.find((one) => one === sent)
  if (word) return word
  const message = `must be ${words.join(' or ')}`
  throw new GatewayError('BAD_INPUT', `${name} ${message}.`, [{ in: 'query', name, message }])
}
