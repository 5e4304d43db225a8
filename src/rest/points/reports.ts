import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { midnight } from '../../time.ts'
import { endpoint } from '../endpoint.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestReports($after: String) {
    distributions(first: 1000, after: $after) {
      nodes { distributionDate: date totalPoints: points positionCount }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const reports = endpoint({
  operationId: 'getReports',
  summary: 'Points per distribution date',
  description:
    'The total points and the number of positions for each distribution date, newest first.',
  response: z.strictObject({
    items: z.array(
      z.strictObject({
        distributionDate: shapes.timestamp,
        totalPoints: z.number(),
        positionCount: shapes.safeInteger,
      }),
    ),
  }),
  operation,
  variables: () => ({}),
  pageInfo: ({ distributions }) => distributions.pageInfo,
  answer({ pages }) {
    const items = pages.flatMap(({ distributions }) => distributions.nodes)
    return {
      body: {
        items: items.map((item) => ({
          ...item,
          distributionDate: midnight(item.distributionDate),
        })),
      },
    }
  },
})
