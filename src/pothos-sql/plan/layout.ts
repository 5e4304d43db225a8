import type { Compiled } from './compile.ts'
import type { Level, List, Piece } from './piece.ts'
import { type Part, type Writer, writerOf } from './write.ts'

/**
 * The columns that a statement selects, by name: those of the root, the ordinal and columns of the
 * row and, if a list is nested, the ordinal and columns of the nested row. A request may append
 * columns for cursors.
 */
export class Layout {
  /** As SQL. */
  readonly columns: string[] = []
  /**
   * The list whose rows are the statement's rows. The gateway writes them; Postgres writes other
   * lists.
   */
  readonly spliced: List | undefined
  /**
   * The list within the spliced one whose rows are the statement's rows too, each with the row that
   * contains it.
   */
  readonly nested: List | undefined
  /** True if only the row's columns are selected: there is nothing else to read. */
  readonly bare: boolean
  /** True if the answer has no columns but those of the spliced list's rows. */
  readonly alone: boolean
  /** True if the statement orders its rows by the list's order. Otherwise it numbers them. */
  readonly ordered: boolean
  /**
   * The ordinal of the row or, of ordered rows, a value that is not null. Undefined if each row of
   * the statement is one of the list.
   */
  readonly number: number | undefined
  /** The ordinal of the nested row or, if columns order it, a value that is not null. */
  readonly nestedNumber: number | undefined
  /** The columns that order nested rows. Undefined if they are numbered. */
  readonly nestedOrder: string[] | undefined
  /** The values of the row's cursor in the default order, by field. */
  readonly cursor: ReadonlyMap<string, number>
  readonly answer: Writer
  /** Writes a row of the spliced list. */
  readonly item: Writer
  readonly nestedItem: Writer

  constructor({ root, answer }: Compiled) {
    const spliced = splicedList(root)
    const nested = spliced && nestedList(spliced)
    this.spliced = spliced
    this.nested = nested
    this.bare = root.joins.length === 1 && spliced?.rows?.level.joins.length === 0
    this.ordered = spliced?.sqlList.listing !== undefined && !nested
    this.answer = writerOf(answer, this.#part(), spliced)
    this.alone = this.columns.length === 0
    if (spliced && !this.bare && !(this.alone && this.ordered))
      this.number = this.#add(ordinalOf(spliced))
    this.nestedOrder = nested && columnOrderOf(nested)
    // The columns of a row are null except with the first of its numbered rows.
    const numbered = this.nestedOrder ? undefined : nested
    const once =
      numbered &&
      ((sql: string) => `CASE WHEN ${ordinalOf(numbered)} > 1 THEN NULL ELSE ${sql} END`)
    const row = this.#part(once)
    const from = this.columns.length
    this.cursor = spliced?.cursors ? cursorOf(spliced, row) : new Map()
    this.item = writerOf(spliced?.rows?.item, row, nested)
    if (spliced && this.columns.length === from) row('true')
    if (nested) this.nestedNumber = this.#add(ordinalOf(nested))
    this.nestedItem = writerOf(nested?.rows?.item, this.#part())
  }

  #add(sql: string): number {
    return this.columns.push(sql) - 1
  }

  // Starts a part of the columns, in which no column is selected twice.
  #part(select = (sql: string) => sql): Part {
    const columns = new Map<string, number>()
    return (sql) => {
      let column = columns.get(sql)
      if (column === undefined) {
        column = this.#add(select(sql))
        columns.set(sql, column)
      }
      return column
    }
  }
}

/** The SQL of the ordinal of a list's row. */
export const ordinalOf = ({ rows }: List) => `${rows?.scope.alias}.n`

// The SQL of the columns that order a plain list. Undefined if it has another order.
const columnOrderOf = ({ sqlList, rows }: List) =>
  sqlList.listing ? undefined : sqlList.order?.map((name) => rows?.scope.column(name) ?? name)

// The only list of the root or of an object of one row or, of several, the only one whose cursors
// are selected.
function splicedList({ joins }: Level): List | undefined {
  const lists = joins.flatMap((join) => (join.kind === 'list' ? [join.list] : []))
  const some = lists.length > 1 ? lists.filter(({ cursors }) => cursors) : lists
  return some.length === 1 ? some[0] : undefined
}

// Of the lists within a list, the one with the most values.
function nestedList({ rows }: List): List | undefined {
  let most: List | undefined
  for (const join of rows?.level.joins ?? [])
    if (
      join.kind === 'list' &&
      !join.list.together &&
      valuesOf(join.list) > (most ? valuesOf(most) : 0)
    )
      most = join.list
  return most
}

const valuesOf = ({ rows }: List) => (rows ? leaves(rows.item) : 0)

function leaves(piece: Piece): number {
  if (piece.kind === 'object')
    return piece.members.reduce((sum, member) => sum + leaves(member.piece), 0)
  if (piece.kind === 'either')
    return piece.objects.reduce((sum, object) => sum + leaves({ kind: 'object', ...object }), 0)
  return piece.kind === 'constant' ? 0 : 1
}

function cursorOf({ sqlList, rows }: List, column: Part): Map<string, number> {
  if (!sqlList.listing || !rows) throw new Error('no connection')
  const { order } = sqlList.listing({})
  return new Map(order.map(({ field }) => [field, column(rows.scope.column(field))]))
}
