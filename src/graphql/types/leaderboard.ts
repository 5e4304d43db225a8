import { type Account, leaderboard } from '../../domain/account/account.ts'
import type { Builder } from '../builder.ts'
import { connect } from '../connection.ts'
import { connectionType } from './connection-type.ts'
import { loadProgram } from './distribution.ts'
import { pageArguments } from './page-arguments.ts'
import type { UserRef } from './user.ts'

export function addLeaderboard(builder: Builder, { User }: { User: UserRef }) {
  const LeaderboardEntry = builder.objectRef<Account>('LeaderboardEntry').implement({
    description: "An account's place on the leaderboard. An account is an address with at least one stored position.",
    fields: (t) => ({
      rank: t.exposeInt('rank', { description: 'From 1; no two accounts share one. By points, then address.' }),
      account: t.expose('userAddress', { type: 'Address', description: "The account's address." }),
      points: t.exposeFloat('points', { description: 'Points over all distribution dates.' }),
      user: t.field({ type: User, description: 'The user.', resolve: (entry) => ({ address: entry.userAddress }) }),
    }),
  })

  const LeaderboardEntries = connectionType(builder, 'LeaderboardEntry', LeaderboardEntry)
  builder.queryFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description: 'All accounts by rank.',
      args: pageArguments(t.arg),
      resolve: (_, args, context) =>
        connect(context, leaderboard, { where: [] }, args, {
          total: async () => (await loadProgram(context)).accountCount,
        }),
    }),
  }))
  return LeaderboardEntry
}

export type LeaderboardEntryRef = ReturnType<typeof addLeaderboard>
