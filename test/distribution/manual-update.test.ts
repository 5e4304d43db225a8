import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { datasetPositions, openDirectory } from '../../src/sources/index.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  CAT,
  DAY,
  importFiles,
  jsonLines,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'

describe('manualupdate from a directory', () => {
  let gateway: Gateway
  let dir: string
  const source = (rows: object[]) => writeFile(join(dir, 'positions.jsonl'), jsonLines(rows))
  const update = (date: string) =>
    fetch(`${gateway.base}/points/manualupdate?date=${date}`, { method: 'POST', headers: asAdmin })
  const json = async (path: string) => (await gateway.get(path)).json()

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gateway-source-'))
    gateway = await startGateway({
      positionsSource: datasetPositions(dir, () => openDirectory(dir)),
    })
    await importFiles(gateway, { pools: [pool], multipliers: [multiplier] })
  })
  beforeEach(async () => {
    await source([position(ANN, 100), position(BEN, 50)])
    expect((await update(DAY)).status).toBe(200)
  })
  afterAll(async () => {
    await gateway.close()
    await rm(dir, { recursive: true })
  })

  test("stores the date's positions with computed points, and answers what it did", async () => {
    const answer = (await (await update(DAY)).json()) as Record<string, unknown>
    expect(answer).toMatchObject({
      distributionDate: `${DAY}T00:00:00.000Z`,
      positionCount: 2,
      totalPoints: 300,
    })
    expect(Object.keys(answer).sort()).toEqual([
      'distributionDate',
      'finishedAt',
      'positionCount',
      'startedAt',
      'totalPoints',
    ])
    expect(await json('/points/leaderboard')).toEqual({
      topAccounts: [
        { account: ANN, points: 200, rank: '1' },
        { account: BEN, points: 100, rank: '2' },
      ],
      total: '2',
    })
  })

  test('replaces the stored positions: who is gone from the source is gone from the leaderboard', async () => {
    await source([position(BEN, 10), position(CAT, 20)])
    expect((await update(DAY)).status).toBe(200)
    expect(await json('/points/leaderboard')).toEqual({
      topAccounts: [
        { account: CAT, points: 40, rank: '1' },
        { account: BEN, points: 20, rank: '2' },
      ],
      total: '2',
    })
    expect(await json(`/positions/${ANN}`)).toMatchObject({ points: [], totalPoints: 60 })
    expect(await json(`/points/${ANN}`)).toEqual({ items: [], nextCursor: null })
  })

  test('points from the source are recomputed', async () => {
    await source([position(ANN, 100, { pointsA: 1, pointsB: 2, points: 3 })])
    expect(await (await update(DAY)).json()).toMatchObject({ totalPoints: 200 })
  })

  test('a record that the source has twice counts once, and other dates do not', async () => {
    await source([
      position(ANN, 30),
      position(ANN, 30),
      position(BEN, 9, { distributionDate: '2026-03-01T00:00:00.000Z' }),
    ])
    expect(await (await update(DAY)).json()).toMatchObject({ positionCount: 1, totalPoints: 60 })
  })

  for (const [what, rows, reason] of [
    [
      'has nothing for the date',
      [position(ANN, 1, { distributionDate: '2026-03-01T00:00:00.000Z' })],
      /no positions of 2026-03-02/,
    ],
    ['is empty', [], /no positions of 2026-03-02/],
    [
      'has a bad line',
      [position(ANN, 1), position(BEN, -0, { aSuppliedAmountUsd: 'many' })],
      /positions\.jsonl:2: aSuppliedAmountUsd/,
    ],
    [
      'has two positions of one user, pool and date',
      [position(ANN, 1), position(BEN, 9, { distributionDate: '2026-03-01' }), position(ANN, 30)],
      /positions\.jsonl:3: has the same key as line 1 \(userAddress, distributionDate, marketAddress\), but other values/,
    ],
    ['names an unknown pool', [position(ANN, 1, { marketAddress: BEN })], /no pool/],
  ] as const)
    test(`a source that ${what} is a 502 and leaves everything as it was`, async () => {
      const before = await json('/points/breakdown-by-assets')
      await source([...rows])
      const response = await update(DAY)
      expect(response.status).toBe(502)
      expect(((await response.json()) as { detail: string }).detail).toMatch(reason)
      expect(await json('/points/breakdown-by-assets')).toEqual(before)
    })

  test('a source that is not there is a 502', async () => {
    await rm(join(dir, 'positions.jsonl'))
    expect((await update(DAY)).status).toBe(502)
  })

  test('two runs of a date at once: one runs, the other gets a conflict or runs after it', async () => {
    const statuses = (await Promise.all([update(DAY), update(DAY), update(DAY)])).map(
      (response) => response.status,
    )
    expect(statuses).toContain(200)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(await json('/points/userpoints')).toEqual({ totalPoints: 300 })
  })
})
