/** An invalid argument, and what a valid one looks like. */
export interface Problem {
  in: 'query'
  name: string
  message: string
}

/**
 * `BAD_INPUT`: an argument is invalid. `ANSWER_TOO_LARGE`: the answer exceeds `maxBytes` of its
 * reader. `NO_JSON`: a value, such as NaN, has no JSON: resolvers execute the query and report it.
 */
export type SqlErrorCode = 'BAD_INPUT' | 'ANSWER_TOO_LARGE' | 'NO_JSON'

/** The error of a query. Its message is for clients, and contains nothing internal. */
export class SqlError extends Error {
  readonly code: SqlErrorCode
  readonly problems: Problem[]
  /** The largest size of an answer, in bytes, for ANSWER_TOO_LARGE. */
  readonly maxBytes: number | undefined

  constructor(code: SqlErrorCode, message: string, problems: Problem[] = [], maxBytes?: number) {
    super(message)
    this.name = 'SqlError'
    this.code = code
    this.problems = problems
    this.maxBytes = maxBytes
  }
}

/**
 * The error for an invalid argument. The message continues a sentence that begins with the
 * argument's name.
 */
export const badArgument = (name: string, message: string) =>
  new SqlError('BAD_INPUT', `${name} ${message}.`, [{ in: 'query', name, message }])

export const answerTooLarge = (maxBytes: number) =>
  new SqlError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${maxBytes.toLocaleString('en-US')} bytes, the limit. ` +
      'Ask for fewer rows or fields, or split it into several requests.',
    [],
    maxBytes,
  )

/** True for an error with this code. Hosts may throw their own errors from what they declare. */
export const hasCode = (error: unknown, code?: SqlErrorCode): boolean =>
  error instanceof Error &&
  'code' in error &&
  (code === undefined ? typeof error.code === 'string' : error.code === code)
