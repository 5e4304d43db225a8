import { once } from 'node:events'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { subscribe } from '../support/events.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** An operation with many errors: how many are answered, and how many logged. */

let gateway: Gateway
const logged: Record<string, any>[] = []

beforeAll(async () => {
  gateway = await startOnSample({ onLog: (line) => line.level > 30 && logged.push(line) })
  await vi.waitFor(() => expect(gateway.deps.notifications.connectedUntil).toBeGreaterThan(0))
})
beforeEach(() => {
  logged.length = 0
})
afterAll(() => gateway?.close())

const changes = Array.from(
  { length: 20 },
  (_, i) => `c${i}: change(days: ${i + 1}) { points }`,
).join(' ')
/**
 * Each position's pool is null for the cursor, and the changes of that pool are not needed any
 * more.
 */
const MISTAKEN = `{ positions(first: 300) { nodes { pool { ${changes} positions(first: 1, after: "x") { nodes { points } } } } } }`
/** With a field that has no plan, each part fails for itself. */
const FAILING = `{ runs(first: 1) { nodes { multipliers(first: 1) { nodes { changedBy } } } } positions(first: 300) { nodes { pool { ${changes} } } } }`

type Result = { data?: any; errors?: any[] }
const json = async (response: Promise<Response>) => (await response).json() as Promise<Result>

const roads: Record<string, (query: string) => Promise<Result>> = {
  POST: (query) => gateway.graphql(query),
  'POST, with its cost': (query) => gateway.graphql(query, {}, { 'x-graphql-cost': '1' }),
  GET: (query) => json(gateway.get(`/graphql?query=${encodeURIComponent(query)}`)),
  async 'a query over an event stream'(query) {
    return (await subscribe(gateway, query)).next()
  },
  async 'a subscription over an event stream'(query) {
    const stream = await subscribe(gateway, `subscription { dataChanged { query ${query} } }`)
    const result = await stream.next(20_000)
    stream.leave()
    return { data: result.data?.dataChanged?.query, errors: result.errors }
  },
  async 'a WebSocket'(query) {
    const socket = new WebSocket(
      `${gateway.base.replace('http', 'ws')}/graphql`,
      GRAPHQL_TRANSPORT_WS_PROTOCOL,
    )
    await once(socket, 'open')
    const payload = { query: `subscription { dataChanged { query ${query} } }` }
    socket.send('{"type":"connection_init"}')
    await once(socket, 'message')
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
    const [message] = await once(socket, 'message')
    socket.terminate()
    const { data, errors } = JSON.parse(String(message)).payload
    return { data: data?.dataChanged?.query, errors }
  },
}

describe.each(Object.entries(roads))('%s', (_, ask) => {
  test('a mistake that makes many parts null is all that is answered, and nothing is logged', async () => {
    const { data, errors = [] } = await ask(MISTAKEN)
    expect(data.positions.nodes).toHaveLength(300)
    expect(new Set(data.positions.nodes.map(({ pool }: any) => pool))).toEqual(new Set([null]))
    expect(errors).toHaveLength(101)
    for (const { message, path, extensions } of errors.slice(0, 100)) {
      expect(message).toMatch(/^The cursor does not belong to this list/)
      expect(path.slice(-2)).toEqual(['pool', 'positions'])
      expect(extensions.code).toBe('BAD_INPUT')
    }
    expect(errors[100]).toEqual({
      message: 'There are 200 more errors, which are not listed. Correct those that are.',
      extensions: {
        code: 'TOO_MANY_ERRORS',
        requestId: errors[0].extensions.requestId,
        unlisted: 200,
      },
    })
    expect(logged).toEqual([])
  })

  test('a value that is too long is not repeated as a whole', async () => {
    const { errors = [] } = await ask(`{ node(id: "${'x'.repeat(4000)}") { id } }`)
    expect(errors).toHaveLength(1)
    expect(errors[0].message).toMatch(/^Invalid global ID: x{500,} … x{500,}$/)
    expect(errors[0].message.length).toBeLessThan(1600)
  })

  test('a fault of ours that many places need is one error, and one line in the log', async () => {
    const { pool } = gateway.deps.store
    await pool.query(`ALTER TABLE pool_day RENAME TO pool_day_rows;
      CREATE VIEW pool_day AS SELECT * FROM pool_day_rows WHERE 1 / (a_points - a_points) > 0`)
    try {
      const { errors = [] } = await ask(FAILING)
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INTERNAL'])
      expect(logged.map(({ msg, err }) => [msg, err?.message])).toEqual([
        ['a resolver failed', 'division by zero'],
      ])
    } finally {
      await pool.query('DROP VIEW pool_day; ALTER TABLE pool_day_rows RENAME TO pool_day')
    }
  })
})

test('a large value with many mistakes makes a short answer', async () => {
  const where = {
    long: 'x'.repeat(500_000),
    ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, 1])),
  }
  const query = 'query ($where: PoolFilter) { pools(where: $where) { nodes { name } } }'
  const asked: Record<string, string>[] = [{}, { 'x-graphql-cost': '1' }]
  for (const headers of asked) {
    const answer = await gateway.graphql(query, { where }, headers)
    expect(JSON.stringify(answer).length).toBeLessThan(100_000)
    expect(answer.errors?.[0].message).toMatch(
      /^Variable "\$where" got invalid value .* … .* is not defined by type/,
    )
  }
})
