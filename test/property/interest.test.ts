import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, asker } from '../facts/fact.ts'
import { addressOf, hashOf, record } from '../support/datasets.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles } from '../support/one-pool.ts'
import { emptyTables } from '../support/store.ts'

/** Profit and its parts: interest in tokens, prices and liquidations. */

type Row = Record<string, any>

const DAY = 86_400
const START = Date.parse('2026-03-02T00:00:00Z') / 1000
const DAYS = 6
const iso = (second: number) => new Date(second * 1000).toISOString()
const at = (day: number, second = 0) => START + day * DAY + second
const USERS = ['alice', 'bob'].map(addressOf)
const [alice = ''] = USERS
const token = (name: string, decimals: number) => ({
  assetAddress: addressOf(name),
  assetSymbol: name.toUpperCase(),
  assetDecimals: decimals,
})
const ENTITIES = [
  { type: 'market', id: addressOf('usdc market'), ...token('usdc', 6) },
  { type: 'market', id: addressOf('weth market'), ...token('weth', 18) },
  { type: 'market', id: addressOf('wei market'), ...token('wei', 0) },
  { type: 'market', id: addressOf('long market'), ...token('long', 27) },
  { type: 'vault', id: addressOf('usdc vault'), ...token('usdc', 6) },
]
const [usdcMarket, wethMarket] = ENTITIES as Row[] as [Row, Row]

const PARTS = 'profitUsd interestUsd priceUsd liquidationUsd'
const ROW = `${PARTS} interest { raw decimals value usd }`
const ALL = `${PARTS} breakdown { entityType entityAddress ${ROW} earningsUsd }
  byAsset { asset { symbol } ${ROW} } byPool { poolAddress ${PARTS} }`

let gateway: Gateway
let roads: Ask[]
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  roads = [asker(gateway), asker(gateway, { resolved: true })]
  const of = (type: string) =>
    ENTITIES.filter((one) => one.type === type).map(({ type: _, ...entity }) => entity)
  await importFiles(gateway, {
    pools: [record.pools],
    markets: of('market').map((entity) => ({ ...record.markets, ...entity })),
    vaults: of('vault').map((entity) => ({ ...record.vaults, ...entity })),
  })
})
afterAll(() => gateway?.close())

const TABLES = [
  'market_snapshot',
  'vault_snapshot',
  'market_liquidation_reward',
  'vault_liquidation_reward',
  'cash_flow',
  'asset_price',
]

interface History {
  snapshots: Row[]
  flows: Row[]
  rewards: Row[]
  prices: Row[]
}

async function store({ snapshots, flows, rewards, prices }: History) {
  await emptyTables(gateway.deps.store.pool, TABLES)
  const of = (rows: Row[], type: string) =>
    rows.filter(({ entity }) => entity.type === type).map(({ entity: _, ...row }) => row)
  await importFiles(gateway, {
    prices,
    'market-snapshots': of(snapshots, 'market'),
    'vault-snapshots': of(snapshots, 'vault'),
    'market-liquidation-rewards': of(rewards, 'market'),
    'vault-liquidation-rewards': of(rewards, 'vault'),
    'cash-flows': flows.map(({ entity: _, ...flow }) => flow),
  })
}

