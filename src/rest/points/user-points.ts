import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, NO_ONE } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestUserPoints($account: Address!, $withAccount: Boolean!) {
    program { totalPoints }
    user(address: $account) @include(if: $withAccount) { account: address userPoints: totalPoints }
  }
`)

export const userPoints = endpoint({
  operationId: 'getUserPoints',
  summary: "An account's points and the program's",
  description:
    'The total points over all distribution dates, of the program and, if `account` is given, ' +
    'of that account.',
  query: z.object({ account: address.optional().describe('The account.') }),
  response: z.union([
    z.strictObject({ account: shapes.address, userPoints: z.number(), totalPoints: z.number() }),
    z.strictObject({ totalPoints: z.number() }),
  ]),
  operation,
  variables: ({ query: { account } }) => ({
    account: account ?? NO_ONE,
    withAccount: account !== undefined,
  }),
  answer: ({ data: { program, user } }) => ({ body: { ...user, ...program } }),
})
