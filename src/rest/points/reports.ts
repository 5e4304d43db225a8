import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { allPages } from '../all-pages.ts'
import { endpoint } from '../endpoint.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestReports($after: String) {
    distributions(first: 1000, after: $after) {
      nodes { distributionDate: date @midnight totalPoints: points positionCount }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const reports = endpoint({
  operationId: 'getReports',
  summary: 'Points per distribution date',
  description: 'The total points and the number of positions for each distribution date, newest first.',
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
  answer: async ({ execute }) => ({ body: { items: (await allPages(execute, (data) => data.distributions)).list } }),
})
