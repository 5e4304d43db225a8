import { VALUE_TYPES } from 'pothos-sql/host'
import * as z from 'zod'
import { isAddress, isHash, storedHash } from '../../address.ts'
import { hostsOnly } from '../../secrets.ts'
import type { SourceReceipt } from '../../sources/index.ts'
import { type LedgerReason, REASON } from '../ledger/reason.ts'
import { MAX_POINTS, millionths } from '../points/millionths.ts'

/**
 * How a file writes a value: as a column of its type does or, where files differ, as Unix seconds
 * in a number, as a sum of points in digits, or as any JSON.
 */
export type FileType = keyof typeof VALUE_TYPES | 'unix' | 'total' | 'json'

/** Which values of a field are valid, and what is staged of them. */
export interface Rule {
  /** Completes 'must be' in messages. */
  what: string
  /** Completes 'must be' for an invalid value of which `what` does not say enough. */
  why?(value: unknown): string | undefined
  /** Turns a parsed JSON value into escaped COPY text. Undefined if the value is invalid. */
  encode(value: unknown): string | undefined
  /** The SQL type of the staged values, if it is not that of the field's type. */
  sql?: string
}

/** Null in COPY's text format. */
export const NULL = '\\N'

/** The maximum length of a text in characters, so that a key of several texts fits an index. */
export const MAX_TEXT = 500

const matching = (
  matches: (value: string) => boolean,
  what: string,
  write: (value: string) => string,
): Rule => ({
  what,
  encode: (value: unknown) =>
    typeof value === 'string' && matches(value) ? write(value) : undefined,
})

const address: Rule = matching(isAddress, 'an address (0x and 40 hex digits)', (text) =>
  text.toLowerCase(),
)

/** 32 bytes, stored as given, but for an upper-case text. */
export const hash: Rule = matching(isHash, 'a transaction hash (0x and 64 hex digits)', storedHash)

