import { GraphQLError } from 'graphql'
import { storeFault } from '../../db/faults.ts'
import { GatewayError, REFUSALS, type RefusalCode } from '../../errors.ts'

/** A large operation that would have to wait too long. */
export class Busy extends GatewayError {
  constructor() {
    super(
      'UNAVAILABLE',
      'The server is busy with other large operations. Try again in a moment, or ask for less: ' +
        'fewer rows, or a shorter range of dates.',
      [],
      RETRY_SECONDS,
    )
  }

  readonly http = { status: 503, headers: { 'retry-after': String(RETRY_SECONDS) } }
}

const RETRY_SECONDS = 2

const MAX_MESSAGE = 1500

// A message without its middle if it is too long: its start says what is wrong, its end why.
function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message
  const half = MAX_MESSAGE / 2
  // No half of a character is left at a cut.
  const start = message.slice(0, half).replace(/[\ud800-\udbff]$/, '')
  const end = message.slice(-half).replace(/^[\udc00-\udfff]/, '')
  return `${start} … ${end}`
}

/** Creates the error of a request that is rejected before any of it runs. */
export function refusal(
  code: RefusalCode,
  message: string,
  more: Record<string, unknown> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...more } })
}

/** True if an error code belongs to a request that was rejected before any of it ran. */
export const isRefusal = (code: unknown): code is RefusalCode =>
  typeof code === 'string' && Object.hasOwn(REFUSALS, code)

/**
 * Converts any error of an operation to one that clients may see. Client mistakes and known
 * conditions stay as they are; anything else becomes an internal error without details. Each has a
 * code and the request's id.
 */
export function presentError(
  error: unknown,
  requestId: string,
): { presented: GraphQLError; internal: boolean } {
  const outer = error instanceof GraphQLError ? error : undefined
  const cause = rootCause(error)
  const fault = knownFault(cause)
  const location = outer && {
    nodes: outer.nodes,
    source: outer.source,
    positions: outer.positions,
    path: outer.path,
  }
  if (fault) {
    const problems = fault.problems.length ? { problems: fault.problems } : {}
    const presented = new GraphQLError(shortened(fault.message), {
      ...location,
      extensions: {
        code: fault.code,
        requestId,
        ...problems,
        ...(fault instanceof Busy && { http: fault.http }),
      },
    })
    return { presented, internal: false }
  }
  if (cause === undefined && outer) {
    // Hides internals that the server's JSON parser adds. A body that cannot be parsed is always a
    // 400.
    const { originalError, ...extensions } = outer.extensions ?? {}
    if (originalError !== undefined) extensions.http = { status: 400 }
    extensions.code ??= 'BAD_INPUT'
    extensions.requestId = requestId
    const status = REFUSALS[extensions.code as RefusalCode]
    if (status !== undefined) {
      const { headers } = (extensions.http ?? {}) as { headers?: Record<string, string> }
      extensions.http = { status, ...(headers && { headers }) }
    }
    return {
      presented: new GraphQLError(shortened(outer.message), { ...location, extensions }),
      internal: false,
    }
  }
  const presented = new GraphQLError(
    `Something went wrong on our side. Tell the operator this request id: ${requestId}`,
    {
      ...location,
      extensions: { code: 'INTERNAL', requestId },
    },
  )
  return { presented, internal: true }
}

const PLACELESS: readonly unknown[] = ['UNAVAILABLE', 'TIMEOUT', 'ANSWER_TOO_LARGE']

/**
 * True if an error is of something in the document. If so, resolvers execute the operation, for a
 * response that locates the mistake. After any other failure, nothing must be read a second time.
 */
export function isOfDocument(error: unknown): boolean {
  const { presented, internal } = presentError(error, '')
  return !internal && !PLACELESS.includes(presented.extensions.code)
}

/** True if an error means that the store is unreachable or too busy. */
export function isAway(error: unknown): boolean {
  return presentError(error, '').presented.extensions.code === 'UNAVAILABLE'
}

// The error that GraphQL wrapped. Undefined if GraphQL itself rejected the operation.
function rootCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.name === 'GraphQLError') {
    if (!cause.originalError || cause.originalError === cause) return undefined
    cause = cause.originalError
  }
  return cause
}

/**
 * Converts an error of the store or a library to the client's error. Undefined for an internal
 * error.
 */
export function knownFault(error: unknown): GatewayError | undefined {
  if (error instanceof Error && error.name === 'PothosValidationError')
    return new GatewayError('BAD_INPUT', error.message)
  return storeFault(error)
}
