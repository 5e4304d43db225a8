import { whileLocked } from '../../db/connect/lock.ts'
import { LOCKS } from '../../db/locks.ts'
import { type AttemptDeps, attempt, type Outcome, RUN_SINCE, SCHEDULE, sinceValues } from '../distribution/attempts.ts'
import type { LegName } from './legs.ts'
import { type UpdateDeps, updateLeg } from './update.ts'

type DueDeps = UpdateDeps & AttemptDeps

/**
 * Updates the legs that have no successful update since a tick. A leg that fails is retried, and does not stop the others.
 * Only one gateway on a store does so at a time.
 * @throws the signal's reason
 */
export async function updateDue(deps: DueDeps, tick: Date): Promise<Outcome> {
  const { pool, log, signal } = deps
  if ((await legsDue(deps, tick)).length === 0) return 'done'
  let outcome: Outcome = 'done'
  const ran = await whileLocked(pool, LOCKS.updates, async () => {
    for (const leg of await legsDue(deps, tick)) {
      signal?.throwIfAborted()
      if ((await tryLeg(deps, leg, tick)) === 'pending') outcome = 'pending'
    }
  })
  if (ran) return outcome
  log.debug({}, 'another gateway runs the updates that are due')
  return 'pending'
}

function tryLeg(deps: DueDeps, leg: LegName, tick: Date): Promise<Outcome> {
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
    `SELECT DISTINCT leg FROM run r WHERE kind = 'update' AND status = 'succeeded' AND ${RUN_SINCE}`,
    sinceValues({ tick, now: now() }),
  )
  const done = new Set(rows.map(({ leg }) => leg))
  return [...analytics.sources.keys()].filter((leg) => !done.has(leg))
}
