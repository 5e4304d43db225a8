import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeFault } from '../../src/db/faults.ts'
import { sampleMarket } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 4 })
})
afterAll(() => gateway.close())

test.each<[string, string, number?, string?, string?]>([
  ['08006', 'a connection that failed'],
  ['25006', 'a replica that takes no writes', 503, 'UNAVAILABLE', 'takes no changes now'],
  ['53100', 'a disk that is full', 503, 'UNAVAILABLE', 'The disk of the database is full'],
  ['53200', 'no memory', 503, 'UNAVAILABLE', 'has run out of memory'],
  ['53300', 'too many connections', 503, 'UNAVAILABLE', 'takes no more connections'],
  ['57P01', 'a server that stops'],
  ['0A000', 'a statement that Citus has no plan for', 501, 'UNSUPPORTED', 'several servers'],
])(
  '%s of Postgres (%s) is answered so, planned, resolved, by a node and in REST',
  async (code, _, status = 503, expected = 'UNAVAILABLE', detail = 'Try again') => {
    const { data } = await gateway.graphql('{ markets(first: 1) { nodes { id } } }')
    const { pool } = gateway.deps.store
    await pool.query(`CREATE FUNCTION refuse() RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$;
    ALTER TABLE market RENAME TO market_rows;
    CREATE VIEW market AS SELECT * FROM market_rows WHERE (SELECT refuse());
    ALTER TABLE season RENAME TO season_rows;
    CREATE VIEW season AS SELECT * FROM season_rows WHERE (SELECT refuse())`)
    try {
      const list = '{ markets(first: 1) { nodes { address } } }'
      const node = `{ node(id: "${data.markets.nodes[0].id}") { ... on Market { address } } }`
      const season = Buffer.from('Season:One').toString('base64')
      const byPrisma = `{ node(id: "${season}") { id } }`
      const bodies = [{ query: list }, { query: list, extensions: { resolved: true } }]
      for (const body of [...bodies, { query: node }, { query: byPrisma }]) {
        const headers = { 'content-type': 'application/json', accept: 'application/json' }
        const response = await fetch(`${gateway.base}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        })
        const { errors } = (await response.json()) as any
        expect(errors?.[0].extensions.code, JSON.stringify(body)).toBe(expected)
      }
      const response = await gateway.get(
        `/v1/users/0x${'1'.repeat(40)}/market-liquidation-rewards?market=${sampleMarket.address}`,
      )
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
      expect(await response.json()).toMatchObject({
        status,
        detail: expect.stringContaining(detail),
      })
    } finally {
      await pool.query(`DROP VIEW market, season; DROP FUNCTION refuse;
        ALTER TABLE market_rows RENAME TO market; ALTER TABLE season_rows RENAME TO season`)
    }
  },
)

test.each([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
])('%s of the network is a store that cannot be reached', (code) => {
  const error = Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })
  expect(storeFault(error)?.code).toBe('UNAVAILABLE')
  expect(storeFault(new Error('a query of Prisma failed', { cause: error }))?.code).toBe(
    'UNAVAILABLE',
  )
})

test('a prepared statement that a migration has outdated is a store of another version', () => {
  const routine = 'RevalidateCachedQuery'
  const error = Object.assign(new Error('cached plan must not change result type'), {
    code: '0A000',
    routine,
  })
  expect(storeFault(error)).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('this version'),
  })
})

test('what says that a statement is wrong is a fault of ours', () => {
  for (const code of ['42601', '42P02', '22012', 'ERR_INVALID_ARG_TYPE'])
    expect(storeFault(Object.assign(new Error('no'), { code }))).toBeUndefined()
})
