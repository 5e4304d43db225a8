import { defineLookup, type Lookup, sqlFields } from 'pothos-sql'
import {
  type RankedPoints,
  rankAsOfSql,
  rankColumns,
} from '../../../domain/leaderboard/rank-history.ts'
import type { Builder } from '../builder.ts'
import { userAt } from './user-ref.ts'

/** Loads a user's points and rank as of a date. */
export const rankedPointsAt: Lookup<RankedPoints> = defineLookup({
  columns: rankColumns,
  types: ['text', 'date'],
  always: true,
  at: rankAsOfSql,
})

export function addUserRank(builder: Builder): void {
  const past = 'With `asOf`, as of the last distribution date by then.'
  builder.objectFields('User', (t) => {
    const asOf = () =>
      t.arg({
        type: 'Date',
        description: 'The last date that counts. Defaults to the newest distribution date.',
      })
    return {
      totalPoints: t.float({
        description: 'Points over all dates or, with `asOf`, those up to it.',
        args: { asOf: asOf() },
        ...sqlFields.column(userAt, 'points', ['address'], { past: rankedPointsAt }),
      }),
      rank: t.int({
        nullable: true,
        description:
          `Rank on the leaderboard, starting at 1. ${past} Null if the user had no stored ` +
          'position by then, and briefly while the ranks of a past date are recomputed after a ' +
          'run for it or for an earlier date.',
        args: { asOf: asOf() },
        ...sqlFields.column(userAt, 'rank', ['address'], { past: rankedPointsAt }),
      }),
    }
  })
}
