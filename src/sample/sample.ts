import { createHash } from 'node:crypto'
import type { DatasetFile } from '../sources/dataset/dataset.ts'
import { courses, pairs, type Token, tokens, vaultNames } from './sample-tokens.ts'

interface Entity {
  type: 'market' | 'vault'
  chainId: number
  id: string
  token: Token
  depositRate: number
  borrowRate: number
}

interface Pool {
  chainId: number
  id: string
  /** The markets of A and B. */
  sides: [Entity, Entity]
}

type Part = 'collateral' | 'protected' | 'debt'

/** A deposit into or withdrawal from a part of an account, in shares. Interest raises the value of a share. */
interface Flow {
  day: number
  part: Part
  kind: 'deposit' | 'withdraw' | 'borrow' | 'repay'
  amount: bigint
  shares: bigint
  timestamp: number
}

/** A position of a user in a market or vault, from the day it opens to the day it is empty. */
interface Account {
  user: string
  entity: Entity
  pool?: Pool
  positionId: string
  first: number
  last: number
  flows: Flow[]
}

interface Liquidation {
  day: number
  timestamp: number
  txHash: string
  logIndex: number
  /** The market or vault whose lenders paid the debt. */
  payer: Entity
  /** The market whose collateral they received. */
  collateral: Entity
  /** Hundredths of a percent. */
  bonus: bigint
  unpriced: boolean
}

const DAY = 86_400
/** The value of a share is an integer in this scale, which a double represents exactly. */
const SCALE = 10n ** 15n
const POOLS_OPENED = Date.UTC(2024, 10, 4, 9) / 1000

const digest = (label: string) => createHash('sha256').update(label).digest('hex')
const address = (label: string) => `0x${digest(label).slice(0, 40)}`
const hash = (label: string) => `0x${digest(label)}`
const uuid = (label: string) => digest(label).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

type Random = () => number

