import { type Account, leaderboard } from '../../domain/account/account.ts'
import type { Builder } from '../builder.ts'
import { likeQuery } from '../live-query.ts'
import { list, reading } from '../plan/reading.ts'
import { connectionType } from './connection-type.ts'
import { loadProgram } from './distribution.ts'
import { pageArguments } from './page-arguments.ts'
import { type UserRef, userAt } from './user.ts'

export function addLeaderboard(builder: Builder, { User }: { User: UserRef }) {
  const LeaderboardEntry = builder.objectRef<Account>('LeaderboardEntry').implement({
    description: "An account's place on the leaderboard. An account is an address with at least one stored position.",
    fields: (t) => ({
      rank: t.exposeInt('rank', { description: 'From 1; no two accounts share one. By points, then address.' }),
      account: t.expose('userAddress', { type: 'Address', description: "The account's address." }),
      points: t.exposeFloat('points', { description: 'Points over all distribution dates.' }),
      user: t.field({
        type: User,
        description: 'The user.',
        ...reading({ kind: 'one', one: userAt, by: ['userAddress'] }),
        resolve: (entry) => ({ address: entry.userAddress }),
      }),
    }),
  })

  const LeaderboardEntries = connectionType(builder, 'LeaderboardEntry', LeaderboardEntry)
  builder.queryFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description: 'All accounts by rank.',
      args: pageArguments(t.arg),
      ...list({
        listing: () => leaderboard,
        filter: () => ({ where: [] }),
        total: {
          load: (_, __, context) => async () => (await loadProgram(context)).accountCount,
          sql: () => '(SELECT account_count FROM program)',
        },
      }),
    }),
  }))
  builder.subscriptionFields((t) => ({
    leaderboard: t.field({
      type: LeaderboardEntries,
      description:
        'The accounts by rank, as the query of the same name answers them: at once, and again after a change of the stored data, but only when what is selected is another than what was told last.',
      args: {
        first: pageArguments(t.arg).first,
        offset: t.arg({ type: 'BigInt', description: 'How many ranks to skip; none when left out.' }),
      },
      ...likeQuery,
    }),
  }))
  return LeaderboardEntry
}

export type LeaderboardEntryRef = ReturnType<typeof addLeaderboard>
