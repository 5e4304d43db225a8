import { Prisma } from '../../generated/prisma/client.ts'
import { changes, differs } from './merge.ts'
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
  temporary: (table) => table,
  merge({ into, key, values, appended = [], from }: Merge) {
    const columns = [...key, ...values, ...appended]
    const of = (row: string, some: string[]) => some.map((column) => `${row}.${column}`).join(', ')
    const equal = key.map((column) => `t.${column} = s.${column}`).join(' AND ')
    return `MERGE INTO ${into} t USING ${from} s ON ${equal}
    WHEN MATCHED AND (${differs(of('t', values), of('s', values), 's', appended)}) THEN UPDATE SET ${changes('s', values, appended)}
    WHEN NOT MATCHED THEN INSERT (${columns.join(', ')}) VALUES (${of('s', columns)})`
  },
  async announce() {},
  async analyze(client, tables) {
    for (const table of tables) await client.query(`ANALYZE ${table}`)
  },
}
