import { answerTooLarge } from '../errors.ts'
import { encodeCursor, pageFlag } from '../fields/connection.ts'
import { type Encoding, numberOf, unmarked } from '../lists/encoding.ts'
import type { Page } from '../lists/listing.ts'
import type { ValueType } from '../lists/value-type.ts'
import type { TextRow } from '../reader.ts'
import type { Turns } from '../turns.ts'
import type { List, Piece } from './piece.ts'

// A piece that is a value: nothing is known of its JSON before rows are read, but for the brackets
// around a list.
type Value = Exclude<Piece, { kind: 'constant' }>

// Takes a piece apart into constant text and values, in the order of its JSON. Both ways to write
// an answer begin here: the gateway's from columns, and Postgres' as JSON text.
function visit(piece: Piece, text: (json: string) => void, value: (value: Value) => void): void {
  switch (piece.kind) {
    case 'constant':
      text(piece.json)
      return
    case 'object':
      if (piece.presence !== undefined) {
        value(piece)
        return
      }
      text('{')
      piece.members.forEach(({ key, piece }, i) => {
        text(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
        visit(piece, text, value)
      })
      text('}')
      return
    case 'items':
    case 'concatenated':
      text('[')
      value(piece)
      text(']')
      return
    default:
      value(piece)
  }
}

/** Returns the position of a column, which is selected if it is not yet. */
export type Part = (sql: string) => number

/** Values, each with the constant text before it. The last one may be text alone. */
export type Writer = Slot[]

// No column: `write` writes the value, or there is none.
const NONE = -1

interface Slot {
  before: string
  column: number
  quotes: boolean
  json: Encoding['json']
  write: ((row: TextRow, source: AnswerData) => string) | undefined
}

/** The rows of a list that the gateway writes. */
export interface ListRows {
  rows: TextRow[]
  /** True if there were more rows than fit the page. */
  more: boolean
  /** The first and the last row. */
  ends: (TextRow | undefined)[]
  item: Writer
  /** Its JSON, without the enclosing brackets, if that is written already. */
  written?: string
}

/** The data of a request that its answer is written from. */
export interface AnswerData {
  pageOf(list: List): Page | undefined
  /** The largest size of an answer, in bytes. */
  maxBytes: number
  /** Returns the rows of a list in the row that contains it. */
  rowsOf(list: List, row: TextRow): ListRows
  /** The name of the spliced list's cursors. */
  name(): string
  /** The columns of their values. */
  cursor: { column: number; type: ValueType }[]
}

/**
 * Turns a piece into a writer, and selects its columns. `spliced` is the list whose rows the
 * gateway writes.
 */
export function writerOf(piece: Piece | undefined, column: Part, spliced?: List): Writer {
  const slots: Writer = []
  let before = ''
  // All slots have the same properties in the same order, which keeps `write` fast.
  const slot = ({ column = NONE, quotes = false, json, write }: Partial<Slot>) => {
    slots.push({ before, column, quotes, json, write })
    before = ''
  }
  const text = (json: string) => {
    before += json
  }
  if (piece) visit(piece, text, (value) => slot(slotOf(value, column, spliced)))
  if (before !== '') slot({})
  return slots
}

function slotOf(value: Value, column: Part, spliced: List | undefined): Partial<Slot> {
  switch (value.kind) {
    case 'leaf': {
      const { as, sql } = value
      return { ...as, column: column(as.column?.(sql) ?? sql) }
    }
    case 'object': {
      const members = writerOf({ kind: 'object', members: value.members }, column, spliced)
      const presence = column(value.presence as string)
      return {
        write: (row, source) => (row[presence] === null ? 'null' : write(members, row, source)),
      }
    }
    case 'either': {
      const objects = value.objects.map(({ members, presence }) => ({
        members: writerOf({ kind: 'object', members }, column, spliced),
        presence: column(presence),
      }))
      return {
        write(row, source) {
          const object = objects.find(({ presence }) => row[presence] !== null)
          return object ? write(object.members, row, source) : 'null'
        },
      }
    }
    case 'items': {
      const { list } = value
      if (list === spliced)
        return { write: (row, source) => items(source.rowsOf(list, row), source) }
      return { column: column(`coalesce(${list.alias}.items, '')`), json: unmarked }
    }
    case 'concatenated':
      return { column: column(concatenatedSql(value.lists)), json: unmarked }
    case 'cursor':
      return { write: writeCursor }
    case 'page': {
      const { list, of } = value
      if (of === 'startCursor' || of === 'endCursor') {
        const end = of === 'startCursor' ? 0 : 1
        return {
          write(row, source) {
            const last = source.rowsOf(list, row).ends[end]
            return last ? writeCursor(last, source) : 'null'
          },
        }
      }
      const flag = (page: Page | undefined, more: boolean) => {
        if (!page) throw new Error('no connection')
        return String(pageFlag(page, of, more))
      }
      if (list === spliced)
        return { write: (row, source) => flag(source.pageOf(list), source.rowsOf(list, row).more) }
      const more = column(`${list.alias}.more`)
      return { write: (row, source) => flag(source.pageOf(list), row[more] === 't') }
    }
  }
}

/** Writes an answer, or a row of it. */
export function write(writer: Writer, row: TextRow, source: AnswerData): string {
  let out = ''
  for (let i = 0; i < writer.length; i++) {
    const slot = writer[i] as Slot
    out += slot.before
    if (slot.write !== undefined) out += slot.write(row, source)
    else if (slot.column !== NONE) {
      const text = row[slot.column] as string | null
      if (text === null) out += 'null'
      else if (slot.quotes) out += slot.json === undefined ? `"${text}"` : `"${slot.json(text)}"`
      // Most values are numbers. A direct call is inlined.
      else if (slot.json === numberOf) out += numberOf(text)
      else out += slot.json === undefined ? text : slot.json(text)
    }
  }
  return out
}

// Writes the rows of a list, without the enclosing brackets. Throws if they exceed `maxBytes`.
function items({ rows, item, written }: ListRows, source: AnswerData): string {
  if (written !== undefined) return written
  let out = ''
  for (const row of rows) out = withItem(out, item, row, source)
  return out
}

/** Writes the rows of a list as `items` does, and lets others have their turn. */
export async function itemsInTurns(
  { rows, item }: ListRows,
  source: AnswerData,
  turns: Turns,
): Promise<string> {
  let out = ''
  for (let i = 0; i < rows.length; i++) {
    if (i > 0 && i % ROWS_A_LOOK === 0) await turns.next()
    out = withItem(out, item, rows[i] as TextRow, source)
  }
  return out
}

// How many rows are written before the time is looked at.
const ROWS_A_LOOK = 20

function withItem(before: string, item: Writer, row: TextRow, source: AnswerData): string {
  const out = before === '' ? write(item, row, source) : `${before},${write(item, row, source)}`
  if (out.length > source.maxBytes) throw answerTooLarge(source.maxBytes)
  return out
}

const writeCursor = (row: TextRow, { name, cursor }: AnswerData) =>
  JSON.stringify(
    encodeCursor(
      name(),
      cursor.map(({ column, type }) => cursorText(row[column] as string, type)),
    ),
  )

// Formats a cursor value as resolvers do: Postgres writes 1e+20 where JavaScript writes all digits.
const cursorText = (value: string, type: ValueType) =>
  type === 'float' ? String(Number(value)) : value

// Postgres allows at most 100 arguments of a function.
const MAX_ARGUMENTS = 90

/** Builds SQL that writes a piece as JSON text. */
export function jsonSql(piece: Piece, pageOf: AnswerData['pageOf']): string {
  const parts: string[] = []
  let constant = ''
  const text = (json: string) => {
    constant += json
  }
  const sql = (part: string) => {
    if (constant !== '') parts.push(`'${constant.replaceAll("'", "''")}'`)
    constant = ''
    if (part !== '') parts.push(part)
  }
  visit(piece, text, (value) => {
    const part = valueSql(value, pageOf)
    if (typeof part === 'boolean') text(String(part))
    else sql(part)
  })
  sql('')
  const chunks: string[] = []
  for (let at = 0; at < parts.length; at += MAX_ARGUMENTS)
    chunks.push(`concat(${parts.slice(at, at + MAX_ARGUMENTS).join(', ')})`)
  return chunks.join(' || ')
}

// Returns the SQL of a value, or a flag that the page's arguments decide.
function valueSql(value: Value, pageOf: AnswerData['pageOf']): string | boolean {
  switch (value.kind) {
    case 'leaf':
      return value.as.sql(value.sql)
    case 'object': {
      const members = jsonSql({ kind: 'object', members: value.members }, pageOf)
      return `CASE WHEN ${value.presence} IS NULL THEN 'null' ELSE ${members} END`
    }
    case 'either': {
      const objects = value.objects.map(
        ({ members, presence }) =>
          `WHEN ${presence} IS NOT NULL THEN ${jsonSql({ kind: 'object', members }, pageOf)}`,
      )
      return `CASE ${objects.join(' ')} ELSE 'null' END`
    }
    case 'items':
      return `${value.list.alias}.items`
    case 'concatenated':
      return concatenatedSql(value.lists)
    case 'page': {
      const { list, of } = value
      const page = pageOf(list)
      if (page && of !== 'startCursor' && of !== 'endCursor')
        return pageFlag(page, of, `CASE WHEN ${list.alias}.more THEN 'true' ELSE 'false' END`)
    }
  }
  throw new Error('a cursor is not written by Postgres')
}

// Builds SQL for the rows of several lists as JSON, without the enclosing brackets.
const concatenatedSql = (lists: List[]): string =>
  `concat_ws(',', ${lists.map((list) => `${list.alias}.items`)})`
