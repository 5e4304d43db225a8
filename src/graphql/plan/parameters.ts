import { randomBytes, randomInt } from 'node:crypto'
import {
  type DocumentNode,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  Kind,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql'

/** Requests with a longer value, in characters, or with more addresses get no cached statement. */
const MAX_LENGTH = 256
const MAX_ADDRESSES = 200

/** BigInts of one class: no statement differs by which of them it has. Offsets and times are from this range. */
const NUMBER = /^[1-9]\d{0,8}$|^1\d{9}$/

/** A request's variables: a cache key of those that shape its statement, and the others, which are only values. */
export interface Given {
  key: string
  /** Addresses and, unless they shape it, numbers. */
  values: string[]
  numbers: Numbers
}

/** `any`: a statement serves all numbers. `exact`: each has its own. */
type Numbers = 'any' | 'exact'

/**
 * The variables of an operation. One statement serves all addresses, because only their presence and distinctness shape
 * it, and all numbers of a class. It is built with random ones, which are then replaced by those of each request.
 */
export class Parameters {
  readonly #names: string[] = []
  /** The variables that are addresses, those that are lists of them, and those that are numbers. */
  readonly #single = new Set<string>()
  readonly #lists = new Set<string>()
  readonly #numbers = new Set<string>()
  /** The string literals of the document, in lower case. */
  readonly #texts = new Set<string>()
  readonly #scalar: GraphQLScalarType | undefined

  constructor(schema: GraphQLSchema, document: DocumentNode, definitions: readonly VariableDefinitionNode[]) {
    visit(document, { [Kind.STRING]: ({ value }) => void this.#texts.add(value.toLowerCase()) })
    const scalar = schema.getType('Address')
    this.#scalar = isScalarType(scalar) ? scalar : undefined
    for (const { variable, type } of definitions) {
      const name = variable.name.value
      this.#names.push(name)
      const nullable = nullableOf(type)
      const isList = nullable.kind === Kind.LIST_TYPE && isNamed(nullableOf(nullable.type), 'Address')
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
  read(variables: Record<string, unknown>, numbers: Numbers = 'any'): Given | undefined {
    const values: string[] = []
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
      } else if (numbers === 'any' && this.#isNumber(name, value)) {
        values.push(String(value))
        key += 'number '
      } else if (value === null || typeof value !== 'object') {
        const text = String(value)
        if (text.length > MAX_LENGTH) return undefined
        key += `${typeof value} ${text.length} ${text} `
      } else return undefined
    }
    const isDistinct = addresses < 2 || new Set(values.filter(isAddress)).size === addresses
    return isDistinct && addresses <= MAX_ADDRESSES ? { key, values, numbers } : undefined
  }

  /** Returns the variables with other values, in the order in which `read` found them. */
  replaced(variables: Record<string, unknown>, { numbers }: Given, values: string[]): Record<string, unknown> {
    const replaced = { ...variables }
    let at = 0
    for (const name of this.#names) {
      const value = variables[name]
      if (this.#single.has(name) && typeof value === 'string') replaced[name] = values[at++]
      else if (this.#lists.has(name) && Array.isArray(value)) replaced[name] = value.map(() => values[at++])
      else if (numbers === 'any' && this.#isNumber(name, value)) replaced[name] = values[at++]
    }
    return replaced
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

/** Returns random values in place of others, addresses and numbers each in ascending or descending order. */
export function standIns(values: string[], order: 1 | -1): string[] {
  const addresses = values.filter(isAddress).map(() => `0x${randomBytes(20).toString('hex')}`)
  const numbers = values.slice(addresses.length).map(() => String(randomInt(2 ** 29, 2 ** 30)))
  const sorted = (all: string[]) => all.sort((one, other) => (one < other ? -order : order))
  const [ofAddresses, ofNumbers] = [sorted(addresses).values(), sorted(numbers).values()]
  return values.map((value) => (isAddress(value) ? ofAddresses : ofNumbers).next().value as string)
}

export type Fill = (values: string[]) => unknown[]

/**
 * Returns a function that puts other values into those of a statement, alone and in lists.
 * @returns undefined if a number is not among them: the statement may be another one with another number
 */
export function filler(values: unknown[], standIns: string[]): Fill | undefined {
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
  if (!standIns.every((value, i) => isAddress(value) || filled.has(i))) return undefined
  return (values) => {
    const result = [...others]
    for (const { at, from } of slots)
      result[at] = typeof from === 'number' ? values[from] : from.map((one) => values[one])
    return result
  }
}

const isAddress = (value: string) => value.startsWith('0x')

/** Returns whether two lists of values are the same to Postgres. */
export const isSame = (one: unknown[] | undefined, other: unknown[]) => shown(one) === shown(other)

const nullableOf = (type: TypeNode) => (type.kind === Kind.NON_NULL_TYPE ? type.type : type)
const isNamed = (type: TypeNode, name: string) => type.kind === Kind.NAMED_TYPE && type.name.value === name

const shown = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
