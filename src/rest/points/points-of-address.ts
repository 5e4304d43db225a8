import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint, lastOf } from '../endpoint.ts'
import { address, dateCursor, limit } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestPointsOfAddress($address: Address!, $first: Int!, $afterDate: Date) {
    user(address: $address) {
      dailyPoints(first: $first, where: { date: { gt: $afterDate } }) {
        nodes { distributionDate: date points positions { ...PositionRecord } }
        pageInfo { hasNextPage }
      }
    }
  }
`)

export const pointsOfAddress = endpoint({
  operationId: 'getPointsOfAddress',
  summary: "A user's points per distribution date",
  description:
    "A user's distribution dates, oldest first, each with its points and the positions that " +
    'earned them.',
  path: z.object({ address: address.describe("The user's address.") }),
  query: z.object({ cursor: dateCursor, limit: limit.describe('Number of dates per page.') }),
  response: z.strictObject({
    items: z.array(
      z.strictObject({
        distributionDate: shapes.timestamp,
        points: z.number(),
        positions: z.array(shapes.positionShape),
      }),
    ),
    nextCursor: shapes
      .nullable(shapes.timestamp)
      .describe("The last item's date. Null if no dates follow."),
  }),
  operation,
  variables: ({ path: { address }, query }) => ({
    address,
    first: query.limit,
    afterDate: query.cursor?.slice(0, 10),
  }),
  hasRows: true,
  answer({ data, rows }) {
    const hasNext = data.user.dailyPoints.pageInfo.hasNextPage
    const last = hasNext ? lastOf<{ distributionDate: string }>(rows) : undefined
    return { body: { items: [], nextCursor: last?.distributionDate ?? null } }
  },
})
