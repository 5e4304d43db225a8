// biome-ignore-all lint/suspicious/noExplicitAny: rows and arguments differ from list to list
import type { Columns } from '../../db/lists/column.ts'
import {
  countSql,
  fromRecordset,
  type Listing,
  listingIn,
  type Page,
  pageSql,
  withoutSet,
} from '../../db/lists/listing.ts'
import type { Encoding } from '../../db/lists/value-type.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { readPage } from '../schema/connection.ts'
import type { Field, Join, Key, Level, List, Piece, Scope } from './piece.ts'

/** The arguments and pages of one request. */
export interface Request {
  /** Returns the coerced arguments of a field. */
  argumentsOf(field: Field): Record<string, any>
  /** Returns the page of a connection; undefined for a plain list. */
  pageOf(list: List): Page | undefined
  /** Whether rows of users are spread over several servers. */
  sharded: boolean | undefined
}

/** Returns the page for a connection's arguments. `after` replaces the cursor argument. @throws BAD_INPUT */
export function pageFor(list: List, args: Record<string, any>, after?: Prisma.Sql[]): Page | undefined {
  if (list.sqlField.kind !== 'list') return undefined
  const page = readPage(list.sqlField.list.listing(args), after ? { ...args, after: undefined } : args)
  return { ...page, ...(after && { after }), exact: !list.open }
}

/**
 * Returns the list whose rows are the statement's rows, to be spliced into the answer: the only list of the root or of
 * an object of one row. Postgres writes the JSON of all other lists except the nested one.
 */
export function splicedList(root: Level): List | undefined {
  const lists = root.joins.filter((join) => join.kind === 'list')
  return lists.length === 1 ? lists[0]?.list : undefined
}

/**
 * Returns the list whose rows are the statement's rows too, each beside the spliced row that contains it. Of the lists
 * within the spliced list, it is the one with the most values.
 */
export function nestedList(spliced: List | undefined): List | undefined {
  let most: List | undefined
  for (const join of spliced?.rows?.level.joins ?? [])
    if (join.kind === 'list' && !join.list.together && valuesOf(join.list) > (most ? valuesOf(most) : 0))
      most = join.list
  return most
}

const valuesOf = ({ rows }: List) => (rows ? leaves(rows.item) : 0)

function leaves(piece: Piece): number {
  if (piece.kind === 'object') return piece.members.reduce((sum, member) => sum + leaves(member.piece), 0)
  return piece.kind === 'constant' ? 0 : 1
}

/** The columns that a statement selects, as SQL. */
export interface Selected {
  root: string[]
  /** Columns of the spliced list. */
  row: string[]
  /** Columns of the nested list. */
  nested: string[]
  /** Extra columns for cursors of the spliced list. */
  cursor: string[]
}

/**
 * Builds the statement that reads a whole answer. It selects the columns of the root, the ordinal and columns of the
 * row and, if a list is nested, the ordinal and columns of the nested row. If a row has several nested rows, its
 * columns are null beside all but the first of them.
 */
export function statement(
  root: Level,
  spliced: List | undefined,
  nested: List | undefined,
  columns: Selected,
  request: Request,
): Prisma.Sql {
  if (!spliced?.rows) return Prisma.sql`SELECT ${raw(columns.root)} FROM (SELECT) r ${joins(root.joins, request)}`
  const { scope, level } = spliced.rows
  const others = root.joins.filter((join) => join.kind !== 'list')
  if (isBare(root, spliced))
    return Prisma.sql`SELECT ${raw([...columns.row, ...columns.cursor])} FROM (${rowsSql(spliced, request)}) ${raw([scope.alias])}`
  const number = `${scope.alias}.n`
  const order = request.pageOf(spliced)?.backward ? `${number} DESC` : number
  const head = Prisma.sql`FROM (SELECT) r ${joins(others, request)} LEFT JOIN LATERAL ${numbered(spliced, request)} ON true
    ${joins(
      level.joins.filter((join) => join.kind !== 'list' || join.list !== nested),
      request,
    )}`
  if (!nested?.rows)
    return Prisma.sql`SELECT ${raw([...columns.root, number, ...columns.row, ...columns.cursor])} ${head} ORDER BY ${raw([order])}`
  const nth = `${nested.rows.scope.alias}.n`
  const once = columns.row.map((sql) => `CASE WHEN ${nth} > 1 THEN NULL ELSE ${sql} END`)
  return Prisma.sql`SELECT ${raw([...columns.root, number, ...once, nth, ...columns.nested, ...columns.cursor])} ${head}
    LEFT JOIN LATERAL ${numbered(nested, request)} ON true ${joins(nested.rows.level.joins, request)}
    ORDER BY ${raw([order, nth])}`
}

/** Returns whether a statement selects only a row's columns, without those of the root and the row's ordinal. */
export const isBare = (root: Level, spliced: List): boolean =>
  root.joins.length === 1 && spliced.rows?.level.joins.length === 0

