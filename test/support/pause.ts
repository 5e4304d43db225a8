import pg from 'pg'
import { expect, vi } from 'vitest'
import type { Started } from './command-line.ts'
import type { Gateway } from './gateway.ts'

/**
 * The locks at which a run can be paused: before it writes anything, at its first statement, or
 * near its end. An export too.
 */
const places = {
  'before it writes': 'SELECT pg_advisory_xact_lock(7014010)',
  'while it computes': 'SELECT FROM stored_position FOR UPDATE',
  'in the middle of its writing': 'SELECT FROM program FOR UPDATE',
  'before rates are read': 'LOCK TABLE rate_revision IN ACCESS EXCLUSIVE MODE',
}
export type Place = keyof typeof places

export interface Hold {
  /** Waits until a run or a command is paused. */
  caught(command?: Started): Promise<void>
  release(): Promise<void>
}

/** Pauses the runs of a store by a lock, from a separate connection. */
export async function hold(
  { deps: { config } }: Gateway,
  place: Place = 'before it writes',
): Promise<Hold> {
  const client = new pg.Client({ connectionString: config.DATABASE_URL })
  await client.connect()
  await client.query(`BEGIN; ${places[place]}`)
  return {
    caught: (command) =>
      vi.waitFor(
        async () => {
          const { rows } = await client.query(`SELECT FROM pg_locks
            WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`)
          expect(rows.length, command?.printed()).toBeGreaterThan(0)
        },
        { timeout: 20_000 },
      ),
    release: () => client.end().catch(() => {}),
  }
}

/** How many runs have a date now. */
export async function claims({ deps: { store } }: Gateway): Promise<number> {
  const { rows } =
    await store.pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 7014011
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
  return rows.length
}
