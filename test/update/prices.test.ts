import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { print } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportStore } from '../../src/domain/dataset/export.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import type { LegName } from '../../src/domain/update/legs.ts'
import { updateLeg } from '../../src/domain/update/update.ts'
import { AssetPricesDocument } from '../../src/generated/client/graphql.ts'
import { openDirectory } from '../../src/sources/index.ts'
import { addressOf } from '../support/datasets.ts'
import { everything } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import {
  DAY_SECONDS,
  entities,
  marketSnapshot,
  NOON,
  priceOf,
  TOKEN,
  VAULT,
} from '../support/legs.ts'
import { importFiles, position } from '../support/one-pool.ts'
import { emptyTables, silent } from '../support/store.ts'

/** The decimals of the token. */
const DECIMALS = 18
const day = (days: number) => NOON + days * DAY_SECONDS
const one = '1000000000000000000'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, entities)
})
afterAll(() => gateway.close())
beforeEach(async () => {
  const wallets = ['market_snapshot', 'vault_snapshot', 'market_holding', 'vault_holding']
  await emptyTables(gateway.deps.store.pool, ['asset_price', ...wallets, 'leg_progress', 'run'])
})

/** Updates a leg from these records. */
const update = (leg: LegName, records: object[]) => {
  const source = {
    name: 'memory',
    records: async () => ({
      label: leg,
      batches: (async function* () {
        yield { first: 1, records: records as Record<string, unknown>[] }
      })(),
      receipts: () => [],
    }),
  }
  const analytics = {
    sources: new Map([[leg, source]]),
    overlapMs: 2 * DAY_SECONDS * 1000,
    maxDrop: 0.1,
  }
  const now = () => new Date(day(10) * 1000)
  return updateLeg({ ...gateway.deps, pool: gateway.deps.store.pool, now, analytics }, leg, 'test')
}
const unpriced = (user: string, days: number, more: object = {}) =>
  marketSnapshot(user, day(days), null, {
    collateralAssets: one,
    debtAssets: one,
    debtUsd: null,
    ...more,
  })
const values = async (table = 'market_snapshot') =>
  (
    await gateway.deps.store.pool.query(
      `SELECT collateral_usd AS collateral, protected_usd AS protected, debt_usd AS debt, computed_usd AS computed
       FROM ${table} ORDER BY user_address, timestamp`,
    )
  ).rows
const worth = async (user: string) =>
  (
    await gateway.ask(
      `{ user(address: "${addressOf(user)}") { worth { netUsd suppliedUsd hasIncompletePrices } } }`,
    )
  ).user.worth

