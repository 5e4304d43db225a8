import { z } from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { allPages } from '../all-pages.ts'
import { endpoint } from '../endpoint.ts'
import * as shapes from '../shapes.ts'
import { multiplierRecord } from './multipliers.ts'

const operation = graphql(`
  query RestPools($after: String) {
    pools(first: 1000, after: $after) {
      nodes {
        id: address marketId name createdTimestamp interestLastUpdated
        unit_1_id: marketAAddress unit_2_id: marketBAddress
        assetA { address name symbol }
        assetB { address name symbol }
        multiplier { ...MultiplierFields }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const allPools = endpoint({
  operationId: 'getPools',
  summary: 'All pools',
  description: "All pools with their multipliers, by the pool's number, then id. The documented status is 201.",
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
  async answer({ execute }) {
    const rows = await allPages(async (after) => (await execute(operation, { after })).pools)
    const body = rows.map(({ assetA, assetB, multiplier, ...pool }) => ({
      ...pool,
      asset_1_address: assetA.address,
      asset_1_name: assetA.name,
      asset_1_symbol: assetA.symbol,
      asset_2_address: assetB.address,
      asset_2_name: assetB.name,
      asset_2_symbol: assetB.symbol,
      multiplier: multiplier ? multiplierRecord(multiplier) : null,
    }))
    return { body }
  },
})
