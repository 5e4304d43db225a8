import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { GraphContext } from '../context.ts'
import { queryOf } from '../live/live-query.ts'
import { Plan } from '../plan/plan.ts'
import type { Variables } from '../policy/cost.ts'
import { type Deprecation, deprecationsIn } from '../policy/deprecations.ts'
import { Limiter } from '../policy/limits.ts'
import { SentDocuments } from './sent-documents.ts'

type Resolve = (context: GraphContext, variables?: Variables, unplanned?: string) => Promise<ExecutionResult>

/** A valid operation of the schema. */
export interface Operation {
  /** Its name for logs and metrics. */
  name: string
  type: OperationTypeNode
  document: DocumentNode
  /** Its name in the document, if the request gave one. */
  operationName: string | undefined
  /** Reads a query in one statement, if the schema defines how. */
  plan: Pick<Plan, 'run' | 'covers' | 'size'>
  /** Executes it with resolvers. */
  resolve: Resolve
  /** True if it reads one snapshot of the store. Otherwise each statement sees the newest data. */
  snapshot: boolean
  /** The answer depends only on stored data (`data`), or also on the caller or a source (`more`). */
  depends: 'data' | 'more'
  /** The elements that it uses and that will be removed. Undefined if there is nothing. */
  warnings: { deprecations: Deprecation[] } | undefined
}

/** The memory of documents if no share is set. */
const MAX_BYTES = 16 * 1024 * 1024

/** Leaves every operation to resolvers. */
const NO_PLAN: Operation['plan'] = { run: async () => undefined, covers: () => false, size: 0 }

interface OperationsOptions {
  limiter?: Limiter
  /** True if queries are planned. If not, they all run on resolvers. */
  plan?: boolean
  /** Called when a query runs on resolvers, with the reason: a field without a plan, or one of UNPLANNED. */
  onUnplanned?(reason: string): void
  /** The memory that documents of clients may take, with all that is prepared for them. */
  maxBytes?: number
}

/** Why a query has no plan although all of its fields have one. */
export const UNPLANNED = {
  off: 'PLAN=off',
  /** An unsupported selection, such as the same list twice. */
  selection: 'selection',
  /** A request for more than one plain JSON result: its cost, extensions, an unusual media type. */
  request: 'request',
}

/**
 * Plans each query that clients send once. Mutations, subscriptions and answers to invalid documents are left to the GraphQL
 * server, which reads its documents here.
 */
export class Operations {
  readonly #schema: GraphQLSchema
  readonly #plan: boolean
  readonly #onUnplanned: ((reason: string) => void) | undefined
  readonly #sent: SentDocuments
  /** By document and name. Null if the document has no such operation. */
  readonly #prepared = new WeakMap<DocumentNode, Map<string | undefined, Operation | null>>()
  /** The queries behind subscriptions. */
  readonly #queries = new WeakMap<DocumentNode, Map<string | undefined, DocumentNode | null>>()

  constructor(schema: GraphQLSchema, options: OperationsOptions = {}) {
    const { limiter = new Limiter(schema), plan = true, onUnplanned, maxBytes = MAX_BYTES } = options
    this.#schema = schema
    this.#plan = plan
    this.#onUnplanned = onUnplanned
    this.#sent = new SentDocuments({ limiter, maxBytes, preparedFor: (document) => this.#preparedFor(document) })
  }

  /** The bytes of documents. */
  get bytes(): number {
    return this.#sent.bytes
  }

  /** Parses a text. @throws GraphQLError if it is not a document, or too large */
  parse(text: string): DocumentNode {
    return this.#sent.parse(text)
  }

  /** The reasons why a document of `parse` is invalid. */
  validate(document: DocumentNode): readonly GraphQLError[] {
    return this.#sent.validate(document)
  }

  /** Finds a query by its text. Undefined if it is something else, or invalid. */
  find(text: string, operationName: string | undefined): Operation | undefined {
    const document = this.#sent.valid(text)
    const operation = document && this.#prepare(document, operationName)
    return operation?.type === OperationTypeNode.QUERY ? operation : undefined
  }

  /**
   * Prepares an operation by its text. Undefined if the document has no such operation.
   * @throws the errors of the document
   */
  prepare(text: string, operationName: string | null | undefined): Operation | undefined {
    const document = this.parse(text)
    const errors = this.validate(document)
    if (errors.length > 0) throw new AggregateError(errors)
    return this.of(document, operationName)
  }

