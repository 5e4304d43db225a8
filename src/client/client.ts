/**
 * The typed client: operations and fragments for a typical dashboard, for any library that accepts TypedDocumentNode.
 */
export * from '../generated/client/graphql.ts'
export type { Scalars } from './scalars.ts'
