import pg from 'pg'
import { GatewayError } from '../../errors.ts'
import { parseDecimal } from '../../exact-number.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { storeFault } from '../faults.ts'
import type { Topology } from '../topology/topology.ts'
import { explainOn } from './explain.ts'
import {
  type Budget,
  type Done,
  type Prepared,
  type Send,
  sendForText,
  sendForValues,
  type TextRow,
} from './protocol.ts'
import type { Caller, Statement } from './scope.ts'
import type { Store } from './store.ts'

/** Reads the store for resolvers. In a query, all rows belong to one snapshot. */
export interface Reader {
  /** Returns the rows of a statement: a tagged template, or a composed one. */
  $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>
  /** Returns the rows of a statement as Postgres sends them: the text of each column. */
  textRows(query: Query): Promise<TextRow[]>
  /** Returns the query plan of the store for a statement. Undefined if it has none, or does not find one soon. */
  explain(query: Query): Promise<unknown>
  readonly topology: Topology
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  readonly maxBytes?: number | undefined
  /** Prisma's models on the same snapshot. */
  readonly models: Prisma.TransactionClient
}

/** Loads the values of many keys, in the order of the keys. All keys share the arguments. */
export type Batch<Key, Value, Args extends unknown[] = []> = (
  reader: Reader,
  keys: readonly Key[],
  ...args: Args
) => Promise<Value[]>

type Query = Pick<Prisma.Sql, 'text' | 'values'>

/** Sends one statement on a connection, and calls `done` when it has ended. */
type SendOne = <T>(statement: Prepared | undefined, send: Send<T>, done: Done<T>) => void

/** The maximum number of statements of one operation. */
const MAX_STATEMENTS = 500

interface ReaderOptions {
  send: SendOne
  caller?: Caller | undefined
  statements?: number
  /** The maximum number of bytes of all rows together. Undefined means no limit. */
  maxBytes?: number | undefined
  /** Explains a statement; by default on its connection, which must be in a transaction. */
  explain?: Reader['explain']
  /** Opens Prisma's models on first use. */
  models(send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>): Prisma.TransactionClient
}

interface Named {
  name: string | undefined
  text: string
}

/** Sends named statements through pg. Rows beyond its bound are dropped on arrival, so that they never fill the memory. */
class PgReader implements Reader, Budget {
  readonly #store: Pick<Store, 'statements' | 'onStatement' | 'topology'>
  readonly #options: ReaderOptions
  #models: Prisma.TransactionClient | undefined
  #bytes = 0
  /** The number of statements that it was asked for. */
  asked = 0

  constructor(store: Pick<Store, 'statements' | 'onStatement' | 'topology'>, options: ReaderOptions) {
    this.#store = store
    this.#options = options
  }

  get topology(): Topology {
    return this.#store.topology
  }

  get maxBytes(): number | undefined {
    return this.#options.maxBytes
  }

  async $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows> {
    const sql = 'text' in query ? query : Prisma.sql(query, ...values)
    return (await this.#values({ text: sql.text, values: sql.values, types } as pg.QueryConfig)).rows as Rows
  }

  textRows({ text, values }: Query): Promise<TextRow[]> {
    return this.#send(text, (client, done, named) =>
      sendForText(client, { ...named, values: values as unknown[] }, this, done),
    )
  }

  explain(query: Query): Promise<unknown> {
    const { explain, send } = this.#options
    if (explain) return explain(query)
    return new Promise((resolve, reject) => {
      const work: Send<unknown> = (client, done) => explainOn(client, query).then((plan) => done(undefined, plan), done)
      send(undefined, work, (error, plan) => (error ? reject(error) : resolve(plan)))
    })
  }

  get models(): Prisma.TransactionClient {
    this.#models ??= this.#options.models((statement) => this.#values(statement))
    return this.#models
  }

  takes(bytes: number): boolean {
    this.#bytes += bytes
    return this.#bytes <= (this.#options.maxBytes ?? Number.POSITIVE_INFINITY)
  }

  get fault(): GatewayError | undefined {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options
    return this.#bytes > maxBytes ? answerTooLarge(maxBytes) : undefined
  }

  #values(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.#send(statement.text, (client, done, named) =>
      sendForValues(client, { ...statement, ...named }, this, done),
    )
  }

  /** Sends a statement, and reports it when it has ended. */
  #send<T>(
    text: string,
    send: (client: Pick<pg.ClientBase, 'query'>, done: Done<T>, named: Named) => void,
  ): Promise<T> {
    const { caller, statements = MAX_STATEMENTS } = this.#options
    if (++this.asked > statements) return Promise.reject(statements === 1 ? new SecondStatement() : tooMany(statements))
    const { onStatement } = this.#store
    const statement = this.#store.statements.of(text)
    let sentAt = performance.now()
    return new Promise((resolve, reject) => {
      const sendNow: Send<T> = (client, done) => {
        sentAt = performance.now()
        send(client, done, { name: statement?.name, text: statement?.text ?? text })
      }
      this.#options.send(statement, sendNow, (error, result) => {
        const outcome = !error ? 'ok' : storeFault(error)?.code === 'TIMEOUT' ? 'timeout' : 'failed'
        const ended: Statement = { text, sentAt, ms: performance.now() - sentAt, outcome }
        onStatement?.(ended)
        caller?.onStatement?.(ended)
        if (error) reject(error)
        else resolve(result as T)
      })
    })
  }
}

