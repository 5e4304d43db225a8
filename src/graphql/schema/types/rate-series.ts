import {
  type RateBucket as Bucket,
  type RatedEntity,
  rateDates,
  rateSeries,
} from '../../../domain/series/rate-series.ts'
import { type GraphContext, once } from '../../context.ts'
import type { Builder } from '../builder.ts'
import { buckets } from './charges.ts'
import type { MarketRef } from './market.ts'
import { readSpan, SERIES_UNPLANNED, type SpanArguments } from './series-span.ts'
import type { VaultRef } from './vault.ts'

type Refs = { Market: MarketRef; Vault: VaultRef; spanArguments: SpanArguments }

export function addRateSeries(builder: Builder, { Market, Vault, spanArguments }: Refs): void {
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

  const field = {
    type: [AprBucket] as [typeof AprBucket],
    extensions: { cost: { weight: 10, rows: buckets }, unplanned: SERIES_UNPLANNED },
  }
  const description =
    'by date, week or month: every bucket of the range, oldest first. `to` defaults to the newest distribution date, or to the last change of rates if that is later.'
  builder.prismaObjectFields(Market, (t) => ({
    aprSeries: t.field({
      ...field,
      description: `The market's rates ${description}`,
      args: spanArguments(t.arg),
      resolve: ({ chainId, id }, args, context) => read(context, { type: 'market', chainId, address: id }, args),
    }),
  }))
  builder.prismaObjectFields(Vault, (t) => ({
    aprSeries: t.field({
      ...field,
      description: `The vault's rates ${description}`,
      args: spanArguments(t.arg),
      resolve: ({ chainId, id }, args, context) => read(context, { type: 'vault', chainId, address: id }, args),
    }),
  }))
}

const rateDatesOnce = once(rateDates)

async function read(
  context: GraphContext,
  entity: RatedEntity,
  args: Parameters<typeof readSpan>[1],
): Promise<Bucket[]> {
  const span = await readSpan(context, args, rateDatesOnce)
  if (!span) return []
  return context.batches.load(rateSeries, entity, span)
}
