/** What can go wrong, coded once; each transport maps the codes to its own statuses once. */
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
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** What a GraphQL request is refused for before anything of it runs, with the HTTP status that says so. */
export const REFUSALS = {
  DEPTH_LIMIT_EXCEEDED: 400,
  ALIAS_LIMIT_EXCEEDED: 400,
  TOKEN_LIMIT_EXCEEDED: 400,
  SELECTION_LIMIT_EXCEEDED: 400,
  COST_LIMIT_EXCEEDED: 400,
  DOCUMENT_NOT_KNOWN: 400,
  DOCUMENT_NOT_TRUSTED: 403,
  RATE_LIMITED: 429,
  PERSISTED_QUERY_HASH_MISMATCH: 400,
  /** Clients send the text then; they look for it in an answer that has arrived. */
  PERSISTED_QUERY_NOT_FOUND: 200,
} as const

export type RefusalCode = keyof typeof REFUSALS

/** One parameter that is wrong, and what would be right. */
export interface InputProblem {
  in: 'path' | 'query' | 'body' | 'header'
  name: string
  message: string
}

/** An error that its reader can act on: the message is a sentence for them and holds nothing internal. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly problems: InputProblem[]
  /** When to try again, if that may help. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, problems: InputProblem[] = [], retryAfterSeconds?: number) {
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.problems = problems
    this.retryAfterSeconds = retryAfterSeconds
  }
}
