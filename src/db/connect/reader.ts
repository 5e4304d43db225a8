import pg from 'pg'
import { parseDecimal } from '../../exact-number.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { storeFault } from '../faults.ts'
import type { Topology } from '../topology/topology.ts'
import { explainOn } from './explain.ts'
import type { Send } from './models.ts'
import { type Prepared, PreparedQuery, type PreparedStatements } from './prepared.ts'
import { ReadBudget } from './read-budget.ts'
import type { TextRow } from './row-parser.ts'
import type { Statement } from './scope.ts'
import { textRows } from './text-query.ts'

/** Reads the store for resolvers. In a query, all rows belong to one snapshot. */
export interface Reader {
  /** Returns the rows of a statement: a tagged template, or a composed one. */
  $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>
  /** Returns the rows of a statement as Postgres sends them: the text of each column. */
  textRows(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]>
  /** Returns the query plan of the store for a statement. Undefined if it has none, or does not find one soon. */
  explain(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<unknown>
  /** The topology of the store. */
  readonly topology: Topology
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  readonly maxBytes?: number | undefined
  /** Prisma's models on the same snapshot. */
  readonly models: Prisma.TransactionClient
}

/** Lends a connection to work that sends one statement. */
export type Lend = <T>(
  statement: Prepared | undefined,
  work: (client: Pick<pg.ClientBase, 'query'>) => Promise<T>,
) => Promise<T>

interface PgReaderOptions {
  /** The names of statements. */
  statements: PreparedStatements
  /** Called with each statement after it has ended. */
  onStatement?: ((statement: Statement) => void) | undefined
  topology: Topology
  /** Explains a statement; by default on a lent connection, which must be in a transaction. */
  explain?: Reader['explain']
  /** The maximum number of bytes of all rows together. Undefined means no limit. */
  maxBytes?: number | undefined
  /** Opens Prisma's models on first use. Undefined if they are not needed. */
  models?: (send: Send) => Prisma.TransactionClient
}

interface Named {
  name: string | undefined
  text: string
}

/** Creates a reader that sends named statements through pg. */
export function pgReader(lend: Lend, options: PgReaderOptions): Reader {
  return new PgReader(lend, options)
}

class PgReader implements Reader {
  readonly #lend: Lend
  readonly #statements: PreparedStatements
  readonly #onStatement: ((statement: Statement) => void) | undefined
  readonly #budget: ReadBudget | undefined
  readonly #openModels: PgReaderOptions['models']
  #models: Prisma.TransactionClient | undefined
  readonly maxBytes: number | undefined
  readonly #explain: PgReaderOptions['explain']
  readonly topology: Topology

  constructor(lend: Lend, { statements, onStatement, maxBytes, models, topology, explain }: PgReaderOptions) {
    this.topology = topology
    this.#explain = explain
    this.#lend = lend
    this.#statements = statements
    this.#onStatement = onStatement
    this.#openModels = models
    this.maxBytes = maxBytes
    this.#budget = maxBytes === undefined ? undefined : new ReadBudget(maxBytes)
  }

  async $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...given: unknown[]): Promise<Rows> {
    const { text, values } = 'text' in query ? query : Prisma.sql(query, ...given)
    return (await this.#send({ text, values, types } as pg.QueryConfig)).rows as Rows
  }

  textRows({ text, values }: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]> {
    return this.#run(text, (client, named) => textRows(client, { ...named, values: values as unknown[] }, this.#budget))
  }

  explain(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<unknown> {
    return this.#explain?.(query) ?? this.#lend(undefined, (client) => explainOn(client, query))
  }

  get models(): Prisma.TransactionClient {
    this.#models ??= this.#openModels?.((statement) => this.#send(statement))
    if (!this.#models) throw new Error('the reader was opened without models')
    return this.#models
  }

  #send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#run(statement.text, (client, named) => valueRows(client, { ...statement, ...named }, this.#budget))
  }

  /** Sends a statement, and reports it when it has ended. */
  async #run<T>(text: string, send: (client: Pick<pg.ClientBase, 'query'>, named: Named) => Promise<T>): Promise<T> {
    this.#budget?.count()
    const statement = this.#statements.of(text)
    let sentAt = performance.now()
    const ended = (outcome: Statement['outcome']) =>
      this.#onStatement?.({ text, sentAt, ms: performance.now() - sentAt, outcome })
    try {
      const result = await this.#lend(statement, (client) => {
        sentAt = performance.now()
        return send(client, { name: statement?.name, text: statement?.text ?? text })
      })
      ended('ok')
      return result
    } catch (error) {
      ended(storeFault(error)?.code === 'TIMEOUT' ? 'timeout' : 'failed')
      throw error
    }
  }
}

/** Sends a statement and parses its rows by column type. */
function valueRows(
  client: Pick<pg.ClientBase, 'query'>,
  statement: pg.QueryConfig,
  budget: ReadBudget | undefined,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result?: pg.QueryResult) => {
      const fault = error ?? budget?.fault
      if (fault) reject(fault)
      else resolve(result as pg.QueryResult)
    }
    client.query(new ValueQuery(statement, budget, done))
  })
}

/** An internal method of pg's query, which its clients call. */
const rowHandler = pg.Query.prototype as unknown as { handleDataRow(row: { length: number }): void }

class ValueQuery extends PreparedQuery {
  readonly #budget: ReadBudget | undefined

  constructor(
    statement: pg.QueryConfig,
    budget: ReadBudget | undefined,
    callback: (error: Error | null, result?: pg.QueryResult) => void,
  ) {
    super(statement)
    this.#budget = budget
    Object.assign(this, { callback })
  }

  handleDataRow(row: { length: number }): void {
    if (this.#budget?.takes(row.length) ?? true) rowHandler.handleDataRow.call(this, row)
  }
}

const { builtins } = pg.types
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: BigInt,
  // Points. Token amounts are selected as text.
  [builtins.NUMERIC]: parseDecimal,
  [builtins.DATE]: (text) => new Date(`${text}T00:00:00.000Z`),
}
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
}
