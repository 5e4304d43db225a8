import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import pLimit from 'p-limit'
import pg, { type PoolClient } from 'pg'
import { historyPoint } from '../db/connect/history.ts'
import { inTransaction } from '../db/connect/transaction.ts'
import type { Deps } from '../deps.ts'
import { badArgument, GatewayError } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { sendProblem } from '../http/server/problem.ts'
import { CLAIM_FIELDS, claimFormats, readFinalSeason } from './claims.ts'
import { Files, sendFile, sendHead } from './files.ts'
import { acceptedFormat, type Format, formats, valuesOf } from './formats.ts'
import { type List, listsOf, typeOfColumn } from './lists.ts'
import { argumentsOf, plannedColumns, readRequest, type Table } from './read-request.ts'
import { CHUNK, FIRST_CHUNK, type Row, rowsOf } from './rows.ts'

const AT_ONCE = 4
// One is left for others, however long the tables of a client take.
const AT_ONCE_OF_CLIENT = 3
const RETRY_SECONDS = 5
const LONGEST_MS = 15 * 60_000
// A table costs a tenth of its pages in the graph, since it is read by one statement.
const DISCOUNT = 10
const CHARGE_AGAIN_MS = 1000
// The time that tables in progress have when the gateway closes.
const CLOSING_MS = 2000

const names = [...Object.keys(formats), 'parquet']

