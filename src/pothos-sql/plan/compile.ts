import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import type { Lookup, LookupBy } from '../fields/lookup.ts'
import type { AssertArguments, SqlField } from '../fields/sql-field.ts'
import type { PagedList, PlainList, SqlList } from '../fields/sql-list.ts'
import type { ColumnSql, Columns } from '../lists/column.ts'
import { ENCODINGS, type Encoding } from '../lists/encoding.ts'
import type { KeyType } from '../lists/listing.ts'
import { VALUE_TYPES } from '../lists/value-type.ts'
import { type Fragments, fieldsOf, type SwitchValues } from '../selection.ts'
import {
  type Field,
  type Key,
  type Level,
  type List,
  type Member,
  type PageField,
  type Piece,
  Scope,
  Unplanned,
} from './piece.ts'

export interface Document {
  schema: GraphQLSchema
  fragments: Fragments
  conditions: SwitchValues
}

/** The reads of an operation, and the form of its answer. */
export interface Compiled {
  root: Level
  answer: Piece
  /** Every selected list, also one of which nothing is read: its arguments are checked. */
  lists: List[]
}

/**
 * Compiles a query to a plan. The schema must declare the SQL of every selected field (see
 * sql-field.ts).
 * @throws Unplanned if the plan cannot cover a field
 */
export function compile(document: Document, operation: OperationDefinitionNode): Compiled {
  const query = document.schema.getQueryType()
  if (!query || operation.operation !== 'query') throw new Unplanned('no query')
  const root: Level = { joins: [] }
  const compiler = new Compiler(document)
  const nothing = new Scope('', {}, root)
  const members = compiler.members(query, operation.selectionSet, nothing)
  return { root, answer: { kind: 'object', members }, lists: compiler.lists }
}

// The source of each field of an embedded object: a column of the row, SQL or, if its value is
// unknown, null.
type Own = Record<string, string | { as: Encoding; sql(): string } | null>

type Items = Extract<Piece, { kind: 'items' }>

class Compiler {
  readonly lists: List[] = []
  readonly #document: Document
  #aliases = 0

  constructor(document: Document) {
    this.#document = document
  }

