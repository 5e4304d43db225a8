import { address, between, hash, random, uuid, whole } from './random.ts'
import { sampleLogos } from './sample-logos.ts'
import {
  lateChain,
  type Multiplier,
  pairs,
  ruleChanges,
  type Token,
  vaultNames,
} from './sample-tokens.ts'
import {
  type Account,
  amount,
  assetsOf,
  at,
  type Entity,
  type Liquidation,
  type Part,
  type Pool,
  parts,
  pools,
  tokenAddress,
  units,
  vaults,
  type World,
} from './simulation.ts'

const DAY = 86_400
const POOLS_OPENED = Date.UTC(2024, 10, 4, 9) / 1000

const SEASON_BEGAN = 30
const SEASON_ENDS = 61

/** A season that has ended and the one that goes on, by the days before and after now. */
export function sampleSeasons(now: Date) {
  const date = (days: number) => iso(now.getTime() / 1000 + days * DAY).slice(0, 10)
  return [
    { name: 'Season 1', startsAt: '2024-11-04', endsAt: date(-SEASON_BEGAN - 1) },
    { name: 'Season 2', startsAt: date(-SEASON_BEGAN), endsAt: date(SEASON_ENDS) },
  ]
}

const LIQUIDATORS = 3

const round = (usd: number) => Math.round(usd * 1e4) / 1e4
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

const usd = (world: World, token: Token, assets: bigint, day: number) =>
  round(amount(token, assets) * at(world.prices.get(token), day))

/** An amount in USD by the price of the day, or null if there was none. */
const quoted = (world: World, token: Token, assets: bigint, day: number) =>
  assets > 0n && token.gaps?.includes(world.days - 1 - day) ? null : usd(world, token, assets, day)

type Balance = Record<Part, bigint> & { day: number; shares: bigint }

/** The amounts of an account on each day. A closed one ends with zeros. */
function* balances(world: World, account: Account): Generator<Balance> {
  const shares = { collateral: 0n, protected: 0n, debt: 0n }
  const { flows, entity } = account
  let next = 0
  let holds = true
  for (let day = flows[0]?.day ?? world.days; day < world.days && holds; day++) {
    for (; flows[next]?.day === day; next++) {
      const flow = at(flows, next)
      shares[flow.part] += flow.shares
    }
    const assets = (part: Part) => assetsOf(world, entity, part, shares[part], day)
    // An empty account may be filled again.
    holds = next < flows.length || parts.some((part) => shares[part] > 0n)
    yield {
      day,
      shares: shares.collateral,
      collateral: assets('collateral'),
      protected: assets('protected'),
      debt: assets('debt'),
    }
  }
}

const openedAt = (marketId: number) => POOLS_OPENED + marketId * 86_777

const factors = ([deposit_tokenA, deposit_tokenB, borrow_tokenA, borrow_tokenB]: Multiplier) => ({
  deposit_tokenA,
  deposit_tokenB,
  borrow_tokenA,
  borrow_tokenB,
})

interface Rule {
  marketId: number
  multiplier: Multiplier
  changedAt: string
  /** The first date that it counts for. Null for the first rule of a pool. */
  fromDate: string | null
}

/** The multipliers of each pool since it got the first ones, oldest first. */
function rules({ midnights }: World): Rule[] {
  const end = (midnights.at(-1) as number) + DAY
  return pairs
    .flatMap(({ marketId, multiplier }) => {
      if (!multiplier) return []
      const changes = ruleChanges.flatMap(({ daysAgo, until }) => {
        const before = until[marketId]
        const from = end - daysAgo * DAY
        return before ? [{ before, changedAt: iso(from - DAY / 2), fromDate: iso(from) }] : []
      })
      const starts = [{ changedAt: iso(openedAt(marketId) + 3 * DAY), fromDate: null }, ...changes]
      const values = [...changes.map(({ before }) => before), multiplier]
      return values.map((multiplier, index) => {
        const { changedAt, fromDate } = at(starts, index)
        return { marketId, multiplier, changedAt, fromDate }
      })
    })
    .sort((one, other) => (one.changedAt < other.changedAt ? -1 : 1))
}

export function* revisionRecords(world: World) {
  for (const [index, { marketId, multiplier, changedAt, fromDate }] of rules(world).entries()) {
    const poolAddress = address(`pool ${marketId}`)
    const record = { changedAt, recordedAt: changedAt, changedBy: 'sample', fromDate }
    yield { id: index + 1, poolAddress, ...factors(multiplier), ...record }
  }
}

export function* multiplierRecords(world: World) {
  const changed = rules(world)
  for (const { marketId, multiplier } of pairs) {
    if (!multiplier) continue
    const ofPool = changed.filter((rule) => rule.marketId === marketId)
    yield {
      id: uuid(`multiplier ${marketId}`),
      poolAddress: address(`pool ${marketId}`),
      ...factors(multiplier),
      createdAt: ofPool[0]?.changedAt,
      updatedAt: ofPool.at(-1)?.changedAt,
    }
  }
}

