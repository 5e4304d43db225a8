import type { ObjectFieldBuilder } from '@pothos/core'
import type { EntityType } from '../../../domain/holding/place.ts'
import { rateColumns, rateDates, ratesFrom } from '../../../domain/series/rate-series.ts'
import type { Builder, Types } from '../builder.ts'
import { columnsType } from '../column-fields.ts'
import { seriesField } from './series-span.ts'

export function addRateSeries(builder: Builder): void {
  const AprBucket = columnsType(builder, 'AprBucket', rateColumns, {
    description:
      'The rates of a market or vault at the end of one date, week or month, or the latest ' +
      'rates in the current one. Rates are known from the first time the gateway recorded one.',
  })

  const series = <Row>(t: ObjectFieldBuilder<Types, Row>, type: EntityType) =>
    seriesField(t, {
      type: AprBucket,
      description:
        `The ${type}'s rates by date, week or month: every bucket of the range, oldest first. ` +
        `\`to\` defaults to the newest distribution date, or to the last change of rates if that ` +
        'is later.',
      extent: rateDates,
      columns: rateColumns,
      by: ['chainId', 'id'],
      types: ['bigint', 'text'],
      of: ({ span }, chainId, address) => ratesFrom(type, chainId, address, span),
    })
  builder.objectFields('Market', (t) => ({ aprSeries: series(t, 'market') }))
  builder.objectFields('Vault', (t) => ({ aprSeries: series(t, 'vault') }))
}
