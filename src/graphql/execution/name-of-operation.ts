import { Kind, type OperationDefinitionNode } from 'graphql'

const MAX_LENGTH = 100

/** The name of an operation in logs and metrics: its name, or its type and the fields that it selects. */
export function nameOfOperation({ name, operation, selectionSet }: OperationDefinitionNode): string {
  if (name) return name.value.slice(0, MAX_LENGTH)
  const fields = selectionSet.selections.map((one) =>
    one.kind === Kind.FIELD ? one.name.value : one.kind === Kind.FRAGMENT_SPREAD ? `...${one.name.value}` : '...',
  )
  return `${operation} { ${[...new Set(fields)].join(' ')} }`.slice(0, MAX_LENGTH)
}