let hashes = 0
const flow = (
  entity: Row,
  kind: string,
  second: number,
  assets: bigint | null,
  amountUsd: number | null,
  accountId = alice,
) => ({
  entity,
  chainId: 1,
  entityType: entity.type,
  entityId: entity.id,
  accountId,
  txHash: hashOf(`flow ${hashes++}`),
  logIndex: 0,
  timestamp: String(second),
  kind,
  assets: assets === null ? null : String(assets),
  amountUsd,
})
const snapshot = (
  entity: Row,
  second: number,
  [supply, protectedSupply, debt]: [bigint, bigint, bigint],
  [supplyUsd, protectedUsd, debtUsd]: (number | null)[],
  accountId = alice,
) => ({
  entity,
  chainId: 1,
  accountId,
  positionId: 'main',
  timestamp: String(second),
  ...(entity.type === 'market'
    ? {
        marketId: entity.id,
        collateralAssets: String(supply),
        collateralUsd: supplyUsd,
        protectedAssets: String(protectedSupply),
        protectedUsd,
        debtAssets: String(debt),
        debtUsd,
      }
    : { vaultId: entity.id, shares: '1', assets: String(supply), assetsUsd: supplyUsd }),
})
const reward = (
  entity: Row,
  second: number,
  sent: bigint,
  [supplySentUsd, collateralReceivedUsd]: (number | null)[],
  accountId = alice,
) => ({
  entity,
  chainId: 1,
  txHash: hashOf(`reward ${hashes++}`),
  logIndex: 7,
  timestamp: String(second),
  accountId,
  supplySent: String(sent),
  supplySentUsd,
  collateralReceived: '1',
  collateralReceivedUsd,
  liquidReward: '1',
  liquidRewardUsd: 5,
  userRoi: '0.05',
  claimedTimestamp: null,
  ...(entity.type === 'market'
    ? { debtMarketId: entity.id, collateralMarketId: wethMarket.id }
    : { vaultId: entity.id }),
})
const price = (entity: Row, day: number, priceUsd: number) => ({
  chainId: 1,
  assetAddress: entity.assetAddress,
  date: iso(at(day)),
  priceUsd,
})

async function earnings(args = '', user = alice): Promise<Row> {
  const [planned, resolved] = await Promise.all(
    roads.map(
      async (ask) =>
        ((await ask(`{ user(address: "${user}") { earnings${args} { ${ALL} } } }`)) as Row).user
          .earnings,
    ),
  )
  expect(resolved).toEqual(planned)
  return planned
}

const USDC = 1_000_000n
const WETH = 10n ** 18n
const none: [bigint, bigint, bigint] = [0n, 0n, 0n]

