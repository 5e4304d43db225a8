import { whileLocked } from '../../db/connect/lock.ts'
import { LOCKS } from '../../db/locks.ts'
import { GatewayError } from '../../errors.ts'
import {
  type AttemptDeps,
  attempt,
  RUN_SINCE,
  SCHEDULE,
  sinceValues,
  type TickOutcome,
} from '../distribution/attempts.ts'
import type { LegName } from './legs.ts'
import { updateRules } from './rules.ts'
import { type UpdateDeps, updateLeg } from './update.ts'

type DueDeps = UpdateDeps & AttemptDeps

/**
 * Updates the legs that have no successful update since a tick. A leg that fails is retried, and
 * does not stop the others. Only one gateway on a store does so at a time.
 * @throws the signal's reason
 */
export async function updateDue(deps: DueDeps, tick: Date): Promise<TickOutcome> {
  const { pool, log, signal } = deps
  if ((await legsDue(deps, tick)).length === 0) return 'done'
  let outcome: TickOutcome = 'done'
  const ran = await whileLocked(pool, LOCKS.updates, async () => {
    if (await isFirstAttempt(deps, tick)) await followRules(deps)
    for (const leg of await legsDue(deps, tick)) {
      signal?.throwIfAborted()
      if ((await tryLeg(deps, leg, tick)) === 'pending') outcome = 'pending'
    }
  })
  if (ran) return outcome
  log.debug({}, 'another gateway runs the updates that are due')
  return 'pending'
}

async function isFirstAttempt({ pool }: DueDeps, tick: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    "SELECT FROM run WHERE kind = 'update' AND started_at >= $1 LIMIT 1",
    [tick],
  )
  return rowCount === 0
}

// A failure waits for the next tick.
async function followRules(deps: DueDeps): Promise<void> {
  const { log, signal } = deps
  try {
    const done = await updateRules(deps, SCHEDULE)
    if (done?.written) log.info({ source: done.source, written: done.written }, 'updated rules')
    if (done?.follows && done.notes.length > 0)
      log.warn({ source: done.source, notes: done.notes }, 'rules may differ')
  } catch (error) {
    signal?.throwIfAborted()
    const isCoded = error instanceof GatewayError
    log.warn(isCoded ? { reason: error.message } : { err: error }, 'the update of rules failed')
  }
}

function tryLeg(deps: DueDeps, leg: LegName, tick: Date): Promise<TickOutcome> {
  return attempt(deps, {
    subject: { leg },
    tick,
    what: 'the update',
    fields: { leg },
    async run() {
      const { id: run, fetched, written } = await updateLeg(deps, leg, SCHEDULE)
      deps.log.info({ leg, run, fetched, written }, 'updated analytics')
    },
  })
}

async function legsDue({ pool, analytics, now }: DueDeps, tick: Date): Promise<LegName[]> {
  const { rows } = await pool.query<{ leg: string }>(
    `SELECT DISTINCT leg FROM run r
     WHERE kind = 'update' AND status = 'succeeded' AND ${RUN_SINCE}`,
    sinceValues({ tick, now: now() }),
  )
  const done = new Set(rows.map(({ leg }) => leg))
  return [...analytics.sources.keys()].filter((leg) => !done.has(leg))
}
