/** The parts that a server uses besides its schema. */
export { Batches } from './batches.ts'
export {
  DEFAULT_PAGE,
  encodeCursor,
  MAX_OFFSET,
  MAX_PAGE,
  readPage,
} from './fields/connection.ts'
export { addListInputTypes, applyListInputs, filterOf, orderType } from './fields/list-inputs.ts'
export { directionArgument, listArguments, pageArguments } from './fields/page-arguments.ts'
export { SCALARS } from './fields/scalar-names.ts'
export { inOrder, resolvedList, rowsOfOwners } from './fields/sql-list.ts'
export { snakeCase } from './lists/column.ts'
export { ENCODINGS } from './lists/encoding.ts'
export { conditionOf, type FilterLookup, hasOnly, withoutKeys } from './lists/filter.ts'
export {
  cursorValues,
  ownersSql,
  rowOfEach,
  rowsById,
  rowsByKey,
  selectList,
} from './lists/listing.ts'
export { sortBy } from './lists/sort.ts'
export { constantCase } from './lists/sort-key.ts'
export { VALUE_TYPES } from './lists/value-type.ts'
export { HOLE } from './plan/form.ts'
export {
  type Fragments,
  fieldsOf,
  fragmentOf,
  fragmentsOf,
  type SwitchValues,
  switchesOf,
  Variants,
} from './selection.ts'
export { resolveInTurns, Turns } from './turns.ts'
export { MAX_VARIABLE_ERRORS, readVariables } from './variables.ts'
