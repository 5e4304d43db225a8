export * as listInputs from './api/list-inputs.ts'
export * as resolvers from './api/resolvers.ts'
export * as rowFilters from './api/row-filters.ts'
export * as rowSql from './api/row-sql.ts'
export * as selections from './api/selections.ts'
export * as sqlFields from './api/sql-fields.ts'
export type { Batch, SqlContext } from './batches.ts'
export { SqlError } from './errors.ts'
export type { PageArguments } from './fields/connection.ts'
export type {
  Assert,
  Lookup,
  LookupBy,
  Source,
  SqlField,
  SqlList,
  SqlRows,
} from './fields/sql-field.ts'
export {
  type Column,
  type Columns,
  type Described,
  type RowOf,
  sqlColumns,
} from './lists/column.ts'
export type { Where } from './lists/filter.ts'
export { type Filter, type KeyType, type Listing, listing } from './lists/listing.ts'
export type { SortBy } from './lists/sort.ts'
export type { SortKey, SortKeys } from './lists/sort-key.ts'
export { type Answer, Plan, type Rows } from './plan/plan.ts'
export type { Dialect, Reader, Statement, TextRow } from './reader.ts'
