import { saveCsv } from './csv.ts'
import { fileName } from './names.ts'

/** Saves the rows of a table as they are shown, with all digits, whole dates and whole addresses. */
export function saveTable(table: HTMLTableElement): void {
  const [head = [], ...rows] = [...table.rows].map((row) => [...row.cells].map(textOf))
  saveCsv(`${fileName(table.caption?.textContent ?? 'table')}.csv`, head, rows)
}

const ADDRESS = /^0x[0-9a-f]{40}$/i

function textOf(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLTableCellElement
  for (const number of copy.querySelectorAll('data')) number.textContent = number.value
  for (const time of copy.querySelectorAll('time')) time.textContent = time.dateTime
  for (const unknown of copy.querySelectorAll('[title="not known"]')) unknown.remove()
  for (const hidden of copy.querySelectorAll('[aria-hidden], svg, button')) hidden.remove()
  for (const link of copy.querySelectorAll('a'))
    if (ADDRESS.test(link.title) && link.textContent?.includes('…')) link.textContent = link.title
  for (const element of copy.querySelectorAll('*')) element.after(' ')
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim()
}
