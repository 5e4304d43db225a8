/** Options of fields: their SQL for plans, and the same as a resolver. */
export { columnFields as columns } from './column-fields.ts'
export {
  column,
  embedded,
  firstOf,
  list,
  lookup,
  lookupColumn,
  nodeId,
} from './field-options.ts'
export { declare } from './sql-field.ts'
export { ownedBy } from './sql-list.ts'
