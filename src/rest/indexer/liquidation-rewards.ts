import * as z from 'zod'
import { GatewayError } from '../../errors.ts'
import { graphql } from '../../generated/operations/gql.ts'
import { endpoint } from '../endpoint.ts'
import { address, pageOf, pageQuery } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const ofMarket = graphql(`
  query RestMarketRewards(
    $address: Address!, $market: Address!, $chainIds: [SafeInt!], $first: Int!, $offset: BigInt!
  ) {
    markets(where: { addresses: [$market], chainIds: $chainIds }) { totalCount }
    user(address: $address) {
      liquidationRewards(
        first: $first, offset: $offset
        where: { entityTypes: MARKET, entities: [$market], chainIds: $chainIds }
      ) {
        totalCount
        pageInfo { hasNextPage }
        nodes {
          txHash logIndex legacy { timestamp claimedTimestamp } accountId: userAddress
          debtMarketId: debtMarketAddress collateralMarketId: entityAddress
          supplySent { raw usd } collateralReceived { raw usd } liquidReward { raw usd } userRoi
        }
      }
    }
  }
`)
const ofVault = graphql(`
  query RestVaultRewards(
    $address: Address!, $vault: Address!, $chainIds: [SafeInt!], $first: Int!, $offset: BigInt!
  ) {
    vaults(where: { addresses: [$vault], chainIds: $chainIds }) { totalCount }
    user(address: $address) {
      liquidationRewards(
        first: $first, offset: $offset
        where: { entityTypes: VAULT, entities: [$vault], chainIds: $chainIds }
      ) {
        totalCount
        pageInfo { hasNextPage }
        nodes {
          txHash logIndex legacy { timestamp claimedTimestamp }
          accountId: userAddress vaultId: entityAddress
          supplySent { raw usd } collateralReceived { raw usd } liquidReward { raw usd } userRoi
        }
      }
    }
  }
`)

type Reward = Record<
  'supplySent' | 'collateralReceived' | 'liquidReward',
  { raw: string | null; usd: number | null }
> & {
  txHash: string
  logIndex: number
  userRoi: string | null
  legacy: { timestamp: string; claimedTimestamp: string | null }
}

// A reward in the shape of the document. Its exact amounts are always stored.
const rewardRecord = <Row extends Reward>(row: Row) => {
  const {
    txHash,
    logIndex,
    legacy,
    supplySent,
    collateralReceived,
    liquidReward,
    userRoi,
    ...ids
  } = row
  return {
    txHash,
    logIndex,
    timestamp: legacy.timestamp,
    ...ids,
    supplySent: supplySent.raw as string,
    supplySentUsd: supplySent.usd,
    collateralReceived: collateralReceived.raw as string,
    collateralReceivedUsd: collateralReceived.usd,
    liquidReward: liquidReward.raw as string,
    liquidRewardUsd: liquidReward.usd,
    userRoi,
    claimedTimestamp: legacy.claimedTimestamp,
  }
}

const path = z.object({ address: address.describe("The user's address.") })
const chainId = shapes.nullable(shapes.safeInteger)
const notFound = (entity: 'market' | 'vault', at: string, chain: number | null) =>
  new GatewayError(
    'NOT_FOUND',
    `There is no ${entity} at ${at}${chain === null ? '' : ` on chain ${chain}`}.`,
  )

export const marketLiquidationRewards = endpoint({
  operationId: 'getMarketLiquidationRewards',
  summary: "A user's liquidation rewards in a market",
  description:
    "The user's proportional share of defaulting liquidation rewards for one collateral " +
    'market, newest first.',
  path,
  query: z.object({ ...pageQuery, market: address.describe('The collateral market.') }),
  response: shapes.envelope(
    z.array(
      z.strictObject({
        ...shapes.liquidationReward,
        debtMarketId: shapes.address,
        collateralMarketId: shapes.address,
      }),
    ),
    { chain_id: chainId, market: shapes.address },
  ),
  errors: { 404: 'The market was not found' },
  operation: ofMarket,
  variables: ({ path, query }) => ({
    ...path,
    market: query.market,
    chainIds: query.chain_id ?? null,
    ...pageOf(query),
  }),
  answer({ query, data: { markets, user } }) {
    const { market, chain_id = null } = query
    if (markets.totalCount === 0) throw notFound('market', market, chain_id)
    const { nodes, totalCount } = user.liquidationRewards
    // A reward in a market has one whose debt was repaid.
    const data = nodes.map((row) =>
      rewardRecord({ ...row, debtMarketId: row.debtMarketId as string }),
    )
    const pagination = shapes.pagination(query, totalCount, data.length)
    return { body: { data, pagination, filters: { chain_id, market } } }
  },
})

export const vaultLiquidationRewards = endpoint({
  operationId: 'getVaultLiquidationRewards',
  summary: "A user's liquidation rewards in a vault",
  description:
    "The user's proportional share of vault defaulting liquidation rewards, newest first.",
  path,
  query: z.object({ ...pageQuery, vault: address.describe('The vault.') }),
  response: shapes.envelope(
    z.array(z.strictObject({ ...shapes.liquidationReward, vaultId: shapes.address })),
    {
      chain_id: chainId,
      vault: shapes.address,
    },
  ),
  errors: { 404: 'The vault was not found' },
  operation: ofVault,
  variables: ({ path, query }) => ({
    ...path,
    vault: query.vault,
    chainIds: query.chain_id ?? null,
    ...pageOf(query),
  }),
  answer({ query, data: { vaults, user } }) {
    const { vault, chain_id = null } = query
    if (vaults.totalCount === 0) throw notFound('vault', vault, chain_id)
    const { nodes, totalCount } = user.liquidationRewards
    const data = nodes.map(rewardRecord)
    const pagination = shapes.pagination(query, totalCount, data.length)
    return { body: { data, pagination, filters: { chain_id, vault } } }
  },
})