describe('a snapshot without a USD value', () => {
  test('has the one of the price of its day, and is incomplete without', async () => {
    await update('prices', [priceOf(0, 2000.1), priceOf(2, 3)])
    await update('market-snapshots', [unpriced('ann', 0, { debtUsd: 7 }), unpriced('ben', 1)])
    expect(await values()).toEqual([
      { collateral: 2000.1, protected: 0, debt: 7, computed: 1 },
      { collateral: null, protected: 0, debt: null, computed: 0 },
    ])
    expect(await worth('ann')).toEqual({
      netUsd: 1993.1,
      suppliedUsd: 2000.1,
      hasIncompletePrices: false,
    })
    expect(await worth('ben')).toEqual({ netUsd: 0, suppliedUsd: 0, hasIncompletePrices: true })
  })

  test('gets it when the price comes or is corrected, and keeps one that its source has', async () => {
    await update('market-snapshots', [
      unpriced('ann', 0),
      unpriced('ben', 0, { collateralUsd: 2000, debtUsd: 5 }),
    ])
    await update('prices', [priceOf(0, 2000)])
    // The value of ben's collateral is the price's, too, but his source's.
    const ben = { collateral: 2000, protected: 0, debt: 5, computed: 0 }
    expect(await values()).toEqual([
      { collateral: 2000, protected: 0, debt: 2000, computed: 5 },
      ben,
    ])
    await update('prices', [priceOf(0, 2500)])
    const ann = { collateral: 2500, protected: 0, debt: 2500, computed: 5 }
    expect(await values()).toEqual([ann, ben])
    expect(await values('market_holding')).toEqual([ann, ben])
    const before = await everything(gateway.deps.store.pool)
    expect(await update('prices', [priceOf(0, 2500)])).toMatchObject({ fetched: 1, written: 0 })
    expect(
      await update('market-snapshots', [
        unpriced('ann', 0),
        unpriced('ben', 0, { collateralUsd: 2000, debtUsd: 5 }),
      ]),
    ).toMatchObject({ written: 0 })
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    await update('market-snapshots', [
      unpriced('ann', 0, { debtUsd: 1 }),
      unpriced('ben', 0, { collateralUsd: 2000, debtUsd: 5 }),
    ])
    expect((await values())[0]).toEqual({ ...ann, debt: 1, computed: 1 })
  })

  test('keeps its mark in an export that is imported again, if the export has the prices', async () => {
    await update('prices', [priceOf(0, 2000.1)])
    await update('market-snapshots', [unpriced('ann', 0, { debtUsd: 7 }), unpriced('ben', 1)])
    const stored = await values()
    const dir = join(await mkdtemp(join(tmpdir(), 'gateway-prices-')), 'export')
    const { pool } = gateway.deps.store
    await exportStore(pool, dir)
    await emptyTables(pool, ['asset_price', 'market_snapshot', 'market_holding'])
    const { basePoints } = gateway.deps
    await importDataset({ pool, basePoints, log: silent }, await openDirectory(dir))
    expect(await values()).toEqual(stored)
    expect(await values('market_holding')).toEqual(stored)
    const alone = `${dir}-without-prices`
    await exportStore(pool, alone, { files: ['market-snapshots'] })
    expect(await readFile(join(alone, 'market-snapshots.jsonl'), 'utf8')).toContain(
      '"collateralUsd":2000.1,',
    )
    await rm(dirname(dir), { recursive: true })
  })

  test('of a vault, and of an import, has it too; of the year 10,000 and of another chain it has none', async () => {
    const vault = {
      chainId: 1,
      accountId: addressOf('ann'),
      vaultId: VAULT,
      timestamp: String(day(0)),
      shares: '1',
    }
    const late = unpriced('ben', 0, { timestamp: String(2n ** 63n - 1n), debtUsd: 0 })
    await importFiles(gateway, {
      markets: [{ ...(entities.markets?.[0] as object), chainId: 7 }],
      prices: [priceOf(0, 4)],
      'market-snapshots': [late, unpriced('ann', 0, { chainId: 7 })],
      'vault-snapshots': [{ ...vault, assets: '500000000000000000', assetsUsd: null }],
    })
    expect((await values()).map(({ collateral }) => collateral)).toEqual([null, null])
    const { rows } = await gateway.deps.store.pool.query(
      'SELECT assets_usd, computed_usd FROM vault_holding',
    )
    expect(rows).toEqual([{ assets_usd: 2, computed_usd: 1 }])
  })

  test('has the double nearest to its amount times the price', async () => {
    const amount = fc.bigInt(0n, 2n ** 256n - 1n)
    const price = fc.double({ min: 1e-30, max: 1e18, noNaN: true })
    await fc.assert(
      fc.asyncProperty(amount, price, async (assets, priceUsd) => {
        await emptyTables(gateway.deps.store.pool, [
          'asset_price',
          'market_snapshot',
          'market_holding',
        ])
        const snapshot = unpriced('ann', 0, { collateralAssets: String(assets), debtUsd: 0 })
        await importFiles(gateway, {
          prices: [priceOf(0, priceUsd)],
          'market-snapshots': [snapshot],
        })
        // A double halfway between two of its shortest decimals prints otherwise here.
        const { rows } = await gateway.deps.store.pool.query(
          'SELECT price_usd::text AS text FROM asset_price',
        )
        const printed = rows[0].text.includes('e') ? rows[0].text : `${rows[0].text}e0`
        const [digits = '', exponent = '0'] = printed.split('e')
        const [whole = '', fraction = ''] = digits.split('.')
        const places = Number(exponent) - fraction.length - DECIMALS
        const expected = Number(`${assets * BigInt(whole + fraction)}e${places}`)
        expect((await values())[0]?.collateral).toBe(expected)
      }),
      { numRuns: 60, examples: [[1n, 18_252_012_825_833_530]] },
    )
  })
})

