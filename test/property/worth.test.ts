import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker } from '../facts/fact.ts'
import { addressOf, hashOf, record } from '../support/datasets.ts'
import { LONG } from '../support/extent.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { importFiles, position } from '../support/one-pool.ts'
import { emptyTables } from '../support/store.ts'

/** What wallets are worth and have earned, in random stores of snapshots and cash flows. */

type Row = Record<string, any>

const DAY = 86_400
const START = Date.parse('2026-03-02T00:00:00Z') / 1000
const DAYS = 10
const iso = (second: number) => new Date(second * 1000).toISOString()
const USERS = ['alice', 'bob', 'carol'].map(addressOf)
const nobody = addressOf('nobody')
const ENTITIES = ([1, 10] as const).flatMap((chainId) => [
  { type: 'market', chainId, id: addressOf('market') },
  { type: 'market', chainId, id: addressOf('other') },
  { type: 'vault', chainId, id: addressOf('vault') },
])

let gateway: Gateway
let withoutPlans: Gateway
let ask: Ask
let roads: Record<string, Ask>
beforeAll(async () => {
  gateway = await startGateway({ plan: true })
  withoutPlans = await startGateway({ on: gateway, plan: false })
  ask = asker(gateway)
  roads = {
    planned: ask,
    resolved: asker(gateway, { resolved: true }),
    'without plans': asker(withoutPlans),
  }
  const of = (type: string) => ENTITIES.filter((one) => one.type === type)
  await importFiles(gateway, {
    pools: [record.pools],
    markets: of('market').map(({ chainId, id }) => ({ ...record.markets, chainId, id })),
    vaults: of('vault').map(({ chainId, id }) => ({ ...record.vaults, chainId, id })),
    multipliers: [],
    positions: [0, DAYS].map((day) =>
      position(nobody, 1, {
        marketAddress: record.pools.id,
        distributionDate: iso(START + day * DAY),
      }),
    ),
  })
})
afterAll(async () => {
  await withoutPlans?.close()
  await gateway?.close()
})

/** Replaces what the store has of wallets. */
async function store(snapshots: Row[], cashFlows: Row[]) {
  await emptyTables(gateway.deps.store.pool, ['market_snapshot', 'vault_snapshot', 'cash_flow'])
  const of = (type: string) =>
    snapshots.filter((one) => one.type === type).map(({ type: _, ...row }) => row)
  await importFiles(gateway, {
    'market-snapshots': of('market'),
    'vault-snapshots': of('vault'),
    'cash-flows': cashFlows,
  })
}

/**
 * An amount of the graph in millionths, exactly. Amounts here have at most six decimals and fifteen
 * digits.
 */
const exact = (usd: number | null | undefined) => BigInt(Math.round((usd ?? 0) * 1e6))
const sum = <T>(rows: T[], of: (row: T) => bigint) =>
  rows.reduce((total, row) => total + of(row), 0n)
const usdOf = (millionths: bigint) => Number(millionths) / 1e6

const usd = fc.option(
  fc
    .oneof(fc.constant(0), fc.integer({ min: 1, max: 1e14 }), fc.integer({ min: 1, max: 1e8 }))
    .map((n) => n / 1e6),
  { nil: null },
)
const assets = fc.constantFrom('0', '1', '1000000000000000000')
const second = fc
  .tuple(fc.integer({ min: 0, max: DAYS - 1 }), fc.constantFrom(0, 0, 1, 43_200, DAY - 1))
  .map(([day, more]) => START + day * DAY + more)

const snapshots = fc.uniqueArray(
  fc
    .record({
      accountId: fc.constantFrom(...USERS),
      entity: fc.constantFrom(...ENTITIES),
      positionId: fc.constantFrom('main', 'second'),
      second,
      amounts: fc.tuple(assets, assets, assets),
      values: fc.tuple(usd, usd, usd),
    })
    .map(({ accountId, entity: { type, chainId, id }, positionId, second, amounts, values }) => ({
      type,
      chainId,
      accountId,
      positionId,
      timestamp: String(second),
      ...(type === 'market'
        ? {
            marketId: id,
            collateralAssets: amounts[0],
            collateralUsd: values[0],
            protectedAssets: amounts[1],
            protectedUsd: values[1],
            debtAssets: amounts[2],
            debtUsd: values[2],
          }
        : { vaultId: id, shares: amounts[0], assets: amounts[1], assetsUsd: values[1] }),
    })),
  {
    maxLength: 30,
    selector: (row: Row) =>
      [
        row.type,
        row.chainId,
        row.marketId ?? row.vaultId,
        row.accountId,
        row.positionId,
        row.timestamp,
      ].join(' '),
  },
)

