import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  visit,
} from 'graphql'
import { DEFAULT_PAGE, MAX_PAGE } from '../schema/connection.ts'

/** What a field costs, where it is not what every field costs: in its `extensions.cost`. */
export interface FieldCost {
  /** What the field itself costs, once. When left out: 1 for an object, 0 for a value and for a list. */
  weight?: number
  /**
   * How many rows its list may have, each of which costs 1 and what is selected of it; `page`: as many as the page that
   * the field above it asks for. When left out: its own page, or as many as its required list argument has.
   */
  rows?: number | 'page'
  /** How many rows its page may have at most, where that is less than a page can be asked to have. */
  most?: number
}

export type Variables = Readonly<Record<string, unknown>> | null | undefined

/** The cost of an operation with its variables. */
export type CostOf = (variables: Variables) => number

/**
 * Compiles the cost of an operation: 1 for every object that its answer may have, as often as the pages of the lists
 * around it have rows. The document must be valid in the schema.
 * @returns undefined: the document has no such operation
 */
export function compileCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): CostOf | undefined {
  const operation = getOperationAST(document, operationName)
  if (!operation) return undefined
  const conditions = conditionsOf(document)
  if (conditions.length === 0) return compile(schema, document, operation, {})
  const defaults = defaultsOf(operation)
  const compiled = new Map<string, CostOf>()
  return (variables) => {
    const values = conditions.map((name) => (variables?.[name] ?? defaults.get(name)) === true)
    const key = values.map(Number).join('')
    let cost = compiled.get(key)
    if (!cost) {
      if (compiled.size === MAX_VARIANTS) compiled.clear()
      cost = compile(schema, document, operation, Object.fromEntries(conditions.map((name, i) => [name, values[i]])))
      compiled.set(key, cost)
    }
    return cost(variables)
  }
}

/** How many variants by `@skip` and `@include` are kept of an operation. */
const MAX_VARIANTS = 16
/** How many fields are looked at, fragments counted wherever they are spread: an operation with more has no cost that could be told. */
const MAX_FIELDS = 20_000
/** What is read of the schema itself needs no store. */
const INTROSPECTION_SCALE = 0.1
/** How long the lists of a type's description are, about. */
const INTROSPECTION_ROWS: Record<string, number> = {
  directives: 5,
  fields: 10,
  args: 2,
  inputFields: 5,
  enumValues: 3,
  possibleTypes: 3,
}

type Rows = number | ((variables: Variables) => number)

/** A field of an object: what it adds, given what is selected of one of its rows. */
interface Term {
  weight: number
  /** Undefined: it is no list. `page`: as many as the page that the field above asks for. */
  rows: Rows | 'page' | undefined
  /** How many rows the lists of `page` have that are below it. */
  page: Rows
  /** Which step is what is selected of it. */
  below: number | undefined
  scale: number
}

/** What is selected of an object of a type, or of each of the types that it may be of, of which the dearest counts. */
type Step = Term[][]

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Record<string, unknown>,
): CostOf {
  const root = schema.getRootType(operation.operation)
  const steps = root ? new Compiler(schema, document, operation, conditions).steps(root) : undefined
  if (!steps) return () => Number.POSITIVE_INFINITY
  const changes = steps.flat(2).some(({ rows, page }) => typeof rows === 'function' || typeof page === 'function')
  const cost: CostOf = (variables) => evaluate(steps, variables)
  if (changes) return cost
  const constant = cost(undefined)
  return () => constant
}

