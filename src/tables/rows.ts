import { GraphQLError } from 'graphql'
import type { PoolClient, QueryConfig } from 'pg'
import type { Statement, TextRow } from 'pothos-sql'
import { plainReader, type Reader } from '../db/connect/reader.ts'
import type { Store } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import { parseExact } from '../exact-number.ts'
import type { Operation } from '../graphql/execution/operation.ts'

/** The most rows that are read at a time: a full page of the graph. */
export const CHUNK = 1000
/** The rows that are read first. Their size decides how many follow at a time. */
export const FIRST_CHUNK = 100
// The characters of the rows that are read at a time, or of a single row.
const CHUNK_SIZE = 512 * 1024

// No list has more rows.
const ALL = 2n ** 62n

/** A row of the graph, and its cursor if the table has cursors. */
export interface Row {
  node: Record<string, unknown>
  cursor?: string
}

/** The rows that are read: a planned page of the graph, without its end. */
export interface Selection {
  operation: Operation
  variables: Record<string, unknown>
  /** The maximum number of rows. Undefined means all. */
  first: number | undefined
}

/** The value at a path of a row. Null if something on it is. */
export function valueAt(node: Row['node'], path: string[]): unknown {
  let value: unknown = node
  for (const key of path) value = (value as Record<string, unknown> | null)?.[key] ?? null
  return value
}

interface Page {
  rows: { nodes?: Row['node'][]; edges?: Row[] }
}

/**
 * Reads the rows of a table from the snapshot of a transaction, some at a time. The first rows may
 * be none.
 * @param turn waits until rows that have been read may be written
 * @throws BAD_INPUT
 */
export async function* rowsOf(
  store: Store,
  client: PoolClient,
  { operation, variables, first }: Selection,
  turn: () => Promise<void>,
): AsyncGenerator<Row[]> {
  const cursor = new Cursor(client, first)
  const next = async (statement: Statement) => {
    const rows = await cursor.next(statement)
    await turn()
    return rows
  }
  const reader = readerOf(store, client, next)
  while (!cursor.isAtEnd) {
    const answer = await readPage(operation, variables, reader)
    cursor.chooseChunk(answer.json.length)
    const { rows } = parseExact(answer.json) as Page
    yield rows.edges ?? rows.nodes?.map((node) => ({ node })) ?? []
  }
  await cursor.close()
}

/** Reads a page of a planned operation. @throws UNSUPPORTED, and what the graph refuses */
export async function readPage(
  { plan }: Operation,
  variables: Record<string, unknown>,
  reader: Reader,
) {
  const answer = await plan.run(reader, variables).catch((error: unknown) => {
    throw (error instanceof GraphQLError && error.originalError) || error
  })
  if (answer) return answer
  throw new GatewayError('UNSUPPORTED', 'This store cannot send this list as a table.')
}

/** The rows of a statement, without the end of its page, on a cursor of Postgres. */
class Cursor {
  isAtEnd = false
  #isOpen = false
  #chunk = FIRST_CHUNK
  readonly #client: PoolClient
  readonly #first: number | undefined

  constructor(client: PoolClient, first: number | undefined) {
    this.#client = client
    this.#first = first
  }

  async next({ text, values }: Statement): Promise<TextRow[]> {
    if (!this.#isOpen) {
      const whole = text.replace(PAGE, `LIMIT ${this.#first ?? ALL}`)
      await this.#client.query(`DECLARE whole NO SCROLL CURSOR FOR ${whole}`, values as unknown[])
      this.#isOpen = true
    }
    const rows = await textRows(this.#client, { text: `FETCH ${this.#chunk} FROM whole` })
    this.isAtEnd = rows.length < this.#chunk
    return rows
  }

  /** Makes room for another table of the same transaction. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#client.query('CLOSE whole')
  }

  /** Chooses how many rows are read next, by the size of those that were. */
  chooseChunk(size: number): void {
    this.#chunk = fittingChunk(this.#chunk, size)
  }
}

/** The number of rows to read next, after some that have a number of characters together. */
export const fittingChunk = (rows: number, characters: number): number =>
  Math.max(1, Math.min(CHUNK, Math.floor((rows * CHUNK_SIZE) / characters)))

async function textRows(client: PoolClient, statement: QueryConfig): Promise<TextRow[]> {
  const { rows } = await client.query<TextRow>({
    ...statement,
    rowMode: 'array',
    types: { getTypeParser: () => (value: string) => value },
  })
  return rows
}

/** A reader of planned pages on the snapshot of a transaction. */
export const pageReader = (store: Store, client: PoolClient): Reader =>
  readerOf(store, client, ({ text, values }) =>
    textRows(client, { text, values: values as unknown[] }),
  )

const PAGE = new RegExp(String.raw`\bLIMIT (${CHUNK}|${CHUNK + 1})\b`, 'g')

/** A reader on which a planned page is the next rows of a cursor. */
function readerOf(store: Store, client: PoolClient, textRows: Reader['textRows']): Reader {
  const reads = {
    scope() {},
    exclusive: (_: unknown, work: (client: PoolClient) => unknown) => work(client),
  }
  const plain = plainReader({ ...store, reads: reads as unknown as Store['reads'] })
  const reader: Reader = {
    dialect: plain.dialect,
    isOver: false,
    get models() {
      return plain.models
    },
    $queryRaw: (query, ...values) => plain.$queryRaw(query, ...values),
    explain: (query) => plain.explain(query),
    snapshot: (work) => work(reader),
    textRows,
  }
  return reader
}
