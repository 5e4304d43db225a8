import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

/**
 * The named fragments of a document. Their names come from clients, so the object has no prototype.
 */
export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null)
  for (const one of definitions)
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one
  return fragments
}

/**
 * Returns the fragment that is selected. Undefined if the document, which is not yet validated,
 * lacks it.
 */
export const fragmentOf = (
  selection: FragmentSpreadNode | InlineFragmentNode,
  fragments: Fragments,
): FragmentDefinitionNode | InlineFragmentNode | undefined =>
  selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value]

// Which selections belong to a walk. All do by default.
interface Choice {
  conditions?: SwitchValues
  /** The object type. Fragments on other types do not apply to it. */
  on?: { type: GraphQLObjectType; schema: GraphQLSchema }
  /** Called with each selection, whether it is chosen or not. */
  visited?(selection: SelectionNode): void
}

/** The values of the variables in @include and @skip. */
export type SwitchValues = Readonly<Record<string, boolean>>

/**
 * Returns the fields that selection sets select together, by response key and in order, with
 * fragments expanded. A named fragment counts once, as in an execution, so the walk is never longer
 * than the document.
 */
export function fieldsOf(
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
  { conditions, on, visited }: Choice = {},
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>()
  const spread = new Set<string>()
  const add = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      visited?.(selection)
      if (conditions && !isIncluded(selection, conditions)) continue
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const others = fields.get(key)
        if (others) others.push(selection)
        else fields.set(key, [selection])
        continue
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) continue
        spread.add(selection.name.value)
      }
      const fragment = fragmentOf(selection, fragments)
      if (fragment && (!on || applies(fragment.typeCondition?.name.value, on)))
        add(fragment.selectionSet)
    }
  }
  for (const set of sets) add(set)
  return fields
}

function applies(
  condition: string | undefined,
  { type, schema }: NonNullable<Choice['on']>,
): boolean {
  if (condition === undefined || condition === type.name) return true
  const abstract = schema.getType(condition)
  return isAbstractType(abstract) && schema.isSubType(abstract, type)
}

const isSwitch = (name: string) => name === 'include' || name === 'skip'

function isIncluded({ directives = [] }: SelectionNode, conditions: SwitchValues): boolean {
  return directives.every(({ name: { value: name }, arguments: args = [] }) => {
    if (!isSwitch(name)) return true
    const condition = args[0]?.value
    const holds =
      condition?.kind === Kind.VARIABLE
        ? conditions[condition.name.value]
        : condition?.kind === Kind.BOOLEAN && condition.value
    return Boolean(holds) === (name === 'include')
  })
}

// Values cached per document: one for each set of fields that @include and @skip leave.
const MAX_VARIANTS = 8

/** Values that depend on which variables of @include and @skip are true. */
export class Variants<Value> {
  readonly #switches: string[]
  readonly #values = new Map<string, Value>()

  constructor(document: DocumentNode) {
    this.#switches = switchesOf(document)
  }

  get size(): number {
    return this.#values.size
  }

  values(): Iterable<Value> {
    return this.#values.values()
  }

  /** The value for these variables, which is made once. */
  of(
    variables: Readonly<Record<string, unknown>>,
    make: (conditions: SwitchValues) => Value,
  ): Value {
    const key = this.#switches.map((name) => (variables[name] ? '1' : '0')).join('')
    let value = this.#values.get(key)
    if (value === undefined) {
      value = make(
        Object.fromEntries(this.#switches.map((name) => [name, Boolean(variables[name])])),
      )
      if (this.#values.size >= MAX_VARIANTS) this.#values.clear()
      this.#values.set(key, value)
    }
    return value
  }
}

/** Returns the names of the variables in @include and @skip. */
export function switchesOf(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    [Kind.DIRECTIVE]({ name, arguments: [condition] = [] }) {
      if (isSwitch(name.value) && condition?.value.kind === Kind.VARIABLE)
        names.add(condition.value.name.value)
    },
  })
  return [...names]
}
