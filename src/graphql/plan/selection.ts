import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'

/** The context of a selection. */
export interface Document {
  schema: GraphQLSchema
  fragments: Record<string, FragmentDefinitionNode>
  /** The values of the variables in @include and @skip. */
  conditions: Record<string, boolean>
}

/**
 * Returns the fields selected on an object type by response key, in order. Returns undefined if a key has two
 * selections that would have to be merged. A fragment counts once, as in an execution.
 */
export function fieldsOf(
  document: Document,
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  found = new Map<string, FieldNode>(),
  spread = new Set<string>(),
): Map<string, FieldNode> | undefined {
  for (const selection of selectionSet.selections) {
    if (!isIncluded(document, selection)) continue
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value
      const other = found.get(key)
      if (other && (other.selectionSet || selection.selectionSet)) return undefined
      if (!other) found.set(key, selection)
      continue
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      if (spread.has(selection.name.value)) continue
      spread.add(selection.name.value)
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? document.fragments[selection.name.value] : selection
    if (!fragment) return undefined
    if (!applies(document, type, fragment.typeCondition?.name.value)) continue
    if (!fieldsOf(document, type, fragment.selectionSet, found, spread)) return undefined
  }
  return found
}

function applies({ schema }: Document, type: GraphQLObjectType, condition: string | undefined): boolean {
  if (condition === undefined || condition === type.name) return true
  const other = typeFromAST(schema, { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: condition } })
  return isAbstractType(other) && schema.isSubType(other, type)
}

function isIncluded({ conditions }: Document, { directives = [] }: SelectionSetNode['selections'][number]): boolean {
  for (const { name, arguments: given = [] } of directives) {
    if (name.value !== 'include' && name.value !== 'skip') continue
    const value = given[0]?.value
    const holds =
      value?.kind === Kind.VARIABLE ? conditions[value.name.value] : value?.kind === Kind.BOOLEAN && value.value
    if (Boolean(holds) === (name.value === 'skip')) return false
  }
  return true
}
