import pg from 'pg'
import { serialize } from 'pg-protocol/dist/serializer.js'
import { PreparedQuery } from './prepared.ts'
import type { ReadBudget } from './read-budget.ts'
import type { Row, TextRow } from './row-parser.ts'

/** Sends a statement and collects its rows as text, which pg would parse by type. */
export function textRows(
  client: Pick<pg.ClientBase, 'query'>,
  statement: { name: string | undefined; text: string; values: unknown[] },
  budget?: ReadBudget,
): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const query = new TextQuery(statement, budget, (error) => (error ? reject(error) : resolve(query.read)))
    client.query(query)
  })
}

/** Executes a bound statement, in one write. */
const EXECUTE = Buffer.concat([serialize.execute({}), serialize.sync()])

/** Internal methods of pg's query. */
type Prepares = { prepare(connection: pg.Connection): void }
const { prepare } = pg.Query.prototype as unknown as Prepares

/** The methods of pg's query that its clients call and that differ here. */
class TextQuery extends PreparedQuery {
  readonly read: TextRow[] = []
  readonly #budget: ReadBudget | undefined

  constructor(
    { name, text, values }: Parameters<typeof textRows>[1],
    budget: ReadBudget | undefined,
    callback: (error: Error | null) => void,
  ) {
    super(text, values)
    this.#budget = budget
    const done = (error: Error | null) => callback(error ?? budget?.fault ?? null)
    Object.assign(this, { name, callback: done })
  }

  /** Sends it without a request to describe its columns. */
  prepare(connection: pg.Connection): void {
    const { describe } = connection
    connection.describe = () => {}
    try {
      prepare.call(this, connection)
    } finally {
      connection.describe = describe
    }
  }

  _getRows(connection: pg.Connection): void {
    connection.stream.write(EXECUTE)
  }

  handleRowDescription(): void {}

  handleDataRow(row: Row): void {
    if (this.#budget?.takes(row.length) ?? true) this.read.push(row.texts)
    else this.read.length = 0
  }

  handleCommandComplete(): void {}
}
