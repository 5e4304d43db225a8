import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PoolClient } from 'pg'
import { readAddress } from '../address.ts'
import { historyPoint } from '../db/connect/history.ts'
import type { Deps } from '../deps.ts'
import { badArgument } from '../errors.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import { isFresh } from '../http/cache/answer.ts'
import type { Edge } from '../http/edge.ts'
import { exchangeOf } from '../http/exchange.ts'
import { sendProblem } from '../http/server/problem.ts'
import { isoDay } from '../time.ts'
import { Accounts } from './account.ts'
import { CLAIM_FIELDS, claimFormats, readFinalSeason } from './claims.ts'
import { documentedLists, pagesOf, readDocumented } from './documented.ts'
import { assertRun, FOR_GOOD, tagOfTable } from './etags.ts'
import { Files, sendFile, sendHead } from './files.ts'
import { acceptedFormat, type Format, formats, type Style } from './formats.ts'
import { Lane, type Source, type Use } from './lane.ts'
import { type List, listsOf, typeOfColumn } from './lists.ts'
import type { Column } from './parquet.ts'
import { argumentsOf, plannedColumns, readRequest, type Table } from './read-request.ts'
import { type Row, rowsOf } from './rows.ts'

const names = [...Object.keys(formats), 'parquet']

/** Serves the lists of the graph as whole tables. */
export function mountTables(app: FastifyInstance, deps: Deps, graph: Graph, edge: Edge): void {
  const { store, now } = deps
  const lists = listsOf(graph.schema.getQueryType())
  const documented = documentedLists(graph)
  const files = new Files()
  const lane = new Lane(app, store, graph, edge)
  const accounts = new Accounts(graph, store)
  app.addHook('onClose', () => files.close())

  app.get('/tables', async (_, reply) => {
    reply.header('cache-control', 'no-cache')
    const tables = [...lists.values()].map(described(graph))
    const ofRest = documented.map(({ path, columns }) => ({
      path,
      columns: columns.map(({ name }) => name),
    }))
    return { formats: names, tables, documented: ofRest }
  })

  app.get<{ Params: { file: string } }>('/tables/:file', async (request, reply) => {
    const [name = '', ...ends] = request.params.file.split('.')
    const list = lists.get(name)
    if (!list) {
      const known = [...lists.keys()].join(', ')
      return sendProblem(reply, 404, `There is no such table. The tables are ${known}.`)
    }
    if (ends.length === 0) reply.header('vary', 'Origin, Accept')
    const end = ends.length > 0 ? ends.join('.') : acceptedFormat(request.headers.accept)
    if (end === undefined || !names.includes(end))
      return sendProblem(reply, 406, `A table has one of these formats: ${names.join(', ')}.`)
    const table = readRequest(graph, list, request.query as Record<string, unknown>)
    if (table.run !== undefined && end === 'parquet')
      throw badArgument('run', 'must be left out of parquet, whose file has an etag')
    const { columns, variables, first, hasCursors, date, run } = table
    const today = isoDay(now())
    // Rules come into force at midnight.
    const isPast = date !== undefined && date < today
    return sendTable(request, reply, end, {
      name,
      source: sourceOf(table),
      columns: columnsOf(table).map((name) => ({ name, type: typeOfColumn(list.type, name) })),
      style: table,
      key: [columns, variables, first, hasCursors, isPast || today],
      async begin(client) {
        if (date === undefined || run === undefined) return
        await assertRun(client, date, run)
        reply.header('cache-control', FOR_GOOD)
      },
    })
  })

  for (const list of documented)
    for (const end of names)
      app.get(`${list.path.replace(/\{(\w+)\}/g, ':$1')}.${end}`, (request, reply) => {
        const { for: form, ...query } = request.query as Record<string, unknown>
        if (form !== undefined && form !== 'spreadsheet')
          throw badArgument('for', 'must be spreadsheet')
        const source = pagesOf(deps, list, readDocumented(list, request.params, query), lane.turn)
        return sendTable(request, reply, end, {
          name: list.endpoint.operationId,
          source,
          columns: list.columns,
          style: { isForSpreadsheet: form !== undefined },
          key: source.variables,
        })
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
      const isKnown = isFresh(request.headers['if-none-match'], tag)
      if (isKnown) reply.code(304)
      const format = formatOf(season)
      reply.type(format.type)
      return isKnown || request.method === 'HEAD'
        ? undefined
        : formOf(format, columnsOf(table), table)
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
    let onRead = () => {}
    const read = new Promise<void>((resolve) => {
      onRead = resolve
    })
    let onClosed = () => {}
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve
    })
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
        onRead()
        // Who has a whole table may ask for the next one: it has left its place in the lane.
        await closed
        yield tail
      }
      isSent = true
      reply.send(Readable.from(texts(), { objectMode: false }))
      await Promise.race([read, finished(reply.raw, { signal })])
    }
    await lane
      .read(source, { request, reply, left: left.signal }, use)
      .catch((error: unknown) => {
        // A table that broke off ends its connection, so that nobody takes it for whole.
        if (!isSent) throw error
        reply.raw.destroy()
      })
      .finally(onClosed)
  }

  async function sendTable(
    request: FastifyRequest,
    reply: FastifyReply,
    end: string,
    table: WholeTable,
  ): Promise<FastifyReply> {
    const { name, source, columns, style, key, begin } = table
    const format = formats[end]
    if (style.isForSpreadsheet && end !== 'csv')
      throw badArgument('for', `must be left out of ${end}: a spreadsheet reads CSV`)
    reply.headers({ ...HEADERS, 'content-disposition': attachment(`${name}.${end}`) })
    if (!format) {
      reply.type('application/vnd.apache.parquet')
      return sendFile(request, reply, await fileOf(table, request, reply))
    }
    reply.type(format.type)
    const etag = await tagOfTable(store, [name, end, style.isForSpreadsheet, key])
    const isKnown = isFresh(request.headers['if-none-match'], etag)
    if (isKnown) reply.code(304)
    if (isKnown || request.method === 'HEAD') return sendHead(reply.headers({ etag }))
    await send(source, request, reply, async (client) => {
      await begin?.(client)
      reply.header('etag', etag)
      return formOf(
        format,
        columns.map((column) => column.name),
        style,
      )
    })
    return reply
  }

  // Clients read the end of a file first, so it is made as a whole, even if they go meanwhile.
  function fileOf(
    { name, source, columns, key }: WholeTable,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    // Who waits for a file that another request makes needs no slot either.
    exchangeOf(request.raw, reply.raw).onQueued()
    const make = (path: string) =>
      lane.read(source, { request, reply }, async (chunks) => {
        // Its package is only loaded for the first file.
        const { writeParquet } = await import('./parquet.ts')
        await writeParquet(path, columns, chunks)
      })
    return files.of(JSON.stringify([name, key]), () => historyPoint(store), make)
  }
}

const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

const attachment = (name: string) => `attachment; filename="${name}"`

function refuseParameters({ query }: FastifyRequest): void {
  const [name] = Object.keys(query as object)
  if (name !== undefined) throw badArgument(name.slice(0, 60), 'must be left out')
}

/** A table that is sent in any format. */
interface WholeTable {
  name: string
  source: Source<Row>
  columns: Column[]
  style: Style
  /** The values that its rows depend on, other than its name and the data. */
  key: unknown
  /** Runs in the snapshot of the rows, before they are read. */
  begin?(client: PoolClient): Promise<void>
}

/** How rows are written. */
interface Form<One> {
  head: string
  text(rows: One[]): string
  tail?: string | undefined
}

function formOf(format: Format, columns: string[], style: Style): Form<Row> {
  return {
    head: format.head(columns, style),
    text: (rows) => format.lines(rows, columns, style),
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
