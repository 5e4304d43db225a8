import type { Queryable } from './write.ts'

/**
 * A table of one transaction, which ends with it. One module owns it: it alone creates, fills and
 * reads it.
 */
export class TemporaryTable<Column extends string> {
  readonly name: string
  readonly #types: Record<Column, string>

  constructor(name: string, types: Record<Column, string>) {
    this.name = name
    this.#types = types
  }

  get columns(): Column[] {
    return Object.keys(this.#types) as Column[]
  }

  async create(client: Queryable): Promise<void> {
    const columns = this.columns.map((column) => `${column} ${this.#types[column]}`)
    await client.query(`CREATE TEMP TABLE ${this.name} (${columns.join(', ')}) ON COMMIT DROP`)
  }

  /** Creates it with the rows of a query, which has the same columns in the same order. */
  async fill(client: Queryable, query: string, values?: unknown[]): Promise<number> {
    const { rowCount } = await client.query(
      `CREATE TEMP TABLE ${this.name} (${this.columns.join(', ')}) ON COMMIT DROP AS\n${query}`,
      values,
    )
    return rowCount ?? 0
  }

  /** Adds the rows of a query. @returns how many */
  async insert(client: Queryable, query: string, values?: unknown[]): Promise<number> {
    const { rowCount } = await client.query(this.insertSql(query), values)
    return rowCount ?? 0
  }

  /** The statement of `insert`, which can be a part of another. */
  insertSql(query: string): string {
    return `INSERT INTO ${this.name} (${this.columns.join(', ')})\n${query}`
  }

  /** Gives the planner statistics of all columns or, which is quicker, of some. */
  async analyze(client: Queryable, columns?: readonly Column[]): Promise<void> {
    await client.query(`ANALYZE ${this.name}${columns ? ` (${columns.join(', ')})` : ''}`)
  }

  async drop(client: Queryable): Promise<void> {
    await client.query(`DROP TABLE ${this.name}`)
  }
}

/** The type of an address, as stored tables have it. */
export const ADDRESS = 'text COLLATE "C"'
