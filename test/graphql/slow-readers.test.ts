import { once } from 'node:events'
import { connect } from 'node:net'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { subscribe } from '../support/events.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Clients that do not read what they have asked for. */

let one: Gateway
beforeAll(async () => {
  // Some events here are as large as can be.
  one = await startOnSample({
    users: 20,
    days: 4,
    env: { MAX_QUERY_ALIASES: '0', MAX_QUERY_TOKENS: '0' },
  })
  const { notifications } = one.deps
  await vi.waitFor(() => expect(notifications.connectedUntil).toBeGreaterThan(0), {
    timeout: 60_000,
  })
})
afterEach(async () => {
  const metrics = async () => (await one.get('/metrics')).text()
  await expect.poll(metrics).toMatch(/^gateway_subscriptions 0$/m)
})
afterAll(() => one.close())

const sql = (text: string) => one.deps.store.pool.query(text)
const touch = () => sql('UPDATE program SET total_points = total_points')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a result is not read for a client that does not read; when it reads again it gets the newest', async () => {
  const columns = Array.from({ length: 400 }, (_, i) => `c${i}: userAddress`).join(' ')
  const query = `subscription { leaderboard(first: 20) { nodes { points ${columns} } } }`
  const body = JSON.stringify({ query })
  const socket = connect(Number(new URL(one.base).port), '127.0.0.1')
  const head = `accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`)
  const tops: number[] = []
  let rest = ''
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    for (const [, points] of rest.matchAll(/"nodes":\[\{"points":([\d.]+),/g))
      tops.push(Number(points))
    rest = rest.slice(-60).replace(/^.*"nodes":\[\{"points":[\d.]+,/s, '')
  })
  try {
    await vi.waitFor(() => expect(tops).toHaveLength(1), { timeout: 60_000 })
    socket.pause()
    const { leaderboard } = await one.ask('{ leaderboard(first: 1) { nodes { userAddress } } }')
    const [{ userAddress }] = leaderboard.nodes
    const write = () =>
      sql(`UPDATE account SET points = points + 1 WHERE user_address = '${userAddress}'`)
    const readFor = async () => {
      const before = one.statements.length
      await write()
      await pause(350)
      return one.statements.length - before
    }
    // Until what is on its way to the client is full: then nothing is read any more, however often
    // it changes.
    let commits = 0
    for (let unread = 0; unread < 4; commits++) {
      unread = (await readFor()) > 0 ? 0 : unread + 1
      expect(commits).toBeLessThan(80)
    }
    // Others get their events nevertheless.
    const other = await subscribe(one, query)
    await other.next()
    await write()
    await other.next()
    other.leave()
    socket.resume()
    const newest = async () =>
      (await one.ask('{ leaderboard(first: 1) { nodes { points } } }')).leaderboard.nodes[0].points
    await vi.waitFor(async () => expect(tops.at(-1)).toBe(await newest()), { timeout: 60_000 })
    expect(tops.length).toBeLessThan(commits + 4)
  } finally {
    socket.destroy()
  }
}, 60_000)

test('nothing is read for a client that does not read; when it reads again it gets one event for all', async () => {
  const columns = Array.from({ length: 100 }, (_, i) => `c${i}: userAddress`).join(' ')
  const lists = Array.from(
    { length: 10 },
    (_, i) => `l${i}: positions(first: 100) { nodes { ${columns} } }`,
  ).join(' ')
  const body = JSON.stringify({
    query: `subscription { dataChanged { version query { ${lists} } } }`,
  })
  const socket = connect(Number(new URL(one.base).port), '127.0.0.1')
  const head = `accept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`)
  const version = async () => (await one.ask('{ dataVersion }')).dataVersion as string
  const versions: string[] = []
  let rest = ''
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    for (const [, told = ''] of rest.matchAll(/"dataChanged":\{"version":"(\d+)"/g))
      versions.push(told)
    rest = rest.slice(-40).replace(/^.*"version":"\d+"/, '')
  })
  try {
    await vi.waitFor(() => expect(versions).toHaveLength(1), { timeout: 60_000 })
    socket.pause()
    const readFor = async () => {
      const before = one.statements.length
      await touch()
      await pause(400)
      return one.statements.length - before
    }
    let commits = 1
    // A read may begin late: three commits without one are the end of reading.
    for (let still = 0; still < 3; expect(++commits).toBeLessThan(60))
      still = (await readFor()) > 0 ? 0 : still + 1
    expect(await readFor()).toBe(0)
    socket.resume()
    await vi.waitFor(async () => expect(versions.at(-1)).toBe(await version()), { timeout: 60_000 })
    expect(versions.length).toBeLessThan(commits + 3)
  } finally {
    socket.destroy()
  }
})

test('a client that reads no answers is not read', async () => {
  const socket = new WebSocket(
    `${one.base.replace('http', 'ws')}/graphql`,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
  )
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  let pongs = 0
  socket.on('message', () => pongs++)
  socket.pause()
  const count = 1000
  const ping = JSON.stringify({ type: 'ping', payload: { filler: ' '.repeat(60_000) } })
  let sent = 0
  const sending = (async () => {
    for (; sent < count; sent++) await new Promise((resolve) => socket.send(ping, resolve))
  })()
  const seen: number[] = []
  await vi.waitFor(
    () => {
      seen.push(sent)
      expect(seen.at(-10)).toBe(sent)
    },
    { timeout: 30_000, interval: 200 },
  )
  expect(sent).toBeLessThan(count)
  socket.resume()
  await sending
  await vi.waitFor(() => expect(pongs).toBe(count), { timeout: 60_000 })
  socket.terminate()
})
