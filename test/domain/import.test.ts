import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ImportOptions, importDataset } from '../../src/domain/dataset/import.ts'
import { ImportError, SHOWN } from '../../src/domain/dataset/import-error.ts'
import { sampleDataset } from '../../src/sample/index.ts'
import {
  type Dataset,
  type DatasetFile,
  MAX_LINE_BYTES,
  openDirectory,
} from '../../src/sources/index.ts'
import { conformanceData } from '../support/conformance.ts'
import {
  addressOf,
  datasetOf,
  type Files,
  goodFiles,
  hashOf,
  record,
  recordPoints,
} from '../support/datasets.ts'
import { storedTables, everything as storeOf } from '../support/dump.ts'
import { LONG, runs, SAMPLE, sampleOf } from '../support/extent.ts'
import { emptyTables, openStore, silent } from '../support/store.ts'

const dataTables = storedTables.filter((table) => !['program', 'data_version'].includes(table))

let store: Awaited<ReturnType<typeof openStore>>
let pool: Pool
beforeAll(async () => {
  store = await openStore()
  pool = store.pool
})
afterAll(() => store.close())
afterEach(async () => {
  await emptyTables(pool, dataTables)
  await pool.query('UPDATE program SET total_points = 0, account_count = 0, position_count = 0')
})

const run = (dataset: Dataset, options?: ImportOptions) =>
  importDataset({ pool, basePoints: { deposit: 1, borrow: 0.5 }, log: silent }, dataset, options)
const load = (files: Files, options?: ImportOptions) => run(datasetOf(files), options)
const rows = async (sql: string) => (await pool.query(sql)).rows

const everything = () => storeOf(pool)

async function failure(promise: Promise<unknown>): Promise<ImportError> {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof ImportError)) throw error ?? new Error('the import succeeded')
  return error
}

/** The message of the one problem of an import that must have stored nothing. */
async function problem(files: Files): Promise<string | undefined> {
  const before = await everything()
  const error = await failure(load(files))
  expect(error.count).toBe(1)
  expect(await everything()).toEqual(before)
  return error.message.split('\n')[1]
}

