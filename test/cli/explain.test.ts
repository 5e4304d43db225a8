import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  BEN,
  DAY,
  importFiles,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'

let gateway: Gateway
let env: Record<string, string>
beforeAll(async () => {
  gateway = await startGateway()
  env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
  await importFiles(gateway, {
    pools: [pool],
    multipliers: [{ ...multiplier, deposit_tokenA: 1 }],
    positions: [
      position(ANN, 45_514, {
        aTokenPrice: 2,
        aSuppliedAmount: 22_757,
        bBorrowedAmount: 10,
        bBorrowedAmountUsd: 10,
      }),
    ],
  })
})
afterAll(() => gateway.close())

const run = async (...words: string[]) => {
  const { code, out, err } = await command(words, env)
  expect(err).toBe('')
  expect(code).toBe(0)
  return out
}

test('a complaint, why did I lose 22,757 points, has one answer in the graph and by command', async () => {
  expect(await run('runs', 'stale')).toBe(
    'The stored points of all dates are those of their rules.\n',
  )
  await run('multipliers', 'set', POOL, '--deposit-a', '0.5', '--from', DAY, '--yes')
  expect(await run('runs', 'stale')).toMatch(/2026-03-02 +1 +45534 +22777\n/)
  expect(await run('explain', ANN, '--date', DAY)).toContain('the rules now in force yield 22757')
  await gateway.graphql(
    `mutation { resyncDistribution(input: { date: "${DAY}" }) { run { recordId } } }`,
    undefined,
    asAdmin,
  )
  expect(await run('runs', 'stale')).toBe(
    'The stored points of all dates are those of their rules.\n',
  )

  const { user } =
    await gateway.ask(`{ user(address: "${ANN}") { ledger { nodes { date pointsBefore pointsAfter pointsChange reasons
    run { requestedBy multipliers { nodes { depositA from } } } } } } }`)
  expect(user.ledger.nodes).toEqual([
    {
      date: DAY,
      pointsBefore: 45_534,
      pointsAfter: 22_777,
      pointsChange: -22_757,
      reasons: ['MULTIPLIER'],
      run: { requestedBy: 'admin', multipliers: { nodes: [{ depositA: 0.5, from: DAY }] } },
    },
  ])
  const said = await run('explain', ANN, '--date', DAY)
  expect(said).toMatch(/supplied S +22757 +2 +45514 +1 +0\.5 +22757\.000000\n/)
  expect(said).toMatch(/borrowed USDC +10 +1 +10 +0\.5 +4 +20\.000000\n/)
  expect(said).toContain(`${ANN} has 22777 points on ${DAY}.`)
  expect(said).toMatch(/45534 +22777 +-22757 +supply A x1 -> x0.5\n/)
  const lines = (await run('explain', ANN, '--date', DAY, '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { side: 'A', points: '22757', computed: '22757', deposit: 0.5, baseDeposit: 1 },
    { side: 'B', points: '20', computed: '20', borrow: 4, baseBorrow: 0.5 },
    { pointsChange: -22_757, reasons: ['MULTIPLIER'] },
  ])
})

test('wrong input is one sentence', async () => {
  expect(await command(['explain', BEN, '--date', DAY], env)).toMatchObject({
    code: 3,
    err: `${BEN} has no positions on ${DAY}, and no run has changed that.\n`,
  })
  expect(await command(['explain', 'ann', '--date', DAY], env)).toMatchObject({
    code: 2,
    err: "A user's address is 0x and 40 hexadecimal digits, not ann.\n",
  })
  expect(await command(['explain', ANN, '--date', 'today'], env)).toMatchObject({
    code: 2,
    err: 'A date must look like 2025-03-01, not today.\n',
  })
})
