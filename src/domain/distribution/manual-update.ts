import { finished } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { GatewayError } from '../../errors.ts'
import type { FetchedPositions, PositionsSource } from '../../sources/positions-source.ts'
import { Chunk } from '../dataset/chunk.ts'
import { storedEntities } from '../dataset/entities.ts'
import { type Problem, rowReader } from '../dataset/reader.ts'
import { records } from '../dataset/records.ts'
import { stagedRuns, type UpsertSql, upsertSql } from '../dataset/upsert.ts'
import { assertPrices } from './prices.ts'
import { type DistributionRun, type RunDeps, type RunPlan, runDate, runPlan } from './run.ts'
import { sourcePools } from './source-pools.ts'

export interface ManualUpdateDeps extends RunDeps {
  positionsSource: PositionsSource | undefined
  /** How many times a token's price may be, or be a fraction of, what it was on the date before. */
  maxPriceJump: number
}

/**
 * Replaces a distribution date's positions by those that the source has for it, and computes their points with the
 * present multipliers: all of it lands or none. Other writers wait only for the storing, not for the source.
 * @param date the distribution date; null: the current one, in UTC
 * @param requestedBy who asked, for the run's record
 * @throws BAD_INPUT for a date in the future, UNAVAILABLE without a source, CONFLICT while a run has the date,
 *   SOURCE_FAILED when the source cannot be read, has no positions of the date, or gives what cannot be believed
 */
export async function manualUpdate(
  deps: ManualUpdateDeps,
  date: Date | null,
  requestedBy: string,
): Promise<DistributionRun> {
  return runPlan(deps, manualUpdatePlan(deps, date), requestedBy)
}

/** @throws UNAVAILABLE without a source */
export function manualUpdatePlan(
  { basePoints, positionsSource: source, maxPriceJump, signal }: ManualUpdateDeps,
  date: Date | null,
): RunPlan {
  const sql = upsertSql('positions', basePoints)
  if (!source)
    throw new GatewayError('UNAVAILABLE', 'No source of positions is configured. Set POSITIONS_SOURCE, then try again.')
  return {
    kind: 'manualupdate',
    day: (_, startedAt) => runDate(date ?? startedAt, startedAt),
    async stage(client, day) {
      await client.query(sql.create)
      const pools = await sourcePools(client)
      const fetched = await source.positions(day, { pools, signal })
      const staged = await stage(client, sql, source, fetched, day)
      if (staged === 0) throw failed(source, `it has no positions of ${day}; the stored ones stay as they are`)
      await client.query('ANALYZE staged')
      await assertPrices(client, day, fetched.pricesName, maxPriceJump)
      return fetched.receipts()
    },
    async store(client, day, runId) {
      await client.query(stagedRuns)
      await client.query('INSERT INTO staged_run VALUES ($1, $2)', [day, runId])
      const removed = await removeOthers(client, day)
      await assertIdsFree(client, source, sql.clashes)
      for (const { text } of sql.upserts) await client.query(text)
      return removed
    },
  }
}

/** Copies the source's positions of a day into the staging table; the last of a key stays. */
async function stage(
  client: PoolClient,
  sql: UpsertSql,
  source: PositionsSource,
  { batches, label }: FetchedPositions,
  day: string,
): Promise<number> {
  const read = rowReader(records.positions, await storedEntities(client))
  const dateAt = Object.keys(records.positions.fields).indexOf('distributionDate')
  const chunk = new Chunk()
  let rows = 0
  let duplicates = false
  const flush = async () => {
    const copy = client.query(copyFrom(sql.copy))
    copy.end(chunk.toBuffer())
    await finished(copy)
    rows += chunk.rows
    duplicates ||= chunk.hasDuplicates
    chunk.clear()
  }
  for await (const { first, records } of batches)
    for (const [at, record] of records.entries()) {
      const row = typeof record === 'object' && 'reason' in record ? [record as Problem] : read(record)
      if (row === undefined) continue
      if (Array.isArray(row)) {
        const [problem] = row
        const field = problem?.field ? `${problem.field} ` : ''
        throw failed(source, `${label}:${first + at}: ${field}${problem?.reason}`)
      }
      if (!row.texts[dateAt]?.startsWith(day)) continue
      chunk.add(row, first + at)
      if (chunk.isFull) await flush()
    }
  const chunks = rows > 0
  if (chunk.rows > 0) await flush()
  if (duplicates || chunks) await client.query(sql.keepLast)
  return rows
}

/** Removes the day's stored positions that the source no longer has. @returns their users */
async function removeOthers(client: PoolClient, day: string): Promise<string[]> {
  const { rows } = await client.query<{ user_address: string }>(
    `DELETE FROM position p WHERE p.distribution_date = $1 AND NOT EXISTS (
       SELECT FROM staged s WHERE s.user_address = p.user_address AND s.market_address = p.market_address)
     RETURNING p.user_address`,
    [day],
  )
  if (rows.length > 0)
    await client.query(
      `DELETE FROM position_points pp WHERE pp.distribution_date = $1 AND NOT EXISTS (
         SELECT FROM staged s WHERE s.user_address = pp.user_address AND s.market_address = pp.market_address)`,
      [day],
    )
  return [...new Set(rows.map((row) => row.user_address))]
}

async function assertIdsFree(client: PoolClient, source: PositionsSource, clashes: string | undefined): Promise<void> {
  if (!clashes) return
  const { rows } = await client.query<{ line: number; id: string }>(clashes)
  const [clash] = rows
  if (clash) throw failed(source, `line ${clash.line}: ${clash.id} is the id of another record`)
}

const failed = (source: PositionsSource, reason: string) =>
  new GatewayError('SOURCE_FAILED', `The source of positions, ${source.name}, failed: ${reason}.`)