export function* poolRecords(world: World) {
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
      createdTimestamp: openedAt(marketId),
      interestLastUpdated: at(world.midnights, world.days - 1) + marketId * 631,
      unit_1_id: a.id,
      unit_2_id: b.id,
    }
  }
}

/** The rates after each midnight, where they changed. */
export function* rateRecords({ midnights, courses }: World) {
  for (const [{ type, chainId, id }, { depositRate, borrowRate }] of courses) {
    for (const [day, rate] of depositRate.entries()) {
      if (rate === depositRate[day - 1] && borrowRate[day] === borrowRate[day - 1]) continue
      const rates = { depositRate: rate, borrowRate: type === 'market' ? borrowRate[day] : null }
      yield {
        entityType: type,
        chainId,
        entityId: id,
        changedAt: iso(at(midnights, day)),
        ...rates,
      }
    }
  }
}

/** The rates of the last day. */
const ratesOf = ({ courses }: World, entity: Entity) => ({
  depositRate: courses.get(entity)?.depositRate.at(-1),
  ...(entity.type === 'market' && { borrowRate: courses.get(entity)?.borrowRate.at(-1) }),
})

const assetFields = ({ token }: Entity) => ({
  assetAddress: tokenAddress(token),
  assetSymbol: token.symbol,
  assetDecimals: token.decimals,
})

export function* marketRecords(world: World) {
  for (const { id: poolId, sides } of pools) {
    for (const market of sides) {
      const { chainId, id, risk } = market
      yield { chainId, id, poolId, ...assetFields(market), ...ratesOf(world, market), ...risk }
    }
  }
}

export function* vaultRecords(world: World) {
  for (const [index, vault] of vaults.entries()) {
    const { chainId, id } = vault
    yield {
      chainId,
      id,
      name: vaultNames[index]?.name,
      ...assetFields(vault),
      ...ratesOf(world, vault),
    }
  }
}

type Side = Record<Part, bigint> & Record<`${Part}Usd`, number>

/** The sum of a user's accounts in a pool, by day and side. */
function sidesByDay(world: World, accounts: Account[], pool: Pool): [Side, Side][] {
  const days: [Side, Side][] = []
  const nothing = {
    collateral: 0n,
    protected: 0n,
    debt: 0n,
    collateralUsd: 0,
    protectedUsd: 0,
    debtUsd: 0,
  }
  for (const account of accounts) {
    if (account.pool !== pool) continue
    const { token } = account.entity
    const index = account.entity === pool.sides[0] ? 0 : 1
    for (const balance of balances(world, account)) {
      days[balance.day] ??= [{ ...nothing }, { ...nothing }]
      const side = at(days, balance.day)[index]
      for (const part of parts) {
        if (!balance[part]) continue
        side[part] += balance[part]
        side[`${part}Usd`] = round(
          side[`${part}Usd`] + usd(world, token, balance[part], balance.day),
        )
      }
    }
  }
  return days
}

