import {
  astFromValue,
  type DocumentNode,
  type FieldNode,
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
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { listInputs, selections } from 'pothos-sql'

type Field = GraphQLField<unknown, unknown>

/** Unvalidated arguments of a field: enums by name, scalars as JSON. */
export type Given = Readonly<Record<string, unknown>>

export type Charge = (args: Given) => number

/** The cost of a field in its `extensions.cost`, where it differs from that of its kind. */
export interface FieldCost {
  /**
   * The cost of its statement or its part of one: charged once for each place in the operation,
   * however many rows it has.
   */
  once?: number
  /**
   * The cost of the field itself, for each row of its parent. `count` means the parent's cost of
   * counting.
   */
  weight?: number | Charge | 'count'
  /** The cost of a row that `offset` skips. */
  skipped?: number
  /** The additional cost for each row of the parent's page. */
  perRow?: number | Charge
  /**
   * The number of rows of its list, each of which costs `each` plus its selection. `page` means the
   * parent's page size. Defaults to its own page size, or to the length of its required list
   * argument.
   */
  rows?: number | 'page' | Charge
  /** The cost of a row. Defaults to 1. */
  each?: number
  /** The maximum number of rows on its page, if that is below the general maximum. */
  most?: number
  /** The number of rows of `page` lists below it, if that is not its own page size. */
  page?: Charge
  /** The cost of counting the rows of the list. Defaults to 10. */
  count?: Charge
}

export type Variables = Readonly<Record<string, unknown>> | null | undefined

/** A cost or a number of rows: a function if it depends on variables. */
export type Figure = number | ((variables: Variables) => number)

export const figureOf = (figure: Figure, variables: Variables) =>
  typeof figure === 'number' ? figure : figure(variables)

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
  const switches = selections.switchesOf(document)
  if (switches.length === 0) return compile(schema, document, operation, {})
  const defaults = defaultsOf(operation)
  const compiled = new Map<string, Figure>()
  return (variables) => {
    const values = switches.map(
      (name) => [name, (variables?.[name] ?? defaults.get(name)) === true] as const,
    )
    const key = values.map(([, value]) => Number(value)).join('')
    let cost = compiled.get(key)
    if (!cost) {
      if (compiled.size === MAX_VARIANTS) compiled.clear()
      cost = compile(schema, document, operation, Object.fromEntries(values))
      compiled.set(key, cost)
    }
    return figureOf(cost, variables)
  }
}

/** The number of cached variants of an operation by `@skip` and `@include`. */
const MAX_VARIANTS = 8
/**
 * The number of values that are included in the cost of an object, and the cost of a further one.
 */
const FREE_VALUES = 10
const VALUE = 0.1
/** The cost of counting the rows of a list. */
export const COUNT = 10
/** Skipped rows are read too. */
const SKIPPED = 0.5
/** The maximum number of skipped rows that cost. */
const MOST_SKIPPED = 1e9
/** The cost of a value in a filter. */
const CONDITION = 1

/**
 * The cost of a field by how it is read: once for its place in the operation, and for each row of
 * its parent. `npm run bench -- charges` compares these figures with CPU time.
 */
const KINDS = {
  /** A column of the row. */
  stored: { once: 0, weight: 0 },
  /** A value that a resolver computes. */
  resolved: { once: 0, weight: 1 },
  /** A value of another row. */
  value: { once: 50, weight: 2 },
  /** A row by its key. */
  object: { once: 30, weight: 1 },
  /** A row that a resolver loads. */
  loaded: { once: 50, weight: 5 },
  /** Rows of the row. */
  list: { once: 100, weight: 1 },
}
/** The additional cost of reading as of a moment, or since one. */
const PAST = { once: 100, weight: 10 }
/**
 * The maximum number of fields, with fragments counted at each spread. The cost of a larger
 * operation is not computed.
 */
const MAX_FIELDS = 20_000
/** Introspection does not read the store. */
const INTROSPECTION_SCALE = 0.1
/** The approximate length of lists in introspection. */
const INTROSPECTION_ROWS: Record<string, number> = {
  directives: 5,
  fields: 10,
  args: 2,
  inputFields: 5,
  enumValues: 3,
  possibleTypes: 3,
}

/** The cost of a field, given the cost of the selection of one of its rows. */
interface Term {
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
  /** The step of its selection. */
  below: number | undefined
  scale: number
}

