import type pg from 'pg'
import { PreparedQuery } from './prepared.ts'
import type { ReadBudget } from './read-budget.ts'

/** A row as sent by Postgres: the text of each column. */
export type TextRow = (string | null)[]

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

  handleRowDescription(): void {}

  handleDataRow({ fields, length }: { fields: TextRow; length: number }): void {
    if (this.#budget?.takes(length) ?? true) this.read.push(fields)
    else this.read.length = 0
  }

  handleCommandComplete(): void {}
}
