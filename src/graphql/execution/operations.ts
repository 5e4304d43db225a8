import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { queryOf } from '../live/live-query.ts'
import { Limiter } from '../policy/limits.ts'
import { refusal } from './errors.ts'
import { type Operation, operationOf, type Planning } from './operation.ts'

const MAX_BYTES = 16 * 1024 * 1024
const MAX_TEXTS = 1000
const MAX_NAMED = 10
const MAX_NAME = 100
const MAX_NEW = 16
const ERROR_BYTES = 3000
const ENTRY_BYTES = 2500

interface SentDocument {
  document: DocumentNode | undefined
  errors: readonly GraphQLError[]
  prepared: number
}

// The operations that are prepared for a document, by their names. Null if it has no such
// operation.
interface PreparedDocument {
  operations: Map<string | undefined, Operation | null>
  /** Those whose rows are separate. */
  withRows: Map<string | undefined, Operation | null>
  queries: Map<string | undefined, DocumentNode | null>
}

interface OperationsOptions extends Partial<Pick<Planning, 'plan' | 'onUnplanned'>> {
  limiter?: Limiter
  maxBytes?: number
}

/** Parses, validates and plans each document that clients send once. */
export class Operations {
  readonly #planning: Planning
  readonly #limiter: Limiter
  // Valid documents that were sent again, by text.
  readonly #cached: LRUCache<string, SentDocument>
  // The others. Few of them live until V8 moves them to its old space, whose garbage stays for
  // long.
  readonly #new: LRUCache<string, SentDocument>
  readonly #sentAs = new WeakMap<DocumentNode, SentDocument>()
  readonly #prepared = new WeakMap<DocumentNode, PreparedDocument>()

  constructor(schema: GraphQLSchema, options: OperationsOptions = {}) {
    const {
      limiter = new Limiter(schema),
      plan = true,
      onUnplanned,
      maxBytes = MAX_BYTES,
    } = options
    this.#planning = { schema, plan, onUnplanned }
    this.#limiter = limiter
    const sizeCalculation = (sent: SentDocument, text: string) => this.#weigh(sent, text)
    const newBytes = Math.floor(maxBytes / 4)
    this.#new = new LRUCache({ max: MAX_NEW, maxSize: newBytes, sizeCalculation })
    this.#cached = new LRUCache({ max: MAX_TEXTS, maxSize: maxBytes - newBytes, sizeCalculation })
  }

  get bytes(): number {
    return this.#cached.calculatedSize + this.#new.calculatedSize
  }

  parse(text: string): DocumentNode {
    const { document, errors } = this.#sent(text)
    if (!document) throw errors[0]
    return document
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    return this.#sentAs.get(document)?.errors ?? this.#limiter.validate(document)
  }

  /** Finds a query by its text. Undefined if it is something else, or invalid. */
  find(text: string, operationName: string | undefined): Operation | undefined {
    const { document, errors } = this.#sent(text)
    const operation = document && errors.length === 0 ? this.of(document, operationName) : undefined
    return operation?.type === OperationTypeNode.QUERY ? operation : undefined
  }

  /**
   * Prepares an operation by its text.
   * @throws the errors of the document, or that it has no such operation
   */
  prepare(text: string, operationName: string | undefined): Operation {
    const document = this.parse(text)
    const errors = this.validate(document)
    if (errors.length > 0) throw new AggregateError(errors)
    this.assertNamed(document, operationName)
    return this.of(document, operationName) as Operation
  }