async function withDirectory<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'import-test-'))
  try {
    return await work(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test('a liquidation in markets of another pool is refused', async () => {
  const other = { ...record.pools, id: addressOf('other pool'), marketId: 21 }
  const before = await everything()
  const files = goodFiles({
    pools: [record.pools, other],
    liquidations: [{ ...record.liquidations, poolId: other.id }],
  })
  await expect(load(files)).rejects.toThrow(
    `is in the pool ${other.id}, but its market ${addressOf('market')} is a side of another pool. Nothing was stored.`,
  )
  expect(await everything()).toEqual(before)
})

describe('a good dataset', () => {
  test('lands in the store with what follows from it', async () => {
    const summary = await load(goodFiles())
    expect(summary.files['positions.jsonl']).toEqual({ lines: 1, written: 1 })
    expect(summary.dates).toEqual(['2026-11-09'])
    const { pointsA, pointsB } = recordPoints
    expect(
      await rows(
        'SELECT points_a / 1e6::float8 AS points_a, points_b / 1e6::float8 AS points_b FROM position',
      ),
    ).toEqual([{ points_a: pointsA, points_b: pointsB }])
    expect(
      await rows('SELECT user_address, points / 1e6::float8 AS points, rank FROM account'),
    ).toEqual([{ user_address: addressOf('alice'), points: pointsA + pointsB, rank: 1 }])
    expect(
      await rows(
        'SELECT kind, total_points / 1e6::float8 AS total_points, position_count, account_count FROM distribution',
      ),
    ).toEqual([
      { kind: 'import', total_points: pointsA + pointsB, position_count: 1, account_count: 1 },
    ])
    expect(await rows('SELECT user_address AS address FROM "user"')).toEqual([
      { address: addressOf('alice') },
    ])
    expect(await rows('SELECT position_id, debt_usd FROM market_snapshot')).toEqual([
      { position_id: 'main', debt_usd: null },
    ])
    // A market and a vault have a reward.
    const expected = (table: string) => (table === 'net_liquidation' ? 2 : 1)
    for (const table of dataTables)
      expect([table, (await rows(`SELECT FROM "${table}"`)).length]).toEqual([
        table,
        expected(table),
      ])
  })

  test.each([
    ['every file', goodFiles()],
    ['no file', {}],
    ['an empty file', goodFiles({ 'cash-flows': [] })],
    ['records twice in a file', goodFiles({ positions: [record.positions, record.positions] })],
  ])('%s twice changes nothing, not even the data version', async (_, files) => {
    await load(files)
    const before = await everything()
    const summary = await load(files)
    expect(Object.values(summary.files).every(({ written }) => written === 0)).toBe(true)
    expect(summary.dates).toEqual([])
    expect(await everything()).toEqual(before)
  })

  test('is one run for each date, numbered by date', async () => {
    const days = Array.from({ length: 9 }, (_, i) => `2026-11-0${i + 1}`)
    const positions = [...days]
      .reverse()
      .map((distributionDate) => ({ ...record.positions, distributionDate }))
    await load(goodFiles({ positions }))
    expect(await rows('SELECT date::text FROM distribution ORDER BY run_id')).toEqual(
      days.map((date) => ({ date })),
    )
  })

  test('the sample is one, at any size, and importing it twice changes nothing', async () => {
    const now = new Date('2026-11-21T10:20:30.456Z')
    const size = SAMPLE ? { users: 40, days: 12 } : { users: 100, days: 30 }
    const sample = () => sampleDataset(now, LONG ? {} : size)
    const progress: number[] = []
    await run(sample(), { onProgress: ({ bytes }) => progress.push(bytes) })
    expect(progress.length).toBeGreaterThan(LONG ? 100 : 10)
    const before = await everything()
    await run(sample())
    expect(await everything()).toEqual(before)
  })

  test('so is the conformance data', async () => {
    const summary = await run(await openDirectory(conformanceData))
    expect(Object.values(summary.files).every(({ lines, written }) => lines === written)).toBe(true)
    const before = await everything()
    await run(await openDirectory(conformanceData))
    expect(await everything()).toEqual(before)
  })

  test('text, amounts and addresses keep what they are', async () => {
    const max = String(2n ** 256n - 1n)
    const name = 'tab\t, line\nfeed, \\N, \\., "quoted", 🦑, Ω'
    await load({
      pools: [{ ...record.pools, id: record.pools.id.toUpperCase(), name }],
      markets: [record.markets],
      'market-snapshots': [
        {
          ...record['market-snapshots'],
          collateralAssets: max,
          debtAssets: '000',
          collateralUsd: 5e-324,
          protectedUsd: -1e300,
        },
      ],
    })
    expect(await rows('SELECT id, name FROM pool')).toEqual([{ id: record.pools.id, name }])
    expect(
      await rows(
        'SELECT collateral_assets, debt_assets, collateral_usd, protected_usd FROM market_snapshot',
      ),
    ).toEqual([
      { collateral_assets: max, debt_assets: '0', collateral_usd: 5e-324, protected_usd: -1e300 },
    ])
  })

  test('a date without a time is its midnight, and rates are at the ends of their range', async () => {
    await load(
      goodFiles({
        multipliers: [
          { ...record.multipliers, createdAt: '2026-02-28', updatedAt: '2026-03-01T12:00Z' },
        ],
        positions: [{ ...record.positions, distributionDate: '2024-02-29' }],
        markets: [{ ...record.markets, depositRate: -1e-30, borrowRate: 1e6, maxLtv: 1e-30 }],
        rates: [{ ...record.rates, depositRate: 0.0123, changedAt: '2026-11-01' }],
      }),
    )
    expect(await rows('SELECT distribution_date::text FROM position')).toEqual([
      { distribution_date: '2024-02-29' },
    ])
    expect(await rows('SELECT created_at, updated_at FROM multiplier')).toEqual([
      {
        created_at: new Date('2026-02-28T00:00:00Z'),
        updated_at: new Date('2026-03-01T12:00:00Z'),
      },
    ])
    expect(await rows('SELECT deposit_rate, borrow_rate, max_ltv FROM market')).toEqual([
      { deposit_rate: -1e-30, borrow_rate: 1e6, max_ltv: 1e-30 },
    ])
    expect(
      await rows('SELECT changed_at AS at FROM rate_revision WHERE deposit_rate = 0.0123'),
    ).toEqual([{ at: new Date('2026-11-01T00:00:00Z') }])
  })

  test('lines may end in CRLF, be blank, begin with a byte order mark, and come in any pieces', async () => {
    const text = Buffer.from(
      `\ufeff${JSON.stringify({ ...record.pools, name: 'Ω🦑' })}\r\n\r\n  \n${JSON.stringify({ ...record.pools, id: addressOf('other') })}`,
    )
    for (const size of [1, 7, text.length]) {
      const stream = new PassThrough()
      for (let at = 0; at < text.length; at += size) stream.write(text.subarray(at, at + size))
      stream.end()
      const summary = await run({
        name: 'pieces',
        open: async (file) => (file === 'pools' ? { label: 'pools.jsonl', stream } : undefined),
      })
      expect(summary.files).toEqual({ 'pools.jsonl': { lines: 2, written: size === 1 ? 2 : 0 } })
    }
    expect(await rows('SELECT name FROM pool ORDER BY name')).toEqual([
      { name: 'S/USDC' },
      { name: 'Ω🦑' },
    ])
  })
})

/** A change of each file's record that leaves its key, and SQL of what it changes. */
const changes: [DatasetFile, object, string][] = [
  ['pools', { name: 'other' }, 'SELECT name AS value FROM pool'],
  ['multipliers', { deposit_tokenA: 3 }, 'SELECT deposit_token_a AS value FROM multiplier'],
  ['markets', { borrowRate: 0.5 }, 'SELECT borrow_rate AS value FROM market'],
  ['vaults', { name: 'other' }, 'SELECT name AS value FROM vault'],
  ['positions', { aTokenPrice: 7 }, 'SELECT a_token_price AS value FROM position'],
  [
    'rates',
    { borrowRate: 0.05 },
    `SELECT borrow_rate AS value FROM rate_revision
      WHERE entity_id = '${addressOf('market')}' AND changed_at = '${record.rates.changedAt}'`,
  ],
  ['market-snapshots', { debtUsd: 9 }, 'SELECT debt_usd AS value FROM market_snapshot'],
  ['vault-snapshots', { assetsUsd: null }, 'SELECT assets_usd AS value FROM vault_snapshot'],
  [
    'market-liquidation-rewards',
    { userRoi: null },
    'SELECT user_roi AS value FROM market_liquidation_reward',
  ],
  [
    'vault-liquidation-rewards',
    { claimedTimestamp: '9' },
    'SELECT claimed_timestamp AS value FROM vault_liquidation_reward',
  ],
  [
    'liquidations',
    { collateralSeizedUsd: null },
    'SELECT collateral_seized_usd AS value FROM liquidation',
  ],
  ['liquidations', { borrower: addressOf('bob') }, 'SELECT user_address AS value FROM liquidation'],
  ['cash-flows', { accountId: addressOf('bob') }, 'SELECT user_address AS value FROM cash_flow'],
  [
    'cash-flows',
    { kind: 'withdraw', amountUsd: null },
    'SELECT amount_usd AS value FROM cash_flow',
  ],
  [
    'cash-flows',
    { assets: String(2n ** 256n - 1n) },
    'SELECT assets::text AS value FROM cash_flow',
  ],
]

/** Changes that one import can have: one of each file. */
const changesTogether = [0, 1, 2].map((nth) =>
  changes.filter(
    ([file], at) => changes.slice(0, at).filter(([other]) => other === file).length === nth,
  ),
)

describe('a record that is loaded again with the same key replaces the first', () => {
  const named = changesTogether.map(
    (some) => [some.map(([file]) => file).join(', '), some] as const,
  )
  test.each(named)('%s', async (_, some) => {
    const changed = Object.fromEntries(
      some.map(([file, change]) => [file, { ...record[file], ...change }]),
    )
    const values = some.map(([, change]) => Object.values(change).at(-1))
    const stored = async () => {
      const all = []
      for (const [, , sql] of some) all.push(...(await rows(sql)).map(({ value }) => value))
      return all
    }
    const twice = Object.entries(changed).map(([file, one]) => [file, [one, one]])
    await load(goodFiles(Object.fromEntries(twice)))
    expect(await stored()).toEqual(values)
    await load(goodFiles())
    for (const [nth, value] of (await stored()).entries()) expect(value).not.toEqual(values[nth])
    for (const [file, one] of Object.entries(changed)) {
      const { files } = await load({ [file]: [one] })
      expect(files).toEqual({ [`${file}.jsonl`]: { lines: 1, written: 1 } })
    }
    expect(await stored()).toEqual(values)
  })

  test('a multiplier keeps its id and its times until something changes', async () => {
    const sql = 'SELECT id, created_at, updated_at FROM multiplier'
    await load(goodFiles())
    const [first] = await rows(sql)
    expect(first.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    await load({ multipliers: [{ ...record.multipliers, borrow_tokenB: 9 }] })
    const [second] = await rows(sql)
    expect(second).toEqual({ ...first, updated_at: expect.any(Date) })
    expect(second.updated_at > first.updated_at).toBe(true)
    const id = '00000000-0000-4000-8000-00000000ABCD'
    const updatedAt = '2026-01-02T03:04:05.678Z'
    await load({ multipliers: [{ ...record.multipliers, id, updatedAt }] })
    expect(await rows(sql)).toEqual([
      { ...first, id: id.toLowerCase(), updated_at: new Date(updatedAt) },
    ])
  })

  test('a market keeps its risk parameters until a record has one of them', async () => {
    const stored = async () =>
      (await rows('SELECT max_ltv, liquidation_threshold, borrow_rate FROM market'))[0]
    const risk = { maxLtv: 0.75, liquidationThreshold: 0.8 }
    await load(goodFiles())
    expect(await stored()).toMatchObject({ max_ltv: null, liquidation_threshold: null })
    await load({ markets: [{ ...record.markets, ...risk }] })
    expect(await stored()).toMatchObject({ max_ltv: 0.75, liquidation_threshold: 0.8 })
    const same = await load({ markets: [record.markets, { ...record.markets, maxLtv: null }] })
    expect(same.files).toEqual({ 'markets.jsonl': { lines: 2, written: 0 } })
    await load({
      markets: [{ ...record.markets, borrowRate: 9, liquidationThreshold: null, maxLtv: null }],
    })
    expect(await stored()).toEqual({ max_ltv: 0.75, liquidation_threshold: 0.8, borrow_rate: 9 })
    // A threshold below the stored LTV does not stay with it.
    await load({ markets: [{ ...record.markets, liquidationThreshold: 0.5 }] })
    expect(await stored()).toMatchObject({ max_ltv: null, liquidation_threshold: 0.5 })
  })

  test('a market keeps its past limits, gets those of a record, and adds the ones that change', async () => {
    const past = async () =>
      (
        await rows(
          `SELECT limits_until::text[] AS until, past_max_ltvs AS ltvs, past_liquidation_thresholds AS thresholds FROM market`,
        )
      )[0]
    const limits = (maxLtv: number, liquidationThreshold: number) => ({
      ...record.markets,
      maxLtv,
      liquidationThreshold,
    })
    await load(goodFiles())
    const [newest] = await rows('SELECT max(date)::text AS date FROM distribution')
    await load({ markets: [limits(0.5, 0.6)] })
    expect(await past()).toEqual({ until: null, ltvs: null, thresholds: null })
    const changed = { until: [newest.date], ltvs: [0.5], thresholds: [0.6] }
    for (const markets of [limits(0.7, 0.8), limits(0.7, 0.8), limits(0.75, 0.8), record.markets]) {
      await load({ markets: [markets] })
      expect(await past()).toEqual(changed)
    }
    const pastLimits = [
      { until: '2026-01-05', maxLtv: 0.1, liquidationThreshold: null },
      { until: '2026-02-05', maxLtv: 0.25, liquidationThreshold: 0.3 },
    ]
    const given = {
      until: ['2026-01-05', '2026-02-05'],
      ltvs: [0.1, 0.25],
      thresholds: [null, 0.3],
    }
    await load({ markets: [{ ...limits(0.4, 0.9), pastLimits }] })
    expect(await past()).toEqual(given)
    const same = await load({ markets: [{ ...limits(0.4, 0.9), pastLimits }] })
    expect(same.files).toEqual({ 'markets.jsonl': { lines: 1, written: 0 } })
  })

  test('dates with unchanged positions are not refreshed again', async () => {
    const other = { ...record.positions, distributionDate: '2026-11-10T00:00:00Z' }
    await load(goodFiles({ positions: [record.positions, other] }))
    const before = await rows('SELECT * FROM distribution ORDER BY date')
    const summary = await load({
      positions: [record.positions, { ...other, pointsA: 1, pointsB: 2, points: 3 }],
    })
    expect(summary.dates).toEqual(['2026-11-10'])
    const after = await rows('SELECT * FROM distribution ORDER BY date')
    expect(after[0]).toEqual(before[0])
    expect(after[1]).toMatchObject({ total_points: '3000000' })
  })
})

describe('two lines of a file with the same key', () => {
  const keys: Partial<Record<DatasetFile, string>> = {
    pools: 'id',
    multipliers: 'poolAddress',
    markets: 'chainId, id',
    vaults: 'chainId, id',
    rates: 'entityType, chainId, entityId, changedAt',
    positions: 'userAddress, distributionDate, marketAddress',
    'market-snapshots': 'accountId, chainId, marketId, timestamp, positionId',
    'vault-snapshots': 'accountId, chainId, vaultId, timestamp, positionId',
    liquidations: 'chainId, txHash, logIndex',
    'cash-flows': 'chainId, txHash, logIndex',
  }
  test.each(sampleOf(changes, 3))(
    '%s: %o is a bad line, which names the other',
    async (file, change) => {
      const changed = { ...record[file], ...change }
      const key = keys[file] ?? 'chainId, txHash, logIndex, accountId'
      const said = `has the same key as line 1 (${key}), but other values`
      expect(await problem(goodFiles({ [file]: [record[file], '', changed, record[file]] }))).toBe(
        `${file}.jsonl:3: ${said}`,
      )
      await load(goodFiles())
      expect(await problem({ [file]: [record[file], changed] })).toBe(`${file}.jsonl:2: ${said}`)
    },
  )

  test('may say the same, also in other words', async () => {
    const { userAddress, distributionDate, ...rest } = record.positions
    const shouting = userAddress.toUpperCase()
    const snapshot = record['market-snapshots']
    const summary = await load(
      goodFiles({
        positions: [
          record.positions,
          { ...rest, distributionDate: '2026-11-09', userAddress: shouting, runId: null },
        ],
        'market-snapshots': [snapshot, { ...snapshot, positionId: 'main', protectedAssets: '000' }],
      }),
    )
    expect(summary.files).toMatchObject({
      'positions.jsonl': { lines: 2, written: 1 },
      'market-snapshots.jsonl': { lines: 2, written: 1 },
    })
  })

  describe('that are far apart', () => {
    const COUNT = SAMPLE ? 5_000 : 25_000
    const flow = (nth: number, amountUsd: number) =>
      JSON.stringify({ ...record['cash-flows'], txHash: hashOf(`flow ${nth}`), amountUsd })
    const many = Array.from({ length: COUNT }, (_, nth) => flow(nth, nth))

    test('are bad lines, of which the first are shown and all are counted', async () => {
      const again = Array.from({ length: SHOWN + 3 }, (_, nth) =>
        flow(nth * 7, nth * 7 + (nth < 2 ? 0 : 0.5)),
      )
      const before = await everything()
      const error = await failure(load(goodFiles({ 'cash-flows': [...many, ...again] })))
      expect(await everything()).toEqual(before)
      expect(error.count).toBe(SHOWN + 1)
      expect(error.badLines).toHaveLength(SHOWN)
      expect(error.badLines[0]).toEqual({
        file: 'cash-flows.jsonl',
        line: COUNT + 3,
        reason: 'has the same key as line 15 (chainId, txHash, logIndex), but other values',
      })
    })

    test('may be equal', async () => {
      const summary = await load(goodFiles({ 'cash-flows': [...many, ...many.slice(0, 100)] }))
      expect(summary.files['cash-flows.jsonl']).toEqual({ lines: COUNT + 100, written: COUNT })
    })
  })
})

describe('points and ids of positions', () => {
  const points = () =>
    rows(
      'SELECT points_a / 1e6::float8 AS points_a, points_b / 1e6::float8 AS points_b FROM position',
    )
  const { pointsA, pointsB } = recordPoints

  test('points that are given stay, others are computed from the multiplier of the same import', async () => {
    await load(
      goodFiles({ positions: [{ ...record.positions, pointsA: 0.1, pointsB: 0.2, points: 0.3 }] }),
    )
    expect(await points()).toEqual([{ points_a: 0.1, points_b: 0.2 }])
    await load({ positions: [record.positions] })
    expect(await points()).toEqual([{ points_a: pointsA, points_b: pointsB }])
    await load({
      multipliers: [{ ...record.multipliers, deposit_tokenA: 0 }],
      positions: [record.positions],
    })
    expect(await points()).toEqual([{ points_a: 2, points_b: pointsB }])
  })

  test('a pool without a multiplier scores 0', async () => {
    await load(goodFiles({ multipliers: [] }))
    expect(await points()).toEqual([{ points_a: 0, points_b: 0 }])
    expect(await rows('SELECT points, rank FROM account')).toEqual([{ points: '0', rank: 1 }])
  })

  test('a position without an id gets one that it keeps, also when a given one was stored', async () => {
    const id = async () => (await rows('SELECT id FROM position'))[0].id
    await load(goodFiles())
    const assigned = await id()
    expect(assigned).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    await load({ positions: [{ ...record.positions, aTokenPrice: 3 }] })
    expect(await id()).toBe(assigned)
    await load({ positions: [{ ...record.positions, id: 'p1' }] })
    await load({ positions: [{ ...record.positions, aTokenPrice: 4 }] })
    expect(await id()).toBe('p1')
  })

  test('an id that belongs to another position is a bad line', async () => {
    const stored = { ...record.positions, id: 'p1' }
    const other = { ...stored, distributionDate: '2026-11-10T00:00:00.000Z' }
    const reason = 'id: p1 is the id of another record'
    expect(await problem(goodFiles({ positions: [stored, other] }))).toBe(
      `positions.jsonl:2: ${reason}`,
    )
    await load(goodFiles({ positions: [stored] }))
    expect(await problem({ positions: ['', other] })).toBe(`positions.jsonl:2: ${reason}`)
    const pools = [record.pools, { ...record.pools, id: addressOf('other') }]
    const multipliers = pools.map(({ id }) => ({
      ...record.multipliers,
      poolAddress: id,
      id: '00000000-0000-4000-8000-000000000001',
    }))
    expect(await problem({ pools, multipliers })).toMatch(
      /^multipliers.jsonl:2: id: 0{8}-.* is the id of another record$/,
    )
  })
})

describe('a bad line stores nothing and is reported', () => {
  const cases: [DatasetFile, object | string | Buffer, string][] = [
    ['pools', '{', ': is not JSON: '],
    ['pools', '[]', ': must be a JSON object, not a list'],
    ['pools', '7', ': must be a JSON object, not 7'],
    ['pools', 'null', ': must be a JSON object, not null'],
    ['pools', Buffer.from([0x7b, 0xff, 0x7d]), ': is not valid UTF-8'],
    [
      'pools',
      `{"name":"${'x'.repeat(MAX_LINE_BYTES)}"}`,
      `: is longer than ${MAX_LINE_BYTES} bytes`,
    ],
    ['pools', { ...record.pools, Name: 'x' }, ': Name: is unknown, it is spelt name'],
    [
      'pools',
      { ...record.pools, colour: 'x' },
      ': colour: is unknown, the fields are id, chainId, ',
    ],
    ['pools', { ...record.pools, naem: 'x' }, ': naem: is unknown, did you mean name?'],
    [
      'positions',
      { ...record.positions, bSupliedAmountUsd: 1 },
      ': bSupliedAmountUsd: is unknown, did you mean bSuppliedAmountUsd?',
    ],
    [
      'pools',
      `${JSON.stringify(record.pools).slice(0, -1)},"__proto__":{}}`,
      ': __proto__: is unknown',
    ],
    ['pools', { ...record.pools, name: undefined }, ': name: is missing'],
    ['pools', { ...record.pools, name: null }, ': name: must be a text'],
    [
      'pools',
      { ...record.pools, name: 'a\0b' },
      ': name: must be a text of at most 500 characters, without NUL and',
    ],
    ['pools', { ...record.pools, name: '\ud800' }, ': name: must be a text'],
    ['pools', { ...record.pools, name: 'x'.repeat(501) }, ': name: must be a text'],
    [
      'pools',
      { ...record.pools, id: '0x12' },
      ': id: must be an address (0x and 40 hex digits), not "0x12"',
    ],
    [
      'pools',
      { ...record.pools, unit_1_id: `${addressOf('x')}\n` },
      ': unit_1_id: must be an address',
    ],
    [
      'pools',
      { ...record.pools, chainId: '1' },
      ': chainId: must be an integer from 0 to 2^53-1, not "1"',
    ],
    ['pools', { ...record.pools, chainId: -1 }, ': chainId: must be an integer'],
    ['pools', { ...record.pools, chainId: 1.5 }, ': chainId: must be an integer'],
    ['pools', { ...record.pools, chainId: 2 ** 53 }, ': chainId: must be an integer'],
    [
      'multipliers',
      { ...record.multipliers, borrow_tokenA: -1 },
      ': borrow_tokenA: must be a number from 0 up, not -1',
    ],
    ['multipliers', { ...record.multipliers, id: 'x' }, ': id: must be a UUID, not "x"'],
    [
      'multipliers',
      { ...record.multipliers, createdAt: '2026-02-30T00:00:00Z' },
      ': createdAt: must be an ISO 8601',
    ],
    [
      'multipliers',
      { ...record.multipliers, updatedAt: '2026-01-01T00:00:00+02:00' },
      ': updatedAt: must be an ISO',
    ],
    ['markets', { ...record.markets, assetDecimals: undefined }, ': assetDecimals: is missing'],
    [
      'markets',
      { ...record.markets, assetDecimals: 256 },
      ': assetDecimals: must be an integer from 0 to 255, not 256',
    ],
    [
      'markets',
      JSON.stringify(record.markets).replace('0.04', '1e999'),
      ': borrowRate: must be a number, not one too large',
    ],
    [
      'positions',
      { ...record.positions, aTokenPrice: 'x' },
      ': aTokenPrice: must be a number, not "x"',
    ],
    [
      'positions',
      { ...record.positions, bSuppliedAmountUsd: null },
      ': bSuppliedAmountUsd: must be a number, not null',
    ],
    ['positions', { ...record.positions, id: '' }, ': id: must be a text of 1 to 500 characters'],
    [
      'positions',
      { ...record.positions, distributionDate: '2026-11-09T01:00:00.000Z' },
      ': distributionDate: must be midnight',
    ],
    [
      'positions',
      { ...record.positions, distributionDate: '2026-11-09T00:00:00.000' },
      ': distributionDate: must be midnight',
    ],
    [
      'positions',
      { ...record.positions, distributionDate: '2026-13-09T00:00:00Z' },
      ': distributionDate: must be midnight',
    ],
    [
      'positions',
      { ...record.positions, distributionDate: '0000-01-01T00:00:00Z' },
      ': distributionDate: must be midnight',
    ],
    [
      'positions',
      { ...record.positions, distributionDate: '2026-11-31' },
      ': distributionDate: must be midnight',
    ],
    [
      'positions',
      { ...record.positions, distributionDate: '2026-11' },
      ': distributionDate: must be midnight',
    ],
    ...['5e-324', '2.3e-308', '-1e-31', '1000001', '-1e7'].map(
      (text): [DatasetFile, string, string] => [
        'markets',
        JSON.stringify(record.markets).replace('0.04', text),
        `: borrowRate: must be a rate as a fraction a year (0.05 is 5 %): 0, or from 1e-30 to 1000000, or the negative of one, not ${Number(text)}`,
      ],
    ),
    [
      'vaults',
      { ...record.vaults, depositRate: 1e-300 },
      ': depositRate: must be a rate as a fraction a year',
    ],
    [
      'rates',
      { ...record.rates, borrowRate: 1e-31 },
      ': borrowRate: must be a rate as a fraction a year',
    ],
    [
      'markets',
      { ...record.markets, maxLtv: 5e-324 },
      ': maxLtv: must be 0, or from 1e-30 to 1, not 5e-324',
    ],
    ['positions', { ...record.positions, pointsA: 1 }, ': pointsB: is missing: pointsA is given'],
    ['positions', { ...record.positions, pointsB: 1 }, ': pointsA: is missing: pointsB is given'],
    ['positions', { ...record.positions, points: 1 }, ': points: needs pointsA and pointsB'],
    [
      'positions',
      { ...record.positions, pointsA: 1, pointsB: 2, points: 3.1 },
      ': points: must be pointsA + pointsB, 3, not 3.1',
    ],
    [
      'positions',
      { ...record.positions, pointsA: 8_589_934_593, pointsB: 0 },
      ': pointsA: must be a number from -8589934592 to 8589934592',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtAssets: String(2n ** 256n) },
      ': debtAssets: must be a decimal string from 0 to 2^256-1',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtAssets: '-1' },
      ': debtAssets: must be a decimal',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtAssets: '1e3' },
      ': debtAssets: must be a decimal',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtAssets: 1 },
      ': debtAssets: must be a decimal',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtAssets: null },
      ': debtAssets: must be a decimal',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], debtUsd: '1' },
      ': debtUsd: must be a number or null, not "1"',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], timestamp: 1794960000 },
      ': timestamp: must be Unix seconds as a digit string',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], timestamp: String(2n ** 63n) },
      ': timestamp: must be Unix seconds',
    ],
    [
      'market-snapshots',
      { ...record['market-snapshots'], positionId: '' },
      ': positionId: must be a text of 1 to',
    ],
    [
      'vault-liquidation-rewards',
      { ...record['vault-liquidation-rewards'], userRoi: 0.5 },
      ': userRoi: must be a text',
    ],
    [
      'cash-flows',
      { ...record['cash-flows'], kind: 'gift' },
      ': kind: must be "deposit" or "withdraw" or "borrow" or "repay", not "gift"',
    ],
    [
      'cash-flows',
      { ...record['cash-flows'], txHash: '0x1' },
      ': txHash: must be a transaction hash',
    ],
    [
      'cash-flows',
      { ...record['cash-flows'], assets: '-1' },
      ': assets: must be a decimal string from 0 to 2^256-1 or null',
    ],
    [
      'markets',
      { ...record.markets, maxLtv: 75 },
      ': maxLtv: must be a number from 0 to 1 or null, not 75',
    ],
    [
      'markets',
      { ...record.markets, liquidationThreshold: -0.1 },
      ': liquidationThreshold: must be a number from 0 to 1 or null, not -0.1',
    ],
    [
      'markets',
      { ...record.markets, maxLtv: 0.9, liquidationThreshold: 0.8 },
      ': maxLtv: must not be above liquidationThreshold, 0.8, but is 0.9',
    ],
    // What a record names must be known.
    [
      'multipliers',
      { ...record.multipliers, poolAddress: addressOf('x') },
      `: poolAddress: names ${addressOf('x')}, which is no pool, neither`,
    ],
    [
      'markets',
      { ...record.markets, id: addressOf('y'), poolId: addressOf('x') },
      ': poolId: names',
    ],
    ['positions', { ...record.positions, marketAddress: addressOf('x') }, ': marketAddress: names'],
    [
      'market-snapshots',
      { ...record['market-snapshots'], chainId: 2 },
      `: marketId: names ${addressOf('market')}, which is no market on chain 2, `,
    ],
    [
      'vault-snapshots',
      { ...record['vault-snapshots'], vaultId: addressOf('market') },
      ': vaultId: names',
    ],
    [
      'market-liquidation-rewards',
      { ...record['market-liquidation-rewards'], collateralMarketId: addressOf('x') },
      ': collateralMarketId: names',
    ],
    [
      'vault-liquidation-rewards',
      { ...record['vault-liquidation-rewards'], vaultId: addressOf('x') },
      ': vaultId: names',
    ],
    [
      'liquidations',
      { ...record.liquidations, poolId: addressOf('x') },
      `: poolId: names ${addressOf('x')}, which is no pool`,
    ],
    [
      'liquidations',
      { ...record.liquidations, debtMarketId: addressOf('x') },
      ': debtMarketId: names',
    ],
    ['cash-flows', { ...record['cash-flows'], entityType: 'vault' }, ': entityId: names'],
    ['rates', { ...record.rates, entityId: addressOf('x') }, ': entityId: names'],
    ['rates', { ...record.rates, borrowRate: null }, ': borrowRate: is missing'],
    [
      'rates',
      { ...record.rates, entityType: 'vault', entityId: addressOf('vault') },
      ': borrowRate: must be absent: a vault has none',
    ],
  ]
  const casesOf = (file: DatasetFile) => cases.filter(([of]) => of === file)
  const imports = [...new Set(cases.map(([file]) => file))].flatMap((file) =>
    Array.from({ length: Math.ceil(casesOf(file).length / SHOWN) }, (_, nth) => {
      const some = casesOf(file).slice(nth * SHOWN, (nth + 1) * SHOWN)
      return {
        file,
        lines: some.map(([, line]) => line),
        expected: some.map(([, , reason]) => reason),
      }
    }),
  )
  test.each(imports)('$file: $expected', async ({ file, lines, expected }) => {
    const before = await everything()
    const error = await failure(
      load(goodFiles({ [file]: [record[file], '', ...lines, record[file]] })),
    )
    expect(await everything()).toEqual(before)
    expect(error.count).toBe(expected.length)
    const messages = error.message.split('\n').slice(1)
    for (const [i, reason] of expected.entries()) {
      expect(messages[i]).toContain(`${file}.jsonl:${3 + i}${reason}`)
      expect(messages[i]?.length).toBeLessThan(700)
    }
  })

  test('comma-separated values are one problem', async () => {
    const header = Object.keys(record.positions).join(',')
    const csv = [header, Object.values(record.positions).join(','), 'x,y']
    const said = ': looks like CSV, but the format is JSON Lines: one JSON object a line'
    expect(await problem({ positions: csv })).toBe(`positions.jsonl:1${said}`)
    expect(await problem({ users: ['"address"', addressOf('x')] })).toBe(`users.jsonl:1${said}`)
    expect(await problem({ users: ['address', addressOf('x')] })).toBe(`users.jsonl:1${said}`)
    expect(await problem({ pools: ['', '"name";"chainId"', 'a;1'] })).toBe(`pools.jsonl:2${said}`)
  })

  test('all of them are counted over all files, the first ones shown in order', async () => {
    const bad = { ...record['cash-flows'], logIndex: 'x' }
    const error = await failure(
      load(
        goodFiles({
          vaults: [{ ...record.vaults, name: 1, depositRate: 'x' }],
          'cash-flows': Array(SHOWN + 5).fill(bad),
        }),
      ),
    )
    expect(error.count).toBe(SHOWN + 7)
    expect(error.badLines).toHaveLength(SHOWN)
    expect(error.badLines.slice(0, 3)).toEqual([
      {
        file: 'vaults.jsonl',
        line: 1,
        field: 'name',
        reason: expect.stringContaining('must be a text'),
      },
      { file: 'vaults.jsonl', line: 1, field: 'depositRate', reason: 'must be a number, not "x"' },
      {
        file: 'cash-flows.jsonl',
        line: 1,
        field: 'logIndex',
        reason: expect.stringContaining('must be an integer'),
      },
    ])
    expect(error.message).toMatch(
      /^the dataset has 27 problems; nothing was imported, the first 20 of which are:\nvaults/,
    )
  })

  test('a record that is wrong elsewhere still counts as one that others may name', async () => {
    expect(await problem(goodFiles({ pools: [{ ...record.pools, name: 7 }] }))).toContain(
      'pools.jsonl:1: name',
    )
  })

  test('what the store has need not be in the import', async () => {
    await load(goodFiles())
    for (const file of [
      'multipliers',
      'markets',
      'positions',
      'market-snapshots',
      'vault-snapshots',
      'cash-flows',
    ] as const)
      expect((await load({ [file]: [record[file]] })).files[`${file}.jsonl`]?.lines).toBe(1)
  })
})

