import type { ArgBuilder, FieldRef, InputRef, ObjectFieldBuilder, ObjectRef } from '@pothos/core'
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
} from 'graphql'
import {
  type Arguments,
  type AssertArguments,
  type Columns,
  type HostValue,
  type KeyType,
  type PlainList,
  type SqlField,
  sqlFields,
} from 'pothos-sql'
import { fieldsOf, rowsOfOwners } from 'pothos-sql/host'
import type { Batch, Reader } from '../../../db/connect/reader.ts'
import { programDates } from '../../../domain/series/calendar.ts'
import {
  type Extent,
  endedAt,
  type Interval as IntervalName,
  MAX_BUCKETS,
  needsEnd,
  newestOf,
  type Range,
  type Span,
  spanOf,
} from '../../../domain/series/interval.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { type GraphContext, once } from '../../context.ts'
import type { FieldCost } from '../../policy/cost.ts'
import type { Builder, Types } from '../builder.ts'
import { buckets } from './charges.ts'

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

interface SeriesRead {
  span: Span
  args: Arguments
  used: ReadonlySet<string>
}

/** The buckets of an owner in a span. */
export interface SeriesSql {
  columns: Columns
  /** The owner's columns, and their types. */
  by: string[]
  types: KeyType[]
  /** The FROM clause for the columns. */
  of(read: SeriesRead, ...owner: Prisma.Sql[]): Prisma.Sql
  /** The dates of the data: by default those of the program. */
  extent?: Extent
  /** Checks the arguments. */
  assert?: AssertArguments
  /** The columns that order the rows: by default the first date. */
  order?: string[]
}

/** The rows of a series for plans. */
export const rowsOfSeries = ({
  columns,
  by,
  types,
  of,
  assert,
  extent = programDates,
  order = ['start'],
}: SeriesSql): PlainList => ({
  columns,
  by,
  types,
  order,
  from({ args, used }, ...owner) {
    assert?.(args)
    return of({ span: spanOf(args as Range, extent), args, used }, ...owner)
  },
  async prepare(args, reader: Reader) {
    if (!needsEnd(args as Range)) return args
    assert?.(args)
    return endedAt(args as Range, await newestOf(reader, extent))
  },
})

/**
 * Declares a list of the buckets of a span, or of series of them.
 * @param load loads the rows for resolvers, if they are not read as for plans
 */
export function seriesReading(series: SeriesSql, cost: FieldCost, load?: LoadRows) {
  const { by, extent = programDates } = series
  const described = rowsOfSeries(series)
  const loadRows = load ?? rowsOfOwners(described)
  const newest = once((reader) => newestOf(reader, extent))
  return {
    ...sqlFields.declare({ kind: 'list', list: described }, { cost }),
    resolve: async (
      row: HostValue,
      args: HostValue,
      { batches }: GraphContext,
      info: GraphQLResolveInfo,
    ): Promise<HostValue> => {
      const range = needsEnd(args) ? endedAt(args as Range, await batches.load(newest, '')) : args
      const key = by.map((name) => row[name])
      return batches.load(loadRows, key, range, columnsIn(info, described.order ?? []))
    },
  }
}

// The columns that a selection of buckets reads, and those that order them.
function columnsIn(
  { fieldNodes, fragments, returnType }: GraphQLResolveInfo,
  order: string[],
): string[] {
  const fields = (getNamedType(returnType) as GraphQLObjectType).getFields()
  const sets = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? [])
  const selected = [...fieldsOf(sets, fragments).values()].flatMap(
    ([node]) => fields[node?.name.value ?? ''] ?? [],
  )
  return [...new Set([...order, ...selected.flatMap(columnsOf)])].sort()
}

function columnsOf({ extensions }: GraphQLField<unknown, unknown>): string[] {
  const field = extensions.sqlField as SqlField | undefined
  if (field?.kind === 'embedded')
    return [
      ...Object.values(field.columns).filter((one) => typeof one === 'string'),
      field.presence ?? [],
    ].flat()
  if (field?.kind === 'list' && !field.list.listing) return [...field.list.by]
  const exposed = extensions.pothosExposedField
  return typeof exposed === 'string' ? [exposed] : []
}

// Loads the rows of owners, with some of their columns.
type LoadRows = Batch<readonly unknown[], object[], [Arguments, string[]]>

interface SeriesOptions<Bucket> extends SeriesSql {
  load?: LoadRows
  type: ObjectRef<Types, Bucket>
  description: string
  cost?: FieldCost
}

/** Declares a series: its buckets in the span of its arguments, or none without stored dates. */
export const seriesField = <Row, Bucket>(
  t: ObjectFieldBuilder<Types, Row>,
  { type, description, cost, load, ...series }: SeriesOptions<Bucket>,
): FieldRef<Types, Bucket[]> =>
  t.field({
    type: [type],
    description,
    args: spanArguments(t.arg),
    ...seriesReading(series, { once: 300, weight: 10, rows: buckets, ...cost }, load),
  } as never) as never
