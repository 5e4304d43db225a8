import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentOf, fragmentsOf } from 'pothos-sql/host'

/** The size of a document with all fragments expanded. */
export interface DocumentSize {
  /** Fields, fragment spreads and inline fragments, as written. */
  written: number
  /** The selections of all operations, with fragments expanded. */
  expanded: number
  /** The maximum number of selections of one key in one selection set. */
  repeated: number
  longest: number
  /** The levels of fields in an operation, but for those of `__schema`. */
  depth: number
  /** The aliases in an operation, but for those of `__typename`. */
  aliases: number
  /** The approximate number of introspection fields in the answer. */
  introspected: number
}

interface SelectionSize {
  expanded: number
  depth: number
  aliases: number
  /** The introspection fields of nested selections. */
  described: number
  /** The introspection fields below `__schema` and `__type`. */
  introspected: number
}

const NOTHING: SelectionSize = {
  expanded: 0,
  depth: 0,
  aliases: 0,
  described: 0,
  introspected: 0,
}

/**
 * Measures documents in linear time: each fragment is measured once, however often it is spread.
 */
export class DocumentMeter {
  readonly #rows: Record<string, number>

  constructor(schema: GraphQLSchema) {
    this.#rows = introspectedRows(schema)
  }

  measure(document: DocumentNode): DocumentSize {
    const fragments = fragmentsOf(document)
    const measured = new Map<SelectionSetNode, SelectionSize>()
    const size: DocumentSize = { ...NOTHING, written: 0, repeated: 0, longest: 0 }
    const ofFragment = (set: SelectionSetNode): SelectionSize => {
      let sum = measured.get(set)
      if (sum) return sum
      // Stops at a cycle, which validation rejects.
      measured.set(set, NOTHING)
      sum = ofSet(set)
      measured.set(set, sum)
      return sum
    }
    const ofSet = (set: SelectionSetNode, keys = new Map<string, number>()): SelectionSize => {
      const sum: SelectionSize = { ...NOTHING }
      for (const selection of set.selections) {
        size.written++
        sum.expanded++
        const below = belowOf(selection, keys)
        sum.expanded += below.expanded
        sum.depth = Math.max(sum.depth, below.depth)
        sum.aliases += below.aliases
        sum.described += below.described
        sum.introspected += below.introspected
      }
      return sum
    }
    const belowOf = (selection: SelectionNode, keys: Map<string, number>): SelectionSize => {
      if (selection.kind === Kind.FIELD) return ofField(selection, keys)
      const fragment = fragmentOf(selection, fragments)
      if (!fragment) return NOTHING
      const { kind, selectionSet } = fragment
      return kind === Kind.INLINE_FRAGMENT ? ofSet(selectionSet, keys) : ofFragment(selectionSet)
    }
    const ofField = (
      { name: { value: name }, alias, selectionSet }: FieldNode,
      keys: Map<string, number>,
    ): SelectionSize => {
      const key = alias?.value ?? name
      const times = (keys.get(key) ?? 0) + 1
      keys.set(key, times)
      if (times > size.repeated) size.repeated = times
      if (key.length > size.longest) size.longest = key.length
      const below = selectionSet ? ofSet(selectionSet) : NOTHING
      const { expanded, depth, aliases, described, introspected } = below
      const isAlias = alias && name !== '__typename' && key !== '__typename'
      return {
        expanded,
        depth: name === '__schema' ? 0 : 1 + depth,
        aliases: aliases + (isAlias ? 1 : 0),
        described: (this.#rows[name] ?? 1) * (1 + described),
        introspected: name === '__schema' || name === '__type' ? 1 + described : introspected,
      }
    }
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) ofFragment(definition.selectionSet)
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue
      const operation = ofSet(definition.selectionSet)
      size.expanded += operation.expanded
      for (const part of ['depth', 'aliases', 'introspected'] as const)
        size[part] = Math.max(size[part], operation[part])
    }
    return size
  }
}

function introspectedRows(schema: GraphQLSchema): Record<string, number> {
  const types = Object.values(schema.getTypeMap())
  const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0)
  const outputs = types.filter((type) => isObjectType(type) || isInterfaceType(type))
  const fields = outputs.flatMap((type) => Object.values(type.getFields()))
  const args = sum(fields.map((field) => field.args.length))
  const inputs = sum(
    types.map((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0)),
  )
  const values = sum(types.map((type) => (isEnumType(type) ? type.getValues().length : 0)))
  return {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    args: args / fields.length,
    inputFields: inputs / types.length,
    enumValues: values / types.length,
    possibleTypes: 0.5,
    interfaces: 0.5,
    ofType: 0.5,
  }
}
