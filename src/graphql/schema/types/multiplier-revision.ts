import { revisionChoices } from '../../../domain/multiplier/choices.ts'
import {
  revisionAtSql,
  revisionColumns,
  revisionListing,
  revisionsAsOf,
  revisionsAt,
} from '../../../domain/multiplier/history.ts'
import { Prisma, type MultiplierRevision as Row } from '../../../generated/prisma/client.ts'
import { keyedRow, list, reading, unplanned } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { listArguments } from './page-arguments.ts'

/** Loads the multiplier of a pool at midnight UTC of a date. */
export const revisionOfDate = keyedRow<Row>(['text', 'date'], {
  columns: revisionColumns,
  at: ([pool, date]) => revisionAtSql(pool ?? Prisma.empty, Prisma.sql`(${date}::timestamp AT TIME ZONE 'UTC')`),
})

export function addMultiplierRevision(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const RevisionChosen = chosen('MultiplierRevision', revisionChoices)
  const MultiplierRevision = builder.objectRef<Row>('MultiplierRevision').implement({
    description: "A pool's multiplier from one point in time until its next revision.",
    fields: (t) => {
      const factor = (name: 'depositTokenA' | 'depositTokenB' | 'borrowTokenA' | 'borrowTokenB', of: string) =>
        t.exposeFloat(name, {
          nullable: true,
          description: `The factor for each dollar of ${of}. Null if the multiplier was removed.`,
        })
      return {
        id: t.field({
          type: 'BigInt',
          description: "The revision's number. Later revisions have larger numbers.",
          ...reading({ kind: 'sql', sql: (column) => column('id') }),
          resolve: ({ id }) => id,
        }),
        poolAddress: t.expose('poolAddress', { type: 'Address', description: "The pool's address." }),
        depositTokenA: factor('depositTokenA', 'token A supplied'),
        depositTokenB: factor('depositTokenB', 'token B supplied'),
        borrowTokenA: factor('borrowTokenA', 'token A borrowed'),
        borrowTokenB: factor('borrowTokenB', 'token B borrowed'),
        changedAt: t.expose('changedAt', {
          type: 'DateTime',
          description: "When the revision took effect: the multiplier's `updatedAt`.",
        }),
        recordedAt: t.expose('recordedAt', {
          type: 'DateTime',
          description: 'When this gateway recorded the revision.',
        }),
        changedBy: t.exposeString('changedBy', {
          description:
            'Who made the change: the name of an admin token, `cli`, `import`, `sample`, or the database role that wrote it.',
        }),
      }
    },
  })
  const MultiplierRevisions = connectionType(builder, 'MultiplierRevision', MultiplierRevision)

  builder.queryFields((t) => ({
    multiplier: t.field({
      type: MultiplierRevision,
      nullable: true,
      description: "A pool's multiplier, currently or at a point in time. Null if the pool had none.",
      args: {
        pool: t.arg({ type: 'Address', required: true, description: "The pool's address." }),
        asOf: t.arg({ type: 'DateTime', description: 'The point in time. Defaults to now.' }),
      },
      extensions: { unplanned: 'The revision at a moment is found from the next one. Operators read it, rarely.' },
      resolve: (_, { pool, asOf }, context) =>
        context.batches.load(revisionsAt, { poolAddress: pool, at: asOf ?? LATEST }),
    }),
    multipliersAsOf: t.field({
      type: MultiplierRevisions,
      description:
        'The multipliers of all pools that had one at a point in time, by pool address: for each pool, what `multiplier` returns.',
      args: {
        ...listArguments(t.arg, RevisionChosen),
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'The point in time. A date alone means midnight UTC.',
        }),
      },
      ...list({
        listing: ({ asOf = LATEST }) => revisionsAsOf(asOf),
        choices: RevisionChosen.choices,
        filter: () => ({ where: [] }),
      }),
    }),
    multiplierHistory: t.field({
      type: MultiplierRevisions,
      description: 'All revisions of multipliers, newest first.',
      args: {
        ...listArguments(t.arg, RevisionChosen),
        pool: t.arg({ type: 'Address', description: 'Only revisions of this pool.' }),
      },
      ...unplanned(
        {
          listing: () => revisionListing,
          choices: RevisionChosen.choices,
          filter: ({ pool }) => ({ where: pool ? [Prisma.sql`t.pool_address = ${pool}`] : [] }),
        },
        'Operators read it, rarely.',
      ),
    }),
  }))
  return { MultiplierRevision, MultiplierRevisions, RevisionChosen }
}

/** Later than any stored timestamp. */
const LATEST = new Date('9999-12-31T23:59:59.999Z')

export type MultiplierRevisionsRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevisions']
export type MultiplierRevisionRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevision']
