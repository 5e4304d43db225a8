import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebuildRankHistory } from '../../src/domain/points/rebuild-rank-history.ts'
import { asker } from '../facts/fact.ts'
import { addressOf, type Files, hashOf } from '../support/datasets.ts'
import { sampleOf } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, multiplier, pool, position } from '../support/one-pool.ts'

type Row = Record<string, any>

const DAY = 86_400
const START = Date.parse('2026-03-01T00:00:00Z') / 1000
const DAYS = 24
const iso = (second: number) => new Date(second * 1000).toISOString()

/** Numbers from 0 up that look random and are the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 16) % sides
  }
}
const roll = dice(11)
const one = <T>(of: readonly T[]): T => of[roll(of.length)] as T

/**
 * `idle` has positions alone, `early` cash flows before any snapshot, and nothing names `nobody`.
 */
const users = ['ann', 'ben', 'cat', 'dan', 'early', 'idle'].map(addressOf)
const [, , , , early = '', idle = ''] = users
const nobody = addressOf('nobody')
const entities = (
  [
    ['market', 1, 'same'],
    ['market', 10, 'same'],
    ['market', 1, 'other'],
    ['vault', 1, 'vault'],
    ['vault', 10, 'vault'],
  ] as const
).map(([type, chainId, label]) => ({ type, chainId, id: addressOf(label) }))

/** Cents, so that sums in this file are exact; one in eight is unknown. */
const usd = () => (roll(8) === 0 ? null : (roll(30_000) * 7919 + roll(100)) / 100)
const moment = () => START + roll(DAYS) * DAY + one([0, 0, 1, 3600, 43_200, DAY - 1])

function snapshots() {
  const made = new Map<string, Row>()
  for (const accountId of users.filter((user) => user !== idle))
    for (const { type, chainId, id } of entities) {
      if (roll(4) === 0) continue
      for (let n = roll(9); n >= 0; n--) {
        const timestamp = accountId === early ? START + (DAYS - 1) * DAY : moment()
        // Several positions at the same second, or one.
        for (const positionId of one([['main'], ['main', 'second'], ['second']]))
          made.set([accountId, type, chainId, id, timestamp, positionId].join(' '), {
            type,
            chainId,
            accountId,
            positionId,
            timestamp: String(timestamp),
            ...(type === 'market'
              ? { marketId: id, ...market(String(roll(1000)), String(roll(10)), String(roll(100))) }
              : {
                  vaultId: id,
                  shares: String(roll(1000)),
                  assets: String(roll(1000)),
                  assetsUsd: usd(),
                }),
          })
      }
    }
  return [...made.values()]
}
const market = (collateralAssets: string, protectedAssets: string, debtAssets: string) => ({
  collateralAssets,
  collateralUsd: usd(),
  protectedAssets,
  protectedUsd: usd(),
  debtAssets,
  debtUsd: usd(),
})

const cashFlows = users
  .filter((user) => user !== idle)
  .flatMap((accountId) =>
    Array.from({ length: 12 }, (_, n) => {
      const { type, chainId, id } = one(entities)
      return {
        chainId,
        txHash: hashOf(`${accountId.slice(-8)}${n}`),
        logIndex: n,
        accountId,
        entityType: type,
        entityId: id,
        timestamp: String(moment()),
        kind: one(['deposit', 'deposit', 'withdraw', 'borrow', 'repay']),
        amountUsd: usd(),
        // A missing price says nothing of an amount of 0.
        assets: ['0', '1', null][n % 3],
      }
    }),
  )
const rewards = users.slice(0, 4).map((accountId, n) => ({
  chainId: 1,
  txHash: hashOf(`reward${n}`),
  logIndex: n,
  timestamp: String(moment()),
  accountId,
  supplySent: '1',
  supplySentUsd: 1,
  collateralReceived: '1',
  collateralReceivedUsd: 1,
  liquidReward: '1',
  liquidRewardUsd: one([null, 1.5, 2.25]),
  userRoi: null,
  claimedTimestamp: null,
  vaultId: addressOf('vault'),
}))