const flow = (n: number, entity: (typeof ENTITIES)[number], row: Row) => ({
  chainId: entity.chainId,
  entityType: entity.type,
  entityId: entity.id,
  txHash: hashOf(`flow ${n}`),
  logIndex: n,
  ...row,
})
const cashFlows = fc
  .array(
    fc.record({
      accountId: fc.constantFrom(...USERS),
      entity: fc.constantFrom(...ENTITIES),
      second,
      kind: fc.constantFrom('deposit', 'withdraw', 'borrow', 'repay'),
      amountUsd: usd,
    }),
    { maxLength: 15 },
  )
  .map((all) =>
    all.map(({ entity, second, ...row }, n) =>
      flow(n, entity, { ...row, timestamp: String(second), assets: '1' }),
    ),
  )

const WORTH = 'time netUsd suppliedUsd protectedUsd borrowedUsd vaultsUsd hasIncompletePrices'
const TERMS = ['netUsd', 'suppliedUsd', 'protectedUsd', 'borrowedUsd', 'vaultsUsd'] as const
const HOLDING = 'entityType time supplied { raw usd } protected { raw usd } borrowed { raw usd }'

/** What holdings add up to. */
function worthOf(holdings: Row[]): Row | null {
  if (holdings.length === 0) return null
  const rows: Row[] = holdings.map(({ supplied, ...row }) =>
    row.entityType === 'VAULT' ? { ...row, inVault: supplied } : { ...row, supplied },
  )
  const [supplied, secured, borrowed, inVaults] = [
    'supplied',
    'protected',
    'borrowed',
    'inVault',
  ].map((name) => sum(rows, (row) => exact(row[name]?.usd))) as [bigint, bigint, bigint, bigint]
  const markets = supplied + secured - borrowed
  return {
    time: iso(Math.max(...holdings.map(({ time }) => Date.parse(time) / 1000))),
    netUsd: usdOf(markets + inVaults),
    suppliedUsd: usdOf(supplied),
    protectedUsd: usdOf(secured),
    borrowedUsd: usdOf(borrowed),
    vaultsUsd: usdOf(inVaults),
    hasIncompletePrices: rows.some((row) =>
      ['supplied', 'protected', 'borrowed', 'inVault'].some(
        (name) => row[name]?.usd === null && row[name].raw !== '0',
      ),
    ),
  }
}

