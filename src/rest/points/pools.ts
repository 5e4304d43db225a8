import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { allPages } from '../all-pages.ts'
import { endpoint } from '../endpoint.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestPools($after: String) {
    pools(first: 1000, after: $after) {
      nodes {
        id: address marketId: number name legacy @flat { createdTimestamp interestLastUpdated }
        unit_1_id: marketAAddress unit_2_id: marketBAddress
        assetA @flat { asset_1_address: address } nameA: legacy @flat { asset_1_name: assetAName }
        symbolA: assetA @flat { asset_1_symbol: symbol }
        assetB @flat { asset_2_address: address } nameB: legacy @flat { asset_2_name: assetBName }
        symbolB: assetB @flat { asset_2_symbol: symbol }
        multiplier { ...MultiplierRecord }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const allPools = endpoint({
  operationId: 'getPools',
  summary: 'All pools',
  description: 'All pools with their multipliers, by pool number, then id. The documented status is 201.',
  status: 201,
  response: z.array(
    z.strictObject({
      id: shapes.address,
      marketId: shapes.safeInteger,
      name: z.string(),
      asset_1_address: shapes.address,
      asset_1_name: z.string(),
      asset_1_symbol: z.string(),
      asset_2_address: shapes.address,
      asset_2_name: z.string(),
      asset_2_symbol: z.string(),
      createdTimestamp: shapes.safeInteger,
      interestLastUpdated: shapes.safeInteger,
      unit_1_id: shapes.address,
      unit_2_id: shapes.address,
      multiplier: shapes.nullable(shapes.multiplierShape),
    }),
  ),
  operation,
  variables: () => ({}),
  answer: async ({ execute }) => ({ body: (await allPages(execute, (data) => data.pools)).list }),
})
