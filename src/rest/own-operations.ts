import { type DocumentNode, print } from 'graphql'
import * as generated from '../generated/operations/graphql.ts'

/** The texts of the operations that the endpoints execute. */
export const ownOperations: string[] = Object.entries(generated as unknown as Record<string, DocumentNode>)
  .filter(([name, value]) => /^Rest\w+Document$/.test(name) && value.kind === 'Document')
  .map(([, document]) => print(document))
