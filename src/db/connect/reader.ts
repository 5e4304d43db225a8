import pg from 'pg'
import type {
  Batch as SqlBatch,
  Reader as SqlReader,
  Statement as SqlStatement,
  TextRow,
} from 'pothos-sql'
import { GatewayError } from '../../errors.ts'
import { parseDecimal } from '../../exact-number.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Dialect } from '../dialect.ts'
import { answerTooLarge, storeFault } from '../faults.ts'
import { explainOn } from './explain.ts'
import type { ReaderModels } from './models.ts'
import {
  type Budget,
  type Done,
  type PreparedStatement,
  type Queryable,
  type Send,
  sendForText,
  sendForValues,
} from './protocol.ts'
import { type Caller, endOf, type ReadScope, type Statement } from './scope.ts'
import type { Store } from './store.ts'

/** Reads the store. */
export interface Reader extends SqlReader {
  /**
   * Returns the query plan of the store for a statement. Undefined if it has none, or does not find
   * one soon.
   */
  explain(query: SqlStatement): Promise<unknown>
  readonly dialect: Dialect
  /** The maximum number of bytes of one answer. Undefined means no limit. */
  readonly maxBytes?: number | undefined
  /** Prisma's models. Their statements run like those of the reader. */
  readonly models: ReaderModels
  /**
   * Runs `work` on a reader whose statements all see one snapshot: on this one, if it has a
   * snapshot.
   */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  /** True if its operation has failed or nobody waits for it. Its work must stop. */
  readonly isOver: boolean
}

/** Loads the values of many keys, in the order of the keys. All keys share the arguments. */
export type Batch<Key, Value, Args extends unknown[] = []> = SqlBatch<Key, Value, Args, Reader>

// Sends one statement on a connection, and calls `done` when it has ended.
type SendOne = <T>(statement: PreparedStatement | undefined, send: Send<T>, done: Done<T>) => void

const MAX_STATEMENTS = 500

interface ReaderOptions {
  send: SendOne
  caller?: Caller | undefined
  statements?: number
  maxBytes?: number | undefined
  /** Explains a statement; by default on its connection, which must be in a transaction. */
  explain?: Reader['explain']
  snapshot?: Reader['snapshot']
  isOver?(): boolean
  /**
   * Fails the operation as a whole. Its statements then never settle, so that no field makes
   * another error.
   */
  fail?(error: unknown): void
}

interface Named {
  name: string | undefined
  text: string
}

class PgReader implements Reader, Budget {
  readonly #store: Store
  readonly #options: ReaderOptions
  #models: ReaderModels | undefined
  #bytes = 0
  #statements = 0

  constructor(store: Store, options: ReaderOptions) {
    this.#store = store
    this.#options = options
  }

  get dialect(): Dialect {
    return this.#store.dialect
  }

  refusing(refuse: () => Promise<never>): Reader {
    const { dialect } = this
    return {
      dialect,
      isOver: false,
      $queryRaw: refuse,
      textRows: refuse,
      explain: refuse,
      snapshot: refuse,
      get models(): never {
        throw new Error('the models of a reader that refuses all reads')
      },
    }
  }

  get maxBytes(): number | undefined {
    return this.#options.maxBytes
  }

  async $queryRaw<Rows>(
    query: TemplateStringsArray | Prisma.Sql,
    ...values: unknown[]
  ): Promise<Rows> {
    const marked = 'text' in query ? query : Prisma.sql(query, ...values)
    const { text, values: all } = this.dialect.write(marked)
    const statement = { text, values: all, types } as pg.QueryConfig
    return (await this.#settled(this.#values(statement))).rows as Rows
  }

  textRows({ text, values }: SqlStatement): Promise<TextRow[]> {
    const sent = this.#send<TextRow[]>(text, this.#prepared(text), (client, done, named) =>
      sendForText(client, { ...named, values: values as unknown[] }, this, done),
    )
    return this.#settled(sent)
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const { snapshot } = this.#options
    return snapshot ? snapshot(work) : work(this)
  }

  get isOver(): boolean {
    return this.#options.isOver?.() ?? false
  }

  explain(query: SqlStatement): Promise<unknown> {
    const { explain, send } = this.#options
    if (explain) return explain(query)
    return new Promise((resolve, reject) => {
      const work: Send<unknown> = (client, done) =>
        explainOn(client, query).then((plan) => done(undefined, plan), done)
      send(undefined, work, (error, plan) => (error ? reject(error) : resolve(plan)))
    })
  }