/** Stored in lower case. */
export const uuid: Rule = matching(
  (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  'a UUID',
  (text) => text.toLowerCase(),
)

const special = /[\\\t\n\r]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const hasSpecial = /[\\\t\n\r]/
const unstorable = /[\0\p{Surrogate}]/u

const escaped = (value: string) =>
  hasSpecial.test(value)
    ? value.replace(special, (character) => escapes[character] ?? character)
    : value

const textTo = (max: number): Rule => ({
  what: `a text of at most ${max} characters, without NUL and broken Unicode`,
  encode(value) {
    if (typeof value !== 'string' || value.length > max || unstorable.test(value)) return undefined
    return escaped(value)
  },
})

// Any text that Postgres can store: no NUL, no lone surrogate.
const text: Rule = textTo(MAX_TEXT)

/** Exports of older versions have whole URLs of sources, with keys. */
export const message: Rule = {
  ...textTo(10_000),
  encode: (value) => textTo(10_000).encode(typeof value === 'string' ? hostsOnly(value) : value),
}

/** An image as data, of about 6 kB, or a link to one. */
export const logo: Rule = textTo(8192)

/** The currency or token that a price follows, such as USD. */
export const currency: Rule = matching(
  (text) => /^[A-Za-z0-9]{1,20}$/.test(text),
  'a text of 1 to 20 letters and digits, such as USD',
  (text) => text.toUpperCase(),
)

export const name: Rule = {
  ...text,
  what: `a text of 1 to ${MAX_TEXT} characters, without NUL and broken Unicode`,
  encode: (value) => (value === '' ? undefined : text.encode(value)),
}

/** @param sql the enum of Postgres */
export const oneOf = (sql: string, ...values: string[]): Rule => ({
  sql,
  what: values.map((value) => `"${value}"`).join(' or '),
  encode: (value) => (typeof value === 'string' && values.includes(value) ? value : undefined),
})

const boolean: Rule = {
  what: 'true or false',
  encode: (value) => (typeof value === 'boolean' ? String(value) : undefined),
}

// A finite double: USD, prices, token amounts of the points API, rates. JSON has no NaN, but 1e999
// overflows.
const number: Rule = {
  what: 'a number',
  encode: (value) =>
    typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined,
}

const points: Rule = {
  what: `a number from -${MAX_POINTS} to ${MAX_POINTS}`,
  encode: (value) => (typeof value === 'number' ? millionths(value) : undefined),
}

/** The points of both sides: checked, but not stored. */
export const pointsOfBoth: Rule = { ...number, sql: 'double precision' }

// A sum of points, stored in millionths. As digits, since a double would lose some.
const total: Rule = {
  what: 'a decimal string with at most 12 digits before the point and 6 after it',
  encode(value) {
    if (typeof value !== 'string') return undefined
    const [, sign, whole, decimals = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(value) ?? []
    return whole === undefined
      ? undefined
      : String(BigInt(`${sign}${whole}${decimals.padEnd(6, '0')}`))
  },
}

export const multiplier: Rule = {
  ...number,
  what: 'a number from 0 up',
  encode: (value) => (typeof value === 'number' && value >= 0 ? number.encode(value) : undefined),
}

// The smallest fraction above 0. One that is smaller comes of a mistake: no token has so many
// decimals.
const MIN_FRACTION = 1e-30
const MAX_RATE = 1e6

/** The rates a year that are valid, for messages and guides. */
export const RATES = `0, or from ${MIN_FRACTION} to ${MAX_RATE}, or the negative of one`

export const rate: Rule = {
  ...number,
  what: 'a number',
  why: (value) =>
    Number.isFinite(value) ? `a rate as a fraction a year (0.05 is 5 %): ${RATES}` : undefined,
  encode(value) {
    const magnitude = typeof value === 'number' ? Math.abs(value) : Number.NaN
    return magnitude === 0 || (magnitude >= MIN_FRACTION && magnitude <= MAX_RATE)
      ? String(value)
      : undefined
  },
}

export const fraction: Rule = {
  ...number,
  what: 'a number from 0 to 1',
  why: (value) => (isTiny(value) ? `0, or from ${MIN_FRACTION} to 1` : undefined),
  encode: (value) =>
    typeof value === 'number' && value >= 0 && value <= 1 && !isTiny(value)
      ? String(value)
      : undefined,
}

const limit = z
  .number()
  .min(0)
  .max(1)
  .refine((value) => !isTiny(value))
  .nullable()
const limits = z
  .array(z.strictObject({ until: z.iso.date(), maxLtv: limit, liquidationThreshold: limit }))
  .max(1000)
  .refine((all) => all.every(({ until }, i) => i === 0 || until > (all[i - 1]?.until ?? '')))

export const pastLimits: Rule = {
  what:
    'a list of at most 1000 objects with until (a date, each later than the one before), maxLtv ' +
    'and liquidationThreshold',
  encode(value) {
    const parsed = limits.safeParse(value)
    return parsed.success ? JSON.stringify(parsed.data) : undefined
  },
}

const isTiny = (value: unknown) => typeof value === 'number' && value > 0 && value < MIN_FRACTION

const MAX_PRICE = 1e18

/**
 * A price in USD, so bounded that its product with any token amount is a double. 0 would say that a
 * token is worth nothing.
 */
export const price: Rule = {
  ...number,
  what: `a number above 0, from ${MIN_FRACTION} to ${MAX_PRICE}`,
  encode: (value) =>
    typeof value === 'number' && value >= MIN_FRACTION && value <= MAX_PRICE
      ? String(value)
      : undefined,
}

const integerTo = (max: number, what: string): Rule => ({
  what,
  encode: (value) =>
    typeof value === 'number' && value >= 0 && value <= max && Number.isInteger(value)
      ? String(value)
      : undefined,
})

const integer = integerTo(Number.MAX_SAFE_INTEGER, 'an integer from 0 to 2^53-1')

/** The decimals of a token, a byte in its contract. */
export const decimals: Rule = integerTo(255, 'an integer from 0 to 255')

// Digits up to a maximum. Leading zeros are dropped, so that equal numbers are equal texts.
const digitsTo = (max: string, what: string): Rule => ({
  what,
  encode(value) {
    if (typeof value !== 'string' || !/^[0-9]+$/.test(value)) return undefined
    const digits = value.charCodeAt(0) === 48 ? value.replace(/^0+(?=.)/, '') : value
    return digits.length < max.length || (digits.length === max.length && digits <= max)
      ? digits
      : undefined
  },
})

const isoInstant = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]00:00))?$/

