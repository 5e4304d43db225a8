import * as z from 'zod'
import { GatewayError } from '../../errors.ts'
import { asEntity, flag, offsetOf, pageQuery, unixSeconds, whereAddress } from '../parameters.ts'
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
      '`true`: positions are summed, one record per chain, entity, account and timestamp. `null` and empty mean false.',
    ),
}

export const snapshotFilters = {
  chain_id: shapes.nullable(shapes.safeInteger),
  from_timestamp: shapes.digits,
  to_timestamp: shapes.digits,
  should_group_by_timestamp: z.boolean(),
}

type Query = z.output<z.ZodObject<typeof snapshotQuery>>

/** The variables of the operation and the filters that the answer echoes. */
export function snapshotWindow(query: Query, entity: string | undefined, now: Date) {
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  const { from_timestamp, to_timestamp, chain_id = null } = query
  if (from_timestamp !== undefined && to_timestamp !== undefined && from_timestamp > to_timestamp) {
    const message = 'must not be after to_timestamp'
    throw new GatewayError('BAD_INPUT', `from_timestamp ${message}.`, [
      { in: 'query', name: 'from_timestamp', message },
    ])
  }
  const from = (from_timestamp ?? seconds - BigInt(WINDOW_SECONDS)).toString()
  const to = (to_timestamp ?? seconds).toString()
  const grouped = query.should_group_by_timestamp ?? false
  const fromClock = (['from_timestamp', 'to_timestamp'] as const).filter((name) => query[name] === undefined)
  const echoed = entity === undefined ? null : asEntity(entity)
  return {
    variables: {
      chainIds: chain_id,
      entities: whereAddress(entity),
      from,
      to,
      grouped,
      first: query.page_size,
      offset: offsetOf(query),
    },
    entity: echoed,
    filters: { chain_id, from_timestamp: from, to_timestamp: to, should_group_by_timestamp: grouped },
    /** See `Answer.timeless`. */
    timeless: fromClock.length === 0 ? undefined : (json: string) => withoutFilters(json, fromClock),
  }
}

function withoutFilters(json: string, names: string[]): string {
  const start = json.lastIndexOf('"filters":')
  return json.slice(0, start) + json.slice(start).replace(new RegExp(`"(${names.join('|')})":"\\d+",`, 'g'), '')
}
