import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSnapshot } from '../../src/db/connect/reader.ts'
import type { Statement } from '../../src/db/connect/scope.ts'
import { Prisma } from '../../src/generated/prisma/client.ts'
import { sampleUser } from '../../src/sample/index.ts'
import { runs } from '../support/extent.ts'
import { ADMIN_TOKEN, type Gateway, onCitus } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const ROUNDS = runs({ sample: 4, all: 6, long: 12 })
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

let gateway: Gateway
let oneDay: Gateway
beforeAll(async () => {
  // A whole store in one answer.
  gateway = await startOnSample({ users: 30, days: 6, env: { MAX_QUERY_COST: '0' } })
  oneDay = await startOnSample({ users: 30, days: 1 })
})
afterAll(async () => {
  await gateway.close()
  await oneDay.close()
})

// A read over several workers of a cluster is not one snapshot.
const ofOneSnapshot = test.skipIf(onCitus)

ofOneSnapshot(
  "a query's answer is of one snapshot while distributions are recomputed",
  async () => {
    const query = `{
    program { totalPoints positionCount: recordCount userCount }
    distributions(first: 1000) { nodes { totalPoints: points positionCount positions(first: 1000) { totalCount nodes { points } } } }
    leaderboard(first: 1000) { totalCount nodes { rank points user { address points: totalPoints rank
      dailyPoints(first: 1000) { nodes { points positionCount positions { points } } }
      positions(first: 1000) { totalCount nodes { points } } } } }
    positions(first: 1000) { totalCount nodes { points } }
  }`
    const totals = new Set<number>()
    await whileChanging(gateway, async () => {
      const data = await gateway.ask(query)
      const { program, distributions, leaderboard, positions } = data
      const entries: any[] = leaderboard.nodes
      const days: any[] = entries.flatMap((entry) => entry.user.dailyPoints.nodes)
      const total = program.totalPoints
      totals.add(total)
      near(sum(distributions.nodes.map((one: any) => one.totalPoints)), total)
      near(sum(entries.map((entry) => entry.points)), total)
      near(sum(days.map((day) => day.points)), total)
      near(pointsOf(days.flatMap((day) => day.positions)), total)
      near(pointsOf(entries.flatMap((entry) => entry.user.positions.nodes)), total)
      near(pointsOf(distributions.nodes.flatMap((one: any) => one.positions.nodes)), total)
      near(pointsOf(positions.nodes), total)
      for (const one of distributions.nodes) near(pointsOf(one.positions.nodes), one.totalPoints)
      for (const { points, rank, user } of entries) {
        expect([user.points, user.rank]).toEqual([points, rank])
        near(pointsOf(user.positions.nodes), points)
      }
      expect(entries.map((entry) => entry.rank)).toEqual(entries.map((_, i) => i + 1))
      for (const [i, entry] of entries.entries())
        if (i > 0)
          expect(Math.round(entry.points * 1e6)).toBeLessThanOrEqual(
            Math.round(entries[i - 1].points * 1e6),
          )
      expect(program.positionCount).toBe(positions.totalCount)
      expect(program.userCount).toBe(leaderboard.totalCount)
    })
    expect(totals.size, 'the changes were seen').toBeGreaterThan(ROUNDS / 3)
  },
)

ofOneSnapshot('so is an answer of a REST endpoint', async () => {
  // All points of the only date are scaled at once, so that parts of one state keep their
  // proportions.
  const get = async (path: string) => (await oneDay.get(path)).json() as Promise<any>
  const before = {
    user: await get(`/points/userpoints?account=${sampleUser}`),
    top: await get('/points/leaderboard'),
  }
  const share = before.user.userPoints / before.user.totalPoints
  const topShare = before.top.topAccounts[0].points / before.top.topAccounts[2].points
  const totals = new Set<number>()
  await whileChanging(
    oneDay,
    async () => {
      const [user, top, daily, positions, reports] = await Promise.all([
        get(`/points/userpoints?account=${sampleUser}`),
        get('/points/leaderboard'),
        get(`/points/${sampleUser}`),
        get(`/positions/${sampleUser}`),
        get('/points/reports'),
      ])
      near(user.userPoints / user.totalPoints, share)
      near(positions.points[0].points / positions.totalPoints, share)
      near(top.topAccounts[0].points / top.topAccounts[2].points, topShare)
      for (const day of daily.items)
        near(sum(day.positions.map((one: any) => one.pointsA + one.pointsB)), day.points)
      expect(reports.items).toHaveLength(1)
      totals.add(reports.items[0].totalPoints)
    },
    scaled,
  )
  expect(totals.size, 'the changes were seen').toBeGreaterThan(ROUNDS / 3)
})