  /**
   * Returns the members of an object built from a row. `own` has the sources of its fields, if they
   * are not the row's.
   */
  members(
    type: GraphQLOutputType,
    selectionSet: FieldNode['selectionSet'],
    scope: Scope,
    own?: Own,
  ): Member[] {
    const members: Member[] = []
    for (const [key, node, definition] of this.#fields(type, selectionSet)) {
      if (!definition) {
        members.push({
          key,
          piece: { kind: 'constant', json: JSON.stringify(getNamedType(type)?.name) },
        })
        continue
      }
      members.push({ key, piece: this.#field({ node, definition }, scope, own) })
    }
    return members
  }

  #field(field: Field, scope: Scope, own: Own | undefined): Piece {
    const { definition, node } = field
    const declared = definition.extensions.sqlField as SqlField | undefined
    const past = declared?.past
    const isPast = node.arguments?.some(({ name }) => past?.given.includes(name.value))
    const sqlField = isPast ? past : declared
    const column = (name: string | undefined) => {
      if (name === undefined) throw new Unplanned(`${definition.name} is resolved`)
      return leaf(definition.type, scope.value(name))
    }
    const source = own?.[definition.name]
    if (source === null) return { kind: 'constant', json: 'null' }
    if (typeof source === 'object')
      return leaf(definition.type, { sql: source.sql(), as: source.as })
    if (source !== undefined) return column(source)
    if (!sqlField)
      return column(
        own ? undefined : (definition.extensions.pothosExposedField as string | undefined),
      )
    const at = (name: string) => {
      const column = own?.[name] ?? name
      if (typeof column !== 'string') throw new Unplanned(`${name} is no column`)
      return column
    }
    const of = (name: string) => scope.column(at(name))
    switch (sqlField.kind) {
      case 'column': {
        const { without } = sqlField
        const isOwn = own ? own[sqlField.column] !== undefined : scope.has(sqlField.column)
        const other = sqlField.of ?? (isOwn ? undefined : without)
        if (!other) return column(at(sqlField.column))
        const row = this.#lookup(field, other, scope, at)
        return leaf(definition.type, row.value(sqlField.column))
      }
      case 'sql':
        return leaf(definition.type, {
          sql: sqlField.sql(of),
          as: VALUE_TYPES[sqlField.type].encoding,
        })
      case 'json':
        return { kind: 'leaf', sql: sqlField.sql(of), as: ENCODINGS.json }
      case 'embedded': {
        const presence = sqlField.presence === undefined ? {} : { presence: of(sqlField.presence) }
        const sources = Object.entries(sqlField.columns).map(
          ([field, source]): [string, Own[string]] => {
            if (source === null) return [field, null]
            if (typeof source === 'string') return [field, at(source)]
            return [field, { as: source.as, sql: () => source.sql(of) }]
          },
        )
        const members = this.members(
          definition.type,
          node.selectionSet,
          scope,
          Object.fromEntries(sources),
        )
        return { kind: 'object', members, ...presence }
      }
      case 'lookup': {
        const row = this.#lookup(field, sqlField, scope, at, sqlField.assert)
        const members = this.members(definition.type, node.selectionSet, row)
        const presence = presenceOf(sqlField.lookup)
        return {
          kind: 'object',
          members,
          ...(presence !== undefined && { presence: row.column(presence) }),
        }
      }
      case 'firstOf': {
        const objects = Object.entries(sqlField.types).map(([name, found]) => {
          const row = this.#lookup(field, found, scope, at)
          const members = this.members(this.#typeOf(name), node.selectionSet, row)
          return { members, presence: row.column(presenceOf(found.lookup) ?? '') }
        })
        return { kind: 'either', objects }
      }
      case 'list':
        return sqlField.list.listing
          ? this.#connection(field, sqlField.list, scope, of)
          : this.#plainList(field, sqlField.list, scope, of)
      case 'concatenated': {
        const lists = sqlField.lists.map((plain) => {
          const { list } = this.#plainList(field, plain, scope, of)
          list.together = true
          return list
        })
        return { kind: 'concatenated', lists }
      }
    }
  }

  // Joins the row of another kind at a key. @param at the column of a field that `by` names
  #lookup(
    field: Field,
    { lookup, by }: LookupBy,
    scope: Scope,
    at: (name: string) => string,
    assert?: AssertArguments,
  ): Scope {
    const keys = by.map((name, i): Key => {
      const own = at(name)
      return scope.has(own)
        ? { sql: scope.column(own) }
        : argumentKey(field, name, lookup.types[i], assert, lookup.read)
    })
    const row = new Scope(this.#alias(), lookup.columns, scope.level)
    scope.level.joins.push({ kind: 'lookup', scope: row, lookup, keys })
    return row
  }

  #plainList(field: Field, plain: PlainList, scope: Scope, column: ColumnSql): Items {
    const list = this.#list(field, plain, plain.by.map(column), column)
    return this.#items(list, scope, (row) => ({
      kind: 'object',
      members: this.members(field.definition.type, field.node.selectionSet, row),
    }))
  }

  #list(field: Field, sqlList: SqlList, owner: string[], column: ColumnSql): List {
    const list: List = {
      field,
      sqlList,
      owner,
      alias: this.#alias(),
      column,
      open: false,
      cursors: false,
    }
    this.lists.push(list)
    return list
  }

  #connection(field: Field, paged: PagedList, scope: Scope, column: ColumnSql): Piece {
    const list = this.#list(field, paged, paged.owner?.fields.map(column) ?? [], column)
    const members = this.#fields(field.definition.type, field.node.selectionSet).map(
      ([key, node, definition]): Member => {
        if (!definition) throw new Unplanned('__typename of a connection')
        return { key, piece: this.#ofConnection(list, paged, { node, definition }, scope) }
      },
    )
    const asksPage = members.some(({ piece }) => piece.kind === 'object')
    if (asksPage && !list.rows) this.#items(list, scope, () => NOTHING)
    const { presence } = paged
    return {
      kind: 'object',
      members,
      ...(presence !== undefined && { presence: column(presence) }),
    }
  }

  #ofConnection(
    list: List,
    paged: PagedList,
    { node: { selectionSet }, definition: { name, type } }: Field,
    scope: Scope,
  ): Piece {
    const object = (members: Member[]): Piece => ({ kind: 'object', members })
    if (name === 'nodes')
      return this.#items(list, scope, (row) => object(this.members(type, selectionSet, row)))
    if (name === 'edges')
      return this.#items(list, scope, (row) =>
        object(
          this.#fields(type, selectionSet).map(([key, node, edge]) => {
            if (edge?.name === 'cursor') {
              list.cursors = true
              return { key, piece: { kind: 'cursor', list } }
            }
            if (edge?.name !== 'node') throw new Unplanned('a field of an edge')
            return { key, piece: object(this.members(edge.type, node.selectionSet, row)) }
          }),
        ),
      )
    if (name === 'pageInfo')
      return object(
        this.#fields(type, selectionSet).map(([key, , info]) => {
          if (!info) throw new Unplanned('__typename of a page')
          if (info.name.endsWith('Cursor')) list.cursors = true
          else list.open = true
          return { key, piece: { kind: 'page', list, of: info.name as PageField } }
        }),
      )
    const alias = this.#alias()
    if (name === 'totalCount') {
      // Marks the columns of a stored total as used, so that its row selects them.
      paged.total?.sql({}, list.column)
      scope.level.joins.push({ kind: 'count', list, alias })
      return { kind: 'leaf', sql: `${alias}.total`, as: ENCODINGS.json }
    }
    if (!paged.values?.[name]) throw new Unplanned(`${name} of a connection`)
    scope.level.joins.push({ kind: 'value', list, alias, name })
    return { kind: 'leaf', sql: `${alias}.value`, as: ENCODINGS.json }
  }

  #items(list: List, scope: Scope, item: (row: Scope) => Piece): Items {
    if (list.rows) throw new Unplanned('the rows of a list are selected twice')
    const { sqlList } = list
    const columns = sqlList.listing ? sqlList.listing({}).columns : sqlList.columns
    const more = sqlList.listing && sqlList.more
    const level: Level = { joins: [] }
    const row = new Scope(this.#alias(), columns, level, more, ownedColumns(list, columns))
    const rows = { scope: row, level, item: NOTHING as Piece }
    list.rows = rows
    scope.level.joins.push({ kind: 'list', list })
    rows.item = item(row)
    return { kind: 'items', list, item: rows.item }
  }

  // Returns the selected fields with their definitions. `__typename` has no definition.
  #fields(
    type: GraphQLOutputType,
    selectionSet: FieldNode['selectionSet'],
  ): [key: string, node: FieldNode, definition: GraphQLField<unknown, unknown> | undefined][] {
    const named = getNamedType(type)
    if (!isObjectType(named) || !selectionSet) throw new Unplanned('no object')
    const { schema, fragments, conditions } = this.#document
    const definitions = named.getFields()
    return [
      ...fieldsOf([selectionSet], fragments, { conditions, on: { type: named, schema } }),
    ].map(([key, nodes]) => {
      const node = merged(nodes)
      const definition = definitions[node.name.value]
      if (!definition && node.name.value !== '__typename')
        throw new Unplanned(`${node.name.value} is of the schema`)
      return [key, node, definition]
    })
  }

  #typeOf(name: string): GraphQLOutputType {
    return this.#document.schema.getType(name) as GraphQLOutputType
  }

  #alias(): string {
    return `x${++this.#aliases}`
  }
}

