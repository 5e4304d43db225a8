import { FORMULA } from '../formula.ts'

type Cell = string | number | null | undefined

const formula = new RegExp(FORMULA)

/**
 * Rows as CSV (RFC 4180) for spreadsheets: with a byte-order mark, and without formulas, as the
 * command `export` writes it. Unknown is empty.
 */
const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${[head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`

/** Saves rows as a file of CSV. */
export function saveCsv(
  file: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const url = URL.createObjectURL(new Blob([csv(head, rows)], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: file }).click()
  URL.revokeObjectURL(url)
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = value.replace(/[\u2066-\u2069]/g, '').replace(formula, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
