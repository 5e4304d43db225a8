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

/** The multiplier of a pool at midnight UTC of a date. */
export const revisionOfDate = keyedRow<Row>(['text', 'date'], {
  columns: revisionColumns,
  at: ([pool, date]) => revisionAtSql(pool ?? Prisma.empty, Prisma.sql`(${date}::timestamp AT TIME ZONE 'UTC')`),
})

export function addMultiplierRevision(builder: Builder, { chosen }: { chosen: ChoiceTypes }) {
  const RevisionChosen = chosen('MultiplierRevision', revisionChoices)
  const MultiplierRevision = builder.objectRef<Row>('MultiplierRevision').implement({
    description: "A pool's multiplier from a moment on, until its next revision.",
    fields: (t) => {
      const factor = (name: 'depositTokenA' | 'depositTokenB' | 'borrowTokenA' | 'borrowTokenB', of: string) =>
        t.exposeFloat(name, { nullable: true, description: `Factor of a dollar of ${of}; null: it was removed.` })
      return {
        id: t.field({
          type: 'BigInt',
          description: "The revision's number: a later one has a larger one.",
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
          description: "When it took effect: the multiplier's updatedAt.",
        }),
        recordedAt: t.expose('recordedAt', { type: 'DateTime', description: 'When this store learnt of it.' }),
        changedBy: t.exposeString('changedBy', {
          description:
            'Who changed it: the name of an admin token, `cli`, `import`, `sample`, or the database role that wrote it.',
        }),
      }
    },
  })
  const MultiplierRevisions = connectionType(builder, 'MultiplierRevision', MultiplierRevision)

  builder.queryFields((t) => ({
    multiplier: t.field({
      type: MultiplierRevision,
      nullable: true,
      description: "A pool's multiplier, now or at a moment; null where the pool had none.",
      args: {
        pool: t.arg({ type: 'Address', required: true, description: "The pool's address." }),
        asOf: t.arg({ type: 'DateTime', description: 'The moment; now when left out.' }),
      },
      resolve: (_, { pool, asOf }, context) =>
        context.batches.load(revisionsAt, { poolAddress: pool, at: asOf ?? LATEST }),
    }),
    multipliersAsOf: t.field({
      type: MultiplierRevisions,
      description:
        "The multiplier of every pool that had one at a moment, by the pool's address: what `multiplier` says of each.",
      args: {
        ...listArguments(t.arg, RevisionChosen),
        asOf: t.arg({ type: 'DateTime', required: true, description: 'The moment; a date is its midnight UTC.' }),
      },
      ...list({
        listing: ({ asOf = LATEST }) => revisionsAsOf(asOf),
        choices: RevisionChosen.choices,
        filter: () => ({ where: [] }),
      }),
    }),
    multiplierHistory: t.field({
      type: MultiplierRevisions,
      description: 'All changes of multipliers, newest first.',
      args: {
        ...listArguments(t.arg, RevisionChosen),
        pool: t.arg({ type: 'Address', description: 'Those of one pool.' }),
      },
      ...unplanned({
        listing: () => revisionListing,
        choices: RevisionChosen.choices,
        filter: ({ pool }) => ({ where: pool ? [Prisma.sql`t.pool_address = ${pool}`] : [] }),
      }),
    }),
  }))
  return { MultiplierRevision, MultiplierRevisions, RevisionChosen }
}

/** After every moment that a record can have. */
const LATEST = new Date('9999-12-31T23:59:59.999Z')

export type MultiplierRevisionsRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevisions']
export type MultiplierRevisionRef = ReturnType<typeof addMultiplierRevision>['MultiplierRevision']
