import type { Pool, PoolClient } from 'pg'
import { inTransaction } from '../../db/connect/transaction.ts'
import { topologyOf } from '../../db/topology/find-topology.ts'
import { GatewayError } from '../../errors.ts'
import type { PositionsSource } from '../../sources/positions/positions-source.ts'
import { conflictReason } from '../dataset/conflicts.ts'
import { records } from '../dataset/records.ts'
import { stageRecords } from '../dataset/stage.ts'
import { upsertSql } from '../dataset/upsert.ts'
import { NULL } from '../dataset/values.ts'
import { computedOn } from '../points/computed.ts'
import { digestSql } from '../points/digest.ts'
import { type BasePoints, pointsError } from '../points/formula.ts'
import { pointsOf } from '../points/millionths.ts'
import { sortStaged } from './replace.ts'
import { sourcePools } from './source-pools.ts'

export interface VerifyDeps {
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

/** Points are exact decimals, as text. Null on the side that does not know the user. */
export interface PointsDifference {
  userAddress: string
  stored: string | null
  expected: string | null
}

export const MAX_DIFFERENCES = 1000

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
  const work = async (client: PoolClient) => {
    const { rows } = await client.query<{ digest: string | null }>(
      'SELECT digest FROM distribution WHERE date = $1',
      [day],
    )
    if (!rows[0])
      throw new GatewayError('NOT_FOUND', `No positions are stored for ${day}: nothing to verify.`)
    await client.query(
      `CREATE TEMP TABLE stored_points ON COMMIT DROP AS
       SELECT user_address, points FROM account_day WHERE distribution_date = $1`,
      [day],
    )
    await client.query("SET LOCAL work_mem = '256MB'")
    if (against) await expectOther(client, { basePoints, signal, day, against })
    else
      await client.query(
        `CREATE TEMP TABLE expected_points ON COMMIT DROP AS SELECT user_address,
           sum(CASE WHEN given THEN points_a + points_b ELSE computed_a + computed_b END)::bigint AS points
         FROM ${computedOn(basePoints, '$1')} t GROUP BY user_address`,
        [day],
      )
    return { date: day, digest: rows[0].digest, ...(await compare(client, day, first)) }
  }
  try {
    return await inTransaction({ pool, signal, mode: 'ISOLATION LEVEL REPEATABLE READ' }, work)
  } catch (error) {
    throw pointsError(error)
  }
}

const POINTS = ['pointsA', 'pointsB'].map((field) =>
  Object.keys(records.positions.fields).indexOf(field),
)
const DATE = Object.keys(records.positions.fields).indexOf('distributionDate')

/** Sums the points of another machine's positions. */
async function expectOther(
  client: PoolClient,
  {
    basePoints,
    signal,
    day,
    against,
  }: Omit<VerifyDeps, 'pool'> & { day: string; against: PositionsSource },
): Promise<void> {
  const failed = (reason: string) =>
    new GatewayError(
      'SOURCE_FAILED',
      `The source of positions, ${against.name}, failed: ${reason}.`,
    )
  const sql = upsertSql('positions', basePoints, await topologyOf(client))
  await client.query(sql.create)
  const fetched = await against.positions(day, { pools: await sourcePools(client), signal })
  const count = await stageRecords(client, fetched, {
    format: records.positions,
    copy: sql.copy,
    keep({ texts }) {
      if (!texts[DATE]?.startsWith(day)) return false
      return POINTS.some((at) => texts[at] === NULL)
        ? { reason: `has no points: an export has them` }
        : true
    },
    failed,
  })
  if (count === 0) throw failed(`it has no positions of ${day}`)
  const conflict = await sortStaged(client, count)
  if (conflict)
    throw failed(
      `${fetched.label}:${conflict.line}: ${conflictReason(conflict.first, records.positions.key)}`,
    )
  await client.query(`CREATE TEMP TABLE expected_points ON COMMIT DROP AS
    SELECT user_address, sum(points_a + points_b)::bigint AS points FROM staged GROUP BY user_address`)
}

async function compare(
  client: PoolClient,
  day: string,
  first: number,
): Promise<Omit<Verification, 'date' | 'digest'>> {
  const differing = `(SELECT user_address, s.points AS stored, e.points AS expected
    FROM stored_points s FULL JOIN expected_points e USING (user_address) WHERE s.points IS DISTINCT FROM e.points) d`
  const { rows } = await client.query<
    Omit<Verification, 'date' | 'digest' | 'importedPositionCount' | 'differences'>
  >(
    `SELECT (SELECT ${digestSql()} FROM stored_points) AS "storedDigest", (SELECT ${digestSql()} FROM expected_points) AS "expectedDigest",
       (SELECT count(*)::int FROM stored_points) AS "userCount", (SELECT count(*)::int FROM ${differing}) AS "differingUserCount"`,
  )
  const imported = await client.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM stored_position WHERE distribution_date = $1 AND given',
    [day],
  )
  const { rows: differences } = await client.query<PointsDifference>(
    `SELECT user_address AS "userAddress", ${pointsOf('stored')}::text AS stored, ${pointsOf('expected')}::text AS expected
     FROM ${differing} ORDER BY abs(coalesce(stored, 0) - coalesce(expected, 0)) DESC, user_address LIMIT $1`,
    [first],
  )
  if (!rows[0]) throw new Error('a verification counted nothing')
  return { ...rows[0], importedPositionCount: imported.rows[0]?.count ?? 0, differences }
}