// The column of a row that is null if the row is not there. Undefined if it always is.
const presenceOf = ({ presence, always, columns }: Lookup) =>
  presence ?? (always ? undefined : Object.keys(columns)[0])

// The columns of a list's rows that equal one of the owner, and the SQL of that one.
function ownedColumns({ sqlList, owner }: List, columns: Columns): Map<string, string> {
  const equal = (sqlList.listing ? sqlList.owner?.columns : undefined) ?? []
  return new Map(
    Object.entries(columns).flatMap(([field, { sql }]) => {
      const [value, ...others] = owner.filter((_, i) => equal[i]?.column === sql)
      return value === undefined || others.length > 0 ? [] : [[field, value] as const]
    }),
  )
}

const NOTHING: Piece = { kind: 'constant', json: '0' }

// The nodes of a field that is selected several times, as one.
function merged(nodes: FieldNode[]): FieldNode {
  const [node] = nodes as [FieldNode]
  if (nodes.length === 1 || !node.selectionSet) return node
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  return { ...node, selectionSet: { ...node.selectionSet, selections } }
}

function argumentKey(
  field: Field,
  name: string,
  type: KeyType | undefined,
  assert: AssertArguments | undefined,
  read: Lookup['read'],
): Key {
  const isArgument = field.definition.args.some((one) => one.name === name)
  if (!isArgument || !type) throw new Unplanned(`neither a column nor an argument: ${name}`)
  return { field, argument: name, type, assert, read }
}

function leaf(type: GraphQLOutputType, { sql, as }: { sql: string; as: Encoding }): Piece {
  const nullable = isNonNullType(type) ? type.ofType : type
  if (isListType(nullable)) throw new Unplanned('a list of values')
  if (!isEnumType(nullable)) return { kind: 'leaf', sql, as }
  const names = nullable.getValues().map((one) => `WHEN '${one.value}' THEN '"${one.name}"'`)
  return { kind: 'leaf', sql: `CASE ${sql} ${names.join(' ')} END`, as: ENCODINGS.json }
}
