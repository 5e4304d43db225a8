import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, entityText } from '../parameters.ts'
import * as shapes from '../shapes.ts'
import {
  snapshotFilters,
  snapshotPage,
  snapshotQuery,
  snapshotVariables,
} from './snapshot-window.ts'

const operation = graphql(`
  query RestMarketSnapshots(
    $address: Address!, $first: Int!, $offset: BigInt!, $chainIds: [SafeInt!]
    $entities: [Address!], $from: BigInt!, $to: BigInt!, $grouped: Boolean!
  ) {
    user(address: $address) {
      legacy {
        marketSnapshots(
          first: $first, offset: $offset, from: $from, to: $to, grouped: $grouped
          where: { chainIds: $chainIds, entities: $entities }
        ) {
          totalCount
          pageInfo { hasNextPage }
          nodes {
            chainId marketId: entityAddress accountId: userAddress positionId legacy { timestamp }
            supplied { collateralAssets: raw collateralUsd: usd }
            protected { protectedAssets: raw protectedUsd: usd }
            borrowed { debtAssets: raw debtUsd: usd }
          }
        }
      }
    }
  }
`)

export const marketPositionSnapshots = endpoint({
  operationId: 'getMarketPositionSnapshots',
  summary: "Daily snapshots of a user's market positions",
  description:
    'Snapshots by timestamp, chain, market and position, ascending. The window defaults to the ' +
    'last 30 days.',
  path: z.object({ address: address.describe("The user's address.") }),
  query: z.object({
    ...snapshotQuery,
    market: entityText.optional().describe('Only snapshots in the market at this address.'),
  }),
  response: shapes.envelope(
    z.array(
      z.strictObject({
        chainId: shapes.safeInteger,
        marketId: shapes.address,
        accountId: shapes.address,
        positionId: shapes.nullable(z.string()).describe('Null if positions are summed.'),
        timestamp: shapes.digits,
        collateralAssets: shapes.digits,
        collateralUsd: shapes.nullable(shapes.usd),
        protectedAssets: shapes.digits,
        protectedUsd: shapes.nullable(shapes.usd),
        debtAssets: shapes.digits,
        debtUsd: shapes.nullable(shapes.usd),
      }),
    ),
    { market: shapes.nullable(z.string()), ...snapshotFilters },
  ),
  operation,
  variables: ({ path, query, now }) => ({
    ...path,
    ...snapshotVariables(query, query.market, now),
  }),
  hasRows: true,
  answer({ query, variables, data, rows }) {
    const { totalCount } = data.user.legacy.marketSnapshots
    return snapshotPage(query, variables, { market: query.market }, totalCount, rows.length)
  },
})
