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

/** Requests with a longer value, in characters, get no cached statement. */
const MAX_LENGTH = 256

/** A request's variables: a cache key of those that shape its statement, and the addresses, which are only values. */
export interface Given {
  key: string
  addresses: string[]
}

/**
 * The variables of an operation. One statement serves all addresses, because only their presence and distinctness shape
 * it. It is built with random placeholder addresses, which are then replaced by those of each request.
 */
export class Parameters {
  readonly #names: string[] = []
  readonly #addresses = new Map<string, string>()
  /** The string literals of the document, in lower case. */
  readonly #texts = new Set<string>()
  readonly #scalar: GraphQLScalarType | undefined

  constructor(schema: GraphQLSchema, document: DocumentNode, definitions: readonly VariableDefinitionNode[]) {
    visit(document, { [Kind.STRING]: ({ value }) => void this.#texts.add(value.toLowerCase()) })
    const scalar = schema.getType('Address')
    this.#scalar = isScalarType(scalar) ? scalar : undefined
    for (const { variable, type } of definitions) {
      this.#names.push(variable.name.value)
      if (nameOf(type) === 'Address') this.#addresses.set(variable.name.value, `0x${randomBytes(20).toString('hex')}`)
    }
  }

  /**
   * Reads a request's variables.
   * @returns undefined if one is too long, not a scalar, or an invalid or repeated address
   */
  read(variables: Record<string, unknown>): Given | undefined {
    const addresses: string[] = []
    let key = ''
    for (const name of this.#names) {
      const value = variables[name]
      if (this.#addresses.has(name) && typeof value === 'string') {
        const address = this.#parsed(value)
        if (address === undefined || addresses.includes(address) || this.#texts.has(address)) return undefined
        addresses.push(address)
        key += 'address '
      } else if (value === null || typeof value !== 'object') {
        const text = String(value)
        if (text.length > MAX_LENGTH) return undefined
        key += `${typeof value} ${text.length} ${text} `
      } else return undefined
    }
    return { key, addresses }
  }

  /** Returns the variables with placeholders for their addresses. */
  standIns(variables: Record<string, unknown>): Record<string, unknown> {
    const stood = { ...variables }
    for (const [name, standIn] of this.#addresses) if (typeof stood[name] === 'string') stood[name] = standIn
    return stood
  }

  /**
   * Finds the placeholders in a statement that was built with them.
   * @returns a function that fills in a request's addresses; undefined if a placeholder is not a whole parameter value
   */
  filler(variables: Record<string, unknown>, text: string, values: unknown[]): Fill | undefined {
    const given = [...this.#addresses].filter(([name]) => typeof variables[name] === 'string')
    const slots: [index: number, address: number][] = []
    for (const [address, [, standIn]] of given.entries()) {
      const digits = standIn.slice(2)
      if (text.includes(digits)) return undefined
      for (const [index, value] of values.entries())
        if (value === standIn) slots.push([index, address])
        else if (typeof value === 'object' ? shown(value).includes(digits) : String(value).includes(digits))
          return undefined
    }
    return (addresses) => {
      const filled = [...values]
      for (const [index, address] of slots) filled[index] = addresses[address]
      return filled
    }
  }

  #parsed(value: string): string | undefined {
    try {
      return this.#scalar?.parseValue(value) as string | undefined
    } catch {
      return undefined
    }
  }
}

export type Fill = (addresses: string[]) => unknown[]

const nameOf = (type: TypeNode): string | undefined => {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return nullable.kind === Kind.NAMED_TYPE ? nullable.name.value : undefined
}

const shown = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) ?? ''
