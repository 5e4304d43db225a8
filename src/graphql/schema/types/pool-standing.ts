import { poolStandingColumns, poolStandingSql, type PoolStanding as Row } from '../../../domain/pool/standing.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { keyedRow, one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { type MultiplierRevisionRef, revisionOfDate } from './multiplier-revision.ts'
import type { PoolRef } from './pool.ts'

const standingAt = keyedRow<Row>(['text', 'date'], {
  columns: poolStandingColumns,
  at: ([pool, asOf]) => poolStandingSql(pool ?? Prisma.empty, asOf ?? Prisma.empty),
})

type Refs = { Pool: PoolRef; MultiplierRevision: MultiplierRevisionRef }

/** What a pool was on past dates. */
export function addPoolStanding(builder: Builder, { Pool, MultiplierRevision }: Refs): void {
  const PoolStanding = builder.objectRef<Row>('PoolStanding').implement({
    description:
      'A pool as of a distribution date: its points up to it, and its positions on it. `positions(asOf:)` and `topAccounts(date:)` tell whose they are.',
    fields: (t) => ({
      date: t.expose('date', { type: 'DateTime', description: 'The distribution date, midnight UTC.' }),
      points: t.exposeFloat('points', {
        description: 'Points of its positions over all distribution dates up to it, included.',
      }),
      pointsOfDate: t.exposeFloat('pointsOfDate', { description: 'Points of its positions on the date.' }),
      positionCount: t.exposeInt('positionCount', {
        description: 'Positions on the date, each of another account.',
      }),
      suppliedUsd: t.exposeFloat('suppliedUsd', { description: 'Supplied and borrowable on the date, in USD.' }),
      protectedUsd: t.exposeFloat('protectedUsd', {
        description: 'Supplied and protected (non-borrowable) on the date, in USD.',
      }),
      tvlUsd: t.exposeFloat('tvlUsd', {
        description: 'Total value locked on the date: supplied + protected, in USD, what is lent on included.',
      }),
      borrowedUsd: t.exposeFloat('borrowedUsd', { description: 'Borrowed on the date, in USD.' }),
      multiplier: t.field({
        type: MultiplierRevision,
        nullable: true,
        description:
          "The pool's multiplier at midnight UTC of the date; null: it had none. `multiplierUsed` of a position is the one that made its points.",
        ...one(revisionOfDate, ['poolAddress', 'date']),
      }),
    }),
  })

  builder.prismaObjectFields(Pool, (t) => ({
    standing: t.field({
      type: PoolStanding,
      nullable: true,
      description: "The pool's points and USD amounts as of a date; null: no position in it by then.",
      args: {
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'As of the last distribution date up to this moment, included.',
        }),
      },
      // The pool's days up to it are added up.
      ...one(standingAt, ['id', 'asOf'], { cost: { weight: 10 } }),
    }),
  }))
}
