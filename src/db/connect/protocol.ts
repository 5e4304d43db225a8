/**
 * The part of Postgres' protocol that differs from pg's: names of statements, and rows that stay
 * text. It uses internals of pg.
 */
import { isAscii } from 'node:buffer'
import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { serialize } from 'pg-protocol/dist/serializer.js'
import type { TextRow } from 'pothos-sql'

export type { TextRow }

/** Runs statements: a client, a pool or a Writer. */
export type Queryable = Pick<pg.ClientBase, 'query'>

const DATA_ROW = 68
// A character of Latin-1 that is a part of a longer one in UTF-8.
const WIDE = /[\x80-\xff]/

interface ServerMessage {
  name: string
}

// Internal properties of pg's parser.
interface ParserInternals {
  bufferOffset: number
  bufferLength: number
  parse(chunk: Buffer, callback: (message: ServerMessage) => void): void
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): ServerMessage
}

// Parses messages of Postgres. The values of rows are parts of one string for each chunk: decoding
// each takes ten times as long.
class RowParser extends (Parser as unknown as new () => ParserInternals) {
  // The bytes of a chunk as Latin-1, one character a byte. Undefined before they are needed.
  #text: string | undefined
  #isAscii = false

  override parse(chunk: Buffer, callback: (message: ServerMessage) => void): void {
    this.#text = undefined
    super.parse(chunk, callback)
  }

  override handlePacket(
    offset: number,
    code: number,
    length: number,
    bytes: Buffer,
  ): ServerMessage {
    return code === DATA_ROW
      ? new DataRow(this, bytes, offset, length)
      : super.handlePacket(offset, code, length, bytes)
  }

  fields(bytes: Buffer, offset: number, length: number): TextRow {
    return (
      super.handlePacket(offset, DATA_ROW, length, bytes) as ServerMessage & { fields: TextRow }
    ).fields
  }

  texts(bytes: Buffer, offset: number): TextRow {
    const start = this.bufferOffset
    if (this.#text === undefined) {
      const end = start + this.bufferLength
      this.#text = bytes.toString('latin1', start, end)
      this.#isAscii = isAscii(bytes.subarray(start, end))
    }
    const values: TextRow = new Array(bytes.readUInt16BE(offset))
    let at = offset + 2
    for (let i = 0; i < values.length; i++) {
      const length = bytes.readInt32BE(at)
      at += 4
      if (length < 0) values[i] = null
      else {
        const value = this.#text.substring(at - start, at - start + length)
        values[i] =
          this.#isAscii || !WIDE.test(value) ? value : bytes.toString('utf8', at, at + length)
        at += length
      }
    }
    return values
  }
}

// A row, to be read before the next one arrives.
class DataRow implements ServerMessage {
  readonly name = 'dataRow'
  readonly length: number
  readonly #parser: RowParser
  readonly #bytes: Buffer
  readonly #offset: number

  constructor(parser: RowParser, bytes: Buffer, offset: number, length: number) {
    this.length = length
    this.#parser = parser
    this.#bytes = bytes
    this.#offset = offset
  }

  get fields(): TextRow {
    return this.#parser.fields(this.#bytes, this.#offset, this.length)
  }

  /**
   * The same, faster. Each value keeps its chunk in memory, so they are for answers, not to be
   * cached.
   */
  get texts(): TextRow {
    return this.#parser.texts(this.#bytes, this.#offset)
  }
}

type Listening = pg.Connection & { attachListeners(stream: Readable): void }

/** Makes a connection parse its messages with this parser. */
export function parseRows(connection: pg.Connection): void {
  ;(connection as Listening).attachListeners = (stream) => {
    const parser = new RowParser()
    const emit = (message: ServerMessage) =>
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
    stream.on('data', (chunk: Buffer) => parser.parse(chunk, emit))
  }
}

// Methods of pg's connection that send a statement. Statements without names are parsed each time.
type Sending = pg.Connection & {
  query(text: string): void
  parse(statement: { text: string }): void
  emit(name: string, ...values: unknown[]): boolean
}

// The answers to a statement that come before its end.
const ANSWERS = new Set(['parseComplete', 'bindComplete', 'rowDescription', 'dataRow'])

/**
 * Sends settings with each statement outside of a transaction, as one implicit transaction and one
 * write, and drops the answer to them. A statement that begins a transaction is followed by them.
 * @param settings a SELECT that sets them until the transaction ends
 */
export function pinStatements(client: pg.Client, settings: string): void {
  const connection = client.connection as unknown as Sending
  const query = connection.query.bind(connection)
  const parse = connection.parse.bind(connection)
  const emit = connection.emit.bind(connection)
  const pin = Buffer.concat([
    serialize.parse({ text: settings }),
    serialize.bind({}),
    serialize.execute({}),
  ])
  const isIdle = () => !['T', 'E'].includes(client.getTransactionStatus() ?? '')
  // True for each unanswered statement, in order, that was sent with the settings.
  const sent: boolean[] = []
  let drops = false
  const sends = (withSettings: boolean) => {
    if (sent.push(withSettings) === 1) drops = withSettings
    return withSettings
  }
  connection.query = (text) => {
    if (/^BEGIN\b/.test(text)) {
      sends(false)
      query(`${text}; ${settings}`)
    } else query(sends(isIdle()) ? `${settings}; ${text}` : text)
  }
  connection.parse = (statement) => {
    if (sends(isIdle())) connection.stream.write(pin)
    parse(statement)
  }
  connection.emit = (name: string, ...values: unknown[]) => {
    if (name === 'readyForQuery') {
      sent.shift()
      drops = sent[0] ?? false
    } else if (drops && ANSWERS.has(name)) return true
    else if (drops && (name === 'commandComplete' || name === 'errorMessage')) {
      drops = false
      if (name === 'commandComplete') return true
    }
    return emit(name, ...values)
  }
}

