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
import { columnFields } from '../column-fields.ts'
import { buckets } from './charges.ts'
import { readSpan, type SpanArguments } from './series.ts'
import { type UserRef, userAt } from './user-ref.ts'

const MAX_DAYS = 3660

/** Loads a user's points and rank as of a date. */
const standingAt = keyedRow<StandingRow>({
  columns: standingColumns,
  types: ['text', 'date'],
  at: ([user, asOf]) => standingAsOfSql(user ?? Prisma.empty, asOf ?? Prisma.empty),
})

/** Adds a user's points and ranks on past dates. */
export function addStanding(
  builder: Builder,
  { User, spanArguments }: { User: UserRef; spanArguments: SpanArguments },
): void {
  const Standing = builder.objectRef<StandingRow>('Standing').implement({
    description: "A user's points and rank as of a distribution date.",
    fields: (t) => columnFields(t, standingColumns),
  })

  builder.objectFields(User, (t) => ({
    standing: t.field({
      type: Standing,
      nullable: true,
      description: "The user's points and rank as of a date. Null if the user had no stored position by then.",
      args: {
        asOf: t.arg({
          type: 'DateTime',
          required: true,
          description: 'The point in time: the last distribution date at or before it counts.',
        }),
      },
      ...one(standingAt, ['address', 'asOf']),
    }),
    rankHistory: t.field({
      type: [Standing],
      extensions: { cost: { weight: 10, rows: buckets }, unplanned: 'Its range depends on the stored dates.' },
      description:
        "The user's points and rank by date, week or month, oldest first, each as of the bucket's last distribution date. Buckets without a distribution and buckets before the user's first position are left out.",
      args: spanArguments(t.arg),
      resolve: async ({ address }, args, context) => {
        const span = await readSpan(context, args)
        if (!span) return []
        return context.batches.load(standingHistory, address, span)
      },
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
  }))
}
