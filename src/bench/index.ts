/** The door of the bench: what it knows of operations, for tests. */
export { fixedNames } from './charges/names.ts'
export { fieldsOf, marginsOf, probesOf } from './charges/probes.ts'
export { documents } from './speed/operations.ts'
export { statementTable, taskTable } from './statement-table.ts'
