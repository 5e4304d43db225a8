import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  locatedError,
} from 'graphql'
import { hasCode } from '../errors.ts'
import { cutToPage } from '../fields/connection.ts'
import { filterOfList } from '../fields/sql-list.ts'
import type { Page } from '../lists/listing.ts'
import { dialectOf, POSTGRES, type Reader, type TextRow } from '../reader.ts'
import { fragmentsOf, type SwitchValues, Variants } from '../selection.ts'
import type * as Prisma from '../sql-tag.ts'
import { Turns } from '../turns.ts'
import { readVariables } from '../variables.ts'
import { type Compiled, compile } from './compile.ts'
import { type Form, shape } from './form.ts'
import { Layout } from './layout.ts'
import {
  areOfLists,
  type Cursor,
  type Cursors,
  cursorVariable,
  type Fill,
  filler,
  type Inputs,
  isSame,
  Parameters,
  standIns,
} from './parameters.ts'
import { type Key, type Level, type List, Unplanned } from './piece.ts'
import { type Place, placeOf } from './place.ts'
import { pageFor, type Request, statement } from './statement.ts'
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

// Cached statements per query: one for each combination of page size, filter and so on.
const MAX_STATEMENTS = 8

/**
 * Answers a query with one SQL statement and no resolvers: the selection is read as text and
 * assembled into JSON. The schema declares the SQL of its fields (sql-field.ts). A query that
 * selects a field without SQL has no plan.
 *
 * compile.ts turns the selection into pieces, layout.ts names the columns that they need,
 * statement.ts builds the SQL, and write.ts writes the JSON. Requests that differ only in
 * addresses, dates, numbers or cursors, alone, in lists or in filters, share a cached statement
 * (parameters.ts).
 */