/** The selection of an object. Of several possible types, the most expensive one counts. */
type Step = Term[][]

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: selections.Conditions,
): Figure {
  const root = schema.getRootType(operation.operation)
  const steps = root ? new Compiler(schema, document, operation, conditions).steps(root) : undefined
  if (!steps) return Number.POSITIVE_INFINITY
  const changes = steps
    .flat(2)
    .some((term) => Object.values(term).some((one) => typeof one === 'function'))
  return changes ? (variables) => evaluate(steps, variables) : evaluate(steps, undefined)
}

/** The steps in dependency order. The last one is the operation. */
function evaluate(steps: Step[], variables: Variables): number {
  const once = new Float64Array(steps.length)
  const fixed = new Float64Array(steps.length)
  const perRow = new Float64Array(steps.length)
  const counts = new Float64Array(steps.length)
  for (const [i, step] of steps.entries()) {
    for (const terms of step) {
      let ownOnce = 0
      let local = 0
      let ownPerRow = 0
      let ownCounts = 0
      for (const term of terms) {
        const { rows, each, below, scale } = term
        let sub = 0
        if (below !== undefined) {
          ownOnce += once[below] as number
          sub = fixed[below] as number
          const [forEach, forCount] = [perRow[below] as number, counts[below] as number]
          if (forEach > 0) sub += forEach * figureOf(term.page, variables)
          if (forCount > 0) sub += forCount * figureOf(term.count, variables)
        }
        ownOnce += scale * figureOf(term.once, variables)
        const weight = figureOf(term.weight, variables)
        local += scale * (rows === undefined ? weight + sub : weight)
        ownCounts += term.counts
        ownPerRow += scale * figureOf(term.perRow, variables)
        if (rows === 'page') ownPerRow += scale * (each + sub)
        else if (rows !== undefined) local += scale * figureOf(rows, variables) * (each + sub)
      }
      once[i] = Math.max(once[i] as number, ownOnce)
      fixed[i] = Math.max(fixed[i] as number, local)
      perRow[i] = Math.max(perRow[i] as number, ownPerRow)
      counts[i] = Math.max(counts[i] as number, ownCounts)
    }
  }
  const last = steps.length - 1
  return Math.ceil(round((once[last] as number) + (fixed[last] as number)))
}

