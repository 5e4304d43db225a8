import type pg from 'pg'
import type { Merge, Topology } from './topology.ts'

/**
 * Merges rows.
 * @returns how many were missing or differed: a cluster counts the equal ones too, but does not
 * return them
 */
export async function mergeRows(
  client: Pick<pg.ClientBase, 'query'>,
  topology: Topology,
  merge: Merge,
): Promise<number> {
  const sql = topology.merge(merge)
  const { rowCount } = await client.query(
    topology.form({ one: sql, cluster: `${sql} RETURNING true` }),
  )
  return rowCount ?? 0
}

/** SQL of whether a row changes the stored one. */
export const differs = (stored: string, values: string, row: string, appended: string[]): string =>
  [
    `(${stored}) IS DISTINCT FROM (${values})`,
    ...appended.map((column) => `${row}.${column} IS NOT NULL`),
  ].join(' OR ')

/** The assignments that change the stored row `t`. */
export const changes = (row: string, values: string[], appended: string[]): string =>
  [
    ...values.map((column) => `${column} = ${row}.${column}`),
    ...appended.map(
      (column) =>
        `${column} = coalesce(t.${column} || ${row}.${column}, ${row}.${column}, t.${column})`,
    ),
  ].join(', ')