describe('by hand', () => {
  test('the example of the import format adds up', async () => {
    // 1,000 USDC earn 10; a liquidation takes 100, and gives WETH for 105.
    await store({
      prices: [],
      flows: [flow(usdcMarket, 'deposit', at(0, 60), 1000n * USDC, 1000)],
      rewards: [reward(usdcMarket, at(1, 60), 100n * USDC, [100, 105])],
      snapshots: [
        snapshot(usdcMarket, at(1), [1004n * USDC, 0n, 0n], [1004, 0, 0]),
        snapshot(usdcMarket, at(2), [910n * USDC, 0n, 0n], [910, 0, 0]),
      ],
    })
    const parts = { profitUsd: 15, interestUsd: 10, priceUsd: 0, liquidationUsd: 5 }
    const interest = { raw: '10000000', decimals: 6, value: '10', usd: 10 }
    expect(await earnings()).toEqual({
      ...parts,
      breakdown: [
        {
          ...parts,
          entityType: 'MARKET',
          entityAddress: usdcMarket.id,
          interest,
          earningsUsd: -90,
        },
      ],
      byAsset: [{ ...parts, asset: { symbol: 'USDC' }, interest }],
      byPool: [{ ...parts, poolAddress: record.pools.id }],
    })
    expect(await earnings(`(at: "${iso(at(1, 90))}")`)).toMatchObject({
      profitUsd: 4,
      interestUsd: 4,
      liquidationUsd: 0,
    })
    expect(await earnings(`(since: "${iso(at(1))}")`)).toMatchObject({
      profitUsd: 11,
      interestUsd: 6,
      priceUsd: 0,
      liquidationUsd: 5,
    })
  })

  test('prices and interest on supply and debt are apart', async () => {
    // 2 WETH at 3,000 become 2.01 at 3,500; a debt of 1 at 3,000 becomes 1.02, of which 0.5 are paid.
    await store({
      prices: [],
      flows: [
        flow(wethMarket, 'deposit', at(0), 2n * WETH, 6000),
        flow(wethMarket, 'borrow', at(0), WETH, 3000),
        flow(wethMarket, 'repay', at(1), WETH / 2n, 1700),
      ],
      rewards: [],
      snapshots: [
        snapshot(
          wethMarket,
          at(2),
          [(WETH * 201n) / 100n, 0n, (WETH * 52n) / 100n],
          [7035, 0, 1820],
        ),
      ],
    })
    // Worth 5,215; put in 4,700. Interest: 0.01 - 0.02 WETH at 3,500.
    expect(await earnings()).toMatchObject({
      profitUsd: 515,
      interestUsd: -35,
      priceUsd: 550,
      liquidationUsd: 0,
      breakdown: [{ interest: { raw: '-10000000000000000', value: '-0.01', usd: -35 } }],
    })
  })

  test('a flow after the newest snapshot waits for the next one', async () => {
    await store({
      prices: [],
      flows: [
        flow(usdcMarket, 'deposit', at(0), 1000n * USDC, 1000),
        flow(usdcMarket, 'deposit', at(1, 60), 500n * USDC, 500),
      ],
      rewards: [reward(usdcMarket, at(1, 60), 100n * USDC, [100, 105])],
      snapshots: [snapshot(usdcMarket, at(1), [1001n * USDC, 0n, 0n], [1001, 0, 0])],
    })
    expect(await earnings()).toMatchObject({
      profitUsd: 1,
      interestUsd: 1,
      breakdown: [{ earningsUsd: -499 }],
    })
  })

  test('interest is known without prices, unless a flow has no tokens', async () => {
    const flows = [flow(usdcMarket, 'deposit', at(0), 1000n * USDC, null)]
    const held = snapshot(usdcMarket, at(2), [1003n * USDC, 0n, 0n], [null, null, null])
    await store({ prices: [], flows, rewards: [], snapshots: [held] })
    const unknown = { profitUsd: null, interestUsd: null, priceUsd: null, liquidationUsd: 0 }
    expect(await earnings()).toMatchObject({
      ...unknown,
      breakdown: [{ ...unknown, interest: { raw: '3000000', value: '3', usd: null } }],
    })
    flows.push(flow(usdcMarket, 'deposit', at(1), null, 5))
    await store({ prices: [], flows, rewards: [], snapshots: [held] })
    expect(await earnings()).toMatchObject({ breakdown: [{ ...unknown, interest: null }] })
    // Before a period, it counts alike at both ends.
    const later = snapshot(usdcMarket, at(3), [1004n * USDC, 0n, 0n], [1004, 0, 0])
    await store({ prices: [], flows, rewards: [], snapshots: [held, later] })
    expect(await earnings(`(since: "${iso(at(2, 60))}")`)).toMatchObject({
      interestUsd: 1,
      breakdown: [{ interest: { raw: '1000000' } }],
    })
  })

  test('the interest of a closed position has the newest daily price', async () => {
    await store({
      prices: [price(usdcMarket, 0, 2), price(usdcMarket, 1, 0.5), price(usdcMarket, 4, 9)],
      flows: [
        flow(usdcMarket, 'deposit', at(0), 1000n * USDC, 2000),
        flow(usdcMarket, 'withdraw', at(1), 1008n * USDC, 504),
      ],
      rewards: [],
      snapshots: [snapshot(usdcMarket, at(2), none, [0, 0, 0])],
    })
    expect(await earnings(`(at: "${iso(at(3))}")`)).toMatchObject({
      profitUsd: -1496,
      interestUsd: 4,
      priceUsd: -1500,
    })
    expect(await earnings()).toMatchObject({ interestUsd: 72, priceUsd: -1568 })
  })

  test('a flow without USD has the price of its day, also one that is imported later', async () => {
    const history = {
      prices: [price(usdcMarket, 0, 2)],
      flows: [
        flow(usdcMarket, 'deposit', at(0, DAY - 1), 100n * USDC, null),
        flow(usdcMarket, 'deposit', at(1), 100n * USDC, null),
        flow(usdcMarket, 'deposit', at(1), 0n, null),
        flow(usdcMarket, 'withdraw', at(1), 10n * USDC, 7),
      ],
      rewards: [],
      snapshots: [snapshot(usdcMarket, at(2), [190n * USDC, 0n, 0n], [400, 0, 0])],
    }
    await store(history)
    const unpriced = async () => {
      const [one, other] = await Promise.all(
        roads.map(async (ask) => {
          const answer = await ask(`{ user(address: "${alice}") {
            earnings { netCashInvestedUsd earningsUsd }
            activity(where: { unpriced: true }) { nodes { time } }
            priced: activity(where: { unpriced: false }) { nodes { amount { usd } usdIsComputed } }
          } }`)
          return (answer as Row).user
        }),
      )
      expect(other).toEqual(one)
      // The documented earnings do not change.
      expect(one.earnings).toEqual({ netCashInvestedUsd: -7, earningsUsd: 407 })
      return [
        one.activity.nodes.length,
        one.priced.nodes.map((row: Row) => [row.amount.usd, row.usdIsComputed]).sort(),
      ]
    }
    const [none, withdrawn] = [
      [null, false],
      [7, false],
    ]
    expect(await unpriced()).toEqual([1, [none, [200, true], withdrawn]])
    expect(await earnings()).toMatchObject({ profitUsd: null, interestUsd: 0 })
    await importFiles(gateway, { prices: [price(usdcMarket, 1, 1.5)] })
    expect(await unpriced()).toEqual([0, [[0, true], [150, true], [200, true], withdrawn]])
    expect(await earnings()).toMatchObject({ profitUsd: 57, interestUsd: 0, priceUsd: 57 })
    await importFiles(gateway, { prices: [price(usdcMarket, 1, 1)] })
    expect(await earnings()).toMatchObject({ profitUsd: 107 })
  })

  test('a reward without USD has the prices of its day, also those that are imported later', async () => {
    // 100 USDC at 1 go, and 0.035 WETH at 3,000 come: 105 USD, of which 3 are the reward.
    const sent = [price(usdcMarket, 1, 1)]
    const received = [price(wethMarket, 1, 3000)]
    const history = {
      prices: [...sent, ...received],
      flows: [flow(usdcMarket, 'deposit', at(0), 1000n * USDC, 1000)],
      rewards: [
        {
          ...reward(usdcMarket, at(1, 60), 100n * USDC, [null, null]),
          collateralReceived: String((WETH * 35n) / 1000n),
          liquidReward: String(WETH / 1000n),
          liquidRewardUsd: null,
        },
      ],
      snapshots: [snapshot(usdcMarket, at(2), [910n * USDC, 0n, 0n], [910, 0, 0])],
    }
    const nothing = { profitUsd: null, interestUsd: 10, priceUsd: null, liquidationUsd: null }
    const all = { profitUsd: 15, interestUsd: 10, priceUsd: 0, liquidationUsd: 5 }
    const activity = async () => {
      const answers = await Promise.all(
        roads.map((ask) =>
          ask(`{ user(address: "${alice}") {
            unpriced: activity(where: { kinds: LIQUIDATION_REWARD, unpriced: true }) { nodes { time } }
            priced: activity(where: { kinds: LIQUIDATION_REWARD, unpriced: false }) {
              nodes { amount { usd } usdIsComputed } }
            liquidationRewards { nodes { liquidReward { usd } } } } }`),
        ),
      )
      const [{ user }, other] = answers as [Row, Row]
      expect(other.user).toEqual(user)
      return [user.unpriced.nodes.length, user.priced.nodes]
    }
    const priced = [0, [{ amount: { usd: 3 }, usdIsComputed: true }]]
    await store({ ...history, prices: [] })
    expect(await earnings()).toMatchObject(nothing)
    expect(await activity()).toEqual([1, []])
    // Profit needs what was received alone, interest neither.
    await importFiles(gateway, { prices: received })
    expect(await earnings()).toMatchObject({ ...nothing, profitUsd: 15 })
    expect(await activity()).toEqual(priced)
    await importFiles(gateway, { prices: sent })
    expect(await earnings()).toMatchObject(all)
    expect(await earnings(`(at: "${iso(at(3))}")`)).toMatchObject(all)
    await store(history)
    expect(await earnings()).toMatchObject(all)
    expect(await activity()).toEqual(priced)
    // The documented answer has the USD of the source.
    const rest = await gateway.get(
      `/v1/users/${alice}/market-liquidation-rewards?market=${wethMarket.id}`,
    )
    expect(((await rest.json()) as Row).data).toMatchObject([
      { supplySentUsd: null, collateralReceivedUsd: null, liquidRewardUsd: null },
    ])
    // The token of a vault's collateral is not known.
    const vault = ENTITIES[4] as Row
    await store({
      ...history,
      flows: [flow(vault, 'deposit', at(0), 1000n * USDC, 1000)],
      rewards: [reward(vault, at(1, 60), 100n * USDC, [null, 105])],
      snapshots: [snapshot(vault, at(2), [910n * USDC, 0n, 0n], [910])],
    })
    expect(await earnings()).toMatchObject({ profitUsd: 15, interestUsd: 10, liquidationUsd: 5 })
  })

  test('an amount of 0 is worth 0, with USD or without', async () => {
    const empty: History = {
      prices: [],
      rewards: [{ ...reward(usdcMarket, at(1), 0n, [null, null]), collateralReceived: '0' }],
      flows: [
        flow(usdcMarket, 'deposit', at(0), 1000n * USDC, 1000),
        flow(usdcMarket, 'deposit', at(0), 0n, null),
        flow(usdcMarket, 'withdraw', at(1), 1000n * USDC, 1003),
      ],
      snapshots: [snapshot(usdcMarket, at(2), none, [null, null, null])],
    }
    await store(empty)
    const args = ['', `(at: "${iso(at(3))}")`, `(since: "${iso(START - DAY)}")`]
    for (const one of args) {
      const complete = {
        profitUsd: 3,
        realisedUsd: 3,
        unrealisedUsd: 0,
        hasIncompletePrices: false,
      }
      for (const ask of roads) {
        const names = 'profitUsd realisedUsd unrealisedUsd hasIncompletePrices'
        const answer = await ask(`{ user(address: "${alice}") {
          earnings${one} { ${names} breakdown { ${names} } byAsset { ${names} } byPool { ${names} } } } }`)
        expect((answer as Row).user.earnings).toEqual({
          ...complete,
          breakdown: [complete],
          byAsset: [complete],
          byPool: [complete],
        })
      }
    }
    // The documented answer says that USD were missing.
    const { data } = (await (await gateway.get(`/v1/users/${alice}/earnings`)).json()) as Row
    expect(data).toMatchObject({
      has_incomplete_prices: true,
      breakdown: [{ has_incomplete_prices: true }],
    })
  })

  test('nothing is earned in a period without a new snapshot, of known prices or not', async () => {
    const held = (second: number, usd: number | null, accountId = alice) =>
      snapshot(usdcMarket, second, [1000n * USDC, 0n, 0n], [usd, 0, 0], accountId)
    const flows = USERS.map((user) => flow(usdcMarket, 'deposit', at(0), 1000n * USDC, 1000, user))
    const snapshots = USERS.map((user) => held(at(1), null, user))
    await store({ prices: [], rewards: [], flows, snapshots })
    const since = `(since: "${iso(at(2))}")`
    const all = async () => {
      const addresses = JSON.stringify(USERS)
      const answers = await Promise.all(
        roads.map((ask) =>
          ask(`{ portfolio(addresses: ${addresses}) { earnings${since} { ${PARTS} } } }`),
        ),
      )
      expect(answers[1]).toEqual(answers[0])
      return (answers[0] as Row).portfolio.earnings
    }
    const nothing = { profitUsd: 0, interestUsd: 0, priceUsd: 0, liquidationUsd: 0 }
    expect(await earnings('')).toMatchObject({ profitUsd: null })
    expect(await earnings(since)).toMatchObject(nothing)
    expect(await all()).toEqual(nothing)
    await store({
      prices: [],
      rewards: [],
      flows,
      snapshots: [...snapshots, held(at(3), 1000), held(at(3), null, USERS[1])],
    })
    expect(await earnings(since)).toMatchObject({ profitUsd: null })
    expect(await earnings(since, USERS[1])).toMatchObject({ profitUsd: null })
    expect(await all()).toMatchObject({ profitUsd: null })
  })

  test('while rates stand still, interest is the net APR times the days', async () => {
    const [supplied, days] = [36_500n * USDC, 5n]
    // The deposit APR of the market is 2 %: 2 USDC a day.
    const held = supplied + 2n * USDC * days
    await store({
      prices: [],
      flows: [flow(usdcMarket, 'deposit', at(0), supplied, 36_500)],
      rewards: [],
      snapshots: [snapshot(usdcMarket, at(Number(days)), [held, 0n, 0n], [36_510, 0, 0])],
    })
    const { user } = (await (roads[0] as Ask)(
      `{ user(address: "${alice}") { netApr { netDepositApr } } }`,
    )) as Row
    const { interestUsd } = await earnings()
    expect(interestUsd).toBeCloseTo((user.netApr.netDepositApr * 36_500 * Number(days)) / 365, 9)
  })

  test('an estimate is the interest of a period that has passed at the same rates', async () => {
    const [supplied, owed, days] = [36_500n * USDC, 9_125n * USDC, 5n]
    // At 2 % and 4 % a year, 2 USDC a day come in, and 1 goes out.
    const held = [supplied + 2n * USDC * days, 0n, owed + USDC * days] as [bigint, bigint, bigint]
    await store({
      prices: [],
      flows: [
        flow(usdcMarket, 'deposit', at(0), supplied, 36_500),
        flow(usdcMarket, 'borrow', at(0), owed, 9_125),
      ],
      rewards: [],
      snapshots: [
        snapshot(usdcMarket, at(0), [supplied, 0n, owed], [36_500, 0, 9_125]),
        snapshot(usdcMarket, at(Number(days)), held, [36_510, 0, 9_130]),
      ],
    })
    const { market } = (await (roads[0] as Ask)(
      `{ market(chainId: 1, address: "${usdcMarket.id}") {
        supplied: estimate(amountUsd: 36500, days: 5) { interestUsd }
        owed: estimate(amountUsd: 9125, days: 5, borrowed: true) { interestUsd } } }`,
    )) as Row
    expect([market.supplied.interestUsd, market.owed.interestUsd]).toEqual([10, 5])
    expect(await earnings(`(since: "${iso(at(0))}")`)).toMatchObject({
      profitUsd: 5,
      interestUsd: market.supplied.interestUsd - market.owed.interestUsd,
      priceUsd: 0,
    })
  })

  test('a user without records has earned nothing', async () => {
    expect(await earnings('', addressOf('nobody'))).toEqual({
      profitUsd: 0,
      interestUsd: 0,
      priceUsd: 0,
      liquidationUsd: 0,
      breakdown: [],
      byAsset: [],
      byPool: [],
    })
  })
})