const all = snapshots()
const without = ({ type: _, ...row }: Row) => row
const records = {
  markets: entities
    .filter(({ type }) => type === 'market')
    .map(({ chainId, id }, n) => ({
      chainId,
      id,
      poolId: pool.id,
      assetAddress: pool.asset_1_address,
      assetSymbol: 'S',
      assetDecimals: 18,
      depositRate: 0.01 * (n + 1),
      borrowRate: 0.02 * (n + 1),
    })),
  vaults: entities
    .filter(({ type }) => type === 'vault')
    .map(({ chainId, id }, n) => ({
      chainId,
      id,
      name: 'V',
      assetAddress: pool.asset_1_address,
      assetSymbol: 'S',
      assetDecimals: 6,
      depositRate: 0.05 * (n + 1),
    })),
  // No distribution on every third day.
  positions: users
    .filter((user) => user !== early)
    .flatMap((user) =>
      Array.from({ length: DAYS }, (_, day) => day)
        .filter((day) => day % 3 !== 2 && roll(3) > 0)
        .map((day) => {
          const [a, b, c] = [usd() ?? 0, usd() ?? 0, usd() ?? 0]
          return position(user, a, {
            distributionDate: iso(START + day * DAY),
            aProtectedSuppliedAmountUsd: b,
            bBorrowedAmountUsd: c,
          })
        }),
    ),
  'market-snapshots': all.filter(({ type }) => type === 'market').map(without),
  'vault-snapshots': all.filter(({ type }) => type === 'vault').map(without),
  'cash-flows': cashFlows,
  'vault-liquidation-rewards': rewards,
}
const fixed = { pools: [pool], multipliers: [multiplier] }

/** The records up to a second: what the store had then. */
const until = (second: number): Files => ({
  ...fixed,
  ...Object.fromEntries(
    Object.entries(records).map(([file, rows]) => [
      file,
      (rows as Row[]).filter(({ timestamp, distributionDate }) =>
        distributionDate
          ? Date.parse(distributionDate) / 1000 <= second
          : Number(timestamp ?? -Infinity) <= second,
      ),
    ]),
  ),
})

let gateway: Gateway
/** The roads that an answer can take. */
let roads: [name: string, ask: ReturnType<typeof asker>][]
beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, until(Infinity))
  await rebuildRankHistory(gateway.deps.store.pool)
  roads = [
    ['planned', asker(gateway)],
    ['resolved', asker(gateway, { resolved: true })],
  ]
})
afterAll(() => gateway?.close())

const roadsOf = async (query: string, variables?: object) => {
  const answers: Row[] = []
  for (const [, road] of roads) answers.push(await road(query, variables))
  for (const answer of answers) expect(answer).toEqual(answers[0])
  return answers[0] as Row
}

