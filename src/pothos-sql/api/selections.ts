/** The fields and variables of documents. */
export { HOLE } from '../plan/form.ts'
export {
  type Conditions,
  type Fragments,
  fieldsOf,
  fragmentOf,
  fragmentsOf,
  switchesOf,
  Variants,
} from '../selection.ts'
export { MAX_VARIABLE_ERRORS, readVariables } from '../variables.ts'
