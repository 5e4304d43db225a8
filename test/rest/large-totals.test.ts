import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, DAY, importFiles, midnight, multiplier, pool, position } from '../support/one-pool.ts'

/** As many points as the real program has: more than a double holds to the millionth. */
const TOTAL = '26512345678.123457'
const millionths = TOTAL.replace('.', '')

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, {
    pools: [pool],
    multipliers: [multiplier],
    positions: [position(ANN, 0.1)],
  })
  const { pool: store } = gateway.deps.store
  await store.query(`UPDATE program SET total_points = ${millionths}`)
  await store.query(`UPDATE distribution SET total_points = ${millionths}`)
  await store.query(`UPDATE account SET points = ${millionths}`)
})
afterAll(() => gateway.close())

const text = async (path: string) => (await gateway.get(path)).text()

test('totals beyond what a double holds are written to the millionth', async () => {
  expect(Number(TOTAL).toString()).not.toBe(TOTAL)
  expect(await text('/points/userpoints')).toBe(`{"totalPoints":${TOTAL}}`)
  expect(await text(`/points/userpoints?account=${ANN}`)).toBe(
    `{"account":"${ANN}","userPoints":${TOTAL},"totalPoints":${TOTAL}}`,
  )
  expect(await text(`/points/leaderboard?account=${ANN}`)).toContain(
    `"points":${TOTAL},"rank":"1"},{`,
  )
  expect(await text('/points/reports')).toBe(
    `{"items":[{"distributionDate":"${midnight(DAY)}","totalPoints":${TOTAL},"positionCount":1}]}`,
  )
  expect(await text(`/positions/${ANN}`)).toContain(`"points":${TOTAL}}],"totalPoints":${TOTAL}}`)
  const query = encodeURIComponent(
    '{ program { totalPoints } distributions { nodes { totalPoints: points } } }',
  )
  expect(await text(`/graphql?query=${query}`)).toBe(
    `{"data":{"program":{"totalPoints":${TOTAL}},"distributions":{"nodes":[{"totalPoints":${TOTAL}}]}}}`,
  )
})

test('the maximum points of a side of a position are documented in the error', async () => {
  const side = (points: number) =>
    importFiles(gateway, { positions: [position(ANN, 1, { pointsA: points, pointsB: 0 })] })
  await side(2 ** 33)
  expect(await text(`/points/${ANN}`)).toContain('"pointsA":8589934592,')
  await expect(side(2 ** 33 + 1)).rejects.toThrow(
    'pointsA: must be a number from -8589934592 to 8589934592',
  )
  await expect(importFiles(gateway, { positions: [position(ANN, 2 ** 33)] })).rejects.toThrow(
    'A side of a position has at most 8589934592 points. Nothing was changed.',
  )
  expect(await text(`/points/${ANN}`)).toContain('"pointsA":8589934592,')
})

test('given points are the nearest millionth, ties to even', async () => {
  const cases: [given: number, stored: string][] = [
    [0.0000005, '0'],
    [0.0000015, '0.000002'],
    [-0.0000015, '-0.000002'],
    [0.1234564999, '0.123456'],
    [5_000_000_000.123457, '5000000000.123457'],
    [1e-300, '0'],
  ]
  for (const [pointsA, stored] of cases) {
    await importFiles(gateway, { positions: [position(ANN, 1, { pointsA, pointsB: 0 })] })
    expect(await text(`/points/${ANN}`), String(pointsA)).toContain(
      `"pointsA":${stored},"pointsB":0,"points":${stored},`,
    )
  }
})
