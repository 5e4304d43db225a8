import pg from 'pg'
import { type Reader, type Sql, type Statement, sql, type TextRow } from '../index.ts'

const { INT8, DATE, NUMERIC } = pg.types.builtins
const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: BigInt,
  [NUMERIC]: Number,
  [DATE]: (text) => new Date(`${text}T00:00:00Z`),
}
const asValues = {
  getTypeParser: (oid: number) => parsers[oid] ?? pg.types.getTypeParser(oid),
} as pg.CustomTypesConfig
const asText = { getTypeParser: () => (text: string) => text } as pg.CustomTypesConfig

/** A reader of the package on a pool or a connection of pg. */
export class PgReader implements Reader {
  /** How many statements it has sent. */
  statements = 0
  readonly maxBytes: number | undefined
  readonly #pg: pg.Pool | pg.PoolClient

  constructor(pool: pg.Pool | pg.PoolClient, maxBytes?: number) {
    this.#pg = pool
    this.maxBytes = maxBytes
  }

  async $queryRaw<Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]): Promise<Rows> {
    const statement = 'text' in query ? query : sql(query, ...values)
    return (await this.#send({ ...textOf(statement), types: asValues })) as Rows
  }

  async textRows(query: Statement): Promise<TextRow[]> {
    return this.#send({ ...textOf(query), types: asText, rowMode: 'array' } as pg.QueryConfig)
  }

  async snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    if (!(this.#pg instanceof pg.Pool)) return work(this)
    const client = await this.#pg.connect()
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      return await work(new PgReader(client, this.maxBytes))
    } finally {
      await client.query('COMMIT')
      client.release()
    }
  }

  async #send(query: pg.QueryConfig): Promise<TextRow[]> {
    this.statements++
    return (await this.#pg.query(query)).rows
  }
}

const textOf = ({ text, values }: Statement) => ({ text, values: values as unknown[] })