export const answerTooLarge = (maxBytes: number) =>
  new GatewayError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${maxBytes.toLocaleString('en-US')} bytes, the limit (MAX_ANSWER_BYTES). Ask for fewer rows or fields, or split it into several requests.`,
  )

const tooMany = (statements: number) =>
  new GatewayError(
    'BAD_INPUT',
    `The operation would send more than ${statements} SQL statements, the limit. Use fewer aliases, or split it into several requests.`,
  )

/** Thrown at the second statement of work that was started without a transaction. */
class SecondStatement extends Error {}

/** A reader without a snapshot: each statement sees the newest data, including the writes of a mutation. */
export function plainReader(store: Store): Reader {
  const { reads, models } = store
  return new PgReader(store, {
    send: (_, send, done) =>
      void reads
        .exclusive(reads.scope(), (client) => settled(client, send))
        .then((result) => done(undefined, result), done),
    statements: Number.POSITIVE_INFINITY,
    explain: (query) => readSnapshot(store, (reader) => reader.explain(query)),
    models: () => models.prisma,
  })
}

/** The operations, by document or another key object, that needed a transaction when they first ran. */
const transactional = new WeakSet<object>()

/**
 * Runs `work` on a reader with one snapshot of the store or of a replica. All its statements together may take READ_TIMEOUT_MS. Work
 * that has never needed a second statement runs without a transaction. It may run more than once.
 * @param operation identifies the work: the same object each time
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function readFor<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller?: Caller,
): Promise<T> {
  if (!store.replicas) return readFrom(store, operation, work, caller)
  return store.replicas.read((from, caller) => readFrom(from, operation, work, caller), caller)
}

function readFrom<T>(
  store: Store,
  operation: object,
  work: (reader: Reader) => Promise<T>,
  caller: Caller | undefined,
): Promise<T> {
  const { reads, maxAnswerBytes: maxBytes } = store
  const scope = reads.scope(caller)
  const inSnapshot = () => readSnapshot(store, work, scope)
  if (transactional.has(operation)) return inSnapshot()
  // A single statement is its own snapshot.
  const reader = new PgReader(store, {
    send: (statement, send, done) => reads.send(statement, send, done, scope),
    caller,
    statements: 1,
    maxBytes,
    explain: (query) => readSnapshot(store, (reader) => reader.explain(query), scope),
    models() {
      // One call of Prisma may take several statements.
      reader.asked = Number.POSITIVE_INFINITY
      throw new SecondStatement()
    },
  })
  const inTransaction = () => {
    transactional.add(operation)
    return inSnapshot()
  }
  return work(reader).then(
    (result) => (reader.asked > 1 ? inTransaction() : result),
    (error) => {
      if (reader.asked > 1) return inTransaction()
      throw error
    },
  )
}

/**
 * Runs `work` on one snapshot of the store, so that concurrent commits do not affect it. Work that turns out to be slow
 * may be restarted.
 */
export function readSnapshot<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  scope = store.reads.scope(),
): Promise<T> {
  const { reads, topology, maxAnswerBytes: maxBytes } = store
  return reads.exclusive(scope, async (client) => {
    const models = store.models.ofReader()
    await client.query(topology.begin)
    try {
      const { send, close } = inTurn(client)
      const reader = new PgReader(store, { send, caller: scope.caller, maxBytes, models: models.open })
      const result = await work(reader).finally(close)
      await client.query('COMMIT')
      return result
    } catch (error) {
      // A lost connection has nothing to roll back.
      await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      await models.close()
    }
  })
}

/**
 * Sends concurrent statements on a connection one after the other. A failed statement ends the transaction, so the ones
 * behind it fail with the same error and are not sent. `close` waits for the statement that has been sent, and drops those
 * behind it: an answer that lacks a required field is ready before its other fields.
 */
function inTurn(client: pg.PoolClient): { send: SendOne; close(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    send<T>(_: unknown, send: Send<T>, done: Done<T>) {
      const sent = last.then(() => {
        if (closed) throw new Error('The transaction has ended.')
        return settled(client, send)
      })
      last = sent
      sent.then((result) => done(undefined, result), done)
    },
    async close() {
      closed = true
      await last.catch(() => {})
    },
  }
}

const settled = <T>(client: Pick<pg.ClientBase, 'query'>, send: Send<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    send(client, (error, result) => (error ? reject(error) : resolve(result as T)))
  })

export async function versionSeenBy(reader: Reader): Promise<bigint> {
  const [row] = await reader.$queryRaw<[{ version: bigint }]>`SELECT sum(version)::bigint AS version FROM data_version`
  return row.version
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
