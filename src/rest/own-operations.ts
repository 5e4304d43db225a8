import { type DocumentNode, Kind, print, visit } from 'graphql'
import * as generated from '../generated/operations/graphql.ts'

/** The texts of the operations that the endpoints execute, as a client can send them. */
export const ownOperations: string[] = Object.entries(generated as unknown as Record<string, DocumentNode>)
  .filter(([name, value]) => /^Rest\w+Document$/.test(name) && value.kind === 'Document')
  .map(([, document]) => print(withoutFlat(document)))

/** `@flat` shapes the rows of REST alone. */
function withoutFlat(document: DocumentNode): DocumentNode {
  return visit(document, { [Kind.DIRECTIVE]: ({ name }) => (name.value === 'flat' ? null : undefined) })
}
