import { defineLookup, listTypes, sqlFields } from 'pothos-sql'
import {
  affectedDatesColumns,
  affectedDatesSql,
} from '../../../domain/multiplier/affected-dates.ts'
import {
  revisionAtSql,
  revisionColumns,
  revisionListing,
  revisionsAsOf,
  revisionsById,
} from '../../../domain/multiplier/history.ts'
import { Prisma, type MultiplierRevision as Row } from '../../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { columnFields, columnsType } from '../column-fields.ts'
import { AFFECTED } from './charges.ts'
import { addNode } from './node.ts'
import { poolAt, poolField } from './pool.ts'
import { parseRecordNumber } from './record-number.ts'

/** Loads the multiplier of a pool at midnight UTC of a date. */
export const revisionOfDate = defineLookup({
  columns: revisionColumns,
  types: ['text', 'date'],
  at: (pool, date) => revisionAtSql(pool, Prisma.sql`(${date}::timestamp AT TIME ZONE 'UTC')`),
})

const datesOfRevision = defineLookup({
  columns: affectedDatesColumns,
  types: ['bigint'],
  always: true,
  at: affectedDatesSql,
})

export function addMultiplierRevision(builder: Builder): void {
  const RevisionDates = columnsType(builder, 'RevisionDates', affectedDatesColumns, {
    description: 'The dates whose stored points a revision determines, with gaps.',
  })
  const MultiplierRevision = builder.objectRef<Row>('MultiplierRevision').implement({
    description: "A pool's multiplier from one point in time until its next revision.",
    fields: (t) => ({
      ...columnFields(t, revisionColumns),
      pool: t.field({ ...poolField, ...sqlFields.lookup(poolAt, ['poolAddress']) }),
      affectedDates: t.field({
        type: RevisionDates,
        description: 'The dates with positions in the pool whose newest run used it.',
        ...sqlFields.lookup(datesOfRevision, ['id'], { cost: { once: 50, weight: AFFECTED } }),
      }),
    }),
  })
  addNode(builder, MultiplierRevision, 'id', (text, { batches }) => {
    const id = parseRecordNumber(text)
    return id === null ? null : batches.load(revisionsById, id)
  })
  listTypes(builder, MultiplierRevision, revisionListing)

  builder.queryFields((t) => ({
    multiplierRevisions: t.field({
      description:
        'All revisions of multipliers, newest first: who changed what, and when. With `at`, ' +
        'the multipliers that were in force then, by pool address.',
      ...sqlFields.list(t.arg, 'MultiplierRevision', {
        args: {
          at: t.arg({
            type: 'DateTime',
            description: 'Only the revision of each pool in force then. A date is midnight UTC.',
          }),
        },
        listing: ({ at }) => (at ? revisionsAsOf(at) : revisionListing),
      }),
    }),
  }))
}
