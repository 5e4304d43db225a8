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

/** Longer texts are not worth a key. */
const MAX_LENGTH = 256

/** What a request's variables say: what decides how its statement looks, and the addresses, which are only its values. */
export interface Given {
  key: string
  addresses: string[]
}

/**
 * The variables of an operation. A statement is made once for all addresses, of which none decides more than by being
 * there, and being another than the others: it is made with stand-ins, and holds each request's own where those were.
 */
export class Parameters {
  readonly #names: string[] = []
  readonly #addresses = new Map<string, string>()
  /** The texts that the document itself gives. */
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

  /** Reads a request's variables. @returns undefined where one is no plain value, or no address of its own */
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

  /** The variables with stand-ins for their addresses. */
  standIns(variables: Record<string, unknown>): Record<string, unknown> {
    const stood = { ...variables }
    for (const [name, standIn] of this.#addresses) if (typeof stood[name] === 'string') stood[name] = standIn
    return stood
  }

  /**
   * What makes a statement's values of a request's addresses, from the values and the text that stand-ins have led to.
   * @returns undefined where one has become something else than a value
   */
  filler(variables: Record<string, unknown>, text: string, values: unknown[]): Fill | undefined {
    const given = [...this.#addresses].filter(([name]) => typeof variables[name] === 'string')
    const places: [place: number, address: number][] = []
    for (const [address, [, standIn]] of given.entries()) {
      const digits = standIn.slice(2)
      if (text.includes(digits)) return undefined
      for (const [place, value] of values.entries())
        if (value === standIn) places.push([place, address])
        else if (typeof value === 'object' ? shown(value).includes(digits) : String(value).includes(digits))
          return undefined
    }
    return (addresses) => {
      const filled = [...values]
      for (const [place, address] of places) filled[place] = addresses[address]
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
