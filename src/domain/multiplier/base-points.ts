import type { Reader } from '../../db/connect/reader.ts'
import { columnsOf, type RowOf } from '../../db/lists/column.ts'
import { selectList } from '../../db/lists/listing.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import type { BasePoints } from '../points/formula.ts'
import { announced, inForce } from './rule.ts'
import { ACTOR, changeMultipliers, type MultiplierDeps } from './update.ts'

export const basePointsColumns = columnsOf(Prisma.BasePointsRevisionScalarFieldEnum, {
  id: {
    type: 'bigint',
    field: 'recordId',
    description: "The revision's number, as a string. Later ones are larger.",
  },
  deposit: { type: 'float', description: 'Base points per day for each dollar supplied, before multipliers.' },
  borrow: { type: 'float', description: 'Base points per day for each dollar borrowed, before multipliers.' },
  fromDate: announced.fromDate,
  changedAt: { type: 'moment', description: 'When the revision was made.' },
  changedBy: {
    type: 'text',
    description: "Who made it: an admin token's name, `cli`, or the database role.",
  },
  revokedAt: announced.revokedAt,
  revokedBy: announced.revokedBy,
})

export type BasePointsRevision = RowOf<typeof basePointsColumns>

export interface BasePointsOn extends BasePoints {
  /** The revision that sets them. Null if those of the settings count. */
  revision: BasePointsRevision | null
}

/** The number of revisions that are listed. */
export const MAX_REVISIONS = 100

export const basePointsRevisions = Prisma.sql`FROM (SELECT * FROM base_points_revision ORDER BY id DESC LIMIT ${MAX_REVISIONS}) t
  ORDER BY t.id DESC`

export const basePointsRevision = (reader: Reader, id: bigint): Promise<BasePointsRevision | null> =>
  reader.models.basePointsRevision.findUnique({ where: { id } })

export async function basePointsOn(reader: Reader, settings: BasePoints, date: Date): Promise<BasePointsOn> {
  const [revision = null] = await reader.$queryRaw<BasePointsRevision[]>`
    SELECT ${selectList(basePointsColumns)} FROM base_points_rule t
    WHERE ${Prisma.raw(inForce('t', `date '${isoDay(date)}'`))}`
  return { deposit: revision?.deposit ?? settings.deposit, borrow: revision?.borrow ?? settings.borrow, revision }
}

export interface BasePointsUpdate extends BasePoints {
  /** The first distribution date that they count for. Without it they count for every date. */
  from?: Date | null | undefined
}

/**
 * Sets the base points of every date, or of a date and all later ones. Stored points do not change until their date is resynced.
 * @returns the number of the revision
 * @throws BAD_INPUT for a number that is negative or not finite
 */
export function setBasePoints(deps: MultiplierDeps, update: BasePointsUpdate, requestedBy: string): Promise<bigint> {
  const { deposit, borrow, from } = update
  for (const [name, value] of Object.entries({ deposit, borrow }))
    if (!Number.isFinite(value) || value < 0) throw badArgument(name, 'must be a finite number from 0 up')
  return changeMultipliers(deps, requestedBy, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO base_points_revision (deposit, borrow, from_date, changed_by) VALUES ($1, $2, $3, ${ACTOR}) RETURNING id`,
      [deposit, borrow, from ? isoDay(from) : null],
    )
    return BigInt(rows[0]?.id ?? 0)
  })
}
