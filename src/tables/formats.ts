import Negotiator from 'negotiator'
import { exactJson, isExactNumber } from '../exact-number.ts'
import { FORMULA } from '../formula.ts'
import type { Table } from './read-request.ts'
import { type Row, valueAt } from './rows.ts'

/** A form of a format. */
export interface Style {
  isForSpreadsheet: boolean
}

/** How a table is written. */
export interface Format {
  type: string
  head(columns: string[], style: Style): string
  /** Writes rows of values, in the order of the columns. */
  lines(rows: unknown[][], columns: string[], style: Style): string
  /** The text after the last row. */
  tail?: string
}

const BOM = '\uFEFF'
const FORMULAS = new RegExp(FORMULA)
const QUOTED = /[",\n\r]/
const NUMBER = /^-?\d+(\.\d+)?$/
// A spreadsheet keeps this many digits of a number.
const MAX_DIGITS = 15

const csv: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  head: (columns, { isForSpreadsheet }) =>
    `${isForSpreadsheet ? BOM : ''}${columns.map(cell).join(',')}\n`,
  lines(rows, _, { isForSpreadsheet }) {
    let out = ''
    for (const row of rows) {
      for (let at = 0; at < row.length; at++) {
        const text = textOf(row[at])
        const kept = isForSpreadsheet ? withAllDigits(text) : text
        out += at === 0 ? cell(kept) : `,${cell(kept)}`
      }
      out += '\n'
    }
    return out
  },
}

const jsonl: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  head: () => '',
  lines: (rows, columns) =>
    rows
      .map((row) => {
        const values = row.map((value, at) => [columns[at], value])
        return `${exactJson(Object.fromEntries(values))}\n`
      })
      .join(''),
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

/** The values of rows, in the order of the columns. */
export function valuesOf(rows: Row[], { columns, hasCursors }: Table): unknown[][] {
  const paths = columns.map((column) => column.split('.'))
  return rows.map(({ node, cursor }) => {
    const values = paths.map((path) => valueAt(node, path))
    if (hasCursors) values.push(cursor)
    return values
  })
}

function textOf(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'string') return value.replace(FORMULAS, "'$&")
  return typeof value === 'object' && !isExactNumber(value) ? exactJson(value) : String(value)
}

const cell = (text: string) => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

// An apostrophe makes a text of a number with more digits than a spreadsheet keeps.
function withAllDigits(text: string): string {
  if (text.length <= MAX_DIGITS || !NUMBER.test(text)) return text
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length > MAX_DIGITS ? `'${text}` : text
}
