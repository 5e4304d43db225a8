import { describe, expect, test } from 'vitest'
import {
  sampleFiles,
  sampleMarket,
  samplePool,
  sampleUser,
  sampleVault,
} from '../../src/sample/index.ts'

type Row = Record<string, any>
type Check = (value: unknown) => boolean
type Name = keyof ReturnType<typeof sampleFiles>

const DAY = 86_400
const now = new Date('2026-11-21T10:20:30.456Z')
const today = Date.UTC(2026, 10, 21) / 1000

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const text = matches(/^.+$/)
const address = matches(/^0x[0-9a-f]{40}$/)
const txHash = matches(/^0x[0-9a-f]{64}$/)
const uuid = matches(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const instant: Check = (value) =>
  typeof value === 'string' && new Date(value).toISOString() === value
const uint: Check = (value) =>
  matches(/^(0|[1-9]\d*)$/)(value) && BigInt(value as string) < 2n ** 256n
const seconds: Check = (value) => uint(value) && Number(value) < now.getTime() / 1000
const midnight: Check = (value) => seconds(value) && Number(value) % DAY === 0
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const integer: Check = (value) => number(value) && Number.isSafeInteger(value)
const usd: Check = (value) => number(value) && /^\d+(\.\d{1,4})?$/.test(String(value))
/** A rate that people believe: at most 30 %, and nothing where nobody borrows. */
const rate: Check = (value) => number(value) && Number(value) < 0.3
const or =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value))
const one =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value)
const none = one(null)
const fields = (check: Check, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, check]))

const chainId = one(1, 10, 42161, 8453, 146)
const multiplier = one(0, 0.5, 1, 1.5, 2)
const reward = {
  chainId,
  txHash,
  logIndex: integer,
  accountId: address,
  ...fields(uint, 'supplySent collateralReceived liquidReward'),
  ...fields(or(usd, none), 'supplySentUsd collateralReceivedUsd liquidRewardUsd'),
  timestamp: seconds,
  userRoi: or(matches(/^\d+\.\d+$/), none),
  claimedTimestamp: or(seconds, none),
}
const snapshot = { chainId, accountId: address, positionId: text, timestamp: midnight }

/**
 * The sample has no runs, no limits apart from markets, the base points of the settings, and no users but those of its records.
 */
const format: Record<
  Exclude<Name, 'thresholds' | 'users' | 'runs' | 'base-points-revisions' | 'ledger' | 'seasons'>,
  { fields: Record<string, Check>; key: string[] }
