import { type ExecutionResult, GraphQLError } from 'graphql'
import { GatewayError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { isAway, isRefusal, presentError } from './errors.ts'
import type { Graph } from './graph.ts'

/** The result of an operation that failed as a whole. */
export const resultOf = (error: unknown): ExecutionResult => ({
  errors: [asGraphQLError(error)],
  data: null,
})

export const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })

const MAX_ERRORS = 100
const MAX_LOGGED = 3

/**
 * Presents the first errors of a result. Internal errors are logged, and clients see only the
 * request's id.
 */
export function presentResult<Result extends ExecutionResult>(
  result: Result,
  requestId: string,
  log?: Log,
): Result {
  if (!result.errors) return result
  const unlisted = Math.max(0, result.errors.length - MAX_ERRORS)
  const faults: GraphQLError[] = []
  const errors = result.errors.slice(0, MAX_ERRORS).map((error) => {
    const { presented, internal } = presentError(error, requestId)
    if (internal) faults.push(error)
    return presented
  })
  for (const error of faults.slice(0, MAX_LOGGED))
    log?.error(
      { err: error.originalError ?? error, requestId, path: error.path },
      'a resolver failed',
    )
  if (faults.length > MAX_LOGGED)
    log?.error(
      { requestId, suppressed: faults.length - MAX_LOGGED, unlisted },
      'more resolvers failed',
    )
  if (unlisted > 0) errors.push(tooManyErrors(unlisted, requestId))
  return { ...result, errors }
}

function tooManyErrors(unlisted: number, requestId: string): GraphQLError {
  const message =
    `There are ${unlisted.toLocaleString('en-US')} more errors, which are not listed. ` +
    'Correct those that are.'
  return new GraphQLError(message, { extensions: { code: 'TOO_MANY_ERRORS', requestId, unlisted } })
}

/** Presents the errors of an operation that was asked for, and counts them. */
export function presentAndCount<Result extends ExecutionResult>(
  { deps, count }: Graph,
  result: Result,
  requestId: string,
): Result {
  const presented = presentResult(result, requestId, deps.log)
  for (const code of codesOf(presented)) {
    if (isRefusal(code)) count.refusal(code)
    else count.failure(code)
  }
  const cause = result.errors?.find(isAway)?.originalError
  if (cause && !(cause instanceof GatewayError)) deps.onAway?.(cause)
  return presented
}

export const codesOf = ({ errors = [] }: ExecutionResult): string[] => [
  ...new Set(errors.map(({ extensions }) => String(extensions.code))),
]
