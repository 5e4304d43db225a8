import { type Asset as AssetRow, assets } from '../../../domain/asset/asset.ts'
import { column, keyOf, list, one } from '../../plan/sql-field.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import type { ListInputTypes } from '../list-inputs.ts'
import { connectionType } from './connection-type.ts'
import { listArguments } from './page-arguments.ts'

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
