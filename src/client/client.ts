/**
 * The typed client: operations and fragments for the usual parts of a dashboard, for any library that takes a
 * TypedDocumentNode.
 */
export * from '../generated/client/graphql.ts'
export type { Scalars } from './scalars.ts'