/** Serves the lists of the graph as whole tables. */
export function mountTables(app: FastifyInstance, { store }: Deps, graph: Graph, edge: Edge): void {
  const lists = listsOf(graph.schema)
  const files = new Files()
  const closing = new AbortController()
  // At most half of a pool are transactions.
  const pool = new pg.Pool({ ...store.pool.options, max: 2 * AT_ONCE })
  pool.on('error', () => {})
  // One chunk is written in each turn of the event loop, so that other answers wait for one alone.
  const turns = pLimit(1)
  const turn = () => turns(() => nextTurn())
  // The number of tables in progress by client.
  const open = new Map<string, number>()
  app.addHook('preClose', async () => {
    setTimeout(() => closing.abort(), CLOSING_MS).unref()
  })
  app.addHook('onClose', async () => {
    await pool.end()
    await files.close()
  })

  app.get('/tables', async (_, reply) => {
    reply.header('cache-control', 'no-cache')
    return { formats: names, tables: [...lists.values()].map(described(graph)) }
  })

  app.get<{ Params: { file: string } }>('/tables/:file', async (request, reply) => {
    const [name = '', ...ends] = request.params.file.split('.')
    const list = lists.get(name)
    if (!list) {
      const known = [...lists.keys()].join(', ')
      return sendProblem(reply, 404, `There is no such table. The tables are ${known}.`)
    }
    const end = ends.length > 0 ? ends.join('.') : acceptedFormat(request.headers.accept)
    if (end === undefined || !names.includes(end))
      return sendProblem(reply, 406, `A table has one of these formats: ${names.join(', ')}.`)
    const table = readRequest(graph, list, request.query as Record<string, unknown>)
    if (table.isForSpreadsheet && end !== 'csv')
      throw badArgument('for', `must be left out of ${end}: a spreadsheet reads CSV`)
    reply
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .header('content-disposition', `attachment; filename="${name}.${end}"`)
    const format = formats[end]
    if (!format) {
      reply.type('application/vnd.apache.parquet')
      return sendFile(request, reply, await fileOf(list, table, request, reply))
    }
    reply.type(format.type)
    if (request.method === 'HEAD') return sendHead(reply)
    await send(table, request, reply, () => format)
    return reply
  })

  app.get<{ Params: { file: string } }>('/tables/seasons/:file', async (request, reply) => {
    const [, name = '', end = ''] = /^(.*)\.(\w+)$/s.exec(request.params.file) ?? []
    const formatOf = Object.hasOwn(claimFormats, end) ? claimFormats[end] : undefined
    if (!formatOf)
      return sendProblem(reply, 406, 'A claim file has one of these formats: csv, json.')
    const [parameter] = Object.keys(request.query as object)
    if (parameter !== undefined) throw badArgument(parameter.slice(0, 60), 'must be left out')
    const scope = JSON.stringify({ season: name })
    const board = lists.get('leaderboard') as List
    const table = readRequest(graph, board, { scope, fields: CLAIM_FIELDS })
    await send(table, request, reply, async (client) => {
      const season = await readFinalSeason(client, name)
      const tag = `"${season.digest}"`
      reply
        .headers({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', etag: tag })
        .header('content-disposition', `attachment; filename="board-${season.digest}.${end}"`)
      const isKnown = request.headers['if-none-match'] === tag
      if (isKnown) reply.code(304)
      const format = formatOf(season)
      reply.type(format.type)
      return isKnown || request.method === 'HEAD' ? undefined : format
    })
    return reply
  })

  /** Sends a table in a format that is known in its snapshot, or no rows without one. */
  async function send(
    table: Table,
    request: FastifyRequest,
    reply: FastifyReply,
    formatOf: (client: PoolClient) => Promise<Format | undefined> | Format,
  ): Promise<void> {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    let isSent = false
    await read(table, request, reply, left.signal, async (chunks, signal, client) => {
      const format = await formatOf(client)
      if (!format) {
        sendHead(reply)
        return
      }
      const columns = columnsOf(table)
      const write = (rows: Row[]) => format.lines(valuesOf(rows, table), columns, table)
      const { value = [] } = await chunks.next()
      const texts = async function* () {
        yield format.head(columns, table) + write(value)
        for await (const rows of chunks) yield write(rows)
        yield format.tail ?? ''
      }
      isSent = true
      reply.send(Readable.from(texts(), { objectMode: false }))
      await finished(reply.raw, { signal })
    }).catch((error: unknown) => {
      // A table that broke off ends its connection, so that nobody takes it for whole.
      if (!isSent) throw error
      reply.raw.destroy()
    })
  }

  // Clients read the end of a file first, so it is made as a whole, even if they go meanwhile.
  function fileOf(list: List, table: Table, request: FastifyRequest, reply: FastifyReply) {
    const { columns, variables, first, hasCursors } = table
    const key = JSON.stringify([list.name, columns, variables, first, hasCursors])
    // Who waits for a file that another request makes needs no slot either.
    exchangeOf(request.raw, reply.raw).onQueued()
    const make = (path: string) =>
      read(table, request, reply, undefined, async (chunks) => {
        // Its package is only loaded for the first file.
        const { writeParquet } = await import('./parquet.ts')
        const typed = columnsOf(table).map((name) => ({
          name,
          type: typeOfColumn(list.type, name),
        }))
        const values = async function* () {
          for await (const rows of chunks) yield valuesOf(rows, table)
        }
        await writeParquet(path, typed, values())
      })
    return files.of(key, () => historyPoint(store), make)
  }

  async function read(
    table: Table,
    request: FastifyRequest,
    reply: FastifyReply,
    left: AbortSignal | undefined,
    use: (chunks: AsyncGenerator<Row[]>, signal: AbortSignal, client: PoolClient) => Promise<void>,
  ): Promise<void> {
    const { operation, variables } = table
    const exchange = exchangeOf(request.raw, reply.raw)
    await graph.admit(operation, variables, { admin: 'no', caller: exchange })
    const cost = graph.limiter.cost(operation, variables).requested
    const pay = (rows: number) => {
      const points = Math.max(1, Math.ceil((cost * rows) / CHUNK / DISCOUNT))
      return edge.rateLimit.charge(request.raw, reply.raw, points)
    }
    const leave = enter(exchange.key?.name ?? edge.clientOf(request.raw))
    try {
      const rejection = await pay(Math.min(FIRST_CHUNK, table.first ?? FIRST_CHUNK))
      if (rejection !== undefined) throw new GatewayError('RATE_LIMITED', rejection)
      exchange.onQueued()
      const ends = [closing.signal, AbortSignal.timeout(LONGEST_MS), ...(left ? [left] : [])]
      const signal = AbortSignal.any(ends)
      const mode = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'
      await inTransaction({ pool, signal, mode }, (client) =>
        use(paidChunks(rowsOf(store, client, table, turn), pay, signal), signal, client),
      )
    } finally {
      leave()
    }
  }

  // @returns leaves again
  function enter(client: string): () => void {
    const ofClient = open.get(client) ?? 0
    const all = [...open.values()].reduce((sum, count) => sum + count, 0)
    if (all >= AT_ONCE) throw tooMany(`${AT_ONCE} tables are being sent`)
    if (ofClient >= AT_ONCE_OF_CLIENT) throw tooMany(`You have ${ofClient} tables in progress`)
    open.set(client, ofClient + 1)
    return () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    }
  }

  // The first rows are paid already. If there are no points for others, they wait for some.
  async function* paidChunks(
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
}

const columnsOf = ({ columns, hasCursors }: Table) =>
  hasCursors ? [...columns, 'cursor'] : columns

const described = (graph: Graph) => (list: List) => ({
  name: list.name,
  description: list.field.description,
  columns: plannedColumns(graph, list),
  parameters: argumentsOf(list).map(({ name, type }) => ({ name, type: String(type) })),
})

const tooMany = (why: string) =>
  new GatewayError(
    'RATE_LIMITED',
    `${why}, which is the most. Try again in ${RETRY_SECONDS} s.`,
    [],
    RETRY_SECONDS,
  )
