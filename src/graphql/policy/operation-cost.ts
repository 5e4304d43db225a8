import {
  type ArgumentNode,
  astFromValue,
  type DocumentNode,
  type FieldNode,
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
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import {
  type Fragments,
  fieldsOf,
  fragmentsOf,
  type SwitchValues,
  switchesOf,
} from 'pothos-sql/host'
import {
  type Charge,
  COUNT,
  type FieldCost,
  KINDS,
  kindOf,
  onceCharge,
  pageSize,
  type SchemaField,
  weightCharge,
} from './cost.ts'
import type { Variables } from './documents.ts'

/** A cost or a number of rows: a function if it depends on variables. */
export type Figure = number | ((variables: Variables) => number)

export const figureOf = (figure: Figure, variables: Variables) =>
  typeof figure === 'number' ? figure : figure(variables)

const MAX_VARIANTS = 8
// The values of an object that its cost includes, and the cost of a further one.
const FREE_VALUES = 10
const VALUE = 0.1
// With fragments counted at each spread. The cost of a larger operation is not computed.
const MAX_FIELDS = 20_000
// Introspection does not read the store.
const INTROSPECTION_SCALE = 0.1
// The approximate length of lists in introspection.
const INTROSPECTION_ROWS: Record<string, number> = {
  directives: 5,
  fields: 10,
  args: 2,
  inputFields: 5,
  enumValues: 3,
  possibleTypes: 3,
}

/**
 * Compiles the cost of an operation: 1 for every object in its answer and more for what is
 * computed, multiplied by the page sizes of the lists around it, and what each of its reads costs
 * once. The document must be valid.
 * @returns undefined if the document has no such operation
 */
export function compileCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): Figure | undefined {
  const operation = getOperationAST(document, operationName)
  if (!operation) return undefined
  const defaults = defaultsOf(operation)
  const compile = (conditions: SwitchValues): Figure => {
    const steps = new CostCompiler(schema, document, conditions, defaults).compile(operation)
    if (!steps) return Number.POSITIVE_INFINITY
    const figures = steps.flat(2).flatMap((term) => Object.values(term))
    const isFixed = figures.every((figure) => typeof figure !== 'function')
    return isFixed ? evaluate(steps, {}) : (variables) => evaluate(steps, variables)
  }
  const switches = switchesOf(document)
  if (switches.length === 0) return compile({})
  const compiled = new Map<string, Figure>()
  return (variables) => {
    const values = switches.map(
      (name) => [name, (variables[name] ?? defaults[name]) === true] as const,
    )
    const key = values.map(([, value]) => Number(value)).join('')
    let cost = compiled.get(key)
    if (cost === undefined) {
      if (compiled.size === MAX_VARIANTS) compiled.clear()
      cost = compile(Object.fromEntries(values))
      compiled.set(key, cost)
    }
    return figureOf(cost, variables)
  }
}

interface FieldTerm {
  once: Figure
  weight: Figure
  /** How often it counts the rows of the parent list. */
  counts: number
  perRow: Figure
  /** The number of rows. Undefined if it is not a list. `page` means the parent's page size. */
  rows: Figure | 'page' | undefined
  each: number
  /** The number of rows of `page` lists below it. */
  page: Figure
  count: Figure
  below: number | undefined
  scale: number
}

const NO_TERM: FieldTerm = {
  once: 0,
  weight: 0,
  counts: 0,
  perRow: 0,
  rows: undefined,
  each: 1,
  page: 0,
  count: COUNT,
  below: undefined,
  scale: 1,
}

type SelectionTerms = FieldTerm[][]

interface SelectionCost {
  once: number
  /** For each object, and for each row of the page around it. */
  perObject: number
  perRow: number
  /** How often it counts the rows of the list around it. */
  counts: number
}

// The selections are in dependency order: the last one is the operation.
function evaluate(selections: SelectionTerms[], variables: Variables): number {
  const costs: SelectionCost[] = []
  for (const alternatives of selections) {
    const most: SelectionCost = { once: 0, perObject: 0, perRow: 0, counts: 0 }
    for (const terms of alternatives) {
      const cost = sumOf(terms, costs, variables)
      for (const part of PARTS) most[part] = Math.max(most[part], cost[part])
    }
    costs.push(most)
  }
  const { once = 0, perObject = 0 } = costs.at(-1) ?? {}
  return Math.ceil(round(once + perObject))
}

