import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, pageOf, pageQuery } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestEarnings($address: Address!, $chainId: SafeInt, $first: Int!, $offset: BigInt!) {
    user(address: $address) {
      earnings(chainId: $chainId) {
        total_earnings_usd: earningsUsd
        total_current_value_usd: worthUsd
        total_net_cash_invested_usd: netCashInvestedUsd
        legacy { has_incomplete_prices: hasIncompletePrices }
        entityCount
        breakdown(first: $first, offset: $offset) {
          chain_id: chainId entity_id: entityAddress entity_type: entityType
          current_value_usd: worthUsd net_cash_invested_usd: netCashInvestedUsd
          earnings_usd: earningsUsd legacy { has_incomplete_prices: hasIncompletePrices }
        }
      }
    }
  }
`)

export const earnings = endpoint({
  operationId: 'getEarnings',
  summary: "A user's earnings",
  description:
    'Current value minus net cash invested, in USD. Totals cover all entities; the breakdown ' +
    'is a page of entities by current value, largest first. A missing price counts as 0 and ' +
    'sets has_incomplete_prices.',
  path: z.object({ address: address.describe("The user's address.") }),
  query: z.object(pageQuery),
  response: shapes.envelope(
    z.strictObject({
      total_earnings_usd: shapes.usd,
      total_current_value_usd: shapes.usd,
      total_net_cash_invested_usd: shapes.usd,
      has_incomplete_prices: z.boolean(),
      breakdown: z.array(
        z.strictObject({
          chain_id: shapes.safeInteger,
          entity_id: shapes.address,
          entity_type: shapes.entityType,
          current_value_usd: shapes.usd,
          net_cash_invested_usd: shapes.usd,
          earnings_usd: shapes.usd,
          has_incomplete_prices: z.boolean(),
        }),
      ),
    }),
    { chain_id: shapes.nullable(shapes.safeInteger) },
  ),
  operation,
  variables: ({ path, query }) => ({ ...path, chainId: query.chain_id ?? null, ...pageOf(query) }),
  answer({ query, data: { user } }) {
    const { breakdown, entityCount, legacy, ...totals } = user.earnings
    const items = breakdown.map(({ legacy, ...item }) => shapes.documented({ ...item, ...legacy }))
    const data = { ...totals, ...legacy, breakdown: items }
    const pagination = shapes.pagination(query, entityCount, breakdown.length)
    return { body: { data, pagination, filters: { chain_id: query.chain_id ?? null } } }
  },
})
