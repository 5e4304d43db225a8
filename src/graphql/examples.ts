import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import type * as operations from '../generated/examples/graphql.ts'
import { texts } from '../generated/examples/texts.ts'
import { DAY_MS, isoDay } from '../time.ts'
import type { ExampleValues } from './example-values.ts'

/** Who the examples are for, in the order in which GraphiQL lists them. */
export const personas = ['A wallet', 'The leaderboard', 'The risk desk', 'The operator'] as const

export interface Example {
  name: string
  persona: (typeof personas)[number]
  title: string
  query: string
  variables(values: ExampleValues): Record<string, unknown>
}

type VariablesOfExamples = {
  [Name in keyof typeof operations as Name extends `${infer Example}Document`
    ? Example
    : never]: (typeof operations)[Name] extends DocumentTypeDecoration<unknown, infer Own>
    ? (values: ExampleValues) => Own
    : never
}

const none = () => ({})
const ofUser = ({ user }: ExampleValues) => ({ user })

const variables: VariablesOfExamples = {
  UserPage: ofUser,
  Profit: ofUser,
  DailyPoints: ofUser,
  Activity: ({ user, dates }) => ({
    user,
    where: {
      kinds: ['DEPOSIT', 'WITHDRAW', 'BORROW', 'REPAY', 'LIQUIDATION_REWARD'],
      time: { lte: `${dates.last}T23:59:59Z` },
    },
  }),
  Ranks: ofUser,
  Snapshots: ({ user, market }) => ({ user, markets: market.address }),
  LargestPositions: ({ user, pool }) => ({
    where: {
      users: [user],
      points: { gt: 0 },
      OR: [{ pools: [pool] }, { suppliedUsd: { gte: 100 } }],
    },
    orderBy: ['POINTS', 'POOL'],
    orderDirection: ['DESC', 'ASC'],
  }),
  Portfolio: ({ user, leaders }) => ({ wallets: [...new Set([user, ...leaders])] }),
  LiveUser: ofUser,
  ValueThroughTime: ({ user, leaders, dates }) => ({
    wallets: [...new Set([user, ...leaders])],
    user,
    at: dates.first,
  }),
  Leaderboard: none,
  WeekLeaderboard: ({ dates: { week, last } }) => ({ from: week, to: last }),
  PoolRanking: ({ pool, dates: { week, last } }) => ({ pool, from: week, to: last }),
  AsOf: ({ user, pool, dates }) => ({ user, pool, asOf: dates.first, at: dates.first }),
  Pages: () => ({ first: 5 }),
  ManyUsers: ({ user, leaders }) => ({
    addresses: [...new Set([user, ...leaders])],
  }),
  LiveLeaderboard: none,
  PoolsByTvl: none,
  Asset: ({ market: { chainId, asset } }) => ({ chainId, asset: asset.address }),
  Pools: none,
  PoolPositions: ({ pool }) => ({ pool }),
  Market: ({ market: { chainId, address } }) => ({ chainId, market: address }),
  Earn: () => ({ amountUsd: 1000, days: 90, pointValueUsd: 0.001 }),
  Rates: ({ market: { chainId, address } }) => ({ chainId, market: address }),
  Series: ({ user, pool }) => ({ user, pool }),
  SeriesOfTokens: none,
  NearLiquidation: () => ({ below: 1.2 }),
  FirstToFall: () => ({ drop: 0.5 }),
  CollateralAtRisk: ({ market: { asset } }) => ({ asset: asset.address }),
  Liquidations: none,
  LargestWallets: none,
  Holders: ({ market: { chainId, address } }) => ({ chainId, market: address }),
  PriceShocks: ({ market: { asset } }) => ({ asset: asset.address }),
  Aggregates: ofUser,
  LargeMoves: ({ dates: { last } }) => ({
    from: isoDay(new Date(Date.parse(last) - 30 * DAY_MS)),
    day: last,
  }),
  Search: ({ market }) => ({ text: market.asset.symbol }),
  Distributions: none,
  Runs: none,
  Limits: none,
  Status: none,
}

/** The examples of GraphiQL. Their texts are trusted documents. */
export const examples = Object.entries(variables).map(
  ([name, variables]): Example => ({
    name,
    ...texts[name as keyof VariablesOfExamples],
    variables,
  }),
)
