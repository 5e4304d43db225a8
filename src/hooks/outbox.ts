import type { Pool } from 'pg'
import { GatewayError } from '../errors.ts'
import { bodyOf } from './events.ts'
import { SECRETS } from './hook.ts'
import type { Message } from './post.ts'

// Longer than any attempt: another sender takes over what a killed one has taken.
const LEASE_SECONDS = 60
const FIRST_PAUSE_MS = 5000
const MAX_PAUSE_MS = 3_600_000
const PATIENCE_MS = 24 * 3_600_000

/** A message that this sender has taken, and no other has. */
export interface Taken extends Message {
  delivery: string
  hook: string
  event: string
  since: Date
}

// When a message is due, as its index has it.
const DUE = "coalesce(o.due_at, '-infinity')"

/**
 * Takes the oldest message that is due: one that was never tried, if there is one. A message waits
 * for earlier ones of its hook and subject.
 * @param busy hooks to leave out
 */
export async function take(pool: Pool, now: Date, busy: string[]): Promise<Taken | undefined> {
  const { rows } = await pool.query(
    `UPDATE hook_delivery d SET attempts = d.attempts + 1,
       tried_since = coalesce(d.tried_since, $1::timestamptz),
       due_at = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
     FROM hook h
     WHERE h.id = d.hook_id AND d.id = (
       SELECT o.id FROM hook_delivery o
       WHERE o.dead_at IS NULL AND ${DUE} <= $1::timestamptz
         AND o.hook_id <> ALL($2::bigint[])
         AND EXISTS (SELECT FROM hook WHERE hook.id = o.hook_id)
         AND NOT EXISTS (SELECT FROM hook_delivery e
           WHERE e.hook_id = o.hook_id AND e.subject = o.subject AND e.id < o.id
             AND e.dead_at IS NULL)
       ORDER BY ${DUE}, o.id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING d.id, d.hook_id, d.event, d.message_id, d.facts, d.occurred_at, d.attempts,
       d.tried_since, h.url, ${SECRETS} AS secrets`,
    [now, busy],
  )
  const [row] = rows
  if (!row) return undefined
  return {
    delivery: row.id,
    hook: row.hook_id,
    event: row.event,
    since: row.tried_since,
    url: row.url,
    id: `msg_${row.message_id}`,
    attempt: row.attempts,
    body: bodyOf(row.event, row.occurred_at, row.facts),
    secrets: row.secrets,
  }
}

/** Forgets a message that has arrived. */
export async function settle(pool: Pool, { delivery }: Taken): Promise<void> {
  await pool.query('DELETE FROM hook_delivery WHERE id = $1', [delivery])
}

/**
 * Notes a failed attempt. Each pause is as long as the time since the first one, which a replay
 * forgets; a day after it the message is given up. Messages that wait for it are not looked at before.
 * @returns whether it was given up
 */
export async function postpone(
  pool: Pool,
  { delivery, attempt, since }: Taken,
  { error, now }: { error: string; now: Date },
): Promise<boolean> {
  const tried = now.getTime() - since.getTime()
  const pause = Math.min(FIRST_PAUSE_MS + tried, MAX_PAUSE_MS)
  const due = new Date(now.getTime() + pause)
  const isDead = due.getTime() > since.getTime() + PATIENCE_MS
  await pool.query(
    `WITH tried AS (
       UPDATE hook_delivery SET due_at = $3, error = $4, dead_at = $5
       WHERE id = $1 AND attempts = $2 RETURNING id, hook_id, subject, dead_at)
     UPDATE hook_delivery w SET due_at = $3 FROM tried t
     WHERE t.dead_at IS NULL AND w.hook_id = t.hook_id AND w.subject = t.subject AND w.id > t.id
       AND w.dead_at IS NULL`,
    [delivery, attempt, due, error, isDead ? now : null],
  )
  return isDead
}

/** A message that was given up. */
export interface DeadLetter {
  id: string
  hook: string
  event: string
  subject: string
  occurredAt: Date
  attempts: number
  deadAt: Date
  error: string | null
}

/** The messages that were given up, oldest first. */
export async function deadLetters(pool: Pool): Promise<DeadLetter[]> {
  const { rows } = await pool.query<DeadLetter>(
    `SELECT id, hook_id AS hook, event, subject, occurred_at AS "occurredAt", attempts,
       dead_at AS "deadAt", error
     FROM hook_delivery WHERE dead_at IS NOT NULL ORDER BY id`,
  )
  return rows
}

/**
 * Sends messages again that were given up: one, those of a hook, or all.
 * @returns how many
 * @throws NOT_FOUND if there is none with the id
 */
export async function replay(
  pool: Pool,
  { id, hook }: { id?: string | undefined; hook?: string } = {},
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE hook_delivery SET dead_at = NULL, due_at = NULL, tried_since = NULL, error = NULL
     WHERE dead_at IS NOT NULL AND id = coalesce($1, id) AND hook_id = coalesce($2, hook_id)`,
    [id, hook],
  )
  if (id !== undefined && rowCount === 0)
    throw new GatewayError('NOT_FOUND', `There is no dead letter ${id}.`)
  return rowCount ?? 0
}
