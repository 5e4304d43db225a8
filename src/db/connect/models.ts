import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'

/** Prisma's transactions wait for no connection of their own, and reads have their own deadline. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** Sends a statement on the connection of a reader. */
export type Send = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/** Prisma's models in the transaction of a reader. */
export interface ReaderModels {
  /** A client; nothing is sent before its first call. */
  open(send: Send): Prisma.TransactionClient
  /** Ends what it has begun. The transaction is the reader's to end. */
  close(): Promise<void>
}

export interface Models {
  /** On connections of the pool. */
  prisma: PrismaClient
  /** In the transaction of one reader. */
  ofReader(): ReaderModels
}

interface ModelsOptions {
  onError(error: Error): void
  /** Called with every statement that is sent on connections of the pool. */
  onStatement: ((sql: string) => void) | undefined
}

/** Opens Prisma on a pool of connections. */
export function openModels(pool: pg.Pool, { onError, onStatement }: ModelsOptions): Models {
  const readers = new AsyncLocalStorage<Send>()
  const prisma = new PrismaClient({
    adapter: new PrismaPg(withReaders(pool, readers, onStatement), {
      onPoolError: onError,
      disposeExternalPool: false,
    }),
    transactionOptions: { maxWait: NO_LIMIT_MS, timeout: NO_LIMIT_MS },
  })
  return {
    prisma,
    ofReader() {
      let closed = false
      let end = () => {}
      let ended: Promise<void> | undefined
      let begun: Promise<Prisma.TransactionClient> | undefined
      // A transaction of Prisma's, so that it makes one statement of this reader's findUnique calls and of no other's.
      const begin = (send: Send) =>
        new Promise<Prisma.TransactionClient>((resolve, reject) => {
          const work = (transaction: Prisma.TransactionClient) =>
            new Promise<void>((done) => {
              end = done
              resolve(transaction)
            })
          ended = readers.run(send, () => prisma.$transaction(work)).catch(reject)
        })
      return {
        open: (send) =>
          later(prisma, async () => {
            if (closed) throw new Error('the read has ended')
            begun ??= begin(send)
            return begun
          }),
        async close() {
          closed = true
          // A read may end early, by an error, while a call begins.
          await begun?.catch(() => {})
          end()
          await ended
        },
      }
    },
  }
}

/** A client whose calls wait for another one, and are made on that. */
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

/** A call as Prisma has them: it is made when its result is waited for; its methods are the relations of that (the fluent API). */
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

/** A pool that gives Prisma's transactions the connection of a reader, where there is one. */
function withReaders(
  pool: pg.Pool,
  readers: AsyncLocalStorage<Send>,
  onStatement: ((sql: string) => void) | undefined,
): pg.Pool {
  const connect = async () => {
    const send = readers.getStore()
    if (!send) return pool.connect()
    return {
      // The transaction is the reader's: Prisma does not begin or end it.
      query: (statement: pg.QueryConfig) =>
        /^(BEGIN|COMMIT|ROLLBACK)$/.test(statement.text) ? NOTHING : send(statement),
      on() {},
      removeListener() {},
      release() {},
    }
  }
  const query = (statement: pg.QueryConfig) => {
    onStatement?.(statement.text)
    return pool.query(statement)
  }
  return Object.assign(Object.create(pool), { connect, query })
}