// What the graph says, in exact arithmetic. USD are in millionths.
const micro = (usd: number) => BigInt(Math.round(usd * 1e6))
const rounded = (dividend: bigint, divisor: bigint) => {
  const half = (2n * (dividend < 0n ? -dividend : dividend) + divisor) / (2n * divisor)
  return dividend < 0n ? -half : half
}
const sum = (values: bigint[]) => values.reduce((all, one) => all + one, 0n)

function stateOf(history: History, entity: Row, user: string, moment: number) {
  const mine = (rows: Row[], until: number) =>
    rows.filter(
      (row) => row.entity === entity && row.accountId === user && Number(row.timestamp) <= until,
    )
  const snapshots = mine(history.snapshots, moment)
  const newest = snapshots.toSorted((a, b) => Number(b.timestamp) - Number(a.timestamp))[0]
  if (!newest) return undefined
  const until = Number(newest.timestamp)
  const [flows, rewards] = [mine(history.flows, until), mine(history.rewards, until)]
  const isIn = ({ kind }: Row) => kind === 'deposit' || kind === 'repay'
  const signed = (row: Row) => (isIn(row) ? 1n : -1n)
  const parts = [
    [
      newest.collateralAssets ?? newest.assets,
      newest.collateralUsd ?? newest.assetsUsd ?? null,
      1n,
    ],
    [newest.protectedAssets ?? '0', newest.protectedUsd ?? null, 1n],
    [newest.debtAssets ?? '0', newest.debtUsd ?? null, -1n],
  ] as [string, number | null, bigint][]
  const tokens = sum(parts.map(([assets, , sign]) => BigInt(assets) * sign))
  return {
    tokenless: flows.filter(({ assets }) => assets === null).length,
    unknown: flows.filter(({ assets, amountUsd }) => amountUsd === null && assets !== '0').length,
    unvalued: parts.some(([assets, usd]) => usd === null && assets !== '0'),
    unsent: rewards.filter(
      ({ supplySent, supplySentUsd }) => supplySentUsd === null && supplySent !== '0',
    ).length,
    unreceived: rewards.filter(({ collateralReceivedUsd }) => collateralReceivedUsd === null)
      .length,
    until,
    interest:
      tokens -
      sum(flows.map((row) => signed(row) * BigInt(row.assets ?? 0))) +
      sum(rewards.map(({ supplySent }) => BigInt(supplySent))),
    profit:
      sum(parts.map(([, usd, sign]) => micro(usd ?? 0) * sign)) -
      sum(flows.map((row) => signed(row) * micro(row.amountUsd ?? 0))) +
      sum(rewards.map(({ collateralReceivedUsd }) => micro(collateralReceivedUsd ?? 0))),
    liquidation: sum(
      rewards.map(
        ({ collateralReceivedUsd, supplySentUsd }) =>
          micro(collateralReceivedUsd ?? 0) - micro(supplySentUsd ?? 0),
      ),
    ),
    pricedUsd: sum(parts.map(([, usd]) => micro(usd ?? 0))),
    pricedAssets: sum(parts.map(([assets, usd]) => (usd ? BigInt(assets) : 0n))),
  }
}

