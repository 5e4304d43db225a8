import { type DocumentNode, Kind, print, visit } from 'graphql'

/** The text of an endpoint's operation as a client can send it, without `@flat`, which only shapes REST rows. */
export const operationText = (document: DocumentNode): string =>
  print(visit(document, { [Kind.DIRECTIVE]: ({ name }) => (name.value === 'flat' ? null : undefined) }))
