import { type ExecutionResult, GraphQLError } from 'graphql'
import { storeFault } from '../../db/faults.ts'
import { GatewayError, REFUSALS, type RefusalCode } from '../../errors.ts'
import type { Log } from '../../log.ts'

/** What a request is refused with before anything of it runs. */
export function refusal(code: RefusalCode, message: string, more: Record<string, unknown> = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { code, ...more } })
}

/** Whether an error's code is that of a request which was refused before anything of it ran. */
export const isRefusal = (code: unknown): code is RefusalCode =>
  typeof code === 'string' && Object.hasOwn(REFUSALS, code)

/**
 * The error that a client may see for any error of an operation: its own mistakes and known conditions as they are,
 * anything else as an internal fault that tells nothing. Each has a code and the request's id.
 */
export function presentError(error: unknown, requestId: string): { shown: GraphQLError; internal: boolean } {
  const outer = error instanceof GraphQLError ? error : undefined
  const cause = rootCause(error)
  const known = knownFault(cause)
  const place = outer && { nodes: outer.nodes, source: outer.source, positions: outer.positions, path: outer.path }
  if (known) {
    const problems = known.problems.length ? { problems: known.problems } : {}
    const shown = new GraphQLError(known.message, {
      ...place,
      extensions: { code: known.code, requestId, ...problems },
    })
    return { shown, internal: false }
  }
  if (cause === undefined && outer) {
    // What the server's JSON parser adds of its own insides stays here; a body that cannot be read is a 400 to anyone.
    const { originalError, ...extensions } = outer.extensions ?? {}
    if (originalError !== undefined) extensions.http = { status: 400 }
    extensions.code ??= 'BAD_INPUT'
    extensions.requestId = requestId
    const status = REFUSALS[extensions.code as RefusalCode]
    if (status !== undefined) {
      const { headers } = (extensions.http ?? {}) as { headers?: Record<string, string> }
      extensions.http = { status, ...(headers && { headers }) }
    }
    return { shown: new GraphQLError(outer.message, { ...place, extensions }), internal: false }
  }
  const shown = new GraphQLError(`Something went wrong on our side. Tell the operator this request id: ${requestId}`, {
    ...place,
    extensions: { code: 'INTERNAL', requestId },
  })
  return { shown, internal: true }
}

/** A result whose errors a client may see. Faults of ours are logged, and only the request's id is shown. */
export function presentResult<Result extends ExecutionResult>(result: Result, requestId: string, log: Log): Result {
  if (!result.errors) return result
  const errors = result.errors.map((error) => {
    const { shown, internal } = presentError(error, requestId)
    if (internal) log.error({ err: error.originalError ?? error, requestId, path: error.path }, 'a resolver failed')
    return shown
  })
  return { ...result, errors }
}

/**
 * Whether the caller is to blame for an error: then the operation is executed for its answer, which says where in the document
 * the mistake is. What failed otherwise must not be read a second time.
 */
export function isCallersMistake(error: unknown): boolean {
  const { shown, internal } = presentError(error, '')
  return !internal && shown.extensions.code !== 'UNAVAILABLE' && shown.extensions.code !== 'TIMEOUT'
}

/** Whether an error is of a store that cannot be reached, or is too busy. */
export function isAway(error: unknown): boolean {
  return presentError(error, '').shown.extensions.code === 'UNAVAILABLE'
}

/** What was thrown before GraphQL wrapped it; undefined when GraphQL itself refused the operation. */
function rootCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.name === 'GraphQLError') {
    if (!cause.originalError || cause.originalError === cause) return undefined
    cause = cause.originalError
  }
  return cause
}

/** Faults of what is below us that have a meaning for the client. */
export function knownFault(error: unknown): GatewayError | undefined {
  if (error instanceof Error && error.name === 'PothosValidationError')
    return new GatewayError('BAD_INPUT', error.message)
  return storeFault(error)
}
