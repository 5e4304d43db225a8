import { formatDocument, stringifyDocument } from '@urql/core'
import { Kind } from 'graphql'
import * as client from '../generated/client/graphql.ts'

/**
 * The operations of the typed client as the dashboard sends them: queries with the type names that
 * its cache needs.
 */
export const dashboardDocuments: string[] = Object.values(client)
  .filter(({ definitions: [first] }) => first?.kind === Kind.OPERATION_DEFINITION)
  .flatMap((document) => [stringifyDocument(document), stringifyDocument(formatDocument(document))])
