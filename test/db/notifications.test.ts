import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Notifications, openNotifications } from '../../src/db/connect/notifications.ts'
import { openProbe, type StoreProbe } from '../../src/db/connect/probe.ts'
import { openStore } from '../support/store.ts'

let database: Awaited<ReturnType<typeof openStore>>
let probe: StoreProbe
let opened: Notifications[] = []
beforeAll(async () => {
  database = await openStore()
  probe = openProbe(database.url)
})
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()))
  opened = []
})
afterAll(async () => {
  await probe.close()
  await database.close()
})

const notify = (channel: string, payload: string) =>
  database.pool.query('SELECT pg_notify($1, $2)', [channel, payload])

const listening = async () => {
  const { rows } = await database.pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'gateway-listen' AND datname = current_database()",
  )
  return rows.map((row) => row.pid)
}

function open(more: Partial<Parameters<typeof openNotifications>[0]> = {}) {
  const received: string[] = []
  const onError = vi.fn()
  const notifications = openNotifications({
    url: database.url,
    channels: ['one', 'Two'],
    notify: probe.notify,
    onError,
    ...more,
  })
  opened.push(notifications)
  notifications.onUp(() => received.push('up'))
  notifications.onDown(() => received.push('down'))
  notifications.subscribe('one', (payload) => received.push(`one ${payload}`))
  notifications.subscribe('Two', (payload) => received.push(`Two ${payload}`))
  return { notifications, received, onError }
}

test('nothing is connected until somebody subscribes', async () => {
  const notifications = openNotifications({
    url: database.url,
    channels: ['one'],
    notify: probe.notify,
    onError() {},
  })
  opened.push(notifications)
  const { received } = open()
  await expect.poll(() => received).toEqual(['up'])
  expect(await listening(), 'the other one').toHaveLength(1)
  expect(notifications.connectedUntil).toBe(0)
})

test('each channel is received by its own listeners, until they end', async () => {
  const { notifications, received } = open()
  const more: string[] = []
  const end = notifications.subscribe('one', (payload) => more.push(payload))
  await expect.poll(() => notifications.connectedUntil).toBeGreaterThan(0)
  await notify('one', 'a')
  await notify('Two', '')
  await expect.poll(() => received).toEqual(['up', 'one a', 'Two '])
  end()
  await notify('one', 'b')
  await expect.poll(() => received).toContain('one b')
  expect(more).toEqual(['a'])
  expect(() => notifications.subscribe('three', () => {})).toThrow('three')
})

test('a listener that comes while they arrive is called', async () => {
  const { notifications } = open()
  await expect.poll(() => notifications.connectedUntil).toBeGreaterThan(0)
  const up = vi.fn()
  notifications.onUp(up)
  expect(up).toHaveBeenCalledTimes(1)
})

test('a cut connection is reported and reopened', async () => {
  const { notifications, received, onError } = open()
  await expect.poll(() => notifications.connectedUntil).toBeGreaterThan(0)
  const [pid] = await listening()
  await database.pool.query('SELECT pg_terminate_backend($1)', [pid])
  await vi.waitFor(() => expect(received).toEqual(['up', 'down', 'up']), { timeout: 5000 })
  await notify('one', 'after')
  await expect.poll(() => received).toContain('one after')
  expect(onError).toHaveBeenCalledTimes(1)
})

test('a store that is unreachable at the start is reported once, and reached when it is back', async () => {
  const proxy = await startProxy(database.pool)
  proxy.refuse()
  const { notifications, received, onError } = open({ url: proxy.url })
  // The attempts before the fourth have failed.
  await expect.poll(() => proxy.refused()).toBe(4)
  expect(notifications.connectedUntil).toBe(0)
  expect(onError).toHaveBeenCalledTimes(1)
  proxy.accept()
  await vi.waitFor(() => expect(received).toEqual(['up']), { timeout: 5000 })
  await notifications.close()
  await proxy.close()
})

test('a connection that is dead without a word is noticed', async () => {
  const proxy = await startProxy(database.pool)
  const { notifications, received } = open({
    url: proxy.url,
    heartbeatMs: 100,
    silenceMs: 500,
    patienceMs: 300,
  })
  await expect.poll(() => received).toEqual(['up'])
  proxy.freeze()
  await vi.waitFor(() => expect(received).toEqual(['up', 'down']), { timeout: 2000 })
  expect(notifications.connectedUntil).toBe(0)
  proxy.thaw()
  await vi.waitFor(() => expect(received).toEqual(['up', 'down', 'up']), { timeout: 8000 })
  await notifications.close()
  await proxy.close()
})

test('a connection that listens and receives nothing is not connected, which is reported once', async () => {
  const onError = vi.fn()
  const sent: string[] = []
  const notify = async (channel: string) => void sent.push(channel)
  const { notifications, received } = open({ notify, onError, heartbeatMs: 50, silenceMs: 200 })
  await vi.waitFor(() => expect(new Set(sent).size).toBeGreaterThan(2), { timeout: 10_000 })
  expect(received).toEqual([])
  expect(notifications.connectedUntil).toBe(0)
  expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
    expect.stringContaining('do not arrive'),
  ])
})

test('heartbeats that stop make it unconnected, and the next one that is received connected again', async () => {
  let silent = false
  const { notifications, received } = open({
    notify: async (channel, payload) => (silent ? undefined : probe.notify(channel, payload)),
    heartbeatMs: 100,
    silenceMs: 1000,
  })
  await expect.poll(() => received).toEqual(['up'])
  const [pid] = await listening()
  const missed = new Promise<number>((resolve) => notifications.onDown(resolve))
  const silentSince = performance.now()
  silent = true
  await vi.waitFor(() => expect(received).toEqual(['up', 'down']), { timeout: 5000 })
  expect(notifications.connectedUntil).toBe(0)
  expect(
    await missed,
    'all that was committed before the last heartbeat has been notified',
  ).toBeLessThan(silentSince)
  silent = false
  await vi.waitFor(() => expect(received).toEqual(['up', 'down', 'up']), { timeout: 5000 })
  expect(await listening()).toEqual([pid])
})

test('closing leaves no connection, also while it connects, and may be called twice', async () => {
  const { notifications } = open()
  await notifications.close()
  await notifications.close()
  // One that waited for a heartbeat would take longer than a test may.
  const { notifications: connected } = open({ heartbeatMs: 300_000, silenceMs: 900_000 })
  await expect.poll(() => connected.connectedUntil).toBeGreaterThan(0)
  await connected.close()
  expect(connected.connectedUntil).toBe(0)
  await expect.poll(() => listening()).toEqual([])
})

/** A way to the store that can stop to pass anything on, as a network does. */
async function startProxy(pool: pg.Pool) {
  const target = new URL(pool.options.connectionString as string)
  const sockets = new Set<Socket>()
  let frozen = false
  let refuses = false
  let refused = 0
  const server = createServer((near) => {
    if (refuses) {
      refused++
      return near.destroy()
    }
    if (frozen) near.pause()
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.on('data', (data) => {
        if (!frozen) to.write(data)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    freeze() {
      frozen = true
    },
    thaw() {
      frozen = false
    },
    refuse() {
      refuses = true
    },
    accept() {
      refuses = false
    },
    refused: () => refused,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
