import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PoolClient } from 'pg'
import { readAddress } from '../address.ts'
import { historyPoint } from '../db/connect/history.ts'
import type { Deps } from '../deps.ts'
import { badArgument } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { sendProblem } from '../http/server/problem.ts'
import { isoDay } from '../time.ts'
import { Accounts } from './account.ts'
import { CLAIM_FIELDS, claimFormats, readFinalSeason } from './claims.ts'
import { Files, sendFile, sendHead } from './files.ts'
import { acceptedFormat, type Format, formats, valuesOf } from './formats.ts'
import { Lane, type Source, type Use } from './lane.ts'
import { type List, listsOf, typeOfColumn } from './lists.ts'
import { assertRun, FOR_GOOD, hasTag, tagOfTable } from './past.ts'
import { argumentsOf, plannedColumns, readRequest, type Table } from './read-request.ts'
import { type Row, rowsOf } from './rows.ts'

const names = [...Object.keys(formats), 'parquet']

/** Serves the lists of the graph as whole tables. */
export function mountTables(
  app: FastifyInstance,
  { store, now }: Deps,
  graph: Graph,
  edge: Edge,
): void {
  const lists = listsOf(graph.schema.getQueryType())
  const files = new Files()
  const lane = new Lane(app, store, graph, edge)
  const accounts = new Accounts(graph, store)
  app.addHook('onClose', () => files.close())

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
    if (table.run !== undefined && end === 'parquet')
      throw badArgument('run', 'must be left out of parquet, whose file has an etag')
    reply.headers({ ...HEADERS, 'content-disposition': attachment(`${name}.${end}`) })
    const format = formats[end]
    if (!format) {
      reply.type('application/vnd.apache.parquet')
      return sendFile(request, reply, await fileOf(list, table, request, reply))
    }
    reply.type(format.type)
    const { date, run } = table
    const isPast = date !== undefined && date < isoDay(now())
    const tag = isPast ? { etag: await tagOfTable(store, `${name}.${end}`, table) } : {}
    const isKnown = tag.etag !== undefined && hasTag(request.headers['if-none-match'], tag.etag)
    if (isKnown) reply.code(304)
    if (isKnown || request.method === 'HEAD') return sendHead(reply.headers(tag))
    await send(sourceOf(table), request, reply, async (client) => {
      if (date !== undefined && run !== undefined) {
        await assertRun(client, date, run)
        reply.header('cache-control', FOR_GOOD)
      }
      reply.headers(tag)
      return formOf(format, table)
    })
    return reply
  })

  app.get<{ Params: { file: string } }>('/tables/seasons/:file', async (request, reply) => {
    const [, name = '', end = ''] = /^(.*)\.(\w+)$/s.exec(request.params.file) ?? []
    const formatOf = Object.hasOwn(claimFormats, end) ? claimFormats[end] : undefined
    if (!formatOf)
      return sendProblem(reply, 406, 'A claim file has one of these formats: csv, json.')
    refuseParameters(request)
    const scope = JSON.stringify({ season: name })
    const board = lists.get('leaderboard') as List
    const table = readRequest(graph, board, { scope, fields: CLAIM_FIELDS })
    await send(sourceOf(table), request, reply, async (client) => {
      const season = await readFinalSeason(client, name)
      const tag = `"${season.digest}"`
      const file = attachment(`board-${season.digest}.${end}`)
      reply.headers({ ...HEADERS, etag: tag, 'content-disposition': file })
      const isKnown = hasTag(request.headers['if-none-match'], tag)
      if (isKnown) reply.code(304)
      const format = formatOf(season)
      reply.type(format.type)
      return isKnown || request.method === 'HEAD' ? undefined : formOf(format, table)
    })
    return reply
  })

  app.get<{ Params: { file: string } }>('/tables/accounts/:file', async (request, reply) => {
    const [, text = '', end] = /^([^.]*)\.(\w+)$/.exec(request.params.file) ?? []
    if (end !== 'jsonl')
      return sendProblem(reply, 406, 'The file of an account has one format: jsonl.')
    const address = readAddress(text)
    if (address === undefined) throw badArgument('address', 'must be 0x and 40 hexadecimal digits')
    refuseParameters(request)
    const source = accounts.sourceOf(address, lane.turn)
    reply.headers({ ...HEADERS, 'content-disposition': attachment(`${address}.jsonl`) })
    reply.type((formats.jsonl as Format).type)
    if (request.method === 'HEAD') return sendHead(reply)
    await send(source, request, reply, async () => ({ head: '', text: (lines) => lines.join('') }))
    return reply
  })

  const sourceOf = (table: Table): Source<Row> => ({
    ...table,
    rows: (client) => rowsOf(store, client, table, lane.turn),
  })

  /** Sends rows in a form that is known in their snapshot, or none without one. */
  async function send<One>(
    source: Source<One>,
    request: FastifyRequest,
    reply: FastifyReply,
    begin: (client: PoolClient) => Promise<Form<One> | undefined>,
  ): Promise<void> {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    let isSent = false
    const use: Use<One> = async (chunks, signal, client) => {
      const form = await begin(client)
      if (!form) {
        sendHead(reply)
        return
      }
      const { head, text, tail = '' } = form
      const { value = [] } = await chunks.next()
      const texts = async function* () {
        yield head + text(value)
        for await (const rows of chunks) yield text(rows)
        yield tail
      }
      isSent = true
      reply.send(Readable.from(texts(), { objectMode: false }))
      await finished(reply.raw, { signal })
    }
    await lane.read(source, { request, reply, left: left.signal }, use).catch((error: unknown) => {
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
      lane.read(sourceOf(table), { request, reply }, async (chunks) => {
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
}

const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

const attachment = (name: string) => `attachment; filename="${name}"`

function refuseParameters({ query }: FastifyRequest): void {
  const [name] = Object.keys(query as object)
  if (name !== undefined) throw badArgument(name.slice(0, 60), 'must be left out')
}

/** How rows are written. */
interface Form<One> {
  head: string
  text(rows: One[]): string
  tail?: string | undefined
}

function formOf(format: Format, table: Table): Form<Row> {
  const columns = columnsOf(table)
  return {
    head: format.head(columns, table),
    text: (rows) => format.lines(valuesOf(rows, table), columns, table),
    tail: format.tail,
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
