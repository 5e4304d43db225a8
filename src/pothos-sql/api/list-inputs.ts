/** The types, arguments and cursors of lists. */
export {
  DEFAULT_PAGE,
  encodeCursor,
  MAX_OFFSET,
  MAX_PAGE,
  readPage,
} from '../fields/connection.ts'
export { addListInputTypes, applyListInputs, filterOf, orderType } from '../fields/list-inputs.ts'
export { listTypes } from '../fields/list-types.ts'
export { directionArgument, listArguments, pageArguments } from '../fields/page-arguments.ts'
export { SCALARS } from '../fields/scalar-names.ts'
export { cursorValues } from '../lists/listing.ts'
export { sortBy } from '../lists/sort.ts'
