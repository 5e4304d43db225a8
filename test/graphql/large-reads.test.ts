import { request } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, onCitus, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({
    users: 30,
    days: 6,
    env: { MAX_QUERY_COST: '20000', READ_TIMEOUT_MS: '30000' },
  })
})
afterAll(() => gateway.close())

/** A field that has no plan, so that resolvers answer it. */
const unplanned =
  'runs(first: 1) { nodes { kind changesNotKept multipliers(first: 1) { nodes { changedBy } } } }'

/** Locks tables while `work` runs. */
async function whileLocked(tables: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(gateway.deps.config.DATABASE_URL)
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)
  try {
    await work()
  } finally {
    await client.end()
  }
}

/** True if a statement waits for a lock. */
async function isWaiting(): Promise<boolean> {
  const { rows } = await gateway.deps.store.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

test('resolvers send each statement once, also of a document that was never sent before', async () => {
  const statements: string[][] = []
  for (const n of [1, 2]) {
    gateway.statements.length = 0
    const query = `{ a${n}: pools(first: 3) { nodes { name } } b${n}: markets(first: 3) { nodes { address } } ${unplanned} }`
    expect((await gateway.graphql(query)).errors).toBeUndefined()
    statements.push([...gateway.statements])
  }
  expect(statements[0]?.length).toBeGreaterThan(2)
  expect(statements[0]).toHaveLength(new Set(statements[0]).size)
  expect(statements[1]).toEqual(statements[0])
})

test('resolvers that read nothing take no connection', async () => {
  const { store } = gateway.deps
  const { connect } = store.pool
  // The pool's queries connect with a callback, such as those of the feed of runs meanwhile.
  store.pool.connect = ((callback?: (error: Error) => void) => {
    const error = new Error('no connection')
    return callback ? callback(error) : Promise.reject(error)
  }) as typeof connect
  try {
    expect((await gateway.graphql('{ limits { depth } __typename }')).errors).toBeUndefined()
    const { errors } = await gateway.graphql(
      'query ($a: Address!) { user(address: $a) { rank } }',
      { a: 'x' },
    )
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT')
  } finally {
    store.pool.connect = connect
  }
})

test.skipIf(onCitus)('a read that fails is one error, however many fields need it', async () => {
  const { pool } = gateway.deps.store
  const query = `query ($users: [Address!]!) { lookupUsers(addresses: $users) { ${'series { points earningsUsd worth { netUsd } netDepositApr } '}} }`
  const { data } = await gateway.graphql('{ leaderboard(first: 5) { nodes { userAddress } } }')
  const users = data.leaderboard.nodes.map((one: any) => one.userAddress)
  expect((await gateway.graphql(query, { users })).errors).toBeUndefined()
  await pool.query('ALTER TABLE market_snapshot RENAME TO away')
  try {
    const failed = await gateway.graphql(query, { users })
    expect(failed.data).toBeNull()
    expect(failed.errors).toHaveLength(1)
    expect(failed.errors?.[0].extensions.code).toBe('UNAVAILABLE')
  } finally {
    await pool.query('ALTER TABLE away RENAME TO market_snapshot')
  }
  expect((await gateway.graphql(query, { users })).errors).toBeUndefined()
})

test('large operations wait for each other, then are refused with a sentence; small ones are answered', () =>
  whileLocked('vault', async () => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' }
    const post = (query: string, more = {}) =>
      fetch(`${gateway.base}/graphql`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ query }),
      })
    const lists = Array.from(
      { length: 11 },
      (_, i) => `p${i}: positions(first: 1000) { nodes { points } }`,
    )
    const large = `vaults(first: 1000) { nodes { name address } } ${lists.join(' ')}`
    const first = ['{ x: ', '{ y: '].map((start) => hanging(`${start}${large} }`))
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(true)
    const waiting = [
      post(`{ a: ${large} }`),
      post(`{ b: ${large} }`, { 'x-graphql-cost': '1' }),
      fetch(`${gateway.base}/graphql?query=${encodeURIComponent(`{ c: ${large} }`)}`, { headers }),
    ]
    for (const path of [
      '/points/leaderboard',
      `/points/userpoints?account=${sampleUser}`,
      '/livez',
      '/health',
    ])
      expect((await fetch(gateway.base + path, { headers })).status).toBe(200)
    expect(
      (await gateway.graphql('{ leaderboard(first: 10) { nodes { points } } }')).errors,
    ).toBeUndefined()
    expect((await gateway.graphql(`{ ${unplanned} }`)).errors).toBeUndefined()
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('2')
      const { errors } = (await response.json()) as any
      expect(errors).toHaveLength(1)
      expect(errors[0].extensions.code).toBe('UNAVAILABLE')
      expect(errors[0].message).toMatch(/^The server is busy with other large operations\./)
    }
    for (const one of first) one.destroy()
  }))

test('so are large reads of REST', async () => {
  const small = await startGateway({
    on: gateway,
    env: { MAX_QUERY_COST: '150', READ_TIMEOUT_MS: '30000' },
  })
  try {
    await whileLocked('stored_position', async () => {
      const get = (limit: number) =>
        fetch(`${small.base}/points/${sampleUser}?limit=${limit}`, {
          headers: { 'cache-control': 'no-cache' },
        })
      const controller = new AbortController()
      const first = fetch(`${small.base}/points/${sampleUser}?limit=100`, {
        signal: controller.signal,
      }).catch(() => {})
      await expect.poll(isWaiting, { timeout: 10_000 }).toBe(true)
      const refused = await get(99)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('2')
      expect(((await refused.json()) as any).detail).toMatch(
        /^The server is busy with other large operations\./,
      )
      controller.abort()
      await first
    })
  } finally {
    await small.close()
  }
})

function hanging(query: string) {
  const sent = request(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
  })
  sent.on('error', () => {})
  sent.end(JSON.stringify({ query }))
  return sent
}
