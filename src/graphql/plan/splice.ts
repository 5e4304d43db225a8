import type { OrderColumn, Page } from '../../db/listing.ts'
import type { TextRow } from '../../db/text-query.ts'
import { encodeCursor } from '../connection.ts'
import type { Encoding, List, Piece } from './piece.ts'
import { momentSql, pageFlag } from './statement.ts'

/** A value that JSON has no words for: the operation is to be resolved, which tells the client what is wrong. */
export class NoJson extends Error {}

/** A piece as a sequence of texts that are always the same and of columns. */
type Template = (
  | string
  | { column: number; as: Encoding }
  | { there: number; template: Template }
  | { page: List; of: string; more: number | undefined }
  | { cursor: true }
  | { items: List }
)[]

/** The columns that a template reads, as SQL. */
export class Columns {
  readonly sql: string[] = []
  readonly #places = new Map<string, number>()
  readonly #before: number

  /** @param before how many other columns come before these */
  constructor(before = 0) {
    this.#before = before
  }

  /** The place of a column; one that is read twice is read once. */
  place(sql: string): number {
    const known = this.#places.get(sql)
    if (known !== undefined) return known
    const place = this.#before + this.sql.push(sql) - 1
    this.#places.set(sql, place)
    return place
  }
}

/** Turns a piece into a template over columns. `isSpliced`: the list whose rows JavaScript writes. */
export function template(piece: Piece, columns: Columns, spliced: List | undefined): Template {
  const parts: Template = []
  const text = (more: string) => {
    const last = parts.length - 1
    if (typeof parts[last] === 'string') parts[last] += more
    else parts.push(more)
  }
  const add = (one: Piece): void => {
    switch (one.kind) {
      case 'constant':
        text(one.json)
        return
      case 'leaf':
        parts.push({ column: columns.place(one.as === 'moment' ? momentSql(one.sql) : one.sql), as: one.as })
        return
      case 'object': {
        if (one.there !== undefined) {
          const { members } = one
          parts.push({
            there: columns.place(one.there),
            template: template({ kind: 'object', members }, columns, spliced),
          })
          return
        }
        text('{')
        one.members.forEach(({ key, piece }, i) => {
          text(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
          add(piece)
        })
        text('}')
        return
      }
      case 'items':
        if (one.list === spliced) parts.push({ items: one.list })
        else {
          text('[')
          parts.push({ column: columns.place(`coalesce(${one.list.alias}.items, '')`), as: 'json' })
          text(']')
        }
        return
      case 'page':
        parts.push({
          page: one.list,
          of: one.of,
          more: one.list === spliced ? undefined : columns.place(`${one.list.alias}.more`),
        })
        return
      case 'cursor':
        parts.push({ cursor: true })
        return
    }
  }
  add(piece)
  return parts
}

/** The columns that a row's place in its list is made of, by field. */
export function placeColumns({ reading, rows }: List, columns: Columns): Map<string, number> {
  if (reading.kind !== 'list' || !rows) throw new Error('no connection')
  const { order } = reading.list.listing({})
  return new Map(order.map(({ field }) => [field, columns.place(rows.scope.column(field))]))
}

/** The columns of a row's place in an order that a request chose: those that the plan does not read are added to it. */
export function placeIn(
  order: OrderColumn<unknown>[],
  alias: string,
  known: Map<string, number>,
  columns: number,
): { more: string[]; place: Written['place'] } {
  const more: string[] = []
  const place = order.map(({ field, type }) => ({
    column: known.get(field) ?? columns + more.push(`${alias}."${field}"`) - 1,
    type,
  }))
  return { more, place }
}

/** What is known when the answer is written. */
export interface Written {
  pageOf(list: List): Page | undefined
  /** The rows of the spliced list, each as `item`. */
  rows: TextRow[]
  /** The first and the last of them. */
  ends: (TextRow | undefined)[]
  item: Template
  /** Whether there were more rows than its page holds. */
  more: boolean
  /** The name of its listing, for cursors, and the columns of a row's place. */
  name: string
  place: { column: number; type: OrderColumn<unknown>['type'] }[]
}

/** Writes an answer, or a row of it. */
export function write(parts: Template, row: TextRow, known: Written): string {
  let out = ''
  for (const part of parts) {
    if (typeof part === 'string') out += part
    else if ('column' in part) out += json(row[part.column] as string | null, part.as)
    else if ('there' in part) out += row[part.there] === null ? 'null' : write(part.template, row, known)
    else if ('items' in part) out += `[${items(known)}]`
    else if ('cursor' in part) out += cursor(row, known)
    else out += pageInfo(part, row, known)
  }
  return out
}

/** The rows of the spliced list, without the brackets around them. */
export function items(known: Written): string {
  const { rows, item } = known
  let out = ''
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) out += ','
    out += write(item, rows[i] as TextRow, known)
  }
  return out
}

function pageInfo(
  { page: list, of, more }: { page: List; of: string; more: number | undefined },
  row: TextRow,
  known: Written,
) {
  const page = known.pageOf(list)
  if (!page) throw new Error('no connection')
  const told = pageFlag(page, of)
  if (told !== undefined) return String(told === 'more' ? (more === undefined ? known.more : row[more] === 't') : told)
  const end = known.ends[of === 'startCursor' ? 0 : 1]
  return end ? cursor(end, known) : 'null'
}

const cursor = (row: TextRow, { name, place }: Written) =>
  JSON.stringify(
    encodeCursor(
      name,
      place.map(({ column, type }) => placeText(row[column] as string, type)),
    ),
  )

/** Postgres writes 1e+20 where a resolver's cursor has all digits. */
const placeText = (value: string, type: string) => (type === 'double precision' ? String(Number(value)) : value)

/** What must be escaped within a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/

function json(value: string | null, as: Encoding): string {
  if (value === null) return 'null'
  switch (as) {
    case 'number':
      return number(value)
    case 'quoted':
    case 'moment':
      return `"${value}"`
    case 'text':
      return SPECIAL.test(value) ? JSON.stringify(value) : `"${value}"`
    case 'date':
      return `"${value}T00:00:00.000Z"`
    case 'boolean':
      return value === 't' ? 'true' : 'false'
    case 'json':
      return value
  }
}

/** Postgres writes 1e+20 where JavaScript writes all digits, and words where JSON has none. */
function number(value: string): string {
  if (!/[eNy]/.test(value)) return value
  const parsed = Number(value)
  if (!Number.isFinite(parsed)) throw new NoJson(`${value} is no JSON number`)
  return String(parsed)
}
