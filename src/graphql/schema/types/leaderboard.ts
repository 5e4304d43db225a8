import type { ArgBuilder } from '@pothos/core'
import { listTypes, type PagedList, sqlFields } from 'pothos-sql'
import { DEFAULT_PAGE, encodeCursor, pageArguments } from 'pothos-sql/host'
import type { Reader } from '../../../db/connect/reader.ts'
import { entriesOf } from '../../../domain/leaderboard/entries.ts'
import {
  asOfDate,
  currentLeaderboard,
  type LeaderboardEntry as Entry,
  newestLeaderboard,
  pastLeaderboard,
  placeAt,
} from '../../../domain/leaderboard/leaderboard.ts'
import {
  MOST_WINDOW_DATES,
  placeInWindow,
  type Window,
  type WindowBounds,
  windowLeaderboard,
  windowOf,
} from '../../../domain/leaderboard/window.ts'
import { datesOfSeason } from '../../../domain/season/season.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { GraphContext } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { liveField } from '../live-field.ts'
import { related } from '../relation.ts'
import { leaderboard, leaderboardCount } from './charges.ts'
import { legacyAddress } from './legacy.ts'
import { loadProgram } from './program.ts'
import { recordNode } from './record-node.ts'
import { userAt, userField } from './user-ref.ts'

const NOW = { date: '', newest: true }

// True if the list is the current leaderboard with all users.
const isWhole = ({
  at = NOW,
  nowhere,
  window,
}: {
  at?: typeof NOW
  nowhere?: boolean
  window?: Window
}) => at.newest && !nowhere && !window

interface ScopeArgs {
  scope?: { asOf?: Date | null; season?: string | null; window?: WindowBounds | null } | null
  [name: string]: unknown
}

// True if a window has a bound: without one it is the whole leaderboard.
const isWindow = ({ from, to, pool, chainId }: WindowBounds) =>
  [from, to, pool, chainId].some((bound) => bound !== null && bound !== undefined)

