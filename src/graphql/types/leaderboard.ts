import { asOfDate, presentStandings, rankAt, type StandingEntry, standings } from '../../domain/standing/standing.ts'
import { GatewayError } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Builder } from '../builder.ts'
import { connect, connectArray, DEFAULT_PAGE, encodeCursor } from '../connection.ts'
import { connectionType } from './connection-type.ts'
import { loadProgram } from './distribution.ts'
import { pageArguments } from './page-arguments.ts'
import type { UserRef } from './user.ts'

export function addLeaderboard(builder: Builder, { User }: { User: UserRef }) {
  const LeaderboardEntry = builder.objectRef<StandingEntry>('LeaderboardEntry').implement({
    description: "An account's place on the leaderboard. An account is an address with at least one stored position.",
    fields: (t) => ({
      rank: t.exposeInt('rank', { description: 'From 1; no two accounts share one. By points, then address.' }),
      account: t.expose('userAddress', { type: 'Address', description: "The account's address." }),
      points: t.exposeFloat('points', {
        description: 'Points over all distribution dates up to that of the leaderboard.',
      }),
      user: t.field({ type: User, description: 'The user.', resolve: (entry) => ({ address: entry.userAddress }) }),
    }),
  })

  const LeaderboardEntries = connectionType(builder, 'LeaderboardEntry', LeaderboardEntry)
  builder.queryFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description: 'All accounts by rank, now or as of a date.',
      args: {
        ...pageArguments(t.arg),
        asOf: t.arg({
          type: 'DateTime',
          description:
            'As of the last distribution date up to this moment, included; the newest when left out. There is nothing before the first one.',
        }),
        around: t.arg({
          type: 'Address',
          description:
            'The page with this account in its middle, as far as the ends of the list allow it; nothing where it has no place. `first` is its size; not together with after, before, last and offset, but its cursors lead on.',
        }),
      },
      resolve: async (_, { asOf, around, ...page }, context) => {
        const at = asOf ? await asOfDate(context.reader, asOf) : { date: '', newest: true }
        if (!at) return connectArray<StandingEntry>('none', [], ({ userAddress }) => userAddress, {})
        const list = at.newest ? presentStandings : standings
        const where = at.newest ? [] : [Prisma.sql`t.distribution_date = ${at.date}::date`]
        if (around) {
          const { after, before, last, offset } = page
          if ([after, before, last, offset].some((one) => one !== null && one !== undefined))
            throw new GatewayError('BAD_INPUT', 'around cannot be given together with after, before, last or offset.')
          const rank = await rankAt(context.reader, around, at)
          if (rank === undefined) where.push(Prisma.sql`false`)
          else
            page.after = encodeCursor(list.name, [String(Math.max(0, rank - 1 - ((page.first ?? DEFAULT_PAGE) >> 1)))])
        }
        return connect(context, list, { where }, page, {
          ...(at.newest && { total: async () => (await loadProgram(context)).accountCount }),
        })
      },
    }),
  }))
  return LeaderboardEntry
}

export type LeaderboardEntryRef = ReturnType<typeof addLeaderboard>
