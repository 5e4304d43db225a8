import { GatewayError } from '../../errors.ts'

/** The filter of an aggregate. Each kind of rows uses some of the fields. Dates are UTC and inclusive. */
export interface Bounds {
  users?: string[] | null
  chainId?: number | null
  from?: Date | null
  to?: Date | null
  pool?: string | null
  asset?: string | null
  market?: string | null
  vault?: string | null
}

/** The maximum number of users in one aggregate. */
export const MAX_AGGREGATE_USERS = 100
const DAY_MS = 86_400_000

/**
 * Rejects a filter that would read a whole table.
 * @param dates the maximum number of dates without users
 * @param advice tells what the filter needs
 * @throws BAD_INPUT
 */
export function assertBounded({ users, from, to }: Bounds, dates: number, advice: string): void {
  if (users && users.length > MAX_AGGREGATE_USERS) throw bad(`users must be at most ${MAX_AGGREGATE_USERS}`)
  if (from && to && from > to) throw bad('from must not be later than to')
  if (users) return
  const days = from && to ? (midnight(to) - midnight(from)) / DAY_MS + 1 : Number.POSITIVE_INFINITY
  if (days > dates) throw bad(`it would read too many rows: ${advice}`)
}

const midnight = (moment: Date) => Math.floor(moment.getTime() / DAY_MS) * DAY_MS

const bad = (message: string) =>
  new GatewayError('BAD_INPUT', `filter: ${message}.`, [{ in: 'query', name: 'filter', message }])
