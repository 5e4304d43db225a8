import {
  type DocumentNode,
  execute,
  type GraphQLSchema,
  getOperationAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit'
import { LRUCache } from 'lru-cache'
import { queryOf } from '../live/live-query.ts'
import { Plan } from '../plan/plan.ts'
import { Limiter } from '../policy/limits.ts'

/** A query that is valid in the schema. */
export interface Operation {
  document: DocumentNode
  /** Reads it in one statement, where the schema tells how. */
  plan: Plan
  /** Runs its resolvers. */
  run: CompiledQuery['query']
  /** Whether its answer is that of the stored data alone, or of who asks or what a source says as well. */
  depends: 'data' | 'more'
}

/** How often resolvers must run before they are worth compiling, which costs more than running them once. */
const COMPILE_AT = 2
const MAX_TEXTS = 1000
const MAX_CHARACTERS = 8_000_000

/**
 * The queries that clients send, parsed and planned once. What is not a valid query (or a mutation, or a subscription)
 * is left to the GraphQL server, which knows what to answer.
 */
export class Operations {
  readonly #schema: GraphQLSchema
  readonly #limiter: Limiter
  /** Null: it is no query that is run here. */
  readonly #known = new LRUCache<string, { operation: Operation | null }>({
    max: MAX_TEXTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 100,
  })
  readonly #own = new WeakMap<DocumentNode, Operation | null>()
  /** By the name of the operation. */
  readonly #live = new WeakMap<DocumentNode, Map<string | undefined, Operation | null>>()

  constructor(schema: GraphQLSchema, limiter = new Limiter(schema)) {
    this.#schema = schema
    this.#limiter = limiter
  }

  /** A query by its text; undefined where it is to be executed by the GraphQL server. */
  find(text: string, operationName: string | undefined): Operation | undefined {
    const key = operationName === undefined ? text : `${operationName} ${text}`
    let known = this.#known.get(key)
    if (!known) {
      known = { operation: this.#read(text, operationName) }
      this.#known.set(key, known)
    }
    return known.operation ?? undefined
  }

  /** An operation of this program, which is valid; undefined where it cannot be compiled. */
  own(document: DocumentNode): Operation | undefined {
    let operation = this.#own.get(document)
    if (operation === undefined) {
      operation = this.#prepare(document, undefined)
      this.#own.set(document, operation)
    }
    return operation ?? undefined
  }

  /** The query whose answers a subscription tells; undefined: it tells of something else. The document must be valid. */
  live(document: DocumentNode, operationName: string | null | undefined): Operation | undefined {
    const name = operationName ?? undefined
    const known = this.#live.get(document) ?? new Map<string | undefined, Operation | null>()
    this.#live.set(document, known)
    let operation = known.get(name)
    if (operation === undefined) {
      const query = queryOf(this.#schema, document, name)
      operation = query ? this.#prepare(query, name) : null
      known.set(name, operation)
    }
    return operation ?? undefined
  }

  #read(text: string, operationName: string | undefined): Operation | null {
    try {
      const document = this.#limiter.parse(text)
      return this.#limiter.validate(document).length === 0 ? this.#prepare(document, operationName) : null
    } catch {
      return null
    }
  }

  #prepare(document: DocumentNode, operationName: string | undefined): Operation | null {
    if (getOperationAST(document, operationName)?.operation !== 'query') return null
    return {
      document,
      plan: new Plan(this.#schema, document, operationName),
      run: this.#resolved(document, operationName),
      depends: isVolatile(this.#schema, document) ? 'more' : 'data',
    }
  }

  /** Runs resolvers, compiled once they run again. */
  #resolved(document: DocumentNode, operationName: string | undefined): CompiledQuery['query'] {
    const plain: CompiledQuery['query'] = (rootValue, contextValue, variableValues) =>
      execute({
        schema: this.#schema,
        document,
        operationName,
        rootValue,
        contextValue,
        variableValues: variableValues ?? {},
      })
    let times = 0
    let run = plain
    return (...args) => {
      if (++times === COMPILE_AT) {
        const compiled = compileQuery(this.#schema, document, operationName)
        if (isCompiledQuery(compiled)) run = compiled.query
      }
      return run(...args)
    }
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
