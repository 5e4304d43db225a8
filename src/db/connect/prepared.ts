import { LRUCache } from 'lru-cache'
import pg from 'pg'

/** The maximum number of statements that a connection has prepared. */
const MAX_STATEMENTS = 1000
/** Longer statements are rare, and Postgres caches the plans of prepared ones per connection. */
const MAX_LENGTH = 32_000
const MAX_BYTES = 4 * 1024 * 1024
/** The memory of a statement without its text, with its names on all connections. */
const STATEMENT_BYTES = 2000

/** A statement with a name, by which each connection parses and plans it once. Connections share its text. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

/** Names statements by their text. One that has not been sent for long leaves its name to another. */
export class PreparedStatements {
  readonly #statements: LRUCache<string, Prepared>
  readonly #freeNames: string[] = []
  #names = 0

  /** @param maxBytes the memory that statements may take */
  constructor(maxBytes = MAX_BYTES) {
    this.#statements = new LRUCache({
      max: MAX_STATEMENTS,
      maxSize: maxBytes,
      sizeCalculation: (_, text) => text.length + STATEMENT_BYTES,
      dispose: ({ name }) => this.#freeNames.push(name),
    })
  }

  get bytes(): number {
    return this.#statements.calculatedSize
  }

  /** Names a statement. Undefined if it is too long to be prepared. */
  of(text: string): Prepared | undefined {
    const known = this.#statements.get(text)
    if (known || text.length > MAX_LENGTH) return known
    const prepared = { name: this.#freeNames.pop() ?? `gateway_${this.#names++}`, text }
    this.#statements.set(text, prepared)
    return prepared
  }
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