/** Merges fields like an execution does, so that fields in several fragments count once. */
class Compiler {
  readonly #schema: GraphQLSchema
  readonly #conditions: selections.Conditions
  readonly #defaults: Map<string, unknown>
  /** The default values of variables. */
  readonly #plainDefaults: Map<string, unknown>
  readonly #fragments: selections.Fragments
  readonly #operation: OperationDefinitionNode
  readonly #steps: Step[] = []
  readonly #indexes = new Map<string, number>()
  readonly #ids = new Map<SelectionSetNode, number>()
  #fields = 0

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    conditions: selections.Conditions,
  ) {
    this.#schema = schema
    this.#fragments = selections.fragmentsOf(document)
    this.#operation = operation
    this.#conditions = conditions
    this.#defaults = defaultsOf(operation)
    this.#plainDefaults = defaultsOf(operation, valueFromASTUntyped)
  }

  /** @returns undefined if there are too many */
  steps(root: GraphQLObjectType): Step[] | undefined {
    this.#step([root], [this.#operation.selectionSet], root.name)
    return this.#fields > MAX_FIELDS ? undefined : this.#steps
  }

  #step(types: readonly GraphQLObjectType[], sets: SelectionSetNode[], name: string): number {
    const key = `${name} ${sets.map((set) => this.#id(set)).join(' ')}`
    const cached = this.#indexes.get(key)
    if (cached !== undefined) return cached
    const step = types.map((type) => this.#terms(type, sets))
    const index = this.#steps.push(step) - 1
    this.#indexes.set(key, index)
    return index
  }

  #terms(type: GraphQLObjectType, sets: SelectionSetNode[]): Term[] {
    const fields = selections.fieldsOf(sets, this.#fragments, {
      conditions: this.#conditions,
      on: { type, schema: this.#schema },
      visited: () => void this.#fields++,
    })
    const terms: Term[] = []
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

  #term(type: GraphQLObjectType, field: Field, nodes: FieldNode[]): Term {
    const [node] = nodes as [FieldNode]
    const isIntrospected = isIntrospectionType(type) || field.name.startsWith('__')
    const declared = isIntrospected
      ? this.#introspected(field)
      : (field.extensions.cost as FieldCost)
    const kind = isIntrospected ? KINDS.stored : KINDS[kindOf(field)]
    const named = getNamedType(field.type)
    const length = this.#pageOf(field, node, declared?.most ?? listInputs.MAX_PAGE)
    const page = declared?.page ? this.#charge(field, node, declared.page) : length
    const scale =
      field === SchemaMetaFieldDef || field === TypeMetaFieldDef ? INTROSPECTION_SCALE : 1
    const isList = isListType(getNullableType(field.type))
    const term: Term = {
      ...NO_TERM,
      once: this.#pastOf(field, node, declared?.once ?? kind.once, PAST.once),
      weight: this.#weightOf(
        field,
        node,
        declared,
        isCompositeType(named) && !isList ? Math.max(kind.weight, 1) : kind.weight,
      ),
      counts: declared?.weight === 'count' ? 1 : 0,
      perRow:
        typeof declared?.perRow === 'function'
          ? this.#charge(field, node, declared.perRow)
          : (declared?.perRow ?? 0),
      each: declared?.each ?? 1,
      page,
      count: declared?.count ? this.#charge(field, node, declared.count) : COUNT,
      scale,
    }
    if (!isCompositeType(named)) return term
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    const types = isAbstractType(named) ? this.#schema.getPossibleTypes(named) : [named]
    term.below = this.#step(types, sets, named.name)
    if (isList)
      term.rows =
        typeof declared?.rows === 'function'
          ? this.#charge(field, node, declared.rows)
          : (declared?.rows ?? this.#rowsOf(field, node) ?? length)
    return term
  }

  /** The cost of a field itself, with its moments, its filter and the rows that it skips. */
  #weightOf(
    field: Field,
    node: FieldNode,
    declared: FieldCost | undefined,
    ofKind: number,
  ): Figure {
    const weight = declared?.weight === 'count' ? 0 : (declared?.weight ?? ofKind)
    const { skipped = SKIPPED } = declared ?? {}
    const own = typeof weight === 'number' ? () => weight : weight
    const passed = (name: string) => node.arguments?.some((one) => one.name.value === name)
    if (typeof weight === 'number' && !['offset', 'where', ...MOMENTS].some(passed)) return weight
    return this.#charge(
      field,
      node,
      (args) =>
        own(args) +
        PAST.weight * momentsIn(field, args) +
        CONDITION * valuesIn(args.where) +
        skipped * skippedRows(args.offset),
    )
  }

  /** The cost of a field's place, with its moments. */
  #pastOf(field: Field, node: FieldNode, once: number, past: number): Figure {
    if (!node.arguments?.some(({ name }) => MOMENTS.includes(name.value))) return once
    return this.#charge(field, node, (args) => once + past * momentsIn(field, args))
  }

  /** A cost that depends on a field's arguments. A number if none of them is a variable. */
  #charge(field: Field, node: FieldNode, charge: Charge): Figure {
    const otherwise: Record<string, unknown> = {}
    for (const { name, type, defaultValue } of field.args) {
      const literal = defaultValue === undefined ? undefined : astFromValue(defaultValue, type)
      if (literal) otherwise[name] = valueFromASTUntyped(literal)
    }
    const chargeOf = (variables: Variables) => {
      const values = { ...Object.fromEntries(this.#plainDefaults), ...variables }
      const args: Record<string, unknown> = { ...otherwise }
      for (const { name, value } of node.arguments ?? []) {
        const one = valueFromASTUntyped(value, values)
        if (one !== undefined) args[name.value] = one
      }
      const cost = charge(args)
      return Number.isNaN(cost) ? 0 : cost
    }
    return node.arguments?.some(({ value }) => hasVariable(value)) ? chargeOf : chargeOf(undefined)
  }

  /** A list in introspection. */
  #introspected({ name }: Field): FieldCost {
    return {
      rows:
        name === 'types'
          ? Object.keys(this.#schema.getTypeMap()).length
          : (INTROSPECTION_ROWS[name] ?? 1),
    }
  }

  /** The page size in a field's arguments. The list itself rejects one that is too large. */
  #pageOf(field: Field, node: FieldNode, most: number): Figure {
    const [first, last] = [
      this.#argument(field, node, 'first'),
      this.#argument(field, node, 'last'),
    ]
    const choose = (one: unknown, other: unknown) =>
      Math.min(Math.max(sizeOf(one) ?? sizeOf(other) ?? listInputs.DEFAULT_PAGE, 0), most)
    if (isVariable(first) || isVariable(last))
      return (variables) => choose(resolved(first, variables), resolved(last, variables))
    return choose(first, last)
  }

  /** The length of the field's required list argument. */
  #rowsOf(field: Field, node: FieldNode): Figure | undefined {
    const [list, ...more] = field.args.filter(
      ({ type }) => isNonNullType(type) && isListType(type.ofType),
    )
    if (!list || more.length > 0) return undefined
    const argument = this.#argument(field, node, list.name)
    const length = (value: unknown) => (Array.isArray(value) ? value.length : 1)
    return isVariable(argument) ? (variables) => length(argument(variables)) : length(argument)
  }

  /** The value of an argument, or a function that reads it from variables. */
  #argument(field: Field, node: FieldNode, name: string): unknown {
    const declared = field.args.find((one) => one.name === name)
    const argument = node.arguments?.find((one) => one.name.value === name)
    if (!argument) return declared?.defaultValue
    if (argument.value.kind !== Kind.VARIABLE) return literal(argument.value)
    const variable = argument.value.name.value
    const otherwise = this.#defaults.has(variable)
      ? this.#defaults.get(variable)
      : declared?.defaultValue
    return (variables: Variables) =>
      variables?.[variable] === undefined ? otherwise : variables[variable]
  }

  #fieldOf(type: GraphQLObjectType, name: string): Field | undefined {
    if (type === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    const field = type.getFields()[name]
    // It is read as the query of the same name.
    return field?.extensions.likeQuery ? this.#schema.getQueryType()?.getFields()[name] : field
  }

  #id(set: SelectionSetNode): number {
    const cached = this.#ids.get(set)
    if (cached !== undefined) return cached
    this.#ids.set(set, this.#ids.size)
    return this.#ids.size - 1
  }
}

const isVariable = (value: unknown): value is (variables: Variables) => unknown =>
  typeof value === 'function'
const resolved = (value: unknown, variables: Variables) =>
  isVariable(value) ? value(variables) : value
const sizeOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** The parts of a literal that costs depend on. */
function literal(value: ValueNode): unknown {
  if (value.kind === Kind.INT) return Number(value.value)
  if (value.kind === Kind.LIST) return value.values
  if (value.kind === Kind.BOOLEAN) return value.value
  return undefined
}

function defaultsOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  read: (value: ValueNode) => unknown = literal,
): Map<string, unknown> {
  return new Map(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, read(defaultValue)]] : [],
    ),
  )
}

/** Arguments that read the past. */
const MOMENTS = ['asOf', 'from']

/**
 * How many moments of the past are read. The ranges of lists and series are in their number of
 * rows.
 */
function momentsIn({ args: declared, extensions }: Field, args: Given): number {
  const past = (extensions.sqlField as Read | undefined)?.past
  const isRange = !past && declared.some(({ name }) => name === 'to')
  return isRange
    ? 0
    : MOMENTS.filter((name) => args[name] !== undefined && args[name] !== null).length
}

/**
 * How many rows an `offset` skips. None if it is not valid: the list refuses it. A literal number
 * is rounded.
 */
function skippedRows(offset: unknown): number {
  const isExact = typeof offset === 'string' && /^\d{1,100}$/.test(offset)
  if (isExact && BigInt(offset) > listInputs.MAX_OFFSET) return 0
  const rows = isExact || typeof offset === 'number' ? Number(offset) : 0
  return rows > 0 && rows <= Number(listInputs.MAX_OFFSET) ? Math.min(rows, MOST_SKIPPED) : 0
}

/** The number of values in a filter. */
function valuesIn(filter: unknown): number {
  if (filter === undefined || filter === null) return 0
  if (typeof filter !== 'object') return 1
  return Object.values(filter).reduce((sum: number, one) => sum + valuesIn(one), 0)
}

/** The parts of a field's SQL that costs depend on (see `SqlField` of pothos-sql). */
interface Read {
  kind: string
  of?: unknown
  past?: unknown
}

/** How a field is read. */
function kindOf({ type, extensions }: Field): keyof typeof KINDS {
  const sqlField = extensions.sqlField as Read | undefined
  const isObject = isCompositeType(getNamedType(type))
  switch (sqlField?.kind) {
    case undefined:
      break
    case 'column':
      return sqlField.of ? 'value' : 'stored'
    case 'sql':
    case 'json':
    case 'embedded':
      return 'stored'
    case 'lookup':
    case 'firstOf':
      return 'object'
    default:
      return 'list'
  }
  if (!isObject) return extensions.pothosExposedField === undefined ? 'resolved' : 'stored'
  // Without a reason to have no plan, it is made from its parent.
  if (extensions.unplanned === undefined) return 'stored'
  return isListType(getNullableType(type)) ? 'list' : 'loaded'
}

/** Without the errors of binary fractions. */
const round = (cost: number) => Math.round(cost * 1e6) / 1e6

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value))
  return value.kind === Kind.VARIABLE
}

const NO_TERM: Term = {
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
