import { cutToPage } from '../fields/connection.ts'
import type { Page } from '../lists/listing.ts'
import type { TextRow } from '../reader.ts'
import { Turns } from '../turns.ts'
import type { Layout } from './layout.ts'
import { type AnswerData, itemsInTurns, type ListRows, type Writer, write } from './write.ts'

/** The rows of an operation's only list, as JSON without the enclosing brackets. */
export interface Rows {
  json: string
  length: number
  /** The JSON of the last row. Undefined if there are no rows. */
  last: string | undefined
}

/** The JSON of an operation's data. If its rows are separate, its list is empty there. */
export interface Answer {
  json: string
  rows?: Rows
}

/** The data of a request, without its rows. */
export type RequestData = Omit<AnswerData, 'rowsOf' | 'maxBytes'>

/**
 * Writes the answer of a statement's rows.
 * @throws ANSWER_TOO_LARGE and NO_JSON
 */
export async function writeAnswer(
  layout: Layout,
  rows: TextRow[],
  request: RequestData,
  { maxBytes, hasRows }: { maxBytes: number; hasRows: boolean },
): Promise<Answer> {
  const { pageOf, name, cursor } = request
  const { answer, item, spliced } = layout
  const root = rows[0] ?? []
  const nested = new Map<TextRow, ListRows>()
  const list = rowsOfList(layout, rows, request, nested)
  // Spreading `request` would take longer than writing ten rows.
  const source = (ofSpliced: ListRows): AnswerData => ({
    pageOf,
    maxBytes,
    name,
    cursor,
    rowsOf: (list, row) => (list === spliced ? ofSpliced : (nested.get(row) as ListRows)),
  })
  const all = source(list)
  const written = await itemsInTurns(list, all, new Turns())
  if (!hasRows) return { json: write(answer, root, source({ ...list, written })) }
  const last = list.rows.at(-1)
  return {
    json: write(answer, root, source({ ...list, rows: [] })),
    rows: { json: written, length: list.rows.length, last: last && write(item, last, all) },
  }
}

/**
 * Returns whether the spliced list has rows. A row that only carries the root's columns has a null
 * ordinal.
 */
export function hasListRows({ number }: Layout, [first]: TextRow[]): boolean {
  return first !== undefined && (number === undefined || first[number] !== null)
}

// Returns the rows of the spliced list. Adds those of the nested list to `ofRow`, by the row that
// contains them.
function rowsOfList(
  layout: Layout,
  rows: TextRow[],
  { pageOf }: RequestData,
  ofRow: Map<TextRow, ListRows>,
): ListRows {
  const { spliced, nested, bare, number, nestedNumber, item, nestedItem } = layout
  if (!spliced) return listRows([], undefined, item)
  const page = pageOf(spliced)
  if (bare) return listRows(page?.backward ? rows.reverse() : rows, page, item)
  if (!hasListRows(layout, rows)) return listRows([], page, item)
  if (!nested || number === undefined || nestedNumber === undefined)
    return listRows(rows, page, item)
  const nestedPage = pageOf(nested)
  const firsts: TextRow[] = []
  for (let at = 0, end = 0; at < rows.length; at = end) {
    const first = rows[at] as TextRow
    while (rows[end]?.[number] === first[number]) end++
    const group = first[nestedNumber] === null ? [] : rows.slice(at, end)
    firsts.push(first)
    ofRow.set(
      first,
      listRows(nestedPage?.backward ? group.reverse() : group, nestedPage, nestedItem),
    )
  }
  return listRows(firsts, page, item)
}

// `rows`: in the order of the list, with the extra row that says whether there are more than
// fit the page
function listRows(rows: TextRow[], page: Page | undefined, item: Writer): ListRows {
  const { rows: pageRows, more } = page ? cutToPage(rows, page) : { rows, more: false }
  return { rows: pageRows, more, ends: [pageRows[0], pageRows.at(-1)], item }
}