const times = [...all, ...cashFlows].map(({ timestamp }) => Number(timestamp))
/** Moments of all kinds, in milliseconds. */
const moments = [
  START * 1000 - 1,
  Date.parse('0001-01-01T00:00:00Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
  ...Array.from({ length: 24 }, () => one(times) * 1000 + one([-1000, -1, 0, 0, 999])),
  ...Array.from({ length: 12 }, () => (START + roll(DAYS * DAY)) * 1000),
]

/** An amount in cents; unknown ones are 0. */
const cents = (value: number | null) => BigInt(Math.round((value ?? 0) * 100))
const dollars = (value: bigint) => Number(value) / 100

interface Held {
  entityType: string
  chainId: number
  entityAddress: string
  value: bigint
  cash: bigint
  deposit: bigint
  debt: bigint
  /** True if there is a snapshot. */
  seen: boolean
  incomplete: boolean
}

/** What one owner has in an entity. Prices are missing of amounts other than 0. */
interface Moment {
  entity: string
  timestamp: number
  supplied: bigint
  secured: bigint
  borrowed: bigint
  inVault: bigint
  unpriced: boolean
  cash: bigint
  unknownCash: boolean
}

/** The newest snapshots of an owner in each entity, by then. */
function newest(owner: string, second: number): Row[] {
  const rows = all.filter((row) => row.accountId === owner && Number(row.timestamp) <= second)
  const entity = (row: Row) => `${row.type} ${row.chainId} ${row.marketId ?? row.vaultId}`
  return rows.filter((row) =>
    rows.every(
      (other) => entity(other) !== entity(row) || Number(other.timestamp) <= Number(row.timestamp),
    ),
  )
}

/** What owners have in each entity at a moment, counted record by record. */
function held(owners: string[], second: number): Held[] {
  const latest = new Map<string, Held>()
  const at = (type: string, chainId: number, id: string) => {
    const key = `${type} ${chainId} ${id}`
    const entityType = type.toUpperCase()
    const empty = { value: 0n, cash: 0n, deposit: 0n, debt: 0n, seen: false, incomplete: false }
    const entry = latest.get(key) ?? { entityType, chainId, entityAddress: id, ...empty }
    latest.set(key, entry)
    return entry
  }
  for (const owner of owners) {
    for (const row of newest(owner, second)) {
      const entry = at(row.type, row.chainId, row.marketId ?? row.vaultId)
      entry.seen = true
      const deposit = cents(row.type === 'market' ? row.collateralUsd : row.assetsUsd)
      entry.deposit += deposit
      entry.debt += cents(row.debtUsd ?? null)
      entry.value += deposit + cents(row.protectedUsd ?? null) - cents(row.debtUsd ?? null)
      entry.incomplete ||= isUnpriced(row)
    }
    for (const flow of cashFlows.filter(
      (one) => one.accountId === owner && Number(one.timestamp) <= second,
    )) {
      const entry = at(flow.entityType, flow.chainId, flow.entityId)
      entry.cash +=
        (flow.kind === 'deposit' || flow.kind === 'repay' ? 1n : -1n) * cents(flow.amountUsd)
      entry.incomplete ||= isUnknown(flow)
    }
  }
  return [...latest.values()]
}
const sum = <T>(rows: T[], of: (row: T) => bigint) =>
  rows.reduce((total, row) => total + of(row), 0n)
const entityOf = (row: Row) =>
  `${row.type ?? row.entityType} ${row.chainId} ${row.marketId ?? row.vaultId ?? row.entityId}`
const cashOf = ({ kind, amountUsd }: Row) =>
  (kind === 'deposit' || kind === 'repay' ? 1n : -1n) * cents(amountUsd)
const isUnpriced = (row: Row) =>
  ['collateral', 'protected', 'debt', ''].some((part) => {
    const [usd, assets] = part ? [`${part}Usd`, `${part}Assets`] : ['assetsUsd', 'assets']
    return row[usd] === null && row[assets] !== '0'
  })
const isUnknown = ({ amountUsd, assets }: Row) => amountUsd === null && assets !== '0'

/**
 * What each owner has in each entity at its newest snapshot by then, with the cash flows up to that
 * snapshot.
 */
const momentsOf = (owners: string[], second: number): Moment[] =>
  owners.flatMap((owner) => {
    const rows = newest(owner, second)
    return [...new Set(rows.map(entityOf))].map((entity) => {
      const ofEntity = rows.filter((row) => entityOf(row) === entity)
      const timestamp = Number(ofEntity[0]?.timestamp)
      const flows = cashFlows.filter(
        (flow) =>
          flow.accountId === owner &&
          entityOf(flow) === entity &&
          Number(flow.timestamp) <= timestamp,
      )
      const total = (name: string) => sum(ofEntity, (row) => cents(row[name] ?? null))
      return {
        entity,
        timestamp,
        supplied: total('collateralUsd'),
        secured: total('protectedUsd'),
        borrowed: total('debtUsd'),
        inVault: total('assetsUsd'),
        unpriced: ofEntity.some(isUnpriced),
        cash: sum(flows, cashOf),
        unknownCash: flows.some(isUnknown),
      }
    })
  })

function worth(rows: Moment[]) {
  if (rows.length === 0) return null
  const markets = sum(rows, ({ supplied, secured, borrowed }) => supplied + secured - borrowed)
  const vaults = sum(rows, ({ inVault }) => inVault)
  return {
    time: iso(Math.max(...rows.map(({ timestamp }) => timestamp))),
    netUsd: dollars(markets + vaults),
    suppliedUsd: dollars(sum(rows, ({ supplied }) => supplied)),
    protectedUsd: dollars(sum(rows, ({ secured }) => secured)),
    borrowedUsd: dollars(sum(rows, ({ borrowed }) => borrowed)),
    vaultsUsd: dollars(vaults),
    hasIncompletePrices: rows.some(({ unpriced }) => unpriced),
  }
}
const WORTH = 'time netUsd suppliedUsd protectedUsd borrowedUsd vaultsUsd hasIncompletePrices'

function earnings(owners: string[], second: number, chainId?: number) {
  const rows = held(owners, second).filter(
    (row) => chainId === undefined || row.chainId === chainId,
  )
  return {
    earningsUsd: dollars(sum(rows, ({ value, cash }) => value - cash)),
    worthUsd: dollars(sum(rows, ({ value }) => value)),
    netCashInvestedUsd: dollars(sum(rows, ({ cash }) => cash)),
    hasIncompletePrices: rows.some(({ incomplete }) => incomplete),
    entityCount: rows.length,
    breakdown: expect.toSatisfy((nodes: Row[]) => {
      expect(nodes).toHaveLength(rows.length)
      for (const { entityType, chainId, entityAddress, value, cash, incomplete } of rows)
        expect(nodes).toContainEqual({
          entityType,
          chainId,
          entityAddress,
          worthUsd: dollars(value),
          netCashInvestedUsd: dollars(cash),
          earningsUsd: dollars(value - cash),
          hasIncompletePrices: incomplete,
        })
      const values = nodes.map(({ worthUsd }) => worthUsd)
      return values.every((value, i) => i === 0 || value <= values[i - 1])
    }, 'the rows of each entity, largest first'),
  }
}
const EARNINGS = `earningsUsd worthUsd netCashInvestedUsd hasIncompletePrices
  entityCount breakdown { entityType chainId entityAddress worthUsd netCashInvestedUsd earningsUsd hasIncompletePrices }`

/** The rates of the dataset, which are the only ones that were recorded. */
function netApr(owners: string[], second: number) {
  const rows = held(owners, second).filter(({ seen }) => seen)
  const rate = (row: Held, name: 'depositRate' | 'borrowRate') =>
    ([...records.markets, ...records.vaults] as Row[]).find(
      (one) => one.id === row.entityAddress && one.chainId === row.chainId,
    )?.[name] ?? 0
  const average = (of: (row: Held) => bigint, name: 'depositRate' | 'borrowRate') => {
    const total = sum(rows, of)
    if (total === 0n) return 0
    return expect.closeTo(
      rows.reduce((all, row) => all + Number(of(row)) * rate(row, name), 0) / Number(total),
      10,
    )
  }
  return {
    earnNetApr: average(({ deposit }) => deposit, 'depositRate'),
    borrowNetApr: average(({ debt }) => debt, 'borrowRate'),
    totalEarnDepositsUsd: dollars(sum(rows, ({ deposit }) => deposit)),
    totalBorrowUsd: dollars(sum(rows, ({ debt }) => debt)),
    entityCount: rows.length,
  }
}
const APR =
  'earnNetApr: netDepositApr borrowNetApr: netBorrowApr totalEarnDepositsUsd: depositUsd totalBorrowUsd: borrowedUsd entityCount'

const SNAPSHOT = `chainId userAddress positionId legacy { timestamp } entityType entityAddress supplied { raw usd }
  protected { usd } borrowed { usd } shares`
const snapshotOf = (row: Row) => ({
  chainId: row.chainId,
  userAddress: row.accountId,
  positionId: row.positionId,
  legacy: { timestamp: row.timestamp },
  entityType: row.type.toUpperCase(),
  entityAddress: row.marketId ?? row.vaultId,
  ...(row.type === 'market'
    ? {
        supplied: { raw: row.collateralAssets, usd: row.collateralUsd },
        protected: { usd: row.protectedUsd },
        borrowed: { usd: row.debtUsd },
        shares: null,
      }
    : {
        supplied: { raw: row.assets, usd: row.assetsUsd },
        protected: null,
        borrowed: null,
        shares: row.shares,
      }),
})
const bySnapshot = (row: Row) =>
  [
    row.marketId ? 0 : 1,
    String(row.chainId).padStart(3, '0'),
    row.marketId ?? row.vaultId,
    row.positionId,
  ].join(' ')

test('earnings, net APR and latest snapshots of a user are those of the records by then', async () => {
  expect(
    new Set(all.map((row) => `${row.accountId} ${row.marketId} ${row.timestamp}`)).size,
  ).toBeLessThan(all.length)
  for (const [i, time] of sampleOf([...moments.entries()], 3)) {
    const user = [...users, nobody][i % 7] as string
    const second = Math.floor(time / 1000)
    const answer = await roadsOf(
      `query ($user: Address!, $at: DateTime) { user(address: $user) {
        earnings(at: $at) { ${EARNINGS} } onOne: earnings(at: $at, chainId: 10) { ${EARNINGS} }
        netApr(at: $at) { ${APR} } latestSnapshots(at: $at) { ${SNAPSHOT} }
        onOther: latestSnapshots(at: $at, chainId: 1) { ${SNAPSHOT} } } }`,
      { user, at: new Date(time).toISOString() },
    )
    const latest = newest(user, second).toSorted((a, b) => (bySnapshot(a) < bySnapshot(b) ? -1 : 1))
    expect(answer.user, `${user} at ${new Date(time).toISOString()}`).toEqual({
      earnings: earnings([user], second),
      onOne: earnings([user], second, 10),
      netApr: netApr([user], second),
      latestSnapshots: latest.map(snapshotOf),
      onOther: latest.filter(({ chainId }) => chainId === 1).map(snapshotOf),
    })
  }
})

test('many users at once, and as of now, are as each by itself and as without a moment', async () => {
  const selection = (at: string) =>
    `earnings${at} { ${EARNINGS} } netApr${at} { ${APR} } latestSnapshots${at} { ${SNAPSHOT} }`
  const page = (at: string) => `{ users { nodes { address ${selection(at)} } } }`
  const now = await roadsOf(page(''))
  expect(now.users.nodes).toHaveLength(users.length)
  expect(await roadsOf(page(`(at: "${new Date(Date.now() + 1000).toISOString()}")`))).toEqual(now)
  expect(
    await roadsOf(
      `query ($none: DateTime) { users { nodes { address ${selection('(at: $none)')} } } }`,
      {
        none: null,
      },
    ),
  ).toEqual(now)
  const then = `(at: "${iso(START + 9 * DAY)}")`
  const { users: past } = await roadsOf(page(then))
  for (const { address, ...user } of past.nodes)
    expect(
      (await gateway.ask(`{ user(address: "${address}") { ${selection(then)} } }`)).user,
    ).toEqual(user)
})

const PORTFOLIO = `points: totalPoints positionCount: recordCount bestRank worth { ${WORTH} } earnings { ${EARNINGS} } netApr { ${APR} }
  pools { poolAddress userCount points suppliedUsd protectedUsd borrowedUsd }
  entities { chainId entityType entityAddress userCount supplied { raw usd } protected { usd } borrowed { raw usd } shares }`

describe('a store that holds only the records up to a moment', () => {
  const stores = [
    ['before the first record', START - 1],
    ['on the first day', START + DAY / 2],
    ['at a snapshot', times[5] ?? 0],
    ['between distributions', START + 11 * DAY + 5],
  ] as const
  for (const [name, time] of sampleOf(stores, 4, 2))
    test(`${name}: says without the moment what the whole store says as of it`, async () => {
      const then = await startGateway()
      try {
        await importFiles(then, until(time))
        const selection = (at: string, asOf: string) => `{
          ${[...users, nobody]
            .map(
              (
                user,
                i,
              ) => `u${i}: user(address: "${user}") { earnings${at} { ${EARNINGS} } netApr${at} { ${APR} }
              latestSnapshots${at} { ${SNAPSHOT} } worth${at} { ${WORTH} } points: totalPoints${asOf} rank${asOf} }`,
            )
            .join(' ')} }`
        const portfolio = (at: string) =>
          `{ portfolio(addresses: ${JSON.stringify([...users.slice(1), nobody])}${at}) { ${PORTFOLIO} } }`
        const other = asker(then)
        expect(
          await roadsOf(selection(`(at: "${iso(time)}")`, `(asOf: "${iso(time).slice(0, 10)}")`)),
        ).toEqual(await other(selection('', '')))
        expect(await roadsOf(portfolio(`, at: "${iso(time)}"`))).toEqual(await other(portfolio('')))
      } finally {
        await then.close()
      }
    })
})

test('a portfolio is what the records of its users by then add up to', async () => {
  for (const time of sampleOf(moments.slice(0, 12), 2)) {
    const second = Math.floor(time / 1000)
    const some = users.filter(() => roll(3) > 0)
    const { portfolio } = await roadsOf(
      `query ($users: [Address!]!, $at: DateTime) { portfolio(addresses: $users, at: $at) { positionCount: recordCount worth { ${WORTH} }
        earnings { ${EARNINGS} } netApr { ${APR} } pools { userCount suppliedUsd } } }`,
      { users: some, at: new Date(time).toISOString() },
    )
    const apr = netApr(some, second)
    const past = records.positions.filter(
      ({ userAddress, distributionDate }) =>
        some.includes(userAddress) && Date.parse(distributionDate) <= time,
    )
    const dates = records.positions
      .map(({ distributionDate }) => Date.parse(distributionDate))
      .filter((one) => one <= time)
    const last = past.filter(
      ({ distributionDate }) => Date.parse(distributionDate) === Math.max(...dates),
    )
    expect(portfolio).toEqual({
      positionCount: past.length,
      worth: worth(momentsOf(some, second)),
      earnings: earnings(some, second),
      netApr: apr,
      pools: last.length
        ? [
            {
              userCount: last.length,
              suppliedUsd: dollars(sum(last, (row) => cents(row.aSuppliedAmountUsd))),
            },
          ]
        : [],
    })
  }
})

test('net APR is at the rates that were in force', async () => {
  const { pool: store } = gateway.deps.store
  const [entity] = entities
  const [changed, later] = ['2026-03-08T12:00:00.500Z', '2026-03-20T00:00:00Z']
  const original = await store.query('SELECT changed_at FROM rate_revision')
  await store.query("UPDATE rate_revision SET changed_at = '2026-03-05'")
  const rates = [entity?.id, entity?.chainId]
  for (const [time, rate] of [
    [changed, 0.5],
    [later, 0.9],
  ])
    await store.query('INSERT INTO rate_revision VALUES ($4, $2, $1, $3, $5, $5)', [
      ...rates,
      time,
      'market',
      rate,
    ])
  const user = users.find((one) =>
    newest(one, START + 3 * DAY).some((row) => row.marketId === entity?.id),
  ) as string
  const rateAt = async (at: string) =>
    (
      await roadsOf(`{ user(address: "${user}") { netApr(at: "${at}") {
        breakdown { entityAddress chainId depositRate: depositApr borrowRate: borrowApr } } } }`)
    ).user.netApr.breakdown.find(
      (row: Row) => row.entityAddress === entity?.id && row.chainId === entity?.chainId,
    )
  expect(await rateAt('2026-03-04T00:00:00Z'), 'before the first').toMatchObject({
    depositRate: 0.01,
    borrowRate: 0.02,
  })
  expect(await rateAt('2026-03-06T00:00:00Z')).toMatchObject({
    depositRate: 0.01,
    borrowRate: 0.02,
  })
  expect(await rateAt('2026-03-08T12:00:00.499Z')).toMatchObject({
    depositRate: 0.01,
    borrowRate: 0.02,
  })
  expect(await rateAt(changed)).toMatchObject({ depositRate: 0.5, borrowRate: 0.5 })
  expect(await rateAt(later)).toMatchObject({ depositRate: 0.9, borrowRate: 0.9 })
  await store.query('DELETE FROM rate_revision WHERE changed_at = ANY($1)', [[changed, later]])
  await store.query('UPDATE rate_revision SET changed_at = $1', [original.rows[0].changed_at])
})

const EARNED = `worth { ${WORTH} } earningsUsd netCashInvestedUsd pendingCashUsd hasIncompletePrices`

/** The first second of each bucket of a range, and of the bucket after it. */
function bucketsOf(interval: string, first: number, last: number): [start: number, end: number][] {
  const startOf = (second: number) => {
    const date = new Date(second * 1000)
    if (interval === 'WEEK') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
    if (interval === 'MONTH') date.setUTCDate(1)
    return date.setUTCHours(0, 0, 0, 0) / 1000
  }
  const starts = new Set<number>()
  for (let second = first; second <= last + 40 * DAY; second += DAY) starts.add(startOf(second))
  const all = [...starts]
  return all
    .slice(0, -1)
    .flatMap((start, i) => (start <= last ? [[start, all[i + 1] as number]] : []))
}

describe('series', () => {
  for (const interval of ['DAY', 'WEEK', 'MONTH'])
    test(`${interval}: every bucket of users and portfolios is what the records by its end add up to`, async () => {
      const [first, last] = [START - 3 * DAY, START + (DAYS + 3) * DAY]
      const span = `interval: ${interval}, from: "${iso(first)}", to: "${iso(last)}"`
      const groups = [...users.map((user) => [user]), [nobody], users, users.slice(2, 4), []]
      for (const group of groups) {
        const { portfolio, lookupUsers } = await gateway.ask(
          `query ($group: [Address!]!) {
            portfolio(addresses: $group) { series(${span}) { start lastDate points totalPoints positionCount ${EARNED} liquidationRewardCount vaultLiquidationRewardsUsd rank } }
            lookupUsers(addresses: $group) { series(${span}) { start lastDate points totalPoints positionCount ${EARNED} liquidationRewardCount vaultLiquidationRewardsUsd rank } } }`,
          { group },
        )
        const single = lookupUsers.map(({ series }: Row) => series)
        if (group.length === 1) expect(portfolio.series).toEqual(single[0])
        const buckets = bucketsOf(interval, first, last)
        expect(portfolio.series).toHaveLength(buckets.length)
        for (const [n, [start, end]] of buckets.entries()) {
          const now = momentsOf(group, end - 1)
          const flows = cashFlows.filter(
            ({ accountId, timestamp }) => group.includes(accountId) && Number(timestamp) < end,
          )
          const dates = records.positions
            .map(({ distributionDate }) => Date.parse(distributionDate) / 1000)
            .filter((date) => date >= start && date < end)
          const lastDate = dates.length > 0 ? Math.max(...dates) : null
          const positions = records.positions.filter(
            ({ userAddress, distributionDate }) =>
              group.includes(userAddress) && Date.parse(distributionDate) / 1000 === lastDate,
          )
          const [unpriced, unknownCash] = [
            now.some((one) => one.unpriced),
            now.some((one) => one.unknownCash),
          ]
          const cash = sum(now, (one) => one.cash)
          const value = worth(now)
          const pending = flows.filter(
            (flow) =>
              !momentsOf([flow.accountId], end - 1).some(
                (one) => one.entity === entityOf(flow) && one.timestamp >= Number(flow.timestamp),
              ),
          )
          const matching = rewards.filter(
            ({ accountId, timestamp }) =>
              group.includes(accountId) && Number(timestamp) >= start && Number(timestamp) < end,
          )
          const priced = matching.filter(({ liquidRewardUsd }) => liquidRewardUsd !== null)
          const each: Row[] = single.map((series: Row[]) => series[n])
          const ranked = each.filter(({ rank }) => rank !== null)
          expect(portfolio.series[n], `${group} ${iso(start)}`).toEqual({
            start: iso(start).slice(0, 10),
            lastDate: lastDate === null ? null : iso(lastDate).slice(0, 10),
            points: expect.closeTo(
              each.reduce((total, bucket) => total + bucket.points, 0),
              5,
            ),
            totalPoints: ranked.length
              ? expect.closeTo(
                  ranked.reduce((total, bucket) => total + bucket.totalPoints, 0),
                  5,
                )
              : null,
            rank: ranked.length ? Math.min(...ranked.map(({ rank }) => rank)) : null,
            positionCount: lastDate === null ? null : positions.length,
            worth: unpriced ? null : value,
            netCashInvestedUsd: value && !unknownCash ? dollars(cash) : null,
            earningsUsd:
              value && !unpriced && !unknownCash ? dollars(cents(value.netUsd) - cash) : null,
            pendingCashUsd: pending.some(isUnknown) ? null : dollars(sum(pending, cashOf)),
            hasIncompletePrices: value && (unpriced || unknownCash),
            liquidationRewardCount: matching.length,
            vaultLiquidationRewardsUsd:
              matching.length > 0 && priced.length === 0
                ? null
                : dollars(sum(priced, (row) => cents(row.liquidRewardUsd))),
          })
        }
      }
    })

  test('the last bucket is as of its end, of a user and of a portfolio', async () => {
    for (const [interval, to] of [
      ['DAY', START + 7 * DAY],
      ['WEEK', START + 12 * DAY + 7],
      ['MONTH', START + 3],
      ['MONTH', START + 40 * DAY],
    ] as const) {
      const [, end] = bucketsOf(interval, to, to)[0] as [number, number]
      const [span, at] = [
        `interval: ${interval}, to: "${iso(to)}"`,
        `at: "${new Date(end * 1000 - 1).toISOString()}"`,
      ]
      const addresses = JSON.stringify(users)
      const { line, ...data } = await gateway.ask(`{
        ${users.map((user, n) => `u${n}: user(address: "${user}") { series(${span}) { ${EARNED} } worth(${at}) { ${WORTH} } earnings(${at}) { earningsUsd worthUsd } }`).join(' ')}
        line: portfolio(addresses: ${addresses}) { series(${span}) { ${EARNED} totalPoints rank } }
        some: portfolio(addresses: ${addresses}, ${at}) { worth { ${WORTH} } points: totalPoints bestRank
          earnings { earningsUsd worthUsd } } }`)
      data.some.series = line.series
      for (const { series, worth, earnings } of Object.values<Row>(data)) {
        const last = series.at(-1)
        expect(last.worth).toEqual(worth?.hasIncompletePrices ? null : worth)
        expect(worth?.netUsd ?? 0).toBe(earnings.worthUsd)
        if (last.hasIncompletePrices || last.pendingCashUsd === null) continue
        expect(cents(last.earningsUsd) - cents(last.pendingCashUsd)).toBe(
          cents(earnings.earningsUsd),
        )
      }
      const then = data.some
      const { totalPoints, rank } = then.series.at(-1)
      if (totalPoints !== null) expect([totalPoints, rank]).toEqual([then.points, then.bestRank])
    }
  })

  test('a range that ends before the first record, and one in the year 9999', async () => {
    const { user } = await gateway.ask(`{ user(address: "${users[0]}") {
      before: series(from: "2026-02-01", to: "2026-02-02") { earningsUsd worth { netUsd } }
      after: series(interval: MONTH, from: "9999-12-01", to: "9999-12-31") { netCashInvestedUsd }
      first: series(from: "0001-01-01", to: "0001-01-01") { earningsUsd } } }`)
    const now = momentsOf(users.slice(0, 1), Number.POSITIVE_INFINITY)
    expect(user).toEqual({
      before: [
        { earningsUsd: null, worth: null },
        { earningsUsd: null, worth: null },
      ],
      after: [
        {
          netCashInvestedUsd: now.some(({ unknownCash }) => unknownCash)
            ? null
            : dollars(sum(now, ({ cash }) => cash)),
        },
      ],
      first: [{ earningsUsd: null }],
    })
  })
})

test('an empty store, and an invalid moment', async () => {
  const empty = await startGateway()
  try {
    const nothing = asker(empty)
    expect(
      await nothing(`{ user(address: "${nobody}") { earnings(at: "2026-03-01") { earningsUsd entityCount }
        netApr(at: "2026-03-01") { earnNetApr: netDepositApr } latestSnapshots(at: "2026-03-01") { time } }
        portfolio(addresses: ["${nobody}"], at: "2026-03-01") { points: totalPoints bestRank positionCount: recordCount pools { points } entities { borrowed { usd } }
          worth { netUsd } }
        line: portfolio(addresses: ["${nobody}"]) {
          series(from: "2026-03-01", to: "2026-03-01") { points earningsUsd pendingCashUsd worth { netUsd } } none: series { points } } }`),
    ).toEqual({
      user: {
        earnings: { earningsUsd: 0, entityCount: 0 },
        netApr: { earnNetApr: 0 },
        latestSnapshots: [],
      },
      portfolio: {
        points: 0,
        bestRank: null,
        positionCount: 0,
        pools: [],
        entities: [],
        worth: null,
      },
      line: {
        series: [{ points: 0, earningsUsd: null, pendingCashUsd: 0, worth: null }],
        none: [],
      },
    })
  } finally {
    await empty.close()
  }
  for (const field of [
    `user(address: "${nobody}") { earnings(at: "yesterday") { earningsUsd } }`,
    'portfolio(addresses: [], at: 5) { totalPoints }',
  ]) {
    const { errors } = await gateway.graphql(`{ ${field} }`)
    expect(errors?.[0].message).toMatch(/date/i)
  }
})

test('many users and addresses take as many statements as one', async () => {
  const count = async (query: string, variables: object, road = asker(gateway)) => {
    for (let warm = 0; warm < 2; warm++) await road(query, variables)
    gateway.statements.length = 0
    await road(query, variables)
    return gateway.statements.length
  }
  const series = '{ points rank worth { netUsd } earningsUsd positionCount liquidationRewardCount }'
  const portfolio = `query ($a: [Address!]!) { portfolio(addresses: $a) { series ${series} } }`
  const each = `query ($a: [Address!]!) { lookupUsers(addresses: $a) { series ${series} } }`
  const then = `query ($a: [Address!]!) { portfolio(addresses: $a, at: "2026-03-09T12:00:00Z") { ${PORTFOLIO} } }`
  const past = `query ($a: [Address!]!) { lookupUsers(addresses: $a) { worth(at: "2026-03-09") { netUsd } earnings(at: "2026-03-09") { earningsUsd }
    netApr(at: "2026-03-09") { earnNetApr: netDepositApr } latestSnapshots(at: "2026-03-09") { time } } }`
  for (const a of [users.slice(0, 1), [...users, nobody]]) {
    expect(await count(portfolio, { a })).toBe(1)
    expect(await count(each, { a })).toBe(1)
    expect(await count(then, { a })).toBe(9)
    expect(await count(past, { a })).toBe(1)
  }
  // What is not selected is not read.
  expect(
    await count(
      `query ($a: [Address!]!) { portfolio(addresses: $a) { series { worth { netUsd } } } }`,
      { a: users },
    ),
  ).toBe(1)
})
