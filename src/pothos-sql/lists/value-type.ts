import { isDay } from '../dates.ts'
import { ENCODINGS, type Encoding } from './encoding.ts'

interface TypeOfValue {
  sql:
    | 'text'
    | 'bigint'
    | 'int'
    | 'double precision'
    | 'numeric'
    | 'date'
    | 'timestamptz'
    | 'boolean'
  encoding: Encoding
  /**
   * Returns whether text from a cursor is a value of this type. Other text must not reach the
   * database.
   */
  accepts?(text: string): boolean
  /** SQL that sorts after and before all values. It replaces null in sort keys. */
  ends?: readonly [after: string, before: string]
}

const isText = (text: string) => /^[^\0]{0,1000}$/.test(text)
const digits = (max: bigint) => (text: string) => /^\d{1,19}$/.test(text) && BigInt(text) <= max
const bigint = {
  sql: 'bigint',
  accepts: (text: string) => text === '-1' || digits(2n ** 63n - 1n)(text),
  ends: ['9223372036854775807', '-1'],
} as const

/**
 * The column types. An `integer` is at most 2^53-1, a `bigint` may be larger, a `timestamp` is in
 * Unix seconds.
 */
export const VALUE_TYPES = {
  // Hexadecimal digits need no escaping.
  address: { sql: 'text', encoding: ENCODINGS.quoted, accepts: isText },
  text: { sql: 'text', encoding: ENCODINGS.text, accepts: isText },
  int: { sql: 'int', encoding: ENCODINGS.json, accepts: digits(2n ** 31n - 1n) },
  integer: { ...bigint, encoding: ENCODINGS.json },
  bigint: { ...bigint, encoding: ENCODINGS.quoted },
  timestamp: { ...bigint, encoding: ENCODINGS.quoted },
  /** A token amount in the smallest unit: up to 256 bits, read as text. */
  amount: { sql: 'numeric', encoding: ENCODINGS.quoted },
  float: {
    sql: 'double precision',
    encoding: ENCODINGS.number,
    accepts: (text: string) => text === String(Number(text)),
    ends: [`'Infinity'`, `'-Infinity'`],
  },
  /** An exact number with at most six decimals, such as points. */
  decimal: {
    sql: 'numeric',
    encoding: ENCODINGS.json,
    accepts: (text: string) => /^-?\d{1,15}(\.\d{1,6})?$/.test(text),
  },
  date: {
    sql: 'date',
    encoding: ENCODINGS.date,
    accepts: isDay,
    ends: [`'9999-12-31'`, `'0001-01-01'`],
  },
  moment: { sql: 'timestamptz', encoding: ENCODINGS.moment },
  boolean: { sql: 'boolean', encoding: ENCODINGS.boolean },
} as const satisfies Record<string, TypeOfValue>

export type ValueType = keyof typeof VALUE_TYPES

/** Returns the entry of a type, with its optional properties. */
export const typeOfValue = (type: ValueType): TypeOfValue => VALUE_TYPES[type]

/** The JavaScript type of each column type's values. */
export interface Values {
  address: string
  text: string
  int: number
  integer: bigint
  bigint: bigint
  timestamp: bigint
  amount: string
  float: number
  decimal: number
  date: Date
  moment: Date
  boolean: boolean
}