/** The expected fields of an entity; undefined if none of its records counts. */
function expectedOf(history: History, entity: Row, user: string, moment: number, from?: number) {
  const end = stateOf(history, entity, user, moment)
  const start = from === undefined ? undefined : stateOf(history, entity, user, from)
  const ends: [Row, Row] = [end ?? {}, start ?? {}]
  const change = (name: string) =>
    ends.map((one): bigint => one[name] ?? 0n).reduce((a, b) => a - b)
  const count = (name: string) => ends.map((one): number => one[name] ?? 0).reduce((a, b) => a - b)
  const interest = count('tokenless') === 0 ? change('interest') : null
  const daily = history.prices
    .filter(
      ({ assetAddress, date }) =>
        assetAddress === entity.assetAddress && Date.parse(date) / 1000 <= moment,
    )
    .toSorted((a, b) => (a.date < b.date ? 1 : -1))[0]
  const interestUsd = () => {
    if (interest === null) return null
    if (interest === 0n) return 0n
    if (end && end.pricedUsd > 0n && end.pricedAssets > 0n)
      return rounded(interest * end.pricedUsd, end.pricedAssets)
    return daily
      ? rounded(interest * micro(daily.priceUsd), 10n ** BigInt(entity.assetDecimals))
      : null
  }
  const [unsent, unreceived] = [count('unsent'), count('unreceived')]
  const liquidation = unsent === 0 && unreceived === 0 ? change('liquidation') : null
  const isSame = start !== undefined && start.until === end?.until
  const isValued = isSame || (!end?.unvalued && !start?.unvalued)
  const profit = unreceived === 0 && count('unknown') === 0 && isValued ? change('profit') : null
  const usd = interestUsd()
  return {
    interest,
    usd: {
      profitUsd: profit,
      interestUsd: usd,
      priceUsd:
        profit === null || usd === null || liquidation === null ? null : profit - usd - liquidation,
      liquidationUsd: liquidation,
    } as Record<string, bigint | null>,
  }
}

