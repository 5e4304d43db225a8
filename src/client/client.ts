/**
 * The typed client: operations and fragments for a typical dashboard, for any library that accepts
 * TypedDocumentNode.
 */
export * from '../generated/client/graphql.ts'

import type { errorCodes } from '../generated/client/error-codes.ts'

/** All values that `extensions.code` of an error may have. */
export { errorCodes } from '../generated/client/error-codes.ts'
/** A value of `extensions.code`. */
export type ErrorCode = (typeof errorCodes)[number]
/**
 * The types of each interface and union, for `new InMemoryCache({ possibleTypes })` of Apollo
 * Client.
 */
export { possibleTypes } from '../generated/client/possible-types.ts'
export { graphcacheKeys, type TypePolicy, typePolicies, withPages } from './cache.ts'
export type { Scalars } from './scalars.ts'
