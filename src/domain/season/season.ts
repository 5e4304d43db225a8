import { type RowOf, sqlColumns } from 'pothos-sql'
import { rowOfEach } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { DIGEST_OF } from '../points/digest.ts'

export const seasonColumns = sqlColumns(Prisma.SeasonScalarFieldEnum, {
  name: { type: 'text', description: "The season's name. No two seasons have the same." },
  startsAt: { type: 'date', description: 'The first distribution date of the season.' },
  endsAt: {
    type: 'date',
    nullable: true,
    description: 'The last distribution date of the season. Null if it has no end yet.',
  },
  status: {
    sql: 'upper(t.status::text)',
    type: 'text',
    description: 'The status of the season: yet to begin, active today (UTC), or ended.',
  },
  digest: {
    type: 'text',
    nullable: true,
    description:
      `The digest of the season's final board: ${DIGEST_OF}. Null until the season has ended and ` +
      'its last date has a distribution.',
  },
  closedAt: {
    type: 'moment',
    nullable: true,
    description: 'When the board became final: runs are refused since. Null until then.',
  },
  changedAt: { type: 'moment' },
  changedBy: { type: 'text' },
})

export type Season = RowOf<typeof seasonColumns>

/** Reads seasons by their names. Null for an unknown one. */
export async function seasonsNamed(
  reader: Reader,
  names: readonly string[],
): Promise<(Season | null)[]> {
  const seasons = await reader.models.season.findMany({ where: { name: { in: [...names] } } })
  return rowOfEach(names, seasons, ({ name }) => name)
}

/**
 * The dates of a season.
 * @throws BAD_INPUT if no season has the name
 */
export async function datesOfSeason(
  reader: Reader,
  name: string,
): Promise<{ from: Date; to: Date | null }> {
  const [season] = await reader.$queryRaw<{ from: Date; to: Date | null }[]>`
    SELECT starts_at AS "from", ends_at AS "to" FROM season WHERE name = ${name}`
  if (season) return season
  throw badArgument(
    'season',
    'must be the name of a season, as program { seasons { name } } lists them',
  )
}

/** SQL of a season's status as of a date, from the SQL of its dates. */
export const statusOn = (today: string, startsAt: string, endsAt: string): string =>
  `(CASE WHEN ${today} < ${startsAt} THEN 'upcoming'
    WHEN ${today} > ${endsAt} THEN 'ended' ELSE 'active' END)::season_status`
