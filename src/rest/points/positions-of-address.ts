import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { midnight } from '../../time.ts'
import { endpoint, REQUEST_TIME } from '../endpoint.ts'
import { address } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestPositionsOfAddress($address: Address!) {
    program { totalPoints }
    user(address: $address) { userAddress: address points: totalPoints lastDate }
  }
`)

export const positionsOfAddress = endpoint({
  operationId: 'getPositionsOfAddress',
  summary: "A user's points and the program's",
  description:
    'One entry with the points over all distribution dates and the newest date of the account; ' +
    'no entry for an address that is not an account. `timestamp` is the time of the request; ' +
    'the ETag ignores it.',
  path: z.object({ address: address.describe("The user's address.") }),
  response: z.strictObject({
    points: z.array(
      z.strictObject({
        userAddress: shapes.address,
        timestamp: shapes.timestamp,
        lastSnapshotDate: shapes.timestamp,
        points: z.number(),
      }),
    ),
    totalPoints: z.number(),
  }),
  operation,
  variables: ({ path: { address } }) => ({ address }),
  answer({ data: { program, user } }) {
    const { lastDate, userAddress, points } = user
    const entry = lastDate && {
      userAddress,
      timestamp: REQUEST_TIME,
      lastSnapshotDate: midnight(lastDate),
      points,
    }
    return { body: { points: entry ? [entry] : [], totalPoints: program.totalPoints }, timed: true }
  },
})
