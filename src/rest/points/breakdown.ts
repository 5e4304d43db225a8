import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { RestBreakdownQuery } from '../../generated/operations/graphql.ts'
import type { Rows } from '../../graphql/plan/plan.ts'
import { lastOf, listed } from '../body.ts'
import { endpoint } from '../endpoint.ts'
import { addresses, asEntity, entityText, limit, recordCursor } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestBreakdown($first: Int!, $afterRecord: String, $assets: [Address!], $pool: String) {
    positions(first: $first, afterRecord: $afterRecord, assets: $assets, pool: $pool) {
      nodes { ...PositionRecord }
      pageInfo { hasNextPage }
    }
  }
`)

const response = z.strictObject({
  items: z.array(shapes.positionShape),
  nextCursor: shapes.nullable(z.string()).describe("The last record's id; null where nothing follows."),
})
const page = { cursor: recordCursor, limit: limit.describe('Records a page.') }
const order = 'Newest distribution date first, then by id.'
const asset = addresses
  .optional()
  .describe(
    'Tokens: records with one of them on either side. Repeated, in brackets (`asset[]=`, `asset[0]=`) or separated by commas.',
  )

/** The two breakdowns by assets have different paths and the same answer. */
const byAssets = (operationId: string) =>
  endpoint({
    operationId,
    summary: 'Position records by token',
    description: `Position records of all users. ${order}`,
    query: z.object({ ...page, asset }),
    response,
    async answer({ query, execute }) {
      return pageOf(
        await execute.rows(operation, { first: query.limit, afterRecord: query.cursor, assets: query.asset }),
      )
    },
  })

export const pointsByAssets = byAssets('getPointsBreakdownByAssets')
export const positionsByAssets = byAssets('getPositionsBreakdownByAssets')

export const positionsByMarkets = endpoint({
  operationId: 'getPositionsBreakdownByMarkets',
  summary: 'Position records by pool',
  description: `Position records of all users. ${order}`,
  query: z.object({ ...page, market: entityText.optional().describe("A pool's id; any other text matches nothing.") }),
  response,
  async answer({ query, execute }) {
    const pool = query.market === undefined ? undefined : asEntity(query.market)
    return pageOf(await execute.rows(operation, { first: query.limit, afterRecord: query.cursor, pool }))
  },
})

function pageOf({ data, rows }: { data: RestBreakdownQuery; rows: Rows }) {
  const last = data.positions.pageInfo.hasNextPage ? lastOf<{ id: string }>(rows) : undefined
  return { body: { items: listed(rows), nextCursor: last?.id ?? null } }
}
