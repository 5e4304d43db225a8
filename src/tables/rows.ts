import { GraphQLError } from 'graphql'
import type { PoolClient } from 'pg'
import type { Statement, TextRow } from 'pothos-sql'
import { sendForText } from '../db/connect/protocol.ts'
import { plainReader, type Reader } from '../db/connect/reader.ts'
import type { Store } from '../db/connect/store.ts'
import { GatewayError } from '../errors.ts'
import type { Operation } from '../graphql/execution/operation.ts'
import { type Cell, Cells } from './cells.ts'

/** The most rows that are read at a time: a full page of the graph. */
export const CHUNK = 1000
/** The rows that are read first. Their size decides how many follow at a time. */
export const FIRST_CHUNK = 100
// The characters of the rows that are read at a time, or of a single row.
const CHUNK_SIZE = 256 * 1024

// No list has more rows.
const ALL = 2n ** 62n

/** A row: its values as JSON, in the order of the columns. */
export type Row = Cell[]

/** The rows that are read: a planned page of the graph, without its end. */
export interface Selection {
  operation: Operation
  variables: Record<string, unknown>
  /** The maximum number of rows. Undefined means all. */
  first: number | undefined
}

/** A selection of columns. */
export interface SelectedColumns extends Selection {
  columns: string[]
  /** True if the last value of a row is its cursor. */
  hasCursors: boolean
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
  { operation, variables, columns, hasCursors, first }: SelectedColumns,
  turn: () => Promise<void>,
): AsyncGenerator<Row[]> {
  const cursor = new Cursor(client, first)
  const next = async (statement: Statement) => {
    const rows = await cursor.next(statement)
    await turn()
    return rows
  }
  const reader = readerOf(store, client, next)
  const cells = new Cells(columns, hasCursors)
  while (!cursor.isAtEnd) {
    const answer = await readPage(operation, variables, reader)
    cursor.readAhead(answer.json.length)
    yield cells.rowsOf(answer.json)
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

/** Rows of a cursor. */
interface Fetched {
  rows: TextRow[]
  isLast: boolean
}

/** The rows of a statement, without the end of its page, on a cursor of Postgres. */
class Cursor {
  isAtEnd = false
  #isOpen = false
  #chunk = FIRST_CHUNK
  #read = 0
  // Read while those before are written.
  #ahead: Promise<Fetched> | undefined
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
    const { rows, isLast } = await (this.#ahead ?? this.#fetch())
    this.#ahead = undefined
    this.#read = rows.length
    this.isAtEnd = isLast
    return rows
  }

  /** Begins to read the next rows: as many as fit, by the size of those that were read. */
  readAhead(size: number): void {
    if (this.isAtEnd) return
    this.#chunk = fittingChunk(this.#read, size)
    this.#ahead = this.#fetch()
    // Who asks for the rows has the error.
    this.#ahead.catch(() => {})
  }

  async #fetch(): Promise<Fetched> {
    const chunk = this.#chunk
    const rows = await textRows(this.#client, { text: `FETCH ${chunk} FROM whole`, values: [] })
    return { rows, isLast: rows.length < chunk }
  }

  /** Makes room for another table of the same transaction. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#client.query('CLOSE whole')
  }
}

/** The number of rows to read next, after some that have a number of characters together. */
export const fittingChunk = (rows: number, characters: number): number =>
  Math.max(1, Math.min(CHUNK, Math.floor((rows * CHUNK_SIZE) / characters)))

const textRows = (client: PoolClient, { text, values }: Statement): Promise<TextRow[]> =>
  new Promise((resolve, reject) => {
    const statement = { name: undefined, text, values: values as unknown[] }
    sendForText(client, statement, undefined, (error, rows = []) =>
      error ? reject(error) : resolve(rows),
    )
  })

/** A reader of planned pages on the snapshot of a transaction. */
export const pageReader = (store: Store, client: PoolClient): Reader =>
  readerOf(store, client, (statement) => textRows(client, statement))

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