  /** Prepares an operation of a valid document. Undefined if the document has no such operation. */
  of(document: DocumentNode, operationName?: string | null): Operation | undefined {
    return this.#prepare(document, operationName ?? undefined) ?? undefined
  }

  /** The query whose answers a subscription sends. Undefined if it sends something else. */
  live({ document, operationName }: Operation): Operation | undefined {
    const query = cachedIn(
      this.#queries,
      document,
      operationName,
      () => queryOf(this.#schema, document, operationName) ?? null,
    )
    return query ? this.of(query, operationName) : undefined
  }

  /** The number of plans and statements that are prepared for a document, and for the queries behind its subscriptions. */
  #preparedFor(document: DocumentNode): number {
    let count = 0
    for (const operation of this.#prepared.get(document)?.values() ?? []) count += operation?.plan.size ?? 0
    for (const query of this.#queries.get(document)?.values() ?? []) if (query) count += this.#preparedFor(query)
    return count
  }

  #prepare(document: DocumentNode, name: string | undefined): Operation | null {
    return cachedIn(this.#prepared, document, name, () => {
      const operation = getOperationAST(document, name)
      if (!operation) return null
      const type = operation.operation
      const isPlanned = this.#plan && type === OperationTypeNode.QUERY
      return {
        name: nameOfOperation(operation),
        type,
        document,
        operationName: name,
        plan: isPlanned ? new Plan(this.#schema, document, name) : NO_PLAN,
        resolve: this.#resolver(document, name, type),
        snapshot: type === OperationTypeNode.QUERY && !needsNoSnapshot(operation),
        depends: isVolatile(this.#schema, document) ? 'more' : 'data',
        warnings: warningsFor(this.#schema, document),
      }
    })
  }

  /** Executes an operation with resolvers, and reports why a query has no plan. */
  #resolver(document: DocumentNode, operationName: string | undefined, type: OperationTypeNode): Resolve {
    let reason: string | undefined
    return async (contextValue, variables, unplanned) => {
      if (type === OperationTypeNode.QUERY) {
        reason ??= this.#plan ? (unplannedField(this.#schema, document) ?? UNPLANNED.selection) : UNPLANNED.off
        this.#onUnplanned?.(unplanned ?? reason)
      }
      const variableValues = variables ?? {}
      const args = { schema: this.#schema, document, operationName, rootValue: {}, contextValue, variableValues }
      const result = await execute(args)
      // Resolvers below a nulled parent go on, and add their errors to its list.
      return result.errors ? { ...result, errors: [...result.errors] } : result
    }
  }
}

/** Computes a value once for each operation of a document. Names without an operation are not cached: clients choose them. */
function cachedIn<Value>(
  cache: WeakMap<DocumentNode, Map<string | undefined, Value | null>>,
  document: DocumentNode,
  name: string | undefined,
  compute: () => Value | null,
): Value | null {
  const values = cache.get(document) ?? new Map<string | undefined, Value | null>()
  let value = values.get(name)
  if (value !== undefined) return value
  value = compute()
  if (value !== null || name === undefined) {
    values.set(name, value)
    cache.set(document, values)
  }
  return value
}

function warningsFor(schema: GraphQLSchema, document: DocumentNode): Operation['warnings'] {
  const deprecations = deprecationsIn(schema, document)
  return deprecations.length > 0 ? { deprecations } : undefined
}

/** True if a query only reads the schema or previews. A preview has a separate transaction without a time limit. */
const needsNoSnapshot = ({ selectionSet: { selections } }: OperationDefinitionNode) =>
  selections.every(
    (one) => one.kind === Kind.FIELD && (one.name.value.startsWith('__') || one.name.value === 'previewDistribution'),
  )

/** True if the document selects a field that is marked as `volatile` in the schema. */
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

const MAX_NAME = 100

/** The name of an operation in logs and metrics: its name, or its type and the fields that it selects. */
function nameOfOperation({ name, operation, selectionSet }: OperationDefinitionNode): string {
  if (name) return name.value.slice(0, MAX_NAME)
  const fields = selectionSet.selections.map((one) =>
    one.kind === Kind.FIELD ? one.name.value : one.kind === Kind.FRAGMENT_SPREAD ? `...${one.name.value}` : '...',
  )
  return `${operation} { ${[...new Set(fields)].join(' ')} }`.slice(0, MAX_NAME)
}
