import { finished } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { GatewayError } from '../../errors.ts'
import type { PositionsSource } from '../../sources/positions-source.ts'
import { Chunk } from '../dataset/chunk.ts'
import { storedEntities } from '../dataset/entities.ts'
import { readLines } from '../../sources/lines.ts'
import { type Problem, rowReader } from '../dataset/reader.ts'
import { records } from '../dataset/records.ts'
import { type UpsertSql, upsertSql } from '../dataset/upsert.ts'
import { settle, takeTurn } from '../points/settle.ts'
import { type RunDeps, recompute } from './resync.ts'
import { claimDate, type DistributionRun, finishedRun, inRun, runDate } from './run.ts'

/**
 * Replaces a distribution date's positions by those that the source has for it, and computes their points with the
 * present multipliers: all of it lands or none. Other writers wait only for the storing, not for the source.
 * @param date the distribution date; null: the current one, in UTC
 * @throws BAD_INPUT for a date in the future, UNAVAILABLE without a source, CONFLICT while a run has the date,
 *   SOURCE_FAILED when the source cannot be read, has a bad line, or has no positions of the date
 */
export async function manualUpdate(
  { pool, basePoints, now, signal, positionsSource }: RunDeps & { positionsSource: PositionsSource | undefined },
  date: Date | null,
): Promise<DistributionRun> {
  const startedAt = now()
  const day = runDate(date ?? startedAt, startedAt)
  if (!positionsSource)
    throw new GatewayError('UNAVAILABLE', 'No source of positions is configured. Set POSITIONS_SOURCE, then try again.')
  const sql = upsertSql('positions', basePoints)
  return inRun({ pool, signal }, async (client) => {
    await claimDate(client, day)
    await client.query(sql.create)
    const staged = await stage(client, sql, positionsSource, day)
    if (staged === 0) throw failed(positionsSource, `it has no positions of ${day}; the stored ones stay as they are`)
    await client.query('ANALYZE staged')
    await takeTurn(client)
    const removed = await removeOthers(client, day)
    await assertIdsFree(client, positionsSource, sql.clashes)
    for (const { text } of sql.upserts) await client.query(text)
    await recompute(client, basePoints, day)
    await settle(client, { dates: [day], kind: 'manualupdate', startedAt, removed })
    return finishedRun(client, day, startedAt)
  })
}

/** Copies the source's positions of a day into the staging table; the last of a key stays. */
async function stage(client: PoolClient, sql: UpsertSql, source: PositionsSource, day: string): Promise<number> {
  const dataset = await source.positions(day)
  const opened = await dataset.open('positions')
  if (!opened) throw failed(source, 'it has no positions file')
  const read = rowReader(records.positions, await storedEntities(client))
  const dateAt = Object.keys(records.positions.fields).indexOf('distributionDate')
  const chunk = new Chunk()
  let rows = 0
  const flush = async () => {
    const copy = client.query(copyFrom(sql.copy))
    copy.end(chunk.toBuffer())
    await finished(copy)
    rows += chunk.rows
    chunk.clear()
  }
  try {
    for await (const { first, lines } of readLines(opened.stream))
      for (const [at, line] of lines.entries()) {
        const row = typeof line === 'string' ? read(line) : [line]
        if (row === undefined) continue
        if (Array.isArray(row)) {
          const problem: Problem | undefined = row[0]
          const field = problem?.field ? `${problem.field} ` : ''
          throw failed(source, `${opened.label}:${first + at}: ${field}${problem?.reason}`)
        }
        if (!row.texts[dateAt]?.startsWith(day)) continue
        chunk.add(row, first + at)
        if (chunk.isFull) await flush()
      }
    if (chunk.rows > 0) await flush()
  } catch (error) {
    throw error instanceof GatewayError || isStoreError(error)
      ? error
      : failed(source, 'it could not be read to its end')
  } finally {
    opened.stream.destroy()
  }
  await client.query(sql.keepLast)
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

/** An error that Postgres or the connection to it gave: not the source's. */
const isStoreError = (error: unknown) =>
  error instanceof Error && ('severity' in error || /connection terminated/i.test(error.message))
