import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { inWrite } from '../db/write.ts'
import { GatewayError } from '../errors.ts'
import { EVENTS } from './events.ts'
import { readTarget } from './target.ts'

const MAX_HOOKS = 1000
const GRACE_HOURS = 24

/** A hook as it is shown: without its secret. */
export interface Hook {
  id: string
  url: string
  events: string[]
  createdAt: Date
  /** Messages that wait, also for another attempt. */
  waiting: number
  /** Messages that were given up. */
  dead: number
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/**
 * Adds a hook.
 * @param options.events all if there are none
 * @returns its id, and the secret that signs its messages
 * @throws BAD_INPUT for a URL or an event that cannot be
 */
export async function addHook(
  pool: Pool,
  options: { url: string; events: string[]; allowsPrivate: boolean },
): Promise<{ id: string; secret: string }> {
  const known = Object.keys(EVENTS)
  const unknown = options.events.find((event) => !known.includes(event))
  if (unknown !== undefined)
    throw new GatewayError(
      'BAD_INPUT',
      `There is no event ${unknown.slice(0, 60)}: the events are ${known.join(', ')}.`,
    )
  const url = readTarget(options.url, options.allowsPrivate)
  const events = options.events.length > 0 ? [...new Set(options.events)] : known
  const secret = newSecret()
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO hook (url, events, secret)
     SELECT $1, $2, $3 WHERE (SELECT count(*) FROM hook) < $4 RETURNING id`,
    [url, JSON.stringify(events), secret, MAX_HOOKS],
  )
  const [hook] = rows
  if (!hook) throw new GatewayError('CONFLICT', `There are ${MAX_HOOKS} hooks: remove one first.`)
  return { id: hook.id, secret }
}

/** All hooks, in the order in which they were added. */
export async function listHooks(pool: Pool): Promise<Hook[]> {
  const { rows } = await pool.query<Hook>(
    `SELECT id, url, events, created_at AS "createdAt",
       (SELECT count(*)::int FROM hook_delivery d
         WHERE d.hook_id = h.id AND dead_at IS NULL) AS waiting,
       (SELECT count(*)::int FROM hook_delivery d
         WHERE d.hook_id = h.id AND dead_at IS NOT NULL) AS dead
     FROM hook h ORDER BY id`,
  )
  return rows
}

/**
 * Gives a hook a new secret. The previous one signs too, for a day.
 * @throws NOT_FOUND
 */
export async function rotateSecret(pool: Pool, id: string, now: Date): Promise<string> {
  const secret = newSecret()
  const { rowCount } = await pool.query(
    `UPDATE hook SET previous_secret = secret, secret = $2,
       previous_until = $3::timestamptz + interval '${GRACE_HOURS} hours' WHERE id = $1`,
    [id, secret, now],
  )
  if (rowCount === 0) throw unknownHook(id)
  return secret
}

/**
 * Removes a hook and all that it was still to be told.
 * @throws NOT_FOUND
 */
export function removeHook(pool: Pool, id: string): Promise<void> {
  return inWrite({ pool }, async (writer) => {
    const { rowCount } = await writer.query('DELETE FROM hook WHERE id = $1', [id])
    if (rowCount === 0) throw unknownHook(id)
    await writer.query('DELETE FROM hook_delivery WHERE hook_id = $1', [id])
  })
}

/**
 * The URL of a hook, and the secrets that sign its messages now.
 * @throws NOT_FOUND
 */
export async function readSigned(
  pool: Pool,
  id: string,
  now: Date,
): Promise<{ url: string; secrets: string[] }> {
  const { rows } = await pool.query<{ url: string; secrets: string[] }>(
    `SELECT url, ${SECRETS} AS secrets FROM hook h WHERE id = $2`,
    [now, id],
  )
  if (!rows[0]) throw unknownHook(id)
  return rows[0]
}

/** SQL of the secrets of the hook `h` at the time $1. */
export const SECRETS = `CASE WHEN h.previous_until > $1::timestamptz
  THEN ARRAY[h.secret, h.previous_secret] ELSE ARRAY[h.secret] END`

const unknownHook = (id: string) => new GatewayError('NOT_FOUND', `There is no hook ${id}.`)