// The maximum number of statements that a connection has prepared.
const MAX_STATEMENTS = 1000
// Postgres caches the plans of prepared statements on each connection, so all of them together are
// bounded too. That of a whole page about a wallet has 80,000 characters.
const MAX_LENGTH = 100_000
const MAX_BYTES = 4 * 1024 * 1024
// The memory of a statement without its text, with its names on all connections.
const STATEMENT_BYTES = 2000

/**
 * A statement with a name, by which each connection parses and plans it once. Connections share its
 * text.
 */
export interface PreparedStatement {
  readonly name: string
  readonly text: string
}

/**
 * Names statements by their text. One that has not been sent for long leaves its name to another.
 */
export class PreparedStatements {
  readonly #statements: LRUCache<string, PreparedStatement>
  readonly #freeNames: string[] = []
  #names = 0

  /** @param maxBytes the memory that statements may take */
  constructor(maxBytes = MAX_BYTES) {
    this.#statements = new LRUCache({
      max: MAX_STATEMENTS,
      maxSize: maxBytes,
      sizeCalculation: (_, text) => text.length + STATEMENT_BYTES,
      dispose: ({ name }) => this.#freeNames.push(name),
    })
  }

  get bytes(): number {
    return this.#statements.calculatedSize
  }

  /** Names a statement. Undefined if it is too long to be prepared. */
  of(text: string): PreparedStatement | undefined {
    const cached = this.#statements.get(text)
    if (cached || text.length > MAX_LENGTH) return cached
    const prepared = { name: this.#freeNames.pop() ?? `gateway_${this.#names++}`, text }
    this.#statements.set(text, prepared)
    return prepared
  }
}

/** Receives the result of a statement, or why it has failed. */
export type Done<T> = (error: unknown, result?: T) => void

/** Sends one statement on a connection, and calls `done` when it has ended. */
export type Send<T> = (client: Queryable, done: Done<T>) => void

/** Counts the bytes of rows on their arrival. */
export interface Budget {
  /** @returns whether a row is within the bound */
  takes(bytes: number): boolean
  /** The error if the bound was exceeded. */
  readonly fault: Error | undefined
}

interface BoundStatement {
  name: string | undefined
  text: string
  values: unknown[]
}

// Internal properties of pg's query and connection.
type NamedQuery = pg.Query & { name?: string; text: string }
type Parsing = pg.Connection &
  Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>
type QueryInternals = {
  prepare(connection: pg.Connection): void
  handleDataRow(row: { length: number }): void
}
const { submit } = pg.Query.prototype
const { prepare, handleDataRow } = pg.Query.prototype as unknown as QueryInternals

// A query whose name another statement may have had before on the same connection.
class BudgetedQuery extends pg.Query {
  readonly budget: Budget | undefined

  constructor(statement: pg.QueryConfig | string, budget: Budget | undefined) {
    super(statement)
    this.budget = budget
  }
}
BudgetedQuery.prototype.submit = function (this: NamedQuery, connection) {
  const { name, text } = this
  const { parsedStatements: parsed, submittedNamedStatements: submitted } = connection as Parsing
  if (name !== undefined) {
    const former = parsed[name] ?? submitted[name]
    if (former !== undefined && former !== text) {
      connection.close({ type: 'S', name }, true)
      delete parsed[name]
      delete submitted[name]
    }
  }
  return submit.call(this, connection)
}

/** Sends a statement and parses its rows by column type. */
export function sendForValues(
  client: Queryable,
  statement: pg.QueryConfig,
  budget: Budget | undefined,
  done: Done<pg.QueryResult>,
): void {
  const query = new ValueQuery(statement, budget)
  const callback = (error: Error | null, result?: pg.QueryResult) =>
    done(error ?? budget?.fault, result)
  client.query(Object.assign(query, { callback }))
}

class ValueQuery extends BudgetedQuery {
  handleDataRow(row: { length: number }): void {
    if (this.budget?.takes(row.length) ?? true) handleDataRow.call(this, row)
  }
}

/** Sends a statement and collects its rows as text, which pg would parse by type. */
export function sendForText(
  client: Queryable,
  statement: BoundStatement,
  budget: Budget | undefined,
  done: Done<TextRow[]>,
): void {
  // pg would copy an object property by property.
  const query = new TextQuery(statement.text, budget)
  const callback = (error: Error | null) => done(error ?? budget?.fault, query.read)
  client.query(Object.assign(query, statement, { callback }))
}

// Executes a bound statement, in one write.
const EXECUTE = Buffer.concat([serialize.execute({}), serialize.sync()])

// The methods of pg's query that its clients call and that differ here.
class TextQuery extends BudgetedQuery {
  readonly read: TextRow[] = []

  /** Sends it without a request to describe its columns. */
  prepare(connection: pg.Connection): void {
    const { describe } = connection
    connection.describe = () => {}
    try {
      prepare.call(this, connection)
    } finally {
      connection.describe = describe
    }
  }

  _getRows(connection: pg.Connection): void {
    connection.stream.write(EXECUTE)
  }

  handleRowDescription(): void {}

  handleDataRow(row: DataRow): void {
    if (this.budget?.takes(row.length) ?? true) this.read.push(row.texts)
    else this.read.length = 0
  }

  handleCommandComplete(): void {}
}
