import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
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

/** Protected supply earns points from the least LTV on that the base points of a date name. */

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03'] as const
let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  // 60 borrowable and 40 protected dollars of A each, and debts of a cent, of $5 and of none.
  const of = (user: string, debt: number, day: string) =>
    position(user, 60, {
      distributionDate: midnight(day),
      aProtectedSuppliedAmount: 40,
      aProtectedSuppliedAmountUsd: 40,
      bBorrowedAmount: debt,
      bBorrowedAmountUsd: debt,
    })
  await importFiles(gateway, {
    pools: [pool],
    multipliers: [{ ...multiplier, deposit_tokenA: 1, borrow_tokenB: 0 }],
    positions: DAYS.flatMap((day) => [of(ANN, 0.01, day), of(BEN, 5, day), of(CAT, 0, day)]),
  })
})
afterAll(() => gateway.close())

const admin = async (query: string) => {
  const { data, errors } = await gateway.graphql(query, undefined, asAdmin)
  return errors ? errors[0] : data
}
const env = () => ({ DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })
const basePoints = (...args: string[]) => command(['base-points', ...args], env())
const pointsOn = async (day: string) => {
  const { positions } = await gateway.ask(
    `{ positions(where: { date: { eq: "${day}" } }) { nodes { userAddress points pointsPerDay } } }`,
  )
  return Object.fromEntries(positions.nodes.map((one: any) => [one.userAddress, one]))
}
const resync = (day: string) =>
  admin(`mutation { resyncDistribution(input: { date: "${day}" }) { run { status } } }`)

test('without it any debt is enough, as documented', async () => {
  for (const day of DAYS)
    expect(await pointsOn(day)).toMatchObject({
      [ANN]: { points: 100 },
      [BEN]: { points: 100 },
      [CAT]: { points: 60 },
    })
})

test('from its date on a smaller debt does not count, and runs, previews and ledgers say so', async () => {
  const { out } = await basePoints(
    ...['set', '--deposit', '1', '--borrow', '0.5'],
    ...['--protected-min-ltv', '0.05', '--from', DAYS[2]],
  )
  expect(out).toContain('Protected supply counts from an LTV of 0.05 on.')
  const { previewDistribution } = (await admin(
    `{ previewDistribution(date: "${DAYS[2]}") { totalsAfter { points } } }`,
  )) as any
  expect(previewDistribution.totalsAfter.points).toBe(220)
  for (const day of DAYS) await resync(day)
  expect(await pointsOn(DAYS[1])).toMatchObject({ [ANN]: { points: 100 } })
  // 5 of 100 is just enough.
  expect(await pointsOn(DAYS[2])).toMatchObject({
    [ANN]: { points: 60, pointsPerDay: 60 },
    [BEN]: { points: 100, pointsPerDay: 100 },
    [CAT]: { points: 60, pointsPerDay: 60 },
  })
  const {
    basePoints: rules,
    runs,
    user,
  } = await gateway.ask(`{
    basePoints(asOf: "${DAYS[2]}") { deposit borrow protectedMinLtv }
    runs(first: 2, where: { kinds: RESYNC }) { nodes { date basePointsProtectedMinLtv } }
    user(address: "${ANN}") { ledger { nodes { date pointsChange reasons } } } }`)
  expect(rules).toEqual({ deposit: 1, borrow: 0.5, protectedMinLtv: 0.05 })
  expect(runs.nodes).toEqual([
    { date: DAYS[2], basePointsProtectedMinLtv: 0.05 },
    { date: DAYS[1], basePointsProtectedMinLtv: null },
  ])
  expect(user.ledger.nodes).toEqual([
    { date: DAYS[2], pointsChange: -40, reasons: ['BASE_POINTS'] },
  ])
  const { out: explained } = await command(['explain', ANN, '--date', DAYS[2]], env())
  expect(explained).toMatch(/protected, not counted: S +40/)
  expect((await basePoints('history')).out).toMatch(/1 +0\.5 +0\.05 +2026-03-03/)
})

test('an LTV that is no fraction is refused, and nothing is stored', async () => {
  for (const ltv of [-0.1, 1.5]) {
    const error: any = await admin(`mutation { setBasePoints(input: { deposit: 1, borrow: 1,
      protectedMinLtv: ${ltv} }) { revision { recordId } } }`)
    expect(error).toMatchObject({
      message: expect.stringMatching(/^protectedMinLtv must be a fraction from 0 to 1/),
      extensions: { code: 'BAD_INPUT' },
    })
  }
  const { basePointsRevisions } = await gateway.ask('{ basePointsRevisions { protectedMinLtv } }')
  expect(basePointsRevisions).toEqual([{ protectedMinLtv: 0.05 }])
})
