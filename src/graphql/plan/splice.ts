import { answerTooLarge } from '../../db/connect/read-budget.ts'
import type { TextRow } from '../../db/connect/text-query.ts'
import type { OrderColumn, Page } from '../../db/lists/listing.ts'
import type { Encoding, ValueType } from '../../db/lists/value-type.ts'
import { encodeCursor } from '../schema/connection.ts'
import type { List, Piece } from './piece.ts'
import { concatenatedSql, pageFlag } from './statement.ts'

/** Thrown for a value that JSON cannot represent. Resolvers then execute the operation and report the error. */
export class NoJson extends Error {}

/** A piece as a sequence of values, each with the constant text before it. */
export type Template = Slot[]

interface Slot {
  before: string
  /** How the column's text becomes JSON, or what to write instead, such as nothing, a nullable object or a list. */
  as: Encoding | 'nothing' | 'object' | 'items' | 'page' | 'cursor'
  column: number
  template: Template
  list: List | undefined
  /** The field of `pageInfo`. */
  of: string
}

/** The columns that a template reads, as SQL without duplicates. */
export class Columns {
  readonly sql: string[] = []
  readonly #indexes = new Map<string, number>()
  readonly #before: number

  /** @param before the number of columns that precede these */
  constructor(before = 0) {
    this.#before = before
  }

  /** Returns the index of a column, which is added on first use. */
  indexOf(sql: string): number {
    const known = this.#indexes.get(sql)
    if (known !== undefined) return known
    const index = this.#before + this.sql.push(sql) - 1
    this.#indexes.set(sql, index)
    return index
  }
}

/** Turns a piece into a template over columns. `spliced` is the list whose rows JavaScript writes. */
export function template(piece: Piece, columns: Columns, spliced: List | undefined): Template {
  const slots: Template = []
  let before = ''
  const slot = (as: Slot['as'], more: Partial<Slot> = {}) => {
    slots.push({ before, as, column: 0, template: [], list: undefined, of: '', ...more })
    before = ''
  }
  const add = (one: Piece): void => {
    switch (one.kind) {
      case 'constant':
        before += one.json
        return
      case 'leaf':
        slot(one.as, { column: columns.indexOf(one.as === 'moment' ? `${one.sql} AT TIME ZONE 'UTC'` : one.sql) })
        return
      case 'object': {
        const { members, presence } = one
        if (presence !== undefined) {
          const whole = template({ kind: 'object', members }, columns, spliced)
          slot('object', { column: columns.indexOf(presence), template: whole })
          return
        }
        before += '{'
        members.forEach(({ key, piece }, i) => {
          before += `${i > 0 ? ',' : ''}${JSON.stringify(key)}:`
          add(piece)
        })
        before += '}'
        return
      }
      case 'items':
        before += '['
        if (one.list === spliced) slot('items', { list: one.list })
        else slot('json', { column: columns.indexOf(`coalesce(${one.list.alias}.items, '')`) })
        before += ']'
        return
      case 'concatenated':
        before += '['
        slot('json', { column: columns.indexOf(concatenatedSql(one.lists)) })
        before += ']'
        return
      case 'page': {
        const { list, of } = one
        slot('page', { list, of, column: list === spliced ? OF_FOUND : columns.indexOf(`${list.alias}.more`) })
        return
      }
      case 'cursor':
        slot('cursor')
        return
    }
  }
  add(piece)
  if (before !== '') slot('nothing')
  return slots
}

/** Not a column: the rows that were read show whether more follow. */
const OF_FOUND = -1

/** Returns the column indexes of a row's cursor values in the default order, by field. */
export function cursorIndexes({ sqlField, rows }: List, columns: Columns): Map<string, number> {
  if (sqlField.kind !== 'list' || !rows) throw new Error('no connection')
  const { order } = sqlField.list.listing({})
  return new Map(order.map(({ field }) => [field, columns.indexOf(rows.scope.column(field))]))
}

/** Returns the columns of a row's cursor in a request's order. `more` are those to append to the plan's columns. */
export function cursorColumns(
  order: OrderColumn[],
  alias: string,
  known: Map<string, number>,
  columns: number,
): { more: string[]; cursor: Written['cursor'] } {
  const more: string[] = []
  const cursor = order.map(({ field, type }) => ({
    column: known.get(field) ?? columns + more.push(`${alias}."${field}"`) - 1,
    type,
  }))
  return { more, cursor }
}

