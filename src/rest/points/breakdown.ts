import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { RestBreakdownQuery } from '../../generated/operations/graphql.ts'
import { endpoint, lastOf, type Rows } from '../endpoint.ts'
import { addresses, entityText, limit, recordCursor, whereAddress } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestBreakdown($first: Int!, $afterRecord: String, $assets: [Address!], $pools: [Address!]) {
    legacy {
      positions(
        first: $first, afterRecord: $afterRecord, where: { assets: $assets, pools: $pools }
      ) {
        nodes { ...PositionRecord }
        pageInfo { hasNextPage }
      }
    }
  }
`)

const response = z.strictObject({
  items: z.array(shapes.positionShape),
  nextCursor: shapes
    .nullable(z.string())
    .describe("The last record's id. Null if no records follow."),
})
const page = { cursor: recordCursor, limit: limit.describe('Number of records per page.') }
const order = 'Newest distribution date first, then by id.'
const asset = addresses
  .optional()
  .describe(
    'Only records with one of these tokens on either side. Repeat the parameter, use brackets ' +
      '(`asset[]=`, `asset[0]=`) or separate addresses by commas.',
  )

// Both breakdowns by assets return the same answer under different paths.
const byAssets = (operationId: string) =>
  endpoint({
    operationId,
    summary: 'Position records by token',
    description: `Position records of all users. ${order}`,
    query: z.object({ ...page, asset }),
    response,
    operation,
    variables: ({ query: { asset, limit, cursor } }) => ({
      first: limit,
      afterRecord: cursor,
      assets: asset?.length === 1 ? asset[0] : asset,
    }),
    hasRows: true,
    answer: pageOf,
  })

export const pointsByAssets = byAssets('getPointsBreakdownByAssets')
export const positionsByAssets = byAssets('getPositionsBreakdownByAssets')

export const positionsByMarkets = endpoint({
  operationId: 'getPositionsBreakdownByMarkets',
  summary: 'Position records by pool',
  description: `Position records of all users. ${order}`,
  query: z.object({
    ...page,
    market: entityText
      .optional()
      .describe('Only records in the pool with this id. Any other text matches nothing.'),
  }),
  response,
  operation,
  variables: ({ query }) => ({
    first: query.limit,
    afterRecord: query.cursor,
    pools: whereAddress(query.market),
  }),
  hasRows: true,
  answer: pageOf,
})

function pageOf({ data, rows }: { data: RestBreakdownQuery; rows: Rows }) {
  const last = data.legacy.positions.pageInfo.hasNextPage ? lastOf<{ id: string }>(rows) : undefined
  return { body: { items: [], nextCursor: last?.id ?? null } }
}
