import { hash } from 'node:crypto'
import type { Queryable } from '../../db/write.ts'
import { SHOWN } from './import-error.ts'

/** 66 bits, so that two different texts of a file never have the same in practice. */
export const digestOf = (text: string): string => hash('sha1', text, 'base64').slice(0, 11)

/** A line with the key of an earlier line, but other values. */
export interface Conflict {
  line: number
  first: number
}

/**
 * Finds the conflicts in a table of lines with the digests of their keys and values.
 * @returns the first ones, and the number of all
 */
export async function findConflicts(
  client: Queryable,
  table: string,
): Promise<{ conflicts: Conflict[]; count: number }> {
  const { rows } = await client.query<Conflict & { count: number }>(
    `SELECT line::float8, first::float8, count(*) OVER ()::int AS count
     FROM (
       SELECT line, values_digest,
         first_value(line) OVER lines AS first,
         first_value(values_digest) OVER lines AS first_digest
       FROM ${table}
       WHERE key_digest IN (
         SELECT key_digest FROM ${table}
         GROUP BY key_digest HAVING min(values_digest) <> max(values_digest))
       WINDOW lines AS (PARTITION BY key_digest ORDER BY line)) same_key
     WHERE values_digest <> first_digest
     ORDER BY line LIMIT ${SHOWN}`,
  )
  return { conflicts: rows, count: rows[0]?.count ?? 0 }
}

/** Says what is wrong with a line that has a conflict, as a clause. */
export const conflictReason = (first: number, key: string[]): string =>
  `has the same key as line ${first} (${key.join(', ')}), but other values`
