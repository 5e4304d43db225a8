import Negotiator from 'negotiator'
import { exactJson, parseExact } from '../exact-number.ts'
import { FORMULA } from '../formula.ts'
import type { Cell } from './cells.ts'

/** A form of a format. */
export interface Style {
  isForSpreadsheet: boolean
}

/** How a table is written. */
export interface Format {
  type: string
  head(columns: string[], style: Style): string
  lines(rows: Cell[][], columns: string[], style: Style): string
  /** The text after the last row. */
  tail?: string
}

const BOM = '\uFEFF'
const FORMULAS = new RegExp(FORMULA)
const QUOTED = /[",\n\r]/
const WHOLE_PART = /^-?0*(\d+)(?:\.\d+)?$/
// A spreadsheet keeps this many digits of a number.
const MAX_DIGITS = 15

const csv: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  head: (columns, { isForSpreadsheet }) =>
    `${isForSpreadsheet ? BOM : ''}${columns.map(quoted).join(',')}\n`,
  lines(rows, _, { isForSpreadsheet }) {
    const write = isForSpreadsheet ? cellOfSpreadsheet : cell
    let out = ''
    for (const row of rows) {
      out += write(row[0] as Cell)
      for (let at = 1; at < row.length; at++) out += `,${write(row[at] as Cell)}`
      out += '\n'
    }
    return out
  },
}

const jsonl: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  head: () => '',
  lines(rows, columns) {
    const names = columns.map((name, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    let out = ''
    for (const row of rows) {
      for (let at = 0; at < row.length; at++)
        out += `${names[at]}${isNested(row[at] as Cell) ? onOneLine(row[at] as Cell) : row[at]}`
      out += '}\n'
    }
    return out
  },
}

/** The formats of tables, by the end of their path. */
export const formats: Record<string, Format> = { csv, jsonl }

// Who accepts anything gets the first one.
const TYPES: Record<string, string> = {
  [csv.type]: 'csv',
  [jsonl.type]: 'jsonl',
  'application/ndjson; charset=utf-8': 'jsonl',
  'application/jsonl; charset=utf-8': 'jsonl',
  'application/x-jsonlines; charset=utf-8': 'jsonl',
  'application/vnd.apache.parquet': 'parquet',
  'application/x-parquet': 'parquet',
  'application/parquet': 'parquet',
}

/** The format that a request without one in its path prefers. Undefined if it accepts none. */
export function acceptedFormat(accept: string | undefined): string | undefined {
  const type = new Negotiator({ headers: { accept: accept || '*/*' } }).mediaType(
    Object.keys(TYPES),
  )
  return type === undefined ? undefined : TYPES[type]
}

const QUOTE = 34
const BACKSLASH = '\\'
const N = 110

const isNested = (json: Cell) => json.startsWith('{') || json.startsWith('[')

// Postgres writes spaces, and line breaks where the store has them.
const onOneLine = (json: Cell) => exactJson(parseExact(json))

/** The text of a value: that of a string, and JSON of others. Empty for null. */
export function textOf(json: Cell): string {
  const first = json.charCodeAt(0)
  if (first === QUOTE) return json.includes(BACKSLASH) ? JSON.parse(json) : json.slice(1, -1)
  if (first === N) return ''
  return isNested(json) ? onOneLine(json) : json
}

// A text that begins with a letter or a digit, and has nothing to quote: most are.
const PLAIN = /^"[0-9A-Za-z][^\\,]*"$/

const cell = (json: Cell) => (PLAIN.test(json) ? json.slice(1, -1) : quoted(shownText(json)))

const cellOfSpreadsheet = (json: Cell) => quoted(withAllDigits(shownText(json)))

const shownText = (json: Cell) =>
  json.charCodeAt(0) === QUOTE ? textOf(json).replace(FORMULAS, "'$&") : textOf(json)

const quoted = (text: string) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

// An apostrophe makes a text of a number whose whole part has more digits than a spreadsheet keeps.
// Fractions stay numbers, so that it can add them.
function withAllDigits(text: string): string {
  const [, whole = ''] = WHOLE_PART.exec(text) ?? []
  return whole.length > MAX_DIGITS ? `'${text}` : text
}
