import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'
import type { Statement } from './scope.ts'

/** Turns off Prisma's timeouts: its transactions use a reader's connection, and reads have a deadline already. */
const NO_LIMIT_MS = 2 ** 31 - 1

export type Send = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

export interface ReaderModels {
  /** Returns a client that sends nothing before its first call. */
  open(send: Send): Prisma.TransactionClient
  /** Ends Prisma's transaction. The reader ends the one in the database. */
  close(): Promise<void>
}

export interface Models {
  /** Runs on connections of the pool. Its first use opens it. */
  readonly prisma: PrismaClient
  /** Runs in the transaction of one reader. */
  ofReader(): ReaderModels
  close(): Promise<void>
}

interface ModelsOptions {
  onError(error: Error): void
  /** Called with each statement on connections of the pool, after it has ended. */
  onStatement: ((statement: Statement) => void) | undefined
}

export function openModels(pool: pg.Pool, { onError, onStatement }: ModelsOptions): Models {
  const readers = new AsyncLocalStorage<Send>()
  let opened: PrismaClient | undefined
  // Opening takes 30 ms, and most programs need no models.
  const prisma = () => {
    opened ??= new PrismaClient({
      adapter: new PrismaPg(withReaders(pool, readers, onStatement), {
        onPoolError: onError,
        disposeExternalPool: false,
      }),
      transactionOptions: { maxWait: NO_LIMIT_MS, timeout: NO_LIMIT_MS },
    })
    return opened
  }
  return {
    get prisma() {
      return prisma()
    },
    ofReader() {
      let closed = false
      let end = () => {}
      let ended: Promise<void> | undefined
      let begun: Promise<Prisma.TransactionClient> | undefined
      // In a transaction, Prisma batches the findUnique calls of this reader, and no others, into one statement.
      const begin = (send: Send) =>
        new Promise<Prisma.TransactionClient>((resolve, reject) => {
          const work = (transaction: Prisma.TransactionClient) =>
            new Promise<void>((done) => {
              end = done
              resolve(transaction)
            })
          ended = readers.run(send, () => prisma().$transaction(work)).catch(reject)
        })
      return {
        open: (send) =>
          later(prisma(), async () => {
            if (closed) throw new Error('the read has ended')
            begun ??= begin(send)
            return begun
          }),
        async close() {
          closed = true
          // A read may fail while its first call is still starting.
          await begun?.catch(() => {})
          end()
          await ended
        },
      }
    },
    close: async () => opened?.$disconnect(),
  }
}

/** A client that forwards its calls to another one, once that is ready. */
function later(prisma: PrismaClient, begun: () => Promise<object>): Prisma.TransactionClient {
  const proxy = (target: object, of: (client: object) => object): object =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name)
        if (typeof value === 'function')
          return (...args: unknown[]) => called(async () => ({ call: invoke(of(await begun()), name, args) }))
        if (typeof value !== 'object' || value === null) return value
        return proxy(value, (client) => Reflect.get(of(client), name))
      },
    })
  return proxy(prisma, (client) => client) as Prisma.TransactionClient
}

const invoke = (target: object, method: string | symbol, args: unknown[]): object =>
  Reflect.apply(Reflect.get(target, method) as () => object, target, args)

/** A lazy call like Prisma's: it runs when awaited, and its methods load relations of its result (the fluent API). */
function called(make: () => Promise<{ call: object }>): object {
  const result = async () => (await make()).call
  return new Proxy(
    {},
    {
      get(_, name) {
        if (name === 'then' || name === 'catch' || name === 'finally')
          return (...args: unknown[]) => invoke(result(), name, args)
        if (typeof name !== 'string') return undefined
        return (...args: unknown[]) => called(async () => ({ call: invoke((await make()).call, name, args) }))
      },
    },
  )
}

const NOTHING = { fields: [], rows: [], rowCount: 0 }

/** A pool that gives Prisma's transactions the connection of the current reader, if there is one. */
function withReaders(
  pool: pg.Pool,
  readers: AsyncLocalStorage<Send>,
  onStatement: ((statement: Statement) => void) | undefined,
): pg.Pool {
  const connect = async () => {
    const send = readers.getStore()
    if (!send) return pool.connect()
    return {
      // The reader begins and ends the transaction, not Prisma.
      query: (statement: pg.QueryConfig) =>
        /^(BEGIN|COMMIT|ROLLBACK)$/.test(statement.text) ? NOTHING : send(statement),
      on() {},
      removeListener() {},
      release() {},
    }
  }
  const query = async (statement: pg.QueryConfig) => {
    const sentAt = performance.now()
    let outcome: Statement['outcome'] = 'failed'
    try {
      const result = await pool.query(statement)
      outcome = 'ok'
      return result
    } finally {
      onStatement?.({ text: statement.text, sentAt, ms: performance.now() - sentAt, outcome })
    }
  }
  return Object.assign(Object.create(pool), { connect, query })
}
