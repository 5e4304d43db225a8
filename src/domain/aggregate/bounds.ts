import { GatewayError } from '../../errors.ts'

/** Which rows an aggregate is over; each kind of rows heeds its own. Dates are UTC, both ends included. */
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

/** A bound on the users of one aggregate. */
export const MAX_AGGREGATE_USERS = 100
const DAY_MS = 86_400_000

/**
 * Refuses a filter that would read a whole table.
 * @param dates how many dates may be read without users
 * @param advice what a filter must have
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
