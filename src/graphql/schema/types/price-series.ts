import { type PriceBucket as Bucket, priceDates, priceSeries } from '../../../domain/series/price-series.ts'
import { once } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { seriesField } from './series-span.ts'

const priceDatesOnce = once(priceDates)

export function addPriceSeries(builder: Builder): void {
  const PriceBucket = builder.objectRef<Bucket>('PriceBucket').implement({
    description: 'The newest stored daily price of an asset in one date, week or month.',
    fields: (t) => ({
      start: t.expose('start', { type: 'Date', description: "The bucket's first date." }),
      usd: t.exposeFloat('usd', {
        nullable: true,
        description: 'The price of one whole token, in USD. Null if none is stored.',
      }),
      date: t.expose('date', {
        type: 'Date',
        nullable: true,
        description: 'The day (UTC) of the price. Null if no price is stored.',
      }),
      source: t.exposeString('source', {
        nullable: true,
        description: 'The origin of the price. Null without one, or if not recorded.',
      }),
      time: t.expose('time', {
        type: 'DateTime',
        nullable: true,
        description: 'The moment of the price. Null without one, or if not recorded.',
      }),
    }),
  })
  builder.objectFields('Asset', (t) => ({
    prices: seriesField(t, {
      type: PriceBucket,
      description:
        'Stored daily prices by date, week or month: every bucket of the range, oldest first. `to` defaults to the newest day with a price of any asset. Prices of positions are not among them.',
      extent: priceDatesOnce,
      load: ({ chainId, address }, span, { batches }) => batches.load(priceSeries, { chainId, address }, span),
    }),
  }))
}
