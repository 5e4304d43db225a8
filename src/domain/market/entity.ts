import { type Column, rowFilters } from 'pothos-sql'
import type { EntityType } from '../holding/place.ts'

/** The columns of markets or vaults. `own` are the columns that only this kind has. */
export const entityColumns = <const Own>(kind: EntityType, columns: Own) =>
  ({
    chainId: {
      type: 'integer',
      description: `The id of the chain that the ${kind} is on.`,
      sort: true,
    },
    id: { type: 'address', field: 'address', description: `The ${kind}'s address.`, sort: true },
    ...columns,
    assetAddress: { type: 'address' },
    assetSymbol: { type: 'text', sort: true },
    assetDecimals: { type: 'int' },
    depositRate: {
      type: 'float',
      field: 'depositApr',
      description: 'The deposit APR as a fraction: 0.05 is 5 %.',
      filter: true,
      sort: true,
    },
  }) as const

type Keys = Record<'chainId' | 'id' | 'assetAddress', Column>

/** The filters of markets and vaults. */
export const entityFilters = (kind: EntityType, { chainId, id, assetAddress }: Keys) => ({
  addresses: rowFilters.many(id, `Only ${kind}s at one of these addresses.`),
  assets: rowFilters.many(assetAddress, `Only ${kind}s that lend one of these tokens.`),
  chainIds: rowFilters.many(chainId, `Only ${kind}s on one of these chains.`),
})
