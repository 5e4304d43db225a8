import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import pg from 'pg'
import { inTransaction } from '../db/connect/transaction.ts'
import type { Deps } from '../deps.ts'
import { GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { sendProblem } from '../http/server/problem.ts'
import { acceptedFormat, type Format, formats, valuesOf } from './formats.ts'
import { type List, listsOf } from './lists.ts'
import { argumentsOf, plannedColumns, readRequest, type Table } from './read-request.ts'
import { CHUNK, FIRST_CHUNK, type Row, rowsOf } from './rows.ts'

const AT_ONCE = 4
const RETRY_SECONDS = 5
const LONGEST_MS = 15 * 60_000
// A table costs a tenth of its pages in the graph, since it is read by one statement.
const DISCOUNT = 10
const CHARGE_AGAIN_MS = 1000
// The time that tables in progress have when the gateway closes.
const CLOSING_MS = 2000

const names = Object.keys(formats).join(', ')

/** Serves the lists of the graph as whole tables. */
export function mountTables(app: FastifyInstance, { store }: Deps, graph: Graph, edge: Edge): void {
  const lists = listsOf(graph.schema)
  const closing = new AbortController()
  // At most half of a pool are transactions.
  const pool = new pg.Pool({ ...store.pool.options, max: 2 * AT_ONCE })
  pool.on('error', () => {})
  // One chunk is written in each turn of the event loop, so that other answers wait for one alone.
  const turns = pLimit(1)
  let open = 0
  app.addHook('preClose', async () => {
    setTimeout(() => closing.abort(), CLOSING_MS).unref()
  })
  app.addHook('onClose', () => pool.end())

  app.get('/tables', async (_, reply) => {
    reply.header('cache-control', 'no-cache')
    return { formats: Object.keys(formats), tables: [...lists.values()].map(described(graph)) }
  })

  app.get<{ Params: { file: string } }>('/tables/:file', async (request, reply) => {
    const [name = '', ...ends] = request.params.file.split('.')
    const list = lists.get(name)
    if (!list) {
      const known = [...lists.keys()].join(', ')
      return sendProblem(reply, 404, `There is no such table. The tables are ${known}.`)
    }
    const end = ends.length > 0 ? ends.join('.') : acceptedFormat(request.headers.accept)
    const format = Object.hasOwn(formats, end ?? '') ? formats[end ?? ''] : undefined
    if (!format) return sendProblem(reply, 406, `A table has one of these formats: ${names}.`)
    const table = readRequest(graph, list, request.query as Record<string, unknown>)
    reply
      .type(format.type)
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', `attachment; filename="${name}.${end}"`)
    if (request.method === 'HEAD') return reply.send()
    if (open >= AT_ONCE) throw tooMany()
    open++
    try {
      await send(table, format, request, reply)
    } finally {
      open--
    }
    return reply
  })

  async function send(
    table: Table,
    format: Format,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const signal = AbortSignal.any([left.signal, closing.signal, AbortSignal.timeout(LONGEST_MS)])
    const exchange = exchangeOf(request.raw, reply.raw)
    const { operation, variables } = table
    await graph.admit(operation, variables, { admin: 'no', caller: exchange })
    const cost = graph.limiter.cost(operation, variables).requested
    const pay = (rows: number) => {
      const points = Math.max(1, Math.ceil((cost * rows) / CHUNK / DISCOUNT))
      return edge.rateLimit?.charge(request.raw, reply.raw, points)
    }
    const rejection = await pay(Math.min(FIRST_CHUNK, table.first ?? FIRST_CHUNK))
    if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
    exchange.onQueued()
    let isSent = false
    const mode = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
    await inTransaction({ pool, signal, mode }, async (client) => {
      const chunks = rowsOf(store, client, table)
      const next = () => turns(() => nextTurn().then(() => chunks.next()))
      const { value = [] } = await next()
      const written = texts(value, next)
      isSent = true
      reply.send(Readable.from(written, { objectMode: false }))
      await finished(reply.raw, { signal })
    }).catch((error: unknown) => {
      // A table that broke off ends its connection, so that nobody takes it for whole.
      if (!isSent) throw error
      reply.raw.destroy()
    })

    async function* texts(first: Row[], next: () => Promise<IteratorResult<Row[]>>) {
      const columns = table.hasCursors ? [...table.columns, 'cursor'] : table.columns
      const write = (rows: Row[]) => format.lines(valuesOf(rows, table), columns, table)
      yield format.head(columns, table) + write(first)
      for (;;) {
        const { value, done } = await next()
        if (done) return
        while ((await pay(value.length)) !== undefined)
          await wait(CHARGE_AGAIN_MS, undefined, { signal })
        yield write(value)
      }
    }
  }
}

const described = (graph: Graph) => (list: List) => ({
  name: list.name,
  description: list.field.description,
  columns: plannedColumns(graph, list),
  parameters: argumentsOf(list).map(({ name, type }) => ({ name, type: String(type) })),
})

const tooMany = () =>
  new GatewayError(
    'RATE_LIMITED',
    `${AT_ONCE} tables are being sent, which is the most. Try again in ${RETRY_SECONDS} s.`,
    [],
    RETRY_SECONDS,
  )
