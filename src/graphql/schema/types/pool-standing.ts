import { poolStandingColumns, poolStandingSql, type PoolStanding as Row } from '../../../domain/pool/standing.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { keyedRow, one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { type MultiplierRevisionRef, revisionOfDate } from './multiplier-revision.ts'
import type { PoolRef } from './pool.ts'

const standingAt = keyedRow<Row>({
  columns: poolStandingColumns,
  types: ['text', 'date'],
  at: ([pool, asOf]) => poolStandingSql(pool ?? Prisma.empty, asOf ?? Prisma.empty),
})

type Refs = { Pool: PoolRef; MultiplierRevision: MultiplierRevisionRef }

/** Adds a pool's totals as of a past date. */
export function addPoolStanding(builder: Builder, { Pool, MultiplierRevision }: Refs): void {
  const PoolStanding = builder.objectRef<Row>('PoolStanding').implement({
    description:
      "A pool's totals as of a distribution date: its points up to the date and its positions on the date. `positions(asOf:)` and `topUsers(date:)` list the users.",
    fields: (t) => ({
      ...columnFields(t, poolStandingColumns),
      multiplier: t.field({
        type: MultiplierRevision,
        nullable: true,
        description:
          "The pool's multiplier at midnight UTC of the date. Null if it had none. A position's `multiplierUsed` is the one that produced its points.",
        ...one(revisionOfDate, ['poolAddress', 'date']),
      }),
    }),
  })

  builder.prismaObjectFields(Pool, (t) => ({
    standing: t.field({
      type: PoolStanding,
      nullable: true,
      description: "The pool's points and USD amounts as of a date. Null if it had no position by then.",
      args: {
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'The point in time: the last distribution date at or before it counts.',
        }),
      },
      // Sums all days of the pool up to the date.
      ...one(standingAt, ['id', 'asOf'], { cost: { weight: 10 } }),
    }),
  }))
}
