import { afterAll, beforeAll, expect, test } from 'vitest'
import { asker } from '../facts/fact.ts'
import { record } from '../support/datasets.ts'
import { type Gateway, hasPlans, startGateway } from '../support/gateway.ts'
import { ANN, BEN, DAY, importFiles, POOL, pool, position } from '../support/one-pool.ts'

const VAULT = `0x${'6'.repeat(40)}`
let gateway: Gateway

/** Doubles that JavaScript and Postgres write with an exponent, or not, and their digits. */
const VALUES: [number: number, digits: string][] = [
  [1e-7, '0.0000001'],
  [1.25e-5, '0.0000125'],
  [0.1, '0.1'],
  [0, '0'],
  [123456789.12345679, '123456789.12345679'],
  [1e15, '1000000000000000'],
  [1.5e21, '1500000000000000000000'],
  [1e30, '1000000000000000000000000000000'],
]
const owners = VALUES.map((_, i) => `0x${String(i + 1).padStart(40, '0')}`)

beforeAll(async () => {
  gateway = await startGateway()
  const market = { chainId: 1, assetSymbol: 'S', depositRate: 0, borrowRate: 0, poolId: POOL }
  const snapshot = {
    ...{
      chainId: 1,
      positionId: 'main',
      timestamp: '1772366400',
      collateralAssets: '1500000',
      collateralUsd: 3,
    },
    ...{ protectedAssets: '0', protectedUsd: 0, debtAssets: '7', debtUsd: null },
  }
  await importFiles(gateway, {
    pools: [pool],
    markets: [
      { ...market, id: pool.unit_1_id, assetAddress: pool.asset_1_address, assetDecimals: 6 },
    ],
    positions: VALUES.map(([amount], i) =>
      position(owners[i] as string, 1, { aSuppliedAmount: amount, aProtectedSuppliedAmount: 0 }),
    ),
    'market-snapshots': [{ ...snapshot, accountId: ANN, marketId: pool.unit_1_id }],
    vaults: [{ ...record.vaults, chainId: 1, id: VAULT }],
    'vault-liquidation-rewards': [
      { ...record['vault-liquidation-rewards'], chainId: 1, vaultId: VAULT, accountId: BEN },
    ],
  })
})
afterAll(() => gateway.close())

const roads = { planned: {}, resolved: { resolved: true } }
const AMOUNT = '{ raw decimals value usd }'

test.each(Object.entries(roads))(
  '%s: whole tokens of positions are decimal strings without an exponent',
  async (_, road) => {
    const side = `sideA { supplied ${AMOUNT} }`
    const { positions, pools } = await asker(
      gateway,
      road,
    )(`{
    positions(where: { pools: "${POOL}", date: { eq: "${DAY}" } }, orderBy: USER) { nodes { userAddress ${side} } }
    pools { nodes { name positions(where: { date: { eq: "${DAY}" } }, orderBy: USER) { nodes { userAddress ${side} } } } } }`)
    const expected = VALUES.map(([, value], i) => ({
      userAddress: owners[i],
      sideA: { supplied: { raw: null, decimals: 6, value, usd: 1 } },
    }))
    expect(positions.nodes).toEqual(expected)
    expect(pools.nodes[0].positions.nodes).toEqual(expected)
  },
)

test.each(Object.entries(roads))(
  "%s: amounts of a market and of a pool's sides have their token's decimals",
  async (_, road) => {
    const { markets, pools } = await asker(
      gateway,
      road,
    )(`{ markets { nodes { liquidity { raw decimals } protected { value decimals } } }
      pools { nodes { totals { sideA { supplied { decimals } } sideB { supplied { decimals } } } } } }`)
    expect(markets.nodes).toEqual([
      { liquidity: { raw: null, decimals: 6 }, protected: { value: '0', decimals: 6 } },
    ])
    // The market of side B is not stored.
    const [known, unknown] = [{ supplied: { decimals: 6 } }, { supplied: { decimals: null } }]
    expect(pools.nodes).toEqual([{ totals: { sideA: known, sideB: unknown } }])
  },
)

test('REST has the same amounts as numbers', async () => {
  const text = await (await gateway.get(`/positions/breakdown-by-markets?market=${POOL}`)).text()
  expect(
    [...text.matchAll(/"aSuppliedAmount":([^,]+),/g)].map(([, number]) => number).sort(),
  ).toEqual(VALUES.map(([number]) => JSON.stringify(number)).sort())
})

test.each(Object.entries(roads))('%s: what is unknown is null', async (_, road) => {
  const { ann, ben } = await asker(
    gateway,
    road,
  )(`{
    ann: user(address: "${ANN}") { snapshots(where: { entityTypes: MARKET }) { nodes { supplied ${AMOUNT} borrowed ${AMOUNT} } } }
    ben: user(address: "${BEN}") { liquidationRewards(where: { entityTypes: VAULT }) { nodes { supplySent ${AMOUNT} collateralReceived ${AMOUNT} } }
      activity { nodes { amount ${AMOUNT} } } } }`)
  expect(ann.snapshots.nodes).toEqual([
    {
      supplied: { raw: '1500000', decimals: 6, value: '1.5', usd: 3 },
      borrowed: { raw: '7', decimals: 6, value: '0.000007', usd: null },
    },
  ])
  const ofVault = { decimals: null, value: null }
  expect(ben.liquidationRewards.nodes).toEqual([
    {
      supplySent: { raw: '5', ...ofVault, usd: 2.5 },
      collateralReceived: { raw: '6', ...ofVault, usd: null },
    },
  ])
  expect(ben.activity.nodes).toEqual([{ amount: { raw: '1', ...ofVault, usd: 0.5 } }])
})

test('the sum of an amount has the parts that are known, whichever is selected', async () => {
  const aggregatesOf = async (groupBy: string, selection: string) => {
    const where = `where: { users: ["${ANN}"] }`
    const { snapshotAggregates } = await asker(gateway)(`{
      snapshotAggregates(groupBy: ${groupBy}, ${where}, orderBy: SUM_SUPPLIED_VALUE) { ${selection} } }`)
    return snapshotAggregates
  }
  expect(await aggregatesOf('[ENTITY]', `sumSupplied ${AMOUNT}`)).toEqual([
    { sumSupplied: { raw: '1500000', decimals: 6, value: '1.5', usd: 3 } },
  ])
  expect(await aggregatesOf('[USER]', `sumSupplied ${AMOUNT}`)).toEqual([
    { sumSupplied: { raw: null, decimals: null, value: null, usd: 3 } },
  ])
  expect(
    await aggregatesOf(
      '[ENTITY]',
      'sumSupplied { decimals ... on TokenAmount { its: raw } } sum: sumBorrowed { usd }',
    ),
  ).toEqual([{ sumSupplied: { decimals: 6, its: '1500000' }, sum: { usd: null } }])
})

test('an amount costs what its columns cost: USD alone read no market', async () => {
  const costOf = async (selection: string) => {
    const query = `{ user(address: "${ANN}") { snapshots(first: 50) { nodes { ${selection} } } } }`
    const { extensions } = (await gateway.graphql(query, {}, { 'x-graphql-cost': '1' })) as any
    return JSON.stringify(extensions)
  }
  expect(await costOf('supplied { usd }')).toBe(await costOf('time'))
  gateway.statements.length = 0
  await gateway.ask(`{ user(address: "${ANN}") { snapshots { nodes { supplied { usd raw } } } } }`)
  // Resolvers read all columns of a row.
  if (hasPlans) expect(gateway.statements.join(' ')).not.toMatch(/asset_decimals/)
})
