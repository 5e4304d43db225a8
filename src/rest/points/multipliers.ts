import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { MultiplierRecordFragment } from '../../generated/operations/graphql.ts'
import { endpoint } from '../endpoint.ts'
import { multiplierInput } from '../multiplier-input.ts'
import * as shapes from '../shapes.ts'

export const multiplierFields = graphql(`
  fragment MultiplierRecord on Multiplier {
    legacy { id: recordId } poolAddress
    deposit_tokenA: depositA deposit_tokenB: depositB borrow_tokenA: borrowA borrow_tokenB: borrowB
    createdAt updatedAt
    pool {
      poolName: displayName
      assetA { tokenA_address: address tokenA_symbol: symbol }
      assetB { tokenB_address: address tokenB_symbol: symbol }
    }
  }
`)

const all = graphql(`
  query RestMultipliers($after: String) {
    multipliers(first: 1000, after: $after) {
      nodes { ...MultiplierRecord }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

const update = graphql(`
  mutation RestUpdateMultipliers($multipliers: [MultiplierInput!]!) {
    updateMultipliers(input: { multipliers: $multipliers }) { multipliers { ...MultiplierRecord } }
  }
`)

/** A multiplier in the shape of section 2.6 of the points document. */
export function multiplierRecord({ legacy, pool, ...multiplier }: MultiplierRecordFragment) {
  const { id } = legacy
  if (!pool) throw new Error(`the multiplier ${id} has no pool`)
  const { assetA, assetB, poolName } = pool
  return { id, ...multiplier, poolName, ...assetA, ...assetB }
}

export const allMultipliers = endpoint({
  operationId: 'getMultipliers',
  summary: 'All multipliers',
  description: 'All multipliers, by pool number, then pool address. The documented status is 201.',
  status: 201,
  response: z.array(shapes.multiplierShape),
  operation: all,
  variables: () => ({}),
  pageInfo: ({ multipliers }) => multipliers.pageInfo,
  answer: ({ pages }) => ({
    body: pages.flatMap(({ multipliers }) => multipliers.nodes.map(multiplierRecord)),
  }),
})

// An updated multiplier, whose fields the document lists in another order.
function updatedRecord(multiplier: MultiplierRecordFragment) {
  const { poolName, tokenA_symbol, tokenB_address, tokenB_symbol, ...record } =
    multiplierRecord(multiplier)
  return { ...record, tokenB_address, tokenA_symbol, tokenB_symbol, poolName }
}

export const updateMultipliers = endpoint({
  operationId: 'updateMultipliers',
  summary: 'Update multipliers',
  description:
    'Sets the multipliers of pools, either all or none, and returns them in the order of the ' +
    'request. An omitted field keeps its value, or is 0 if the pool had no multiplier. Stored ' +
    'points do not change until their date is resynced.',
  body: z
    .union([multiplierInput, z.array(multiplierInput)])
    .describe('One multiplier or a list of multipliers, each pool at most once.'),
  response: z.array(shapes.multiplierShape),
  errors: {
    401: 'The admin token is missing or wrong',
    403: 'The server runs without an admin token',
    404: 'A pool is unknown; nothing was changed',
  },
  admin: 'rules',
  operation: update,
  variables: ({ body }) => ({
    multipliers: (Array.isArray(body) ? body : [body]).map((m) => ({
      poolAddress: m.poolAddress,
      depositA: m.deposit_tokenA,
      depositB: m.deposit_tokenB,
      borrowA: m.borrow_tokenA,
      borrowB: m.borrow_tokenB,
      from: m.from,
    })),
  }),
  answer: ({ data }) => ({ body: data.updateMultipliers.multipliers.map(updatedRecord) }),
})
