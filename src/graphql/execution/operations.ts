import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { queryOf } from '../live/live-query.ts'
import { Plan } from '../plan/plan.ts'
import type { Variables } from '../policy/cost.ts'
import { Limiter } from '../policy/limits.ts'
import type { GraphContext } from './context.ts'
import { nameOfOperation } from './name-of-operation.ts'

type Run = (root: object, context: GraphContext, variables?: Variables) => Promise<ExecutionResult>

/** A valid query of the schema. */
export interface Operation {
  /** Its name for logs and metrics. */
  name: string
  document: DocumentNode
  /** Reads the query in one statement, if the schema defines how. */
  plan: Pick<Plan, 'run' | 'covers'>
  /** Executes the query with resolvers. */
  run: Run
  /** Whether the answer depends only on stored data (`data`), or also on the caller or a source (`more`). */
  depends: 'data' | 'more'
}

const MAX_TEXTS = 1000
const MAX_BYTES = 64 * 1024 * 1024

/** Runs every query on resolvers. */
const NO_PLAN: Operation['plan'] = { run: async () => undefined, covers: () => false }

interface OperationsOptions {
  limiter?: Limiter
  /** Whether queries are planned. If not, they all run on resolvers. */
  plan?: boolean
  /** Called when a query runs on resolvers, with the reason: a field without a plan, or one of UNPLANNED. */
  onUnplanned?(reason: string): void
}

/** Why a query has no plan although all of its fields have one. */
export const UNPLANNED = {
  off: 'PLAN=off',
  /** An unsupported selection, such as the same list twice. */
  selection: 'selection',
  /** Only the GraphQL server handles requests of this kind. */
  request: 'request',
}

/** A document that a client has sent. Null if it is not valid. */
interface Known {
  document: DocumentNode | null
  bytes: number
  /** By name. */
  operations: Map<string | undefined, Operation>
}

/**
 * Parses and plans each query that clients send once. Invalid documents, mutations and subscriptions are left to the
 * GraphQL server, which knows how to answer them.
 */
export class Operations {
  readonly #schema: GraphQLSchema
  readonly #limiter: Limiter
  readonly #plan: boolean
  readonly #onUnplanned: ((reason: string) => void) | undefined
  /** By text. */
  readonly #known = new LRUCache<string, Known>({
    max: MAX_TEXTS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  readonly #ofDocument = new WeakMap<DocumentNode, Operation | null>()
  /** By the name of the operation. */
  readonly #live = new WeakMap<DocumentNode, Map<string | undefined, Operation>>()

  constructor(schema: GraphQLSchema, options: OperationsOptions = {}) {
    const { limiter = new Limiter(schema), plan = true, onUnplanned } = options
    this.#schema = schema
    this.#limiter = limiter
    this.#plan = plan
    this.#onUnplanned = onUnplanned
  }

  /** Finds a query by its text. Undefined if the GraphQL server must execute it. */
  find(text: string, operationName: string | undefined): Operation | undefined {
    let known = this.#known.get(text)
    if (!known) {
      known = this.#read(text)
      this.#known.set(text, known)
    }
    const { document, operations } = known
    if (!document) return undefined
    let operation = operations.get(operationName)
    if (!operation) {
      operation = this.#prepare(document, operationName) ?? undefined
      // Unknown names are not cached, or clients could fill the memory with them.
      if (operation) operations.set(operationName, operation)
    }
    return operation
  }

  /** Prepares a query of this program, which must be valid. Undefined if it is not a query. */
  ofDocument(document: DocumentNode): Operation | undefined {
    let operation = this.#ofDocument.get(document)
    if (operation === undefined) {
      operation = this.#prepare(document, undefined)
      this.#ofDocument.set(document, operation)
    }
    return operation ?? undefined
  }

  /** The query whose answers a subscription sends. Undefined if it sends something else. The document must be valid. */
  live(document: DocumentNode, operationName: string | null | undefined): Operation | undefined {
    const name = operationName ?? undefined
    const known = this.#live.get(document) ?? new Map<string | undefined, Operation>()
    this.#live.set(document, known)
    let operation = known.get(name)
    if (operation === undefined) {
      const query = queryOf(this.#schema, document, name)
      operation = (query && this.#prepare(query, name)) ?? undefined
      if (operation) known.set(name, operation)
    }
    return operation
  }

  #read(text: string): Known {
    const operations: Known['operations'] = new Map()
    try {
      const document = this.#limiter.parse(text)
      if (this.#limiter.validate(document).length === 0)
        return { document, bytes: this.#limiter.bytesOf(document), operations }
    } catch {
      // The GraphQL server reports what is wrong.
    }
    return { document: null, bytes: 2 * text.length + 100, operations }
  }

  #prepare(document: DocumentNode, operationName: string | undefined): Operation | null {
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== 'query') return null
    return {
      name: nameOfOperation(operation),
      document,
      plan: this.#plan ? new Plan(this.#schema, document, operationName) : NO_PLAN,
      run: this.#resolved(document, operationName),
      depends: isVolatile(this.#schema, document) ? 'more' : 'data',
    }
  }

  /** Executes a query with resolvers, and reports why it has no plan. */
  #resolved(document: DocumentNode, operationName: string | undefined): Run {
    let reason: string | undefined
    return async (rootValue, contextValue, variables) => {
      reason ??= this.#plan ? (unplannedField(this.#schema, document) ?? UNPLANNED.selection) : UNPLANNED.off
      this.#onUnplanned?.(reason)
      return execute({
        schema: this.#schema,
        document,
        operationName,
        rootValue,
        contextValue,
        variableValues: variables ?? {},
      })
    }
  }
}

/** Whether the document selects a field that is marked as `volatile` in the schema. */
const isVolatile = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ volatile }) => volatile === true) !== undefined

/** The first selected field that is marked as `unplanned` in the schema, as `Type.field`. */
const unplannedField = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ unplanned }) => unplanned !== undefined)

/** The first selected field whose extensions match, as `Type.field`. */
function firstField(
  schema: GraphQLSchema,
  document: DocumentNode,
  matches: (extensions: Readonly<Record<string, unknown>>) => boolean,
): string | undefined {
  const types = new TypeInfo(schema)
  let found: string | undefined
  const Field = () => {
    const field = types.getFieldDef()
    if (field && matches(field.extensions)) found ??= `${types.getParentType()?.name}.${field.name}`
  }
  visit(document, visitWithTypeInfo(types, { Field }))
  return found
}
