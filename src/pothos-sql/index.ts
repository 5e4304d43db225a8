export type { Batch, SqlContext } from './batches.ts'
export { SqlError } from './errors.ts'
export type { Arguments, HostValue } from './fields/builder.ts'
export type { PageArguments } from './fields/connection.ts'
export { listTypes } from './fields/list-types.ts'
export { defineLookup, type Lookup, lookupIn } from './fields/lookup.ts'
export * as sqlFields from './fields/names.ts'
export type { AssertArguments, SqlField } from './fields/sql-field.ts'
export type { PagedList, PlainList } from './fields/sql-list.ts'
export {
  type Column,
  type ColumnSql,
  type Columns,
  type Described,
  type RowOf,
  sqlColumns,
} from './lists/column.ts'
export type { Conditions, Where } from './lists/filter.ts'
export { type Filter, type KeyType, type Listing, listing } from './lists/listing.ts'
export * as rowFilters from './lists/row-filters.ts'
export type { SortBy } from './lists/sort.ts'
export type { SortKey, SortKeys } from './lists/sort-key.ts'
export type { Answer, Rows } from './plan/answer.ts'
export { Plan } from './plan/plan.ts'
export type { Dialect, Reader, Statement, TextRow } from './reader.ts'
export { type Sql, sql } from './sql-tag.ts'
