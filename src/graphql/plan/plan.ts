import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  visit,
} from 'graphql'
import type { Page } from '../../db/listing.ts'
import type { Reader } from '../../db/reader.ts'
import type { TextRow } from '../../db/text-query.ts'
import { type Compiled, compile } from './compile.ts'
import { type Level, type List, Unplanned } from './piece.ts'
import { Columns, items, placeColumns, placeIn, template, type Written, write } from './splice.ts'
import { isBare, pageFor, type Request, splicedList, statement } from './statement.ts'

/** Rows as JSON, without the brackets around them. */
export class Rows {
  readonly json: string
  readonly length: number
  readonly last: string | undefined

  constructor(json: string, length: number, last: string | undefined) {
    this.json = json
    this.length = length
    this.last = last
  }
}

/** What a plan answers. */
export interface Planned {
  /** The operation's data, as JSON. @throws NoJson */
  json(): string
  /** The same without the rows of its one list, and those on their own. @throws NoJson */
  parts(): { data: string; rows: Rows }
}

/**
 * Answers a query in one SQL statement, without resolvers: what is selected is read as text and put together as JSON. The
 * schema tells how (reading.ts); a query that selects anything it does not tell of has no plan.
 *
 * compile.ts makes pieces of the selection, statement.ts the SQL that reads them, splice.ts the JSON of what was read.
 */
export class Plan {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #operationName: string | undefined
  /** The variables that decide what is selected at all. */
  readonly #switches: string[]
  readonly #variants = new Map<string, Variant | null>()

  constructor(schema: GraphQLSchema, document: DocumentNode, operationName?: string) {
    this.#schema = schema
    this.#document = document
    this.#operationName = operationName
    this.#switches = switchesOf(document)
  }