const known = (usd: number | null) => (usd === null ? null : micro(usd))
const size = (value: bigint) => (value < 0n ? -value : value)
/** Equal, but for the digits that a double does not have. */
function expectSame(actual: bigint | null, expected: bigint | null, what: string) {
  if (actual === null || expected === null) return expect([what, actual]).toEqual([what, expected])
  if (size(actual - expected) > size(expected) / 10n ** 14n)
    expect([what, actual]).toEqual([what, expected])
}

const amount = fc.oneof(
  fc.constant(0n),
  fc.bigInt(1n, 10n ** 6n),
  fc.bigInt(1n, 10n ** 24n),
  fc.bigInt(1n, 10n ** 40n),
)
const usd = fc.option(
  fc.integer({ min: 0, max: 1e11 }).map((n) => n / 1e6),
  { nil: null, freq: 8 },
)
const second = fc
  .tuple(fc.integer({ min: 0, max: DAYS - 1 }), fc.constantFrom(0, 0, 1, 43_200, DAY - 1))
  .map(([day, more]) => at(day, more))
const owner = fc.constantFrom(...USERS)
const entity = fc.constantFrom(...(ENTITIES as Row[]))

const histories: fc.Arbitrary<History> = fc.record({
  snapshots: fc.uniqueArray(
    fc
      .tuple(entity, second, fc.tuple(amount, amount, amount), fc.tuple(usd, usd, usd), owner)
      .map((values) => snapshot(...values)),
    {
      maxLength: 14,
      selector: (row) => `${row.accountId} ${row.entity.id} ${row.timestamp}`,
    },
  ),
  flows: fc.array(
    fc
      .tuple(
        entity,
        fc.constantFrom('deposit', 'withdraw', 'borrow', 'repay'),
        second,
        fc.option(amount, { nil: null, freq: 9 }),
        usd,
        owner,
      )
      .map((values) => flow(...values)),
    { maxLength: 14 },
  ),
  rewards: fc.array(
    fc.tuple(entity, second, amount, fc.tuple(usd, usd), owner).map((values) => reward(...values)),
    { maxLength: 6 },
  ),
  prices: fc.constant([]),
})

