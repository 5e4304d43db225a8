import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAtWallets } from '../../src/hooks/watch.ts'
import { parsed } from '../support/command-line.ts'
import type { Gateway } from '../support/gateway.ts'
import {
  add,
  bodyOf,
  hooks,
  must,
  open,
  PRIVATE,
  receiver,
  sendFor,
  until,
} from '../support/hooks.ts'
import {
  ANN,
  BEN,
  CAT,
  importFiles,
  midnight,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'

/** Hooks that watch wallets: when their values pass others, and when they are liquidated. */

const market = (id: string, assetAddress: string, more: object = {}) => ({
  chainId: pool.chainId,
  id,
  poolId: pool.id,
  assetAddress,
  assetSymbol: 'S',
  assetDecimals: 18,
  depositRate: 0,
  borrowRate: 0,
  ...more,
})
const limits = { maxLtv: 0.7, liquidationThreshold: 0.8 }
const markets = (more: object) => [
  market(pool.unit_1_id, pool.asset_1_address, more),
  market(pool.unit_2_id, pool.asset_2_address, more),
]

/** Ann owes dollars, with 100 as collateral: her health factor is 80 for each of them. */
const owe = (gateway: Gateway, day: string, debt: number, wallet = ANN) =>
  importFiles(gateway, {
    pools: [pool],
    markets: markets(limits),
    positions: [
      position(wallet, 100, {
        distributionDate: midnight(day),
        bBorrowedAmount: debt,
        bBorrowedAmountUsd: debt,
      }),
    ],
  })

const look = ({ deps }: Gateway) => lookAtWallets(deps.store.pool, deps.now())
const facts = async ({ deps }: Gateway) =>
  (
    await deps.store.pool.query<{ facts: Record<string, unknown> }>(
      'SELECT facts FROM hook_delivery ORDER BY id',
    )
  ).rows.map((row) => row.facts)

const HEALTH = ['--wallet', ANN.toUpperCase(), '--event', 'wallet.health', '--health', '1.1']

test('a low health factor is sent once, and once when it recovers', async () => {
  const gateway = await open()
  const place = await receiver()
  await owe(gateway, '2026-01-01', 50)
  await add(gateway, place.base, HEALTH)
  sendFor(gateway)
  await owe(gateway, '2026-01-02', 75)
  await until(() => expect(place.requests).toHaveLength(1))
  await owe(gateway, '2026-01-03', 40)
  await until(() => expect(place.requests).toHaveLength(2))
  const [low, recovered] = place.requests.map(bodyOf)
  expect(low).toMatchObject({
    type: 'wallet.health',
    data: { wallet: ANN, date: '2026-01-02', threshold: 1.1, passed: true },
  })
  expect(low.data.value).toBeCloseTo(80 / 75)
  expect(recovered.data).toMatchObject({ date: '2026-01-03', value: 2, passed: false })
  const { user } = await gateway.ask(low.graphql.query, low.graphql.variables)
  expect(user.positions.nodes).toMatchObject([{ healthFactor: low.data.value }])
})

test('a health factor near its value does not flap, and an unknown one sends nothing', async () => {
  const gateway = await open()
  const place = await receiver()
  await owe(gateway, '2026-01-01', 50)
  await add(gateway, place.base, HEALTH)
  const noted: number[] = []
  // 80 / 72.5 is between 1.1 and its 102 %.
  for (const [day, debt] of [50, 75, 72.5, 75, 72.5, 70, 72.5].entries()) {
    await owe(gateway, `2026-01-1${day}`, debt)
    noted.push(await look(gateway))
  }
  expect(noted).toEqual([0, 1, 0, 0, 0, 1, 0])
  await owe(gateway, '2026-01-20', 90)
  expect([await look(gateway), await look(gateway)]).toEqual([1, 0])
  await gateway.deps.store.pool.query('UPDATE market SET liquidation_threshold = NULL')
  await gateway.deps.store.pool.query(
    "UPDATE market SET limits_until = '{}', past_liquidation_thresholds = '{}', past_max_ltvs = '{}'",
  )
  expect(await look(gateway)).toBe(0)
  await owe(gateway, '2026-01-21', 60, BEN)
  expect(await look(gateway)).toBe(1)
})

test('a health factor that is low when the hook is added is sent; no rank and no points are', async () => {
  const gateway = await open()
  const place = await receiver()
  await owe(gateway, '2026-01-01', 90)
  await add(gateway, place.base, [
    ...['--wallet', ANN, CAT],
    ...['--health', '1.1', '--rank', '1', '--points', '1'],
  ])
  expect(await look(gateway)).toBe(1)
  expect(await facts(gateway)).toMatchObject([{ wallet: ANN, threshold: 1.1, passed: true }])
})

test('ranks and points are sent when they pass their value, and when they fall back', async () => {
  const gateway = await open()
  const place = await receiver()
  const day = (date: string, points: Record<string, number>) =>
    importFiles(gateway, {
      pools: [pool],
      multipliers: [multiplier],
      positions: Object.entries(points).map(([wallet, usd]) =>
        position(wallet, usd, { distributionDate: midnight(date), pointsA: usd, pointsB: 0 }),
      ),
    })
  await day('2026-01-01', { [ANN]: 10, [BEN]: 5 })
  await add(gateway, place.base, ['--wallet', BEN, '--rank', '1', '--points', '100'])
  sendFor(gateway)
  await until(async () => {
    const { rows } = await gateway.deps.store.pool.query(
      "SELECT FROM hook_watch WHERE passed IS NULL AND event <> 'wallet.liquidation'",
    )
    expect(rows).toHaveLength(0)
  })
  await day('2026-01-02', { [BEN]: 95 })
  await until(() => expect(place.requests).toHaveLength(2))
  await day('2026-01-02', { [BEN]: 4 })
  await until(() => expect(place.requests).toHaveLength(4))
  const sent = place.requests.map(bodyOf)
  const seen = sent.map(({ type, data }) => [type, data.value, data.passed])
  expect(seen).toEqual([
    ['wallet.points', 100, true],
    ['wallet.rank', 1, true],
    ['wallet.points', 9, false],
    ['wallet.rank', 2, false],
  ])
  const { user } = await gateway.ask(sent[0].graphql.query, sent[0].graphql.variables)
  expect(user).toEqual({ rank: 2, totalPoints: 9 })
})

test('a liquidation of a watched wallet is sent once, unless it is older than the hook', async () => {
  const gateway = await open()
  const place = await receiver()
  await owe(gateway, '2026-01-01', 50)
  await add(gateway, place.base, ['--wallet', ANN])
  await add(gateway, `${place.base}/ben`, ['--wallet', BEN])
  const now = Math.floor(Date.now() / 1000)
  const liquidation = (digit: string, timestamp: number) => ({
    chainId: 1,
    txHash: `0x${digit.repeat(64)}`,
    logIndex: 1,
    timestamp: String(timestamp),
    borrower: ANN,
    liquidator: CAT,
    poolId: pool.id,
    debtMarketId: pool.unit_2_id,
    collateralMarketId: pool.unit_1_id,
    debtRepaid: '10',
    debtRepaidUsd: 10,
    collateralSeized: '11',
    collateralSeizedUsd: 11,
  })
  const liquidations = [liquidation('1', now - 86_400), liquidation('2', now + 60)]
  sendFor(gateway)
  for (let time = 0; time < 2; time++) await importFiles(gateway, { liquidations })
  await until(() => expect(place.requests).toHaveLength(1))
  const [sent] = place.requests.map(bodyOf)
  expect(sent).toMatchObject({
    type: 'wallet.liquidation',
    data: { wallet: ANN, transaction: liquidations[1]?.txHash, debtRepaidUsd: 10 },
  })
  const answer = await gateway.ask(sent.graphql.query, sent.graphql.variables)
  expect(answer.liquidations.nodes).toMatchObject([{ debtRepaid: { usd: 10 } }])
  await until(async () => expect(await facts(gateway)).toEqual([]))
  expect(place.requests).toHaveLength(1)
})

test('two gateways send a crossing once, and a rolled back one is not sent', async () => {
  const gateway = await open()
  const other = await open({ on: gateway })
  const place = await receiver()
  await owe(gateway, '2026-01-01', 50)
  await add(gateway, place.base, HEALTH)
  await look(gateway)
  await owe(gateway, '2026-01-02', 75)
  const noted = await Promise.all([gateway, other, gateway, other].map(look))
  expect(noted.toSorted()).toEqual([0, 0, 0, 1])
  for (const one of [gateway, other]) sendFor(one)
  await until(() => expect(place.requests).toHaveLength(1))
})

test('above 10,000 messages the oldest stay, and one says how many were dropped', async () => {
  const gateway = await open()
  const { id } = await add(gateway, (await receiver()).base)
  const { pool: store } = gateway.deps.store
  const note = (count: number) =>
    store.query(
      `INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at)
       SELECT $1, 'distribution.computed', 'test', jsonb_build_object('n', n), now()
       FROM generate_series(1, $2::int) n`,
      [id, count],
    )
  for (const count of [9_999, 5, 3]) await note(count)
  const { rows } = await store.query(
    `SELECT event, count(*)::int, max((facts->>'n')::int) AS n, max(facts->>'count') AS dropped FROM hook_delivery GROUP BY 1 ORDER BY 1`,
  )
  expect(rows).toEqual([
    { event: 'distribution.computed', count: 10_000, n: 9999, dropped: null },
    { event: 'messages.dropped', count: 1, n: null, dropped: '7' },
  ])
})

test('wallets come from a file too, and what cannot be watched is refused', async () => {
  const gateway = await open()
  const { base } = await receiver()
  const file = join(tmpdir(), `gateway-wallets-${process.pid}.txt`)
  await writeFile(file, `${ANN}\n${BEN.toUpperCase()}\r\n\n${ANN}\n`)
  const { id } = await add(gateway, base, ['--wallets', file, '--wallet', CAT, '--rank', '5'])
  expect(parsed(await must(gateway, ['list', '--json']))).toMatchObject([
    { id, wallets: 3, events: ['wallet.rank', 'wallet.liquidation'] },
  ])
  const refused = async (...args: string[]) => {
    const outcome = await hooks(gateway, ['add', base, ...args], PRIVATE)
    expect(outcome, args.join(' ')).toMatchObject({ code: 2, out: '' })
  }
  await refused('--wallet', '0x12')
  await refused('--wallet', "0x'; DROP TABLE hook; --")
  await refused('--wallets', join(tmpdir(), 'gateway-nothing'))
  await refused('--health', '1.1')
  await refused('--event', 'wallet.health', '--wallet', ANN)
  await refused('--event', 'wallet.liquidation')
  await refused('--event', 'distribution.computed', '--wallet', ANN)
  for (const health of ['-1', '0', 'NaN', 'Infinity', 'x'])
    await refused('--wallet', ANN, `--health=${health}`)
  await must(gateway, ['remove', id])
  expect((await gateway.deps.store.pool.query('SELECT FROM hook_watch')).rowCount).toBe(0)
})
