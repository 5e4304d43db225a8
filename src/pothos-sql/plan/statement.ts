import type { Arguments } from '../fields/builder.ts'
import { readPage } from '../fields/connection.ts'
import { filterOfList, inOrder, type PagedList } from '../fields/sql-list.ts'
import type { Columns } from '../lists/column.ts'
import { countSql, type Filter, filterIn, ofOwner, type Page, pageSql } from '../lists/listing.ts'
import type { Dialect } from '../reader.ts'
import * as Prisma from '../sql-tag.ts'
import { type Layout, ordinalOf } from './layout.ts'
import {
  type Field,
  type Join,
  type Key,
  type Level,
  type List,
  type Scope,
  selectUsed,
} from './piece.ts'
import { jsonSql } from './write.ts'

export interface Request {
  /** Returns the coerced arguments of a field. */
  argumentsOf(field: Field): Arguments
  /** Returns the page of a connection; undefined for a plain list. */
  pageOf(list: List): Page | undefined
  dialect: Dialect
}

/**
 * Returns the page for a connection's arguments. `after` replaces the cursor argument.
 * @throws BAD_INPUT
 */
export function pageFor(
  { sqlList, open }: List,
  args: Arguments,
  after?: Prisma.Sql[],
): Page | undefined {
  if (!sqlList.listing) return undefined
  const page = readPage(sqlList.listing(args), after ? { ...args, after: undefined } : args)
  return { ...page, ...(after && { after }), exact: !open }
}

/**
 * Builds the statement that reads a whole answer.
 * @param cursor columns to append to those of the layout
 */
export function statement(
  root: Level,
  layout: Layout,
  cursor: string[],
  request: Request,
): Prisma.Sql {
  const { spliced, nested, nestedOrder } = layout
  const columns = raw([...layout.columns, ...cursor])
  if (!spliced?.rows)
    return Prisma.sql`SELECT ${columns} FROM (SELECT) r ${joins(root.joins, request)}`
  const { scope, level } = spliced.rows
  if (layout.bare)
    return Prisma.sql`SELECT ${columns} FROM (${rowsSql(spliced, request)}) ${raw([scope.alias])}`
  const others = root.joins.filter((join) => join.kind !== 'list' || join.list !== spliced)
  const ofRows = joins(
    level.joins.filter((join) => join.kind !== 'list' || join.list !== nested),
    request,
  )
  if (layout.ordered) {
    const order = orderOf(spliced, scope, request)
    const rows = rowsSql(spliced, request, order)
    const alias = raw([scope.alias])
    const root = Prisma.sql`(SELECT) r ${joins(others, request)}`
    // Postgres keeps the order of the rows only if it joins them to nothing that may lack rows.
    let from = Prisma.sql`(${rows}) ${alias}`
    if (!layout.alone)
      from = Prisma.sql`${root}
        LEFT JOIN LATERAL (SELECT p.*, true AS n FROM (${rows}) p) ${alias} ON true`
    else if (others.length > 0) from = Prisma.sql`${root} CROSS JOIN LATERAL (${rows}) ${alias}`
    const terms = order.map(({ name, direction }) => `${scope.alias}."${name}" ${direction}`)
    return Prisma.sql`SELECT ${columns} FROM ${from} ${ofRows} ORDER BY ${raw(terms)}`
  }
  const number = ordinalOf(spliced)
  const order = request.pageOf(spliced)?.backward ? `${number} DESC` : number
  const head = Prisma.sql`FROM (SELECT) r ${joins(others, request)}
    LEFT JOIN LATERAL ${numbered(spliced, request)} ON true
    ${ofRows}`
  if (!nested?.rows) return Prisma.sql`SELECT ${columns} ${head} ORDER BY ${raw([order])}`
  const rows = nestedOrder ? unordered(nested, request) : numbered(nested, request)
  return Prisma.sql`SELECT ${columns} ${head}
    LEFT JOIN LATERAL ${rows} ON true ${joins(nested.rows.level.joins, request)}
    ORDER BY ${raw([order, ...(nestedOrder ?? [ordinalOf(nested)])])}`
}

function joins(all: Join[], request: Request): Prisma.Sql {
  if (all.length === 0) return Prisma.empty
  return Prisma.join(
    all.map((join) => {
      if (join.kind === 'lookup') {
        const keys = join.keys.map((key) => keySql(key, request))
        return lookupJoin(join, join.lookup.at(...keys))
      }
      if (join.kind === 'count') return leftJoin(totalSql(join.list, request), join.alias)
      if (join.kind === 'value')
        return Prisma.sql`CROSS JOIN
          (SELECT ${valueSql(join, request)}::int AS value) ${raw([join.alias])}`
      return leftJoin(textSql(join.list, request), join.list.alias)
    }),
    ' ',
  )
}

const leftJoin = (rows: Prisma.Sql, alias: string) =>
  Prisma.sql`LEFT JOIN LATERAL (${rows}) ${raw([alias])} ON true`

// A row that is always found is joined so that the planner sees through it, and sees constants
// within.
function lookupJoin(
  { scope, lookup }: Extract<Join, { kind: 'lookup' }>,
  found: Prisma.Sql,
): Prisma.Sql {
  const row = Prisma.sql`LATERAL (SELECT ${selected(scope)} ${found}) ${raw([scope.alias])}`
  return lookup.always ? Prisma.sql`CROSS JOIN ${row}` : Prisma.sql`LEFT JOIN ${row} ON true`
}