export function addLeaderboard(builder: Builder): void {
  const LeaderboardEntry = builder.objectRef<Entry>('LeaderboardEntry').implement({
    description:
      "A user's entry on the leaderboard, which ranks all users with at least one stored " +
      'position, also one of 0 points. The leaderboard of a window ranks those with a position ' +
      'in it.',
    fields: (t) => ({
      ...columnFields(t, pastLeaderboard.columns),
      userAddress: t.expose('userAddress', legacyAddress),
      user: t.field({ ...userField, ...related('Account', 'user', userAt) }),
    }),
  })

  recordNode(builder, LeaderboardEntry, currentLeaderboard, ['userAddress'], {
    key: ['userAddress', 'scope'],
    load: entriesOf,
  })
  const LeaderboardEntries = listTypes(builder, LeaderboardEntry, pastLeaderboard)
  builder.objectField(LeaderboardEntries, 'aroundRank', (t) =>
    t.int({
      nullable: true,
      description: 'The rank of the user of `leaderboardAround`. Null if not ranked.',
      resolve: (connection) => (connection as { aroundRank?: number | null }).aroundRank ?? null,
    }),
  )
  const Window = builder.inputType('LeaderboardWindow', {
    description:
      'The distribution dates whose points count, in all pools or only in one pool or on one ' +
      'chain.',
    fields: (t) => ({
      from: t.field({
        type: 'Date',
        description: 'The first date. Defaults to the first distribution date.',
      }),
      to: t.field({
        type: 'Date',
        description: 'The last date. Defaults to the newest distribution date.',
      }),
      pool: t.field({
        type: 'Address',
        description: `Only points in this pool. At most ${MOST_WINDOW_DATES.pool} dates.`,
      }),
      chainId: t.field({
        type: 'SafeInt',
        description:
          'Only points on this chain. Without `pool`, at most ' +
          `${MOST_WINDOW_DATES.chain} dates.`,
      }),
    }),
  })
  const Scope = builder.inputType('LeaderboardScope', {
    isOneOf: true,
    description: 'The points that count: all up to a date, or those of a window.',
    fields: (t) => ({
      asOf: t.field({
        type: 'Date',
        description:
          'All points up to the last distribution date that is not after this one. A date in ' +
          'the future means the newest. The list is empty before the first date.',
      }),
      season: t.string({
        description:
          'The points of the season with this name. Users with a position in it are ranked. ' +
          'The list is empty if the season has no distribution yet.',
      }),
      window: t.field({
        type: Window,
        description:
          'The points of a window. Users with a position in it are ranked. The list is empty ' +
          'if the window has no distribution.',
      }),
    }),
  })
  const scope = (arg: ArgBuilder<Types>) =>
    arg({
      type: Scope,
      description: 'The points that count. Defaults to all points up to the newest date.',
    })

  // Completes the arguments by what their scope means in the store.
  const inScope = async <Args extends ScopeArgs>({ scope, ...args }: Args, reader: Reader) => {
    const { asOf, season } = scope ?? {}
    const sent = typeof season === 'string' ? await datesOfSeason(reader, season) : scope?.window
    const bounds = sent && isWindow(sent) ? sent : undefined
    const window = bounds && (await windowOf(reader, bounds))
    const at = asOf ? await asOfDate(reader, asOf) : NOW
    return !at || (bounds && !window) ? { ...args, nowhere: true } : { ...args, at, window }
  }
  const board = {
    listing: ({ at = NOW, window }) => {
      if (window) return windowLeaderboard(window)
      if (!at.newest) return pastLeaderboard
      return at.date ? newestLeaderboard : currentLeaderboard
    },
    filter: ({ at = NOW, nowhere, window }) => {
      if (nowhere) return { where: [Prisma.sql`false`] }
      return {
        where: at.newest || window ? [] : [Prisma.sql`t.distribution_date = ${at.date}::date`],
      }
    },
    total: {
      load: (_, args, context: GraphContext) =>
        isWhole(args) ? async () => (await loadProgram(context)).accountCount : undefined,
      sql: (args) => (isWhole(args) ? '(SELECT account_count FROM program)' : undefined),
    },
  } satisfies Partial<PagedList>
  builder.queryFields((t) => ({
    leaderboard: t.field({
      description:
        'Users by rank: all with a stored position, or those with a position in a window, ' +
        'ranked by their points in it.',
      ...sqlFields.list(t.arg, 'LeaderboardEntry', {
        args: { scope: scope(t.arg) },
        ...board,
        prepare: inScope,
        values: { aroundRank: () => null },
        extensions: {
          cost: { weight: leaderboard(1), count: leaderboardCount } satisfies FieldCost,
        },
      }),
    }),
    leaderboardAround: t.field({
      description:
        'The page of the leaderboard that is centred on a user. At an end of the list it is ' +
        'the first or last page, just as long. It is empty if the user is not ranked, and then ' +
        '`aroundRank` is null. Its cursors continue in `leaderboard`.',
      ...sqlFields.list(t.arg, 'LeaderboardEntry', {
        ...board,
        async prepare({ user, ...args }, reader: Reader) {
          const scoped = await inScope(args, reader)
          if (scoped.nowhere) return scoped
          const { at = NOW, window, first } = scoped
          const place = await (window
            ? placeInWindow(reader, user, window)
            : placeAt(reader, user, at))
          if (!place) return { ...scoped, nowhere: true }
          const size = first ?? DEFAULT_PAGE
          const centred = place.rank - 1 - (size >> 1)
          const start = Math.max(0, Math.min(centred, place.total - size))
          const { name } = board.listing(scoped)
          return { ...scoped, aroundRank: place.rank, after: encodeCursor(name, [String(start)]) }
        },
        values: { aroundRank: (args: { aroundRank?: number | null }) => args.aroundRank ?? null },
        extensions: {
          cost: { once: 200, weight: leaderboard(2), count: leaderboardCount } satisfies FieldCost,
        },
      }),
      args: {
        user: t.arg({ type: 'Address', required: true, description: "The user's address." }),
        scope: scope(t.arg),
        first: pageArguments(t.arg).first,
      },
    }),
  }))
  builder.subscriptionFields((t) => {
    const { first, after } = pageArguments(t.arg)
    return {
      leaderboard: t.field({
        type: LeaderboardEntries,
        args: {
          first,
          after,
          offset: t.arg({ type: 'BigInt', description: 'Number of ranks to skip. Defaults to 0.' }),
        },
        ...liveField('The users by rank'),
      }),
    }
  })
}
