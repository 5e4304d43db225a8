/** All error codes. Each transport maps them to its statuses in one place. */
export const ERROR_CODES = [
  'BAD_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'SOURCE_FAILED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'TIMEOUT',
  'ANSWER_TOO_LARGE',
  'UNSUPPORTED',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Codes of GraphQL requests that are rejected before they run, with their HTTP statuses. */
export const REFUSALS = {
  DEPTH_LIMIT_EXCEEDED: 400,
  ALIAS_LIMIT_EXCEEDED: 400,
  TOKEN_LIMIT_EXCEEDED: 400,
  SELECTION_LIMIT_EXCEEDED: 400,
  COST_LIMIT_EXCEEDED: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  DOCUMENT_NOT_KNOWN: 400,
  DOCUMENT_NOT_TRUSTED: 403,
  RATE_LIMITED: 429,
  PERSISTED_QUERY_HASH_MISMATCH: 400,
  /** A 200, because clients look for this code in the body and then send the text. */
  PERSISTED_QUERY_NOT_FOUND: 200,
} as const

export type RefusalCode = keyof typeof REFUSALS

/** An invalid parameter, and what a valid one looks like. */
export interface InputProblem {
  in: 'path' | 'query' | 'body' | 'header'
  name: string
  message: string
}

/**
 * An error that the client can act on. Its message is shown to clients and contains nothing
 * internal.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly problems: InputProblem[]
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    problems: InputProblem[] = [],
    retryAfterSeconds?: number,
  ) {
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.problems = problems
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The error for an invalid argument. The message continues a sentence that begins with the
 * argument's name.
 */
export const badArgument = (name: string, message: string) =>
  new GatewayError('BAD_INPUT', `${name} ${message}.`, [{ in: 'query', name, message }])
