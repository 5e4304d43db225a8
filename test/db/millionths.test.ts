import fc from 'fast-check'
import { ENCODINGS } from 'pothos-sql/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pointsOf } from '../../src/domain/points/millionths.ts'
import { openStore } from '../support/store.ts'

let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  store = await openStore()
})
afterAll(() => store.close())

test('points that the gateway writes from millionths have the text that Postgres writes', async () => {
  const edges = [
    0n,
    1n,
    10n,
    999_999n,
    1_000_000n,
    1_000_001n,
    1_500_000n,
    2n ** 53n,
    2n ** 63n - 1n,
  ]
  const random = fc.sample(fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n), 2000)
  const small = fc.sample(fc.bigInt(-20_000_000n, 20_000_000n), 2000)
  const all = [...edges, ...edges.map((one) => -one), ...random, ...small].map(String)
  const { rows } = await store.pool.query(
    `SELECT ${pointsOf('m')}::text AS points FROM unnest($1::bigint[]) m`,
    [all],
  )
  expect(all.map(ENCODINGS.millionths.json)).toEqual(rows.map(({ points }) => points))
})
