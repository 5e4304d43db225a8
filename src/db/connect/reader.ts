import pg from 'pg'
import { Prisma } from '../../generated/prisma/client.ts'
import { type TextRow, textRows } from './text-query.ts'

/** What a resolver reads with: everything that it gives belongs to one snapshot of the store. */
export interface Reader {
  /** The rows of a statement: a template with values, or one that was put together. */
  $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>
  /** The rows of a statement as Postgres wrote them: the text of each column. */
  textRows(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]>
  /** Prisma's models on the same snapshot; only where the operation asks for `node` or `nodes`. */
  readonly models: Prisma.TransactionClient
}

/** Gives work that sends one statement, of this name if it has one, the connection to send it on. */
export type Lend = <T>(
  name: string | undefined,
  work: (client: Pick<pg.ClientBase, 'query'>) => Promise<T>,
) => Promise<T>

/** A reader that sends named statements by pg. */
export function pgReader(lend: Lend, onStatement?: (sql: string) => void): Reader {
  return new PgReader(lend, onStatement)
}

class PgReader implements Reader {
  readonly #lend: Lend
  readonly #onStatement: ((sql: string) => void) | undefined

  constructor(lend: Lend, onStatement: ((sql: string) => void) | undefined) {
    this.#lend = lend
    this.#onStatement = onStatement
  }

  async $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...given: unknown[]): Promise<Rows> {
    const { text, values } = 'text' in query ? query : Prisma.sql(query, ...given)
    this.#onStatement?.(text)
    const name = nameOf(text)
    const statement = { name, text, values: values as unknown[], types }
    const { rows } = await this.#lend(name, (client) => client.query(statement))
    return rows as Rows
  }

  textRows({ text, values }: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]> {
    this.#onStatement?.(text)
    const name = nameOf(text)
    return this.#lend(name, (client) => textRows(client, { name, text, values: values as unknown[] }))
  }

  get models(): never {
    throw new Error('Prisma reads nothing here: the operation asks for no node')
  }
}

const MAX_NAMES = 1000
const names = new Map<string, string>()

/** A statement that is sent again is parsed and planned once for each connection. There is a bound on how many are. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = `gateway_${names.size}`
  names.set(text, name)
  return name
}

const { builtins } = pg.types
const parsers: Record<number, (text: string) => unknown> = {
  [builtins.INT8]: BigInt,
  // Points, whose decimals a double holds up to 2^33. Token amounts come as text.
  [builtins.NUMERIC]: Number,
  [builtins.DATE]: (text) => new Date(`${text}T00:00:00.000Z`),
}
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
}