  /**
   * Runs the query.
   * @returns undefined where there is no plan for it, or its variables are not valid: it is to be executed
   * @throws what reading its arguments throws
   */
  async run(reader: Reader, variables: Record<string, unknown> = {}): Promise<Planned | undefined> {
    const operation = getOperationAST(this.#document, this.#operationName)
    const { coerced } = getVariableValues(this.#schema, operation?.variableDefinitions ?? [], variables)
    if (!coerced) return undefined
    const variant = this.#variant(coerced)
    return variant?.run(reader, coerced)
  }

  /** Whether there is a plan for the query with these variables. */
  covers(variables: Record<string, unknown> = {}): boolean {
    return this.#variant(variables) !== null
  }

  #variant(variables: Record<string, unknown>): Variant | null {
    const key = this.#switches.map((name) => (variables[name] ? '1' : '0')).join('')
    const known = this.#variants.get(key)
    if (known !== undefined) return known
    const made = this.#make(variables)
    this.#variants.set(key, made)
    return made
  }

  #make(variables: Record<string, unknown>): Variant | null {
    const operation = getOperationAST(this.#document, this.#operationName)
    if (!operation) return null
    const fragments = Object.fromEntries(
      this.#document.definitions
        .filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
        .map((fragment) => [fragment.name.value, fragment]),
    )
    const conditions = Object.fromEntries(this.#switches.map((name) => [name, Boolean(variables[name])]))
    try {
      return new Variant(compile({ schema: this.#schema, fragments, conditions }, operation))
    } catch (error) {
      if (error instanceof Unplanned) return null
      throw error
    }
  }
}

function switchesOf(document: DocumentNode): string[] {
  const names = new Set<string>()
  visit(document, {
    [Kind.DIRECTIVE]({ name, arguments: given = [] }) {
      const value = given[0]?.value
      if ((name.value === 'include' || name.value === 'skip') && value?.kind === Kind.VARIABLE)
        names.add(value.name.value)
    },
  })
  return [...names]
}

class Variant {
  readonly #root: Level
  readonly #spliced: List | undefined
  readonly #answer: ReturnType<typeof template>
  readonly #item: ReturnType<typeof template>
  readonly #columns: { root: string[]; row: string[] }
  readonly #place: Map<string, number>
  readonly #lists: List[]

  constructor({ root, answer }: Compiled) {
    this.#root = root
    this.#spliced = splicedList(root)
    this.#lists = listsOf(root)
    if (this.#lists.some((list) => list.cursors && list !== this.#spliced))
      throw new Unplanned('a cursor of a list that Postgres writes')
    const outer = new Columns()
    this.#answer = template(answer, outer, this.#spliced)
    const bare = this.#spliced !== undefined && isBare(root, this.#spliced)
    const inner = new Columns(bare ? 0 : outer.sql.length + 1)
    const rows = this.#spliced?.rows
    this.#place = this.#spliced?.cursors ? placeColumns(this.#spliced, inner) : new Map()
    this.#item = rows ? template(rows.item, inner, undefined) : []
    if (rows && inner.sql.length === 0) inner.place('true')
    this.#columns = { root: outer.sql, row: inner.sql }
  }

  async run(reader: Reader, variables: Record<string, unknown>): Promise<Planned> {
    const args = new Map<FieldNode, Record<string, unknown>>()
    const argumentsOf: Request['argumentsOf'] = ({ node, definition }) => {
      let known = args.get(node)
      if (!known) {
        known = getArgumentValues(definition, node, variables)
        args.set(node, known)
      }
      return known
    }
    const pages = new Map<List, Page | undefined>()
    for (const list of this.#lists) {
      const given = argumentsOf(list.field)
      const prepare = list.reading.kind === 'list' ? list.reading.list.prepare : undefined
      const asked = prepare ? await prepare(given, reader) : given
      args.set(list.field.node, asked)
      pages.set(list, pageFor(list, asked))
    }
    const pageOf = (list: List) => pages.get(list)
    const { name, place, more } = this.#placing(argumentsOf)
    const columns = more.length > 0 ? { ...this.#columns, row: [...this.#columns.row, ...more] } : this.#columns
    const found = await reader.textRows(statement(this.#root, this.#spliced, columns, { argumentsOf, pageOf }))
    return this.#planned(found, { pageOf, rows: [], ends: [], item: this.#item, more: false, name, place })
  }

  /** What the cursors of the spliced list are made of, and the columns that they need beside those of the plan. */
  #placing(argumentsOf: Request['argumentsOf']): Pick<Written, 'name' | 'place'> & { more: string[] } {
    const spliced = this.#spliced
    if (!spliced?.cursors || spliced.reading.kind !== 'list' || !spliced.rows) return { name: '', place: [], more: [] }
    const { name, order } = spliced.reading.list.listing(argumentsOf(spliced.field))
    const { root, row } = this.#columns
    const before = isBare(this.#root, spliced) ? 0 : root.length + 1
    return { name, ...placeIn(order, spliced.rows.scope.alias, this.#place, before + row.length) }
  }

  #planned(found: TextRow[], written: Written): Planned {
    const spliced = this.#spliced
    const { pageOf } = written
    let root: TextRow = found[0] ?? []
    if (spliced) {
      const page = pageOf(spliced)
      const bare = isBare(this.#root, spliced)
      // A row that is there only for the root has no number.
      const number = this.#columns.root.length
      let rows = bare || root[number] !== null ? found : []
      if (bare) {
        root = []
        if (page?.backward) rows.reverse()
      }
      if (page && rows.length > page.limit) {
        written.more = true
        rows = page.backward ? rows.slice(1) : rows.slice(0, page.limit)
      }
      written.rows = rows
      written.ends = [rows[0], rows.at(-1)]
    }
    return {
      json: () => write(this.#answer, root, written),
      parts: () => {
        const { rows } = written
        const last = rows.at(-1)
        const own = new Rows(items(written), rows.length, last && write(this.#item, last, written))
        return { data: write(this.#answer, root, { ...written, rows: [], ends: [rows[0], last] }), rows: own }
      },
    }
  }
}

function listsOf(level: Level): List[] {
  const found = new Set<List>()
  const add = ({ joins }: Level) => {
    for (const join of joins) {
      if (join.kind === 'one' || found.has(join.list)) continue
      found.add(join.list)
      if (join.list.rows) add(join.list.rows.level)
    }
  }
  add(level)
  return [...found]
}
