import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleVault } from '../../src/sample/index.ts'
import { record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 20, days: 6, plan: true })
})
afterAll(() => gateway.close())

const TOTALS = 'start lastDate totalAssets { raw usd } totalShares sharePrice userCount'
const NOW = 'totalAssets { raw usd } tvlUsd totalShares sharePrice userCount'

test('a vault has the totals of its newest day, and those of a series are read at once', async () => {
  const query = `{ vaults(first: 50) { nodes { ${NOW} totals { lastDate ${NOW} } series(interval: WEEK) { ${TOTALS} } } } }`
  await gateway.ask(query)
  gateway.statements.length = 0
  const { vaults } = await gateway.ask(query)
  expect(gateway.statements.length).toBe(1)
  expect(vaults.nodes.length).toBeGreaterThan(2)
  const used = vaults.nodes.filter(({ totals }: { totals: object | null }) => totals)
  expect(used.length).toBeGreaterThan(1)
  for (const { totals, series, ...now } of used) {
    expect(totals).toMatchObject(now)
    const { start, lastDate, ...last } = series.at(-1)
    expect({ ...last, tvlUsd: now.tvlUsd }).toEqual(now)
    expect(lastDate).toBe(totals.lastDate)
    expect(lastDate >= start).toBe(true)
  }
  gateway.statements.length = 0
  await gateway.ask(
    `{ vaults(first: 50, orderBy: TVL_USD) { nodes { ${NOW} totals(asOf: "2030-01-01") { ${TOTALS} } } } }`,
  )
  expect(gateway.statements.length).toBe(1)
})

test('a series has at most 1,000 buckets, and ends after it begins', async () => {
  const of = (range: string) =>
    gateway.graphql(
      `{ vault(chainId: ${sampleVault.chainId}, address: "${sampleVault.address}") { series(${range}) { start } } }`,
    )
  for (const range of [
    'from: "2000-01-01", to: "2020-01-01"',
    'from: "2026-01-02", to: "2026-01-01"',
  ]) {
    const { errors } = await of(range)
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_INPUT' } }])
  }
})

test('without a snapshot a vault has no users, and its totals are unknown', async () => {
  const empty = await startGateway()
  try {
    const unknown = {
      totalAssets: null,
      tvlUsd: null,
      totalShares: null,
      sharePrice: null,
      userCount: 0,
    }
    expect(await empty.ask(`{ vaults { nodes { ${NOW} } } }`)).toEqual({ vaults: { nodes: [] } })
    await importFiles(empty, { vaults: [record.vaults] })
    for (const order of ['TVL_USD', 'SHARE_PRICE', 'USER_COUNT'])
      expect(
        await empty.ask(`{ vaults(orderBy: ${order}) { nodes { ${NOW} totals { start } series { start }
          range: series(from: "2026-01-01", to: "2026-01-01") { ${TOTALS} } } } }`),
      ).toEqual({
        vaults: {
          nodes: [
            {
              ...unknown,
              totals: null,
              series: [],
              range: [
                {
                  start: '2026-01-01',
                  lastDate: null,
                  totalAssets: null,
                  totalShares: null,
                  sharePrice: null,
                  userCount: null,
                },
              ],
            },
          ],
        },
      })
  } finally {
    await empty.close()
  }
})
