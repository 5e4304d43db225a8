/** What can go wrong, coded once; each transport maps the codes to its own statuses once. */
export type ErrorCode =
  | 'BAD_INPUT'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'SOURCE_FAILED'
  | 'UNAVAILABLE'

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

  constructor(code: ErrorCode, message: string, problems: InputProblem[] = []) {
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.problems = problems
  }
}
