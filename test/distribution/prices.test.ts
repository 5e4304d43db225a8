import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { datasetPositions, openDirectory } from '../../src/sources/index.ts'
import { emptyProgram, everything } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  importFiles,
  jsonLines,
  midnight,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'

const [BEFORE, DAY, AFTER] = ['2026-03-01', '2026-03-02', '2026-03-03']
const [S, USDC] = [pool.asset_1_address, pool.asset_2_address]
const OTHER_CHAIN = `0x${'6'.repeat(40)}`
const TURNED = `0x${'7'.repeat(40)}`

let gateway: Gateway
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-prices-'))
  gateway = await startGateway({
    env: { MAX_PRICE_JUMP: '4' },
    positionsSource: datasetPositions(dir, () => openDirectory(dir)),
  })
  const pools = [pool, { ...pool, id: OTHER_CHAIN, chainId: 2 }, { ...pool, id: TURNED }]
  await importFiles(gateway, { pools })
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true })
})

const priced = (day: string, a: number, b = 1, more: object = {}) =>
  position(ANN, 10, { distributionDate: midnight(day), aTokenPrice: a, bTokenPrice: b, ...more })
const turned = {
  marketAddress: TURNED,
  aTokenAddress: USDC,
  aTokenSymbol: 'USDC',
  bTokenAddress: S,
  bTokenSymbol: 'S',
}

async function update(
  day: string,
  rows: object[],
): Promise<{ status: number; detail?: string; totalPoints?: number }> {
  await writeFile(join(dir, 'positions.jsonl'), jsonLines(rows))
  const response = await fetch(`${gateway.base}/points/manualupdate?date=${day}`, {
    method: 'POST',
    headers: asAdmin,
  })
  return { status: response.status, ...((await response.json()) as object) }
}

/** The store has S at 2 and USDC at 1 on the date before, and on the date itself. */
beforeEach(async () => {
  await emptyProgram(gateway.deps.store.pool)
  await importFiles(gateway, {
    multipliers: [multiplier],
    positions: [priced(BEFORE, 2), priced(DAY, 2)],
  })
})

const told = (suspect: string) => `The source of prices, ${dir}, failed: the price of ${suspect}.`
const jump = (symbol: string, token: string, before: number, price: number) =>
  `${symbol} (${token}) went from ${before} on ${BEFORE} to ${price}, by more than 4 times; if that is right, raise MAX_PRICE_JUMP and run again`

test.each<[string, object[], string]>([
  ['of zero', [priced(DAY, 0)], `S (${S}) is 0`],
  ['of zero, on the other side', [priced(DAY, 2, 0)], `USDC (${USDC}) is 0`],
  ['below zero', [priced(DAY, -2)], `S (${S}) is -2`],
  ['that jumps up', [priced(DAY, 8.01)], jump('S', S, 2, 8.01)],
  ['that jumps down', [priced(DAY, 0.49)], jump('S', S, 2, 0.49)],
  ['that jumps on the other side', [priced(DAY, 2, 0.2)], jump('USDC', USDC, 1, 0.2)],
  [
    'that jumps for one position of many',
    [priced(DAY, 2), priced(DAY, 9, 1, { userAddress: BEN })],
    jump('S', S, 2, 9),
  ],
  [
    'that jumped while its token was on the other side',
    [priced(DAY, 1, 9, turned)],
    jump('S', S, 2, 9),
  ],
])(
  'a price %s is a 502 that names the source, the token and both prices; the date stays',
  async (_, rows, suspect) => {
    const before = await everything(gateway.deps.store.pool)
    expect(await update(DAY, rows)).toMatchObject({ status: 502, detail: told(suspect) })
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
  },
)

test.each<[string, object[]]>([
  ['that rises by the allowed factor', [priced(DAY, 8)]],
  ['that falls by the allowed factor', [priced(DAY, 0.5)]],
  ['that stays, of a token that was on the other side', [priced(DAY, 1, 2, turned)]],
  ['of a token that has none before', [priced(DAY, 500, 1, { aTokenAddress: BEN })]],
  [
    'of a token that has none before on that chain',
    [priced(DAY, 500, 100, { marketAddress: OTHER_CHAIN })],
  ],
])('a price %s is believed', async (_, rows) => {
  expect(await update(DAY, rows)).toMatchObject({ status: 200 })
})

test('a token of one address has a price of its own on each chain', async () => {
  const there = (day: string, a: number) => priced(day, a, 1, { marketAddress: OTHER_CHAIN })
  await importFiles(gateway, { positions: [there(BEFORE, 200)] })
  expect(await update(DAY, [priced(DAY, 2.5), there(DAY, 210)])).toMatchObject({ status: 200 })
  expect(await update(DAY, [priced(DAY, 210), there(DAY, 210)])).toMatchObject({
    status: 502,
    detail: told(jump('S', S, 2, 210)),
  })
  expect(await update(DAY, [priced(DAY, 2), there(DAY, 2)])).toMatchObject({
    status: 502,
    detail: told(jump('S', S, 200, 2)),
  })
})

test('the newest date before counts, none after, and no price of an import that cannot be one', async () => {
  await importFiles(gateway, { positions: [priced('2026-02-20', 100), priced(AFTER, 1000)] })
  expect(await update(DAY, [priced(DAY, 2)])).toMatchObject({ status: 200 })
  await importFiles(gateway, { positions: [priced(BEFORE, 0)] })
  expect(await update(DAY, [priced(DAY, 26)])).toMatchObject({ status: 200 })
  expect(await update(DAY, [priced(DAY, 24)])).toMatchObject({ status: 502 })
})

test('the first implausible price by token is reported, and a valid run goes through', async () => {
  expect((await update(DAY, [priced(DAY, 0, 0)])).detail).toBe(told(`S (${S}) is 0`))
  expect(await update(DAY, [priced(DAY, 2)])).toMatchObject({ status: 200, totalPoints: 20 })
  const { data } = await gateway.graphql(
    `{ runs(where: { date: { eq: "${DAY}" }, statuses: FAILED }, first: 1) { nodes { error } } }`,
  )
  expect(data.runs.nodes).toEqual([{ error: told(`S (${S}) is 0`) }])
})
