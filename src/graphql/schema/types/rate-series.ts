import type { Span } from '../../../domain/series/interval.ts'
import {
  type RateBucket as Bucket,
  type RatedEntity,
  rateDates,
  rateSeries,
} from '../../../domain/series/rate-series.ts'
import { type GraphContext, once } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { seriesField } from './series-span.ts'

export function addRateSeries(builder: Builder): void {
  const AprBucket = builder.objectRef<Bucket>('AprBucket').implement({
    description:
      'The rates of a market or vault at the end of one date, week or month, or the latest rates in the current one. Rates are known from the first time the gateway recorded one.',
    fields: (t) => ({
      start: t.expose('start', { type: 'Date', description: "The bucket's first date." }),
      depositApr: t.exposeFloat('depositRate', {
        nullable: true,
        description: 'The deposit APR as a fraction: 0.05 is 5 %. Null if not recorded.',
      }),
      borrowApr: t.exposeFloat('borrowRate', {
        nullable: true,
        description: 'The borrow APR: 0.05 is 5 %. Null in a vault, or if not recorded.',
      }),
    }),
  })

  const series = (type: RatedEntity['type']) => ({
    type: AprBucket,
    description: `The ${type}'s rates by date, week or month: every bucket of the range, oldest first. \`to\` defaults to the newest distribution date, or to the last change of rates if that is later.`,
    extent: rateDatesOnce,
    load: ({ chainId, id }: { chainId: bigint; id: string }, span: Span, { batches }: GraphContext) =>
      batches.load(rateSeries, { type, chainId, address: id }, span),
  })
  builder.objectFields('Market', (t) => ({ aprSeries: seriesField(t, series('market')) }))
  builder.objectFields('Vault', (t) => ({ aprSeries: seriesField(t, series('vault')) }))
}

const rateDatesOnce = once(rateDates)
