import {
  revisionAtSql,
  revisionColumns,
  revisionListing,
  revisionsAsOf,
  revisionsAt,
} from '../../../domain/multiplier/history.ts'
import { Prisma, type MultiplierRevision as Row } from '../../../generated/prisma/client.ts'
import { keyedRow, list, unplanned } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import type { ListInputTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { listArguments } from './page-arguments.ts'

/** Loads the multiplier of a pool at midnight UTC of a date. */
export const revisionOfDate = keyedRow<Row>({
  columns: revisionColumns,
  types: ['text', 'date'],
  at: ([pool, date]) => revisionAtSql(pool ?? Prisma.empty, Prisma.sql`(${date}::timestamp AT TIME ZONE 'UTC')`),
})

export function addMultiplierRevision(builder: Builder, { listInputs }: { listInputs: ListInputTypes }) {
  const RevisionInputs = listInputs('MultiplierRevision', revisionListing)
  const MultiplierRevision = builder.objectRef<Row>('MultiplierRevision').implement({
    description: "A pool's multiplier from one point in time until its next revision.",
    fields: (t) => columnFields(t, revisionColumns),
  })
  const MultiplierRevisions = connectionType(builder, 'MultiplierRevision', MultiplierRevision)

  builder.queryFields((t) => ({
    multiplier: t.field({
      type: MultiplierRevision,
      nullable: true,
      extensions: { unplanned: 'The revision at a moment is found from the next one. Operators read it, rarely.' },
      description: "A pool's multiplier, currently or at a point in time. Null if the pool had none.",
      args: {
        pool: t.arg({ type: 'Address', required: true, description: "The pool's address." }),
        asOf: t.arg({ type: 'DateTime', description: 'The point in time. Defaults to now.' }),
      },
      resolve: (_, { pool, asOf }, context) =>
        context.batches.load(revisionsAt, { poolAddress: pool, at: asOf ?? LATEST }),
    }),
    multipliersAsOf: t.field({
      type: MultiplierRevisions,
      description:
        'The multipliers of all pools that had one at a point in time, by pool address: for each pool, what `multiplier` returns.',
      args: {
        ...listArguments(t.arg, RevisionInputs),
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'The point in time. A date alone means midnight UTC.',
        }),
      },
      ...list({
        listing: ({ asOf = LATEST }) => revisionsAsOf(asOf),
        filter: () => ({ where: [] }),
      }),
    }),
    multiplierHistory: t.field({
      type: MultiplierRevisions,
      description: 'All revisions of multipliers, newest first.',
      args: listArguments(t.arg, RevisionInputs),
      ...unplanned({ listing: () => revisionListing, filter: () => ({ where: [] }) }, 'Operators read it, rarely.'),
    }),
  }))
  return { MultiplierRevision, MultiplierRevisions, RevisionInputs }
}

/** Later than any stored timestamp. */
const LATEST = new Date('9999-12-31T23:59:59.999Z')

export type MultiplierRevisionsRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevisions']
export type MultiplierRevisionRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevision']
