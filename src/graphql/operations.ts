import { type DocumentNode, type GraphQLSchema, getOperationAST, TypeInfo, visit, visitWithTypeInfo } from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import { Limiter } from './limits.ts'

/** A query that is valid in the schema, as a function. */
export interface Operation {
  document: DocumentNode
  run: CompiledQuery['query']
  /** Whether its answer is that of the stored data alone, or of who asks or what a source says as well. */
  depends: 'data' | 'more'
}

/** How often a text must come before it is worth compiling, which costs more than running it once. */
const COMPILE_AT = 2
const MAX_TEXTS = 1000
const MAX_CHARACTERS = 8_000_000

interface Seen {
  times: number
  /** Null: it is no query that can be compiled. */
  operation?: Operation | null
}

/**
 * The queries that clients send, compiled once they come again. What is not a valid query (or a mutation, or a
 * subscription) is left to the GraphQL server, which knows what to answer.
 */
export class Operations {
  readonly #schema: GraphQLSchema
  readonly #limiter: Limiter
  readonly #seen = new LRUCache<string, Seen>({
    max: MAX_TEXTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 100,
  })
  readonly #own = new WeakMap<DocumentNode, Operation | null>()

  constructor(schema: GraphQLSchema, limiter = new Limiter(schema)) {
    this.#schema = schema
    this.#limiter = limiter
  }

  /** A query by its text; undefined where it is to be executed by the GraphQL server. */
  find(text: string, operationName: string | undefined): Operation | undefined {
    const key = operationName === undefined ? text : `${operationName} ${text}`
    const seen = this.#seen.get(key) ?? { times: 0 }
    if (seen.times === 0) this.#seen.set(key, seen)
    seen.times++
    if (seen.operation === undefined && seen.times >= COMPILE_AT)
      seen.operation = this.#compileText(text, operationName)
    return seen.operation ?? undefined
  }

  /** An operation of this program, which is valid; undefined where it cannot be compiled. */
  own(document: DocumentNode): Operation | undefined {
    let operation = this.#own.get(document)
    if (operation === undefined) {
      operation = this.#compile(document, undefined)
      this.#own.set(document, operation)
    }
    return operation ?? undefined
  }

  #compileText(text: string, operationName: string | undefined): Operation | null {
    try {
      const document = this.#limiter.parse(text)
      return this.#limiter.validate(document).length === 0 ? this.#compile(document, operationName) : null
    } catch {
      return null
    }
  }

  #compile(document: DocumentNode, operationName: string | undefined): Operation | null {
    if (getOperationAST(document, operationName)?.operation !== 'query') return null
    const compiled = compileQuery(this.#schema, document, operationName)
    if (!isCompiledQuery(compiled)) return null
    return { document, run: compiled.query, depends: isVolatile(this.#schema, document) ? 'more' : 'data' }
  }
}

/** Whether a field is selected that is marked as `volatile` in the schema. */
function isVolatile(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema)
  let found = false
  const Field = () => {
    found ||= types.getFieldDef()?.extensions.volatile === true
  }
  visit(document, visitWithTypeInfo(types, { Field }))
  return found
}