test('a portfolio is worth what its users are, who are worth what they hold, now and at any moment, in GraphQL and REST', async () => {
  const moment = fc.oneof(
    second.map((one) => one * 1000),
    fc.integer({ min: (START - DAY) * 1000, max: (START + DAYS * DAY) * 1000 }),
  )
  await fc.assert(
    fc.asyncProperty(snapshots, cashFlows, moment, async (all, flows, time) => {
      await store(all, flows)
      for (const at of [undefined, new Date(time).toISOString()]) {
        const [args, its] = at ? [`(at: "${at}")`, `, at: "${at}"`] : ['', '']
        const query = `{
          users(where: { addresses: ${JSON.stringify([...USERS, nobody])} }) { nodes { address worth${args} { ${WORTH} }
            latestSnapshots${args} { ${HOLDING} } earnings${args} { worthUsd } } }
          ${USERS.map((user, i) => `u${i}: user(address: "${user}") { address worth${args} { ${WORTH} } }`).join(' ')}
          nobody: user(address: "${nobody}") { worth${args} { ${WORTH} } }
          portfolio(addresses: ${JSON.stringify([...USERS, nobody])}${its}) { worth { ${WORTH} } earnings { worthUsd }
            entities { entityType supplied { usd } protected { usd } borrowed { usd } } }
          none: portfolio(addresses: ["${nobody}"]${its}) { worth { ${WORTH} } } }`
        for (const [road, ask] of Object.entries(roads)) {
          const { users, portfolio, none, nobody: unknown, ...each } = (await ask(query)) as Row
          expect([unknown.worth, none.worth], road).toEqual([null, null])
          for (const user of users.nodes) {
            expect(user.worth, road).toEqual(worthOf(user.latestSnapshots))
            expect(user.worth?.netUsd ?? 0, road).toBe(user.earnings.worthUsd)
          }
          for (const { address, worth } of Object.values<Row>(each))
            expect(worth, road).toEqual(
              users.nodes.find((one: Row) => one.address === address)?.worth ?? null,
            )
          const held = users.nodes.flatMap((user: Row) => user.latestSnapshots)
          expect(portfolio.worth, road).toEqual(worthOf(held))
          expect(portfolio.worth?.netUsd ?? 0, road).toBe(portfolio.earnings.worthUsd)
          for (const term of TERMS)
            expect(portfolio.worth?.[term] ?? 0, road).toBe(
              usdOf(sum(users.nodes, ({ worth }: Row) => exact(worth?.[term]))),
            )
          const { suppliedUsd, protectedUsd, borrowedUsd, vaultsUsd } = portfolio.worth ?? {}
          const ofType = (type: string) =>
            portfolio.entities.filter((row: Row) => row.entityType === type)
          expect(
            [suppliedUsd, protectedUsd, borrowedUsd, vaultsUsd].map((one) => one ?? 0),
            road,
          ).toEqual([
            ...['supplied', 'protected', 'borrowed'].map((name) =>
              usdOf(sum(ofType('MARKET'), (row: Row) => exact(row[name].usd))),
            ),
            usdOf(sum(ofType('VAULT'), (row: Row) => exact(row.supplied.usd))),
          ])
          if (at) continue
          for (const { address, worth } of users.nodes) {
            const { data } = (await (
              await gateway.get(`/v1/users/${address}/earnings`)
            ).json()) as Row
            expect(data.total_current_value_usd, road).toBe(worth?.netUsd ?? 0)
          }
        }
      }
    }),
    { numRuns: LONG ? 200 : 15 },
  )
})

interface Still {
  snapshots: Row[]
  flows: Row[]
}

const PRICES = [1, 0.25, 1900.5]
const KINDS = ['deposit', 'withdraw', 'borrow', 'repay'] as const

/**
 * What a user did in an entity whose price and rates stand still, and the snapshots of it: each has
 * the flows up to its second.
 */
const still = (accountId: string, entity: (typeof ENTITIES)[number], index: number) =>
  fc
    .record({
      price: fc.constantFrom(...PRICES),
      steps: fc.array(
        fc.record({
          second,
          kind: fc.constantFrom(...KINDS),
          amount: fc.integer({ min: 1, max: 1e4 }),
        }),
        {
          maxLength: 6,
        },
      ),
      seconds: fc.uniqueArray(second, { maxLength: 5 }),
      inSecond: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ price, steps, seconds, inSecond }): Still => {
      const isMarket = entity.type === 'market'
      const balance = { collateral: 0, debt: 0 }
      const history = [{ second: 0, ...balance }]
      const flows: Row[] = []
      for (const step of steps.sort((one, other) => one.second - other.second)) {
        const part =
          isMarket && (step.kind === 'borrow' || step.kind === 'repay') ? 'debt' : 'collateral'
        const isIn = step.kind === 'deposit' || step.kind === 'borrow'
        const amount = isIn ? step.amount : Math.min(step.amount, balance[part])
        const kinds = part === 'debt' ? ['borrow', 'repay'] : ['deposit', 'withdraw']
        balance[part] += isIn ? amount : -amount
        history.push({ second: step.second, ...balance })
        flows.push(
          flow(index * 100 + flows.length, entity, {
            accountId,
            kind: kinds[isIn ? 0 : 1],
            timestamp: String(step.second),
            amountUsd: amount * price,
            assets: String(amount),
          }),
        )
      }
      const snapshots = seconds.flatMap((second) => {
        const { collateral, debt } = history.findLast(
          (one) => one.second <= second,
        ) as (typeof history)[number]
        const part = Math.floor((collateral * inSecond) / 4)
        const row = (positionId: string, deposit: number, debt: number) => ({
          type: entity.type,
          chainId: entity.chainId,
          accountId,
          positionId,
          timestamp: String(second),
          ...(isMarket
            ? {
                marketId: entity.id,
                collateralAssets: String(deposit),
                collateralUsd: deposit * price,
                protectedAssets: '0',
                // A price that is missing says nothing of an amount of 0.
                protectedUsd: inSecond > 2 ? null : 0,
                debtAssets: String(debt),
                debtUsd: debt * price,
              }
            : {
                vaultId: entity.id,
                shares: String(deposit),
                assets: String(deposit),
                assetsUsd: deposit * price,
              }),
        })
        return [row('main', collateral - part, debt), row('second', part, 0)]
      })
      return { snapshots, flows }
    })

