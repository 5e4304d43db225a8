import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  visit,
} from 'graphql'

/** A subscription field that reports the answers of the query field of the same name and arguments. */
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
  if (!subscriptions || !queries || operation?.operation !== OperationTypeNode.SUBSCRIPTION) return undefined
  const field = rootField(document, operation)
  if (!field || subscriptions.getFields()[field.name.value]?.extensions.likeQuery !== true) return undefined
  return visit(document, {
    [Kind.OPERATION_DEFINITION]: (node) =>
      node === operation ? { ...node, operation: OperationTypeNode.QUERY } : null,
    [Kind.NAMED_TYPE]: (node) =>
      node.name.value === subscriptions.name
        ? { ...node, name: { kind: Kind.NAME, value: queries.name } as const }
        : undefined,
  })
}

/** The root field of a subscription, which may be in a fragment. */
function rootField(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode | undefined {
  const waiting: SelectionNode[] = [...selectionSet.selections]
  for (const selection of waiting) {
    if (selection.kind === Kind.FIELD) return selection
    if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(...selection.selectionSet.selections)
    else
      for (const definition of document.definitions)
        if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value)
          waiting.push(...definition.selectionSet.selections)
  }
  return undefined
}
