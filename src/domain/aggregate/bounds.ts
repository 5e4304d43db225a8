import type { Where } from 'pothos-sql'
import { badArgument } from '../../errors.ts'
import { DAY_MS } from '../../time.ts'

export const MAX_AGGREGATE_USERS = 100

// The unit of the filters by time, in milliseconds.
const UNITS = { date: DAY_MS, time: 1000 }

type Moment = { getTime(): number } | null

/** A filter whose `date` or `time` may bound the rows that it matches. */
export interface Timed {
  date?: MomentRange | null
  time?: MomentRange | null
}

type MomentRange = { [bound in 'eq' | 'gt' | 'gte' | 'lt' | 'lte']?: Moment } & {
  in?: readonly unknown[] | null
}

/**
 * The number of UTC dates from the first to the last that a filter may match. Infinity if an end is
 * open.
 */
export function datesOf(where: Timed): number {
  const dates = (['date', 'time'] as const).map((name) => datesIn(where[name] ?? {}, UNITS[name]))
  return Math.min(...dates)
}

function datesIn({ eq, in: values, gt, gte, lt, lte }: MomentRange, unit: number): number {
  if (eq) return 1
  if (values) return values.length || 1
  const floor = (moment: { getTime(): number }) => Math.floor(moment.getTime() / unit) * unit
  const ceil = (moment: { getTime(): number }) => Math.ceil(moment.getTime() / unit) * unit
  const first = Math.max(gt ? floor(gt) + unit : -Infinity, gte ? ceil(gte) : -Infinity)
  const last = Math.min(lt ? ceil(lt) - unit : Infinity, lte ? floor(lte) : Infinity)
  return Math.floor(last / DAY_MS) - Math.floor(first / DAY_MS) + 1
}

interface DateLimits {
  dates: number
  /**
   * The entities of which fewer dates, or none, are needed: the filter, and the maximum of entities
   * times dates.
   */
  of?: { filter: string; dates: number }
}

/**
 * Rejects a filter that would read a whole table. Only its top level counts.
 * @param name the filter by time
 * @throws BAD_INPUT
 */
export function assertBounded(
  where: Where,
  name: 'date' | 'time',
  { dates, of }: DateLimits,
): void {
  const { users } = where as { users?: string[] | null }
  if (users && users.length > MAX_AGGREGATE_USERS)
    throw badArgument(
      'where.users',
      `must be at most ${MAX_AGGREGATE_USERS}: ask for the others in another request`,
    )
  const dateCount = datesOf(where as Timed)
  if (dateCount < 1)
    throw badArgument(`where.${name}`, 'is empty: its first date is after its last')
  if (users || dateCount <= dates) return
  if (of && entitiesOf(where, of.filter) * dateCount <= of.dates) return
  const advice = ['where.users', `where.${name} with at most ${dates} dates`]
  if (of) advice.push(`where.${of.filter} and where.${name} with at most ${of.dates} dates`)
  throw badArgument(
    'where',
    `would read too many rows: add ${advice.join(', or ')}, at its top level, as in ` +
      '/graphql#example=Aggregates',
  )
}

function entitiesOf(where: Where, filter: string): number {
  const values = where[filter]
  return Array.isArray(values) ? values.length || 1 : Infinity
}
