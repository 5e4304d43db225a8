import { expect, test } from 'vitest'
import { lookAtClock } from '../../src/hooks/clock.ts'
import { bodyOf as body } from '../../src/hooks/events.ts'
import { lookAtWallets } from '../../src/hooks/watch.ts'
import { parsed } from '../support/command-line.ts'
import { record } from '../support/datasets.ts'
import { asAdmin, type Gateway } from '../support/gateway.ts'
import { add, hooks, must, open, PRIVATE } from '../support/hooks.ts'
import {
  ANN,
  CAT,
  importFiles,
  midnight,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

/** Hooks that name chains: they receive what is of these, and what is of no chain. */

const URL = 'http://127.0.0.1:9/'
const [HERE, THERE] = [1, 10]
const OTHER = `0x${'6'.repeat(40)}`
const pools = [pool, { ...pool, id: OTHER, chainId: THERE }]
const markets = pools.flatMap(({ chainId, id, unit_1_id, unit_2_id }) =>
  [
    [unit_1_id, pool.asset_1_address],
    [unit_2_id, pool.asset_2_address],
  ].map(([market, assetAddress]) => ({
    ...{ chainId, id: market, poolId: id, assetAddress, assetSymbol: 'S', assetDecimals: 18 },
    ...{ depositRate: 0, borrowRate: 0, maxLtv: 0.7, liquidationThreshold: 0.8 },
  })),
)

/** Ann owes dollars in both pools, with 100 as collateral in each. */
const owe = (gateway: Gateway, day: string, here: number, there: number) =>
  importFiles(gateway, {
    pools,
    markets,
    multipliers: [multiplier],
    positions: [
      [POOL, here],
      [OTHER, there],
    ].map(([marketAddress, debt]) =>
      position(ANN, 100, {
        ...{ marketAddress, distributionDate: midnight(day) },
        ...{ bBorrowedAmount: debt, bBorrowedAmountUsd: debt },
      }),
    ),
  })

/** A hook of each choice of chains, by what it names. */
async function addAll(gateway: Gateway, args: string[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const chains of [[], [HERE], [THERE], [HERE, THERE]]) {
    const chosen = chains.length > 0 ? ['--chain', ...chains.map(String)] : []
    const { id } = await add(gateway, URL, [...args, ...chosen])
    ids[id] = chains.join(' and ') || 'all'
  }
  return ids
}

/** The messages that were noted since the last time, with the chains of their hooks. */
async function noted({ deps }: Gateway, ids: Record<string, string>) {
  const { rows } = await deps.store.pool.query(
    'WITH gone AS (DELETE FROM hook_delivery RETURNING *) SELECT * FROM gone ORDER BY id',
  )
  return rows.map(({ hook_id, event, facts }) => ({ of: ids[hook_id], event, facts }))
}
const ofChains = (messages: { of?: string }[]) => messages.map((one) => one.of).sort()

test("a wallet's lowest health factor is that on the chains of the hook", async () => {
  const gateway = await open()
  const look = () => lookAtWallets(gateway.deps.store.pool, gateway.deps.now())
  const health = ['--wallet', ANN, '--event', 'wallet.health', '--health', '1.1']
  await owe(gateway, '2026-01-01', 75, 40)
  const ids = await addAll(gateway, health)
  await look()
  const low = await noted(gateway, ids)
  expect(ofChains(low)).toEqual(['1', '1 and 10', 'all'])
  for (const { facts } of low) expect(facts.value).toBeCloseTo(80 / 75)
  await owe(gateway, '2026-01-02', 40, 80)
  await look()
  const changed = await noted(gateway, ids)
  expect(ofChains(changed)).toEqual(['1', '10'])
  const there = changed.find((one) => one.of === '10')
  expect(there?.facts).toEqual({
    ...{ wallet: ANN, date: '2026-01-02', value: 1, threshold: 1.1, passed: true },
    chainIds: [THERE],
  })
  const { graphql } = JSON.parse(body('wallet.health', new Date(), there?.facts))
  const { user } = await gateway.ask(graphql.query, graphql.variables)
  expect(user.positions.nodes).toMatchObject([{ poolAddress: OTHER, healthFactor: 1 }])
  expect(low.find((one) => one.of === 'all')?.facts).not.toHaveProperty('chainIds')
  expect(await look()).toBe(0)
})

test('liquidations of other chains are not sent', async () => {
  const gateway = await open()
  await owe(gateway, '2026-01-01', 40, 40)
  const ids = await addAll(gateway, ['--wallet', ANN])
  await importFiles(gateway, {
    liquidations: [
      {
        ...{ chainId: THERE, txHash: `0x${'7'.repeat(64)}`, logIndex: 1, poolId: OTHER },
        ...{
          timestamp: String(Math.floor(Date.now() / 1000) + 60),
          borrower: ANN,
          liquidator: CAT,
        },
        ...{ debtMarketId: pool.unit_2_id, collateralMarketId: pool.unit_1_id },
        ...{ debtRepaid: '10', debtRepaidUsd: 10, collateralSeized: '1', collateralSeizedUsd: 1 },
      },
    ],
  })
  expect(ofChains(await noted(gateway, ids))).toEqual(['1 and 10', '10', 'all'])
})

test('rules are of the chain of their pool, and distributions of none', async () => {
  let now = new Date()
  const gateway = await open({ now: () => now })
  await owe(gateway, '2026-01-01', 40, 40)
  const events = ['rules.announced', 'rules.in_force', 'distribution.computed']
  const ids = await addAll(gateway, ['--event', ...events])
  await gateway.ask(
    `mutation { updateMultipliers(input: { multipliers: [
      { poolAddress: "${OTHER}", depositA: 3, from: "2090-01-01" }] }) { problems { code } } }`,
    {},
    asAdmin,
  )
  const announced = await noted(gateway, ids)
  expect(announced.map(({ event }) => event)).toEqual(Array(3).fill('rules.announced'))
  expect(ofChains(announced)).toEqual(['1 and 10', '10', 'all'])
  now = new Date('2090-01-01T00:01:00Z')
  await lookAtClock(gateway.deps)
  expect(ofChains(await noted(gateway, ids))).toEqual(['1 and 10', '10', 'all'])
  await gateway.ask('mutation { resyncDistribution { run { id } } }', {}, asAdmin)
  expect(await noted(gateway, ids)).toHaveLength(4)
})

test('late snapshots are of a chain', async () => {
  let now = new Date('2026-03-02T20:00:00Z')
  const gateway = await open({ now: () => now })
  await importFiles(gateway, {
    pools: [record.pools],
    markets: [{ ...record.markets, chainId: HERE }],
    'market-snapshots': [
      {
        ...{ ...record['market-snapshots'], chainId: HERE },
        timestamp: String(Date.parse('2026-03-02T18:00:00Z') / 1000),
      },
    ],
  })
  await gateway.deps.store.pool.query('UPDATE run SET finished_at = $1', [now])
  const ids = await addAll(gateway, ['--event', 'data.late'])
  now = new Date('2026-03-05T06:30:00Z')
  await lookAtClock(gateway.deps)
  const late = await noted(gateway, ids)
  expect(late).toMatchObject(late.map(() => ({ facts: { chainId: HERE } })))
  expect(ofChains(late)).toEqual(['1', '1 and 10', 'all'])
})

test('chains are listed once each, and what cannot be one is refused', async () => {
  const gateway = await open()
  const { id } = await add(gateway, URL, ['--chain', '146', '10', '146'])
  expect(parsed(await must(gateway, ['list', '--json']))).toMatchObject([
    { id, chainIds: [146, 10] },
  ])
  const many = Array.from({ length: 101 }, (_, chain) => String(chain + 1))
  for (const chains of [['0'], ['-1'], ['1.5'], ['x'], [''], ['1e300'], ['1', 'NaN'], many]) {
    const outcome = await hooks(
      gateway,
      ['add', URL, `--chain=${chains[0]}`, ...chains.slice(1).flatMap((one) => ['--chain', one])],
      PRIVATE,
    )
    expect(outcome, chains.join()).toMatchObject({ code: 2, out: '' })
  }
  const wasted = ['add', URL, '--event', 'distribution.computed', '--chain', '1']
  const { code, err } = await hooks(gateway, wasted)
  expect(code).toBe(2)
  expect(err).toContain('Chains are for the events data.late, rules.announced')
  expect(parsed(await must(gateway, ['list', '--json']))).toHaveLength(1)
})
