import type { ArgBuilder } from '@pothos/core'
import { programDates } from '../../../domain/series/calendar.ts'
import { type Interval as IntervalName, MAX_BUCKETS, type Span, spanOf } from '../../../domain/series/interval.ts'
import { type Batch, type GraphContext, once } from '../../context.ts'
import type { Builder, Types } from '../builder.ts'

export function addSpanArguments(builder: Builder) {
  const Interval = builder.enumType('Interval', {
    description: 'The length of a bucket of a series. Buckets start at midnight UTC.',
    values: {
      DAY: { value: 'day' as const, description: 'One date.' },
      WEEK: { value: 'week' as const, description: 'Seven dates, starting on a Monday.' },
      MONTH: { value: 'month' as const, description: 'A calendar month.' },
    },
  })

  return (arg: ArgBuilder<Types>) => ({
    interval: arg({ type: Interval, defaultValue: 'day', required: true, description: 'The length of each bucket.' }),
    from: arg({
      type: 'DateTime',
      description: `A time in the first of at most ${MAX_BUCKETS} buckets. Default: up to 30.`,
    }),
    to: arg({
      type: 'DateTime',
      description: 'A time in the last bucket. Defaults to the newest distribution date.',
    }),
  })
}

export type SpanArguments = ReturnType<typeof addSpanArguments>

export const SERIES_UNPLANNED =
  'Its buckets are put together from several statements, whose range depends on the stored dates.'

const programDatesOnce = once(programDates)

export interface SpanValues {
  interval: IntervalName
  from?: Date | null
  to?: Date | null
}

/**
 * Resolves the range arguments to buckets. Returns undefined if `to` is omitted and there is no distribution.
 * @param extent reads the first and the newest date of the data; by default those of the program
 */
export async function readSpan(
  context: GraphContext,
  { interval, from, to }: SpanValues,
  extent: Batch<'', { first: Date; newest: Date } | null> = programDatesOnce,
): Promise<Span | undefined> {
  const dates = from && to ? null : await context.batches.load(extent, '')
  const last = to ?? dates?.newest
  if (last) return spanOf(interval, { from, to: !to && from && from > last ? from : last, begun: dates?.first })
  return undefined
}
