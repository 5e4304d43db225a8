import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, NO_ONE } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestLeaderboard($account: Address!, $withAccount: Boolean!) {
    leaderboard(first: 3) { totalCount nodes { account: userAddress points rank } }
    user(address: $account) @include(if: $withAccount) { account: address points: totalPoints rank }
  }
`)

export const leaderboard = endpoint({
  operationId: 'getLeaderboard',
  summary: 'The top 3 accounts, and one more of your choice',
  description:
    'The top 3 accounts in rank order. With `account`, the entry of that account follows, even ' +
    'if it is in the top 3. An address that is not an account adds no entry.',
  query: z.object({ account: address.optional().describe('The account to add.') }),
  response: z.strictObject({
    topAccounts: z.array(
      z.strictObject({
        account: shapes.address,
        points: z.number(),
        rank: z.string().regex(/^[1-9][0-9]*$/),
      }),
    ),
    total: shapes.digits.describe('The number of accounts.'),
  }),
  operation,
  variables: ({ query: { account } }) => ({
    account: account ?? NO_ONE,
    withAccount: account !== undefined,
  }),
  answer({ data: { leaderboard, user } }) {
    const entries = user && user.rank !== null ? [...leaderboard.nodes, user] : leaderboard.nodes
    const topAccounts = entries.map(({ account, points, rank }) => ({
      account,
      points,
      rank: String(rank),
    }))
    return { body: { topAccounts, total: String(leaderboard.totalCount) } }
  },
})
