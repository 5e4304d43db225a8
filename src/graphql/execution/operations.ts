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

type Run = (root: object, context: GraphContext, variables?: Variables) => Promise<ExecutionResult>

/** A query that is valid in the schema. */
export interface Operation {
  document: DocumentNode
  /** Reads it in one statement, where the schema tells how. */
  plan: Pick<Plan, 'run' | 'covers'>
  /** Runs its resolvers. */
  run: Run
  /** Whether its answer is that of the stored data alone, or of who asks or what a source says as well. */
  depends: 'data' | 'more'
}

const MAX_TEXTS = 1000
const MAX_BYTES = 64 * 1024 * 1024

/** Leaves every query to its resolvers. */
const NO_PLAN: Operation['plan'] = { run: async () => undefined, covers: () => false }

interface OperationsOptions {
  limiter?: Limiter
  /** Whether queries are planned. Without plans they all run on resolvers. */
  plan?: boolean
  /** Called when a query runs on resolvers, with the reason: a field without a plan, or one of UNPLANNED. */
  onUnplanned?(reason: string): void
}

/** Why a query has no plan, where no field of it says so. */
export const UNPLANNED = {
  off: 'PLAN=off',
  /** Such as one list that is selected twice. */
  selection: 'selection',
  /** Only the GraphQL server reads such a request. */
  request: 'request',
}

/** A document that a client has sent; null: it is not valid. */
interface Known {
  document: DocumentNode | null
  bytes: number
  /** By name. */
  operations: Map<string | undefined, Operation>
}

/**
 * The queries that clients send, parsed and planned once. What is not a valid query (or a mutation, or a subscription)
 * is left to the GraphQL server, which knows what to answer.
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
  readonly #own = new WeakMap<DocumentNode, Operation | null>()
  /** By the name of the operation. */
  readonly #live = new WeakMap<DocumentNode, Map<string | undefined, Operation>>()

  constructor(schema: GraphQLSchema, options: OperationsOptions = {}) {
    const { limiter = new Limiter(schema), plan = true, onUnplanned } = options
    this.#schema = schema
    this.#limiter = limiter
    this.#plan = plan
    this.#onUnplanned = onUnplanned
  }

  /** A query by its text; undefined where it is to be executed by the GraphQL server. */
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
      // Only names that the document has are remembered.
      if (operation) operations.set(operationName, operation)
    }
    return operation
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
      // The GraphQL server says what is wrong.
    }
    return { document: null, bytes: 2 * text.length + 100, operations }
  }

  #prepare(document: DocumentNode, operationName: string | undefined): Operation | null {
    if (getOperationAST(document, operationName)?.operation !== 'query') return null
    return {
      document,
      plan: this.#plan ? new Plan(this.#schema, document, operationName) : NO_PLAN,
      run: this.#resolved(document, operationName),
      depends: isVolatile(this.#schema, document) ? 'more' : 'data',
    }
  }

  /** Runs resolvers. */
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

/** Whether a field is selected that is marked as `volatile` in the schema. */
const isVolatile = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ volatile }) => volatile === true) !== undefined

/** The first field that is selected of those that are marked as `unplanned` in the schema. */
const unplannedField = (schema: GraphQLSchema, document: DocumentNode) =>
  firstField(schema, document, ({ unplanned }) => unplanned !== undefined)

/** The first field that is selected of those whose extensions match: `Type.field`. */
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
