import type { PoolClient } from 'pg'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { badArgument } from '../errors.ts'
import { exactJson, parseExact } from '../exact-number.ts'
import type { Graph } from '../graphql/execution/graph.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import { readInput } from '../http/rest.ts'
import { type Endpoint, REQUEST_TIME } from '../rest/endpoint.ts'
import { endpoints } from '../rest/index.ts'
import type { Source } from './lane.ts'
import type { Column } from './parquet.ts'
import { CHUNK, FIRST_CHUNK, fittingChunk, pageReader, type Row, readPage } from './rows.ts'

/** A list of a documented endpoint, whose pages are the answers of the endpoint. */
export interface DocumentedList {
  path: string
  endpoint: Endpoint
  operation: Operation
  columns: Column[]
  /** The key of the list in an answer. Undefined if the answer is the list. */
  key: string | undefined
}

interface Input {
  path: unknown
  query: Record<string, unknown>
}

// The parameters of a page in the two documents. A table begins at a cursor, or has all rows.
const OF_PAGES = ['limit', 'page', 'page_size']

/** The documented endpoints that answer with a list, or with pages of one. */
export function documentedLists({ operations }: Graph): DocumentedList[] {
  return endpoints.flatMap(([method, path, endpoint]) => {
    const list = listIn(endpoint.response)
    if (method !== 'GET' || !list) return []
    const { operation: document, hasRows } = endpoint
    const operation = operations.of(document, undefined, hasRows) as Operation
    return [{ path, endpoint, operation, ...list }]
  })
}

function listIn(response: z.ZodType): Pick<DocumentedList, 'key' | 'columns'> | undefined {
  if (response instanceof z.ZodArray && response.element instanceof z.ZodObject)
    return { key: undefined, columns: columnsOf(response.element) }
  if (!(response instanceof z.ZodObject)) return undefined
  for (const [key, value] of Object.entries(response.shape))
    if (value instanceof z.ZodArray && value.element instanceof z.ZodObject)
      return { key, columns: columnsOf(value.element) }
  return undefined
}

const columnsOf = ({ shape }: z.ZodObject): Column[] =>
  Object.entries(shape).map(([name, value]) => ({ name, type: typeOf(value as z.ZodType) }))

// The type of the graph whose values are stored in the same way. Undefined for lists and objects.
function typeOf(value: z.ZodType): string | undefined {
  const known = value instanceof z.ZodUnion ? value.options[0] : value
  if (known instanceof z.ZodNumber) return known.isInt ? 'SafeInt' : 'Float'
  if (known instanceof z.ZodBoolean) return 'Boolean'
  return known instanceof z.ZodArray || known instanceof z.ZodObject ? undefined : 'String'
}

/** Reads the parameters of a request, without those of pages. @throws BAD_INPUT */
export function readDocumented(
  { endpoint }: DocumentedList,
  params: unknown,
  query: Record<string, unknown>,
): Input {
  const [name] = OF_PAGES.filter((one) => Object.hasOwn(query, one))
  if (name) throw badArgument(name, 'must be left out: a table has all rows')
  const { path, query: known } = readInput(endpoint, { params, query, body: undefined })
  return { path, query: { ...(known as object), page_size: CHUNK, limit: CHUNK } }
}

interface Body {
  nextCursor?: string | null
  pagination?: { has_more: boolean }
  [key: string]: unknown
}

const timed = (value: unknown = null, at: Date) =>
  value === REQUEST_TIME ? at.toISOString() : value

/** The rows of a list, page by page in the snapshot of a transaction, as JSON of its columns. */
export function pagesOf(
  { store, now }: Deps,
  { endpoint, operation, columns, key }: DocumentedList,
  input: Input,
  turn: () => Promise<void>,
): Source<Row> {
  const at = now()
  const variablesOf = (query: object) =>
    endpoint.variables({ ...input, query, now: () => at } as never) as Record<string, unknown>
  async function* rows(client: PoolClient) {
    const reader = pageReader(store, client)
    let chunk = FIRST_CHUNK
    let query: Record<string, unknown> = { ...input.query, limit: chunk }
    for (let after: string | null | undefined; ; ) {
      const variables = { ...variablesOf(query), ...(after && { after }) }
      const read = await readPage(operation, variables, reader)
      await turn()
      const data = parseExact(read.json)
      const { rows: own = { json: '', length: 0, last: undefined } } = read
      const call = { ...input, query, variables, data, pages: [data], rows: own }
      const body = endpoint.answer(call as never).body as Body
      const listed = key === undefined ? body : body[key]
      const items = endpoint.hasRows ? parseExact(`[${own.json}]`) : listed
      yield (items as Body[]).map((item) =>
        columns.map(({ name }) => exactJson(timed(item[name], at))),
      )
      chunk = fittingChunk(chunk, read.json.length + own.json.length)
      const page = endpoint.pageInfo?.(data)
      const { nextCursor, pagination } = body
      if (page?.hasNextPage) after = page.endCursor
      else if (nextCursor) query = { ...query, cursor: nextCursor, limit: chunk }
      else if (pagination?.has_more) query = { ...query, page: Number(query.page) + 1 }
      else return
    }
  }
  return { operation, variables: variablesOf(input.query), first: undefined, rows }
}
