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
  query RestVaultSnapshots(
    $address: Address!, $first: Int!, $offset: BigInt!, $chainIds: [SafeInt!]
    $entities: [Address!], $from: BigInt!, $to: BigInt!, $grouped: Boolean!
  ) {
    user(address: $address) {
      legacy {
        vaultSnapshots(
          first: $first, offset: $offset, from: $from, to: $to, grouped: $grouped
          where: { chainIds: $chainIds, entities: $entities }
        ) {
          totalCount
          pageInfo { hasNextPage }
          nodes {
            chainId vaultId: entityAddress accountId: userAddress positionId
            legacy { timestamp } shares
            supplied { assets: raw assetsUsd: usd }
          }
        }
      }
    }
  }
`)

export const vaultPositionSnapshots = endpoint({
  operationId: 'getVaultPositionSnapshots',
  summary: "Daily snapshots of a user's vault positions",
  description:
    'Snapshots by timestamp, chain, vault and position, ascending. The window defaults to the ' +
    'last 30 days.',
  path: z.object({ address: address.describe("The user's address.") }),
  query: z.object({
    ...snapshotQuery,
    vault: entityText.optional().describe('Only snapshots in the vault at this address.'),
  }),
  response: shapes.envelope(
    z.array(
      z.strictObject({
        chainId: shapes.safeInteger,
        vaultId: shapes.address,
        accountId: shapes.address,
        positionId: shapes.nullable(z.string()).describe('Null if positions are summed.'),
        timestamp: shapes.digits,
        shares: shapes.digits,
        assets: shapes.digits,
        assetsUsd: shapes.nullable(shapes.usd),
      }),
    ),
    { vault: shapes.nullable(z.string()), ...snapshotFilters },
  ),
  operation,
  variables: ({ path, query, now }) => ({ ...path, ...snapshotVariables(query, query.vault, now) }),
  hasRows: true,
  answer({ query, variables, data, rows }) {
    const { totalCount } = data.user.legacy.vaultSnapshots
    return snapshotPage(query, variables, { vault: query.vault }, totalCount, rows.length)
  },
})
