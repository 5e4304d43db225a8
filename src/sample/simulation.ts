import { address, between, hash, normal, pick, type Random, random, whole } from './random.ts'
import { samplePrices } from './sample-prices.ts'
import { lateChain, pairs, type Token, tokens, vaultNames } from './sample-tokens.ts'

export interface Entity {
  type: 'market' | 'vault'
  chainId: number
  id: string
  token: Token
  risk: Risk
}

export interface Risk {
  maxLtv: number | null
  liquidationThreshold: number | null
}

export interface Pool {
  chainId: number
  id: string
  /** The markets of A and B. */
  sides: [Entity, Entity]
}

export const parts = ['collateral', 'protected', 'debt'] as const
export type Part = (typeof parts)[number]

/**
 * A deposit into or withdrawal from a part of an account, in shares. Interest raises the value of a
 * share.
 */
export interface Flow {
  /** The first midnight whose snapshot has it. */
  day: number
  /** The day whose price it has. */
  priced: number
  part: Part
  kind: 'deposit' | 'withdraw' | 'borrow' | 'repay'
  amount: bigint
  shares: bigint
  timestamp: number
  /** The liquidation that it is a part of, and its log there. */
  liquidation?: Liquidation
  /** True if a liquidation took it from a lender: the reward has it, and no cash flow. */
  taken?: boolean
  logIndex?: number
}

export interface Account {
  user: string
  entity: Entity
  pool?: Pool
  positionId: string
  flows: Flow[]
  /** Its holdings after the flows so far. */
  shares: Record<Part, bigint>
}

/**
 * A loan's collateral that went to the lenders, because its health factor was below 1 at the
 * midnight before.
 */
export interface Liquidation {
  /** The midnight before. */
  day: number
  timestamp: number
  txHash: string
  borrower: string
  debtMarket: Entity
  collateralMarket: Entity
  /** Hundredths of a percent. */
  bonus: bigint
  unpriced: boolean
  /** The index of the next log of its transaction. The first is that of the rewards. */
  nextLog: number
  repaid: bigint
  /** The collateral that was taken. */
  seized: bigint
  /** The part of the debt that each lender paid. A vault's part is shared by its users. */
  payments: { account: Account; sent: bigint }[]
}

interface Course {
  /** The value of a share of each part on each day, times SCALE. */
  worth: Record<Part, bigint[]>
  /** The yearly rates after each midnight. */
  depositRate: number[]
  borrowRate: number[]
}

export interface World {
  days: number
  /** Midnight of each day, in Unix seconds. */
  midnights: number[]
  prices: Map<Token, number[]>
  courses: Map<Entity, Course>
  accounts: Account[][]
  liquidations: Liquidation[]
}

const DAY = 86_400
/** The value of a share is an integer in this scale, which a double represents exactly. */
export const SCALE = 10n ** 15n

