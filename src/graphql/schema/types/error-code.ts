import type { ErrorCode, RefusalCode } from '../../../errors.ts'
import type { Builder } from '../builder.ts'

/** Codes of faults, and of what the GraphQL server rejects. */
type OtherCode =
  | 'INTERNAL'
  | 'TOO_MANY_ERRORS'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'BAD_REQUEST'

const CODES: Record<ErrorCode | RefusalCode | OtherCode, string> = {
  BAD_INPUT: 'An argument or a variable is invalid. The message says what to change.',
  NOT_FOUND: 'The mutation names something that is not stored.',
  CONFLICT: 'Another change is in progress, or the present state does not allow this one.',
  UNAUTHENTICATED: 'The admin token is missing or wrong.',
  FORBIDDEN: 'The server has no admin token, or its database role may not write.',
  SOURCE_FAILED: 'A source of positions or prices failed.',
  UNAVAILABLE: 'The store, or what a field needs, is not available now. Try again.',
  RATE_LIMITED: 'The client has used up its RATE_LIMIT. Try again after `retry-after` seconds.',
  TIMEOUT: 'The operation took longer than READ_TIMEOUT_MS. Ask for less.',
  ANSWER_TOO_LARGE: 'The answer would have more than MAX_ANSWER_BYTES. Ask for less.',
  UNSUPPORTED: 'A store on several servers cannot answer this. Leave the field out.',
  TOO_MANY_ERRORS: 'The answer has more errors than it lists. Correct those first.',
  INTERNAL: 'A fault of the gateway. Its log has it under the `requestId`.',
  GRAPHQL_PARSE_FAILED: 'The document has a syntax error. Nothing ran.',
  GRAPHQL_VALIDATION_FAILED: 'The document does not fit the schema. Nothing ran.',
  BAD_REQUEST: 'The HTTP request is invalid. Nothing ran.',
  OPERATION_RESOLUTION_FAILURE: 'The document has no such operation, or several. Nothing ran.',
  DEPTH_LIMIT_EXCEEDED: 'The operation is nested deeper than `limits { depth }`. Nothing ran.',
  ALIAS_LIMIT_EXCEEDED: 'The operation has more aliases than `limits { aliases }`. Nothing ran.',
  TOKEN_LIMIT_EXCEEDED: 'The document is longer than `limits { tokens }`. Nothing ran.',
  SELECTION_LIMIT_EXCEEDED: 'Fragments or repeated fields add too many selections. Nothing ran.',
  COST_LIMIT_EXCEEDED: 'The operation costs more than `limits { cost }`. Nothing ran.',
  DOCUMENT_NOT_KNOWN: 'No trusted document has this id. Nothing ran.',
  DOCUMENT_NOT_TRUSTED: 'The server runs trusted documents only. Nothing ran.',
  PERSISTED_QUERY_NOT_FOUND: 'The server does not remember this hash. Send the query with it.',
  PERSISTED_QUERY_HASH_MISMATCH: 'The query does not match its hash. Nothing ran.',
}

/** Adds the enum of error codes. No field has it: errors are not part of the schema. */
export function addErrorCode(builder: Builder): void {
  builder.enumType('ErrorCode', {
    description: 'The codes of errors, in their `extensions.code`.',
    values: Object.fromEntries(
      Object.entries(CODES).map(([code, description]) => [code, { description }]),
    ),
  })
}
