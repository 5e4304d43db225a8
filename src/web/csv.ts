import { FORMULA } from '../formula.ts'

type Cell = string | number | null | undefined

const formula = new RegExp(FORMULA)

/**
 * Rows as CSV (RFC 4180) for spreadsheets: with a byte-order mark, and without formulas, as the
 * command `export` writes it. Unknown is empty.
 */
export const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = value.replace(/[\u2066-\u2069]/g, '').replace(formula, "'$1")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