function joins(all: Join[], request: Request): Prisma.Sql {
  if (all.length === 0) return Prisma.empty
  return Prisma.join(
    all.map((join) => {
      if (join.kind === 'one') {
        const keys = join.keys.map((key) => keySql(key, request))
        return oneJoin(join, join.one.at(keys, join.scope.used))
      }
      if (join.kind === 'count')
        return Prisma.sql`LEFT JOIN LATERAL (${totalSql(join.list, request)}) ${raw([join.alias])} ON true`
      if (join.kind === 'value')
        return Prisma.sql`CROSS JOIN (SELECT ${valueSql(join, request)}::int AS value) ${raw([join.alias])}`
      return Prisma.sql`LEFT JOIN LATERAL (${textSql(join.list, request)}) ${raw([join.list.alias])} ON true`
    }),
    ' ',
  )
}

/** A row that is always found is joined so that the planner sees through it: Citus finds the shard of a user by a constant. */
function oneJoin({ scope, one }: Extract<Join, { kind: 'one' }>, found: Prisma.Sql): Prisma.Sql {
  const row = Prisma.sql`LATERAL (SELECT ${selected(scope)} ${found}) ${raw([scope.alias])}`
  return one.always ? Prisma.sql`CROSS JOIN ${row}` : Prisma.sql`LEFT JOIN ${row} ON true`
}

function keySql(key: Key, request: Request): Prisma.Sql {
  if ('sql' in key) return Prisma.raw(key.sql)
  const args = request.argumentsOf(key.field)
  key.assert?.(args)
  const value = args[key.argument]
  const text = value instanceof Date ? value.toISOString().slice(0, key.type === 'date' ? 10 : undefined) : value
  return Prisma.sql`${text}::${raw([key.type])}`
}

/** Selects the rows of a list under their alias, each with its ordinal `n`. */
function numbered(list: List, request: Request): Prisma.Sql {
  const alias = list.rows?.scope.alias ?? ''
  return Prisma.sql`(SELECT p.*, row_number() OVER () AS n FROM (${rowsSql(list, request)}) p) ${raw([alias])}`
}

/** Selects a list as one row: its JSON, and whether more rows follow. */
function textSql(list: List, request: Request): Prisma.Sql {
  if (!list.rows) throw new Error('a list without rows')
  const { scope, level, item } = list.rows
  const { alias } = scope
  const page = request.pageOf(list)
  const order = `${alias}.n${page?.backward ? ' DESC' : ''}`
  const flagged = list.open && page
  const within = flagged ? Prisma.sql`FILTER (WHERE ${raw([alias])}.n <= ${page.limit})` : Prisma.empty
  const more = flagged
    ? Prisma.sql`, coalesce(bool_or(${raw([alias])}.n > ${page.limit}), false) AS more`
    : Prisma.empty
  return Prisma.sql`SELECT string_agg(${raw([jsonSql(item, request)])}, ',' ORDER BY ${raw([order])}) ${within} AS items ${more}
    FROM ${numbered(list, request)} ${joins(level.joins, request)}`
}

/** Selects a list's rows in order, reversed if backward. A page has an extra row if more follow, unless `exact`. */
function rowsSql(list: List, request: Request): Prisma.Sql {
  if (!list.rows) throw new Error('a list without rows')
  const { scope } = list.rows
  const args = request.argumentsOf(list.field)
  if (list.sqlField.kind === 'rows') {
    const { rows } = list.sqlField
    return Prisma.sql`SELECT ${selected(scope)} ${rows.of(
      args,
      list.owner.map((sql) => Prisma.raw(sql)),
      scope.used,
    )}`
  }
  const { filter } = list.sqlField.list
  const listing = listingOf(list, args, request)
  const page = request.pageOf(list)
  if (!page) throw new Error('a connection without a page')
  const filtered = request.sharded ? withoutSet(filter(args)) : filter(args)
  const united = filtered.branches || filtered.set || page.after || page.before
  const keys = list.cursors || united ? listing.order : []
  const more = keys.filter(({ field }) => !(field in scope.columns))
  for (const { field } of keys) if (field in scope.columns) scope.used.add(field)
  const columns = Prisma.join([
    selected(scope, listing.columns),
    ...more.map((o) => Prisma.raw(`${o.column} AS "${o.field}"`)),
  ])
  return pageSql(listing, columns, filtered, page, owned(list))
}

/** Selects the total of a list as one row with `total`. */
function totalSql(list: List, request: Request): Prisma.Sql {
  if (list.sqlField.kind !== 'list') throw new Error('no connection')
  const { filter, total, assertCountable } = list.sqlField.list
  const args = request.argumentsOf(list.field)
  const stored = total?.sql(args, list.column)
  if (stored === undefined) assertCountable?.(args)
  return stored === undefined
    ? countSql(listingOf(list, args, request), filter(args), owned(list))
    : Prisma.raw(`SELECT ${stored} AS total`)
}

