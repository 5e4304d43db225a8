import {
  type FieldNode,
  type GraphQLObjectType,
  isNonNullType,
  isObjectType,
  type NameNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { fieldsOf } from '../selection.ts'
import type { Document } from './compile.ts'

/** The nodes that select a field, and its path in the answer. */
export interface Place {
  nodes: FieldNode[]
  path: string[]
}

/**
 * Finds a field by the name in its node, which is the same object in copies of the node.
 * @returns undefined if null may stand on its path: an error there may leave the rest of the answer
 */
export function placeOf(
  { schema, fragments, conditions }: Document,
  operation: OperationDefinitionNode,
  name: NameNode,
): Place | undefined {
  const find = (
    type: GraphQLObjectType,
    sets: SelectionSetNode[],
    path: string[],
  ): Place | undefined => {
    const definitions = type.getFields()
    for (const [key, nodes] of fieldsOf(sets, fragments, { conditions, on: { type, schema } })) {
      const field = definitions[nodes[0]?.name.value ?? '']?.type
      if (!isNonNullType(field) || !isObjectType(field.ofType)) continue
      const place = { nodes, path: [...path, key] }
      if (nodes.some((node) => node.name === name)) return place
      const within = find(
        field.ofType,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
        place.path,
      )
      if (within) return within
    }
    return undefined
  }
  const query = schema.getQueryType()
  return query ? find(query, [operation.selectionSet], []) : undefined
}
