import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type ExecutionResult, type GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Answer, Rows } from 'pothos-sql'
import { plainReader, type Reader, readFor } from '../../db/connect/reader.ts'
import type { Caller } from '../../db/connect/scope.ts'
import { GatewayError } from '../../errors.ts'
import { parseExact } from '../../exact-number.ts'
import { type Admin, contextOf, type GraphContext } from '../context.ts'
import type { GatewayDeps } from '../deps.ts'
import {
  type DocumentReference,
  Documents,
  documentReference,
  type RequestParams,
  type Variables,
} from '../policy/documents.ts'
import { type ChargeOperation, Limiter, type Limits } from '../policy/limits.ts'
import { isAway, isRefusal, refusal } from './errors.ts'
import type { Operation } from './operation.ts'
import { Operations } from './operations.ts'
import { codesOf, failedWith, type Outcome, presentResult, resultOf } from './outcome.ts'
import { type OperationRun, readOperation, resolveOperation } from './read.ts'
import { Workload } from './workload.ts'

interface Counts {
  refusal(code: string): void
  failure(code: string): void
  unplanned(reason: string): void
}

interface GraphOptions {
  limits?: Limits
  plan?: boolean
  documents?: Documents
  count?: Counts
  /** The memory that documents of clients may take, with all that is prepared for them. */
  maxBytes?: number
}

interface OperationCaller extends Caller {
  cost?: number | undefined
  errors: string[]
  admin?: string | undefined
  startOperation(name: string): void
}

export interface OperationCall {
  admin: Admin
  /** Undefined if clients are not charged. */
  charge?: ChargeOperation | undefined
  caller?: OperationCaller | undefined
}

interface Pages<Data> {
  pages: Data[]
  rows?: Rows | undefined
}

const UNCOUNTED: Counts = { refusal() {}, failure() {}, unplanned() {} }

/**
 * The graph: every entry point finds its operation here, admits and runs it, and presents its
 * errors.
 */
export class Graph {
  readonly schema: GraphQLSchema
  readonly limiter: Limiter
  readonly documents: Documents
  readonly operations: Operations
  /** The large operations in progress. */
  readonly workload: Workload
  readonly deps: GatewayDeps
  readonly #count: Counts

  constructor(schema: GraphQLSchema, deps: GatewayDeps, options: GraphOptions = {}) {
    const { limits, plan, maxBytes, count = UNCOUNTED } = options
    this.schema = schema
    this.deps = deps
    this.#count = count
    this.documents = options.documents ?? new Documents({ trusted: [], trustedOnly: false })
    this.limiter = new Limiter(schema, limits)
    const planning = { plan, onUnplanned: count.unplanned, maxBytes }
    this.operations = new Operations(schema, { limiter: this.limiter, ...planning })
    this.workload = new Workload(this.limiter.limits.cost)
  }

  /** Creates the context of one operation. */
  contextOf(reader: Reader, admin: Admin): GraphContext {
    return contextOf(this.deps, reader, admin)
  }

  /**
   * The text of a request's document. Undefined if it has none.
   * @throws GraphQLError if its parameters or the document are rejected unread
   */
  async documentText(params: RequestParams): Promise<string | undefined> {
    this.limiter.assertReadable(params.variables)
    const reference = documentReference(params)
    const isEmpty = Object.values(reference).every((one) => one === undefined)
    return isEmpty ? undefined : this.documents.resolve(reference)
  }

  /** Finds a query whose document is at hand. Undefined if it is something else, or is rejected. */
  findQuery(
    params: DocumentReference & { operationName: string | undefined; variables?: Variables },
  ): Operation | undefined {
    if (this.limiter.variablesFault(params.variables) !== undefined) return undefined
    const text = this.documents.find(params)
    return text === undefined ? undefined : this.operations.find(text, params.operationName)
  }

  /**
   * Admits an operation that a client requests: names it to its request, and charges for it.
   * @returns a promise if it must be awaited @throws COST_LIMIT_EXCEEDED or RATE_LIMITED
   */
  admit(
    operation: Operation,
    variables: Variables,
    { admin, charge, caller }: OperationCall,
  ): Promise<void> | undefined {
    caller?.startOperation(operation.name)
    const isMutation = operation.type === OperationTypeNode.MUTATION
    if (caller && isMutation && typeof admin === 'object' && admin.scopes?.length !== 0)
      caller.admin = admin.name
    const cost = this.limiter.assertAllowed(operation, variables)
    if (caller) caller.cost = cost
    return charge && charged(charge, cost)
  }

