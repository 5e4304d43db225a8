import * as z from 'zod'
import { graphql } from '../../generated/operations/gql.ts'
import type { MultiplierFieldsFragment } from '../../generated/operations/graphql.ts'
import { allPages } from '../all-pages.ts'
import { endpoint } from '../endpoint.ts'
import { multiplierInput } from '../multiplier-input.ts'
import * as shapes from '../shapes.ts'

export const multiplierFields = graphql(`
  fragment MultiplierFields on Multiplier {
    legacy { recordId } poolAddress
    deposit_tokenA: depositA deposit_tokenB: depositB borrow_tokenA: borrowA borrow_tokenB: borrowB
    createdAt updatedAt
    pool { poolName: displayName assetA { address symbol } assetB { address symbol } }
  }
`)

/** A multiplier in the shape of section 2.6 of the points document. */
export const multiplierRecordFields = graphql(`
  fragment MultiplierRecord on Multiplier {
    legacy @flat { id: recordId } poolAddress
    deposit_tokenA: depositA deposit_tokenB: depositB borrow_tokenA: borrowA borrow_tokenB: borrowB
    createdAt updatedAt
    pool @flat {
      poolName: displayName
      assetA @flat { tokenA_address: address tokenA_symbol: symbol }
      assetB @flat { tokenB_address: address tokenB_symbol: symbol }
    }
  }
`)

const all = graphql(`
  query RestMultipliers($after: String) {
    multipliers(first: 1000, after: $after) { nodes { ...MultiplierRecord } pageInfo { hasNextPage endCursor } }
  }
`)

const update = graphql(`
  mutation RestUpdateMultipliers($multipliers: [MultiplierInput!]!) {
    updateMultipliers(input: { multipliers: $multipliers }) { multipliers { ...MultiplierFields } }
  }
`)

/** The shape of section 2.6, from a mutation's result. */
function multiplierRecord({ legacy, pool, ...multiplier }: MultiplierFieldsFragment) {
  const id = legacy.recordId
  if (!pool) throw new Error(`the multiplier ${id} has no pool`)
  const { assetA, assetB, poolName } = pool
  const tokens = {
    tokenA_address: assetA.address,
    tokenB_address: assetB.address,
    tokenA_symbol: assetA.symbol,
    tokenB_symbol: assetB.symbol,
  }
  return { id, ...multiplier, ...tokens, poolName }
}

export const allMultipliers = endpoint({
  operationId: 'getMultipliers',
  summary: 'All multipliers',
  description: 'All multipliers, by pool number, then pool address. The documented status is 201.',
  status: 201,
  response: z.array(shapes.multiplierShape),
  operation: all,
  variables: () => ({}),
  answer: async ({ execute }) => ({ body: (await allPages(execute, (data) => data.multipliers)).list }),
})

export const updateMultipliers = endpoint({
  operationId: 'updateMultipliers',
  summary: 'Update multipliers',
  description:
    'Sets the multipliers of pools, either all or none, and returns them in the order of the request. An omitted field keeps its value, or is 0 if the pool had no multiplier. Stored points do not change until their date is resynced.',
  body: z
    .union([multiplierInput, z.array(multiplierInput)])
    .describe('One multiplier or a list of multipliers, each pool at most once.'),
  response: z.array(shapes.multiplierShape),
  errors: {
    401: 'The admin token is missing or wrong',
    403: 'The server runs without an admin token',
    404: 'A pool is unknown; nothing was changed',
  },
  admin: true,
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
  async answer({ variables, execute }) {
    const { multipliers } = (await execute(variables)).updateMultipliers
    return { body: multipliers.map(multiplierRecord) }
  },
})