/** A stream of numbers in [0, 1) that depends only on the label (mulberry32). */
function random(label: string): Random {
  let state = Number.parseInt(digest(label).slice(0, 8), 16)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const normal = (rng: Random) => Math.sqrt(-2 * Math.log(1 - rng())) * Math.cos(2 * Math.PI * rng())
const between = (rng: Random, low: number, high: number) => low + rng() * (high - low)
const whole = (rng: Random, low: number, high: number) => Math.floor(between(rng, low, high))
const pick = <T>(rng: Random, list: T[], skew = 1) => list[Math.floor(list.length * rng() ** skew)] as T
const round = (usd: number) => Math.round(usd * 1e4) / 1e4

/** Converts whole tokens to the smallest unit, to some significant digits, without exceeding 2^53 in between. */
function units(amount: number, decimals: number, digits = 3): bigint {
  const [mantissa = '0', exponent] = amount.toExponential(digits - 1).split('e')
  const shift = decimals + Number(exponent) - (digits - 1)
  const integer = BigInt(mantissa.replace('.', ''))
  return shift < 0 ? integer / 10n ** BigInt(-shift) : integer * 10n ** BigInt(shift)
}

const tokenAddress = (token: Token) => token.address ?? address(`token ${token.chainId} ${token.symbol}`)
const amount = (token: Token, assets: bigint) => Number(assets) / 10 ** token.decimals

function tokenOf(chainId: number, symbol: string): Token {
  const token = tokens.find((token) => token.chainId === chainId && token.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol} on chain ${chainId}`)
  return token
}

function marketOf(chainId: number, token: Token, label: string): Entity {
  const rng = random(`rates ${label}`)
  const busy = token.follows === 'USD' ? between(rng, 0.04, 0.13) : between(rng, 0.008, 0.045)
  const idle = token.growth !== undefined && rng() < 0.7
  const borrowRate = idle ? busy / 10 : busy
  const depositRate = borrowRate * between(rng, 0.35, 0.8)
  return { type: 'market', chainId, id: address(`market ${label}`), token, depositRate, borrowRate }
}

const pools: Pool[] = pairs.map(({ chainId, a, b, marketId }) => ({
  chainId,
  id: address(`pool ${marketId}`),
  sides: [
    marketOf(chainId, tokenOf(chainId, a), `${marketId} A`),
    marketOf(chainId, tokenOf(chainId, b), `${marketId} B`),
  ],
}))

const vaults: Entity[] = vaultNames.map(({ chainId, lends, name }) => ({
  type: 'vault',
  chainId,
  id: address(`vault ${name}`),
  token: tokenOf(chainId, lends),
  depositRate: between(random(`rates ${name}`), 0.03, 0.11),
  borrowRate: 0,
}))

const [wethUsdc, stsS, susdeUsdt, cbbtcUsdc] = pools as [Pool, Pool, Pool, Pool]
const [sVault, usdcVault] = vaults as [Entity, Entity]

/** The user who has every kind of record, on every day. */
export const sampleUser = address('user 0')

/** The pool where the sample user is a lender and, with leverage, a borrower. */
export const samplePool = { chainId: stsS.chainId, address: stsS.id }

/** The market where the sample user has two positions and liquidation rewards. */
export const sampleMarket = { chainId: stsS.chainId, address: stsS.sides[0].id }

/** The address of that market's asset. */
export const sampleAsset = tokenAddress(stsS.sides[0].token)

/** The vault where the sample user has assets and liquidation rewards. */
export const sampleVault = { chainId: sVault.chainId, address: sVault.id }

interface World {
  days: number
  /** Midnight of each day, in Unix seconds. */
  midnights: number[]
  /** The price of a token on each day. */
  prices: Map<Token, number[]>
  /** The value of a share of each part of an entity on each day, times SCALE. */
  worth: Map<Entity, Record<Part, bigint[]>>
}

function createWorld(now: Date, days: number): World {
  const today = Math.floor(now.getTime() / 1000 / DAY) * DAY
  const numbers = Array.from({ length: days }, (_, day) => day)
  const walks = Object.fromEntries(
    Object.entries(courses).map(([name, { start, move, keep }]) => {
      const rng = random(`course ${name}`)
      let drift = 0
      const course = numbers.map(() => {
        drift = drift * keep + move * normal(rng)
        return start * Math.exp(drift)
      })
      return [name, course]
    }),
  )
  const priced = tokens.map((token): [Token, number[]] => {
    const rng = random(`price ${token.chainId} ${token.symbol}`)
    const { worth = 1, growth = 0 } = token
    const price = (course: number, day: number) =>
      course * worth * (1 + (growth * day) / 365) * (1 + 0.0002 * normal(rng))
    return [token, (walks[token.follows] ?? []).map((course, day) => Number(price(course, day).toPrecision(7)))]
  })
  const grown = (rate: number) =>
    numbers.map((day) => BigInt(Math.round(Number(SCALE) * (1 + (rate * (200 + day)) / 365))))
  const entities = [...pools.flatMap((pool) => pool.sides), ...vaults]
  return {
    days,
    midnights: numbers.map((day) => today - (days - day) * DAY),
    prices: new Map(priced),
    worth: new Map(
      entities.map((entity) => [
        entity,
        { collateral: grown(entity.depositRate), protected: grown(0), debt: grown(entity.borrowRate) },
      ]),
    ),
  }
}

/** The entry of a list of days. */
const at = <T>(list: T[] | undefined, day: number) => list?.[day] as T

/** An amount in USD. */
const usd = (world: World, token: Token, assets: bigint, day: number) =>
  round(amount(token, assets) * at(world.prices.get(token), day))

/** An amount in USD by the price of the day, or null if there was none. */
const quoted = (world: World, token: Token, assets: bigint, day: number) =>
  assets > 0n && token.gaps?.includes(world.days - 1 - day) ? null : usd(world, token, assets, day)

/** Opens an account with USD amounts in each part, changes it on some days, and empties it on the last. */
function open(
  world: World,
  rng: Random,
  account: Omit<Account, 'flows'>,
  parts: Partial<Record<Part, number>>,
  changes: number[],
): Account {
  const { entity, first, last } = account
  const price = at(world.prices.get(entity.token), first)
  // An account on the first day is older than that. All accounts of a user in a pool have the same age.
  const age = first === 0 ? whole(random(`age ${account.user} ${account.pool?.id}`), 0, 60) : 0
  const flows = Object.entries(parts).flatMap(([name, value]) => {
    const part = name as Part
    const worth = world.worth.get(entity)?.[part]
    const opening = units(value / price, entity.token.decimals)
    const flows: Flow[] = []
    let shareCount = 0n
    const move = (day: number, into: boolean, amount: bigint, all = false) => {
      const shares = all ? -shareCount : ((into ? amount : -amount) * SCALE) / at(worth, day)
      const kind = part === 'debt' ? (into ? 'borrow' : 'repay') : into ? 'deposit' : 'withdraw'
      // Collateral goes in before a borrow and out after a repayment.
      const hours = kind === 'deposit' || kind === 'repay' ? between(rng, 12, 24) : between(rng, 0, 12)
      const timestamp = at(world.midnights, day) - 1 - Math.floor(hours * 3600) - (day === 0 ? age * DAY : 0)
      flows.push({ day, part, kind, amount, shares, timestamp })
      shareCount += shares
    }
    const assets = (day: number) => (shareCount * at(worth, day)) / SCALE
    move(first, true, opening)
    for (const day of changes) {
      const share = BigInt(whole(rng, 5, 30))
      if (rng() < 0.6) move(day, true, (opening * share) / 100n)
      else move(day, false, (assets(day) * share) / 100n)
    }
    if (last < world.days) move(last, false, assets(last), true)
    return flows
  })
  return { ...account, flows: flows.sort((one, other) => one.day - other.day) }
}

function changeDays(world: World, rng: Random, first: number, last: number): number[] {
  const end = Math.min(last, world.days)
  const count = end - first < 3 ? 0 : whole(rng, 0, 3)
  return Array.from({ length: count }, () => whole(rng, first + 1, end)).sort((a, b) => a - b)
}

/** All accounts of a user. Depends only on the user's number and the world. */
function accountsOf(world: World, user: number): Account[] {
  if (user === 0) return sampleAccounts(world)
  const rng = random(`user ${user}`)
  const { days } = world
  const wealth = Math.min(Math.max(2, Math.exp(7.4 + 2.1 * normal(rng))), 4e6)
  const first = rng() < 0.4 ? 0 : whole(rng, 0, days)
  const last = rng() < 0.15 ? whole(rng, first + 1, days + 1) : days
  const borrows = rng() < 0.31
  const accounts: Account[] = []

  const add = (
    entity: Entity,
    parts: Partial<Record<Part, number>>,
    { pool, positionId = 'main', end = last }: { pool?: Pool; positionId?: string; end?: number },
  ) => {
    const account = { user: address(`user ${user}`), entity, pool, positionId, first, last: end }
    accounts.push(open(world, rng, account, parts, changeDays(world, rng, first, end)))
  }
  const supply = (value: number) => {
    const protectedPart = rng() < 0.2 ? between(rng, 0.2, 1) : 0
    return {
      ...(protectedPart < 1 && { collateral: value * (1 - protectedPart) }),
      ...(protectedPart > 0 && { protected: value * protectedPart }),
    }
  }

  const usedPools = new Set(Array.from({ length: rng() < 0.69 ? 1 : whole(rng, 2, 4) }, () => pick(rng, pools, 1.7)))
  for (const pool of usedPools) {
    const [a, b] = pool.sides
    const alike = a.token.follows === b.token.follows
    const value = wealth * between(rng, 0.3, 1)
    const repaid = rng() < 0.2 ? whole(rng, first + 1, last + 1) : last
    if (borrows) {
      add(a, supply(value), { pool })
      add(b, { debt: value * between(rng, 0.15, alike ? 0.75 : 0.5) }, { pool, end: repaid })
    } else add(rng() < 0.72 ? b : a, supply(value), { pool })
    if (rng() < (borrows ? 0.25 : 0.03)) {
      const times = alike ? whole(rng, 2, 6) : 2
      const positionId = `lev-${times}x`
      add(a, { collateral: value * 0.3 * times }, { pool, positionId })
      add(b, { debt: value * 0.3 * (times - 1) }, { pool, positionId })
    }
  }
  if (rng() < 0.22) add(pick(rng, vaults), { collateral: wealth * between(rng, 0.2, 0.8) }, {})
  return accounts
}

function sampleAccounts(world: World): Account[] {
  const rng = random('sample user')
  const { days } = world
  const add = (
    entity: Entity,
    parts: Partial<Record<Part, number>>,
    pool?: Pool,
    positionId = 'main',
    changes = changeDays(world, rng, 0, days),
  ) => open(world, rng, { user: sampleUser, entity, pool, positionId, first: 0, last: days }, parts, changes)
  // A day without a price of stS, so that the flow has none.
  const unpriced = [days - 4].filter((day) => day > 0)
  return [
    add(stsS.sides[0], { collateral: 12_000, protected: 4_000 }, stsS, 'main', unpriced),
    add(stsS.sides[1], { collateral: 8_000 }, stsS),
    add(stsS.sides[0], { collateral: 6_000 }, stsS, 'lev-2x'),
    add(stsS.sides[1], { debt: 3_000 }, stsS, 'lev-2x'),
    add(wethUsdc.sides[0], { collateral: 20_000, protected: 5_000 }, wethUsdc),
    add(wethUsdc.sides[1], { debt: 7_000 }, wethUsdc),
    add(susdeUsdt.sides[0], { collateral: 9_000 }, susdeUsdt),
    add(cbbtcUsdc.sides[1], { collateral: 15_000 }, cbbtcUsdc),
    add(sVault, { collateral: 5_000 }),
    add(usdcVault, { collateral: 10_000 }),
  ]
}

type Balance = Record<Part, bigint> & { day: number; shares: bigint }

/** The amounts of an account on each day. A closed one ends with zeros. */
function* balances(world: World, account: Account): Generator<Balance> {
  const worth = world.worth.get(account.entity)
  const shares = { collateral: 0n, protected: 0n, debt: 0n }
  const { flows, first, last } = account
  let next = 0
  for (let day = first; day <= last && day < world.days; day++) {
    for (; flows[next]?.day === day; next++) {
      const flow = flows[next] as Flow
      shares[flow.part] += flow.shares
    }
    const assets = (part: Part) => shares[part] && (shares[part] * at(worth?.[part], day)) / SCALE
    yield {
      day,
      shares: shares.collateral,
      collateral: assets('collateral'),
      protected: assets('protected'),
      debt: assets('debt'),
    }
  }
}

function* poolRecords(world: World) {
  for (const [index, pool] of pools.entries()) {
    const [a, b] = pool.sides
    const marketId = pairs[index]?.marketId ?? 0
    yield {
      id: pool.id,
      chainId: pool.chainId,
      marketId,
      name: `${a.token.symbol}/${b.token.symbol}`,
      asset_1_address: tokenAddress(a.token),
      asset_1_name: a.token.name,
      asset_1_symbol: a.token.symbol,
      asset_2_address: tokenAddress(b.token),
      asset_2_name: b.token.name,
      asset_2_symbol: b.token.symbol,
      createdTimestamp: POOLS_OPENED + marketId * 86_777,
      interestLastUpdated: at(world.midnights, world.days - 1) + marketId * 631,
      unit_1_id: a.id,
      unit_2_id: b.id,
    }
  }
}

function* multiplierRecords() {
  for (const { marketId, multiplier } of pairs) {
    if (!multiplier) continue
    const [deposit_tokenA, deposit_tokenB, borrow_tokenA, borrow_tokenB] = multiplier
    const createdAt = new Date((POOLS_OPENED + marketId * 86_777 + 3 * DAY) * 1000).toISOString()
    yield {
      id: uuid(`multiplier ${marketId}`),
      poolAddress: address(`pool ${marketId}`),
      deposit_tokenA,
      deposit_tokenB,
      borrow_tokenA,
      borrow_tokenB,
      createdAt,
      updatedAt: createdAt,
    }
  }
}

const assetFields = ({ token }: Entity) => ({
  assetAddress: tokenAddress(token),
  assetSymbol: token.symbol,
  assetDecimals: token.decimals,
})

function* marketRecords() {
  for (const { id: poolId, sides } of pools) {
    const [{ token: a }, { token: b }] = sides
    for (const market of sides) {
      const { chainId, id, token, depositRate, borrowRate } = market
      const risk = a.follows === b.follows ? correlated : (risks[token.follows] ?? unknown)
      yield { chainId, id, poolId, ...assetFields(market), depositRate, borrowRate, ...risk }
    }
  }
}

/** How rates came to what they are: one change a day, each near the one after it. */
function* rateRecords({ midnights, days }: World) {
  for (const entity of [...pools.flatMap(({ sides }) => sides), ...vaults]) {
    const { type, chainId, id, depositRate, borrowRate } = entity
    const rng = random(`rate history ${id}`)
    let factor = 1
    for (let day = days - 1; day >= 0; day--) {
      const changedAt = new Date((at(midnights, day) + whole(rng, 0, DAY)) * 1000).toISOString()
      factor = Math.min(1.8, Math.max(0.5, factor * (1 + 0.05 * normal(rng))))
      const rates = { depositRate: depositRate * factor, borrowRate: type === 'market' ? borrowRate * factor : null }
      yield { entityType: type, chainId, entityId: id, changedAt, ...rates }
    }
  }
}

interface Risk {
  maxLtv: number | null
  liquidationThreshold: number | null
}

/** The risk parameters of collateral that moves with the debt. */
const correlated: Risk = { maxLtv: 0.8, liquidationThreshold: 0.84 }
/** Those of other collateral, by its price model. */
const risks: Partial<Record<Token['follows'], Risk>> = {
  USD: { maxLtv: 0.8, liquidationThreshold: 0.85 },
  EUR: { maxLtv: 0.78, liquidationThreshold: 0.83 },
  ETH: { maxLtv: 0.75, liquidationThreshold: 0.8 },
  BTC: { maxLtv: 0.73, liquidationThreshold: 0.78 },
  S: { maxLtv: 0.6, liquidationThreshold: 0.68 },
  LINK: { maxLtv: 0.6, liquidationThreshold: 0.68 },
  ARB: { maxLtv: 0.55, liquidationThreshold: 0.65 },
  AERO: { maxLtv: 0.55, liquidationThreshold: 0.65 },
  GMX: { maxLtv: 0.5, liquidationThreshold: 0.6 },
}
const unknown: Risk = { maxLtv: null, liquidationThreshold: null }

function* vaultRecords() {
  for (const [index, vault] of vaults.entries()) {
    const { chainId, id, depositRate } = vault
    yield { chainId, id, name: vaultNames[index]?.name, ...assetFields(vault), depositRate }
  }
}

type Side = Record<Part, bigint> & Record<`${Part}Usd`, number>

/** The sum of a user's accounts in a pool, by day and side. */
function sidesByDay(world: World, accounts: Account[], pool: Pool): [Side, Side][] {
  const days: [Side, Side][] = []
  const nothing = { collateral: 0n, protected: 0n, debt: 0n, collateralUsd: 0, protectedUsd: 0, debtUsd: 0 }
  for (const account of accounts) {
    if (account.pool !== pool) continue
    const { token } = account.entity
    const index = account.entity === pool.sides[0] ? 0 : 1
    for (const balance of balances(world, account)) {
      days[balance.day] ??= [{ ...nothing }, { ...nothing }]
      const side = at(days, balance.day)[index]
      for (const part of ['collateral', 'protected', 'debt'] as const) {
        if (!balance[part]) continue
        side[part] += balance[part]
        side[`${part}Usd`] = round(side[`${part}Usd`] + usd(world, token, balance[part], balance.day))
      }
    }
  }
  return days
}

function* positionRecords(world: World, users: number) {
  const dates = world.midnights.map((midnight) => new Date(midnight * 1000).toISOString())
  for (let user = 0; user < users; user++) {
    const accounts = accountsOf(world, user)
    for (const pool of new Set(accounts.flatMap(({ pool }) => pool ?? []))) {
      const days = sidesByDay(world, accounts, pool)
      const [aToken, bToken] = [pool.sides[0].token, pool.sides[1].token]
      const [aTokenAddress, bTokenAddress] = [tokenAddress(aToken), tokenAddress(bToken)]
      const userAddress = address(`user ${user}`)
      const idPrefix = `${userAddress.slice(2, 14)}-${pool.id.slice(2, 8)}`
      for (const [day, sides] of days.entries()) {
        if (!sides?.some((side) => side.collateral || side.protected || side.debt)) continue
        const [a, b] = sides
        const distributionDate = at(dates, day)
        yield {
          id: `${idPrefix}-${distributionDate.slice(0, 10).replaceAll('-', '')}`,
          userAddress,
          marketAddress: pool.id,
          distributionDate,
          aTokenAddress,
          aTokenSymbol: aToken.symbol,
          aTokenPrice: at(world.prices.get(aToken), day),
          aSuppliedAmount: amount(aToken, a.collateral),
          aSuppliedAmountUsd: a.collateralUsd,
          aProtectedSuppliedAmount: amount(aToken, a.protected),
          aProtectedSuppliedAmountUsd: a.protectedUsd,
          aBorrowedAmount: amount(aToken, a.debt),
          aBorrowedAmountUsd: a.debtUsd,
          bTokenAddress,
          bTokenSymbol: bToken.symbol,
          bTokenPrice: at(world.prices.get(bToken), day),
          bSuppliedAmount: amount(bToken, b.collateral),
          bSuppliedAmountUsd: b.collateralUsd,
          bProtectedSuppliedAmount: amount(bToken, b.protected),
          bProtectedSuppliedAmountUsd: b.protectedUsd,
          bBorrowedAmount: amount(bToken, b.debt),
          bBorrowedAmountUsd: b.debtUsd,
        }
      }
    }
  }
}

function* accountsIn(world: World, users: number, type: Entity['type']) {
  for (let user = 0; user < users; user++) {
    for (const account of accountsOf(world, user)) if (account.entity.type === type) yield account
  }
}

function* marketSnapshotRecords(world: World, users: number) {
  for (const account of accountsIn(world, users, 'market')) {
    const { chainId, id, token } = account.entity
    for (const { day, collateral, protected: protectedAmount, debt } of balances(world, account)) {
      yield {
        chainId,
        marketId: id,
        accountId: account.user,
        positionId: account.positionId,
        timestamp: String(at(world.midnights, day)),
        collateralAssets: String(collateral),
        collateralUsd: quoted(world, token, collateral, day),
        protectedAssets: String(protectedAmount),
        protectedUsd: quoted(world, token, protectedAmount, day),
        debtAssets: String(debt),
        debtUsd: quoted(world, token, debt, day),
      }
    }
  }
}

function* vaultSnapshotRecords(world: World, users: number) {
  for (const account of accountsIn(world, users, 'vault')) {
    const { chainId, id, token } = account.entity
    for (const { day, shares, collateral } of balances(world, account)) {
      yield {
        chainId,
        vaultId: id,
        accountId: account.user,
        positionId: account.positionId,
        timestamp: String(at(world.midnights, day)),
        shares: String(shares),
        assets: String(collateral),
        assetsUsd: quoted(world, token, collateral, day),
      }
    }
  }
}

function* cashFlowRecords(world: World, users: number) {
  for (let user = 0; user < users; user++) {
    for (const { entity, positionId, flows } of accountsOf(world, user)) {
      for (const [index, flow] of flows.entries()) {
        const txHash = hash(`flow ${user} ${entity.id} ${positionId} ${index}`)
        yield {
          chainId: entity.chainId,
          entityType: entity.type,
          entityId: entity.id,
          accountId: address(`user ${user}`),
          txHash,
          logIndex: Number.parseInt(txHash.slice(2, 4), 16),
          timestamp: String(flow.timestamp),
          kind: flow.kind,
          assets: String(flow.amount),
          amountUsd: quoted(world, entity.token, flow.amount, flow.day),
        }
      }
    }
  }
}

function liquidations(world: World, type: Entity['type']): Liquidation[] {
  const count = Math.ceil(world.days * (type === 'market' ? 0.6 : 0.35))
  return Array.from({ length: count }, (_, index) => {
    const rng = random(`liquidation ${type} ${index}`)
    const vault = index % 4 === 0 ? sVault : pick(rng, vaults)
    const lentFrom = pools.filter(({ chainId, sides }) => chainId === vault.chainId && sides[1].token === vault.token)
    const pool = type === 'vault' ? pick(rng, lentFrom) : index % 4 === 0 ? stsS : pick(rng, pools, 1.7)
    const day = whole(rng, 0, world.days)
    const txHash = hash(`liquidation ${type} ${index}`)
    return {
      day,
      timestamp: at(world.midnights, day) + whole(rng, 0, DAY),
      txHash,
      logIndex: whole(rng, 1, 400),
      payer: type === 'vault' ? vault : pool.sides[1],
      collateral: pool.sides[0],
      bonus: BigInt(whole(rng, 150, 900)),
      unpriced: rng() < 0.1,
    }
  })
}

/** Liquidations, each shared among some of the lenders of that day. */
function* rewardRecords(world: World, users: number, type: Entity['type']) {
  const events = liquidations(world, type)
  for (let user = 0; user < users; user++) {
    const rng = random(`rewards ${type} ${user}`)
    for (const account of accountsOf(world, user)) {
      for (const event of events) {
        if (event.payer !== account.entity || (user > 0 && rng() < 0.7)) continue
        const record = rewardRecord(world, rng, account, event)
        if (record) yield record
      }
    }
  }
}

function rewardRecord(world: World, rng: Random, account: Account, event: Liquidation) {
  const { payer, collateral, day } = event
  const shares = account.flows.reduce(
    (sum, flow) => (flow.part === 'collateral' && flow.day <= day ? sum + flow.shares : sum),
    0n,
  )
  const lent = (shares * at(world.worth.get(payer)?.collateral, day)) / SCALE
  const sent = (lent * BigInt(whole(rng, 10, 200))) / 10_000n
  if (sent <= 0n) return undefined
  const price = (token: Token) => at(world.prices.get(token), day)
  const value = (amount(payer.token, sent) * price(payer.token) * Number(10_000n + event.bonus)) / 10_000
  const received = units(value / price(collateral.token), collateral.token.decimals, 16)
  const reward = (received * event.bonus) / (10_000n + event.bonus)
  const usdOf = (token: Token, assets: bigint) => (event.unpriced ? null : quoted(world, token, assets, day))
  const liquidRewardUsd = usdOf(collateral.token, reward)
  const supplySentUsd = usdOf(payer.token, sent)
  const claimed = event.timestamp + whole(rng, 3600, 21 * DAY)
  const end = at(world.midnights, world.days - 1) + DAY
  return {
    chainId: payer.chainId,
    txHash: event.txHash,
    logIndex: event.logIndex,
    timestamp: String(event.timestamp),
    accountId: account.user,
    ...(payer.type === 'vault' ? { vaultId: payer.id } : { debtMarketId: payer.id, collateralMarketId: collateral.id }),
    supplySent: String(sent),
    supplySentUsd,
    collateralReceived: String(received),
    collateralReceivedUsd: usdOf(collateral.token, received),
    liquidReward: String(reward),
    liquidRewardUsd,
    userRoi: supplySentUsd === null || liquidRewardUsd === null ? null : (Number(event.bonus) / 1e4).toFixed(6),
    claimedTimestamp: rng() < 0.7 && claimed < end ? String(claimed) : null,
  }
}

function* lines(records: Iterable<object>): Generator<string> {
  for (const record of records) yield JSON.stringify(record)
}

/**
 * A realistic dataset: invented users in invented pools of well-known tokens, daily up to yesterday. It is the same for
 * everyone on the same UTC day. Each file is a stream of lines that are generated as they are read.
 */
export function sampleFiles(options: {
  now: Date
  users?: number
  days?: number
}): Record<DatasetFile, () => Iterable<string>> {
  const { users = 1000, days = 90 } = options
  const world = createWorld(options.now, days)
  return {
    pools: () => lines(poolRecords(world)),
    'multiplier-revisions': () => [],
    multipliers: () => lines(multiplierRecords()),
    markets: () => lines(marketRecords()),
    vaults: () => lines(vaultRecords()),
    rates: () => lines(rateRecords(world)),
    users: () => [],
    runs: () => [],
    positions: () => lines(positionRecords(world, users)),
    'market-snapshots': () => lines(marketSnapshotRecords(world, users)),
    'vault-snapshots': () => lines(vaultSnapshotRecords(world, users)),
    'market-liquidation-rewards': () => lines(rewardRecords(world, users, 'market')),
    'vault-liquidation-rewards': () => lines(rewardRecords(world, users, 'vault')),
    'cash-flows': () => lines(cashFlowRecords(world, users)),
  }
}