describe('a directory', () => {
  const write = async (dir: string, files: Files) => {
    for (const [file, lines] of Object.entries(files))
      await writeFile(
        join(dir, `${file}.jsonl`),
        lines.map((line) => JSON.stringify(line)).join('\n'),
      )
  }

  test('may have compressed files, and files that it ignores', () =>
    withDirectory(async (dir) => {
      await write(dir, goodFiles())
      await writeFile(join(dir, 'other.jsonl'), 'x')
      await run(await openDirectory(dir))
      const before = await everything()
      const plain = await readFile(join(dir, 'positions.jsonl'))
      await rm(join(dir, 'positions.jsonl'))
      await writeFile(join(dir, 'positions.jsonl.gz'), gzipSync(plain))
      const summary = await run(await openDirectory(dir))
      expect(summary.files['positions.jsonl.gz']).toEqual({ lines: 1, written: 0 })
      expect(await everything()).toEqual(before)
    }))

  test('that is damaged stores nothing', () =>
    withDirectory(async (dir) => {
      await write(dir, goodFiles({ positions: [] }))
      const before = await everything()
      await rm(join(dir, 'cash-flows.jsonl'))
      for (const bytes of [
        Buffer.from('{}'),
        gzipSync(JSON.stringify(record['cash-flows'])).subarray(0, 60),
      ]) {
        await writeFile(join(dir, 'cash-flows.jsonl.gz'), bytes)
        await expect(run(await openDirectory(dir))).rejects.toMatchObject({
          code: 'BAD_INPUT',
          message: expect.stringMatching(
            /^cash-flows\.jsonl\.gz cannot be read: .*; nothing was imported\.$/,
          ),
        })
      }
      await rm(join(dir, 'cash-flows.jsonl.gz'))
      await mkdir(join(dir, 'cash-flows.jsonl'))
      await expect(run(await openDirectory(dir))).rejects.toThrow(
        /^cash-flows\.jsonl cannot be read: EISDIR/,
      )
      expect(await everything()).toEqual(before)
    }))

  test('that cannot be one is reported', () =>
    withDirectory(async (dir) => {
      await expect(openDirectory(join(dir, 'x'))).rejects.toThrow(
        `${join(dir, 'x')} does not exist.`,
      )
      await expect(openDirectory(dir)).rejects.toThrow(
        'holds no file of the import format (pools.jsonl, ',
      )
      await write(dir, { pools: [record.pools] })
      await writeFile(join(dir, 'positions.csv'), 'userAddress')
      await expect(openDirectory(dir)).rejects.toThrow(
        `${dir} has positions.csv, but CSV cannot be imported. The format is JSON Lines: positions.jsonl, with one JSON object a line. \`gateway template DIR\` writes an example.`,
      )
      await write(dir, { positions: [record.positions] })
      const ignored: string[] = []
      await openDirectory(dir, (message) => ignored.push(message))
      expect(ignored).toEqual([
        expect.stringContaining('positions.csv is not a file of the import format'),
      ])
      await expect(openDirectory(join(dir, 'pools.jsonl'))).rejects.toThrow('is not a directory.')
      await cp(join(dir, 'pools.jsonl'), join(dir, 'pools.jsonl.gz'))
      await expect(openDirectory(dir)).rejects.toThrow(
        'has both pools.jsonl and pools.jsonl.gz: keep one of them.',
      )
    }))
})

