import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { addressOf, datasetOf, hashOf, record } from '../support/datasets.ts'
import { LONG } from '../support/extent.ts'
import { emptyTables, openStore, silent } from '../support/store.ts'

const MARKETS = ['market', 'other']
const CHAINS = [1, 2]
const entities = {
  markets: CHAINS.flatMap((chainId) =>
    MARKETS.map((id) => ({ ...record.markets, chainId, id: addressOf(id) })),
  ),
  vaults: CHAINS.map((chainId) => ({ ...record.vaults, chainId })),
}

let store: Awaited<ReturnType<typeof openStore>>
let pool: Pool
beforeAll(async () => {
  store = await openStore()
  pool = store.pool
  await load({ pools: [record.pools], ...entities })
})
afterAll(() => store.close())

const load = (files: Parameters<typeof datasetOf>[0]) =>
  importDataset({ pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }, datasetOf(files))

/** Few users, entities and times, so that records often replace others or come late. */
const key = fc.record({
  accountId: fc.constantFrom('alice', 'bob').map(addressOf),
  chainId: fc.constantFrom(...CHAINS),
  // Of three days, so that a day has several and some come late.
  timestamp: fc.constantFrom('10', '20', '86410', '86420', '200000'),
  positionId: fc.constantFrom('main', 'a', 'b'),
})
const usd = fc.option(fc.nat(3), { nil: null })
const imports = fc.array(
  fc.record({
    'market-snapshots': fc.uniqueArray(
      fc.tuple(key, fc.constantFrom(...MARKETS), usd).map(([keys, id, debtUsd]) => ({
        ...record['market-snapshots'],
        ...keys,
        marketId: addressOf(id),
        debtUsd,
      })),
      {
        maxLength: 6,
        selector: (one) =>
          [one.accountId, one.chainId, one.marketId, one.positionId, one.timestamp].join(),
      },
    ),
    'vault-snapshots': fc.uniqueArray(
      fc
        .tuple(
          key,
          usd,
          fc.constantFrom('0', '3', String(2n ** 256n - 1n)),
          fc.constantFrom('0', '7'),
        )
        .map(([keys, assetsUsd, assets, shares]) => ({
          ...record['vault-snapshots'],
          ...keys,
          assetsUsd,
          assets,
          shares,
        })),
      {
        maxLength: 4,
        selector: (one) => [one.accountId, one.chainId, one.positionId, one.timestamp].join(),
      },
    ),
    'cash-flows': fc.uniqueArray(
      fc
        .record({
          accountId: fc.constantFrom('alice', 'bob').map(addressOf),
          entityId: fc.constantFrom(...MARKETS).map(addressOf),
          txHash: fc.constantFrom('one', 'two', 'three').map(hashOf),
          kind: fc.constantFrom('deposit', 'withdraw', 'borrow', 'repay'),
          amountUsd: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: null }),
        })
        .map((fields) => ({ ...record['cash-flows'], ...fields })),
      { maxLength: 6, selector: (one) => one.txHash },
    ),
  }),
  { minLength: 1, maxLength: 8 },
)

/** The supply of a user's row, and what counts without any. */
const SIZED = {
  market: ['collateral_assets + protected_assets', 'debt_assets'],
  vault: ['assets', 'shares'],
} as const

/** Each user's rows at the user's newest timestamp in each market or vault. The first has the size of all. */
const newest = (kind: 'market' | 'vault') => {
  const [supply, other] = SIZED[kind]
  return `SELECT s.*, holding_magnitude(size) AS magnitude, size
    FROM ${kind}_snapshot s LEFT JOIN (
      SELECT user_address, chain_id, ${kind}_id, timestamp, min(position_id) AS position_id,
        CASE WHEN sum(${supply}) > 0 THEN sum(${supply})::float8 ELSE -1 / nullif(sum(${other}), 0)::float8 END AS size
      FROM ${kind}_snapshot GROUP BY 1, 2, 3, 4) a USING (user_address, chain_id, ${kind}_id, timestamp, position_id)
    WHERE NOT EXISTS (SELECT FROM ${kind}_snapshot o
      WHERE (o.user_address, o.chain_id, o.${kind}_id) = (s.user_address, s.chain_id, s.${kind}_id) AND o.timestamp > s.timestamp)`
}

const rows = async (sql: string) => (await pool.query(sql)).rows
const sorted = (sql: string, kind: string) =>
  rows(`${sql} ORDER BY user_address, chain_id, ${kind}_id, position_id`)
const expectNewest = async () => {
  for (const kind of ['market', 'vault'] as const)
    expect(await sorted(`SELECT * FROM ${kind}_holding`, kind)).toEqual(
      await sorted(newest(kind), kind),
    )
}
/** What the newest snapshots of each user are worth, and their debt. */
const WORTH = `SELECT * FROM (
    SELECT user_address, sum(worth)::float8 AS worth_usd, sum(debt)::float8 AS debt_usd FROM (
      SELECT user_address, coalesce(collateral_usd, 0)::text::numeric + coalesce(protected_usd, 0)::text::numeric
        - coalesce(debt_usd, 0)::text::numeric AS worth, coalesce(debt_usd, 0)::text::numeric AS debt FROM market_holding
      UNION ALL SELECT user_address, assets_usd::text::numeric, 0 FROM vault_holding WHERE assets_usd IS NOT NULL) h
    GROUP BY 1) w WHERE worth_usd <> 0 OR debt_usd <> 0`
