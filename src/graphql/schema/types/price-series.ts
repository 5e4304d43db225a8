import { priceColumns, priceDates, pricesFrom } from '../../../domain/series/price-series.ts'
import type { Builder } from '../builder.ts'
import { columnsType } from '../column-fields.ts'
import { seriesField } from './series-span.ts'

export function addPriceSeries(builder: Builder): void {
  const PriceBucket = columnsType(builder, 'PriceBucket', priceColumns, {
    description: 'The newest stored daily price of an asset in one date, week or month.',
  })
  builder.objectFields('Asset', (t) => ({
    prices: seriesField(t, {
      type: PriceBucket,
      description:
        'Stored daily prices by date, week or month: every bucket of the range, oldest first. ' +
        '`to` defaults to the newest day with a price of any asset. Prices of positions are ' +
        'not among them.',
      extent: priceDates,
      columns: priceColumns,
      by: ['chainId', 'address'],
      types: ['bigint', 'text'],
      of: ({ span }, chainId, address) => pricesFrom(chainId, address, span),
    }),
  }))
}
