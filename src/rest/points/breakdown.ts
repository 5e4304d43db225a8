import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { RestBreakdownQuery } from '../../generated/operations/graphql.ts'
import { endpoint, lastOf, type Rows } from '../endpoint.ts'
import { addresses, entityText, limit, recordCursor, whereAddress } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestBreakdown(
    $first: Int!, $afterRecord: String, $assets: [Address!], $pools: [Address!],
    $orderBy: [PositionOrder!], $orderDirection: [OrderDirection!]
  ) {
    legacy {
      positions(
        first: $first, afterRecord: $afterRecord, where: { assets: $assets, pools: $pools },
        orderBy: $orderBy, orderDirection: $orderDirection
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
const sorted = {
  sort: z
    .enum(['supplied', 'borrowed', 'points'], 'must be supplied, borrowed or points, given once')
    .optional()
    .describe(
      'Only records of the newest distribution date, in this order: by the borrowable supply of ' +
        'both sides in USD, by the debt of both sides in USD, or by points. Amounts in USD are ' +
        'compared to six decimals. Ties are ordered by id.',
    ),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc, given once')
    .default('desc')
    .describe('The direction of `sort`, ignored without it: the smallest or the largest first.'),
}
const SORT_KEYS = { supplied: 'SUPPLIED_USD', borrowed: 'BORROWED_USD', points: 'POINTS' } as const
const DIRECTIONS = { asc: 'ASC', desc: 'DESC' } as const

interface Sorted {
  sort?: keyof typeof SORT_KEYS | undefined
  order: keyof typeof DIRECTIONS
}

const orderOf = ({ sort, order }: Sorted) =>
  sort && { orderBy: SORT_KEYS[sort], orderDirection: DIRECTIONS[order] }

const ORDER =
  'Newest distribution date first, then by id. With `sort`, the records of the newest date ' +
  'alone; the cursor continues the sorted list.'
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
    description: `Position records of all users. ${ORDER}`,
    query: z.object({ ...page, asset, ...sorted }),
    response,
    operation,
    variables: ({ query: { asset, limit, cursor, ...by } }) => ({
      first: limit,
      afterRecord: cursor,
      assets: asset?.length === 1 ? asset[0] : asset,
      ...orderOf(by),
    }),
    hasRows: true,
    answer: pageOf,
  })

export const pointsByAssets = byAssets('getPointsBreakdownByAssets')
export const positionsByAssets = byAssets('getPositionsBreakdownByAssets')

export const positionsByMarkets = endpoint({
  operationId: 'getPositionsBreakdownByMarkets',
  summary: 'Position records by pool',
  description: `Position records of all users. ${ORDER}`,
  query: z.object({
    ...page,
    market: entityText
      .optional()
      .describe('Only records in the pool with this id. Any other text matches nothing.'),
    ...sorted,
  }),
  response,
  operation,
  variables: ({ query }) => ({
    first: query.limit,
    afterRecord: query.cursor,
    pools: whereAddress(query.market),
    ...orderOf(query),
  }),
  hasRows: true,
  answer: pageOf,
})

function pageOf({ data, rows }: { data: RestBreakdownQuery; rows: Rows }) {
  const last = data.legacy.positions.pageInfo.hasNextPage ? lastOf<{ id: string }>(rows) : undefined
  return { body: { items: [], nextCursor: last?.id ?? null } }
}
