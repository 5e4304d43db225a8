import { plainReader } from '../db/connect/reader.ts'
import { storeFault } from '../db/faults.ts'
import type { Deps } from '../deps.ts'
import { newestDistribution } from '../domain/distribution/distribution.ts'
import {
  type Expected,
  nextDistribution,
  nextRecords,
  nextUpdate,
  withLoad,
} from '../domain/status/expected.ts'
import { legStates } from '../domain/status/legs.ts'
import { newestRuns } from '../domain/status/newest-runs.ts'
import { NEWEST_SNAPSHOTS, type NewestOfChain } from '../domain/status/newest-snapshots.ts'
import { Prisma } from '../generated/prisma/client.ts'
import { isoDay } from '../time.ts'
import { EVENTS } from './events.ts'

const KEPT = '90 days'

/** An event that time has brought. */
interface Found {
  event: string
  /** Events of one subject arrive in order. */
  subject: string
  /** An event with this key is sent once. */
  key: string
  /** Its chain, if it is of one. */
  chain?: number | undefined
  facts: Record<string, unknown>
}

// SQL of whether a hook asks for the event `f`.
const ASKS = `hook.events @> to_jsonb(f.event) AND coalesce(hook.chain_ids @> to_jsonb(f.chain), true)`

type ClockDeps = Pick<Deps, 'config' | 'now' | 'store'>

/**
 * Notes what is late, and the multipliers that have come into force, for the hooks that ask for it:
 * each once, however many gateways look.
 * @returns how many messages were noted
 */
export async function lookAtClock(deps: ClockDeps): Promise<number> {
  const { pool } = deps.store
  const asked = Object.keys(EVENTS).filter((event) => EVENTS[event]?.ofClock)
  const { rowCount } = await pool.query('SELECT FROM hook WHERE events ?| $1 LIMIT 1', [asked])
  if (rowCount === 0) return 0
  const found = [...(await findLate(deps)), ...(await findInForce(deps))]
  const now = deps.now()
  await pool.query(`DELETE FROM hook_noted WHERE noted_at < $1::timestamptz - interval '${KEPT}'`, [
    now,
  ])
  const { rowCount: noted } = await pool.query(
    `WITH found AS (
       SELECT * FROM jsonb_to_recordset($1)
         AS f(event text, subject text, key text, chain bigint, facts jsonb)
       WHERE EXISTS (SELECT FROM hook WHERE ${ASKS})),
     noted AS (
       INSERT INTO hook_noted (event, subject, noted_at)
       SELECT event, key, $2 FROM found ORDER BY event, key
       ON CONFLICT DO NOTHING RETURNING event, subject)
     INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
     SELECT hook.id, f.event, f.subject, f.facts, $2
     FROM noted n JOIN found f ON f.event = n.event AND f.key = n.subject
     JOIN hook ON ${ASKS}
     ORDER BY f.event, f.key, hook.id FOR KEY SHARE OF hook`,
    [JSON.stringify(found), now],
  )
  return noted ?? 0
}

// The same as the graph's status.
async function findLate({ config, store, now }: ClockDeps): Promise<Found[]> {
  const reader = plainReader(store)
  const time = now()
  const { loadedAt } = await newestRuns(reader)
  const newest = await newestDistribution(reader)
  const next =
    newest && nextDistribution(newest.date, config.DISTRIBUTION_CRON, { now: time, loadedAt })
  const found: Found[] = []
  if (next?.late) {
    const date = isoDay(next.date)
    const facts = { date, expectedAt: next.expectedAt, newest: isoDay(newest?.date ?? next.date) }
    found.push({ event: 'distribution.late', subject: date, key: date, facts })
  }
  const add = (
    records: string,
    { chainId, newest }: { chainId?: string; newest: Date },
    { late, expectedAt }: Expected,
  ) => {
    if (!late) return
    const subject = [records, chainId].filter(Boolean).join(' ')
    const chain = chainId ? Number(chainId) : undefined
    const facts = { records, chainId: chain ?? null, newest, expectedAt }
    const key = `${subject} ${newest.toISOString()}`
    found.push({ event: 'data.late', subject, key, chain, facts })
  }
  const chains = await reader
    .$queryRaw<NewestOfChain[]>(Prisma.raw(NEWEST_SNAPSHOTS))
    .catch((error: unknown) => {
      // A store on several servers does not say.
      if (storeFault(error)?.code === 'UNSUPPORTED') return []
      throw error
    })
  for (const { chainId, time: newest, loadedAt: loaded } of withLoad(chains, loadedAt))
    if (newest)
      add(
        'snapshots',
        { chainId, newest },
        nextRecords(newest, false, { now: time, loadedAt: loaded }),
      )
  for (const { leg, updatedAt, daily, wholeDay, chains } of await legStates(reader)) {
    add(leg, { newest: updatedAt }, nextUpdate(updatedAt, config.ANALYTICS_CRON, time))
    for (const { chainId, time: newest } of chains)
      if (newest && daily)
        add(leg, { chainId, newest }, nextRecords(newest, wholeDay, { now: time, loadedAt: null }))
  }
  return found
}

// The rules that came into force today or yesterday.
async function findInForce({ store, now }: ClockDeps): Promise<Found[]> {
  const { rows } = await store.pool.query<{
    id: string
    chain: string | null
    facts: Found['facts'] & { pool: string }
  }>(
    `SELECT r.id, p.chain_id AS chain, jsonb_build_object(
       'pool', r.pool_address, 'from', r.from_date, 'changedBy', r.changed_by,
       'depositA', r.deposit_token_a, 'depositB', r.deposit_token_b,
       'borrowA', r.borrow_token_a, 'borrowB', r.borrow_token_b) AS facts
     FROM multiplier_rule r LEFT JOIN pool p ON p.id = r.pool_address
     WHERE r.from_date BETWEEN $1::date - 1 AND $1::date ORDER BY r.id`,
    [isoDay(now())],
  )
  return rows.map(({ id, chain, facts }) => ({
    event: 'rules.in_force',
    subject: facts.pool,
    key: id,
    chain: chain === null ? undefined : Number(chain),
    facts,
  }))
}
