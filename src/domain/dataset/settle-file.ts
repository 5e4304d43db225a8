import type { Writer } from '../../db/write.ts'
import type { DatasetFile } from '../../sources/index.ts'
import type { EntityType } from '../holding/place.ts'
import { factorsOf } from '../multiplier/rule.ts'
import { refreshMovers } from '../position/mover.ts'
import type { ImportRuns } from './import-runs.ts'

/** Does the work that depends on a whole file, after it is stored. */
export async function settleFile(
  writer: Writer,
  file: DatasetFile,
  runs: ImportRuns | undefined,
): Promise<void> {
  switch (file) {
    case 'base-points-revisions':
      return continueIds(writer, 'base_points_revision')
    case 'multiplier-revisions':
      return continueIds(writer, 'multiplier_revision')
    case 'multipliers':
      return removeEqualRevisions(writer)
    case 'markets':
      return recordRates(writer, 'market')
    case 'vaults':
      return recordRates(writer, 'vault')
    case 'rates':
      return removeEqualRates(writer)
    case 'prices':
    case 'tokens':
      await refreshMovers(writer)
      return
    case 'runs':
      await runs?.adopt()
      return continueIds(writer, 'run')
  }
}

// Ids that are assigned from now on are larger than the imported ones.
async function continueIds(writer: Writer, table: string): Promise<void> {
  await writer.query(
    `SELECT setval('${table}_id_seq', max(id)) FROM ${table}
     HAVING max(id) >= (SELECT last_value FROM ${table}_id_seq)`,
  )
}

// Triggers record every change as a revision. One that says the same as the rule of its day or of
// today is removed.
async function removeEqualRevisions(writer: Writer): Promise<void> {
  await writer.query(
    `DELETE FROM multiplier_revision t
     WHERE t.recorded_at >= date_trunc('milliseconds', now()) AND t.from_date IS NULL
       AND EXISTS (
         SELECT FROM (VALUES (t.changed_at), (now())) AS at(moment)
         CROSS JOIN LATERAL (
           SELECT * FROM multiplier_revision o
           WHERE o.pool_address = t.pool_address AND o.id < t.id AND o.revoked_at IS NULL
             AND (o.from_date IS NULL OR o.from_date <= (at.moment AT TIME ZONE 'UTC')::date)
           ORDER BY o.id DESC LIMIT 1) before
         WHERE (${factorsOf('before')}) = (${factorsOf('t')}))`,
  )
}

// The same for the rates that triggers have recorded.
async function removeEqualRates(writer: Writer): Promise<void> {
  await writer.query(
    `DELETE FROM rate_revision t
     WHERE t.changed_at = now()::timestamptz(3) AND EXISTS (
       SELECT FROM (
         SELECT * FROM rate_revision o
         WHERE (o.entity_type, o.chain_id, o.entity_id) = (t.entity_type, t.chain_id, t.entity_id)
           AND o.changed_at < t.changed_at
         ORDER BY o.changed_at DESC LIMIT 1) before
       WHERE before.deposit_rate = t.deposit_rate
         AND before.borrow_rate IS NOT DISTINCT FROM t.borrow_rate)`,
  )
}

// Records the rates of markets or vaults that are not their newest revision, where no trigger has
// done so. They are few.
async function recordRates(writer: Writer, kind: EntityType): Promise<void> {
  if (!writer.usersAreRemote) return
  const borrowRate = kind === 'market' ? 'e.borrow_rate' : 'NULL::float8'
  const { rows } = await writer.query(
    `SELECT e.chain_id, e.id AS entity_id, e.deposit_rate, ${borrowRate} AS borrow_rate
     FROM ${kind} e LEFT JOIN (
       SELECT DISTINCT ON (chain_id, entity_id) * FROM rate_revision WHERE entity_type = '${kind}'
       ORDER BY chain_id, entity_id, changed_at DESC) r
       ON r.chain_id = e.chain_id AND r.entity_id = e.id
     WHERE r.entity_id IS NULL
       OR (r.deposit_rate, r.borrow_rate) IS DISTINCT FROM (e.deposit_rate, ${borrowRate})`,
  )
  if (rows.length === 0) return
  await writer.query(
    `INSERT INTO rate_revision (entity_type, chain_id, entity_id, changed_at,
       deposit_rate, borrow_rate)
     SELECT '${kind}'::entity_type, chain_id, entity_id, now()::timestamptz(3),
       deposit_rate, borrow_rate
     FROM json_to_recordset($1) AS r(chain_id bigint, entity_id text,
       deposit_rate float8, borrow_rate float8)
     ON CONFLICT (entity_type, chain_id, entity_id, changed_at)
     DO UPDATE SET deposit_rate = excluded.deposit_rate, borrow_rate = excluded.borrow_rate`,
    [JSON.stringify(rows)],
  )
}
