import {
  asOfDate,
  currentLeaderboard,
  type LeaderboardEntry as Entry,
  pastLeaderboard,
  rankAt,
} from '../../../domain/leaderboard/leaderboard.ts'
import {
  MOST_WINDOW_DATES,
  rankInWindow,
  type Window,
  windowLeaderboard,
  windowOf,
} from '../../../domain/leaderboard/window.ts'
import { GatewayError } from '../../../errors.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { DEFAULT_PAGE, encodeCursor } from '../../fields/connection.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments, pageArguments } from '../../fields/page-arguments.ts'
import { related } from '../../fields/relation.ts'
import { list } from '../../fields/sql-field.ts'
import { likeQuery } from '../../live/live-query.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder } from '../builder.ts'
import { leaderboard, leaderboardCount } from './charges.ts'
import { loadProgram } from './program.ts'
import { type UserRef, userAt } from './user-ref.ts'

const NOW = { date: '', newest: true }

/** True if the list is the current leaderboard with all users. */
const isWhole = ({ at = NOW, nowhere, window }: { at?: typeof NOW; nowhere?: boolean; window?: Window }) =>
  at.newest && !nowhere && !window

const isGiven = (argument: unknown) => argument !== null && argument !== undefined

/** Adds the leaderboard, as a query and as a subscription. */
export function addLeaderboard(
  builder: Builder,
  { listInputs, User }: { listInputs: ListInputTypes; User: UserRef },
): void {
  const EntryInputs = listInputs('LeaderboardEntry', pastLeaderboard)
  const LeaderboardEntry = builder.objectRef<Entry>('LeaderboardEntry').implement({
    description:
      "A user's entry on the leaderboard, which ranks all users with at least one stored position, also one of 0 points. The leaderboard of a window ranks those with a position in it.",
    fields: (t) => ({
      ...columnFields(t, pastLeaderboard.columns),
      user: t.field({
        type: User,
        description: 'The user.',
        ...related('Account', 'user', userAt),
      }),
    }),
  })

  const LeaderboardEntries = connectionType(builder, 'LeaderboardEntry', LeaderboardEntry)
  builder.objectField(LeaderboardEntries, 'aroundRank', (t) =>
    t.int({
      nullable: true,
      description: 'The rank of the user given as `around`. Null without `around`, or if that user is not ranked.',
      resolve: (connection) => (connection as { aroundRank?: number | null }).aroundRank ?? null,
    }),
  )
  builder.queryFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description:
        'Users by rank: all with a stored position, currently or as of a date. With `from`, `to`, `pool` or `chainId`, those with a position in that window, ranked by their points in it.',
      args: {
        ...listArguments(t.arg, EntryInputs),
        asOf: t.arg({
          type: 'DateTime',
          description:
            'The leaderboard as of the last distribution date at or before this time. Defaults to the newest date, which a time in the future means too. The list is empty before the first date. Cannot be combined with from, to, pool or chainId.',
        }),
        from: t.arg({
          type: 'Date',
          description:
            'Only points of distribution dates from this one on. Defaults to the first date. The list is empty if the window has no distribution.',
        }),
        to: t.arg({
          type: 'Date',
          description: 'Only points of distribution dates up to and including this one. Defaults to the newest date.',
        }),
        pool: t.arg({
          type: 'Address',
          description: `Only points of positions in the pool at this address. The window may have at most ${MOST_WINDOW_DATES.pool} distribution dates.`,
        }),
        chainId: t.arg({
          type: 'SafeInt',
          description: `Only points of positions in pools on this chain. Without \`pool\`, the window may have at most ${MOST_WINDOW_DATES.chain} distribution dates.`,
        }),
        around: t.arg({
          type: 'Address',
          description:
            "The page centred on this user (clamped to the list's ends); empty if it is unranked, and then `aroundRank` is null. `first` is the size of the page. Cannot be combined with after, before, last, offset, where or orderBy; use the cursors of the page to continue.",
        }),
      },
      ...list(
        {
          listing: ({ at = NOW, window }) =>
            window ? windowLeaderboard(window) : at.newest ? currentLeaderboard : pastLeaderboard,
          filter: ({ at = NOW, nowhere, window }) => {
            if (nowhere) return { where: [Prisma.sql`false`] }
            return { where: at.newest || window ? [] : [Prisma.sql`t.distribution_date = ${at.date}::date`] }
          },
          async prepare({ asOf, around, from, to, pool, chainId, ...page }, reader) {
            const isWindow = [from, to, pool, chainId].some(isGiven)
            if (asOf && isWindow)
              throw new GatewayError(
                'BAD_INPUT',
                'asOf cannot be given together with from, to, pool or chainId: for the points up to a date, give to.',
              )
            const window = isWindow ? await windowOf(reader, { from, to, pool, chainId }) : undefined
            const at = asOf ? await asOfDate(reader, asOf) : NOW
            if (!at || (isWindow && !window)) return { ...page, nowhere: true }
            if (!around) return { ...page, at, window }
            const { first, after, before, last, offset, where, orderBy } = page
            if ([after, before, last, offset, where, orderBy].some(isGiven))
              throw new GatewayError(
                'BAD_INPUT',
                'around cannot be given together with after, before, last, offset, where or orderBy.',
              )
            const rank = await (window ? rankInWindow(reader, around, window) : rankAt(reader, around, at))
            if (rank === undefined) return { ...page, at, window, nowhere: true }
            const start = Math.max(0, rank - 1 - ((first ?? DEFAULT_PAGE) >> 1))
            const { name } = window ? windowLeaderboard(window) : at.newest ? currentLeaderboard : pastLeaderboard
            return { ...page, at, window, aroundRank: rank, after: encodeCursor(name, [String(start)]) }
          },
          values: { aroundRank: ({ aroundRank }) => aroundRank ?? null },
          total: {
            load: (_, args, context) =>
              isWhole(args) ? async () => (await loadProgram(context)).accountCount : undefined,
            sql: (args) => (isWhole(args) ? '(SELECT account_count FROM program)' : undefined),
          },
        },
        { cost: { weight: leaderboard, count: leaderboardCount } satisfies FieldCost },
      ),
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
