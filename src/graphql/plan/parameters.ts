import { randomBytes, randomInt } from 'node:crypto'
import {
  type ArgumentNode,
  type DocumentNode,
  Kind as GraphQLKind,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql'
import { typeOfValue, type ValueType } from '../../db/lists/value-type.ts'
import { encodeCursor, readCursor } from '../fields/connection.ts'

/** Requests with a longer value, in characters, or with more addresses get no cached statement. */
const MAX_LENGTH = 256
const MAX_ADDRESSES = 200
/** Longer cursors are read with each request. */
const MAX_CURSOR = 2000

/** BigInts of one class: no statement differs by which of them it has. Offsets and times are from this range. */
const NUMBER = /^[1-9]\d{0,8}$|^1\d{9}$/

/** A request's variables: a cache key of those that shape its statement, and the others, which are only values. */
export interface Inputs {
  key: string
  /** Addresses and, unless they shape it, numbers and the values of cursors. */
  values: string[]
  /** By value. The values of a cursor have the name of its variable. */
  kinds: Kind[]
  mode: Mode
}

type Kind = 'address' | 'number' | { cursor: string }

/** `any`: a statement serves all numbers, and all cursors of a list. `exact`: each has its own. */
type Mode = 'any' | 'exact'

/** The types of a cursor's values, by the variable that it is. */
export type CursorTypes = ReadonlyMap<string, readonly ValueType[]>

/**
 * The variables of an operation. One statement serves all addresses, because only their presence and distinctness shape
 * it, all numbers of a class, and all cursors of a list. It is built with random ones, which are then replaced by those of
 * each request.
 */
export class Parameters {
  readonly #names: string[] = []
  /** The variables that are addresses, those that are lists of them, numbers, and cursors. */
  readonly #single = new Set<string>()
  readonly #lists = new Set<string>()
  readonly #numbers = new Set<string>()
  readonly #cursors = new Set<string>()
  /** The string literals of the document, in lower case. */
  readonly #texts = new Set<string>()
  readonly #scalar: GraphQLScalarType | undefined

  constructor(schema: GraphQLSchema, document: DocumentNode, definitions: readonly VariableDefinitionNode[]) {
    visit(document, {
      [GraphQLKind.STRING]: ({ value }) => void this.#texts.add(value.toLowerCase()),
      [GraphQLKind.ARGUMENT]: (argument) => {
        const name = cursorVariable(argument)
        if (name !== undefined) this.#cursors.add(name)
      },
    })
    const scalar = schema.getType('Address')
    this.#scalar = isScalarType(scalar) ? scalar : undefined
    for (const { variable, type } of definitions) {
      const name = variable.name.value
      this.#names.push(name)
      const nullable = nullableOf(type)
      const isList = nullable.kind === GraphQLKind.LIST_TYPE && isNamed(nullableOf(nullable.type), 'Address')
      if (isList) this.#lists.add(name)
      // A list may be given as one value.
      if (isList || isNamed(nullable, 'Address')) this.#single.add(name)
      if (isNamed(nullable, 'BigInt')) this.#numbers.add(name)
    }
  }

  /**
   * Reads a request's variables.
   * @returns undefined if one is too long, neither a scalar nor a list of addresses, or an invalid or repeated address
   */
  read(variables: Record<string, unknown>, mode: Mode = 'any'): Inputs | undefined {
    const values: string[] = []
    const kinds: Kind[] = []
    let key = ''
    let addresses = 0
    for (const name of this.#names) {
      const value = variables[name]
      if (this.#single.has(name) && typeof value === 'string') {
        if (!this.#add(value, values)) return undefined
        addresses++
        key += 'address '
      } else if (this.#lists.has(name) && Array.isArray(value)) {
        if (value.length > MAX_ADDRESSES || !value.every((one) => this.#add(one, values))) return undefined
        addresses += value.length
        key += `addresses ${value.length} `
      } else if (mode === 'any' && this.#isNumber(name, value)) {
        values.push(String(value))
        key += 'number '
      } else if (value === null || typeof value !== 'object') {
        const cursor = mode === 'any' ? this.#cursor(name, value) : undefined
        if (cursor) {
          values.push(...cursor.values)
          key += `cursor ${cursor.values.length} ${cursor.name.length} ${cursor.name} `
        } else {
          const text = String(value)
          if (text.length > MAX_LENGTH) return undefined
          key += `${typeof value} ${text.length} ${text} `
        }
      } else return undefined
      const kind = this.#cursors.has(name) ? { cursor: name } : this.#numbers.has(name) ? 'number' : 'address'
      while (kinds.length < values.length) kinds.push(kind)
    }
    const isDistinct = addresses < 2 || new Set(values.filter((_, i) => kinds[i] === 'address')).size === addresses
    return isDistinct && addresses <= MAX_ADDRESSES ? { key, values, kinds, mode } : undefined
  }

  /** Returns the variables with other values, in the order in which `read` found them. */
  replaced(variables: Record<string, unknown>, { mode }: Inputs, values: string[]): Record<string, unknown> {
    const replaced = { ...variables }
    let at = 0
    for (const name of this.#names) {
      const value = variables[name]
      const cursor = mode === 'any' ? this.#cursor(name, value) : undefined
      if (this.#single.has(name) && typeof value === 'string') replaced[name] = values[at++]
      else if (this.#lists.has(name) && Array.isArray(value)) replaced[name] = value.map(() => values[at++])
      else if (mode === 'any' && this.#isNumber(name, value)) replaced[name] = values[at++]
      else if (cursor) {
        replaced[name] = encodeCursor(cursor.name, values.slice(at, at + cursor.values.length))
        at += cursor.values.length
      }
    }
    return replaced
  }

  #cursor(name: string, value: unknown) {
    const isCursor = this.#cursors.has(name) && typeof value === 'string' && value.length <= MAX_CURSOR
    return isCursor ? readCursor(value) : undefined
  }

  #isNumber(name: string, value: unknown): boolean {
    return (
      this.#numbers.has(name) && (typeof value === 'string' || typeof value === 'number') && NUMBER.test(`${value}`)
    )
  }

  #add(value: unknown, to: string[]): boolean {
    try {
      const address = this.#scalar?.parseValue(value) as string
      to.push(address)
      return !this.#texts.has(address)
    } catch {
      return false
    }
  }
}

/** The variable that is the cursor of a page. */
export function cursorVariable({ name, value }: ArgumentNode): string | undefined {
  const isCursor = name.value === 'after' || name.value === 'before'
  return isCursor && value.kind === GraphQLKind.VARIABLE ? value.name.value : undefined
}

/** True if the values of cursors are those of their lists. Others have an error that names them. */
export function areOfLists({ values, kinds }: Inputs, types: CursorTypes): boolean {
  if (types.size === 0) return true
  return values.every((value, i) => {
    const type = typeAt(kinds, types, i)
    return type === undefined || (typeOfValue(type).accepts?.(value) ?? false)
  })
}

/** The type of a cursor's value. Undefined for other values. */
function typeAt(kinds: readonly Kind[], types: CursorTypes, i: number): ValueType | undefined {
  const kind = kinds[i]
  if (typeof kind !== 'object') return undefined
  const first = kinds.findIndex((one) => typeof one === 'object' && one.cursor === kind.cursor)
  return types.get(kind.cursor)?.[i - first]
}

/** Returns random values in place of others, addresses and numbers each in ascending or descending order. */
export function standIns({ kinds }: Inputs, types: CursorTypes, order: 1 | -1): string[] {
  const random = {
    address: () => `0x${randomBytes(20).toString('hex')}`,
    number: () => String(randomInt(2 ** 29, 10 ** 9)),
    float: () => String(randomInt(2 ** 29, 10 ** 9) / 8),
    date: () => new Date(randomInt(10 ** 9) * 1000).toISOString().slice(0, 10),
  }
  const sorted = (kind: 'address' | 'number') =>
    kinds
      .filter((one) => one === kind)
      .map(random[kind])
      .sort((one, other) => (one < other ? -order : order))
      .values()
  const all = { address: sorted('address'), number: sorted('number') }
  return kinds.map((kind, i) => {
    if (typeof kind === 'string') return all[kind].next().value as string
    const type = typeAt(kinds, types, i)
    if (type === 'text' || type === 'address') return random.address()
    return type === 'float' || type === 'decimal' ? random.float() : type === 'date' ? random.date() : random.number()
  })
}

export type Fill = (values: string[]) => unknown[]

/**
 * Returns a function that puts other values into those of a statement, alone and in lists.
 * @returns undefined if one is not among them, but for addresses: the statement may be another one with another value
 */
export function filler(values: unknown[], standIns: string[], { kinds }: Inputs): Fill | undefined {
  const indexes = new Map(standIns.map((value, i) => [value, i]))
  const filled = new Set<number>()
  const indexOf = (value: unknown) => {
    const index = typeof value === 'string' || typeof value === 'bigint' ? indexes.get(String(value)) : undefined
    if (index !== undefined) filled.add(index)
    return index
  }
  const slots: { at: number; from: number | number[] }[] = []
  const others = values.map((value, at) => {
    const from = Array.isArray(value) ? value.map(indexOf) : indexOf(value)
    if (from === undefined || (Array.isArray(from) && from.includes(undefined))) return value
    slots.push({ at, from: from as number | number[] })
    return undefined
  })
  if (indexes.size < standIns.length || !kinds.every((kind, i) => kind === 'address' || filled.has(i))) return undefined
  return (values) => {
    const result = [...others]
    for (const { at, from } of slots)
      result[at] = typeof from === 'number' ? values[from] : from.map((one) => values[one])
    return result
  }
}

/** Returns whether two lists of values are the same to Postgres. */
export const isSame = (one: unknown[] | undefined, other: unknown[]) => shown(one) === shown(other)

const nullableOf = (type: TypeNode) => (type.kind === GraphQLKind.NON_NULL_TYPE ? type.type : type)
const isNamed = (type: TypeNode, name: string) => type.kind === GraphQLKind.NAMED_TYPE && type.name.value === name

const shown = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
