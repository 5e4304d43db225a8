import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'

const DAY = 86_400
const START = Date.parse('2026-03-01T00:00:00Z') / 1000
const iso = (second: number) => new Date(second * 1000).toISOString()

describe('a user with 50,000 snapshots among 200,000 of others', () => {
  const deep = addressOf('deep')
  const other = (n: string) => `'0x1' || lpad(to_hex(${n}), 39, '0')`
  const market = (n: string) => `'0x2' || lpad(to_hex(${n}), 39, '0')`
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ env: { DATABASE_POOL_SIZE: '3' } })
    for (const statement of [
      // Every twenty minutes, in five markets and so through 139 days; others each day in one of a
      // hundred.
      `INSERT INTO market_snapshot SELECT '${deep}', 1, ${market('n % 5')}, ${START} + 1200 * (n / 5), 'main', 1, 1, 1, 1, 1, 1
        FROM generate_series(0, 49999) n`,
      `INSERT INTO market_snapshot SELECT ${other('u')}, 1, ${market('u % 100')}, ${START} + ${DAY} * d, 'main', 1, 1, 1, 1, 1, 1
        FROM generate_series(1, 1000) u, generate_series(0, 199) d`,
      `INSERT INTO cash_flow SELECT 1, '0x' || md5(u || ' ' || n), n, ${other('u')}, 'market', ${market('u % 100')}, ${START} + n, 'deposit', 1
        FROM generate_series(1, 1000) u, generate_series(1, 20) n`,
      `INSERT INTO cash_flow SELECT 1, '0x' || md5(n::text), n, '${deep}', 'market', ${market('n % 5')}, ${START} + 12000 * n, 'deposit', 1
        FROM generate_series(1, 1000) n`,
      `INSERT INTO distribution SELECT date '2026-03-01' + d, 0, 0, 0, 'import', now(), now() FROM generate_series(0, 138) d`,
      'VACUUM ANALYZE',
    ])
      await gateway.deps.store.pool.query(statement)
  }, 120_000)
  afterAll(() => gateway?.close())

  /** The blocks of tables and indexes that a query touches. */
  async function blocks(query: string, variables?: object): Promise<number> {
    const { pool } = gateway.deps.store
    const touched = async () => {
      // Connections keep their counts for a second: each hands them over.
      const held = await Promise.all(Array.from({ length: 3 }, () => pool.connect()))
      for (const client of held) await client.query('SELECT pg_stat_force_next_flush()')
      for (const client of held) client.release()
      const { rows } =
        await pool.query(`SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int AS n
        FROM pg_statio_user_tables WHERE relname IN ('market_snapshot', 'vault_snapshot', 'market_holding', 'vault_holding', 'cash_flow', 'net_cash')`)
      return rows[0].n as number
    }
    // The first time, the operation's first statement is run again in its transaction.
    await gateway.ask(query, variables)
    const before = await touched()
    await gateway.graphql(query, variables)
    const read = (await touched()) - before
    expect(read, 'the statistics have come').toBeGreaterThan(0)
    return read
  }

  test.each([0, 1, 70, 138, 400])(
    'after %d days: reads some blocks for each entity',
    async (day) => {
      const at = `at: "${iso(START + day * DAY)}"`
      // The flows are summed up, for net cash and for profit: there are as many as fit into 40
      // blocks.
      for (const selection of [
        `latestSnapshots(${at}) { time }`,
        `netApr(${at}) { totalBorrowUsd: borrowedUsd }`,
        `earnings(${at}) { earningsUsd }`,
        `worth(${at}) { netUsd }`,
      ])
        expect(await blocks(`{ user(address: "${deep}") { ${selection} } }`)).toBeLessThan(200)
      expect(
        await blocks(
          `{ portfolio(addresses: ["${deep}"], ${at}) { worth { netUsd } entities { borrowed { usd } } } }`,
        ),
      ).toBeLessThan(300)
    },
  )

  test('a series reads some blocks for each entity and bucket, however many snapshots there are', async () => {
    const ofSpan = (span: string) =>
      blocks(`{ user(address: "${deep}") { series(${span}) { earningsUsd } } }`)
    expect(await ofSpan('from: "2026-04-01", to: "2026-04-30"')).toBeLessThan(30 * 5 * 10 + 100)
    expect(await ofSpan('interval: WEEK, from: "2026-03-01", to: "2026-07-31"')).toBeLessThan(
      23 * 5 * 10 + 100,
    )
    expect(await ofSpan('from: "2024-01-01", to: "2026-09-20"')).toBeLessThan(1000 * 5 * 10 + 100)
  })

  test('a portfolio reads some blocks for each address, entity and bucket', async () => {
    const addresses = Array.from(
      { length: 200 },
      (_, n) => `0x1${(n + 1).toString(16).padStart(39, '0')}`,
    )
    const query =
      'query ($addresses: [Address!]!) { portfolio(addresses: $addresses) { series(interval: WEEK, from: "2026-04-01", to: "2026-07-31") { earningsUsd worth { netUsd } } } }'
    expect(await blocks(query, { addresses })).toBeLessThan(200 * 18 * 10 + 200 * 50)
  })

  test('what cash flows open and close is read from some blocks for each, however long the history is', async () => {
    const query = (fields: string) =>
      `{ user(address: "${deep}") { activity(first: 20) { nodes { kind ${fields} } } } }`
    const plain = await blocks(query(''))
    expect(await blocks(query('opened'))).toBeLessThan(plain + 20 * 12)
    expect(await blocks(query('closed'))).toBeLessThan(plain + 20 * 12)
  })

  test('current earnings read some blocks, however many cash flows there are', async () => {
    const query = `{ user(address: "${deep}") { earnings { netCashInvestedUsd } } }`
    const before = await blocks(query)
    await gateway.deps.store.pool.query(
      `INSERT INTO cash_flow SELECT 1, '0x' || md5('more ' || n), n, '${deep}', 'market', ${market('n % 5')}, ${START} + n, 'deposit', 1
        FROM generate_series(1, 20000) n`,
    )
    expect((await gateway.graphql(query)).data.user.earnings).toEqual({
      netCashInvestedUsd: 21_000,
    })
    expect(await blocks(query)).toBeLessThan(before + 20)
  })
})