> = {
  pools: {
    key: ['id'],
    fields: {
      ...fields(address, 'id asset_1_address asset_2_address unit_1_id unit_2_id'),
      ...fields(text, 'name asset_1_name asset_1_symbol asset_2_name asset_2_symbol'),
      ...fields(integer, 'marketId createdTimestamp interestLastUpdated'),
      chainId,
    },
  },
  'multiplier-revisions': {
    key: ['id'],
    fields: {
      ...fields(integer, 'id'),
      ...fields(text, 'changedBy'),
      poolAddress: address,
      ...fields(multiplier, 'deposit_tokenA deposit_tokenB borrow_tokenA borrow_tokenB'),
      ...fields(instant, 'changedAt recordedAt'),
      fromDate: or(matches(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/), none),
    },
  },
  multipliers: {
    key: ['poolAddress'],
    fields: {
      id: uuid,
      poolAddress: address,
      ...fields(multiplier, 'deposit_tokenA deposit_tokenB borrow_tokenA borrow_tokenB'),
      ...fields(instant, 'createdAt updatedAt'),
    },
  },
  markets: {
    key: ['chainId', 'id'],
    fields: {
      chainId,
      ...fields(address, 'id poolId assetAddress'),
      assetSymbol: text,
      assetDecimals: one(4, 6, 8, 18),
      ...fields(rate, 'depositRate borrowRate'),
      ...fields(or(number, none), 'maxLtv liquidationThreshold'),
    },
  },
  vaults: {
    key: ['chainId', 'id'],
    fields: {
      chainId,
      ...fields(address, 'id assetAddress'),
      ...fields(text, 'name assetSymbol'),
      assetDecimals: one(6, 18),
      depositRate: rate,
    },
  },
  rates: {
    key: ['entityType', 'chainId', 'entityId', 'changedAt'],
    fields: {
      entityType: one('market', 'vault'),
      chainId,
      entityId: address,
      changedAt: instant,
      depositRate: rate,
      borrowRate: or(rate, none),
    },
  },
  tokens: {
    key: ['chainId', 'address'],
    fields: {
      chainId,
      address,
      name: text,
      logoURI: or(matches(/^data:image\/svg\+xml,%3Csvg [^<>#]+$/), none),
      movesWith: or(matches(/^(USD|ETH|BTC)$/), none),
    },
  },
  prices: {
    key: ['chainId', 'assetAddress', 'date'],
    fields: {
      chainId,
      assetAddress: address,
      ...fields(instant, 'date time'),
      priceUsd: number,
      source: text,
    },
  },
  positions: {
    key: ['userAddress', 'marketAddress', 'distributionDate'],
    fields: {
      id: matches(/^[0-9a-z-]{10,40}$/),
      ...fields(address, 'userAddress marketAddress aTokenAddress bTokenAddress'),
      distributionDate: matches(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/),
      ...fields(text, 'aTokenSymbol bTokenSymbol'),
      ...fields(number, 'aTokenPrice aSuppliedAmount aProtectedSuppliedAmount aBorrowedAmount'),
      ...fields(usd, 'aSuppliedAmountUsd aProtectedSuppliedAmountUsd aBorrowedAmountUsd'),
      ...fields(number, 'bTokenPrice bSuppliedAmount bProtectedSuppliedAmount bBorrowedAmount'),
      ...fields(usd, 'bSuppliedAmountUsd bProtectedSuppliedAmountUsd bBorrowedAmountUsd'),
    },
  },
  'market-snapshots': {
    key: ['chainId', 'marketId', 'accountId', 'positionId', 'timestamp'],
    fields: {
      ...snapshot,
      marketId: address,
      ...fields(uint, 'collateralAssets protectedAssets debtAssets'),
      ...fields(or(usd, none), 'collateralUsd protectedUsd debtUsd'),
    },
  },
  'vault-snapshots': {
    key: ['chainId', 'vaultId', 'accountId', 'positionId', 'timestamp'],
    fields: {
      ...snapshot,
      vaultId: address,
      ...fields(uint, 'shares assets'),
      assetsUsd: or(usd, none),
    },
  },
  'market-liquidation-rewards': {
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    fields: { ...reward, ...fields(address, 'debtMarketId collateralMarketId') },
  },
  'vault-liquidation-rewards': {
    key: ['chainId', 'txHash', 'logIndex', 'accountId'],
    fields: { ...reward, vaultId: address },
  },
  liquidations: {
    key: ['chainId', 'txHash', 'logIndex'],
    fields: {
      chainId,
      txHash,
      logIndex: integer,
      timestamp: seconds,
      ...fields(address, 'borrower liquidator poolId debtMarketId collateralMarketId'),
      ...fields(uint, 'debtRepaid collateralSeized'),
      ...fields(or(usd, none), 'debtRepaidUsd collateralSeizedUsd'),
    },
  },
  'cash-flows': {
    key: ['chainId', 'txHash', 'logIndex'],
    fields: {
      chainId,
      entityType: one('market', 'vault'),
      ...fields(address, 'entityId accountId'),
      txHash,
      logIndex: integer,
      timestamp: seconds,
      kind: one('deposit', 'withdraw', 'borrow', 'repay'),
      amountUsd: or(usd, none),
      assets: uint,
    },
  },
}

interface Size {
  users: number
  days: number
}

const everyone = { users: 500, days: 90 }
let loadedWithEveryone: Record<Name, Row[]> | undefined

/** Every line of every file, parsed; the big one once. */
function sampleOf(size: Size): Record<Name, Row[]> {
  if (size !== everyone) return load(size)
  loadedWithEveryone ??= load(size)
  return loadedWithEveryone
}

function load(options: Size & { now?: Date }): Record<Name, Row[]> {
  const files = sampleFiles({ now, ...options })
  const parsed = Object.entries(files).map(([name, lines]) => [
    name,
    [...lines()].map((line) => JSON.parse(line)),
  ])
  return Object.fromEntries(parsed)
}

const keyOf = (row: Row, names: string[]) => names.map((name) => row[name]).join(' ')

function group(rows: Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const name = key(row)
    const members = groups.get(name)
    if (members) members.push(row)
    else groups.set(name, [row])
  }
  return groups
}

describe.each([{ users: 50, days: 10 }, everyone, { users: 5, days: 1 }])(
  'a sample of $users users and $days days',
  (size) => {
    const data = sampleOf(size)
    const entities = new Map(
      [...data.markets, ...data.vaults].map((row) => [`${row.chainId} ${row.id}`, row]),
    )

    test('fits the import format, field by field', () => {
      const problems: string[] = []
      for (const [name, { fields }] of Object.entries(format)) {
        const expected = Object.keys(fields).sort().join()
        for (const row of data[name as Name]) {
          if (Object.keys(row).sort().join() !== expected)
            problems.push(`${name}: ${Object.keys(row)}`)
          for (const [field, check] of Object.entries(fields)) {
            if (!check(row[field])) problems.push(`${name}.${field}: ${row[field]}`)
          }
        }
      }
      expect(problems.slice(0, 10)).toEqual([])
    })

    test('has unique natural keys', () => {
      for (const [name, { key }] of Object.entries(format)) {
        const rows = data[name as Name]
        expect(new Set(rows.map((row) => keyOf(row, key))).size, name).toBe(rows.length)
      }
      expect(new Set(data.positions.map((row) => row.id)).size).toBe(data.positions.length)
      expect(new Set(data.pools.map((row) => row.marketId)).size).toBe(data.pools.length)
    })

    test('names only pools, markets and vaults that are there', () => {
      const pools = new Map(data.pools.map((row) => [row.id, row]))
      const missing: Row[] = []
      for (const row of data.pools) {
        const sides = [row.unit_1_id, row.unit_2_id].map((id) =>
          entities.get(`${row.chainId} ${id}`),
        )
        expect(sides.map((side) => side?.poolId)).toEqual([row.id, row.id])
        expect(sides.map((side) => side?.assetAddress)).toEqual([
          row.asset_1_address,
          row.asset_2_address,
        ])
      }
      for (const row of data.multipliers) if (!pools.has(row.poolAddress)) missing.push(row)
      for (const row of data.markets) if (!pools.has(row.poolId)) missing.push(row)
      for (const row of data.positions) {
        const pool = pools.get(row.marketAddress)
        if (pool?.asset_1_address !== row.aTokenAddress) missing.push(row)
        if (pool?.asset_2_address !== row.bTokenAddress) missing.push(row)
      }
      const named = ['marketId', 'vaultId', 'debtMarketId', 'collateralMarketId', 'entityId']
      for (const name of [
        'market-snapshots',
        'vault-snapshots',
        'market-liquidation-rewards',
        'vault-liquidation-rewards',
        'liquidations',
        'cash-flows',
      ] as const) {
        for (const row of data[name]) {
          for (const field of named) {
            if (row[field] && !entities.has(`${row.chainId} ${row[field]}`)) missing.push(row)
          }
        }
      }
      expect(missing.slice(0, 10)).toEqual([])
    })

    test('has daily records that end yesterday', () => {
      const days = Array.from({ length: size.days }, (_, day) => today - (size.days - day) * DAY)
      const dates = days.map((day) => new Date(day * 1000).toISOString())
      const distinct = (rows: Row[], field: string) =>
        [...new Set(rows.map((row) => row[field]))].sort()
      expect(distinct(data.positions, 'distributionDate')).toEqual(dates)
      expect(distinct(data['market-snapshots'], 'timestamp')).toEqual(days.map(String))
      expect(distinct(data['vault-snapshots'], 'timestamp')).toEqual(days.map(String))
    })

    test('is consistent between positions and snapshots', () => {
      const dayAndSide = (row: Row) => `${row.accountId} ${row.marketId} ${row.timestamp}`
      const snapshots = group(data['market-snapshots'], dayAndSide)
      const pools = new Map(data.pools.map((row) => [row.id, row]))
      const problems: Row[] = []
      let told = 0
      for (const position of data.positions) {
        const pool = pools.get(position.marketAddress)
        const timestamp = new Date(position.distributionDate).getTime() / 1000
        for (const [side, market] of [
          ['a', pool?.unit_1_id],
          ['b', pool?.unit_2_id],
        ]) {
          const parts = snapshots.get(`${position.userAddress} ${market} ${timestamp}`) ?? []
          const decimals = entities.get(`${pool?.chainId} ${market}`)?.assetDecimals
          told += parts.length
          for (const [amount, part] of [
            ['SuppliedAmount', 'collateral'],
            ['ProtectedSuppliedAmount', 'protected'],
            ['BorrowedAmount', 'debt'],
          ]) {
            const held = parts.reduce((sum, row) => sum + BigInt(row[`${part}Assets`]), 0n)
            const worth = parts.reduce((sum, row) => sum + (row[`${part}Usd`] ?? 0), 0)
            const priced = parts.every((row) => row[`${part}Usd`] !== null)
            const tokens = position[side + amount]
            const dollars = position[`${side}${amount}Usd`]
            const fits =
              Math.abs(tokens - Number(held) / 10 ** decimals) <= 1e-12 * tokens &&
              Math.abs(dollars - tokens * position[`${side}TokenPrice`]) <=
                1.1e-4 * Math.max(parts.length, 1) &&
              (!priced || Math.abs(dollars - worth) < 1e-6)
            if (!fits) problems.push({ position, parts })
          }
        }
      }
      expect(problems.slice(0, 3)).toEqual([])
      // A snapshot that no position corresponds to is the end of one.
      const silent = data['market-snapshots'].length - told
      const zeros = data['market-snapshots'].filter((row) =>
        ['collateralAssets', 'protectedAssets', 'debtAssets'].every((field) => row[field] === '0'),
      )
      expect(silent).toBeLessThanOrEqual(zeros.length)
    })

    test('gives every token one price a day', () => {
      const prices = new Map<string, number>()
      const problems: string[] = []
      for (const row of data.positions) {
        for (const side of ['a', 'b']) {
          const key = `${row[`${side}TokenAddress`]} ${row[`${side}TokenSymbol`]} ${row.distributionDate}`
          const price = row[`${side}TokenPrice`]
          if ((prices.get(key) ?? price) !== price) problems.push(`${key}: ${price}`)
          if (/ USD[CT] /.test(key) && Math.abs(price - 1) > 0.01) problems.push(`${key}: ${price}`)
          prices.set(key, price)
        }
      }
      expect(problems.slice(0, 10)).toEqual([])
    })

    test('explains with cash flows what an account holds', () => {
      const flows = group(
        data['cash-flows'],
        (row) => `${row.accountId} ${row.chainId} ${row.entityId}`,
      )
      const snapshots = [...data['market-snapshots'], ...data['vault-snapshots']]
      for (const [key, rows] of group(
        snapshots,
        (row) => `${row.accountId} ${row.chainId} ${row.marketId ?? row.vaultId}`,
      )) {
        const opened = Math.min(...rows.map((row) => Number(row.timestamp)))
        const amounts = flows.get(key) ?? []
        expect(Math.min(...amounts.map((row) => Number(row.timestamp)))).toBeLessThan(opened)
      }
      expect(flows.size).toBe(
        new Set(snapshots.map((row) => `${row.accountId} ${row.marketId ?? row.vaultId}`)).size,
      )
    })
  },
)

describe('the whole sample', () => {
  const data = sampleOf(everyone)

  test('has the size it is meant to have', () => {
    const within = (name: Name, low: number, high: number) => {
      expect(data[name].length, name).toBeGreaterThanOrEqual(low)
      expect(data[name].length, name).toBeLessThanOrEqual(high)
    }
    within('pools', 24, 24)
    within('multipliers', 21, 22)
    within('markets', 48, 48)
    within('vaults', 6, 8)
    within('positions', 35_000, 45_000)
    within('market-snapshots', 50_000, 70_000)
    within('vault-snapshots', 5_000, 10_000)
    within('market-liquidation-rewards', 800, 2_000)
    within('vault-liquidation-rewards', 300, 1_000)
    within('liquidations', 20, 800)
    within('cash-flows', 4_500, 9_000)
    within('multiplier-revisions', 28, 30)
    expect(new Set(data.positions.map((row) => row.userAddress)).size).toBe(500)
  })

  test('has one chain whose records end two days before the others', () => {
    const newest: Record<number, number> = {}
    for (const name of ['market-snapshots', 'vault-snapshots', 'cash-flows'] as const)
      for (const { chainId, timestamp } of data[name])
        newest[chainId] = Math.max(newest[chainId] ?? 0, Math.floor(timestamp / DAY) * DAY)
    const { 10: late, ...others } = newest
    expect(Object.values(others)).toEqual(Array(4).fill(today - DAY))
    expect(late).toBe(today - 3 * DAY)
    const holders = data['vault-snapshots'].filter(({ chainId }) => chainId === 10)
    expect(new Set(holders.map(({ accountId }) => accountId)).size).toBe(4)
    expect(holders.map(({ accountId }) => accountId)).not.toContain(sampleUser)
  })

  test('has earnings that are mostly small', () => {
    const cash = new Map<string, { net: number; moved: number; priced: boolean }>()
    const key = (row: Row) => `${row.accountId} ${row.entityId ?? row.marketId ?? row.vaultId}`
    for (const row of data['cash-flows']) {
      const sum = cash.get(key(row)) ?? { net: 0, moved: 0, priced: true }
      const into = row.kind === 'deposit' || row.kind === 'repay'
      sum.net += (into ? 1 : -1) * (row.amountUsd ?? 0)
      sum.moved += row.amountUsd ?? 0
      sum.priced &&= row.amountUsd !== null
      cash.set(key(row), sum)
    }
    // A lender earns the collateral that a liquidation gives for a part of the supply.
    for (const row of [
      ...data['market-liquidation-rewards'],
      ...data['vault-liquidation-rewards'],
    ]) {
      const sum = cash.get(`${row.accountId} ${row.debtMarketId ?? row.vaultId}`)
      if (sum) sum.net -= row.collateralReceivedUsd ?? 0
    }
    const returns: number[] = []
    for (const [name, rows] of group(
      [...data['market-snapshots'], ...data['vault-snapshots']],
      key,
    )) {
      const newest = Math.max(...rows.map((row) => Number(row.timestamp)))
      const last = rows.filter((row) => Number(row.timestamp) === newest)
      const value = last.reduce(
        (sum, row) => sum + (row.assetsUsd ?? row.collateralUsd + row.protectedUsd - row.debtUsd),
        0,
      )
      const { net = 0, moved = 0, priced = false } = cash.get(name) ?? {}
      if (priced) returns.push((value - net) / moved)
    }
    returns.sort((a, b) => a - b)
    const quantile = (share: number) => returns[Math.floor(share * (returns.length - 1))] as number
    expect(quantile(0)).toBeGreaterThan(-0.9)
    expect(quantile(0.1)).toBeLessThan(0)
    expect(quantile(0.5)).toBeGreaterThan(0)
    expect(quantile(0.75)).toBeLessThan(0.15)
    expect(quantile(1)).toBeLessThan(1)
  })

  test('lends most of what borrowers take, spreads the rest, and has a loan below its threshold', () => {
    const newest = String(today - DAY)
    const last = data['market-snapshots'].filter(({ timestamp }) => timestamp === newest)
    const sum = (rows: Row[], ...fields: string[]) =>
      rows.reduce((all, row) => all + fields.reduce((one, field) => one + (row[field] ?? 0), 0), 0)
    const used = data.pools.map(({ unit_2_id: borrowed }) => {
      const rows = last.filter(({ marketId }) => marketId === borrowed)
      return { supply: sum(rows, 'collateralUsd'), debt: sum(rows, 'debtUsd') }
    })
    const total = (of: 'supply' | 'debt') => used.reduce((all, one) => all + one[of], 0)
    expect(total('debt') / total('supply')).toBeGreaterThan(0.6)
    expect(total('debt') / total('supply')).toBeLessThan(0.9)
    const held = [...group(last, ({ accountId }) => accountId).values()].map((rows) =>
      sum(rows, 'collateralUsd', 'protectedUsd'),
    )
    expect(Math.max(...held) / held.reduce((all, one) => all + one, 0)).toBeLessThan(0.1)
    const markets = new Map(data.markets.map((row) => [row.id, row]))
    const loans = group(
      last,
      ({ accountId, marketId }) => `${accountId} ${markets.get(marketId)?.poolId}`,
    )
    const health = [...loans.values()].flatMap((rows) => {
      const debt = sum(rows, 'debtUsd')
      const counted = rows.map((row) => ({
        usd: sum([row], 'collateralUsd', 'protectedUsd'),
        threshold: row.debtUsd > 0 ? 0 : markets.get(row.marketId)?.liquidationThreshold,
      }))
      if (!debt || counted.some(({ threshold }) => threshold === null)) return []
      return [counted.reduce((all, { usd, threshold }) => all + usd * threshold, 0) / debt]
    })
    expect(health.filter((factor) => factor < 1)).toHaveLength(1)
  })

  test('has odd names, missing prices, closed accounts and unclaimed rewards', () => {
    const symbols = data.markets.map((row) => row.assetSymbol)
    expect(symbols).toContain('USD₮0')
    expect(symbols.some((symbol) => symbol.includes('.'))).toBe(true)
    expect(symbols.some((symbol) => /^PT-.*-30DEC2027$/.test(symbol))).toBe(true)
    expect(data['market-snapshots'].some((row) => row.collateralUsd === null)).toBe(true)
    expect(data['market-snapshots'].some((row) => row.debtUsd === null)).toBe(true)
    expect(data['vault-snapshots'].some((row) => row.assetsUsd === null)).toBe(true)
    expect(data['vault-snapshots'].some((row) => row.shares === '0')).toBe(true)
    expect(data['cash-flows'].some((row) => row.amountUsd === null)).toBe(true)
    for (const name of ['market-liquidation-rewards', 'vault-liquidation-rewards'] as const) {
      expect(new Set(data[name].map((row) => row.claimedTimestamp === null)).size).toBe(2)
      expect(new Set(data[name].map((row) => row.userRoi === null)).size).toBe(2)
      expect(
        data[name].every((row) => Number(row.claimedTimestamp ?? now) > Number(row.timestamp)),
      ).toBe(true)
    }
  })
})

describe('the sample is the same', () => {
  const lines = (now: Date) =>
    Object.entries(sampleFiles({ now, users: 20, days: 10 })).map(([name, lines]) => [
      name,
      ...lines(),
    ])

  test('on the same UTC day, and each time a file is read', () => {
    const morning = lines(new Date('2026-11-21T00:00:00.000Z'))
    expect(lines(new Date('2026-11-21T23:59:59.999Z'))).toEqual(morning)
    const files = sampleFiles({ now, users: 20, days: 10 })
    expect([...files.positions()]).toEqual([...files.positions()])
  })

  test('on another day but for its dates', () => {
    const [one, other] = [now, new Date('2027-02-03T04:05:06Z')].map((now) =>
      load({ users: 20, days: 10, now }),
    )
    expect(other?.markets).toEqual(one?.markets)
    const factors = (data?: Record<Name, Row[]>) =>
      data?.multipliers.map(({ updatedAt: _, ...row }) => row)
    expect(factors(other)).toEqual(factors(one))
    expect(other?.vaults).toEqual(one?.vaults)
    const flows = (data?: Record<Name, Row[]>) =>
      data?.['cash-flows'].map(({ timestamp: _, ...row }) => row)
    expect(flows(other)).toEqual(flows(one))
    const positions = (data?: Record<Name, Row[]>) =>
      data?.positions.map(({ id: _, distributionDate: __, ...row }) => row)
    expect(positions(other)).toEqual(positions(one))
  })
})

describe.each([
  { users: 2, days: 10 },
  { users: 40, days: 90 },
])('the sample user among $users, in $days days', (size) => {
  const data = load(size)
  const mine = (name: Name) =>
    data[name].filter((row) => row.accountId === sampleUser || row.userAddress === sampleUser)

  test('has the addresses that the documentation names', () => {
    expect(sampleUser).toBe('0x1d4a30d78de6be5f9885ffac2c6b8425d1d7727e')
    expect(samplePool).toEqual({
      chainId: 146,
      address: '0xd444f1b4a4f5b33eac12f9a0529d33116121b0db',
    })
    expect(sampleMarket).toEqual({
      chainId: 146,
      address: '0xfd15afb808cecf7d46f4427e99c077f6ec94408d',
    })
    expect(sampleVault).toEqual({
      chainId: 146,
      address: '0xb1ed7446e71077e5c21386c39398e52d87be6cb7',
    })
  })

  test('has positions in several pools on all days', () => {
    const pools = group(mine('positions'), (row) => row.marketAddress)
    expect(pools.size).toBeGreaterThanOrEqual(3)
    expect(pools.has(samplePool.address)).toBe(true)
    for (const rows of pools.values()) expect(rows).toHaveLength(size.days)
    expect(mine('positions').some((row) => row.bBorrowedAmountUsd > 0)).toBe(true)
    expect(
      mine('positions').some(
        (row) => row.aProtectedSuppliedAmountUsd > 0 && row.bBorrowedAmountUsd > 0,
      ),
    ).toBe(true)
  })

  test('has two positions in the sample market, protected collateral, a price on each day', () => {
    const rows = mine('market-snapshots').filter(
      (row) => row.chainId === sampleMarket.chainId && row.marketId === sampleMarket.address,
    )
    expect([...new Set(rows.map((row) => row.positionId))]).toEqual(['main', 'lev-2x'])
    expect(rows).toHaveLength(size.days * 2)
    expect(rows.some((row) => row.protectedAssets !== '0')).toBe(true)
    expect(rows.every((row) => row.collateralUsd !== null)).toBe(true)
  })

  test('has money in the sample vault, with a price on each day', () => {
    const rows = mine('vault-snapshots').filter((row) => row.vaultId === sampleVault.address)
    expect(rows).toHaveLength(size.days)
    expect(rows.every((row) => row.assetsUsd !== null)).toBe(true)
    expect(rows.every((row) => row.assets !== '0')).toBe(true)
  })

  test('got liquidation rewards', () => {
    expect(
      mine('market-liquidation-rewards').some(
        (row) => row.collateralMarketId === sampleMarket.address,
      ),
    ).toBe(true)
    expect(
      mine('vault-liquidation-rewards').some((row) => row.vaultId === sampleVault.address),
    ).toBe(true)
  })

  test('moved money in and out, always at a known price', () => {
    const rows = mine('cash-flows')
    expect(rows.map((row) => row.kind)).toEqual(expect.arrayContaining(['deposit', 'borrow']))
    expect(rows.every((row) => row.amountUsd !== null)).toBe(true)
    expect(rows.some((row) => row.entityType === 'vault')).toBe(true)
  })
})
