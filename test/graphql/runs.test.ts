import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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
  const runs = new Runs({
    notifications: made,
    store: { pool: database.pool } as unknown as Store,
    log,
  })
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
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const query = (...args: [string, unknown[]]) => {
    begin()
    return connected.then(() => database.pool.query(...args))
  }
  const started = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(started)
  const pool = { query }
  const runs = new Runs({
    notifications: made,
    store: { pool } as unknown as Store,
    log: { warn() {} } as never,
  })
  const events = runs.follow(undefined)
  try {
    up()
    await begun
    // It ends after the gateway has started, a minute before the read gets its connection.
    const ended = await runEnded(1)
    clock.mockReturnValue(started + 2 * 60_000)
    connect()
    notify('gateway_run', String(ended))
    expect((await events.next()).value).toEqual({ id: ended })
  } finally {
    clock.mockRestore()
    runs.close()
  }
})