describe('an import that is interrupted', () => {
  /** A dataset that has positions and then waits for more, and a promise of that moment. */
  function waiting() {
    const stream = new PassThrough()
    stream.write(`${JSON.stringify(record.positions)}\n`)
    const files = datasetOf(goodFiles())
    let tell = () => {}
    const opened = new Promise<void>((resolve) => {
      tell = resolve
    })
    const dataset: Dataset = {
      name: 'waiting',
      async open(file) {
        if (file !== 'positions') return files.open(file)
        tell()
        return { label: 'positions.jsonl', stream }
      },
    }
    return { dataset, stream, opened }
  }

  test('while it reads leaves the store as it was', async () => {
    const before = await everything()
    const controller = new AbortController()
    const { dataset, opened } = waiting()
    const importing = run(dataset, { signal: controller.signal })
    await opened
    controller.abort(new Error('stopped'))
    await expect(importing).rejects.toThrow('stopped')
    expect(await everything()).toEqual(before)
    await load(goodFiles())
  })

  test('while it waits for its turn, or before it begins', async () => {
    const other = await pool.connect()
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(7014010)')
    const controller = new AbortController()
    const importing = load(goodFiles(), { signal: controller.signal })
    const stopped = expect(importing).rejects.toThrow('stopped')
    const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await expect.poll(() => rows(waiting)).toHaveLength(1)
    controller.abort(new Error('stopped'))
    await stopped
    await expect(load(goodFiles(), { signal: controller.signal })).rejects.toThrow('stopped')
    await other.query('ROLLBACK')
    other.release()
    expect((await load(goodFiles())).files['pools.jsonl']?.written).toBe(1)
  })

  test('shows readers nothing until it ends', async () => {
    const { dataset, stream, opened } = waiting()
    const importing = run(dataset)
    await opened
    expect(await rows('SELECT FROM pool')).toHaveLength(0)
    stream.end()
    await importing
    expect(await rows('SELECT FROM pool')).toHaveLength(1)
  })

  test('by a lost connection is an error, and the next one works', async () => {
    const { dataset, stream, opened } = waiting()
    const importing = run(dataset)
    const failed = expect(importing).rejects.toThrow()
    await opened
    // It may still be on its way to the moment at which it waits.
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'`
    await expect.poll(() => rows(end)).toHaveLength(1)
    stream.end()
    await failed
    expect(await rows('SELECT FROM pool')).toHaveLength(0)
    expect((await load(goodFiles())).files['pools.jsonl']?.written).toBe(1)
  })
})

