/**
 * SQL that makes every statement that reads a table fail in a way that no client could mend, and
 * SQL that mends it.
 */
export const makeFaulty = (table: string) =>
  `ALTER TABLE ${table} RENAME TO ${table}_gone; CREATE VIEW ${table} AS SELECT * FROM ${table}_gone WHERE 1 / 0 = 1`
export const mendFaulty = (table: string) =>
  `DROP VIEW ${table}; ALTER TABLE ${table}_gone RENAME TO ${table}`
