import type { Queryable } from '../connect/protocol.ts'

// The rights that the role of a connection lacks, as the SQL that grants them.
interface Rights {
  role: string
  /** The number of tables, without the records of migrations. */
  tables: number
  toRead: string[]
  toWrite: string[]
  recordsRuns: boolean
}

/** Reads the rights that the role has to the tables. Changes nothing. */
export async function readRights(client: Queryable): Promise<Rights> {
  const { rows } = await client.query(
    `SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
       has_schema_privilege('public', 'USAGE') AS enters,
       has_database_privilege(current_database(), 'TEMPORARY') AS stages,
       current_setting('transaction_read_only') = 'off' OR pg_is_in_recovery() AS changes,
       count(*) FILTER (WHERE writable)::int AS tables,
       bool_and(relkind = 'S' OR has_any_column_privilege(oid, 'SELECT')) AS reads,
       bool_and(NOT writable OR has_table_privilege(oid, 'INSERT')
         AND has_table_privilege(oid, 'UPDATE')
         AND has_table_privilege(oid, 'DELETE')) AS writes,
       bool_and(CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE') END) AS counts,
       bool_and(has_table_privilege(oid, 'INSERT')) FILTER (WHERE relname = 'run') AS records
     FROM pg_class, LATERAL (SELECT relkind IN ('r', 'p')
       AND relname <> '_prisma_migrations' AS writable) AS kind
     WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p', 'v', 'S')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`,
  )
  const { role, database, tables, enters, reads, writes, counts, stages, changes, records } =
    rows[0]
  const grants = (...wanted: [boolean | null, string][]) =>
    wanted.flatMap(([has, sql]) => (has === false ? [`${sql};`] : []))
  return {
    role,
    tables,
    toRead: grants(
      [enters, `GRANT USAGE ON SCHEMA public TO ${role}`],
      [reads, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`],
    ),
    toWrite: grants(
      [writes, `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`],
      [counts, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`],
      [stages, `GRANT TEMPORARY ON DATABASE ${database} TO ${role}`],
      [changes, `ALTER ROLE ${role} SET default_transaction_read_only = off`],
    ),
    recordsRuns: changes && records === true,
  }
}
