import { type Listing, listing, rowFilters, sqlColumns } from 'pothos-sql'
import { rowOfEach } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { Prisma, type Distribution as StoredDistribution } from '../../generated/prisma/client.ts'
import { DIGEST_OF } from '../points/digest.ts'
import { doubleOf, fromMillionths, pointsColumn } from '../points/millionths.ts'

/** A stored distribution, with points instead of millionths. */
export type Distribution = Omit<StoredDistribution, 'totalPoints'> & { totalPoints: number }

const columns = sqlColumns(Prisma.DistributionScalarFieldEnum, {
  date: { type: 'date', description: 'The distribution date.', filter: true, sort: true },
  totalPoints: {
    ...pointsColumn('t.total_points'),
    field: 'points',
    description: 'Points of all positions on the date.',
    sort: true,
  },
  positionCount: {
    type: 'int',
    description: 'Number of positions on the date.',
    filter: true,
    sort: true,
  },
  accountCount: {
    type: 'int',
    field: 'userCount',
    description: 'Number of users with a position on the date.',
    filter: true,
    sort: true,
  },
  kind: {
    sql: 'upper(t.kind::text)',
    type: 'text',
    description: 'How the stored points were produced.',
  },
  startedAt: { type: 'moment', description: 'When the run that stored the points started.' },
  finishedAt: {
    type: 'moment',
    description: 'When the run that stored the points finished.',
    filter: true,
  },
  runId: { type: 'bigint', nullable: true },
  digest: {
    type: 'text',
    nullable: true,
    description:
      `The digest of the points of the date: ${DIGEST_OF}. Equal points have equal digests on ` +
      'every gateway. Null until it is computed, for a date that was stored before there were ' +
      'digests.',
  },
})

export const distributions: Listing<Distribution> = listing({
  name: 'distributions',
  from: Prisma.sql`distribution t`,
  columns,
  order: { date: 'DESC' },
  filters: {
    kinds: rowFilters.many(
      columns.kind,
      'Only distributions whose points were produced in one of these ways.',
    ),
    points: rowFilters.range(
      { sql: doubleOf('t.total_points'), type: 'float' },
      'Only distributions whose points are in this range.',
    ),
  },
})

const withPoints = (stored: StoredDistribution): Distribution => ({
  ...stored,
  totalPoints: fromMillionths(stored.totalPoints),
})

/** Reads the distributions on dates. Null for a date without one. */
export async function distributionsOn(
  reader: Reader,
  dates: readonly Date[],
): Promise<(Distribution | null)[]> {
  const stored = await reader.models.distribution.findMany({ where: { date: { in: [...dates] } } })
  const times = dates.map((date) => date.getTime())
  return rowOfEach(times, stored.map(withPoints), ({ date }) => date.getTime())
}

/** Reads the newest distribution. Null if no positions are stored. */
export async function newestDistribution(reader: Reader): Promise<Distribution | null> {
  const newest = await reader.models.distribution.findFirst({ orderBy: { date: 'desc' } })
  return newest && withPoints(newest)
}