export class Plan {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #operationName: string | undefined
  readonly #variants: Variants<Variant | Unplanned>
  readonly #parameters: Parameters
  // By the variables that shape them. Undefined if the statement was built once.
  readonly #statements = new Map<string, Cached | undefined>()
  // The variables whose statement must be built for each request.
  readonly #uncacheable = new Set<string>()
  // By the variables of a request, which are coerced once.
  readonly #coercions = new WeakMap<object, { coerced: Record<string, unknown> | undefined }>()
  readonly #form: Form

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName?: string,
    form: Form = {},
  ) {
    this.#schema = schema
    this.#document = document
    this.#operationName = operationName
    this.#form = form
    this.#variants = new Variants(document)
    this.#parameters = new Parameters(schema, document, this.#definitions())
  }

  get size(): number {
    return this.#variants.size + this.#statements.size
  }

  /**
   * Runs the query.
   * @returns undefined if it has no plan or its variables are invalid: resolvers must then execute
   * it
   * @throws BAD_INPUT if an argument is invalid, or a GraphQLError with its place if the store
   * was read to find out
   * @throws NO_JSON
   */
  run(reader: Reader, variables: Record<string, unknown> = {}): Promise<Answer | undefined> {
    let inputs = this.#parameters.read(variables)
    if (!inputs || this.#uncacheable.has(inputs.key))
      inputs = this.#parameters.read(variables, 'exact')
    const cached = inputs && this.#statements.get(inputs.key)
    if (inputs && cached && areOfLists(inputs, cached.statement.cursors)) {
      const { variant, statement, fill, ofRequest } = cached
      const own = ofRequest?.(variables, inputs)
      if (own !== null)
        return variant.read(reader, { ...statement, ...own, values: fill(inputs.values) })
    }
    const isNew = inputs && !cached && !this.#uncacheable.has(inputs.key)
    return this.#runNew(reader, variables, isNew ? inputs : undefined)
  }

  /** Runs the query with a statement that is built for these variables, or from now on cached. */
  async #runNew(
    reader: Reader,
    variables: Record<string, unknown>,
    inputs: Inputs | undefined,
  ): Promise<Answer | undefined> {
    if (inputs) {
      const { key } = inputs
      const isKnown = this.#statements.has(key)
      const cached = isKnown ? await this.#cacheable(variables, inputs, reader) : undefined
      if (cached === null) {
        this.#statements.delete(key)
        if (this.#uncacheable.size >= MAX_STATEMENTS) this.#uncacheable.clear()
        this.#uncacheable.add(key)
      } else {
        if (!isKnown && this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
        this.#statements.set(key, cached)
      }
      if (cached !== undefined) return this.run(reader, variables)
    }
    const coerced = this.coerced(variables)
    const variant = coerced && this.#variant(coerced)
    if (!variant) return undefined
    try {
      return variant.read(reader, await variant.statement(nothingStored(reader), coerced))
    } catch (error) {
      if (!(error instanceof ReadsFirst)) throw error
    }
    // Its arguments mean something that is stored: that is read from the same snapshot.
    return reader.snapshot(async (reader) =>
      variant.read(
        reader,
        await variant.statement(reader, coerced, (error, list) => variant.placed(error, list)),
      ),
    )
  }

  /**
   * Builds the statement to cache for these variables. Null if it depends on their values or on
   * stored data, undefined if a cursor among them is not valid.
   */
  async #cacheable(
    variables: Record<string, unknown>,
    inputs: Inputs,
    reader: Reader,
  ): Promise<Cached | null | undefined> {
    const build = async (variables: Record<string, unknown>) => {
      const coerced = this.coerced(variables)
      const variant = coerced && this.#variant(coerced)
      return variant
        ? { variant, statement: await variant.statement(nothingStored(reader), coerced) }
        : undefined
    }
    const hasCursor = inputs.kinds.some((kind) => typeof kind === 'object')
    const real = hasCursor
      ? await build(variables).catch((error) => (hasCode(error) ? undefined : null))
      : undefined
    if (hasCursor && !real) return real as null | undefined
    const cursors: Cursors = real?.statement.cursors ?? new Map()
    const buildWith = (values: string[]) => {
      const replaced = this.#parameters.replaced(variables, inputs, values)
      const lists = real?.variant.cursorNames(this.coerced(replaced) ?? {})
      return build(lists ? this.#parameters.replaced(variables, inputs, values, lists) : replaced)
    }
    try {
      const ascending = standIns(inputs, cursors, 1)
      const built = await buildWith(ascending)
      if (!built) return null
      const { variant } = built
      const { text, values, source, assertStart } = built.statement
      const fill = filler(values, ascending, inputs)
      // Values that are more than that, such as in the digest of a filter, or whose order matters,
      // make another statement.
      const descending = standIns(inputs, cursors, -1)
      const other = (await buildWith(descending))?.statement
      if (!fill || text !== other?.text || !isSame(fill(descending), other.values)) return null
      const isNamed = source.name() === other.source.name()
      if (!isNamed && !variant.isNamedByArguments) return null
      const named = new Map<string, Cursor>()
      for (const [variable, { types, name }] of built.statement.cursors)
        named.set(variable, {
          types,
          name: name === other.cursors.get(variable)?.name ? name : undefined,
        })
      const statement = { ...built.statement, cursors: named, values: [] }
      const bound = [...named].filter(
        ([variable, { name }]) => inputs.lists.has(variable) && name === undefined,
      )
      if (isNamed && !assertStart && bound.length === 0) return { variant, statement, fill }
      const ofRequest: Cached['ofRequest'] = (variables, { lists }) => {
        const coerced = once(() => this.coerced(variables) ?? {})
        const names = bound.length > 0 ? variant.cursorNames(coerced()) : undefined
        if (bound.some(([variable]) => names?.get(variable) !== lists.get(variable))) return null
        return {
          ...(!isNamed && {
            source: { ...source, name: once(() => variant.nameFor(coerced(), names)) },
          }),
          ...(assertStart && {
            assertStart: async (reader) =>
              (await variant.statement(reader, coerced())).assertStart?.(reader),
          }),
        }
      }
      return { variant, statement, fill, ofRequest }
    } catch {
      // The error is reported when the statement is built with the request's real variables.
      return null
    }
  }

  #definitions() {
    return getOperationAST(this.#document, this.#operationName)?.variableDefinitions ?? []
  }

  /** The values of a request's variables. Undefined if they are invalid. */
  coerced(variables: Record<string, unknown>): Record<string, unknown> | undefined {
    let read = this.#coercions.get(variables)
    if (!read) {
      read = { coerced: readVariables(this.#schema, this.#definitions(), variables).coerced }
      this.#coercions.set(variables, read)
    }
    return read.coerced
  }

  /** Returns whether the query has a plan with these variables. */
  covers(variables: Record<string, unknown> = {}): boolean {
    return this.#variant(variables) !== undefined
  }

  /** Says why the query has no plan with these variables. Undefined if it has one. */
  refusal(variables: Record<string, unknown> = {}): string | undefined {
    const made = this.#made(variables)
    return made instanceof Unplanned ? made.message : undefined
  }

  #variant(variables: Record<string, unknown>): Variant | undefined {
    const made = this.#made(variables)
    return made instanceof Variant ? made : undefined
  }

  #made(variables: Record<string, unknown>): Variant | Unplanned {
    return this.#variants.of(variables, (conditions) => this.#make(conditions))
  }

  #make(conditions: SwitchValues): Variant | Unplanned {
    const operation = getOperationAST(this.#document, this.#operationName)
    if (!operation) return new Unplanned('no operation')
    const fragments = fragmentsOf(this.#document)
    try {
      const document = { schema: this.#schema, fragments, conditions }
      const compiled = compile(document, operation)
      shape(compiled, this.#form)
      const placeOfList = ({ field }: List) => placeOf(document, operation, field.node.name)
      return new Variant(compiled, this.#form.hasRows ?? false, placeOfList)
    } catch (error) {
      if (error instanceof Unplanned) return error
      throw error
    }
  }
}

// A statement, and what is needed to write the answer from its rows.
interface PlannedStatement extends Pick<Prisma.Sql, 'text' | 'values'> {
  source: RequestData
  /** Of variables. */
  cursors: Cursors
  /** Called if there are no rows. Throws if the row that the page should follow does not exist. */
  assertStart: ((reader: Reader) => Promise<unknown>) | undefined
}

type RequestData = Omit<AnswerData, 'rowsOf' | 'maxBytes'>

interface Cached {
  variant: Variant
  statement: PlannedStatement
  fill: Fill
  /** The parts of it that are of one request. Null if a cursor is of another list. */
  ofRequest?(variables: Record<string, unknown>, inputs: Inputs): Partial<PlannedStatement> | null
}

// Thrown if a statement depends on something stored.
class ReadsFirst extends Error {}

// A reader of the same store that fails every read.
function nothingStored(reader: Reader): Reader {
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

class Variant {
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
    const args = new Map<FieldNode, Record<string, unknown>>()
    const argumentsOf: Request['argumentsOf'] = ({ node, definition }) => {
      let values = args.get(node)
      if (!values) {
        values = getArgumentValues(definition, node, variables)
        args.set(node, values)
      }
      return values
    }
    const pages = new Map<List, Page | undefined>()
    const cursors = new Map<string, Cursor>()
    let assertStart: PlannedStatement['assertStart']
    const add = async (list: List) => {
      const inputs = argumentsOf(list.field)
      const { sqlList } = list
      const { prepare } = sqlList
      const isSpliced = list === this.#layout.spliced
      const after = isSpliced && sqlList.listing ? sqlList.startAfter?.(inputs) : undefined
      const prepared = prepare && !after ? await prepare(inputs, reader) : inputs
      if (after)
        assertStart = (reader) =>
          Promise.resolve(prepare?.(inputs, reader)).catch((error) => {
            throw this.placed(error, list)
          })
      args.set(list.field.node, prepared)
      // A list whose rows are not read has arguments too.
      if (!list.rows && sqlList.listing) filterOfList(sqlList, prepared)
      pages.set(list, pageFor(list, prepared, after))
      for (const variable of cursorVariables(list)) {
        if (!sqlList.listing) continue
        const { order, name } = sqlList.listing(prepared)
        cursors.set(variable, { types: order.map(({ type }) => type), name })
      }
    }
    for (const key of this.#keys) if ('assert' in key) key.assert?.(argumentsOf(key.field))
    let readsFirst: ReadsFirst | undefined
    for (const list of this.#lists)
      await add(list).catch((error) => {
        if (!(error instanceof ReadsFirst)) throw placed(error, list)
        readsFirst = error
      })
    if (readsFirst) throw readsFirst
    const pageOf = (list: List) => pages.get(list)
    const { name, cursor, more } = this.#cursor(argumentsOf)
    const dialect = dialectOf(reader)
    const request = { argumentsOf, pageOf, dialect }
    const sql = dialect.write(statement(this.#root, this.#layout, more, request))
    return {
      text: this.#textOf(sql),
      values: sql.values,
      source: { pageOf, name, cursor },
      cursors,
      assertStart,
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
      const written = () => this.#written(rows, source, maxBytes)
      return assertStart && !this.#isFilled(rows) ? assertStart(reader).then(written) : written()
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

  async #written(rows: TextRow[], request: RequestData, maxBytes: number): Promise<Answer> {
    const { pageOf, name, cursor } = request
    const { answer, item, spliced } = this.#layout
    const root = rows[0] ?? []
    const nested = new Map<TextRow, ListRows>()
    const list = this.#rowsOf(rows, request, nested)
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
    if (!this.#hasRows) return { json: write(answer, root, source({ ...list, written })) }
    const last = list.rows.at(-1)
    return {
      json: write(answer, root, source({ ...list, rows: [] })),
      rows: { json: written, length: list.rows.length, last: last && write(item, last, all) },
    }
  }

  // Returns whether the spliced list has rows. A row that only carries the root's columns has a
  // null ordinal.
  #isFilled([first]: TextRow[]): boolean {
    const { number } = this.#layout
    return first !== undefined && (number === undefined || first[number] !== null)
  }

  // Returns the rows of the spliced list. Adds those of the nested list to `ofRow`, by the row that
  // contains them.
  #rowsOf(rows: TextRow[], { pageOf }: RequestData, ofRow: Map<TextRow, ListRows>): ListRows {
    const { spliced, nested, bare, number, nestedNumber, item, nestedItem } = this.#layout
    if (!spliced) return listRows([], undefined, item)
    const page = pageOf(spliced)
    if (bare) return listRows(page?.backward ? rows.reverse() : rows, page, item)
    if (!this.#isFilled(rows)) return listRows([], page, item)
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
}

// `rows`: in the order of the list, with the extra row that says whether there are more than
// fit the page
function listRows(rows: TextRow[], page: Page | undefined, item: Writer): ListRows {
  const { rows: pageRows, more } = page ? cutToPage(rows, page) : { rows, more: false }
  return { rows: pageRows, more, ends: [pageRows[0], pageRows.at(-1)], item }
}

const cursorVariables = ({ field }: List): string[] =>
  field.node.arguments?.flatMap((one) => cursorVariable(one) ?? []) ?? []

function once<Value>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= compute()
    return value
  }
}
