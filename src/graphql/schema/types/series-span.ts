import type { ArgBuilder, FieldRef, InputRef, ObjectFieldBuilder, ObjectRef } from '@pothos/core'
import type { Batch } from '../../../db/connect/reader.ts'
import { programDates } from '../../../domain/series/calendar.ts'
import {
  type Extent,
  type Interval as IntervalName,
  MAX_BUCKETS,
  type Span,
  spanOf,
} from '../../../domain/series/interval.ts'
import { type GraphContext, once } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { buckets } from './charges.ts'

interface SeriesOptions<Row, Bucket> {
  type: ObjectRef<Types, Bucket>
  description: string
  /** Its cost, if buckets have more than a few values. */
  cost?: FieldCost
  /** Reads the first and the newest date of the data: by default those of the program. */
  extent?: Batch<'', Extent>
  load(row: Row, span: Span, context: GraphContext): Bucket[] | Promise<Bucket[]>
}

export const addInterval = (builder: Builder): unknown =>
  builder.enumType('Interval', {
    description: 'The length of a bucket of a series. Buckets start at midnight UTC.',
    values: {
      DAY: { value: 'day' as const, description: 'One date.' },
      WEEK: { value: 'week' as const, description: 'Seven dates, starting on a Monday.' },
      MONTH: { value: 'month' as const, description: 'A calendar month.' },
    },
  })

export const spanArguments = (arg: ArgBuilder<Types>) => ({
  interval: arg({
    type: 'Interval' as never as InputRef<IntervalName>,
    defaultValue: 'day',
    required: true,
    description: 'The length of each bucket.',
  }),
  from: arg({
    type: 'DateTime',
    description: `A time in the first of at most ${MAX_BUCKETS} buckets. Default: up to 30.`,
  }),
  to: arg({
    type: 'DateTime',
    description: 'A time in the last bucket. Defaults to the newest distribution date.',
  }),
})

/** Declares a series: its buckets in the span of its arguments, or none without stored dates. */
export const seriesField = <Row, Bucket>(
  t: ObjectFieldBuilder<Types, Row>,
  { type, description, cost, extent, load }: SeriesOptions<Row, Bucket>,
): FieldRef<Types, Bucket[]> =>
  t.field({
    type: [type],
    description,
    extensions: { cost: { once: 300, weight: 10, rows: buckets, ...cost }, unplanned: SERIES_UNPLANNED },
    args: spanArguments(t.arg),
    resolve: async (row: Row, args: SpanValues, context: GraphContext) => {
      const span = await readSpan(context, args, extent)
      return (span ? await load(row, span, context) : []) as never
    },
  }) as never

export const SERIES_UNPLANNED =
  'Its buckets are put together from several statements, whose range depends on the stored dates.'

const programDatesOnce = once(programDates)

export interface SpanValues {
  interval: IntervalName
  from?: Date | null
  to?: Date | null
}

/** Resolves the range arguments to buckets. Returns undefined if `to` is omitted and there is no data. */
export async function readSpan(
  context: GraphContext,
  { interval, from, to }: SpanValues,
  extent: Batch<'', Extent> = programDatesOnce,
): Promise<Span | undefined> {
  const dates = from && to ? null : await context.batches.load(extent, '')
  const last = to ?? dates?.newest
  if (last) return spanOf(interval, { from, to: !to && from && from > last ? from : last, begun: dates?.first })
  return undefined
}
