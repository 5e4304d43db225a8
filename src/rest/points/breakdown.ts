import { z } from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { addresses, asEntity, entityText, limit, recordCursor } from '../parameters.ts'
import { positionRecord } from '../position-record.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestBreakdown($first: Int!, $afterRecord: String, $assets: [Address!], $pool: String) {
    positions(first: $first, afterRecord: $afterRecord, assets: $assets, pool: $pool) {
      nodes { ...PositionFields }
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
  .describe('Tokens, repeated or separated by commas: records with one of them on either side.')

/** The two breakdowns by assets have different paths and the same answer. */
const byAssets = (operationId: string) =>
  endpoint({
    operationId,
    summary: 'Position records by token',
    description: `Position records of all users. ${order}`,
    query: z.object({ ...page, asset }),
    response,
    async answer({ query, execute }) {
      const { positions } = await execute(operation, {
        first: query.limit,
        afterRecord: query.cursor,
        assets: query.asset,
      })
      return { body: pageOf(positions) }
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
    const { positions } = await execute(operation, { first: query.limit, afterRecord: query.cursor, pool })
    return { body: pageOf(positions) }
  },
})

function pageOf({
  nodes,
  pageInfo,
}: {
  nodes: Parameters<typeof positionRecord>[0][]
  pageInfo: { hasNextPage: boolean }
}) {
  const items = nodes.map(positionRecord)
  return { items, nextCursor: pageInfo.hasNextPage ? (items.at(-1)?.id ?? null) : null }
}
