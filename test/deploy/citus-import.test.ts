import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribute } from '../../src/db/topology/distribute.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { manualUpdate } from '../../src/domain/distribution/manual-update.ts'
import { type Dataset, datasetPositions, openDirectory } from '../../src/sources/index.ts'
import { NO_CITUS, openCitusStore } from '../support/citus.ts'
import { conformanceData, failedCases } from '../support/conformance.ts'
import { addressOf, datasetOf, type Files, record } from '../support/datasets.ts'
import { tables } from '../support/dump.ts'
import { startGateway } from '../support/gateway.ts'
import { openStore, silent } from '../support/store.ts'

const basePoints = { deposit: 1, borrow: 0.5 }
const skipped = NO_CITUS

/**
 * What differs between stores with the same records: numbers of pools, pairs and runs, times, ids
 * that were made up.
 */
const OWN = [
  'key',
  'pool_key',
  'pair_key',
  'run_id',
  'started_at',
  'finished_at',
  'id',
  'created_at',
  'updated_at',
  'ledger',
  'ledger_entries',
  'ledger_users',
]
const RATES =
  'SELECT entity_type, chain_id, entity_id, deposit_rate, borrow_rate FROM rate_revision ORDER BY 1, 2, 3, changed_at'
const LEDGER = `SELECT user_address, distribution_date, p.id, points_before, points_after, reasons FROM account_ledger
  JOIN pool p ON p.key = pool_key ORDER BY 1, 2, 3, run_id`

async function stored(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {
    rates: (await pool.query(RATES)).rows,
    ledger: (await pool.query(LEDGER)).rows,
  }
  for (const [table, order] of Object.entries(tables)) {
    if (table === 'data_version') continue
    const { rows } = await pool.query(
      `SELECT * FROM "${table}" ORDER BY ${order.replace(/^key$|, pool_key$/, (key) => (key === 'key' ? '3, 4, 5, 6, 7' : ', id'))}`,
    )
    const left = table === 'stored_position' ? OWN.filter((column) => column !== 'id') : OWN
    all[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !left.includes(column))),
    )
  }
  return all
}

describe.skipIf(skipped !== '')(`writes to a store on Citus${skipped}`, () => {
  let citus: Awaited<ReturnType<typeof openCitusStore>>
  let plain: Awaited<ReturnType<typeof openStore>>
  let sharded: pg.Pool
  const load = (pool: pg.Pool, dataset: Dataset) =>
    importDataset({ pool, basePoints, log: silent }, dataset)
  const version = async () =>
    (await sharded.query<{ version: string }>('SELECT version FROM data_version WHERE id = 1'))
      .rows[0]?.version
  const expectAlike = async () => {
    const [actual, expected] = [await stored(sharded), await stored(plain.pool)]
    for (const table of Object.keys(expected)) expect(actual[table], table).toEqual(expected[table])
  }

  beforeAll(async () => {
    citus = await openCitusStore()
    await distribute(citus.url)
    sharded = citus.pool
    plain = await openStore()
  }, 60_000)
  afterAll(async () => {
    await citus?.close()
    await plain?.close()
  })

  test('an empty one has the same rows as one server, and passes the conformance suite', async () => {
    for (const pool of [plain.pool, sharded]) await load(pool, await openDirectory(conformanceData))
    await expectAlike()
    const gateway = await startGateway({ url: citus.url })
    expect(await failedCases(gateway, 11)).toBe(0)
    await gateway.close()
    const before = await version()
    const again = await load(sharded, await openDirectory(conformanceData))
    expect(again.dates).toEqual([])
    expect(Object.entries(again.files).filter(([, { written }]) => written > 0)).toEqual([])
    expect(await version()).toBe(before)
  }, 120_000)

  test.each<[string, Files]>([
    [
      'records of each kind',
      Object.fromEntries(
        Object.entries(record)
          .filter(([file]) => file !== 'runs' && !file.endsWith('-revisions'))
          .map(([file, one]) => [file, [one]]),
      ),
    ],
    [
      'other amounts, rates and owners, older and newer snapshots',
      {
        markets: [{ ...record.markets, depositRate: 0.5 }],
        positions: [
          { ...record.positions, aSuppliedAmountUsd: 7 },
          { ...record.positions, userAddress: addressOf('bob') },
          { ...record.positions, distributionDate: '2026-11-10T00:00:00.000Z' },
        ],
        'market-snapshots': [
          { ...record['market-snapshots'], timestamp: '1794959999', debtUsd: 1 },
          { ...record['market-snapshots'], timestamp: '1794970000', debtUsd: 2 },
          { ...record['market-snapshots'], timestamp: '1794970000', positionId: 'b', debtUsd: 3 },
        ],
        'vault-snapshots': [{ ...record['vault-snapshots'], assetsUsd: 12 }],
        'market-liquidation-rewards': [
          { ...record['market-liquidation-rewards'], accountId: addressOf('bob') },
        ],
      },
    ],
  ])(
    '%s',
    async (_, files) => {
      for (const pool of [plain.pool, sharded]) await load(pool, datasetOf(files))
      await expectAlike()
    },
    60_000,
  )

  test('an id of another position is refused', async () => {
    const { rows } = await sharded.query<{ id: string }>(
      'SELECT id FROM position ORDER BY id LIMIT 1',
    )
    const taken = datasetOf({
      positions: [{ ...record.positions, userAddress: addressOf('carol'), id: rows[0]?.id }],
    })
    await expect(load(sharded, taken)).rejects.toThrow('is the id of another record')
    await expectAlike()
  })

  const day = '2026-11-20'
  const positionOf = (name: string, more: object = {}) => ({
    ...record.positions,
    id: undefined,
    userAddress: addressOf(name),
    distributionDate: `${day}T00:00:00.000Z`,
    ...more,
  })
  const update = (pool: pg.Pool, positions: object[]) => {
    const positionsSource = datasetPositions('the test', async () => datasetOf({ positions }))
    const deps = {
      pool,
      basePoints,
      positionsSource,
      maxPriceJump: 4,
      now: () => new Date('2026-11-23'),
    }
    return manualUpdate(deps, new Date(day), 'test')
  }

  test.each<[string, object[]]>([
    ['a date without positions', [positionOf('ann'), positionOf('ben'), positionOf('cat')]],
    [
      'some are gone, some new, some have other amounts',
      [positionOf('ann', { aSuppliedAmountUsd: 77 }), positionOf('dan')],
    ],
    [
      'a pair that is new',
      [positionOf('ann', { bTokenAddress: addressOf('token'), bTokenSymbol: 'NEW' })],
    ],
  ])('a manual update: %s', async (_, positions) => {
    for (const pool of [plain.pool, sharded]) {
      const { positionCount } = await update(pool, positions)
      expect(positionCount).toBe(positions.length)
    }
    await expectAlike()
  })

  test('a manual update is refused for a price that jumps, or an id of another position', async () => {
    const jump = [positionOf('ann', { aTokenPrice: 5 * record.positions.aTokenPrice })]
    await expect(update(sharded, jump)).rejects.toThrow('by more than 4 times')
    const { rows } = await sharded.query<{ id: string }>(
      'SELECT id FROM position WHERE distribution_date < $1 LIMIT 1',
      [day],
    )
    await expect(update(sharded, [positionOf('carol', { id: rows[0]?.id })])).rejects.toThrow(
      'is the id of another record',
    )
    await expectAlike()
  })
})