/** The rows of a list that JavaScript writes. */
export interface Found {
  rows: TextRow[]
  /** Whether there were more rows than fit the page. */
  more: boolean
  /** The first and the last row. */
  ends: (TextRow | undefined)[]
  item: Template
}

/** The request's data that the answer is written from. */
export interface Written {
  pageOf(list: List): Page | undefined
  /** The largest size of an answer, in bytes. */
  maxBytes: number
  /** Returns the rows of a list in the row that contains it. */
  foundOf(list: List, row: TextRow): Found
  /** For cursors of the spliced list: the name of its listing, and the columns of their values. */
  name: string
  cursor: { column: number; type: ValueType }[]
}

/** Writes an answer, or a row of it. */
export function write(template: Template, row: TextRow, known: Written): string {
  let out = ''
  for (let i = 0; i < template.length; i++) {
    const slot = template[i] as Slot
    const { as } = slot
    out += slot.before
    if (as === 'nothing') continue
    if (as === 'items') out += items(known.foundOf(slot.list as List, row), known)
    else if (as === 'page') out += pageInfo(slot, row, known)
    else if (as === 'cursor') out += writeCursor(row, known)
    else {
      const value = row[slot.column] as string | null
      if (value === null) out += 'null'
      else if (as === 'object') out += write(slot.template, row, known)
      else out += json(value, as)
    }
  }
  return out
}

/** Writes the rows of a list, without the enclosing brackets. Throws if they exceed `maxBytes`. */
export function items({ rows, item }: Found, known: Written): string {
  let out = ''
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) out += ','
    out += write(item, rows[i] as TextRow, known)
    if (out.length > known.maxBytes) throw answerTooLarge(known.maxBytes)
  }
  return out
}

function pageInfo({ list, of, column }: Slot, row: TextRow, known: Written): string {
  const page = list && known.pageOf(list)
  if (!page) throw new Error('no connection')
  const flag = pageFlag(page, of)
  if (flag === 'more') return String(column === OF_FOUND ? known.foundOf(list, row).more : row[column] === 't')
  if (flag !== undefined) return String(flag)
  const end = known.foundOf(list, row).ends[of === 'startCursor' ? 0 : 1]
  return end ? writeCursor(end, known) : 'null'
}

const writeCursor = (row: TextRow, { name, cursor }: Written) =>
  JSON.stringify(
    encodeCursor(
      name,
      cursor.map(({ column, type }) => cursorText(row[column] as string, type)),
    ),
  )

/** Formats a cursor value as resolvers do: Postgres writes 1e+20 where JavaScript writes all digits. */
const cursorText = (value: string, type: ValueType) => (type === 'float' ? String(Number(value)) : value)

/** Matches what must be escaped in a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON must escape them
const SPECIAL = /["\\\u0000-\u001f\ud800-\udfff]/

function json(value: string, as: Encoding): string {
  switch (as) {
    case 'number':
      return number(value)
    case 'quoted':
      return `"${value}"`
    case 'moment':
      return `"${moment(value)}"`
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

/** Converts a timestamp with at most three decimals, such as 2025-03-01 10:20:30.5, to ISO 8601 in UTC. */
function moment(value: string): string {
  const [date, time = ''] = value.split(' ')
  return `${date}T${time.length > 8 ? time.padEnd(12, '0') : `${time}.000`}Z`
}

const E = 101
const NINE = 57

/** Postgres writes 1e+20 where JavaScript writes all digits. @throws NoJson for NaN and Infinity */
function number(value: string): string {
  const end = value.length
  // An exponent is `e`, a sign and two or three digits. NaN and Infinity end in a letter.
  if (value.charCodeAt(end - 4) !== E && value.charCodeAt(end - 5) !== E && value.charCodeAt(end - 1) <= NINE)
    return value
  const parsed = Number(value)
  if (!Number.isFinite(parsed)) throw new NoJson(`${value} is no JSON number`)
  return String(parsed)
}
