import type { Where } from 'pothos-sql'
import { hasOnly } from 'pothos-sql/host'
import { badArgument, GatewayError } from '../../errors.ts'
import { DAY_MS } from '../../time.ts'
import { mostHealth } from './health.ts'

const MOST_USERS = 100
const MOST_POOL_DATES = 10

interface Bounds {
  users?: number
  pools?: number
  assets?: number
  dates?: number
}

const MOST_READ_USERS = 1000
const MOST_ASSETS = 200
const MOST_POOLS = 10
const MOST_DATES = 31

// Conditions that an index serves in the default order.
const SERVED = new Set(['users', 'pools', 'assets', 'date'])

/**
 * Rejects an unbounded filter that no index serves, since it would scan all positions.
 * @param bounds the bounds that other arguments set
 * @throws BAD_INPUT
 */
export function assertFilterable(where: Where | null | undefined, bounds: Bounds): void {
  if (!where || hasOnly(where, SERVED) || isBounded(where, bounds)) return
  throw unbounded('where', 'would scan all positions')
}

/**
 * Rejects counting the matches of an unbounded filter.
 * @throws BAD_INPUT
 */
export function assertCountable(where: Where | null | undefined, bounds: Bounds): void {
  if (!isBounded(where ?? {}, bounds))
    throw unbounded('totalCount', 'would count all positions that match the filter')
}

const unbounded = (name: string, what: string) =>
  badArgument(
    name,
    `${what}: add where.users, pools (at most ${MOST_POOLS}), assets (at most ${MOST_ASSETS}), ` +
      `or where.date with at most ${MOST_DATES} dates, as in /graphql#example=LargestPositions`,
  )

function isBounded(where: Where, bounds: Bounds): boolean {
  const {
    users = Infinity,
    pools = Infinity,
    assets = Infinity,
    dates = Infinity,
  } = bounded(where, bounds)
  if (
    users <= MOST_READ_USERS ||
    pools <= MOST_POOLS ||
    assets <= MOST_ASSETS ||
    dates <= MOST_DATES
  )
    return true
  const parts = [where, ...(where.AND ?? [])]
  return parts.some(({ OR }) => OR?.every((part) => isBounded(part, {})))
}

// Orders whose values are computed for each position by the limits of its markets.
const COMPUTED: ReadonlySet<string> = new Set(['HEALTH_FACTOR', 'LIQUIDATION_DROP'])

interface Sorting {
  where?: Where | null
  orderBy?: readonly string[] | null
}

/**
 * Rejects an order that no index serves if the filter leaves too many positions to sort. Those of
 * one date are few enough, unless their order is computed.
 * @param bounds the bounds that other arguments set
 * @throws BAD_INPUT
 */
export function assertSortable({ where, orderBy }: Sorting, bounds: Bounds): void {
  const {
    users = Infinity,
    pools = Infinity,
    dates = Infinity,
  } = where ? bounded(where, bounds) : bounds
  if (users <= MOST_USERS || pools * dates <= MOST_POOL_DATES) return
  const computed = orderBy?.some((key) => COMPUTED.has(key)) ?? false
  if (dates <= 1 && (!computed || mostHealth(where) !== undefined)) return
  const ofDate = computed
    ? 'limit where.healthFactor or where.liquidationDrop on one date, as in ' +
      'currentPositions(where: { healthFactor: { lt: 1.1 } })'
    : 'use currentPositions for the newest date, add where.date.eq or asOf'
  const message =
    `would sort all positions that match the filter: ${ofDate}, add where.users (at most ` +
    `${MOST_USERS}), or where.pools together with where.date.eq or date.in (at most ` +
    `${MOST_POOL_DATES} pairs), as in /graphql#example=` +
    (computed ? 'NearLiquidation' : 'LargestPositions')
  throw new GatewayError(
    'BAD_INPUT',
    `orderBy ${message}. Sorting by DATE alone needs no filter.`,
    [{ in: 'query', name: 'orderBy', message }],
  )
}

function bounded(where: Where, bounds: Bounds): Bounds {
  const { users, pools, assets, date, AND } = where as Where & {
    users?: unknown[] | null
    pools?: unknown[] | null
    assets?: unknown[] | null
    date?:
      | ({ [bound in 'eq' | 'gt' | 'gte' | 'lt' | 'lte']?: Date | null } & { in?: Date[] | null })
      | null
  }
  const least = (...counts: (number | undefined)[]) =>
    Math.min(...counts.map((count) => count ?? Infinity))
  const [from, to] = [date?.gte ?? date?.gt, date?.lte ?? date?.lt]
  const days = from && to ? Math.max(0, (to.getTime() - from.getTime()) / DAY_MS + 1) : Infinity
  const local: Bounds = {
    users: least(bounds.users, users?.length),
    pools: least(bounds.pools, pools?.length),
    assets: least(bounds.assets, assets?.length),
    dates: least(bounds.dates, date?.eq ? 1 : undefined, date?.in?.length, days),
  }
  return (AND ?? []).reduce((bounds, part) => bounded(part, bounds), local)
}