/** Each step needs only those before it, and the last is the operation. */
function evaluate(steps: Step[], variables: Variables): number {
  const fixed = new Float64Array(steps.length)
  const perRow = new Float64Array(steps.length)
  for (const [i, step] of steps.entries()) {
    for (const terms of step) {
      let own = 0
      let ownPerRow = 0
      for (const { weight, rows, page, below, scale } of terms) {
        let sub = 0
        if (below !== undefined) {
          sub = fixed[below] as number
          const each = perRow[below] as number
          if (each > 0) sub += each * count(page, variables)
        }
        own += scale * (rows === undefined ? weight + sub : weight)
        if (rows === 'page') ownPerRow += scale * (1 + sub)
        else if (rows !== undefined) own += scale * count(rows, variables) * (1 + sub)
      }
      fixed[i] = Math.max(fixed[i] as number, own)
      perRow[i] = Math.max(perRow[i] as number, ownPerRow)
    }
  }
  return Math.ceil(fixed[steps.length - 1] as number)
}

const count = (rows: Rows, variables: Variables) => (typeof rows === 'number' ? rows : rows(variables))

/** Fields are merged as an execution merges them, so that what several fragments select is counted once. */
class Compiler {
  readonly #schema: GraphQLSchema
  readonly #conditions: Record<string, unknown>
  readonly #defaults: Map<string, unknown>
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #operation: OperationDefinitionNode
  readonly #steps: Step[] = []
  readonly #known = new Map<string, number>()
  readonly #ids = new Map<SelectionSetNode, number>()
  #fields = 0

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    conditions: Record<string, unknown>,
  ) {
    this.#schema = schema
    this.#operation = operation
    this.#conditions = conditions
    this.#defaults = defaultsOf(operation)
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition)
  }

  /** @returns undefined: there are too many */
  steps(root: GraphQLObjectType): Step[] | undefined {
    this.#step([root], [this.#operation.selectionSet], root.name)
    return this.#fields > MAX_FIELDS ? undefined : this.#steps
  }

  #step(types: readonly GraphQLObjectType[], sets: SelectionSetNode[], name: string): number {
    const key = `${name} ${sets.map((set) => this.#id(set)).join(' ')}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const step = types.map((type) => this.#terms(type, sets))
    const index = this.#steps.push(step) - 1
    this.#known.set(key, index)
    return index
  }

  #terms(type: GraphQLObjectType, sets: SelectionSetNode[]): Term[] {
    const fields = new Map<string, FieldNode[]>()
    const seen = new Set<string>()
    for (const { selections } of sets) this.#collect(type, selections, fields, seen)
    const terms: Term[] = []
    for (const nodes of fields.values()) {
      const [node] = nodes as [FieldNode]
      const field = this.#fieldOf(type, node.name.value)
      if (field && this.#fields <= MAX_FIELDS) terms.push(this.#term(type, field, nodes))
    }
    return terms
  }

  #collect(
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    fields: Map<string, FieldNode[]>,
    seen: Set<string>,
  ): void {
    for (const selection of selections) {
      if (++this.#fields > MAX_FIELDS) return
      if (!this.#isIncluded(selection)) continue
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value
        const nodes = fields.get(name)
        if (nodes) nodes.push(selection)
        else fields.set(name, [selection])
        continue
      }
      let fragment: { typeCondition?: FragmentDefinitionNode['typeCondition']; selectionSet: SelectionSetNode }
      if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection
      else {
        const name = selection.name.value
        const named = this.#fragments.get(name)
        if (!named || seen.has(name)) continue
        seen.add(name)
        fragment = named
      }
      if (this.#applies(fragment.typeCondition?.name.value, type))
        this.#collect(type, fragment.selectionSet.selections, fields, seen)
    }
  }

  #term(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, nodes: FieldNode[]): Term {
    const [node] = nodes as [FieldNode]
    const declared = isIntrospectionType(type) ? this.#introspected(field) : (field.extensions.cost as FieldCost)
    const named = getNamedType(field.type)
    const page = this.#pageOf(field, node, declared?.most ?? MAX_PAGE)
    const scale = field === SchemaMetaFieldDef || field === TypeMetaFieldDef ? INTROSPECTION_SCALE : 1
    if (!isCompositeType(named))
      return { weight: declared?.weight ?? 0, rows: undefined, page, below: undefined, scale }
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const types = isAbstractType(named) ? this.#schema.getPossibleTypes(named) : [named]
    const below = this.#step(types, sets, named.name)
    const isList = isListType(getNullableType(field.type))
    const rows = isList ? (declared?.rows ?? this.#rowsOf(field, node) ?? page) : undefined
    return { weight: declared?.weight ?? (isList ? 0 : 1), rows, page, below, scale }
  }

  /** A list of the schema's own description. */
  #introspected({ name }: GraphQLField<unknown, unknown>): FieldCost {
    return { rows: name === 'types' ? Object.keys(this.#schema.getTypeMap()).length : (INTROSPECTION_ROWS[name] ?? 1) }
  }

  /** The page that a field's arguments ask for. One that is larger than pages are is refused by its list, in other words. */
  #pageOf(field: GraphQLField<unknown, unknown>, node: FieldNode, most: number): Rows {
    const [first, last] = [this.#argument(field, node, 'first'), this.#argument(field, node, 'last')]
    const choose = (one: unknown, other: unknown) =>
      Math.min(Math.max(sizeOf(one) ?? sizeOf(other) ?? DEFAULT_PAGE, 0), most)
    if (isVariable(first) || isVariable(last))
      return (variables) => choose(resolved(first, variables), resolved(last, variables))
    return choose(first, last)
  }

  /** As many rows as the field's one required list argument has. */
  #rowsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Rows | undefined {
    const [list, ...more] = field.args.filter(({ type }) => isNonNullType(type) && isListType(type.ofType))
    if (!list || more.length > 0) return undefined
    const given = this.#argument(field, node, list.name)
    const length = (value: unknown) => (Array.isArray(value) ? value.length : 1)
    return isVariable(given) ? (variables) => length(given(variables)) : length(given)
  }

  /** An argument's value, or what gives it. */
  #argument(field: GraphQLField<unknown, unknown>, node: FieldNode, name: string): unknown {
    const declared = field.args.find((one) => one.name === name)
    const given = node.arguments?.find((one) => one.name.value === name)
    if (!given) return declared?.defaultValue
    if (given.value.kind !== Kind.VARIABLE) return literal(given.value)
    const variable = given.value.name.value
    const otherwise = this.#defaults.has(variable) ? this.#defaults.get(variable) : declared?.defaultValue
    return (variables: Variables) => (variables?.[variable] === undefined ? otherwise : variables[variable])
  }

  #isIncluded({ directives = [] }: SelectionNode): boolean {
    return directives.every(({ name: { value: name }, arguments: given = [] }) => {
      if (name !== 'skip' && name !== 'include') return true
      const value = given.find((one) => one.name.value === 'if')?.value
      const condition =
        value?.kind === Kind.VARIABLE ? this.#conditions[value.name.value] : value?.kind === Kind.BOOLEAN && value.value
      return condition === (name === 'include')
    })
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true
    const abstract = this.#schema.getType(condition)
    return isAbstractType(abstract) && this.#schema.isSubType(abstract, type)
  }

  #fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (type === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    return type.getFields()[name]
  }

  #id(set: SelectionSetNode): number {
    const known = this.#ids.get(set)
    if (known !== undefined) return known
    this.#ids.set(set, this.#ids.size)
    return this.#ids.size - 1
  }
}

const isVariable = (value: unknown): value is (variables: Variables) => unknown => typeof value === 'function'
const resolved = (value: unknown, variables: Variables) => (isVariable(value) ? value(variables) : value)
const sizeOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** As much of a literal as costs depend on. */
function literal(value: ValueNode): unknown {
  if (value.kind === Kind.INT) return Number(value.value)
  if (value.kind === Kind.LIST) return value.values
  if (value.kind === Kind.BOOLEAN) return value.value
  return undefined
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Map<string, unknown> {
  return new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, literal(defaultValue)]] : [],
    ),
  )
}

/** The variables that `@skip` and `@include` depend on. */
function conditionsOf(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    [Kind.DIRECTIVE]({ name, arguments: given = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return [...names]
}