/** The rule once more: times a million, in doubles, ties to even. */
function millionths(points: number): bigint {
  const [scaled, whole] = [points * 1e6, Math.round(points * 1e6)]
  return BigInt(Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : whole)
}

test('totals, ranks and distributions follow from the positions, for any records in any order', async () => {
  const labels = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => addressOf(`${prefix}${i}`))
  const [users, pools] = [labels('user', 4), labels('pool', 3)]
  const score = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))
  const position = fc.record({
    userAddress: fc.constantFrom(...users),
    marketAddress: fc.constantFrom(...pools),
    day: fc.integer({ min: 1, max: 3 }),
    points: fc.option(fc.tuple(score, score), { nil: undefined }),
    usd: score,
  })
  const keyOf = (one: { userAddress: string; marketAddress: string; day: number }) =>
    `${one.userAddress} ${one.marketAddress} ${one.day}`
  const basics: Files = {
    pools: pools.map((id) => ({ ...record.pools, id })),
    multipliers: pools.slice(1).map((poolAddress) => ({ ...record.multipliers, poolAddress })),
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uniqueArray(position, { selector: keyOf, maxLength: 12 }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (imports) => {
        await emptyTables(pool, [
          ...[
            'stored_position',
            'token_pair',
            'distribution',
            'rank_history',
            'rank_history_date',
            'pool_day',
          ],
          ...['pool_total', 'account_day', 'account', 'user'],
        ])
        const expected = new Map<string, { user: string; day: number; points: bigint }>()
        for (const positions of imports) {
          await load({
            ...basics,
            positions: positions.map(({ day, points, usd, ...keys }) => ({
              ...record.positions,
              ...keys,
              distributionDate: `2026-11-0${day}T00:00:00.000Z`,
              aSuppliedAmountUsd: usd,
              ...(points && { pointsA: points[0], pointsB: points[1] }),
            })),
          })
          for (const { userAddress, marketAddress, day, points, usd } of positions) {
            // The record's protected deposit and debt of token A earn 10 and 2 points, its token B
            // 2100 and 120.
            const computed =
              marketAddress === pools[0] ? [0] : [usd + 10 + 0.5 * 4 * 1, recordPoints.pointsB]
            const total = (points ?? computed).reduce((sum, side) => sum + millionths(side), 0n)
            expected.set(`${userAddress} ${marketAddress} ${day}`, {
              user: userAddress,
              day,
              points: total,
            })
          }
        }
        const sum = (group: (entry: { user: string; day: number }) => unknown) => {
          const sums = new Map<unknown, bigint>()
          for (const entry of expected.values())
            sums.set(group(entry), (sums.get(group(entry)) ?? 0n) + entry.points)
          return sums
        }
        const byUser = sum(({ user }) => user)
        const accounts = await rows(
          'SELECT user_address, points, rank, position_count FROM account ORDER BY rank',
        )
        expect(accounts.map(({ rank }) => rank)).toEqual(accounts.map((_, i) => i + 1))
        expect(new Set(accounts.map(({ user_address }) => user_address))).toEqual(
          new Set(byUser.keys()),
        )
        for (const [i, { user_address, points }] of accounts.entries()) {
          expect(BigInt(points)).toBe(byUser.get(user_address))
          const above = accounts[i - 1]
          if (!above) continue
          expect(BigInt(above.points)).toBeGreaterThanOrEqual(BigInt(points))
          if (above.points === points) expect(above.user_address < user_address).toBe(true)
        }
        const byDay = sum(({ day }) => day)
        const distributions = await rows(
          'SELECT extract(day FROM date)::int AS day, total_points FROM distribution',
        )
        expect(new Set(distributions.map(({ day }) => day))).toEqual(new Set(byDay.keys()))
        for (const { day, total_points } of distributions)
          expect(BigInt(total_points)).toBe(byDay.get(day))
        const [program] = await rows('SELECT * FROM program')
        if (expected.size > 0) {
          expect(program).toMatchObject({
            account_count: byUser.size,
            position_count: expected.size,
          })
          expect(BigInt(program.total_points)).toBe([...byDay.values()].reduce((a, b) => a + b, 0n))
        }
      },
    ),
    { numRuns: runs({ sample: 5, all: 15, long: 40 }) },
  )
})
