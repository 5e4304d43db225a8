import { LRUCache } from 'lru-cache'
import pg from 'pg'

/** The maximum number of statements that a connection has prepared. */
const MAX_STATEMENTS = 1000
/** Longer statements are rare, and Postgres caches the plans of prepared ones per connection. */
const MAX_LENGTH = 32_000
const MAX_CHARACTERS = 2_000_000

/** A statement with a name, by which each connection parses and plans it once. */
export interface Prepared {
  readonly name: string
}

const freeNames: string[] = []
let names = 0
/** By text. A statement that has not been sent for long leaves its name to another. */
const statements = new LRUCache<string, Prepared>({
  max: MAX_STATEMENTS,
  maxSize: MAX_CHARACTERS,
  maxEntrySize: MAX_LENGTH,
  sizeCalculation: (_, text) => text.length,
  dispose: ({ name }) => freeNames.push(name),
})

/** Names a statement. Undefined if it is too long to be prepared. */
export function preparedOf(text: string): Prepared | undefined {
  const known = statements.get(text)
  if (known || text.length > MAX_LENGTH) return known
  const prepared = { name: freeNames.pop() ?? `gateway_${names++}` }
  statements.set(text, prepared)
  return prepared
}

/** A query whose name another statement may have had before on the same connection. */
export class PreparedQuery extends pg.Query {}

/** Internal properties of pg's query and connection. */
type Named = pg.Query & { name?: string; text: string }
type Parsing = pg.Connection & Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>

const { submit } = pg.Query.prototype
PreparedQuery.prototype.submit = function (this: Named, connection) {
  const { name, text } = this
  const { parsedStatements: parsed, submittedNamedStatements: submitted } = connection as Parsing
  if (name !== undefined) {
    const former = parsed[name] ?? submitted[name]
    if (former !== undefined && former !== text) {
      connection.close({ type: 'S', name }, true)
      delete parsed[name]
      delete submitted[name]
    }
  }
  return submit.call(this, connection)
}