export function* positionRecords(world: World) {
  const dates = world.midnights.map(iso)
  for (const accounts of world.accounts) {
    for (const pool of new Set(accounts.flatMap(({ pool }) => pool ?? []))) {
      const days = sidesByDay(world, accounts, pool)
      const [aToken, bToken] = [pool.sides[0].token, pool.sides[1].token]
      const [aTokenAddress, bTokenAddress] = [tokenAddress(aToken), tokenAddress(bToken)]
      const userAddress = at(accounts, 0).user
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

/** True if the chain's records of the day are not there yet. */
const isMissing = ({ days }: World, { chainId }: Entity, day: number) =>
  chainId === lateChain.chainId && day >= days - lateChain.days

const accountsIn = ({ accounts }: World, type: Entity['type']) =>
  accounts.flat().filter(({ entity }) => entity.type === type)

// The courses that several tokens follow.
const GROUPS = ['USD', 'ETH', 'BTC']

export function* tokenRecords(world: World) {
  for (const token of world.prices.keys()) {
    const logoURI = sampleLogos[token.symbol] ?? null
    const movesWith = GROUPS.includes(token.follows) ? token.follows : null
    if (logoURI ?? movesWith) {
      const address = tokenAddress(token)
      yield { chainId: token.chainId, address, name: token.name, logoURI, movesWith }
    }
  }
}

export function* priceRecords(world: World) {
  for (const [token, prices] of world.prices)
    for (const [day, priceUsd] of prices.entries()) {
      if (token.gaps?.includes(world.days - 1 - day)) continue
      const time = iso(at(world.midnights, day))
      yield {
        chainId: token.chainId,
        assetAddress: tokenAddress(token),
        date: time,
        priceUsd,
        source: 'sample',
        time,
      }
    }
}

export function* marketSnapshotRecords(world: World) {
  for (const account of accountsIn(world, 'market')) {
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

export function* vaultSnapshotRecords(world: World) {
  for (const account of accountsIn(world, 'vault')) {
    const { chainId, id, token } = account.entity
    for (const { day, shares, collateral } of balances(world, account)) {
      if (isMissing(world, account.entity, day)) break
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

export function* cashFlowRecords(world: World) {
  for (const { user, entity, positionId, flows } of world.accounts.flat()) {
    for (const [
      index,
      { liquidation, taken, logIndex, timestamp, kind, amount, priced, day },
    ] of flows.entries()) {
      if (taken || isMissing(world, entity, day)) continue
      const txHash = liquidation?.txHash ?? hash(`flow ${user} ${entity.id} ${positionId} ${index}`)
      yield {
        chainId: entity.chainId,
        entityType: entity.type,
        entityId: entity.id,
        accountId: user,
        txHash,
        logIndex: logIndex ?? Number.parseInt(txHash.slice(2, 4), 16),
        timestamp: String(timestamp),
        kind,
        assets: String(amount),
        amountUsd: quoted(world, entity.token, amount, priced),
      }
    }
  }
}

/** The liquidations themselves: by a bot, of the debt that the lenders' shares repaid. */
export function* liquidationRecords(world: World) {
  for (const liquidation of world.liquidations) {
    const { day, timestamp, txHash, unpriced, debtMarket, collateralMarket } = liquidation
    const { borrower, repaid, seized, nextLog } = liquidation
    const usdOf = ({ token }: Entity, assets: bigint) =>
      unpriced ? null : quoted(world, token, assets, day)
    yield {
      chainId: debtMarket.chainId,
      txHash,
      logIndex: nextLog,
      timestamp: String(timestamp),
      borrower,
      liquidator: address(`liquidator ${day % LIQUIDATORS}`),
      poolId: pools.find(({ sides }) => sides.includes(debtMarket))?.id,
      debtMarketId: debtMarket.id,
      collateralMarketId: collateralMarket.id,
      debtRepaid: String(repaid),
      debtRepaidUsd: usdOf(debtMarket, repaid),
      collateralSeized: String(seized),
      collateralSeizedUsd: usdOf(collateralMarket, seized),
    }
  }
}

/** The collateral that each lender got for a part of a liquidated debt. */
export function* rewardRecords(world: World, type: Entity['type']) {
  for (const liquidation of world.liquidations) {
    const sent = new Map<string, { payer: Entity; assets: bigint }>()
    for (const { account, sent: assets } of liquidation.payments) {
      if (account.entity.type !== type) continue
      sent.set(account.user, {
        payer: account.entity,
        assets: (sent.get(account.user)?.assets ?? 0n) + assets,
      })
    }
    for (const [user, { payer, assets }] of sent)
      yield rewardRecord(world, liquidation, user, payer, assets)
  }
}

function rewardRecord(
  world: World,
  liquidation: Liquidation,
  user: string,
  payer: Entity,
  sent: bigint,
) {
  const { day, timestamp, txHash, bonus, unpriced, debtMarket, collateralMarket } = liquidation
  const rng = random(`reward ${txHash} ${user} ${payer.type}`)
  const price = (token: Token) => at(world.prices.get(token), day)
  const { token } = collateralMarket
  const value = (amount(payer.token, sent) * price(payer.token) * Number(10_000n + bonus)) / 10_000
  const received = units(value / price(token), token.decimals, 16)
  const reward = (received * bonus) / (10_000n + bonus)
  const isVault = payer.type === 'vault'
  // No price can value the collateral of a vault's reward, whose token is not in the record.
  const usdOf = (token: Token, assets: bigint, isKnown = !unpriced) =>
    isKnown ? quoted(world, token, assets, day) : null
  const liquidRewardUsd = usdOf(token, reward, isVault || !unpriced)
  const supplySentUsd = usdOf(payer.token, sent)
  const claimed = timestamp + whole(rng, 3600, 6 * DAY)
  const end = at(world.midnights, world.days - 1) + DAY
  return {
    chainId: payer.chainId,
    txHash,
    logIndex: isVault ? 0 : 1,
    timestamp: String(timestamp),
    accountId: user,
    ...(isVault
      ? { vaultId: payer.id }
      : { debtMarketId: debtMarket.id, collateralMarketId: collateralMarket.id }),
    supplySent: String(sent),
    supplySentUsd,
    collateralReceived: String(received),
    collateralReceivedUsd: usdOf(token, received, isVault || !unpriced),
    liquidReward: String(reward),
    liquidRewardUsd,
    userRoi:
      supplySentUsd === null || liquidRewardUsd === null ? null : (Number(bonus) / 1e4).toFixed(6),
    claimedTimestamp: between(rng, 0, 1) < 0.7 && claimed < end ? String(claimed) : null,
  }
}