/** The buckets of a user's series are its earnings as of their ends. */
async function expectSeries({ snapshots }: History, user: string) {
  const days = Array.from({ length: DAYS }, (_, day) => day)
  const endOf = (day: number) => at(day + 1) - 0.001
  const ends = days.map((day) => `d${day}: earnings(at: "${iso(endOf(day))}") { ${PARTS} }`)
  const span = `interval: DAY, from: "${iso(START)}", to: "${iso(endOf(DAYS - 1))}"`
  const query = `{ user(address: "${user}") { series(${span}) { ${PARTS} } ${ends.join(' ')} } }`
  const [planned, resolved] = await Promise.all(roads.map((ask) => ask(query) as Promise<Row>))
  expect(resolved).toEqual(planned)
  const { series, ...earned } = (planned as Row).user
  const times = snapshots.filter(({ accountId }) => accountId === user).map((row) => +row.timestamp)
  const unknown = Object.fromEntries(PARTS.split(' ').map((name) => [name, null]))
  expect(series).toEqual(
    days.map((day) => (times.some((time) => time < endOf(day)) ? earned[`d${day}`] : unknown)),
  )
}

test('in any history, interest and profit are those of exact arithmetic, and the parts add up', async () => {
  await fc.assert(
    fc.asyncProperty(histories, second, second, async (history, one, other) => {
      await store(history)
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      const forever = Number.MAX_SAFE_INTEGER
      for (const user of USERS) await expectSeries(history, user)
      for (const user of USERS)
        for (const [args, moment, since] of [
          ['', forever, undefined],
          [`(at: "${iso(to)}")`, to, undefined],
          [`(since: "${iso(from)}")`, forever, from],
          [`(since: "${iso(from)}", at: "${iso(to)}")`, to, from],
        ] as const) {
          const answer = await earnings(args, user)
          for (const row of [answer, ...answer.breakdown, ...answer.byAsset, ...answer.byPool]) {
            const { profitUsd, interestUsd, priceUsd, liquidationUsd } = row
            if (priceUsd === null) continue
            const parts = [interestUsd, priceUsd, liquidationUsd].map(micro)
            const largest = parts.map(size).reduce((a, b) => (a > b ? a : b))
            const error = size(sum(parts) - micro(profitUsd))
            expect(error <= largest / 10n ** 14n, 'the parts add up').toBe(true)
          }
          for (const row of answer.breakdown) {
            const entity = ENTITIES.find(({ id }) => id === row.entityAddress) as Row
            const expected = expectedOf(history, entity, user, moment, since)
            expect(row.interest === null ? null : BigInt(row.interest.raw)).toBe(expected.interest)
            for (const [name, value] of Object.entries(expected.usd))
              expectSame(known(row[name]), value, name)
          }
          for (const name of PARTS.split(' ')) {
            const values = answer.breakdown.map((row: Row) => known(row[name]))
            const all = values.includes(null) ? null : sum(values)
            const largest =
              all === null
                ? 0n
                : values.map(size).reduce((a: bigint, b: bigint) => (a > b ? a : b), 0n)
            if (all === null || largest < 10n ** 15n) expectSame(known(answer[name]), all, name)
          }
        }
    }),
    { numRuns: LONG ? 300 : 8, endOnFailure: true },
  )
})
