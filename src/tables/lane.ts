import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import pg, { type PoolClient } from 'pg'
import type { Store } from '../db/connect/store.ts'
import { inTransaction } from '../db/connect/transaction.ts'
import { GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { CHUNK, FIRST_CHUNK, type Selection } from './rows.ts'

const AT_ONCE = 4
// One is left for others, however long the tables of a client take.
const AT_ONCE_OF_CLIENT = 3
const RETRY_SECONDS = 5
const LONGEST_MS = 15 * 60_000
// A table costs a tenth of its pages in the graph, since it is read by one statement.
const DISCOUNT = 10
const CHARGE_AGAIN_MS = 1000
// While others ask, tables leave them this time between two chunks, and for a while after.
const REST_MS = 10
const QUIET_AFTER_MS = 200
// The time that tables in progress have when the gateway closes.
const CLOSING_MS = 2000

/** The rows of a table: the operation that is charged for, and how they are read. */
export interface Source<Row> extends Selection {
  rows(client: PoolClient): AsyncGenerator<Row[]>
}

/** Reads chunks of rows in a transaction, until the signal. */
export type Use<Row> = (
  chunks: AsyncGenerator<Row[]>,
  signal: AbortSignal,
  client: PoolClient,
) => Promise<void>

/** The lane of tables: some at a time, on connections that other reads do not use. */
export class Lane {
  readonly #graph: Graph
  readonly #edge: Edge
  readonly #pool: pg.Pool
  readonly #closing = new AbortController()
  readonly #turns = pLimit(1)
  // When a request came that asks for no table.
  #othersAt = Number.NEGATIVE_INFINITY
  // The number of tables in progress by client.
  readonly #open = new Map<string, number>()

  constructor(app: FastifyInstance, store: Store, graph: Graph, edge: Edge) {
    this.#graph = graph
    this.#edge = edge
    // At most half of a pool are transactions.
    this.#pool = new pg.Pool({ ...store.pool.options, max: 2 * AT_ONCE })
    this.#pool.on('error', () => {})
    app.server.on('request', ({ url = '' }) => {
      if (!url.includes('/tables/')) this.#othersAt = performance.now()
    })
    app.addHook('preClose', async () => {
      setTimeout(() => this.#closing.abort(), CLOSING_MS).unref()
    })
    app.addHook('onClose', () => this.#pool.end())
  }

  /** Waits for a turn. One chunk is written in each, so that other answers wait for one alone. */
  readonly turn = (): Promise<void> =>
    this.#turns(() => {
      const isQuiet = performance.now() - this.#othersAt > QUIET_AFTER_MS
      return isQuiet ? nextTurn() : wait(REST_MS)
    })

  /**
   * Reads a table in a transaction, and charges for its rows as it goes.
   * @param left ends it when its reader has gone @throws RATE_LIMITED
   */
  async read<Row>(
    source: Source<Row>,
    { request, reply, left }: { request: FastifyRequest; reply: FastifyReply; left?: AbortSignal },
    use: Use<Row>,
  ): Promise<void> {
    const { operation, variables, first = FIRST_CHUNK } = source
    const exchange = exchangeOf(request.raw, reply.raw)
    await this.#graph.admit(operation, variables, { admin: 'no', caller: exchange })
    const cost = this.#graph.limiter.cost(operation, variables).requested
    const pay = (rows: number) => {
      const points = Math.max(1, Math.ceil((cost * rows) / CHUNK / DISCOUNT))
      return this.#edge.rateLimit.charge(request.raw, reply.raw, points)
    }
    const leave = this.#enter(exchange.key?.name ?? this.#edge.clientOf(request.raw))
    try {
      const rejection = await pay(Math.min(FIRST_CHUNK, first))
      if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
      exchange.onQueued()
      const ends = [this.#closing.signal, AbortSignal.timeout(LONGEST_MS), ...(left ? [left] : [])]
      const signal = AbortSignal.any(ends)
      const mode = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
      await inTransaction({ pool: this.#pool, signal, mode }, (client) =>
        use(paidChunks(source.rows(client), pay, signal), signal, client),
      )
    } finally {
      leave()
    }
  }

  // @returns leaves again
  #enter(client: string): () => void {
    const ofClient = this.#open.get(client) ?? 0
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0)
    if (all >= AT_ONCE) throw tooMany(`${AT_ONCE} tables are being sent`)
    if (ofClient >= AT_ONCE_OF_CLIENT) throw tooMany(`You have ${ofClient} tables in progress`)
    this.#open.set(client, ofClient + 1)
    return () => {
      const left = (this.#open.get(client) ?? 1) - 1
      if (left === 0) this.#open.delete(client)
      else this.#open.set(client, left)
    }
  }
}

// The first rows are paid already. If there are no points for others, they wait for some.
async function* paidChunks<Row>(
  chunks: AsyncGenerator<Row[]>,
  pay: (rows: number) => Promise<string | undefined> | undefined,
  signal: AbortSignal,
) {
  for (let isFirst = true; ; isFirst = false) {
    const { value, done } = await chunks.next()
    if (done) return
    while (!isFirst && (await pay(value.length)) !== undefined)
      await wait(CHARGE_AGAIN_MS, undefined, { signal })
    yield value
  }
}

const tooMany = (why: string) =>
  new GatewayError(
    'RATE_LIMITED',
    `${why}, which is the most. Try again in ${RETRY_SECONDS} s.`,
    [],
    RETRY_SECONDS,
  )