function keySql(key: Key, request: Request): Prisma.Sql {
  if ('sql' in key) return Prisma.raw(key.sql)
  const sent = request.argumentsOf(key.field)[key.argument]
  const value = key.read ? key.read(sent) : sent
  const text =
    value instanceof Date
      ? value.toISOString().slice(0, key.type === 'date' ? 10 : undefined)
      : value
  return Prisma.sql`${text}::${raw([key.type])}`
}

// Selects the rows of a list under their alias, each with its ordinal `n`.
function numbered(list: List, request: Request): Prisma.Sql {
  const alias = list.rows?.scope.alias ?? ''
  return Prisma.sql`(SELECT p.*, row_number() OVER () AS n
    FROM (${rowsSql(list, request)}) p) ${raw([alias])}`
}

// Selects the rows of a plain list under their alias, each with an `n` that is not null.
function unordered({ sqlList, rows, field, owner }: List, request: Request): Prisma.Sql {
  if (!rows || sqlList.listing) throw new Error('no plain list')
  const { scope } = rows
  const args = request.argumentsOf(field)
  const from = sqlList.from({ args, used: scope.used }, ...owner.map(Prisma.raw))
  return Prisma.sql`(SELECT true AS n, ${selected(scope)} ${from}) ${raw([scope.alias])}`
}

// Selects a list as one row: its JSON, and whether more rows follow.
function textSql(list: List, request: Request): Prisma.Sql {
  if (!list.rows) throw new Error('a list without rows')
  const { scope, level, item } = list.rows
  const { alias } = scope
  const page = request.pageOf(list)
  const order = `${alias}.n${page?.backward ? ' DESC' : ''}`
  const flagged = list.open && page
  const within = flagged
    ? Prisma.sql`FILTER (WHERE ${raw([alias])}.n <= ${page.limit})`
    : Prisma.empty
  const more = flagged
    ? Prisma.sql`, coalesce(bool_or(${raw([alias])}.n > ${page.limit}), false) AS more`
    : Prisma.empty
  const json = raw([jsonSql(item, request.pageOf)])
  const items = Prisma.sql`string_agg(${json}, ',' ORDER BY ${raw([order])}) ${within}`
  return Prisma.sql`SELECT ${items} AS items ${more}
    FROM ${numbered(list, request)} ${joins(level.joins, request)}`
}

// A column that the rows of a list are ordered by, under its name in the page.
interface Order {
  name: string
  column: string
  direction: string
  /** True if the page selects it as one of the row's columns. */
  isField: boolean
}

// The order of a list. Columns that equal one of the owner are the same in all rows.
function orderOf(list: List, scope: Scope, request: Request): Order[] {
  const { order, columns } = pagedOf(list).listing(request.argumentsOf(list.field))
  return order
    .map(({ field, column, direction }, i) => {
      const isField = field in scope.columns && columns[field]?.sql === column
      return { name: isField ? field : `order ${i}`, column, direction, isField }
    })
    .filter(({ name, isField }) => !isField || !scope.isOwned(name))
}

// Selects a list's rows in order, reversed if backward. A page has an extra row if more follow,
// unless `exact`.
// `order`: what the page selects in addition, to be ordered by
function rowsSql(list: List, request: Request, order: Order[] = []): Prisma.Sql {
  if (!list.rows) throw new Error('a list without rows')
  const { scope } = list.rows
  const { sqlList } = list
  const args = request.argumentsOf(list.field)
  if (!sqlList.listing) {
    for (const name of sqlList.order ?? []) scope.used.add(name)
    const from = inOrder(sqlList, { args, used: scope.used }, ...list.owner.map(Prisma.raw))
    return Prisma.sql`SELECT ${selected(scope)} ${from}`
  }
  const listing = sqlList.listing(args)
  const page = request.pageOf(list)
  if (!page) throw new Error('a connection without a page')
  const filtered = filterIn(filterOfRows(list, sqlList, args), request.dialect)
  const united = filtered.branches || filtered.set || page.after || page.before
  const keys = list.cursors || united ? listing.order : []
  const more = keys.filter(({ field }) => !(field in scope.columns))
  for (const { field } of keys) if (field in scope.columns) scope.used.add(field)
  for (const { name, isField } of order) if (isField) scope.used.add(name)
  const columns = Prisma.join([
    selected(scope, listing.columns),
    ...more.map((o) => Prisma.raw(`${o.column} AS "${o.field}"`)),
    ...order.filter(({ isField }) => !isField).map((o) => Prisma.raw(`${o.column} AS "${o.name}"`)),
  ])
  return pageSql(listing, columns, filtered, page)
}

function totalSql(list: List, request: Request): Prisma.Sql {
  const paged = pagedOf(list)
  const args = request.argumentsOf(list.field)
  const stored = paged.total?.sql(args, list.column)
  if (stored !== undefined) return Prisma.raw(`SELECT ${stored} AS total`)
  paged.assertCountable?.(args)
  return countSql(paged.listing(args), filterOfRows(list, paged, args))
}

const valueSql = (
  { list, name }: Extract<Join, { kind: 'value' }>,
  request: Request,
): number | null => pagedOf(list).values?.[name]?.(request.argumentsOf(list.field)) ?? null

function pagedOf({ sqlList }: List): PagedList {
  if (!sqlList.listing) throw new Error('no connection')
  return sqlList
}

const filterOfRows = ({ owner }: List, paged: PagedList, args: Arguments): Filter =>
  ofOwner(filterOfList(paged, args), paged.owner?.columns ?? [], owner.map(Prisma.raw))

// `columns`: the row's columns, whose SQL may depend on the list's arguments
const selected = ({ used, columns: all }: Scope, columns: Columns = all) =>
  used.size === 0 ? Prisma.raw('true AS present') : raw(selectUsed(used, columns))

const raw = (sql: string[]) => Prisma.raw(sql.join(', '))
