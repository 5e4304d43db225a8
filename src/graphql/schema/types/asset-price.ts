import { defineLookup, sqlFields } from 'pothos-sql'
import {
  type AssetPrice as AssetPriceRow,
  assetPriceColumns,
  assetPriceSql,
} from '../../../domain/asset/price.ts'
import type { Builder } from '../builder.ts'
import { columnFields } from '../column-fields.ts'
import { poolAt } from './pool.ts'

const priceAt = defineLookup({
  columns: assetPriceColumns,
  types: ['bigint', 'text'],
  at: assetPriceSql,
})

export function addAssetPrice(builder: Builder): void {
  const AssetPrice = builder.objectRef<AssetPriceRow>('AssetPrice').implement({
    description: 'A price of an asset, and where it is from.',
    fields: (t) => ({
      ...columnFields(t, assetPriceColumns),
      pool: t.field({
        type: 'Pool',
        nullable: true,
        description: 'The pool of the position with the price. Null for a daily price.',
        ...sqlFields.lookup(poolAt, ['poolAddress']),
      }),
    }),
  })
  builder.objectFields('Asset', (t) => ({
    price: t.field({
      type: AssetPrice,
      nullable: true,
      description:
        'The newest daily price or, if none is stored, the price that the newest position ' +
        'in a pool with the asset has: `source` says which. Null without either.',
      // Reads a position of each pool with the asset.
      ...sqlFields.lookup(priceAt, ['chainId', 'address'], { cost: { once: 100, weight: 3 } }),
    }),
  }))
}
