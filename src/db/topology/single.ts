import { Prisma } from '../../generated/prisma/client.ts'
import type { AboutUsers, Forms, Merge, Topology } from './topology.ts'

/** All rows are in one Postgres. */
export const single: Topology = {
  session: {},
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  form: <T>({ one }: Forms<T>) => one,
  together: ({ ctes, select }: AboutUsers) =>
    ctes
      ? Prisma.sql`WITH ${ctes}
    ${select}`
      : select,
  answers: async () => true,
  textRows: (reader, query) => reader.textRows(query),
  temporary: (table) => table,
  merge({ into, key, values, from }: Merge) {
    const columns = [...key, ...values]
    const of = (row: string, some: string[]) => some.map((column) => `${row}.${column}`).join(', ')
    return `MERGE INTO ${into} t USING ${from} s ON ${key.map((column) => `t.${column} = s.${column}`).join(' AND ')}
    WHEN MATCHED AND (${of('t', values)}) IS DISTINCT FROM (${of('s', values)}) THEN UPDATE SET ${values.map((column) => `${column} = s.${column}`).join(', ')}
    WHEN NOT MATCHED THEN INSERT (${columns.join(', ')}) VALUES (${of('s', columns)})`
  },
  async announce() {},
  async analyze(client, tables) {
    for (const table of tables) await client.query(`ANALYZE ${table}`)
  },
}
