import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { RestPoolsQuery } from '../../generated/operations/graphql.ts'
import { endpoint } from '../endpoint.ts'
import * as shapes from '../shapes.ts'
import { multiplierRecord } from './multipliers.ts'

const operation = graphql(`
  query RestPools($after: String) {
    pools(first: 1000, after: $after) {
      nodes {
        id: address marketId: number name legacy { createdTimestamp interestLastUpdated }
        unit_1_id: marketAAddress unit_2_id: marketBAddress
        assetA { asset_1_address: address } nameA: legacy { asset_1_name: assetAName }
        symbolA: assetA { asset_1_symbol: symbol }
        assetB { asset_2_address: address } nameB: legacy { asset_2_name: assetBName }
        symbolB: assetB { asset_2_symbol: symbol }
        multiplier { ...MultiplierRecord }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

type Pool = RestPoolsQuery['pools']['nodes'][number]

function poolRecord({
  legacy,
  assetA,
  nameA,
  symbolA,
  assetB,
  nameB,
  symbolB,
  multiplier,
  ...pool
}: Pool) {
  const { id, marketId, name, ...markets } = pool
  return {
    id,
    marketId,
    name,
    ...legacy,
    ...markets,
    ...assetA,
    ...nameA,
    ...symbolA,
    ...assetB,
    ...nameB,
    ...symbolB,
    multiplier: multiplier && multiplierRecord(multiplier),
  }
}

export const allPools = endpoint({
  operationId: 'getPools',
  summary: 'All pools',
  description:
    'All pools with their multipliers, by pool number, then id. The documented status is 201.',
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
  pageInfo: ({ pools }) => pools.pageInfo,
  answer: ({ pages }) => ({ body: pages.flatMap(({ pools }) => pools.nodes.map(poolRecord)) }),
})