test('a wallet whose prices and rates stand still earns nothing in each bucket, whatever it deposits and borrows', async () => {
  const stores = fc.tuple(
    ...USERS.flatMap((user, u) =>
      ENTITIES.map((entity, e) => still(user, entity, u * ENTITIES.length + e)),
    ),
  )
  await fc.assert(
    fc.asyncProperty(stores, async (all) => {
      const flows = all.flatMap(({ flows }) => flows)
      const held = all.flatMap(({ snapshots }) => snapshots)
      await store(held, flows)
      for (const interval of ['DAY', 'WEEK']) {
        const series = `series(interval: ${interval}, from: "${iso(START - DAY)}", to: "${iso(START + DAYS * DAY)}") {
          start worth { netUsd } netCashInvestedUsd earningsUsd pendingCashUsd hasIncompletePrices }`
        const wallets = [...USERS.map((user) => [user]), USERS]
        const query = `{ ${wallets.map((group, n) => `w${n}: portfolio(addresses: ${JSON.stringify(group)}) { ${series} }`).join(' ')}
          ${USERS.map((user, n) => `u${n}: user(address: "${user}") { ${series} }`).join(' ')} }`
        const answers = await ask(query)
        for (const [n, group] of wallets.entries()) {
          const buckets: Row[] = answers[`w${n}`].series
          if (group.length === 1) expect(answers[`u${n}`].series).toEqual(buckets)
          const of = (rows: Row[]) => rows.filter(({ accountId }) => group.includes(accountId))
          const before = (rows: Row[], end: number) =>
            of(rows).filter(({ timestamp }) => Number(timestamp) < end)
          const cash = (rows: Row[]) =>
            sum(
              rows,
              ({ kind, amountUsd }) =>
                exact(amountUsd) * (kind === 'deposit' || kind === 'repay' ? 1n : -1n),
            )
          for (const [i, bucket] of buckets.entries()) {
            const end = buckets[i + 1]
              ? Date.parse(buckets[i + 1]?.start) / 1000
              : Number.POSITIVE_INFINITY
            const isKnown = before(held, end).length > 0
            const invested = exact(bucket.netCashInvestedUsd)
            expect(bucket, `${group} ${bucket.start}`).toEqual({
              start: bucket.start,
              worth: isKnown ? { netUsd: usdOf(invested) } : null,
              netCashInvestedUsd: isKnown ? usdOf(invested) : null,
              earningsUsd: isKnown ? 0 : null,
              pendingCashUsd: usdOf(cash(before(flows, end)) - invested),
              hasIncompletePrices: isKnown ? false : null,
            })
          }
          const to = new Date(
            Date.parse(buckets.at(-1)?.start) + (interval === 'DAY' ? 1 : 7) * DAY * 1000 - 1,
          )
          const { portfolio } = (await ask(
            `{ portfolio(addresses: ${JSON.stringify(group)}, at: "${to.toISOString()}") { earnings { earningsUsd } } }`,
          )) as Row
          expect(portfolio.earnings.earningsUsd).toBe(-buckets.at(-1)?.pendingCashUsd + 0)
        }
      }
    }),
    { numRuns: LONG ? 200 : 15 },
  )
})
