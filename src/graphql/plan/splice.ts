import { answerTooLarge } from '../../db/connect/read-budget.ts'
import type { TextRow } from '../../db/connect/text-query.ts'
import type { OrderColumn, Page } from '../../db/lists/listing.ts'
import type { Encoding, ValueType } from '../../db/lists/value-type.ts'
import { encodeCursor } from '../schema/connection.ts'
import type { List, Piece } from './piece.ts'
import { pageFlag, togetherSql } from './statement.ts'

/** A value that JSON has no words for: the operation is to be resolved, which tells the client what is wrong. */
export class NoJson extends Error {}

/** A piece as a sequence of values, each with the text before it. */
export type Template = Slot[]

interface Slot {
  before: string
  /** How the text of the column becomes JSON, or what else is written: nothing, an object that may be null, a list. */
  as: Encoding | 'nothing' | 'object' | 'items' | 'page' | 'cursor'
  column: number
  template: Template
  list: List | undefined
  /** The field of a page. */
  of: string
}

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

/** Turns a piece into a template over columns. `spliced`: the list whose rows JavaScript writes within it. */
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
        slot(one.as, { column: columns.place(one.as === 'moment' ? `${one.sql} AT TIME ZONE 'UTC'` : one.sql) })
        return
      case 'object': {
        const { members, there } = one
        if (there !== undefined) {
          const whole = template({ kind: 'object', members }, columns, spliced)
          slot('object', { column: columns.place(there), template: whole })
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
        else slot('json', { column: columns.place(`coalesce(${one.list.alias}.items, '')`) })
        before += ']'
        return
      case 'together':
        before += '['
        slot('json', { column: columns.place(togetherSql(one.lists)) })
        before += ']'
        return
      case 'page': {
        const { list, of } = one
        slot('page', { list, of, column: list === spliced ? OF_FOUND : columns.place(`${list.alias}.more`) })
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

/** Whether more rows follow is known from those that were found. */
const OF_FOUND = -1

/** The columns that a row's place in its list is made of, by field. */
export function placeColumns({ reading, rows }: List, columns: Columns): Map<string, number> {
  if (reading.kind !== 'list' || !rows) throw new Error('no connection')
  const { order } = reading.list.listing({})
  return new Map(order.map(({ field }) => [field, columns.place(rows.scope.column(field))]))
}

/** The columns of a row's place in an order that a request chose: those that the plan does not read are added to it. */
export function placeIn(
  order: OrderColumn[],
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

/** The rows of a list that JavaScript writes. */
export interface Found {
  rows: TextRow[]
  /** Whether there were more rows than its page holds. */
  more: boolean
  /** The first and the last row. */
  ends: (TextRow | undefined)[]
  item: Template
}

/** What is known when the answer is written. */
export interface Written {
  pageOf(list: List): Page | undefined
  /** How many bytes the answer may have. */
  maxBytes: number
  /** What was found of a list in the row that has it. */
  foundOf(list: List, row: TextRow): Found
  /** The name of the spliced list's listing, for cursors, and the columns of a row's place. */
  name: string
  place: { column: number; type: ValueType }[]
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
    else if (as === 'cursor') out += cursor(row, known)
    else {
      const value = row[slot.column] as string | null
      if (value === null) out += 'null'
      else if (as === 'object') out += write(slot.template, row, known)
      else out += json(value, as)
    }
  }
  return out
}

/** The rows of a list, without the brackets around them. */
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
  const told = pageFlag(page, of)
  if (told === 'more') return String(column === OF_FOUND ? known.foundOf(list, row).more : row[column] === 't')
  if (told !== undefined) return String(told)
  const end = known.foundOf(list, row).ends[of === 'startCursor' ? 0 : 1]
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
const placeText = (value: string, type: ValueType) => (type === 'float' ? String(Number(value)) : value)

/** What must be escaped within a JSON string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
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

/** 2025-03-01 10:20:30.5, as Postgres writes a timestamp of at most three decimals, as ISO 8601 in UTC. */
function moment(value: string): string {
  const [date, time = ''] = value.split(' ')
  return `${date}T${time.length > 8 ? time.padEnd(12, '0') : `${time}.000`}Z`
}

const E = 101
const NINE = 57

/** Postgres writes 1e+20 where JavaScript writes all digits, and words where JSON has none. */
function number(value: string): string {
  const end = value.length
  // An exponent is a letter, a sign and two or three digits; NaN and Infinity end in a letter.
  if (value.charCodeAt(end - 4) !== E && value.charCodeAt(end - 5) !== E && value.charCodeAt(end - 1) <= NINE)
    return value
  const parsed = Number(value)
  if (!Number.isFinite(parsed)) throw new NoJson(`${value} is no JSON number`)
  return String(parsed)
}