  /**
   * Runs a query or a mutation: a query by its plan if it has one, else by resolvers on one
   * snapshot of the store. If a plan rejects an argument or a value without a place in the
   * document, resolvers run the query to find it. A large operation waits for its turn.
   * @param caller ends the reads when it has gone, and receives their statements
   */
  run(request: OperationRun, caller?: Caller): Promise<Outcome> {
    const cost = this.costOf(request)
    return this.workload
      .run(cost, caller, () => this.answer(request, cost, caller))
      .catch((error) => failedWith(request.operation, resultOf(error)))
  }

  /** The cost of an operation in the workload. */
  costOf({ operation, variables }: Pick<OperationRun, 'operation' | 'variables'>): number {
    return this.limiter.cost(operation, variables).requested
  }

  /** Runs an operation that has its turn. @throws the error of a read that fails */
  answer(request: OperationRun, cost: number, caller?: Caller): Promise<Outcome> {
    const { store } = this.deps
    if (!request.operation.snapshot) return resolveOperation(this, request, plainReader(store))
    const read = (reader: Reader) => readOperation(this, request, reader, caller)
    return readFor(store, read, caller, this.workload.isLarge(cost))
  }

  /**
   * Runs an operation of this program, which code generation has validated.
   * @throws the error that a resolver threw
   */
  async runDocument<Data, Sent>(
    document: TypedDocumentNode<Data, Sent>,
    variables: Sent,
    { admin = 'no', caller }: { admin?: Admin; caller?: Caller } = {},
  ): Promise<Data> {
    const operation = this.operations.of(document) as Operation
    const request = { operation, variables: variables as Variables, admin }
    return dataOf<Data>(answered(await this.run(request, caller)))
  }

  /**
   * Runs an operation of this program, page by page if `next` has the variables of the page that
   * follows. Several pages are of one snapshot.
   * @throws the error that a resolver threw
   */
  async runPages<Data>(
    request: OperationRun,
    next: ((data: Data) => Variables | undefined) | undefined,
    caller?: Caller,
  ): Promise<Pages<Data>> {
    if (!next) {
      const answer = answered(await this.run(request, caller))
      return { pages: [dataOf(answer)], rows: answer.rows }
    }
    const page = async (reader: Reader, more: Variables) => {
      const variables = { ...request.variables, ...more }
      const outcome = await readOperation(this, { ...request, variables }, reader, caller)
      return dataOf<Data>(answered(outcome))
    }
    const all = async (reader: Reader) => {
      const pages: Data[] = []
      for (let more: Variables | undefined = {}; more; ) {
        const data: Data = await page(reader, more)
        pages.push(data)
        more = next(data)
      }
      return pages
    }
    const some = async (reader: Reader) => {
      const first = await page(reader, {})
      return next(first) ? reader.snapshot(all) : [first]
    }
    const cost = this.costOf(request)
    const isLarge = this.workload.isLarge(cost)
    const read = () => readFor(this.deps.store, some, caller, isLarge)
    return { pages: await this.workload.run(cost, caller, read) }
  }

  /** Presents the errors of a requested operation, counts them, and notes their codes. */
  present<Result extends ExecutionResult>(
    result: Result,
    requestId: string,
    caller?: Pick<OperationCaller, 'errors'>,
  ): Result {
    const presented = presentResult(result, requestId, this.deps.log)
    const codes = codesOf(presented)
    for (const code of codes) {
      if (isRefusal(code)) this.#count.refusal(code)
      else this.#count.failure(code)
    }
    if (caller && codes.length > 0) caller.errors = codes
    const cause = result.errors?.find(isAway)?.originalError
    if (cause && !(cause instanceof GatewayError)) this.deps.onAway?.(cause)
    return presented
  }
}

async function charged(charge: ChargeOperation, cost: number): Promise<void> {
  const message = await charge(cost)
  if (message !== undefined) throw refusal('RATE_LIMITED', message)
}

function answered(outcome: Outcome): Answer {
  if (outcome.failed) throw origin(outcome.failed)
  return outcome
}

const dataOf = <Data>({ json }: Answer): Data => parseExact(json) as Data

// The error that a resolver threw. An argument that GraphQL itself rejected becomes BAD_INPUT.
function origin({ errors: [error] = [] }: ExecutionResult): unknown {
  let cause: Error | undefined = error?.originalError
  while (cause && 'originalError' in cause && cause.originalError instanceof Error)
    cause = cause.originalError
  if (!cause && error?.extensions.code === 'BAD_INPUT')
    return new GatewayError('BAD_INPUT', error.message)
  return cause ?? error
}
