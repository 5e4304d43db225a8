import * as z from 'zod'
import { GatewayError } from '../../errors.ts'
import { asEntity, flag, pageOf, pageQuery, unixSeconds, whereAddress } from '../parameters.ts'
import * as shapes from '../shapes.ts'

const WINDOW_SECONDS = 30 * 86_400

/** The query parameters that both snapshot endpoints share. */
export const snapshotQuery = {
  ...pageQuery,
  from_timestamp: unixSeconds
    .optional()
    .describe('Only snapshots at or after this time, in Unix seconds. Defaults to 30 days ago.'),
  to_timestamp: unixSeconds
    .optional()
    .describe('Only snapshots at or before this time, in Unix seconds. Defaults to now.'),
  should_group_by_timestamp: flag
    .optional()
    .describe(
      '`true`: positions are summed, one record per chain, entity, account and timestamp. ' +
        '`null` and empty mean false.',
    ),
}

export const snapshotFilters = {
  chain_id: shapes.nullable(shapes.safeInteger),
  from_timestamp: shapes.digits,
  to_timestamp: shapes.digits,
  should_group_by_timestamp: z.boolean(),
}

type SnapshotQuery = z.output<z.ZodObject<typeof snapshotQuery>>

/**
 * The variables of the operation, but for the user.
 * @param entity the address of the market or vault
 */
export function snapshotVariables(
  query: SnapshotQuery,
  entity: string | undefined,
  now: () => Date,
) {
  const {
    from_timestamp,
    to_timestamp,
    chain_id = null,
    should_group_by_timestamp: grouped = false,
  } = query
  if (from_timestamp !== undefined && to_timestamp !== undefined && from_timestamp > to_timestamp) {
    const message = 'must not be after to_timestamp'
    throw new GatewayError('BAD_INPUT', `from_timestamp ${message}.`, [
      { in: 'query', name: 'from_timestamp', message },
    ])
  }
  const seconds = Math.floor(now().getTime() / 1000)
  return {
    chainIds: chain_id,
    entities: whereAddress(entity),
    from: String(from_timestamp ?? seconds - WINDOW_SECONDS),
    to: String(to_timestamp ?? seconds),
    grouped,
    ...pageOf(query),
  }
}

/**
 * The answer around a page of snapshots.
 * @param entity the filter by market or vault, which it echoes
 */
export function snapshotPage<Entity extends Record<string, string | undefined>>(
  query: SnapshotQuery,
  { from, to, grouped }: { from: string | bigint; to: string | bigint; grouped: boolean },
  entity: Entity,
  total: number,
  rows: number,
) {
  const echoed = Object.entries(entity).map(([name, value]) => [
    name,
    value === undefined ? null : asEntity(value),
  ])
  const filters = {
    ...(Object.fromEntries(echoed) as Record<keyof Entity, string | null>),
    chain_id: query.chain_id ?? null,
    from_timestamp: String(from),
    to_timestamp: String(to),
    should_group_by_timestamp: grouped,
  }
  const fromClock = (['from_timestamp', 'to_timestamp'] as const).filter(
    (name) => query[name] === undefined,
  )
  return {
    body: { data: [], pagination: shapes.pagination(query, total, rows), filters },
    timeless:
      fromClock.length === 0 ? undefined : (json: string) => withoutFilters(json, fromClock),
  }
}

function withoutFilters(json: string, names: string[]): string {
  const start = json.lastIndexOf('"filters":')
  return (
    json.slice(0, start) +
    json.slice(start).replace(new RegExp(`"(${names.join('|')})":"\\d+",`, 'g'), '')
  )
}
