import { type FieldNode, getArgumentValues, locatedError } from 'graphql'
import { hasCode } from '../errors.ts'
import type { Arguments } from '../fields/builder.ts'
import { filterOfList } from '../fields/sql-list.ts'
import type { Page } from '../lists/listing.ts'
import { dialectOf, POSTGRES, type Reader } from '../reader.ts'
import type * as Prisma from '../sql-tag.ts'
import { type Answer, hasListRows, type RequestData, writeAnswer } from './answer.ts'
import type { Compiled } from './compile.ts'
import { Layout } from './layout.ts'
import { type Cursor, type Cursors, cursorVariable } from './parameters.ts'
import { type Field, type Key, type Level, type List, Unplanned } from './piece.ts'
import type { Place } from './place.ts'
import { pageFor, type Request, statement } from './statement.ts'
import type { AnswerData } from './write.ts'

/** A statement, and what is needed to write the answer from its rows. */
export interface PlannedStatement extends Pick<Prisma.Sql, 'text' | 'values'> {
  source: RequestData
  /** Of variables. */
  cursors: Cursors
  /** Called if there are no rows. Throws if the row that the page should follow does not exist. */
  assertStart: ((reader: Reader) => Promise<unknown>) | undefined
}

/** Thrown if a statement depends on something stored. */
export class ReadsFirst extends Error {}

/** Makes a reader of the same store that fails every read. */
export function nothingStored(reader: Reader): Reader {
  const refuse = () => Promise.reject(new ReadsFirst())
  const { dialect = POSTGRES } = reader
  return (
    reader.refusing?.(refuse) ?? {
      dialect,
      $queryRaw: refuse,
      textRows: refuse,
      snapshot: refuse,
    }
  )
}

/** The list whose cursor the statement looks up, and its arguments as they were sent. */
interface ListStart {
  list: List
  sent: Arguments
}

/** The arguments of a request's fields, and the pages and cursors that follow from them. */
class RequestArguments {
  readonly pages = new Map<List, Page | undefined>()
  /** By variable. */
  readonly cursors = new Map<string, Cursor>()
  start: ListStart | undefined
  readonly #variables: Record<string, unknown>
  readonly #spliced: List | undefined
  readonly #values = new Map<FieldNode, Arguments>()

  constructor(variables: Record<string, unknown>, spliced: List | undefined) {
    this.#variables = variables
    this.#spliced = spliced
  }

  of({ node, definition }: Field): Arguments {
    let values = this.#values.get(node)
    if (!values) {
      values = getArgumentValues(definition, node, this.#variables)
      this.#values.set(node, values)
    }
    return values
  }

  /** Completes and checks the arguments of a list. @throws BAD_INPUT @throws ReadsFirst */
  async add(list: List, reader: Reader): Promise<void> {
    const { sqlList, field } = list
    const sent = this.of(field)
    const isStart = list === this.#spliced && sqlList.listing !== undefined
    const after = isStart ? sqlList.startAfter?.(sent) : undefined
    if (after) this.start = { list, sent }
    const args = sqlList.prepare && !after ? await sqlList.prepare(sent, reader) : sent
    this.#values.set(field.node, args)
    if (!sqlList.listing) return
    // A list whose rows are not read has arguments too.
    if (!list.rows) filterOfList(sqlList, args)
    this.pages.set(list, pageFor(list, args, after))
    for (const variable of cursorVariables(list)) {
      const { order, name } = sqlList.listing(args)
      this.cursors.set(variable, { types: order.map(({ type }) => type), name })
    }
  }
}

/** How a query is read with the same variables of @include and @skip. */
export class Variant {
  readonly #root: Level
  readonly #layout: Layout
  readonly #lists: List[]
  readonly #keys: Key[]
  readonly #hasRows: boolean
  readonly #placeOf: (list: List) => Place | undefined
  #last: { parts: string[]; text: string } = { parts: [], text: '' }

