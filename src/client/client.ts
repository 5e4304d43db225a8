/**
 * The typed client: operations and fragments for a typical dashboard, for any library that accepts
 * TypedDocumentNode.
 */
export * from '../generated/client/graphql.ts'
/**
 * The types of each interface and union, for `new InMemoryCache({ possibleTypes })` of Apollo
 * Client.
 */
export { possibleTypes } from '../generated/client/possible-types.ts'
export type { Scalars } from './scalars.ts'
