import {
  GraphQLError,
  GraphQLFloat,
  GraphQLNonNull,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { readAddress } from '../../address.ts'
import { isExactNumber } from '../../exact-number.ts'
import { isoDay, parseUtc } from '../../time.ts'
import type { Builder } from './builder.ts'

const INTEGER = /^(0|[1-9][0-9]*)$/
const MAX_DIGITS = 20_000

// Parses a literal like a variable. The error says where the literal is.
const asValue =
  <Value>(parseValue: (value: unknown) => Value) =>
  (node: ValueNode): Value => {
    try {
      return parseValue(valueFromASTUntyped(node))
    } catch (error) {
      if (error instanceof GraphQLError)
        throw new GraphQLError(error.message, { nodes: node, extensions: error.extensions })
      throw error
    }
  }

function parseAddress(value: unknown): string {
  const address = typeof value === 'string' ? readAddress(value) : undefined
  if (address !== undefined) return address
  throw wrong('Address', '0x and 40 hexadecimal digits', value)
}

function parseDateTime(value: unknown): Date {
  const date = typeof value === 'string' ? parseUtc(value) : undefined
  if (date) return date
  throw wrong(
    'DateTime',
    'an ISO 8601 UTC date or timestamp, such as 2025-03-01T00:00:00.000Z',
    value,
  )
}

function parseDate(value: unknown): Date {
  const date = typeof value === 'string' && value.length === 10 ? parseUtc(value) : undefined
  if (date) return date
  throw wrong('Date', 'a date such as 2025-03-01', value)
}

/** Adds the custom scalars, which are strict on input. */
export function addScalars(builder: Builder): void {
  builder.scalarType('Address', {
    specifiedByURL: 'https://eips.ethereum.org/EIPS/eip-55',
    description: '0x and 40 hexadecimal digits in any case; answers are in lower case.',
    serialize: (value) => value,
    parseValue: parseAddress,
    parseLiteral: asValue(parseAddress),
  })
  builder.scalarType('Date', {
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    description: 'A date in UTC, such as 2025-03-01. A distribution date is one.',
    serialize: (value) => isoDay(value) as never,
    parseValue: parseDate,
    parseLiteral: asValue(parseDate),
  })
  builder.scalarType('DateTime', {
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    description: 'A time in UTC: 2025-03-01T00:00:00.000Z. A date alone is midnight.',
    serialize: (value) => value.toISOString() as never,
    parseValue: parseDateTime,
    parseLiteral: asValue(parseDateTime),
  })
  builder.scalarType('BigInt', {
    specifiedByURL: 'https://tc39.es/ecma262/#prod-StringIntegerLiteral',
    description:
      'An integer that may exceed 2^53, as a decimal string: token amounts in their smallest ' +
      'unit, Unix seconds. Input may be a string or an integer literal, from 0 up.',
    // `String` would write a large Decimal with an exponent.
    serialize: (value) => (typeof value === 'object' ? value.toFixed() : String(value)),
    parseValue: (value) => {
      if (typeof value === 'string' && value.length <= MAX_DIGITS && INTEGER.test(value))
        return BigInt(value)
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
        return BigInt(value)
      throw wrong('BigInt', 'a decimal integer from 0 up, as a string', value)
    },
    parseLiteral: (node) => {
      if (
        (node.kind === Kind.STRING || node.kind === Kind.INT) &&
        node.value.length <= MAX_DIGITS &&
        INTEGER.test(node.value)
      )
        return BigInt(node.value)
      throw wrong('BigInt', 'a decimal integer from 0 up, as a string', textOf(node), node)
    },
  })
  builder.scalarType('SafeInt', {
    specifiedByURL: 'https://tc39.es/ecma262/#sec-number.max_safe_integer',
    description: 'An integer from 0 to 2^53-1, such as a chain id: a JSON number.',
    serialize: (value) => Number(value),
    parseValue: (value) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
      throw wrong('SafeInt', 'an integer from 0 to 2^53-1', value)
    },
    parseLiteral: (node) => {
      const value = node.kind === Kind.INT ? Number(node.value) : Number.NaN
      if (Number.isSafeInteger(value) && value >= 0) return value
      throw wrong('SafeInt', 'an integer from 0 to 2^53-1', textOf(node), node)
    },
  })
}

// GraphQL's Float, except that exact numbers pass through unchanged.
const ExactFloat = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  serialize: (value) => (isExactNumber(value) ? (value as number) : GraphQLFloat.serialize(value)),
})

/** Makes all output Floats exact. Pothos itself only supports GraphQL's Float. */
export function withExactFloats(schema: GraphQLSchema): GraphQLSchema {
  const nonNull = new GraphQLNonNull(ExactFloat)
  const exact = (type: GraphQLOutputType): GraphQLOutputType => {
    if (type === GraphQLFloat) return ExactFloat
    return isNonNullType(type) && type.ofType === GraphQLFloat ? nonNull : type
  }
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) field.type = exact(field.type)
  return schema
}

function wrong(scalar: string, expected: string, value: unknown, node?: ValueNode): GraphQLError {
  const text = JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}` : v)) ?? 'undefined'
  return new GraphQLError(`${scalar} must be ${expected}, not ${text.slice(0, 100)}.`, {
    ...(node && { nodes: node }),
    extensions: { code: 'BAD_INPUT' },
  })
}

const textOf = (node: ValueNode) => ('value' in node ? node.value : node.kind)
