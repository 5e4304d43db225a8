import pg, { type Pool, type PoolClient } from 'pg'
import { Prisma } from '../generated/prisma/client.ts'

/** A row as Postgres wrote it: the text of each column. */
export type TextRow = (string | null)[]

/** What a resolver reads with: everything that it gives belongs to one snapshot of the store. */
export interface Reader {
  /** The rows of a statement: a template with values, or one that was put together. */
  $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>
  /** The rows of a statement as Postgres wrote them: the text of each column. */
  textRows(query: Pick<Prisma.Sql, 'text' | 'values'>): Promise<TextRow[]>
  /** Prisma's models on the same snapshot; only where the operation asks for `node` or `nodes`. */
  readonly models: Prisma.TransactionClient
}

type Queryable = Pick<Pool | PoolClient, 'query'>

/** A reader on one connection (or, for reads that need not fit together, on a pool). It sends named statements by pg. */
export function pgReader(client: Queryable, onStatement?: (sql: string) => void): Reader {
  return {
    async $queryRaw<Rows>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) {
      const sql = 'text' in query ? query : Prisma.sql(query, ...values)
      const { text } = sql
      onStatement?.(text)
      const { rows } = await client.query({ name: nameOf(text), text, values: sql.values as unknown[], types })
      return rows as Rows
    },
    async textRows({ text, values }) {
      onStatement?.(text)
      const query = {
        name: nameOf(text),
        text,
        values: values as unknown[],
        rowMode: 'array' as const,
        types: unparsed,
      }
      const { rows } = await client.query<TextRow>(query)
      return rows
    },
    get models(): never {
      throw new Error('Prisma reads nothing here: the operation asks for no node')
    },
  }
}

const unparsed = { getTypeParser: () => (text: string) => text }

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
  [builtins.DATE]: (text) => new Date(`${text}T00:00:00.000Z`),
}
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
}