const PARTS = ['once', 'perObject', 'perRow', 'counts'] as const

function sumOf(
  terms: FieldTerm[],
  costs: readonly SelectionCost[],
  variables: Variables,
): SelectionCost {
  const sum: SelectionCost = { once: 0, perObject: 0, perRow: 0, counts: 0 }
  for (const term of terms) {
    const { rows, each, scale } = term
    const below = term.below === undefined ? undefined : costs[term.below]
    let selected = below?.perObject ?? 0
    if (below && below.perRow > 0) selected += below.perRow * figureOf(term.page, variables)
    if (below && below.counts > 0) selected += below.counts * figureOf(term.count, variables)
    const weight = figureOf(term.weight, variables)
    sum.once += (below?.once ?? 0) + scale * figureOf(term.once, variables)
    sum.counts += term.counts
    sum.perRow += scale * figureOf(term.perRow, variables)
    sum.perObject += scale * (rows === undefined ? weight + selected : weight)
    if (rows === 'page') sum.perRow += scale * (each + selected)
    else if (rows !== undefined)
      sum.perObject += scale * figureOf(rows, variables) * (each + selected)
  }
  return sum
}

const round = (cost: number) => Math.round(cost * 1e6) / 1e6

// Merges fields like an execution does, so that fields in several fragments count once.
class CostCompiler {
  readonly #schema: GraphQLSchema
  readonly #conditions: SwitchValues
  readonly #defaults: Variables
  readonly #fragments: Fragments
  readonly #selections: SelectionTerms[] = []
  readonly #indexes = new Map<string, number>()
  readonly #ids = new Map<SelectionSetNode, number>()
  #fields = 0

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    conditions: SwitchValues,
    defaults: Variables,
  ) {
    this.#schema = schema
    this.#conditions = conditions
    this.#defaults = defaults
    this.#fragments = fragmentsOf(document)
  }

  compile({ operation, selectionSet }: OperationDefinitionNode): SelectionTerms[] | undefined {
    const root = this.#schema.getRootType(operation)
    if (!root) return undefined
    this.#select([root], [selectionSet], root.name)
    return this.#fields > MAX_FIELDS ? undefined : this.#selections
  }

  #select(types: readonly GraphQLObjectType[], sets: SelectionSetNode[], name: string): number {
    const key = `${name} ${sets.map((set) => this.#id(set)).join(' ')}`
    const cached = this.#indexes.get(key)
    if (cached !== undefined) return cached
    const terms = types.map((type) => this.#terms(type, sets))
    const index = this.#selections.push(terms) - 1
    this.#indexes.set(key, index)
    return index
  }

  #terms(type: GraphQLObjectType, sets: SelectionSetNode[]): FieldTerm[] {
    const fields = fieldsOf(sets, this.#fragments, {
      conditions: this.#conditions,
      on: { type, schema: this.#schema },
      visited: () => void this.#fields++,
    })
    const terms: FieldTerm[] = []
    let values = 0
    for (const nodes of fields.values()) {
      const [node] = nodes as [FieldNode]
      if (!node.selectionSet) values++
      const field = this.#fieldOf(type, node.name.value)
      if (field && this.#fields <= MAX_FIELDS) terms.push(this.#term(type, field, nodes))
    }
    if (values > FREE_VALUES) terms.push({ ...NO_TERM, weight: VALUE * (values - FREE_VALUES) })
    return terms
  }

  #term(type: GraphQLObjectType, field: SchemaField, nodes: FieldNode[]): FieldTerm {
    const [node] = nodes as [FieldNode]
    const isIntrospected = isIntrospectionType(type) || field.name.startsWith('__')
    const declared: FieldCost =
      (isIntrospected ? this.#introspected(field) : field.extensions.cost) ?? {}
    const kind = isIntrospected ? KINDS.stored : KINDS[kindOf(field)]
    const named = getNamedType(field.type)
    const isObject = isCompositeType(named)
    const isList = isListType(getNullableType(field.type))
    const args = new FieldArguments(field, node, this.#defaults)
    const figure = (charge: number | Charge) =>
      typeof charge === 'number' ? charge : args.figure(charge)
    const length = args.figure((sent) => pageSize(sent, declared.most), ['first', 'last'])
    const isMeta = field === SchemaMetaFieldDef || field === TypeMetaFieldDef
    const ofKind = isObject && !isList ? Math.max(kind.weight, 1) : kind.weight
    const weight = declared.weight === 'count' ? 0 : (declared.weight ?? ofKind)
    const term: FieldTerm = {
      once: figure(onceCharge(field, declared.once ?? kind.once, args.isSent)),
      weight: figure(weightCharge(field, declared, weight, args.isSent)),
      counts: declared.weight === 'count' ? 1 : 0,
      perRow: figure(declared.perRow ?? 0),
      rows: undefined,
      each: declared.each ?? 1,
      page: declared.page ? args.figure(declared.page) : length,
      count: figure(declared.count ?? COUNT),
      below: undefined,
      scale: isMeta ? INTROSPECTION_SCALE : 1,
    }
    if (!isObject) return term
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const types = isAbstractType(named) ? this.#schema.getPossibleTypes(named) : [named]
    term.below = this.#select(types, sets, named.name)
    if (isList) {
      const rows = declared.rows ?? args.listLength() ?? length
      term.rows = typeof declared.rows === 'function' ? args.figure(declared.rows) : rows
    }
    return term
  }

  #introspected({ name }: SchemaField): FieldCost {
    if (name === 'types') return { rows: Object.keys(this.#schema.getTypeMap()).length }
    return { rows: INTROSPECTION_ROWS[name] ?? 1 }
  }

  #fieldOf(type: GraphQLObjectType, name: string): SchemaField | undefined {
    if (type === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    const field = type.getFields()[name]
    // It is read as the query of the same name.
    return field?.extensions.likeQuery ? this.#schema.getQueryType()?.getFields()[name] : field
  }

  #id(set: SelectionSetNode): number {
    const id = this.#ids.get(set) ?? this.#ids.size
    this.#ids.set(set, id)
    return id
  }
}