function valueSql(
  { list: { sqlField, field }, name }: Extract<Join, { kind: 'value' }>,
  request: Request,
): number | null {
  if (sqlField.kind !== 'list') throw new Error('no connection')
  return sqlField.list.values?.[name]?.(request.argumentsOf(field)) ?? null
}

/** Returns the listing of a connection. With `recordset`, it reads from the owner's row. */
function listingOf({ sqlField, owner }: List, args: Record<string, any>, { sharded }: Request): Listing<unknown> {
  if (sqlField.kind !== 'list') throw new Error('no connection')
  const listing: Listing<unknown> = listingIn(sqlField.list.listing(args), sharded)
  return listing.recordset === undefined ? listing : fromRecordset(listing, Prisma.raw(`unnest(${owner[0]})`))
}

function owned({ sqlField, owner }: List): Prisma.Sql[] {
  if (sqlField.kind !== 'list' || sqlField.list.listing({}).recordset !== undefined) return []
  return (sqlField.list.owner?.columns ?? []).map(({ column }, i) => Prisma.raw(`${column} = ${owner[i]}`))
}

/** @param columns the row's columns, whose SQL may depend on the list's arguments */
const selected = ({ used, columns: all }: Scope, columns: Columns = all) =>
  used.size === 0
    ? Prisma.raw('true AS present')
    : Prisma.raw([...used].map((field) => `${columns[field]?.sql} AS "${field}"`).join(', '))

const raw = (sql: string[]) => Prisma.raw(sql.join(', '))

/** Postgres allows at most 100 arguments of a function. */
const MAX_ARGUMENTS = 90

/** Builds SQL that writes a piece as JSON text. */
export function jsonSql(piece: Piece, request: Request): string {
  const parts = argumentsOf(piece, request)
  const chunks: string[] = []
  for (let at = 0; at < parts.length; at += MAX_ARGUMENTS)
    chunks.push(`concat(${parts.slice(at, at + MAX_ARGUMENTS).join(', ')})`)
  return chunks.join(' || ')
}

function argumentsOf(piece: Piece, request: Request): string[] {
  const parts: ({ text: string } | { sql: string })[] = []
  const text = (more: string) => {
    const last = parts.at(-1)
    if (last && 'text' in last) last.text += more
    else parts.push({ text: more })
  }
  const sql = (of: string) => void parts.push({ sql: of })
  const add = (one: Piece): void => {
    switch (one.kind) {
      case 'constant':
        text(one.json)
        return
      case 'leaf':
        sql(leafSql(one.sql, one.as))
        return
      case 'object': {
        if (one.presence !== undefined) {
          const whole = jsonSql({ kind: 'object', members: one.members }, request)
          sql(`CASE WHEN ${one.presence} IS NULL THEN 'null' ELSE ${whole} END`)
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
        text('[')
        sql(`${one.list.alias}.items`)
        text(']')
        return
      case 'concatenated':
        text('[')
        sql(concatenatedSql(one.lists))
        text(']')
        return
      case 'page': {
        const page = request.pageOf(one.list)
        const flag = page && pageFlag(page, one.of)
        if (flag === undefined) throw new Error('a cursor is not written by Postgres')
        if (flag === 'more') sql(`CASE WHEN ${one.list.alias}.more THEN 'true' ELSE 'false' END`)
        else text(String(flag))
        return
      }
      case 'cursor':
        throw new Error('a cursor is not written by Postgres')
    }
  }
  add(piece)
  return parts.map((part) => ('text' in part ? `'${part.text.replaceAll("'", "''")}'` : part.sql))
}

/** Builds SQL for the rows of several lists as JSON, without the enclosing brackets. */
export const concatenatedSql = (lists: List[]): string =>
  `concat_ws(',', ${lists.map((list) => `${list.alias}.items`)})`

/** Returns a `pageInfo` flag, 'more' if it depends on whether there was an extra row, or undefined for a cursor. */
export function pageFlag(page: Page, of: string): boolean | 'more' | undefined {
  if (of === 'hasNextPage') return page.backward ? page.before !== undefined : 'more'
  if (of === 'hasPreviousPage') return page.backward ? 'more' : page.after !== undefined || page.offset > 0n
  return undefined
}

function leafSql(sql: string, as: Encoding): string {
  switch (as) {
    case 'text':
      return `coalesce(to_json(${sql})::text, 'null')`
    case 'quoted':
      return `coalesce('"' || ${sql} || '"', 'null')`
    case 'date':
      return `coalesce('"' || ${sql} || 'T00:00:00.000Z"', 'null')`
    case 'moment':
      return `coalesce('"' || ${momentSql(sql)} || '"', 'null')`
    case 'boolean':
      return `CASE WHEN ${sql} THEN 'true' WHEN ${sql} IS NULL THEN 'null' ELSE 'false' END`
    default:
      return `coalesce((${sql})::text, 'null')`
  }
}

/** Formats a timestamptz as ISO 8601 in UTC. */
const momentSql = (sql: string): string => `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
