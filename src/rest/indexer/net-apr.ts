import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, pageOf, pageQuery } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const operation = graphql(`
  query RestNetApr($address: Address!, $chainId: SafeInt, $first: Int!, $offset: BigInt!) {
    user(address: $address) {
      netApr(chainId: $chainId) {
        legacy { earn_net_apr: netDepositApr borrow_net_apr: netBorrowApr }
        total_earn_deposits_usd: depositUsd
        total_borrow_usd: borrowedUsd
        entityCount
        breakdown(first: $first, offset: $offset) {
          chain_id: chainId entity_id: entityAddress entity_type: entityType
          earn_deposit_usd: depositUsd deposit_rate: depositApr
          borrow_usd: borrowedUsd borrow_rate: borrowApr
        }
      }
    }
  }
`)

const rate = z.number().describe('An APR as a fraction: 0.05 is 5 %.')

export const netApr = endpoint({
  operationId: 'getNetApr',
  summary: "A user's net APR",
  description:
    'The average APR of deposits and of debt, weighted by amount in USD, as fractions. A rate ' +
    'that is not known counts as 0. Totals cover all entities; the breakdown is a page of ' +
    'entities by deposit + debt, largest first.',
  path: z.object({ address: address.describe("The user's address.") }),
  query: z.object(pageQuery),
  response: shapes.envelope(
    z.strictObject({
      earn_net_apr: rate,
      borrow_net_apr: rate,
      total_earn_deposits_usd: shapes.usd,
      total_borrow_usd: shapes.usd,
      breakdown: z.array(
        z.strictObject({
          chain_id: shapes.safeInteger,
          entity_id: shapes.address,
          entity_type: shapes.entityType,
          earn_deposit_usd: shapes.usd,
          deposit_rate: rate,
          borrow_usd: shapes.usd,
          borrow_rate: rate,
        }),
      ),
    }),
    { chain_id: shapes.nullable(shapes.safeInteger) },
  ),
  operation,
  variables: ({ path, query }) => ({ ...path, chainId: query.chain_id ?? null, ...pageOf(query) }),
  answer({ query, data: { user } }) {
    const { legacy, breakdown, entityCount, ...totals } = user.netApr
    const data = { ...legacy, ...totals, breakdown: breakdown.map(shapes.documented) }
    const pagination = shapes.pagination(query, entityCount, breakdown.length)
    return { body: { data, pagination, filters: { chain_id: query.chain_id ?? null } } }
  },
})