  get models(): ReaderModels {
    const { fail } = this.#options
    this.#models ??= this.#store.models.of((statement) => {
      const result = this.#values(statement, false)
      if (fail) result.catch(fail)
      return result
    })
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

  #values(statement: pg.QueryConfig, isPrepared = true): Promise<pg.QueryResult> {
    const prepared = isPrepared ? this.#prepared(statement.text) : undefined
    return this.#send(statement.text, prepared, (client, done, named) =>
      sendForValues(client, { ...statement, ...named }, this, done),
    )
  }

  #prepared(text: string): PreparedStatement | undefined {
    return this.#store.statements.of(text)
  }

  // The result of a statement. If it fails, so does the whole operation, where that is possible.
  #settled<T>(result: Promise<T>): Promise<T> {
    const { fail } = this.#options
    return fail ? new Promise((resolve) => result.then(resolve, fail)) : result
  }

  #send<T>(
    text: string,
    statement: PreparedStatement | undefined,
    send: (client: Queryable, done: Done<T>, named: Named) => void,
  ): Promise<T> {
    const { caller, statements = MAX_STATEMENTS } = this.#options
    if (++this.#statements > statements) return Promise.reject(tooMany(statements))
    const { onStatement } = this.#store
    let sentAt = performance.now()
    return new Promise((resolve, reject) => {
      const sendNow: Send<T> = (client, done) => {
        sentAt = performance.now()
        send(client, done, { name: statement?.name, text: statement?.text ?? text })
      }
      this.#options.send(statement, sendNow, (error, result) => {
        const ms = performance.now() - sentAt
        const ended: Statement = { text, sentAt, ms, outcome: outcomeOf(error) }
        onStatement?.(ended)
        caller?.onStatement?.(ended)
        if (error) reject(error)
        else resolve(result as T)
      })
    })
  }
}

function outcomeOf(error: unknown): Statement['outcome'] {
  if (!error) return 'ok'
  return storeFault(error)?.code === 'TIMEOUT' ? 'timeout' : 'failed'
}

const tooMany = (statements: number) =>
  new GatewayError(
    'BAD_INPUT',
    `The operation would send more than ${statements} SQL statements, the limit. Use ` +
      'fewer aliases, or split it into several requests.',
  )

/**
 * A reader without a snapshot: each statement sees the newest data, including the writes of a
 * mutation.
 */
export function plainReader(store: Store): Reader {
  const { reads } = store
  return new PgReader(store, {
    send: (_, send, done) =>
      void reads
        .exclusive(reads.scope(), (client) => settled(client, send))
        .then((result) => done(undefined, result), done),
    statements: Number.POSITIVE_INFINITY,
    explain: (query) => readSnapshot(store, (reader) => reader.explain(query)),
  })
}

/**
 * Runs `work` on a reader of the store or of a replica, whose statements each see the newest data.
 * A single statement is its own snapshot; work that needs several asks the reader for one. All
 * statements together may take READ_TIMEOUT_MS.
 * @param caller ends the reads when it has gone, and receives their statements
 */
export function readFor<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  caller?: Caller,
  isLarge = false,
): Promise<T> {
  const { replicas } = store
  if (!replicas) {
    caller?.onDecision?.('server', 'primary')
    return readFrom(store, work, store.reads.scope(caller, isLarge))
  }
  return replicas.read(
    (from, caller) => readFrom(from, work, from.reads.scope(caller, isLarge)),
    caller,
  )
}

function readFrom<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  scope: ReadScope,
): Promise<T> {
  const { reads, maxAnswerBytes: maxBytes } = store
  const snapshot: Reader['snapshot'] = (work) => readSnapshot(store, work, scope)
  const reader = new PgReader(store, {
    send: (statement, send, done) => reads.send(statement, send, done, scope),
    caller: scope.caller,
    maxBytes,
    explain: (query) => snapshot((reader) => reader.explain(query)),
    snapshot,
    isOver: () => endOf(scope, performance.now()) !== undefined,
  })
  return work(reader)
}

/**
 * Runs `work` on one snapshot of the store, so that concurrent commits do not affect it. The
 * transaction begins with the first statement. Work that turns out to be slow may be restarted.
 * @throws the error of the first statement that fails, at once
 */
export function readSnapshot<T>(
  store: Store,
  work: (reader: Reader) => Promise<T>,
  scope = store.reads.scope(),
): Promise<T> {
  const { reads, dialect, maxAnswerBytes: maxBytes } = store
  return reads.onDemand(scope, ({ connection, fail, isOver }) => {
    const { send, close } = inTurn(async () => {
      const client = await connection()
      await client.query(dialect.begin)
      return client
    })
    const reader = new PgReader(store, { send, caller: scope.caller, maxBytes, fail, isOver })
    return {
      result: work(reader),
      async end(isFailed) {
        const client = await close()
        // A lost connection has nothing to roll back.
        await client?.query(isFailed ? 'ROLLBACK' : 'COMMIT').catch(() => {})
      },
    }
  })
}

// Sends concurrent statements on a connection one after the other; the first one opens it. `close`
// waits for the statement that has been sent, and drops those behind it: an answer that lacks a
// required field is ready before its other fields.
function inTurn(open: () => Promise<pg.PoolClient>): {
  send: SendOne
  close(): Promise<pg.PoolClient | undefined>
} {
  let client: Promise<pg.PoolClient> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    send<T>(_: unknown, send: Send<T>, done: Done<T>) {
      const sent = last.then(async () => {
        if (closed) throw new Error('The transaction has ended.')
        client ??= open()
        return settled(await client, send)
      })
      last = sent
      sent.then((result) => done(undefined, result), done)
    },
    async close() {
      closed = true
      await last.catch(() => {})
      return client?.catch(() => undefined)
    },
  }
}

const settled = <T>(client: Queryable, send: Send<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    send(client, (error, result) => (error ? reject(error) : resolve(result as T)))
  })

export async function versionSeenBy(reader: Reader): Promise<bigint> {
  const [row] = await reader.$queryRaw<
    [{ version: bigint }]
  >`SELECT sum(version)::bigint AS version FROM data_version`
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