  constructor(compiled: Compiled, hasRows: boolean, placeOf: (list: List) => Place | undefined) {
    this.#root = compiled.root
    this.#hasRows = hasRows
    this.#placeOf = placeOf
    this.#lists = compiled.lists
    this.#keys = [this.#root, ...this.#lists.flatMap(({ rows }) => rows?.level ?? [])]
      .flatMap(({ joins }) => joins)
      .flatMap((join) => (join.kind === 'lookup' ? join.keys : []))
    this.#layout = new Layout(compiled)
    if (this.#lists.some((list) => list.cursors && list !== this.#layout.spliced))
      throw new Unplanned('a cursor of a list within a list')
  }

  /**
   * Builds the statement that answers a request. It checks the arguments of keys and lists before
   * it reads the store.
   * @param placed converts the error of a list
   * @throws BAD_INPUT if an argument is invalid @throws ReadsFirst
   */
  async statement(
    reader: Reader,
    variables: Record<string, unknown>,
    placed: (error: unknown, list: List) => unknown = (error) => error,
  ): Promise<PlannedStatement> {
    const args = new RequestArguments(variables, this.#layout.spliced)
    for (const key of this.#keys) if ('assert' in key) key.assert?.(args.of(key.field))
    let readsFirst: ReadsFirst | undefined
    for (const list of this.#lists)
      await args.add(list, reader).catch((error) => {
        if (!(error instanceof ReadsFirst)) throw placed(error, list)
        readsFirst = error
      })
    if (readsFirst) throw readsFirst
    const argumentsOf = (field: Field) => args.of(field)
    const pageOf = (list: List) => args.pages.get(list)
    const { name, cursor, more } = this.#cursor(argumentsOf)
    const dialect = dialectOf(reader)
    const request = { argumentsOf, pageOf, dialect }
    const sql = dialect.write(statement(this.#root, this.#layout, more, request))
    return {
      text: this.#textOf(sql),
      values: sql.values,
      source: { pageOf, name, cursor },
      cursors: args.cursors,
      assertStart: args.start && this.#assertStart(args.start),
    }
  }

  #assertStart({ list, sent }: ListStart): PlannedStatement['assertStart'] {
    return async (reader) => {
      try {
        await list.sqlList.prepare?.(sent, reader)
      } catch (error) {
        throw this.placed(error, list)
      }
    }
  }

  /**
   * Gives the mistake in a list's arguments its place in the document, if the whole answer is then
   * null.
   */
  placed(error: unknown, list: List): unknown {
    const place = hasCode(error, 'BAD_INPUT') ? this.#placeOf(list) : undefined
    return place ? locatedError(error, place.nodes, place.path) : error
  }

  /** True if the name of the spliced list's cursors depends on nothing but its arguments. */
  get isNamedByArguments(): boolean {
    const { sqlList } = this.#layout.spliced ?? {}
    return sqlList?.listing !== undefined && sqlList.prepare === undefined
  }

  /**
   * The names of cursors that are variables, by variable, where nothing but a list's arguments
   * decides them.
   */
  cursorNames(variables: Record<string, unknown>): ReadonlyMap<string, string> {
    const names = new Map<string, string>()
    for (const list of this.#lists) {
      const { sqlList, field } = list
      if (!sqlList.listing || sqlList.prepare) continue
      for (const variable of cursorVariables(list)) {
        const args = getArgumentValues(field.definition, field.node, variables)
        names.set(variable, sqlList.listing(args).name)
      }
    }
    return names
  }

  /** The name of the spliced list's cursors. @param names those of cursors that are variables */
  nameFor(variables: Record<string, unknown>, names?: ReadonlyMap<string, string>): string {
    const { spliced } = this.#layout
    const [variable = ''] = spliced ? cursorVariables(spliced) : []
    return (
      names?.get(variable) ??
      this.#cursor(({ node, definition }) => getArgumentValues(definition, node, variables)).name()
    )
  }

  /**
   * Runs a statement, and writes the answer. Undefined if the store has no plan for it.
   * @throws NO_JSON
   */
  read(
    reader: Reader,
    { source, assertStart, text, values }: PlannedStatement,
  ): Promise<Answer | undefined> {
    const { dialect = POSTGRES, maxBytes = Number.POSITIVE_INFINITY } = reader
    return dialect.textRows(reader, { text, values }, this.#layout.bare).then((rows) => {
      if (!rows) return undefined
      const written = () =>
        writeAnswer(this.#layout, rows, source, { maxBytes, hasRows: this.#hasRows })
      return assertStart && !hasListRows(this.#layout, rows)
        ? assertStart(reader).then(written)
        : written()
    })
  }

  // Returns the text of a statement. Reusing the last string for equal parts avoids hashing it
  // again.
  #textOf(sql: Prisma.Sql): string {
    const { parts, text } = this.#last
    const { strings } = sql
    if (parts.length === strings.length && parts.every((part, i) => part === strings[i]))
      return text
    this.#last = { parts: strings, text: sql.text }
    return this.#last.text
  }

  // Returns how to write the cursors of the spliced list, and the columns that a request's order
  // needs in addition.
  #cursor(
    argumentsOf: Request['argumentsOf'],
  ): Pick<AnswerData, 'name' | 'cursor'> & { more: string[] } {
    const { spliced, columns, cursor } = this.#layout
    const more: string[] = []
    if (!spliced?.cursors || !spliced.sqlList.listing) return { name: () => '', cursor: [], more }
    const listing = spliced.sqlList.listing(argumentsOf(spliced.field))
    const append = (field: string) =>
      columns.length + more.push(`${spliced.rows?.scope.alias}."${field}"`) - 1
    return {
      name: once(() => listing.name),
      cursor: listing.order.map(({ field, type }) => ({
        column: cursor.get(field) ?? append(field),
        type,
      })),
      more,
    }
  }
}

const cursorVariables = ({ field }: List): string[] =>
  field.node.arguments?.flatMap((one) => cursorVariable(one) ?? []) ?? []

/** Makes a value when it is first read. */
export function once<Value>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= compute()
    return value
  }
}