class FieldArguments {
  readonly #field: SchemaField
  readonly #sent: readonly ArgumentNode[]
  readonly #defaults: Variables

  constructor(field: SchemaField, { arguments: sent = [] }: FieldNode, defaults: Variables) {
    this.#field = field
    this.#sent = sent
    this.#defaults = defaults
  }

  readonly isSent = (name: string): boolean => this.#sent.some((one) => one.name.value === name)

  /**
   * A cost that depends on arguments. A number if none of them is a variable.
   * @param names the arguments that it depends on. By default all
   */
  figure(charge: Charge, names?: readonly string[]): Figure {
    const sent = this.#sent.filter(({ name }) => names?.includes(name.value) ?? true)
    const literal = this.#literals(sent)
    const variable = sent.filter(({ value }) => hasVariable(value))
    if (variable.length === 0) return orZero(charge(literal))
    const defaults = this.#defaults
    return (variables) => {
      const values = { ...defaults, ...variables }
      const args = { ...literal }
      for (const { name, value } of variable) {
        const one = valueFromASTUntyped(value, values)
        if (one !== undefined) args[name.value] = one
      }
      return orZero(charge(args))
    }
  }

  listLength(): Figure | undefined {
    const [list, ...more] = this.#field.args.filter(
      ({ type }) => isNonNullType(type) && isListType(type.ofType),
    )
    if (!list || more.length > 0) return undefined
    const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 1)
    return this.figure((args) => lengthOf(args[list.name]), [list.name])
  }

  #literals(sent: readonly ArgumentNode[]): Record<string, unknown> {
    const literals: Record<string, unknown> = {}
    for (const { name, type, defaultValue } of this.#field.args) {
      const literal = defaultValue === undefined ? undefined : astFromValue(defaultValue, type)
      if (literal) literals[name] = valueFromASTUntyped(literal)
    }
    for (const { name, value } of sent)
      if (!hasVariable(value)) literals[name.value] = valueFromASTUntyped(value)
    return literals
  }
}

const orZero = (cost: number) => (Number.isNaN(cost) ? 0 : cost)

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value))
  return value.kind === Kind.VARIABLE
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )
