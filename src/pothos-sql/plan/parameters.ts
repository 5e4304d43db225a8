import {
  type ArgumentNode,
  type DocumentNode,
  Kind as GraphQLKind,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql'
import { encodeCursor, readCursor } from '../fields/connection.ts'
import type { SqlField } from '../fields/sql-field.ts'
import { typeOfValue, type ValueType } from '../lists/value-type.ts'

// Requests with a longer value, in characters, a longer key or more values get no cached statement.
const MAX_LENGTH = 256
const MAX_KEY = 4000
const MAX_VALUES = 200
// Longer cursors are read with each request.
const MAX_CURSOR = 2000

// BigInts of one class: no statement differs by which of them it has. Offsets and times are from
// this range.
const NUMBER = /^[1-9]\d{0,8}$|^1\d{9}$/

/**
 * A request's variables: a cache key of those that shape its statement, and the others, which are
 * only values.
 */
export interface Inputs {
  key: string
  /**
   * Addresses and, unless they shape it, dates, numbers, ids of records and the values of cursors.
   */
  values: string[]
  /** By value. */
  kinds: ValueKind[]
  /** The lists that cursors name, by variable. */
  lists: Map<string, string>
  mode: Mode
}

/** The kind of a value. Those of a cursor have the name of its variable. */
export type ValueKind = Scalar | 'record' | { cursor: string }
type Scalar = 'address' | 'date' | 'number' | 'float'
const SCALARS: Record<string, Scalar> = {
  Address: 'address',
  Date: 'date',
  BigInt: 'number',
  Float: 'float',
}

// `any`: a statement serves all values. `exact`: each value but an address has its own.
type Mode = 'any' | 'exact'

/**
 * The parts of a valid cursor of a list: the types of its values and, unless the filter of a
 * request decides it, its name.
 */
export interface Cursor {
  types: readonly ValueType[]
  name: string | undefined
}

/** By variable. */
export type Cursors = ReadonlyMap<string, Cursor>

interface Shape {
  /** Undefined if the value shapes the statement. */
  kind: ValueKind | undefined
  /** Of an input object. */
  fields: Map<string, Shape>
}

/**
 * The variables of an operation. One statement serves all addresses and dates, because only their
 * presence and distinctness shape it, all numbers of a class, and all cursors of a list, also
 * within filters. It is built with random ones, which are then replaced by those of each request.
 */
export class Parameters {
  readonly #schema: GraphQLSchema
  // By variable.
  readonly #shapes: [name: string, shape: Shape][] = []
  // The string literals of the document, in lower case.
  readonly #texts = new Set<string>()

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    definitions: readonly VariableDefinitionNode[],
  ) {
    this.#schema = schema
    const kinds = new Map<string, ValueKind>()
    const startArguments = startArgumentsOf(schema)
    visit(document, {
      [GraphQLKind.STRING]: ({ value }) => void this.#texts.add(value.toLowerCase()),
      [GraphQLKind.ARGUMENT]: (argument) => {
        const { name, value } = argument
        const cursor = cursorVariable(argument)
        if (cursor !== undefined) kinds.set(cursor, { cursor })
        else if (startArguments.has(name.value) && value.kind === GraphQLKind.VARIABLE)
          kinds.set(value.name.value, 'record')
      },
    })
    const shapes = new Map<GraphQLNamedType | undefined, Shape>()
    for (const { variable, type } of definitions) {
      const name = variable.name.value
      const kind = kinds.get(name)
      const shape = kind
        ? { kind, fields: new Map() }
        : shapeOf(getNamedType(typeFromAST(schema, type as never)), shapes)
      this.#shapes.push([name, shape])
    }
  }

  /**
   * Reads a request's variables.
   * @returns undefined if one is too long, of no input type, or an invalid or repeated address or
   * date
   */
  read(variables: Record<string, unknown>, mode: Mode = 'any'): Inputs | undefined {
    const inputs: Inputs = { key: '', values: [], kinds: [], lists: NO_LISTS, mode }
    for (const [name, shape] of this.#shapes)
      if (!this.#add(inputs, shape, variables[name])) return undefined
    const { key, values, kinds } = inputs
    if (key.length > MAX_KEY || values.length > MAX_VALUES) return undefined
    const distinct = values.filter((_, i) => kinds[i] === 'address' || kinds[i] === 'date')
    return distinct.length < 2 || new Set(distinct).size === distinct.length ? inputs : undefined
  }

  /**
   * Returns the variables with other values, in the order in which `read` found them.
   * @param lists the names of the lists that cursors are of then
   */
  replaced(
    variables: Record<string, unknown>,
    { mode }: Inputs,
    values: string[],
    lists?: ReadonlyMap<string, string>,
  ): Record<string, unknown> {
    const next = values.values()
    const replace = ({ kind, fields }: Shape, value: unknown): unknown => {
      if (Array.isArray(value)) return value.map((one) => replace({ kind, fields }, one))
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            replace(fields.get(name) as Shape, one),
          ]),
        )
      const replaced =
        this.#valuesOf(kind, value, mode)?.map(() => next.next().value as string) ?? []
      if (replaced.length === 0) return value
      const cursor = typeof kind === 'object' && readCursor(value as string)
      if (cursor)
        return encodeCursor(
          lists?.get((kind as { cursor: string }).cursor) ?? cursor.name,
          replaced,
        )
      return kind === 'float' ? Number(replaced[0]) : replaced[0]
    }
    // An absent variable has its default value.
    const sent = this.#shapes.filter(([name]) => Object.hasOwn(variables, name))
    return Object.fromEntries(sent.map(([name, shape]) => [name, replace(shape, variables[name])]))
  }

  // @returns false if the variable is not valid, or too long
  #add(inputs: Inputs, shape: Shape, value: unknown): boolean {
    if (Array.isArray(value)) {
      inputs.key += `[${value.length} `
      return value.length <= MAX_VALUES && value.every((one) => this.#add(inputs, shape, one))
    }
    if (typeof value === 'object' && value !== null) {
      inputs.key += '{'
      for (const [name, one] of Object.entries(value)) {
        const field = shape.fields.get(name)
        inputs.key += `${name} `
        if (!field || !this.#add(inputs, field, one)) return false
      }
      inputs.key += '}'
      return true
    }
    const { kind } = shape
    const values = this.#valuesOf(kind, value, inputs.mode)
    if (!values) return false
    if (values.length > 0) {
      if (typeof kind === 'object') {
        const { name = '' } = readCursor(value as string) ?? {}
        if (inputs.lists === NO_LISTS) inputs.lists = new Map()
        inputs.lists.set(kind.cursor, name)
        inputs.key += `cursor ${values.length} `
      } else inputs.key += `${kind} `
      inputs.values.push(...values)
      for (const _ of values) inputs.kinds.push(kind as ValueKind)
      return true
    }
    const text = String(value)
    inputs.key += `${typeof value} ${text.length} ${text} `
    return text.length <= MAX_LENGTH
  }

  // The values of a scalar. None if it shapes the statement, undefined if it is not valid.
  #valuesOf(kind: ValueKind | undefined, value: unknown, mode: Mode): string[] | undefined {
    if (kind === undefined || value === null || value === undefined) return NONE
    if (kind === 'address' || kind === 'date') {
      if (mode === 'exact' && kind === 'date') return NONE
      const text = this.#parsed(kind, value)
      return text === undefined || this.#texts.has(text) ? undefined : [text]
    }
    if (mode === 'exact') return NONE
    if (kind === 'float')
      return typeof value === 'number' && value > 0 && value < MAX_FLOAT ? [String(value)] : NONE
    if (kind === 'number')
      return (typeof value === 'string' || typeof value === 'number') && NUMBER.test(`${value}`)
        ? [`${value}`]
        : NONE
    if (typeof value !== 'string') return NONE
    if (kind === 'record') return value.length > MAX_LENGTH || value.includes('\0') ? NONE : [value]
    return (value.length <= MAX_CURSOR && readCursor(value)?.values) || NONE
  }

  // The text of an address or a date in a statement. Undefined if it is not valid.
  #parsed(kind: 'address' | 'date', value: unknown): string | undefined {
    const scalar = this.#schema.getType(kind === 'address' ? 'Address' : 'Date')
    if (!isScalarType(scalar)) return undefined
    try {
      const parsed = scalar.parseValue(value) as string | Date
      return typeof parsed === 'string' ? parsed : (value as string)
    } catch {
      return undefined
    }
  }
}

