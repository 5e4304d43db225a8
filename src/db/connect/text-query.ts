import pg from 'pg'

/** A row as Postgres wrote it: the text of each column. */
export type TextRow = (string | null)[]

/** Sends a statement and keeps its rows as they come; pg would make values of them, by their types. */
export function textRows(
  client: Pick<pg.ClientBase, 'query'>,
  statement: { name: string | undefined; text: string; values: unknown[] },
): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const query = new TextQuery(statement, (error) => (error ? reject(error) : resolve(query.read)))
    client.query(query)
  })
}

/** The part of pg's query that its clients call and that is another here. */
class TextQuery extends pg.Query {
  readonly read: TextRow[] = []

  constructor({ name, text, values }: Parameters<typeof textRows>[1], callback: (error: Error | null) => void) {
    super(text, values)
    Object.assign(this, { name, callback })
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.read.push(fields)
  }

  handleCommandComplete(): void {}
}