const expectWorth = async () => {
  const [stored, right] = [
    await rows('TABLE user_worth ORDER BY 1'),
    await rows(`${WORTH} ORDER BY 1`),
  ]
  expect(stored.map((row) => row.user_address)).toEqual(right.map((row) => row.user_address))
  for (const [at, { worth_usd, debt_usd }] of right.entries()) {
    expect(stored[at].worth_usd).toBeCloseTo(worth_usd, 6)
    expect(stored[at].debt_usd).toBeCloseTo(debt_usd, 6)
  }
}
/** What each user has at the end of each day with a snapshot, added up by vault. */
const VAULT_DAYS = `SELECT d.chain_id, d.vault_id, d.date, sum(assets), sum(shares), coalesce(sum(assets_usd::text::numeric), 0),
    count(*) FILTER (WHERE assets_usd IS NULL AND assets <> 0)::int,
    count(DISTINCT user_address) FILTER (WHERE assets <> 0 OR shares <> 0)::int
  FROM (SELECT DISTINCT chain_id, vault_id, date '1970-01-01' + (timestamp / 86400)::int AS date FROM vault_snapshot) d
  CROSS JOIN LATERAL (SELECT s.*, rank() OVER (PARTITION BY user_address ORDER BY timestamp DESC) AS nth FROM vault_snapshot s
    WHERE s.chain_id = d.chain_id AND s.vault_id = d.vault_id AND s.timestamp < (d.date + 1 - date '1970-01-01')::bigint * 86400) s
  WHERE nth = 1 GROUP BY 1, 2, 3`
const expectVaultDays = async () =>
  expect(
    await rows(
      `(${VAULT_DAYS}) EXCEPT ALL TABLE vault_day UNION ALL (TABLE vault_day EXCEPT ALL (${VAULT_DAYS}))`,
    ),
  ).toEqual([])
const expectNetCash = async () =>
  expect(
    await rows(
      'TABLE net_cash EXCEPT ALL TABLE cash_flow_total UNION ALL (TABLE cash_flow_total EXCEPT ALL TABLE net_cash)',
    ),
  ).toEqual([])

test('after any imports, holdings are the newest snapshots, totals of vaults and net cash are summed up; the same import again changes nothing', async () => {
  const state = () =>
    rows(`SELECT version, (SELECT array_agg(h.ctid) FROM market_holding h) AS market,
    (SELECT array_agg(h.ctid) FROM vault_holding h) AS vault, (SELECT array_agg(d.ctid) FROM vault_day d) AS days, (SELECT array_agg(c.ctid) FROM net_cash c) AS cash FROM data_version`)
  await fc.assert(
    fc.asyncProperty(imports, async (all) => {
      await emptyTables(pool, [
        ...['market_snapshot', 'vault_snapshot', 'vault_day', 'user_worth', 'cash_flow'],
      ])
      for (const files of all) {
        await load(files)
        await expectNewest()
        await expectVaultDays()
        await expectWorth()
        await expectNetCash()
        const before = await state()
        const { files: counts } = await load(files)
        expect(Object.values(counts).map(({ written }) => written)).toEqual([0, 0, 0])
        expect(await state()).toEqual(before)
      }
    }),
    { numRuns: LONG ? 300 : 12 },
  )
})

test('totals of vaults follow imports at the same time, and prices that come later', async () => {
  await pool.query('TRUNCATE market_snapshot, vault_snapshot, vault_day, user_worth')
  const of = (account: string, timestamp: number, more: object) => ({
    ...record['vault-snapshots'],
    accountId: addressOf(account),
    timestamp: String(timestamp),
    ...more,
  })
  const day = 86_400
  // The last one is of no calendar.
  const times = [day, 3 * day + 1, 3 * day + 2, 5 * day, 2 ** 53]
  await Promise.all(
    times.map((timestamp, n) =>
      load({
        'vault-snapshots': ['alice', 'bob'].map((user) =>
          of(user, timestamp, { assets: `${n}`, assetsUsd: null }),
        ),
      }),
    ),
  )
  const unpriced = 'SELECT count(*)::int AS days FROM vault_day WHERE unpriced > 0'
  expect(await rows(unpriced)).toEqual([{ days: 3 }])
  const { chainId, assetAddress } = record.vaults
  const priceOf = (days: number) => ({
    chainId,
    assetAddress,
    date: new Date(days * day * 1000).toISOString().slice(0, 10),
    priceUsd: 2,
  })
  await load({ prices: [priceOf(3), priceOf(5)] })
  expect(await rows(unpriced)).toEqual([{ days: 1 }])
  // A snapshot of the past is corrected, and another one comes late.
  await load({
    'vault-snapshots': [
      of('alice', day, { assets: '9', assetsUsd: 1 }),
      of('carol', 2 * day, { assets: '1', assetsUsd: 1 }),
    ],
  })
  await expectWorth()
  const stored = 'SELECT * FROM vault_day ORDER BY date'
  const days = await rows(stored)
  expect(days.map(({ user_count }) => user_count)).toEqual([2, 3, 3, 3, 3])
})

