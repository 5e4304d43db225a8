import { type Account, leaderboard } from '../../domain/account/account.ts'
import { accountChoices } from '../../domain/account/choices.ts'
import type { Builder } from '../builder.ts'
import type { ChoiceTypes } from '../choices.ts'
import { list, reading } from '../plan/reading.ts'
import { connectionType } from './connection-type.ts'
import { loadProgram } from './distribution.ts'
import { listArguments } from './page-arguments.ts'
import { type UserRef, userAt } from './user.ts'

export function addLeaderboard(builder: Builder, { chosen, User }: { chosen: ChoiceTypes; User: UserRef }) {
  const EntryChosen = chosen('LeaderboardEntry', accountChoices)
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
      args: listArguments(t.arg, EntryChosen),
      ...list({
        listing: () => leaderboard,
        choices: EntryChosen.choices,
        filter: () => ({ where: [] }),
        total: {
          load: (_, __, context) => async () => (await loadProgram(context)).accountCount,
          sql: () => '(SELECT account_count FROM program)',
        },
      }),
    }),
  }))
  return LeaderboardEntry
}

export type LeaderboardEntryRef = ReturnType<typeof addLeaderboard>
