import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
} from 'graphql'
import { fieldsOf, fragmentsOf } from 'pothos-sql/host'

/**
 * A subscription field that reports the answers of the query field of the same name and arguments.
 */
export const likeQuery = {
  extensions: { likeQuery: true },
  subscribe: notExecuted,
  resolve: notExecuted,
}

function notExecuted(): never {
  throw new Error('this subscription is executed as the query of the same fields')
}

/** The query behind a subscription, if it is a live query. The document must be valid. */
export function queryOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): DocumentNode | undefined {
  const [subscriptions, queries] = [schema.getSubscriptionType(), schema.getQueryType()]
  const operation = getOperationAST(document, operationName)
  if (!subscriptions || !queries || operation?.operation !== OperationTypeNode.SUBSCRIPTION)
    return undefined
  const [[field] = []] = fieldsOf([operation.selectionSet], fragmentsOf(document)).values()
  if (!field || subscriptions.getFields()[field.name.value]?.extensions.likeQuery !== true)
    return undefined
  return visit(document, {
    [Kind.OPERATION_DEFINITION]: (node) =>
      node === operation ? { ...node, operation: OperationTypeNode.QUERY } : null,
    [Kind.NAMED_TYPE]: (node) =>
      node.name.value === subscriptions.name
        ? { ...node, name: { kind: Kind.NAME, value: queries.name } as const }
        : undefined,
  })
}
