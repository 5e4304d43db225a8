import { SqlError } from '../errors.ts'
import { Decimal } from '../sql-tag.ts'

/**
 * How values of a type become JSON: in Postgres, or in the gateway from the text that Postgres
 * sends.
 */
export interface Encoding {
  /** Returns SQL that writes a value, null included, as JSON text. */
  sql(value: string): string
  /** Returns the SQL of the column that the gateway reads, if it is not the value. */
  column?(value: string): string
  /** True if the gateway puts the column's text in quotes. */
  quotes: boolean
  /** Converts the column's text, if it is not JSON yet but for the quotes. @throws NO_JSON */
  json?(text: string): string
}

const nullable = (sql: string) => `coalesce(${sql}, 'null')`
const quotedSql = (sql: string) => nullable(`'"' || ${sql} || '"'`)

/** Matches what must be escaped in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON must escape them
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/

// No JSON has this character.
const MARK = '\u0001'
const MARKED = new RegExp(`${MARK}([^,}\\]]*)`, 'g')

export const ENCODINGS = {
  /** Text that is JSON already. */
  json: { sql: (value) => nullable(`(${value})::text`), quotes: false },
  /**
   * A double. Postgres marks those that JavaScript writes in another way, such as 1e-09: `unmarked`
   * rewrites them.
   */
  number: {
    sql: (value) =>
      nullable(`CASE WHEN abs(${value}) BETWEEN 1e-4 AND 1e14 THEN (${value})::text
        WHEN (${value}) = 0 THEN '0' ELSE '${MARK}' || (${value}) END`),
    quotes: false,
    json: numberOf,
  },
  /**
   * A double as a decimal number without an exponent, in quotes. Postgres marks NaN and Infinity.
   */
  decimal: {
    sql: (value) =>
      nullable(`CASE WHEN abs(${value}) < 'Infinity'
        THEN '"' || trim_scale((${value})::text::numeric) || '"'
        ELSE '${MARK}' || (${value}) END`),
    quotes: true,
    json: plainDecimal,
  },
  /** An exact number in millionths: its JSON is that of the decimal. */
  millionths: {
    sql: (value) => nullable(`trim_scale((${value}) * 0.000001)::text`),
    quotes: false,
    json: decimalOf,
  },
  /** Text without characters that JSON escapes. */
  quoted: { sql: quotedSql, quotes: true },
  text: {
    sql: (value) => nullable(`to_json(${value})::text`),
    quotes: false,
    json: (text) => (SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`),
  },
  date: { sql: quotedSql, quotes: true },
  /** Midnight UTC of a date. */
  midnight: {
    sql: (value) => nullable(`'"' || ${value} || 'T00:00:00.000Z"'`),
    quotes: true,
    json: (text) => `${text}T00:00:00.000Z`,
  },
  /** A timestamptz with at most three decimals as ISO 8601 in UTC. */
  moment: {
    sql: (value) =>
      quotedSql(`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
    column: (value) => `${value} AT TIME ZONE 'UTC'`,
    quotes: true,
    json(text) {
      const [date, time = ''] = text.split(' ')
      return `${date}T${time.length > 8 ? time.padEnd(12, '0') : `${time}.000`}Z`
    },
  },
  boolean: {
    sql: (value) =>
      `CASE WHEN ${value} THEN 'true' WHEN ${value} IS NULL THEN 'null' ELSE 'false' END`,
    quotes: false,
    json: (text) => (text === 't' ? 'true' : 'false'),
  },
} as const satisfies Record<string, Encoding>

const E = 101
const ZERO = 48
const NINE = 57

/**
 * Returns JSON that Postgres wrote, with its marked numbers as JavaScript writes them.
 * @throws NO_JSON
 */
export const unmarked = (json: string): string =>
  json.includes(MARK) ? json.replace(MARKED, (_, number: string) => numberOf(number)) : json

/** Writes the text of a double without an exponent. @throws NO_JSON */
export function plainDecimal(text: string): string {
  const number = numberOf(text)
  return number.includes('e') ? new Decimal(number).toFixed() : number
}

/** Puts the point into the text of an integer of millionths, without trailing zeros. */
export function decimalOf(millionths: string): string {
  const sign = millionths.startsWith('-') ? '-' : ''
  const digits = millionths.slice(sign.length).padStart(7, '0')
  const point = digits.length - 6
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  return end === point
    ? sign + digits.slice(0, point)
    : `${sign}${digits.slice(0, point)}.${digits.slice(point, end)}`
}

/**
 * Postgres writes 1e+20, 1e-09 and -0 where JavaScript writes all digits, 1e-9 and 0. NaN and
 * Infinity are not JSON.
 */
export function numberOf(text: string): string {
  const end = text.length
  // An exponent is `e`, a sign and two or three digits. NaN and Infinity end in a letter.
  if (
    text.charCodeAt(end - 4) !== E &&
    text.charCodeAt(end - 5) !== E &&
    text.charCodeAt(end - 1) <= NINE
  )
    return text === '-0' ? '0' : text
  const parsed = Number(text)
  if (!Number.isFinite(parsed)) throw new SqlError('NO_JSON', `${text} is not a JSON number`)
  return String(parsed)
}