describe('prices that are wrong fail their leg, which changes nothing', () => {
  const good = [priceOf(0, 1), priceOf(1, 2)]
  test.each<[string, object, string]>([
    [
      'negative',
      priceOf(2, -1),
      'priceUsd must be a number above 0, from 1e-30 to 1000000000000000000, not -1',
    ],
    ['zero', priceOf(2, 0), 'not 0'],
    ['no number', priceOf(2, Number.NaN), 'priceUsd must be a number above 0'],
    ['too large', priceOf(2, Number.POSITIVE_INFINITY), 'not one too large for a double'],
    [
      'in milliseconds',
      priceOf(2, 1, { date: NOON * 1000 }),
      'date must be midnight UTC in ISO 8601',
    ],
    [
      'of a moment of another day',
      priceOf(2, 1, { time: '2026-03-08T00:00:00Z' }),
      'time must be at most a day before',
    ],
    [
      'of an unknown asset',
      priceOf(2, 1, { assetAddress: addressOf('x') }),
      'which is the asset of no pool, market or vault on chain 1',
    ],
    [
      'of an unknown chain',
      priceOf(2, 1, { chainId: 99 }),
      'which is the asset of no pool, market or vault on chain 99',
    ],
    ['twice on a day', priceOf(1, 2), 'repeats the record of line 2'],
    ['twice on a day, and differ', priceOf(1, 3), 'has the same key as line 2'],
    ['of the future', priceOf(20, 1), 'date is in the future: 2026-03-22'],
  ])('if one is %s', async (_, wrong, reason) => {
    const before = await everything(gateway.deps.store.pool)
    const message = await update('prices', [...good, wrong]).then(
      () => 'it succeeded',
      (error: Error) => error.message,
    )
    expect(message).toContain('The source of prices, memory, failed: ')
    expect(message).toContain(reason)
    expect(message.split('\n')).toHaveLength(1)
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
  })
})

describe('the graph', () => {
  const assetWith = async (fields: string) =>
    (await gateway.ask(`{ asset(chainId: 1, address: "${TOKEN}") { ${fields} } }`)).asset

  test('has the newest daily price, else that of the newest position, else none', async () => {
    const fields = 'price { usd date source time pool { address } }'
    expect(await assetWith(fields)).toEqual({ price: null })
    await importFiles(gateway, { positions: [position(addressOf('ann'), 1)] })
    expect(await assetWith(fields)).toMatchObject({
      price: { source: 'positions', pool: { address: expect.any(String) } },
    })
    const time = '2026-03-02T08:00:00.000Z'
    await update('prices', [priceOf(-1, 8), priceOf(0, 9, { source: 'an oracle', time })])
    expect(await assetWith(fields)).toEqual({
      price: { usd: 9, date: '2026-03-02', source: 'an oracle', time, pool: null },
    })
  })

  test('has a bounded series of them', async () => {
    await update('prices', [priceOf(0, 5), priceOf(2, 6)])
    expect(await assetWith('prices { start usd }')).toEqual({
      prices: [
        { start: '2026-03-02', usd: 5 },
        { start: '2026-03-03', usd: null },
        { start: '2026-03-04', usd: 6 },
      ],
    })
    const { data } = await gateway.graphql(print(AssetPricesDocument), {
      chainId: 1,
      address: TOKEN,
      interval: 'WEEK',
    })
    expect(data.asset).toMatchObject({
      symbol: expect.any(String),
      price: { usd: 6 },
      prices: [{ usd: 6 }],
    })
    const { errors } = await gateway.graphql(
      `{ asset(chainId: 1, address: "${TOKEN}") { prices(from: "2020-01-01", to: "2026-01-01") { usd } } }`,
    )
    expect(errors?.[0]?.message).toMatch(/^from must be at most 1000 buckets before to/)
  })
})
