import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { exactJson, isExactNumber } from '../../exact-number.ts'
import { Rows } from '../plan/plan.ts'

/** Shapes the data of resolvers as a plan does: merges `@flat` objects, and separates the rows of the only list. */
export function resolvedParts(document: DocumentNode, data: unknown): { data: string; rows: Rows } {
  let rows = new Rows('', 0, undefined)
  const withoutRows = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const last = value.length > 0 ? exactJson(value.at(-1)) : undefined
      rows = new Rows(exactJson(value).slice(1, -1), value.length, last)
      return []
    }
    return isObject(value) ? mapEntries(value, (key, one) => [[key, withoutRows(one)]]) : value
  }
  const rest = withoutRows(merged(document, data))
  return { data: exactJson(rest), rows }
}

/** Merges objects that are selected with `@flat` into their parents. */
function merged({ definitions }: DocumentNode, data: unknown): unknown {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)

  function* fieldsOf({ selections }: SelectionSetNode): Generator<[key: string, field: FieldNode]> {
    for (const one of selections) {
      if (one.kind === Kind.FIELD) yield [(one.alias ?? one.name).value, one]
      else {
        const fragment = one.kind === Kind.FRAGMENT_SPREAD ? fragments.get(one.name.value) : one
        if (fragment) yield* fieldsOf(fragment.selectionSet)
      }
    }
  }
  const merge = (value: unknown, selectionSet: SelectionSetNode | undefined): unknown => {
    if (Array.isArray(value)) return value.map((one) => merge(one, selectionSet))
    if (!selectionSet || !isObject(value)) return value
    const fields = new Map(fieldsOf(selectionSet))
    return mapEntries(value, (key, one) => {
      const field = fields.get(key)
      const nested = merge(one, field?.selectionSet)
      const flat = field?.directives?.some(({ name }) => name.value === 'flat') && isObject(nested)
      return flat ? Object.entries(nested) : [[key, nested]]
    })
  }
  return merge(data, definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)?.selectionSet)
}

type Entry = [key: string, value: unknown]

const mapEntries = (object: object, map: (...entry: Entry) => Entry[]): object =>
  Object.fromEntries(Object.entries(object).flatMap((entry) => map(...entry)))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
