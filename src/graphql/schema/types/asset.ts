import { listTypes, lookupIn, sqlFields } from 'pothos-sql'
import { type Asset as AssetRow, assets } from '../../../domain/asset/asset.ts'
import { tokenLogos } from '../../../domain/asset/logo.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { recordNode } from './record-node.ts'

export const assetAt = lookupIn(assets, 'chainId', 'address')

/** An asset whose columns are those of its row costs nothing. */
export const assetCost = { cost: { weight: 0 } }

/** The token of a market or vault, which has the columns of its asset. */
export const assetOfEntity = sqlFields.embedded(
  { chainId: 'chainId', address: 'assetAddress', symbol: 'assetSymbol', decimals: 'assetDecimals' },
  assetCost,
)

/** Adds assets. @param logoHosts the hosts whose links to logos are shown */
export function addAsset(builder: Builder, logoHosts: readonly string[]) {
  const { decimals, movesWith, name, ...columns } = assets.columns
  const logos = tokenLogos(logoHosts)
  const logoAt = lookupIn(logos, 'chainId', 'address')
  const Asset = builder.objectRef<AssetRow>('Asset').implement({
    description: 'A token on a chain.',
    fields: (t) => ({
      ...columnFields(t, columns),
      name: t.string({
        description: name.description ?? '',
        ...sqlFields.column(assetAt, 'name', ['chainId', 'address']),
      }),
      decimals: t.int({
        nullable: true,
        description: decimals.description ?? '',
        ...sqlFields.column(assetAt, 'decimals', ['chainId', 'address']),
      }),
      movesWith: t.string({
        nullable: true,
        description: movesWith.description ?? '',
        ...sqlFields.column(assetAt, 'movesWith', ['chainId', 'address']),
      }),
      logoUri: t.string({
        nullable: true,
        description: logos.columns.logoUri.description,
        ...sqlFields.lookupColumn(logoAt, 'logoUri', ['chainId', 'address'], {
          cost: { weight: 1 },
        }),
      }),
    }),
  })
  recordNode(builder, Asset, assets, ['chainId', 'address'])
  listTypes(builder, Asset, assets)
  builder.queryFields((t) => ({
    asset: t.field({
      type: Asset,
      nullable: true,
      description: 'The asset at an address. Null if no pool, market or vault has it.',
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: "The asset's address." }),
      },
      ...sqlFields.lookup(assetAt, ['chainId', 'address']),
    }),
    assets: t.field({
      description: 'The assets of all pools, markets and vaults, by chain, then address.',
      ...sqlFields.list(t.arg, 'Asset', { listing: () => assets }),
    }),
  }))
}
