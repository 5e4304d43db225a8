import { type RowOf, sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { type BasePoints, literal } from '../points/formula.ts'
import { announced, inForce } from './rule.ts'
import { ACTOR, type ChangeDeps, changeMultipliers } from './update.ts'

const protectedMinLtv = {
  type: 'float',
  nullable: true,
  description:
    'The least LTV of a side at which its protected supply earns points: the debt of the other ' +
    'side by the supply of this one, as a fraction. Null: any debt is enough.',
} as const

export const basePointsColumns = sqlColumns(Prisma.BasePointsRevisionScalarFieldEnum, {
  id: {
    type: 'bigint',
    field: 'recordId',
    description: "The revision's number. Later ones are larger.",
  },
  deposit: {
    type: 'float',
    description: 'Base points per day for each dollar supplied, before multipliers.',
  },
  borrow: {
    type: 'float',
    description: 'Base points per day for each dollar borrowed, before multipliers.',
  },
  protectedMinLtv,
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

export const basePointsOnColumns = sqlColumns({
  deposit: {
    sql: 't.deposit',
    type: 'float',
    description: 'Base points per day for each dollar supplied.',
  },
  borrow: {
    sql: 't.borrow',
    type: 'float',
    description: 'Base points per day for each dollar borrowed.',
  },
  protectedMinLtv: { ...protectedMinLtv, sql: 't.protected_min_ltv' },
  /** The revision that sets them. Null if those of the settings count. */
  revisionId: { sql: 't.id', type: 'bigint', nullable: true },
})

export type BasePointsOn = RowOf<typeof basePointsOnColumns>

/** The number of revisions that are listed. */
export const MAX_REVISIONS = 100

export const basePointsRevisions = Prisma.sql`FROM (SELECT * FROM base_points_revision
  ORDER BY id DESC LIMIT ${MAX_REVISIONS}) t
  ORDER BY t.id DESC`

export const basePointsRevision = (
  reader: Reader,
  id: bigint,
): Promise<BasePointsRevision | null> =>
  reader.models.basePointsRevision.findUnique({ where: { id } })

/** The FROM clause for `basePointsOnColumns`: of a distribution date or, without one, of today. */
export const basePointsOn =
  (settings: BasePoints) =>
  (date: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`FROM (
    SELECT ${Prisma.raw(`r.id, coalesce(r.deposit, ${literal(settings.deposit)}) AS deposit,
      coalesce(r.borrow, ${literal(settings.borrow)}) AS borrow, r.protected_min_ltv`)}
    FROM (SELECT coalesce(nullif(${date}, 'infinity'), (now() AT TIME ZONE 'UTC')::date) AS date) d
    LEFT JOIN base_points_rule r ON ${Prisma.raw(inForce('r', 'd.date'))}) t`

interface BasePointsUpdate extends BasePoints {
  /** The least LTV at which protected supply earns points. Without it any debt is enough. */
  protectedMinLtv?: number | null | undefined
  /** The first distribution date that they count for. Without it they count for every date. */
  from?: Date | null | undefined
}

/**
 * Sets the base points of every date, or of a date and all later ones. Stored points do not change
 * until their date is resynced.
 * @returns the number of the revision
 * @throws BAD_INPUT for points that are negative or not finite, or an LTV outside 0 to 1
 */
export function setBasePoints(
  deps: ChangeDeps,
  update: BasePointsUpdate,
  requestedBy: string,
): Promise<bigint> {
  const { deposit, borrow, protectedMinLtv = null, from } = update
  for (const [name, value] of Object.entries({ deposit, borrow }))
    if (!Number.isFinite(value) || value < 0)
      throw badArgument(name, 'must be a finite number from 0 up')
  if (protectedMinLtv !== null && !(protectedMinLtv >= 0 && protectedMinLtv <= 1))
    throw badArgument('protectedMinLtv', 'must be a fraction from 0 to 1: 0.05 is 5 %')
  return changeMultipliers(deps, requestedBy, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO base_points_revision (deposit, borrow, protected_min_ltv, from_date, changed_by)
       VALUES ($1, $2, $3, $4, ${ACTOR}) RETURNING id`,
      [deposit, borrow, protectedMinLtv, from ? isoDay(from) : null],
    )
    return BigInt(rows[0]?.id ?? 0)
  })
}