const tokenOf = (chainId: number, symbol: string) => {
  const token = tokens.find((token) => token.chainId === chainId && token.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol} on chain ${chainId}`)
  return token
}

export const tokenAddress = (token: Token) =>
  token.address ?? address(`token ${token.chainId} ${token.symbol}`)

const unknown: Risk = { maxLtv: null, liquidationThreshold: null }
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

export const pools: Pool[] = pairs.map(({ chainId, a, b, marketId }) => {
  const pair = [tokenOf(chainId, a), tokenOf(chainId, b)] as const
  const alike = pair[0].follows === pair[1].follows
  const market = (side: 0 | 1): Entity => ({
    type: 'market',
    chainId,
    id: address(`market ${marketId} ${'AB'[side]}`),
    token: pair[side],
    risk: alike ? correlated : (risks[pair[side].follows] ?? unknown),
  })
  return { chainId, id: address(`pool ${marketId}`), sides: [market(0), market(1)] }
})

export const vaults: Entity[] = vaultNames.map(({ chainId, lends, name }) => ({
  type: 'vault',
  chainId,
  id: address(`vault ${name}`),
  token: tokenOf(chainId, lends),
  risk: unknown,
}))

const lateVaults = vaults.filter(({ chainId }) => chainId === lateChain.chainId)
const otherVaults = vaults.filter((vault) => !lateVaults.includes(vault))

const lendsTo = (vault: Entity) =>
  pools.flatMap(({ chainId, sides: [, b] }) =>
    chainId === vault.chainId && b.token === vault.token ? [b] : [],
  )

export const at = <T>(list: T[] | undefined, day: number) => list?.[day] as T
const get = <K, V>(map: Map<K, V>, key: K) => map.get(key) as V
export const amount = (token: Token, assets: bigint) => Number(assets) / 10 ** token.decimals

/**
 * Converts whole tokens to the smallest unit, to some significant digits, without exceeding 2^53 in
 * between.
 */
export function units(amount: number, decimals: number, digits = 3): bigint {
  if (amount <= 0) return 0n
  const [mantissa = '0', exponent] = amount.toExponential(digits - 1).split('e')
  const shift = decimals + Number(exponent) - (digits - 1)
  const integer = BigInt(mantissa.replace('.', ''))
  return shift < 0 ? integer / 10n ** BigInt(-shift) : integer * 10n ** BigInt(shift)
}

export const assetsOf = (world: World, entity: Entity, part: Part, shares: bigint, day: number) =>
  shares && (shares * at(get(world.courses, entity).worth[part], day)) / SCALE

/** The rate that borrowers pay: it rises with utilization, and steeply above the kink. */
export function borrowRateAt(token: Token, utilization: number): number {
  const [base, slope, steep, kink] =
    token.follows === 'USD' ? [0.01, 0.06, 0.18, 0.85] : [0.004, 0.026, 0.1, 0.8]
  return (
    base +
    slope * Math.min(utilization / kink, 1) +
    steep * Math.max(0, (utilization - kink) / (1 - kink))
  )
}

/** The share of the interest that lenders get. */
const TO_LENDERS = 0.9
/** Borrowers leave this part of a market's deposits to those who withdraw. */
const LENT_AT_MOST = 0.92
/** Lenders bring what borrowers are about to take, and this part of it more. */
const UTILIZATION = { least: 0.7, most: 0.95 }
/** The wealth of the richest, in USD. */
const RICHEST = 2e5
/** A liquidation brings a loan back to this health factor. */
const RESCUED = 1.05
/** The yearly rate of a vault that lends on other chains. */
const RATE_ELSEWHERE = 0.043
/** The users who have assets on the late chain too. */
const LATE_USERS = [4, 9, 16, 25]
/** The part of a liquidated debt that a vault has lent. */
const VAULT_PART = 30n

interface Plan {
  entity: Entity
  pool?: Pool
  positionId: string
  usd: Partial<Record<Part, number>>
}

interface Actor {
  user: string
  rng: Random
  accounts: Account[]
  plans: Plan[]
  first: number
  last: number
  /**
   * The lowest health factor to which it borrows. It repays before it falls to 1, unless it is
   * reckless.
   */
  borrowsTo: number
  reckless: boolean
  /** How likely it is to borrow more on a day. */
  eager: number
}

/** The user who has every kind of record, on every day. */
export const sampleUser = address('user 0')

const [wethUsdc, stsS, susdeUsdt, cbbtcUsdc] = pools as [Pool, Pool, Pool, Pool]
const [sVault, usdcVault] = vaults as [Entity, Entity]

/** The pool where the sample user is a lender and, with leverage, a borrower. */
export const samplePool = { chainId: stsS.chainId, address: stsS.id }

/** The market where the sample user has two positions and liquidation rewards. */
export const sampleMarket = { chainId: stsS.chainId, address: stsS.sides[0].id }

/** The address of that market's asset. */
export const sampleAsset = tokenAddress(stsS.sides[0].token)

/** The vault where the sample user has assets and liquidation rewards. */
export const sampleVault = { chainId: sVault.chainId, address: sVault.id }

const plan = (entity: Entity, usd: Plan['usd'], pool?: Pool, positionId = 'main'): Plan => ({
  entity,
  usd,
  pool,
  positionId,
})

/** The plans of a user, which depend only on its number. */
function actor(user: number, days: number): Actor {
  const rng = random(`user ${user}`)
  const common = { user: address(`user ${user}`), rng, accounts: [] }
  if (user === 0) {
    const plans = [
      plan(stsS.sides[0], { collateral: 12_000, protected: 4_000 }, stsS),
      plan(stsS.sides[1], { collateral: 8_000 }, stsS),
      plan(stsS.sides[0], { collateral: 6_000 }, stsS, 'lev-2x'),
      plan(stsS.sides[1], { debt: 3_000 }, stsS, 'lev-2x'),
      plan(wethUsdc.sides[0], { collateral: 20_000, protected: 5_000 }, wethUsdc),
      plan(wethUsdc.sides[1], { debt: 7_000 }, wethUsdc),
      plan(susdeUsdt.sides[0], { collateral: 9_000 }, susdeUsdt),
      plan(cbbtcUsdc.sides[1], { collateral: 15_000 }, cbbtcUsdc),
      plan(sVault, { collateral: 5_000 }),
      plan(usdcVault, { collateral: 10_000 }),
    ]
    return { ...common, plans, first: 0, last: days, borrowsTo: 1.8, reckless: false, eager: 0.02 }
  }
  if (user === 1) {
    const plans = [
      plan(stsS.sides[0], { collateral: 4_800 }, stsS, 'lev-6x'),
      plan(stsS.sides[1], { debt: 4_028 }, stsS, 'lev-6x'),
    ]
    return { ...common, plans, first: 0, last: days, borrowsTo: 1.004, reckless: true, eager: 0.3 }
  }
  // A loan that can be liquidated at the end.
  if (user === 2) {
    const plans = [
      plan(stsS.sides[0], { collateral: 26_000 }, stsS, 'lev-6x'),
      plan(stsS.sides[1], { debt: 21_830 }, stsS, 'lev-6x'),
    ]
    const first = Math.max(days - 2, 0)
    return { ...common, plans, first, last: days, borrowsTo: 1.1, reckless: true, eager: 0 }
  }
  const wealth = Math.min(Math.max(2, Math.exp(8.1 + 1.9 * normal(rng))), RICHEST)
  const first = rng() < 0.4 ? 0 : whole(rng, 0, days)
  const last = rng() < 0.15 ? whole(rng, first + 1, days + 1) : days
  const borrows = rng() < 0.5
  const reckless = rng() < 0.3
  const borrowsTo = reckless ? between(rng, 1.04, 1.2) : between(rng, 1.3, 2.2)
  const supply = (usd: number) => {
    const safe = rng() < 0.2 ? between(rng, 0.2, 1) : 0
    return {
      ...(safe < 1 && { collateral: usd * (1 - safe) }),
      ...(safe > 0 && { protected: usd * safe }),
    }
  }
  const plans: Plan[] = []
  const usedPools = new Set(
    Array.from({ length: rng() < 0.69 ? 1 : whole(rng, 2, 4) }, () => pick(rng, pools, 1.7)),
  )
  for (const pool of usedPools) {
    const value = wealth * between(rng, 0.3, 1) * (borrows ? 2 : 1)
    const [a, b] = pool.sides
    const [collateral, debt] = rng() < 0.75 ? [a, b] : [b, a]
    const most = (collateral.risk.liquidationThreshold ?? 0.5) / borrowsTo
    if (!borrows) plans.push(plan(rng() < 0.75 ? b : a, supply(value), pool))
    else {
      plans.push(plan(collateral, supply(value), pool), plan(debt, { debt: value * most }, pool))
      if (rng() < 0.25) {
        const positionId = `lev-${whole(rng, 2, 6)}x`
        plans.push(plan(collateral, { collateral: value * 0.6 }, pool, positionId))
        plans.push(plan(debt, { debt: value * 0.6 * most }, pool, positionId))
      }
    }
  }
  if (rng() < 0.22)
    plans.push(plan(pick(rng, otherVaults), { collateral: wealth * between(rng, 0.2, 0.8) }))
  return { ...common, plans, first, last, borrowsTo, reckless, eager: reckless ? 0.15 : 0.02 }
}

/** The deposits of a user on the late chain, which change nothing on the others. */
function lateActor(user: number, days: number): Actor {
  const rng = random(`late user ${user}`)
  const plans = lateVaults.map((vault) => plan(vault, { collateral: between(rng, 800, 9000) }))
  const holds = { first: 0, last: days, borrowsTo: 2, reckless: false, eager: 0 }
  return { user: address(`user ${user}`), rng, accounts: [], plans, ...holds }
}

/**
 * Changes the deposits that back no loan, so that borrowers take most of what a market of a pool
 * has at the end. Those of the first two users, whom others know, stay.
 */
function lend(actors: Actor[], pool: Pool, days: number): void {
  const rng = random(`utilization ${pool.id}`)
  for (const side of pool.sides) {
    const lent = between(rng, UTILIZATION.least, UTILIZATION.most)
    const plans = actors.flatMap(({ plans, last }, user) => {
      const own = plans.filter((plan) => plan.pool === pool)
      const backs = own.some(({ entity, usd }) => entity !== side && usd.debt !== undefined)
      return own
        .filter(({ entity }) => entity === side)
        .map((plan) => ({ plan, user, backs, last }))
    })
    const stays = ({ last }: { last: number }) => last >= days
    const sum = (list: typeof plans, part: Part) =>
      list.filter(stays).reduce((total, { plan }) => total + (plan.usd[part] ?? 0), 0)
    const free = plans.filter(({ user, backs }) => user > 1 && !backs)
    const needed = sum(plans, 'debt') / lent
    const kept = sum(plans, 'collateral') - sum(free, 'collateral')
    const factor = Math.max(needed - kept, needed / 10) / sum(free, 'collateral')
    if (needed === 0 || !Number.isFinite(factor)) continue
    for (const { plan } of free) if (plan.usd.collateral) plan.usd.collateral *= factor
  }
}

/** A user's debt in a pool, and the collateral behind it, in USD. */
interface Loan {
  debts: Account[]
  backing: Account[]
  debt: number
  collateral: number
  threshold: number | null
  /** Without a threshold, none is known. */
  health: number
}

/**
 * Every user's deposits and loans, day by day: rates follow utilization, and liquidations follow
 * health.
 */
export function simulate(now: Date, users: number, days: number): World {
  const today = Math.floor(now.getTime() / 1000 / DAY) * DAY
  const midnights = Array.from({ length: days }, (_, day) => today - (days - day) * DAY)
  const lateUsers = LATE_USERS.filter((user) => user < users)
  const actors = [
    ...Array.from({ length: users }, (_, user) => actor(user, days)),
    ...lateUsers.map((user) => lateActor(user, days)),
  ]
  for (const pool of pools) lend(actors, pool, days)
  const entities = [...pools.flatMap(({ sides }) => sides), ...vaults]
  const world: World = {
    days,
    midnights,
    prices: samplePrices(days),
    courses: new Map(
      entities.map((entity) => [
        entity,
        {
          worth: { collateral: [SCALE], protected: [SCALE], debt: [SCALE] },
          depositRate: [],
          borrowRate: [],
        },
      ]),
    ),
    accounts: actors.map(({ accounts }) => accounts),
    liquidations: [],
  }
  const { courses, prices } = world
  const members = new Map<Entity, Account[]>(entities.map((entity) => [entity, []]))
  /** Each market's deposits, and the part that its lenders could withdraw, in whole tokens. */
  const free = new Map<Entity, number>()
  const supplied = new Map<Entity, number>()

  const price = (entity: Entity, day: number) => at(prices.get(entity.token), day)
  const assets = ({ entity, shares }: Account, part: Part, day: number) =>
    assetsOf(world, entity, part, shares[part], day)
  const usd = (account: Account, part: Part, day: number) =>
    amount(account.entity.token, assets(account, part, day)) * price(account.entity, day)

  /** Moves tokens into a part of an account, or out of it. */
  function move(
    account: Account,
    flow: Pick<Flow, 'day' | 'part' | 'timestamp'> & Partial<Flow>,
    by: bigint,
  ) {
    const { entity, shares, flows } = account
    const { day, part } = flow
    const into = by > 0n
    const worth = at(get(courses, entity).worth[part], flow.priced ?? day)
    const all = !into && -by >= assetsOf(world, entity, part, shares[part], flow.priced ?? day)
    const moved = all ? -shares[part] : (by * SCALE) / worth
    if (moved === 0n) return
    shares[part] += moved
    const [taken, returned] =
      part === 'debt' ? (['borrow', 'repay'] as const) : (['deposit', 'withdraw'] as const)
    const kind = into ? taken : returned
    const logIndex = flow.liquidation && flow.liquidation.nextLog++
    flows.push({ priced: day, ...flow, kind, amount: into ? by : -by, shares: moved, logIndex })
    if (entity.type === 'vault' || part === 'protected') return
    const tokens = amount(entity.token, by)
    free.set(entity, get(free, entity) + (part === 'debt' ? -tokens : tokens))
    if (part === 'collateral') supplied.set(entity, get(supplied, entity) + tokens)
  }

  /** Collateral goes in before a borrow and out after a repayment. */
  function act(actor: Actor, account: Account, part: Part, tokens: bigint, day: number) {
    const early = part === 'debt' ? tokens < 0n : tokens > 0n
    // An account on the first day is older than that.
    const age = day === 0 ? whole(random(`age ${account.user} ${account.pool?.id}`), 0, 60) : 0
    const before = early ? between(actor.rng, 12, 24) : between(actor.rng, 0, 12)
    const timestamp = at(midnights, day) - 1 - Math.floor(before * 3600) - age * DAY
    move(account, { day, part, timestamp }, tokens)
  }

  function loansOf({ accounts }: Actor, day: number): Loan[] {
    const owed = new Set(
      accounts.flatMap(({ entity, shares }) => (shares.debt > 0n ? [entity] : [])),
    )
    return [...owed].map((entity) => {
      const debts = accounts.filter(
        (account) => account.entity === entity && account.shares.debt > 0n,
      )
      const pool = debts[0]?.pool as Pool
      const other = pool.sides[0] === entity ? pool.sides[1] : pool.sides[0]
      const backing = accounts.filter((account) => account.entity === other)
      const sum = (list: Account[], ...of: Part[]) =>
        list.reduce(
          (total, account) => of.reduce((sum, part) => sum + usd(account, part, day), total),
          0,
        )
      const [debt, collateral] = [sum(debts, 'debt'), sum(backing, 'collateral', 'protected')]
      const threshold = other.risk.liquidationThreshold
      return {
        debts,
        backing,
        debt,
        collateral,
        threshold,
        health: threshold === null ? Number.POSITIVE_INFINITY : (collateral * threshold) / debt,
      }
    })
  }

  function open(
    actor: Actor,
    { entity, pool, positionId, usd: planned }: Plan,
    day: number,
    early: boolean,
  ) {
    for (const part of parts) {
      const value = planned[part]
      if (value === undefined || (part !== 'debt') !== early) continue
      const isSample = actor.user === sampleUser || entity.type === 'vault'
      const tokens = value / price(entity, day)
      const most = get(free, entity) - (1 - LENT_AT_MOST) * get(supplied, entity)
      if (part === 'debt' && !isSample && most < tokens * 0.3) continue
      const bounded = part === 'debt' && !isSample ? Math.min(tokens, most) : tokens
      let account = actor.accounts.find(
        (one) => one.entity === entity && one.positionId === positionId,
      )
      if (!account) {
        const shares = { collateral: 0n, protected: 0n, debt: 0n }
        account = { user: actor.user, entity, pool, positionId, flows: [], shares }
        actor.accounts.push(account)
        get(members, entity).push(account)
      }
      act(actor, account, part, units(bounded, entity.token.decimals), day)
    }
  }

  /** True if a market's lenders can withdraw as much. */
  const canLeave = ({ entity }: Account, tokens: number) =>
    entity.type === 'vault' || tokens <= get(free, entity) - 0.02 * get(supplied, entity)

  /** Deposits and repayments of a day. */
  function putIn(actor: Actor, day: number) {
    const { rng, accounts, first, last, reckless } = actor
    if (day === first) for (const plan of actor.plans) open(actor, plan, day, true)
    if (day <= first) return
    if (day >= last) {
      for (const account of accounts)
        act(actor, account, 'debt', -assets(account, 'debt', day), day)
      return
    }
    for (const { health, debts } of loansOf(actor, day)) {
      if (reckless || health > 1.15) continue
      for (const account of debts)
        act(actor, account, 'debt', -share(assets(account, 'debt', day), 30), day)
    }
    for (const account of accounts) {
      const { shares } = account
      const held = shares.collateral > 0n ? 'collateral' : 'protected'
      const changes = rng() < 0.025
      const percent = whole(rng, 5, 30)
      if (!changes) continue
      if (shares.debt > 0n)
        act(actor, account, 'debt', -share(assets(account, 'debt', day), percent), day)
      else act(actor, account, held, share(assets(account, held, day), percent), day)
    }
  }

  /** Borrowings and withdrawals of a day. */
  function takeOut(actor: Actor, day: number) {
    const { rng, accounts, first, last, borrowsTo, eager } = actor
    if (day === first) for (const plan of actor.plans) open(actor, plan, day, false)
    if (day <= first) return
    if (day >= last) {
      for (const account of accounts) {
        if (!canLeave(account, amount(account.entity.token, assets(account, 'collateral', day))))
          continue
        for (const part of ['collateral', 'protected'] as const)
          act(actor, account, part, -assets(account, part, day), day)
      }
      return
    }
    const loans = loansOf(actor, day)
    for (const { debts, debt, health } of loans) {
      const [account] = debts
      if (!account || rng() > eager || health < borrowsTo * 1.002) continue
      const { entity } = account
      const room = get(free, entity) - (1 - LENT_AT_MOST) * get(supplied, entity)
      const more = Math.min((debt * (health / borrowsTo - 1)) / price(entity, day), room)
      if (more > 0 && health < Number.POSITIVE_INFINITY)
        act(actor, account, 'debt', units(more, entity.token.decimals), day)
    }
    for (const account of accounts) {
      const percent = whole(rng, 5, 25)
      if (rng() > 0.015 || account.shares.collateral === 0n) continue
      const backs = loans.find(({ backing }) => backing.includes(account))
      if (backs && backs.health < borrowsTo * 1.4) continue
      const out = share(assets(account, 'collateral', day), percent)
      if (canLeave(account, amount(account.entity.token, out)))
        act(actor, account, 'collateral', -out, day)
    }
  }

  /** Repays a part of a debt by the lenders' deposits, who share the collateral and a bonus. */
  function liquidate(loan: Loan, day: number) {
    const { debts, backing, debt, collateral, threshold } = loan
    const [{ entity: debtMarket, user } = {}] = debts
    const [{ entity: collateralMarket } = {}] = backing
    if (!debtMarket || !collateralMarket || !user || threshold === null) return
    const label = `liquidation ${user} ${debtMarket.id} ${day}`
    const rng = random(label)
    const bonus = whole(rng, 300, 700)
    const wanted =
      (RESCUED * debt - collateral * threshold) / (RESCUED - (1 + bonus / 1e4) * threshold)
    const repaid = Math.min(wanted, debt, collateral / (1 + bonus / 1e4))
    const timestamp = at(midnights, day) + whole(rng, 60, DAY / 2)
    const liquidation: Liquidation = {
      day,
      timestamp,
      txHash: hash(label),
      borrower: user,
      debtMarket,
      collateralMarket,
      bonus: BigInt(bonus),
      unpriced: rng() < 0.1,
      nextLog: 2,
      repaid: 0n,
      seized: 0n,
      payments: [],
    }
    world.liquidations.push(liquidation)
    const flow = { day: day + 1, priced: day, timestamp, liquidation }
    const scaled = (assets: bigint, share: number) =>
      (assets * BigInt(Math.round(Math.min(share, 1) * 1e9))) / 10n ** 9n
    let sent = 0n
    for (const account of debts) {
      const by = scaled(assets(account, 'debt', day), repaid / debt)
      move(account, { ...flow, part: 'debt' }, -by)
      sent += by
    }
    liquidation.repaid = sent
    for (const account of backing)
      for (const part of ['collateral', 'protected'] as const) {
        const seized = scaled(assets(account, part, day), (repaid * (1 + bonus / 1e4)) / collateral)
        move(account, { ...flow, part }, -seized)
        liquidation.seized += seized
      }
    const vault = vaults.find(
      (vault) => lendsTo(vault).includes(debtMarket) && get(members, vault).length > 0,
    )
    const byVault = vault ? (sent * VAULT_PART) / 100n : 0n
    for (const [lender, part] of [
      [debtMarket, sent - byVault] as const,
      [vault, byVault] as const,
    ]) {
      const lenders = lender
        ? get(members, lender).filter(
            ({ shares, user: one }) => shares.collateral > 0n && one !== user,
          )
        : []
      const lent = lenders.reduce((sum, account) => sum + assets(account, 'collateral', day), 0n)
      for (const account of lenders) {
        const paid = (part * assets(account, 'collateral', day)) / lent
        if (paid === 0n) continue
        move(account, { ...flow, part: 'collateral', taken: true }, -paid)
        liquidation.payments.push({ account, sent: paid })
      }
    }
  }

  for (let day = 0; day < days; day++) {
    for (const [entity, { worth, depositRate, borrowRate }] of courses) {
      if (day > 0) {
        worth.collateral.push(grown(at(worth.collateral, day - 1), at(depositRate, day - 1)))
        worth.protected.push(SCALE)
        worth.debt.push(grown(at(worth.debt, day - 1), at(borrowRate, day - 1)))
      }
      const sum = (part: Part) =>
        get(members, entity).reduce(
          (sum, account) => sum + amount(entity.token, assets(account, part, day)),
          0,
        )
      supplied.set(entity, sum('collateral'))
      free.set(entity, sum('collateral') - sum('debt'))
    }
    const unhealthy = actors.flatMap((actor) =>
      loansOf(actor, day - 1).filter(({ health }) => health < 1),
    )
    for (const loan of unhealthy) liquidate(loan, day - 1)
    for (const actor of actors) putIn(actor, day)
    for (const actor of actors) takeOut(actor, day)
    const used = (entity: Entity) => {
      const total = get(supplied, entity)
      return total > 0 ? Math.min(Math.max(1 - get(free, entity) / total, 0), 1) : 0
    }
    for (const { sides } of pools) {
      for (const market of sides) {
        const rate = borrowRateAt(market.token, used(market))
        get(courses, market).borrowRate.push(rate)
        get(courses, market).depositRate.push(rate * used(market) * TO_LENDERS)
      }
    }
    for (const vault of vaults) {
      const markets = lendsTo(vault)
      const here = markets.map((market) => at(get(courses, market).depositRate, day))
      const rates = here.length > 0 ? here : [RATE_ELSEWHERE]
      get(courses, vault).depositRate.push(
        (TO_LENDERS * rates.reduce((sum, rate) => sum + rate, 0)) / rates.length,
      )
      get(courses, vault).borrowRate.push(0)
    }
  }
  return world
}

const share = (assets: bigint, percent: number) => (assets * BigInt(percent)) / 100n
const grown = (worth: bigint, rate: number) =>
  worth + (worth * BigInt(Math.round((Number(SCALE) * rate) / 365))) / SCALE
