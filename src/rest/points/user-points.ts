import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const everyone = graphql(`query RestTotalPoints { program { totalPoints } }`)
const one = graphql(`
  query RestUserPoints($account: Address!) { program { totalPoints } user(address: $account) { account: address points } }
`)

export const userPoints = endpoint({
  operationId: 'getUserPoints',
  summary: "An account's points, or everyone's",
  description:
    'The points over all distribution dates: of the account and of everyone; without `account`, of everyone.',
  query: z.object({ account: address.optional().describe('The account.') }),
  response: z.union([
    z.strictObject({ account: shapes.address, userPoints: z.number(), totalPoints: z.number() }),
    z.strictObject({ totalPoints: z.number() }),
  ]),
  async answer({ query: { account }, execute }) {
    if (account === undefined) return { body: (await execute(everyone, {})).program }
    const { program, user } = await execute(one, { account })
    return { body: { account: user.account, userPoints: user.points, totalPoints: program.totalPoints } }
  },
})
