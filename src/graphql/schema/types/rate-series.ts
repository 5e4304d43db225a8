import {
  type RateBucket as Bucket,
  type RatedEntity,
  rateDates,
  rateSeries,
} from '../../../domain/series/rate-series.ts'
import { type GraphContext, once } from '../../execution/context.ts'
import type { Builder } from '../builder.ts'
import { buckets } from './charges.ts'
import type { MarketRef } from './market.ts'
import { readSpan, type SpanArguments } from './series.ts'
import type { VaultRef } from './vault.ts'

type Refs = { Market: MarketRef; Vault: VaultRef; spanArguments: SpanArguments }

/** What the rates of markets and vaults were. */
export function addRateSeries(builder: Builder, { Market, Vault, spanArguments }: Refs): void {
  const RateBucket = builder.objectRef<Bucket>('RateBucket').implement({
    description:
      'The rates of a market or a vault at the end of one date, week or month; in the present one, those of now. They are told from the moment on at which the store learnt of them.',
    fields: (t) => ({
      start: t.expose('start', { type: 'DateTime', description: "The bucket's first date, midnight UTC." }),
      depositRate: t.exposeFloat('depositRate', {
        nullable: true,
        description: 'What a deposit earned, a fraction a year: 0.05 is 5 %. Null: not known then.',
      }),
      borrowRate: t.exposeFloat('borrowRate', {
        nullable: true,
        description: 'What a debt cost, a fraction a year: 0.05 is 5 %. Null: not known then, and always of a vault.',
      }),
    }),
  })

  const field = {
    type: [RateBucket] as [typeof RateBucket],
    extensions: { cost: { weight: 10, rows: buckets } },
  }
  const description =
    'by date, week or month: every bucket of the range, oldest first. When `to` is left out, to that of the newest distribution date, or to a later change of rates.'
  builder.prismaObjectFields(Market, (t) => ({
    rateSeries: t.field({
      ...field,
      description: `The market's rates ${description}`,
      args: spanArguments(t.arg),
      resolve: ({ chainId, id }, args, context) => read(context, { type: 'market', chainId, address: id }, args),
    }),
  }))
  builder.prismaObjectFields(Vault, (t) => ({
    rateSeries: t.field({
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