// Parses an ISO 8601 text in UTC. A date without a time is its midnight. Rejects 30 February, which
// Date accepts.
function instantOf(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !isoInstant.test(value) || value.startsWith('0000'))
    return undefined
  const date = new Date(value)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 10))
    ? date
    : undefined
}

const instant: Rule = {
  what: 'an ISO 8601 timestamp in UTC, such as "2026-11-09T12:30:00.000Z"',
  encode: (value) => instantOf(value)?.toISOString(),
}

function midnightOf(value: unknown): string | undefined {
  const iso = instantOf(value)?.toISOString()
  return iso?.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : undefined
}

const MAX_MIDNIGHTS = 10_000
// The encodings of midnights: records share few of them.
const midnights = new Map<unknown, string>()

const midnight: Rule = {
  what: 'midnight UTC in ISO 8601, such as "2026-11-09T00:00:00.000Z" or "2026-11-09"',
  encode(value) {
    const cached = midnights.get(value)
    if (cached !== undefined) return cached
    const text = midnightOf(value)
    if (text !== undefined && midnights.size < MAX_MIDNIGHTS) midnights.set(value, text)
    return text
  },
}

const reasonNames = Object.keys(REASON)

/** Reasons of an entry of the ledger, stored as their sum. */
export const reasons: Rule = {
  sql: 'int',
  what: `a list of ${reasonNames.join(', ')}`,
  encode(value) {
    if (!Array.isArray(value) || !value.every((one) => reasonNames.includes(one))) return undefined
    return String([...new Set<LedgerReason>(value)].reduce((sum, one) => sum + REASON[one], 0))
  },
}

const receipt = z.strictObject({
  kind: z.enum(['POSITIONS', 'PRICES', 'ANALYTICS']),
  name: z.string().transform(hostsOnly),
  digest: z.string(),
  count: z.int().min(0),
  block: z.string().nullable(),
  time: z.iso.datetime().nullable(),
  fetchedAt: z.iso.datetime(),
}) satisfies z.ZodType<SourceReceipt>

export const receipts: Rule = {
  what: 'a list of receipts, with kind, name, digest, count, block, time and fetchedAt',
  encode(value) {
    const parsed = z.array(receipt).safeParse(value)
    return parsed.success && !unstorable.test(JSON.stringify(value))
      ? escaped(JSON.stringify(parsed.data))
      : undefined
  },
}

/** The rule of each type, for fields without a stricter one. Ids are numbers in files. */
export const RULES: Record<Exclude<FileType, 'json'>, Rule> = {
  address,
  text,
  int: integerTo(2 ** 31 - 1, 'an integer from 0 to 2^31-1'),
  integer,
  bigint: integer,
  timestamp: digitsTo(String(2n ** 63n - 1n), 'Unix seconds as a digit string up to 2^63-1'),
  // A double would lose digits.
  amount: digitsTo(String(2n ** 256n - 1n), 'a decimal string from 0 to 2^256-1'),
  float: number,
  decimal: points,
  date: midnight,
  moment: instant,
  boolean,
  unix: { ...integer, what: `Unix seconds, ${integer.what}` },
  total,
}

// Points are stored in millionths. Other types are as exact as their stored columns.
const STAGED: Partial<Record<FileType, string>> = {
  amount: 'numeric(78,0)',
  decimal: 'bigint',
  total: 'bigint',
  unix: 'bigint',
  moment: 'timestamptz(3)',
  json: 'jsonb',
}

/** The SQL type of a staged value. */
export const stagedSql = (type: FileType): string =>
  STAGED[type] ?? VALUE_TYPES[type as keyof typeof VALUE_TYPES].sql
