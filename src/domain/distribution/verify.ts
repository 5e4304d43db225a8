import type { Pool } from 'pg'
import { ADDRESS, TemporaryTable } from '../../db/temporary-table.ts'
import type { Writer } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'
import type { PositionsSource } from '../../sources/index.ts'
import { digestSql } from '../points/digest.ts'
import { type BasePoints, computedOn } from '../points/formula.ts'
import { pointsOf } from '../points/millionths.ts'
import { inRun } from './run.ts'
import { positionsFailed, stagePositions } from './stage-positions.ts'

interface VerifyDeps {
  pool: Pool
  basePoints: BasePoints
  signal?: AbortSignal
}

/** How the stored points of a date compare with others. */
export interface Verification {
  date: string
  /** The digest on record. Null if none is. */
  digest: string | null
  storedDigest: string
  expectedDigest: string
  userCount: number
  /** The number of positions whose points were imported: the rules do not explain them. */
  importedPositionCount: number
  differingUserCount: number
  /** Users whose points differ, largest difference first. */
  differences: PointsDifference[]
}

// Points are exact decimals, as text. Null on the side that does not know the user.
interface PointsDifference {
  userAddress: string
  stored: string | null
  expected: string | null
}

export const MAX_DIFFERENCES = 1000

const stored = new TemporaryTable('stored_points', { user_address: ADDRESS, points: 'bigint' })

const expected = new TemporaryTable('expected_points', { user_address: ADDRESS, points: 'bigint' })

/**
 * Compares the stored points of users on a date with those that its positions and rules yield or,
 * with a source, with those of another machine. Changes nothing.
 * @throws NOT_FOUND if the date is not stored, SOURCE_FAILED if the source cannot be read or has no
 * points for the date
 */
export async function verify(
  { pool, basePoints, signal }: VerifyDeps,
  day: string,
  { against, first }: { against?: PositionsSource | undefined; first: number },
): Promise<Verification> {
  const work = async (writer: Writer) => {
    const { rows } = await writer.query<{ digest: string | null }>(
      'SELECT digest FROM distribution WHERE date = $1',
      [day],
    )
    if (!rows[0])
      throw new GatewayError('NOT_FOUND', `No positions are stored for ${day}: nothing to verify.`)
    await stored.fill(
      writer,
      'SELECT user_address, points FROM account_day WHERE distribution_date = $1',
      [day],
    )
    await writer.query("SET LOCAL work_mem = '256MB'")
    if (against) await expectOther(writer, { signal, day, against })
    else
      await expected.fill(
        writer,
        `SELECT user_address,
           sum(CASE WHEN given THEN points_a + points_b ELSE computed_a + computed_b END)::bigint
         FROM ${computedOn(basePoints, '$1')} t GROUP BY user_address`,
        [day],
      )
    return { date: day, digest: rows[0].digest, ...(await compare(writer, day, first)) }
  }
  return inRun({ pool, signal, mode: 'ISOLATION LEVEL REPEATABLE READ' }, work)
}

async function expectOther(
  writer: Writer,
  { signal, day, against }: Pick<VerifyDeps, 'signal'> & { day: string; against: PositionsSource },
): Promise<void> {
  const { count } = await stagePositions(writer, against, { day, signal, needsPoints: true })
  if (count === 0) throw positionsFailed(against, `it has no positions of ${day}`)
  await expected.fill(
    writer,
    `SELECT user_address, sum(points_a + points_b)::bigint FROM staged GROUP BY user_address`,
  )
}

async function compare(
  writer: Writer,
  day: string,
  first: number,
): Promise<Omit<Verification, 'date' | 'digest'>> {
  const differing = `(
    SELECT user_address, s.points AS stored, e.points AS expected
    FROM stored_points s FULL JOIN expected_points e USING (user_address)
    WHERE s.points IS DISTINCT FROM e.points) d`
  const { rows } = await writer.query<Omit<Verification, 'date' | 'digest' | 'differences'>>(
    `SELECT (SELECT ${digestSql()} FROM stored_points) AS "storedDigest",
       (SELECT ${digestSql()} FROM expected_points) AS "expectedDigest",
       (SELECT count(*)::int FROM stored_points) AS "userCount",
       (SELECT count(*)::int FROM ${differing}) AS "differingUserCount",
       (SELECT count(*)::int FROM stored_position
        WHERE distribution_date = $1 AND given) AS "importedPositionCount"`,
    [day],
  )
  const { rows: differences } = await writer.query<PointsDifference>(
    `SELECT user_address AS "userAddress",
       ${pointsOf('stored')}::text AS stored, ${pointsOf('expected')}::text AS expected
     FROM ${differing}
     ORDER BY abs(coalesce(stored, 0) - coalesce(expected, 0)) DESC, user_address LIMIT $1`,
    [first],
  )
  if (!rows[0]) throw new Error('a verification counted nothing')
  return { ...rows[0], differences }
}
