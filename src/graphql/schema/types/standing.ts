import { type Standing, standingAsOfSql, standingColumns, standingsBefore } from '../../../domain/standing/standing.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { columnAsOf, type KeyedRow, keyedRow } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { type UserRef, userAt } from './user-ref.ts'

const MAX_DAYS = 3660

/** Loads a user's points and rank as of a date. */
const standingAt: KeyedRow<Standing> = keyedRow<Standing>({
  columns: standingColumns,
  types: ['text', 'date'],
  always: true,
  at: ([user, asOf]) => standingAsOfSql(user ?? Prisma.empty, asOf ?? Prisma.empty),
})

/** Adds a user's points and rank, now and on past dates. */
export function addStanding(builder: Builder, { User }: { User: UserRef }): void {
  const past = 'With `asOf`, as of the last distribution date at or before that time.'
  builder.objectFields(User, (t) => {
    const asOf = () =>
      t.arg({ type: 'DateTime', description: 'The point in time. Defaults to the newest distribution date.' })
    return {
      points: t.float({
        description: `Total points over all distribution dates. ${past}`,
        args: { asOf: asOf() },
        ...columnAsOf(userAt, 'points', ['address'], standingAt),
      }),
      rank: t.int({
        nullable: true,
        description: `Rank on the leaderboard, starting at 1. ${past} Null if the user had no stored position by then, and briefly while the ranks of a past date are recomputed after a run for it or for an earlier date.`,
        args: { asOf: asOf() },
        ...columnAsOf(userAt, 'rank', ['address'], standingAt),
      }),
      rankChange: t.int({
        nullable: true,
        extensions: { cost: { weight: 2 }, unplanned: 'Its start depends on the stored dates.' },
        description:
          'By how many ranks the user has risen (positive) or fallen (negative) over a number of days. Null if the user had no stored position at the start, or while the ranks of that date are recomputed.',
        args: {
          days: t.arg.int({
            required: true,
            defaultValue: 7,
            description: `Number of days before the newest distribution date, 1 to ${MAX_DAYS}.`,
          }),
        },
        resolve: async ({ address }, { days }, context) => {
          if (days < 1 || days > MAX_DAYS) {
            const message = `must be from 1 to ${MAX_DAYS}`
            throw new GatewayError('BAD_INPUT', `days ${message}.`, [{ in: 'query', name: 'days', message }])
          }
          const [now, before] = await Promise.all([
            context.batches.load(userAt.load, [address]),
            context.batches.load(standingsBefore, address, days),
          ])
          return now?.rank && before && before.rank !== null ? before.rank - now.rank : null
        },
      }),
    }
  })
}