  /**
   * Prepares an operation of a valid document. Undefined if the document has no such operation.
   * @param hasRows whether the rows of its only list are separate and flat, as REST has them
   */
  of(document: DocumentNode, name?: string, hasRows = false): Operation | undefined {
    const prepared = this.#preparedOf(document)
    const operations = hasRows ? prepared.withRows : prepared.operations
    return (
      once(operations, name, () => operationOf(this.#planning, document, name, hasRows)) ??
      undefined
    )
  }

  /** The query whose answers a subscription sends. Undefined if it sends something else. */
  live({ document, operationName }: Operation): Operation | undefined {
    const { queries } = this.#preparedOf(document)
    const query = once(
      queries,
      operationName,
      () => queryOf(this.#planning.schema, document, operationName) ?? null,
    )
    return query ? this.of(query, operationName) : undefined
  }

  /**
   * @throws OPERATION_RESOLUTION_FAILURE if a document has no operation of this name or, without
   * one, not exactly one operation
   */
  assertNamed(document: DocumentNode, name: string | undefined): void {
    if (getOperationAST(document, name)) return
    const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
    const names = operations
      .flatMap((one) => one.name?.value.slice(0, MAX_NAME) ?? [])
      .slice(0, MAX_NAMED)
    const choose =
      names.length > 0
        ? `Send operationName as one of: ${names.join(', ')}.`
        : 'Leave operationName out.'
    throw refusal('OPERATION_RESOLUTION_FAILURE', messageOf(operations.length, name, choose))
  }

  #preparedOf(document: DocumentNode): PreparedDocument {
    let prepared = this.#prepared.get(document)
    if (!prepared) {
      prepared = { operations: new Map(), withRows: new Map(), queries: new Map() }
      this.#prepared.set(document, prepared)
    }
    return prepared
  }

  // The number of plans and statements that are prepared for a document, and for the queries behind
  // its subscriptions.
  #preparedFor(document: DocumentNode | undefined): number {
    const prepared = document && this.#prepared.get(document)
    if (!prepared) return 0
    let count = 0
    for (const operation of [...prepared.operations.values(), ...prepared.withRows.values()])
      count += operation ? operation.plan.size + operation.islands.size : 0
    for (const query of prepared.queries.values()) if (query) count += this.#preparedFor(query)
    return count
  }

  #sent(text: string): SentDocument {
    const cached = this.#cached.get(text)
    const sent = cached ?? this.#new.get(text)
    if (!sent) {
      const read = this.#read(text)
      this.#new.set(text, read)
      return read
    }
    if (sent.errors.length > 0 || cached?.prepared === this.#preparedFor(sent.document)) return sent
    // It is weighed again if it has new plans and statements. Setting it alone would leave its
    // size.
    this.#cached.delete(text)
    this.#cached.set(text, sent)
    this.#new.delete(text)
    return sent
  }

  #read(text: string): SentDocument {
    const sent: SentDocument = { document: undefined, errors: [], prepared: 0 }
    try {
      sent.document = this.#limiter.parse(text)
      this.#sentAs.set(sent.document, sent)
      sent.errors = this.#limiter.validate(sent.document)
    } catch (error) {
      sent.errors = [
        error instanceof GraphQLError
          ? error
          : new GraphQLError('', { originalError: error as Error }),
      ]
    }
    return sent
  }

  #weigh(sent: SentDocument, text: string): number {
    const { document, errors } = sent
    sent.prepared = this.#preparedFor(document)
    const bytes = document
      ? this.#limiter.bytesOf(document)
      : { document: 2 * text.length, prepared: 0 }
    // A new document will have a plan and a statement.
    const prepared = Math.max(sent.prepared, 2) * bytes.prepared
    return ENTRY_BYTES + bytes.document + errors.length * ERROR_BYTES + prepared
  }
}

function messageOf(count: number, name: string | undefined, choose: string): string {
  if (count === 0)
    return 'The document has no operation. Add a query, a mutation or a subscription.'
  if (name === undefined)
    return `The document has ${count} operations, so it must be clear which one runs. ${choose}`
  return `The document has no operation ${name.slice(0, MAX_NAME)}. ${choose}`
}

// Computes a value once for each operation of a document. Names without an operation are not
// cached: clients choose them.
function once<Value>(
  values: Map<string | undefined, Value | null>,
  name: string | undefined,
  compute: () => Value | null,
): Value | null {
  let value = values.get(name)
  if (value !== undefined) return value
  value = compute()
  if (value !== null || name === undefined) values.set(name, value)
  return value
}
