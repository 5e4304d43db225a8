/** SQL of rows, and reads of many keys at once. */
export { inOrder, rowsOfOwners } from '../fields/sql-field.ts'
export { snakeCase } from '../lists/column.ts'
export { ENCODINGS } from '../lists/encoding.ts'
export { ownersSql, rowOfEach, rowsById, rowsByKey, selectList } from '../lists/listing.ts'
export { constantCase } from '../lists/sort-key.ts'
export { VALUE_TYPES } from '../lists/value-type.ts'
export { empty, join, raw, type Sql, sql } from '../sql-tag.ts'
