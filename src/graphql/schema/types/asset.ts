import { type Asset as AssetRow, assets } from '../../../domain/asset/asset.ts'
import { columnFields } from '../../fields/column-fields.ts'
import { connectionType } from '../../fields/connection-type.ts'
import type { ListInputTypes } from '../../fields/list-inputs.ts'
import { listArguments } from '../../fields/page-arguments.ts'
import { column, keyOf, list, one } from '../../fields/sql-field.ts'
import type { Builder } from '../builder.ts'

const assetAt = keyOf(assets, 'chainId', 'address')

/** Adds assets. */
export function addAsset(builder: Builder, { listInputs }: { listInputs: ListInputTypes }) {
  const { decimals, ...columns } = assets.columns
  const AssetInputs = listInputs('Asset', assets)
  const Asset = builder.objectRef<AssetRow>('Asset').implement({
    description: 'A token on a chain.',
    fields: (t) => ({
      ...columnFields(t, columns),
      decimals: t.int({
        nullable: true,
        description: decimals.description ?? '',
        ...column(assetAt, 'decimals', ['chainId', 'address']),
      }),
    }),
  })
  const Assets = connectionType(builder, 'Asset', Asset)
  builder.queryFields((t) => ({
    asset: t.field({
      type: Asset,
      nullable: true,
      description: 'The asset at an address on a chain. Null if no stored pool, market or vault has it.',
      args: {
        chainId: t.arg({ type: 'SafeInt', required: true, description: 'The chain id.' }),
        address: t.arg({ type: 'Address', required: true, description: "The asset's address." }),
      },
      ...one(assetAt, ['chainId', 'address']),
    }),
    assets: t.field({
      type: Assets,
      description: 'The assets of all pools, markets and vaults, by chain, then address.',
      args: listArguments(t.arg, AssetInputs),
      ...list({ listing: () => assets, filter: () => ({ where: [] }) }),
    }),
  }))
  return Asset
}

export type AssetRef = ReturnType<typeof addAsset>
