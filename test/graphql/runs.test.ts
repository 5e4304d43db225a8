import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Notifications } from '../../src/db/connect/notifications.ts'
import type { Store } from '../../src/db/connect/store.ts'
import { Runs } from '../../src/graphql/live/runs.ts'
import { openStore } from '../support/store.ts'

let database: Awaited<ReturnType<typeof openStore>>

beforeAll(async () => {
  database = await openStore()
})
afterAll(() => database.close())

/** Notifications that the test makes, as a store would. */
function notifications() {
  const ups: (() => void)[] = []
  const downs: ((since: number) => void)[] = []
  const channels = new Map<string, (payload: string) => void>()
  const made: Notifications = {
    connectedUntil: Number.POSITIVE_INFINITY,
    subscribe(channel, listener) {
      channels.set(channel, listener)
      return () => {}
    },
    onUp(listener) {
      ups.push(listener)
      return () => {}
    },
    onDown(listener) {
      downs.push(listener)
      return () => {}
    },
    close: async () => {},
  }
  return {
    made,
    up() {
      for (const listener of ups) listener()
    },
    down(since: number) {
      for (const listener of downs) listener(since)
    },
    notify: (channel: string, payload: string) => channels.get(channel)?.(payload),
  }
}

const runEnded = async (minutesAgo: number): Promise<bigint> => {
  const { rows } = await database.pool.query(
    `INSERT INTO run (kind, date, status, requested_by, started_at, finished_at, base_deposit, base_borrow)
     VALUES ('resync', '2026-03-01', 'succeeded', 'test', now(), now() - $1 * interval '1 minute', 1, 1) RETURNING id`,
    [minutesAgo],
  )
  return BigInt(rows[0].id)
}

test('runs that ended while notifications were missed are published, however late that was noticed', async () => {
  const { made, up, down, notify } = notifications()
  const log = { warn() {} } as never
  const runs = new Runs({ notifications: made, store: { pool: database.pool } as unknown as Store, log })
  const events = runs.follow(undefined)
  try {
    up()
    const first = await runEnded(0)
    notify('gateway_run', String(first))
    expect((await events.next()).value).toEqual({ id: first })
    // The process was stopped half an hour ago, and notices now that its connection is lost.
    const missed = await runEnded(20)
    down(performance.now() - 30 * 60_000)
    expect(runs.isConnected).toBe(false)
    up()
    expect((await events.next()).value).toEqual({ id: missed })
    expect(runs.isConnected).toBe(true)
  } finally {
    runs.close()
  }
})

test('a run that ends while the first read waits for a connection is published', async () => {
  const { made, up, notify } = notifications()
  let connect = () => {}
  const connected = new Promise<void>((resolve) => {
    connect = resolve
  })
  const pool = { query: (...args: [string, unknown[]]) => connected.then(() => database.pool.query(...args)) }
  const runs = new Runs({ notifications: made, store: { pool } as unknown as Store, log: { warn() {} } as never })
  const events = runs.follow(undefined)
  try {
    up()
    await setTimeout(20)
    const ended = await runEnded(0)
    await setTimeout(100)
    connect()
    notify('gateway_run', String(ended))
    expect((await events.next()).value).toEqual({ id: ended })
  } finally {
    runs.close()
  }
})