// The names of arguments that name a row to start after, by schema.
const startArguments = new WeakMap<GraphQLSchema, Set<string>>()

function startArgumentsOf(schema: GraphQLSchema): Set<string> {
  const known = startArguments.get(schema)
  if (known) return known
  const names = new Set<string>()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const { extensions } of Object.values(type.getFields())) {
      const field = extensions.sqlField as SqlField | undefined
      if (field?.kind !== 'list' || !field.list.listing) continue
      const { startArgument } = field.list
      if (startArgument !== undefined) names.add(startArgument)
    }
  }
  startArguments.set(schema, names)
  return names
}

const NONE: string[] = []
const NO_LISTS = new Map<string, string>()

// Postgres compares larger ones too, but they are text with an exponent.
const MAX_FLOAT = 1e15

// The values within a variable of an input type. Filters contain filters.
function shapeOf(
  type: GraphQLNamedType | undefined,
  shapes: Map<GraphQLNamedType | undefined, Shape>,
): Shape {
  const cached = shapes.get(type)
  if (cached) return cached
  const shape: Shape = { kind: type && SCALARS[type.name], fields: new Map() }
  shapes.set(type, shape)
  if (isInputObjectType(type))
    for (const [name, { type: of }] of Object.entries(type.getFields()))
      shape.fields.set(name, shapeOf(getNamedType(of), shapes))
  return shape
}

/** The variable that is the cursor of a page. */
export function cursorVariable({ name, value }: ArgumentNode): string | undefined {
  const isCursor = name.value === 'after' || name.value === 'before'
  return isCursor && value.kind === GraphQLKind.VARIABLE ? value.name.value : undefined
}

/**
 * True if the names and values of cursors are those of their lists. Others have an error that names
 * them.
 */
export function areOfLists({ values, kinds, lists }: Inputs, cursors: Cursors): boolean {
  for (const [variable, name] of lists)
    if ((cursors.get(variable)?.name ?? name) !== name) return false
  if (lists.size === 0) return true
  return values.every((value, i) => {
    const type = typeAt(kinds, cursors, i)
    return type === undefined || (typeOfValue(type).accepts?.(value) ?? false)
  })
}

/** The type of a cursor's value. Undefined for other values. */
export function typeAt(
  kinds: readonly ValueKind[],
  cursors: Cursors,
  i: number,
): ValueType | undefined {
  const kind = kinds[i]
  if (typeof kind !== 'object') return undefined
  const first = kinds.findIndex((one) => typeof one === 'object' && one.cursor === kind.cursor)
  return cursors.get(kind.cursor)?.types[i - first]
}
