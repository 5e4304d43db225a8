import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Answer } from 'pothos-sql'
import type { Log } from '../../log.ts'
import { presentError } from './errors.ts'
import type { Operation } from './operation.ts'

/** An operation's data as JSON, or a result with errors, which are not yet safe to show. */
export type Outcome = (Answer & { failed?: undefined }) | { failed: ExecutionResult }

export const failedWith = ({ warnings }: Operation, result: ExecutionResult): Outcome => ({
  failed: warnings ? { ...result, extensions: { ...warnings } } : result,
})

/**
 * The JSON of an answer: its data and, in `extensions`, the warnings of its operation, and more.
 */
export function answerText(
  { warnings }: Operation,
  { json }: { json: string },
  more?: object,
): string {
  const extensions = more ? { ...warnings, ...more } : warnings
  return extensions
    ? `{"data":${json},"extensions":${JSON.stringify(extensions)}}`
    : `{"data":${json}}`
}

/** The result of an operation that failed as a whole, by one error or those of its document. */
export function resultOf(error: unknown) {
  const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
  return { errors: errors.map(asGraphQLError), data: null }
}

const asGraphQLError = (error: unknown): GraphQLError =>
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

export const codesOf = ({ errors = [] }: ExecutionResult): string[] => [
  ...new Set(errors.map(({ extensions }) => String(extensions.code))),
]
