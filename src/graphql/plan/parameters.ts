import { randomBytes } from 'node:crypto'
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

/** A request's variables: a cache key of those that shape its statement, and the addresses, which are only values. */
export interface Given {
  key: string
  addresses: string[]
}

/**
 * The variables of an operation. One statement serves all addresses, because only their presence and distinctness shape
 * it. It is built with random addresses, which are then replaced by those of each request.
 */
export class Parameters {
  readonly #names: string[] = []
  /** The variables that are addresses, and those that are lists of them. */
  readonly #single = new Set<string>()
  readonly #lists = new Set<string>()
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
      const isList = nullable.kind === Kind.LIST_TYPE && isAddress(nullableOf(nullable.type))
      if (isList) this.#lists.add(name)
      // A list may be given as one value.
      if (isList || isAddress(nullable)) this.#single.add(name)
    }
  }

  /**
   * Reads a request's variables.
   * @returns undefined if one is too long, neither a scalar nor a list of addresses, or an invalid or repeated address
   */
  read(variables: Record<string, unknown>): Given | undefined {
    const addresses: string[] = []
    let key = ''
    for (const name of this.#names) {
      const value = variables[name]
      if (this.#single.has(name) && typeof value === 'string') {
        if (!this.#add(value, addresses)) return undefined
        key += 'address '
      } else if (this.#lists.has(name) && Array.isArray(value)) {
        if (value.length > MAX_ADDRESSES || !value.every((one) => this.#add(one, addresses))) return undefined
        key += `addresses ${value.length} `
      } else if (value === null || typeof value !== 'object') {
        const text = String(value)
        if (text.length > MAX_LENGTH) return undefined
        key += `${typeof value} ${text.length} ${text} `
      } else return undefined
    }
    const isDistinct = addresses.length < 2 || new Set(addresses).size === addresses.length
    return isDistinct && addresses.length <= MAX_ADDRESSES ? { key, addresses } : undefined
  }

  /** Returns the variables with other addresses, in the order in which `read` found them. */
  replaced(variables: Record<string, unknown>, addresses: string[]): Record<string, unknown> {
    const replaced = { ...variables }
    let at = 0
    for (const name of this.#names) {
      const value = variables[name]
      if (this.#single.has(name) && typeof value === 'string') replaced[name] = addresses[at++]
      else if (this.#lists.has(name) && Array.isArray(value)) replaced[name] = value.map(() => addresses[at++])
    }
    return replaced
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

/** Returns random addresses in ascending order. */
export const randomAddresses = (count: number): string[] =>
  Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`).sort()

export type Fill = (addresses: string[]) => unknown[]

/** Returns a function that puts other addresses into a statement's values, alone and in lists. */
export function filler(values: unknown[], addresses: string[]): Fill {
  const indexes = new Map(addresses.map((address, i) => [address, i]))
  const indexOf = (value: unknown) => (typeof value === 'string' ? indexes.get(value) : undefined)
  const slots: { at: number; from: number | number[] }[] = []
  const others = values.map((value, at) => {
    const from = Array.isArray(value) ? value.map(indexOf) : indexOf(value)
    if (from === undefined || (Array.isArray(from) && from.includes(undefined))) return value
    slots.push({ at, from: from as number | number[] })
    return undefined
  })
  return (addresses) => {
    const filled = [...others]
    for (const { at, from } of slots)
      filled[at] = typeof from === 'number' ? addresses[from] : from.map((one) => addresses[one])
    return filled
  }
}

/** Returns whether two lists of values are the same to Postgres. */
export const isSame = (one: unknown[], other: unknown[]) => shown(one) === shown(other)

const nullableOf = (type: TypeNode) => (type.kind === Kind.NON_NULL_TYPE ? type.type : type)
const isAddress = (type: TypeNode) => type.kind === Kind.NAMED_TYPE && type.name.value === 'Address'

const shown = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
