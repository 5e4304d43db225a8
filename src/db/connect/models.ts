import { PrismaPg } from '@prisma/adapter-pg'
import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils'
import pLimit from 'p-limit'
import pg from 'pg'
import { type Prisma, PrismaClient } from '../../generated/prisma/client.ts'

// Sends one statement on the connection of a reader.
type SendQuery = (statement: pg.QueryConfig) => Promise<pg.QueryResult>

/** Prisma's models, each with its methods. */
export type ReaderModels = Pick<PrismaClient, Uncapitalize<Prisma.ModelName>>

// Turns off Prisma's timeouts: the statements of a reader have a deadline already.
const NO_LIMIT_MS = 2 ** 31 - 1

/**
 * Prisma for all readers of a store. Each call of a reader is one transaction of Prisma's, whose
 * statements the reader sends: the reader alone begins and ends transactions of Postgres.
 */
export class Models {
  readonly #adapter = new ReaderAdapter()
  // Transactions start one by one, so that each gets the connection of its reader.
  readonly #starting = pLimit(1)
  #opened: PrismaClient | undefined

  of(send: SendQuery): ReaderModels {
    const query = {
      $allModels: {
        $allOperations: ({ model, operation, args }: ModelCall) =>
          this.#run(send, (models) =>
            Reflect.get(Reflect.get(models, delegateOf(model)), operation)(args),
          ),
      },
    }
    return this.#prisma.$extends({ query }) as unknown as ReaderModels
  }

  async close(): Promise<void> {
    await this.#opened?.$disconnect()
  }

  // Opened on first use: it takes 30 ms, and most programs need no models.
  get #prisma(): PrismaClient {
    this.#opened ??= new PrismaClient({
      adapter: this.#adapter,
      transactionOptions: { maxWait: NO_LIMIT_MS, timeout: NO_LIMIT_MS },
    })
    return this.#opened
  }

  #run(
    send: SendQuery,
    work: (models: Prisma.TransactionClient) => Promise<unknown>,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let failure: unknown
      const sendNext: SendQuery = (statement) =>
        send(statement).catch((error) => {
          failure ??= error
          throw error
        })
      const start = () =>
        new Promise<void>((started) => {
          this.#adapter.next = sendNext
          const transaction = this.#prisma.$transaction((models) => {
            started()
            return work(models)
          })
          // Prisma wraps the error of a statement, and drops what it says about the read.
          transaction.then(resolve, (error) => reject(failure ?? error)).finally(started)
        })
      void this.#starting(start)
    })
  }
}

interface ModelCall {
  model: string
  operation: string
  args: unknown
}

const delegateOf = (model: string) => `${model.charAt(0).toLowerCase()}${model.slice(1)}`

// A driver adapter of Prisma: PrismaPg translates values and errors, readers send.
class ReaderAdapter implements SqlDriverAdapterFactory, SqlDriverAdapter {
  readonly provider = 'postgres'
  readonly adapterName = 'reader'
  readonly queryRaw = outsideOfReader
  readonly executeRaw = outsideOfReader
  readonly executeScript = outsideOfReader
  next: SendQuery = outsideOfReader

  async connect(): Promise<SqlDriverAdapter> {
    return this
  }

  async startTransaction(): Promise<Transaction> {
    const pool = Object.assign(new pg.Pool(), { query: this.next })
    this.next = outsideOfReader
    return new ReaderTransaction(await new PrismaPg(pool).connect())
  }

  async dispose(): Promise<void> {}
}

class ReaderTransaction implements Transaction {
  readonly provider = 'postgres'
  readonly adapterName = 'reader'
  /** With this, Prisma sends no COMMIT or ROLLBACK. */
  readonly options = { usePhantomQuery: true }
  readonly queryRaw: SqlQueryable['queryRaw']
  readonly executeRaw: SqlQueryable['executeRaw']

  constructor(connection: SqlQueryable) {
    this.queryRaw = (query) => connection.queryRaw(query)
    this.executeRaw = (query) => connection.executeRaw(query)
  }

  async commit(): Promise<void> {}

  async rollback(): Promise<void> {}
}

async function outsideOfReader(): Promise<never> {
  throw new Error('Prisma reads in the transactions of readers only')
}