test('an answer that is ready before its reads have ended leaves none to whoever gets the connection next', async () => {
  const { store } = oneDay.deps
  const sent: string[] = []
  const caller = {
    aborted: false,
    onStatement: ({ text, outcome }: Statement) => sent.push(`${text} ${outcome}`),
  }
  const texts = ['SELECT 1', 'SELECT 2 FROM pg_sleep(0.2)', 'SELECT 3', 'SELECT 4']
  const answer = await readSnapshot(
    store,
    async (reader) => {
      const reads = texts.map((text) => reader.$queryRaw(Prisma.raw(text)))
      await reads[0]
      return { running: reads[1] }
    },
    store.reads.scope(caller),
  )
  await answer.running
  await expect.poll(() => store.pool.totalCount - store.pool.idleCount).toBe(0)
  expect(sent.filter((one) => one.endsWith(' ok'))).toEqual(
    texts.slice(0, 2).map((text) => `${text} ok`),
  )
})

/**
 * Runs `look` over and over, four at a time, while multipliers change and dates are recomputed,
 * again and again.
 */
async function whileChanging(
  target: Gateway,
  look: () => Promise<void>,
  change = mixed,
): Promise<void> {
  const { data } =
    await target.graphql(`{ distributions { nodes { date } } pools(first: 1000) { nodes {
    address multiplier { depositA depositB borrowA borrowB } } } }`)
  const dates: string[] = data.distributions.nodes.map((one: any) => one.date)
  let changing = true
  const looking = Array.from({ length: 4 }, async () => {
    while (changing) await look()
  })
  const changes = async () => {
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const multipliers = change(data.pools.nodes, round)
        const update =
          'mutation ($multipliers: [MultiplierInput!]!) { updateMultipliers(input: { multipliers: $multipliers }) { multipliers { id } } }'
        expect((await target.graphql(update, { multipliers }, admin)).errors).toBeUndefined()
        const resync =
          'mutation ($date: Date!) { resyncDistribution(input: { date: $date }) { run { status } } }'
        const date = dates[round % dates.length]
        expect((await target.graphql(resync, { date }, admin)).errors).toBeUndefined()
      }
    } finally {
      changing = false
    }
  }
  await Promise.all([changes(), ...looking])
}

/** New multipliers, of other proportions in every round. */
const mixed = (pools: any[], round: number) =>
  pools.map(({ address }, i) => ({
    poolAddress: address,
    depositA: ((i * 7 + round * 3) % 11) + 0.25,
    depositB: (i * 5 + round) % 7,
    borrowA: ((i + round * 5) % 13) / 3,
    borrowB: (i + round) % 3,
  }))

/** The same multipliers, times a factor. */
const scaled = (pools: any[], round: number) =>
  pools.flatMap(({ address, multiplier }) => {
    const times = (value: number) => value * (round + 2)
    if (!multiplier) return []
    const { depositA, depositB, borrowA, borrowB } = multiplier
    return {
      poolAddress: address,
      depositA: times(depositA),
      depositB: times(depositB),
      borrowA: times(borrowA),
      borrowB: times(borrowB),
    }
  })

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const pointsOf = (positions: { points: number }[]) => sum(positions.map((one) => one.points))

function near(value: number, expected: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-9)
}