test('holdings follow whoever writes SQL: new keys, deletes, an emptied table', async () => {
  const snapshot = { ...record['market-snapshots'], marketId: addressOf('market') }
  const of = (account: string, timestamp: string, positionId = 'main') => ({
    ...snapshot,
    accountId: addressOf(account),
    timestamp,
    positionId,
  })
  await pool.query('TRUNCATE market_snapshot, vault_snapshot')
  await load({
    'market-snapshots': [
      of('alice', '10'),
      of('alice', '20'),
      of('alice', '20', 'a'),
      of('bob', '5'),
    ],
    'vault-snapshots': [record['vault-snapshots']],
  })
  for (const sql of [
    `INSERT INTO market_snapshot SELECT user_address, chain_id, market_id, timestamp, 'b', 9, 1, 0, 0, 0, 0
     FROM market_snapshot WHERE timestamp = 20 AND position_id = 'a'`,
    'INSERT INTO market_snapshot SELECT user_address, chain_id, market_id, 21, position_id, 0, 0, 0, 0, 5, 0 FROM market_holding',
    'DELETE FROM market_snapshot WHERE timestamp = 21',
    `UPDATE market_snapshot SET market_id = '${addressOf('other')}' WHERE timestamp = 20 AND position_id = 'a'`,
    `UPDATE market_snapshot SET user_address = '${addressOf('bob')}' WHERE timestamp = 20`,
    'UPDATE market_snapshot SET timestamp = timestamp - 18',
    'DELETE FROM market_snapshot WHERE timestamp = 2',
    'TRUNCATE market_snapshot',
  ]) {
    const before = await rows('SELECT * FROM market_holding')
    await pool.query(sql)
    expect(await rows('SELECT * FROM market_holding')).not.toEqual(before)
    await expectNewest()
  }
  expect(await rows('SELECT count(*)::int FROM vault_holding')).toEqual([{ count: 1 }])
})

test('net cash follows whoever writes SQL: prices, new keys, deletes, an emptied table', async () => {
  const flow = (account: string, tx: string, kind: string, amountUsd: number | null) => ({
    ...record['cash-flows'],
    accountId: addressOf(account),
    txHash: hashOf(tx),
    kind,
    amountUsd,
  })
  await pool.query('TRUNCATE cash_flow')
  await load({
    'cash-flows': [
      flow('alice', 'one', 'deposit', 0.1),
      flow('alice', 'two', 'deposit', 0.2),
      flow('alice', 'three', 'borrow', null),
      flow('bob', 'four', 'withdraw', 1e300),
    ],
  })
  for (const sql of [
    'UPDATE cash_flow SET amount_usd = 0.7 WHERE amount_usd IS NULL',
    "UPDATE cash_flow SET kind = 'repay' WHERE kind = 'borrow'",
    `UPDATE cash_flow SET entity_id = '${addressOf('other')}' WHERE amount_usd = 0.2`,
    `UPDATE cash_flow SET user_address = '${addressOf('carol')}' WHERE amount_usd = 1e300`,
    'BEGIN; SET LOCAL extra_float_digits = 0; DELETE FROM cash_flow WHERE amount_usd = 1e300; COMMIT',
    `DELETE FROM cash_flow WHERE user_address = '${addressOf('alice')}' AND amount_usd = 0.1`,
    'TRUNCATE cash_flow',
  ]) {
    const before = await rows('SELECT * FROM net_cash')
    await pool.query(sql)
    expect(await rows('SELECT * FROM net_cash')).not.toEqual(before)
    await expectNetCash()
  }
  expect(await rows('SELECT * FROM net_cash')).toEqual([])
})

test('net cash is the sum of what several writers add at once', async () => {
  await pool.query('TRUNCATE cash_flow')
  const writers = Array.from({ length: 8 }, (_, writer) =>
    pool.query(
      `INSERT INTO cash_flow (chain_id, tx_hash, log_index, user_address, entity_type, entity_id, timestamp, kind, amount_usd)
       SELECT 1, 'tx' || n, $1::int, 'user' || n % 3, 'market', 'market', n, 'deposit', n / 7.0 FROM generate_series(1, 50) n ORDER BY n * $1::int % 51`,
      [writer + 1],
    ),
  )
  await Promise.all(writers)
  expect(await rows('SELECT sum(flows)::int AS flows FROM net_cash')).toEqual([{ flows: 400 }])
  await expectNetCash()
})
