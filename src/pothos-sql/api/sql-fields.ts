/** Options of fields: their SQL for plans, and the same as a resolver. */
export { columnFields as columns } from '../fields/column-fields.ts'
export {
  column,
  columnAsOf,
  defineLookup,
  embedded,
  firstOf,
  keyOrForever,
  list,
  lookup,
  lookupBy,
  lookupColumn,
  lookupIn,
  nodeId,
  ownedBy,
  resolvedList,
  rows,
  sqlField as declare,
} from '../fields/sql-field.ts'
