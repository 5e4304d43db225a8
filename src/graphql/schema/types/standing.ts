import {
  type Standing as StandingRow,
  standingAsOfSql,
  standingColumns,
  standingHistory,
  standingsBefore,
} from '../../../domain/standing/standing.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { keyedRow, one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { buckets } from './charges.ts'
import { readSpan, type SpanArguments } from './series.ts'
import { type UserRef, userAt } from './user.ts'

const MAX_DAYS = 3660

/** The standing of a user as of a date. */
const standingAt = keyedRow<StandingRow>(['text', 'date'], {
  columns: standingColumns,
  at: ([user, asOf]) => standingAsOfSql(user ?? Prisma.empty, asOf ?? Prisma.empty),
})

/** Where a user stood on past dates. */
export function addStanding(
  builder: Builder,
  { User, spanArguments }: { User: UserRef; spanArguments: SpanArguments },
): void {
  const Standing = builder.objectRef<StandingRow>('Standing').implement({
    description: 'The points of a user over all distribution dates up to one, and the place that they gave.',
    fields: (t) => ({
      date: t.expose('date', { type: 'DateTime', description: 'The distribution date, midnight UTC.' }),
      points: t.exposeFloat('points', { description: 'Points over all distribution dates up to it, included.' }),
      rank: t.exposeInt('rank', {
        nullable: true,
        description:
          'Place on the leaderboard as of it, from 1. Null for the moments in which the ranks of the date are computed anew, after a run of it or of a date before it.',
      }),
    }),
  })

  builder.objectFields(User, (t) => ({
    standing: t.field({
      type: Standing,
      nullable: true,
      description: "The user's points and rank as of a date; null: no stored position by then.",
      args: {
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'As of the last distribution date up to this moment, included.',
        }),
      },
      ...one(standingAt, ['address', 'asOf']),
    }),
    rankHistory: t.field({
      type: [Standing],
      extensions: { cost: { weight: 10, rows: buckets } },
      description:
        "The user's points and ranks by date, week or month, oldest first: each as of the last distribution date of the bucket. Buckets without a distribution, and those before the user's first position, are left out.",
      args: spanArguments(t.arg),
      resolve: async ({ address }, args, context) => {
        const span = await readSpan(context, args)
        if (!span) return []
        return context.batches.load(standingHistory, address, span)
      },
    }),
    rankChange: t.int({
      nullable: true,
      extensions: { cost: { weight: 2 } },
      description:
        'By how many places the user has risen (above 0) or fallen (below 0) on the leaderboard in some days. Null: no stored position by then, or the ranks of that date are being computed anew.',
      args: {
        days: t.arg.int({
          required: true,
          defaultValue: 7,
          description: `How many days before the newest distribution date, 1 to ${MAX_DAYS}.`,
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
  }))
}
