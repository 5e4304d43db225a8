import type { ClientBase } from 'pg'

/**
 * The tables that hold what can be read under some names: the tables of these names, their
 * partitions, and those behind views.
 */
export async function tablesBehind(
  client: Pick<ClientBase, 'query'>,
  names: string[],
): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `WITH RECURSIVE behind AS (
       SELECT to_regclass(name)::oid AS oid FROM unnest($1::text[]) name
       UNION
       SELECT next.oid FROM behind CROSS JOIN LATERAL (
         SELECT d.refobjid AS oid FROM pg_rewrite w JOIN pg_depend d ON d.classid =
         'pg_rewrite'::regclass AND d.objid = w.oid
         WHERE w.ev_class = behind.oid AND d.refclassid = 'pg_class'::regclass
         UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = behind.oid
       ) next
     )
     SELECT oid::regclass::text AS table FROM behind JOIN pg_class c USING (oid)
     WHERE c.relkind = 'r' ORDER BY 1`,
    [names],
  )
  return rows.map(({ table }) => table)
}
