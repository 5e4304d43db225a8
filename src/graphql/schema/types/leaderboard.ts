import { asOfDate, presentStandings, rankAt, type StandingEntry, standings } from '../../../domain/standing/standing.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { likeQuery } from '../../live/live-query.ts'
import { list, one } from '../../plan/reading.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { DEFAULT_PAGE, encodeCursor } from '../connection.ts'
import type { ListInputTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { listArguments, pageArguments } from './page-arguments.ts'
import { loadProgram } from './program.ts'
import { type UserRef, userAt } from './user-ref.ts'

const NOW = { date: '', newest: true }

/** Whether the list is the current leaderboard with all users. */
const isWhole = ({ at = NOW, nowhere }: { at?: typeof NOW; nowhere?: boolean }) => at.newest && !nowhere

/** Adds the leaderboard, as a query and as a subscription. */
export function addLeaderboard(
  builder: Builder,
  { listInputs, User }: { listInputs: ListInputTypes; User: UserRef },
): void {
  const EntryInputs = listInputs('LeaderboardEntry', standings)
  const LeaderboardEntry = builder.objectRef<StandingEntry>('LeaderboardEntry').implement({
    description: "A user's entry on the leaderboard, which ranks all users with at least one stored position.",
    fields: (t) => ({
      ...columnFields(t, standings.columns),
      user: t.field({
        type: User,
        description: 'The user.',
        ...one(userAt, ['userAddress']),
      }),
    }),
  })

  const LeaderboardEntries = connectionType(builder, 'LeaderboardEntry', LeaderboardEntry)
  builder.queryFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description: 'All users with a stored position by rank, currently or as of a date.',
      args: {
        ...listArguments(t.arg, EntryInputs),
        asOf: t.arg({
          type: 'DateTime',
          description:
            'The leaderboard as of the last distribution date at or before this time. Defaults to the newest date. The list is empty before the first date.',
        }),
        around: t.arg({
          type: 'Address',
          description:
            "The page centred on this user (clamped to the list's ends); empty if it is unranked. `first` is the size of the page. Cannot be combined with after, before, last, offset, where or orderBy; use the cursors of the page to continue.",
        }),
      },
      ...list({
        listing: ({ at = NOW }) => (at.newest ? presentStandings : standings),
        filter: ({ at = NOW, nowhere }) => {
          if (nowhere) return { where: [Prisma.sql`false`] }
          return { where: at.newest ? [] : [Prisma.sql`t.distribution_date = ${at.date}::date`] }
        },
        async prepare({ asOf, around, ...page }, reader) {
          const at = asOf ? await asOfDate(reader, asOf) : NOW
          if (!at) return { ...page, nowhere: true }
          if (!around) return { ...page, at }
          const { first, after, before, last, offset, where, orderBy } = page
          if ([after, before, last, offset, where, orderBy].some((one) => one !== null && one !== undefined))
            throw new GatewayError(
              'BAD_INPUT',
              'around cannot be given together with after, before, last, offset, where or orderBy.',
            )
          const rank = await rankAt(reader, around, at)
          if (rank === undefined) return { ...page, at, nowhere: true }
          const start = Math.max(0, rank - 1 - ((first ?? DEFAULT_PAGE) >> 1))
          const { name } = at.newest ? presentStandings : standings
          return { ...page, at, after: encodeCursor(name, [String(start)]) }
        },
        total: {
          load: (_, args, context) =>
            isWhole(args) ? async () => (await loadProgram(context)).accountCount : undefined,
          sql: (args) => (isWhole(args) ? '(SELECT account_count FROM program)' : undefined),
        },
      }),
    }),
  }))
  builder.subscriptionFields((t) => {
    const { first, after } = pageArguments(t.arg)
    return {
      leaderboard: t.field({
        type: LeaderboardEntries,
        description:
          'The users by rank, like the query of the same name. The first event is sent at once, further events only when the selected data has changed since the last event.',
        args: {
          first,
          after,
          offset: t.arg({ type: 'BigInt', description: 'Number of ranks to skip. Defaults to 0.' }),
        },
        ...likeQuery,
      }),
    }
  })
}
