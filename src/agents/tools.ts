import type { DocumentNode } from 'graphql'
import {
  ActivityDocument,
  AssetPricesDocument,
  BasePointsDocument,
  DistributionDocument,
  DistributionsDocument,
  EarningsChartDocument,
  EarningsDocument,
  EarningsOfPeriodDocument,
  HealthFactorsDocument,
  HealthPreviewDocument,
  HealthSeriesDocument,
  LatestSnapshotsDocument,
  LeaderboardAroundDocument,
  LeaderboardDocument,
  LedgerDocument,
  LiquidationRewardsDocument,
  LiquidationsDocument,
  MarketHoldersDocument,
  MoversDocument,
  NearLiquidationDocument,
  NetAprDocument,
  PlanDocument,
  PoolChartDocument,
  PoolDocument,
  PoolSidesDocument,
  PoolTopUsersDocument,
  PortfolioDocument,
  PositionOriginsDocument,
  PriceShocksDocument,
  ProgramChartDocument,
  RecentActivityDocument,
  RulesDocument,
  SearchDocument,
  SeasonsDocument,
  ShockedPositionsDocument,
  ShockTokensDocument,
  StackedChartDocument,
  StandingDocument,
  StatusDocument,
  UsersChartDocument,
  UsersDocument,
  VaultChartDocument,
  VaultHoldersDocument,
  VaultsDocument,
} from '../generated/client/graphql.ts'
import { arrangeMovers } from './movers.ts'

/**
 * How the rest of a list is asked for: by the argument that gets another value. By `rows`: the
 * graph answers with all rows of one or more lists, and the tool takes the argument `offset`.
 */
export type Paging = 'after' | 'offset' | 'from' | 'addresses' | 'rows'

/** An operation of the typed client as a tool. */
export interface Tool {
  name: string
  title: string
  /** Its answer, for people and for models that choose a tool. */
  about: string
  document: unknown
  /** The list that goes on: where it is in the data, and how. By `rows`: all lists below it. */
  list?: { at: string; by: Paging }
  /** The rows of a page unless the caller asks for another number. */
  first?: number
  /** The most rows of a page: 1,000 by default. */
  most?: number
  /** The values of enums that the tool takes, where the graph's enum has others. */
  choices?: Record<string, string[]>
  /** Variables that callers do not set. */
  hidden?: string[]
  /** Makes the answer of the data, if it is another. */
  arrange?(data: Record<string, unknown>): Record<string, unknown>
  /** The fields of `where` that its schema has: all by default. Each takes a place in a chat. */
  filters?: string[]
}

export const documentOf = ({ document }: Tool) => document as DocumentNode

const SERIES = 'Default: the last 30 days.'

/** Every tool, in the order in which a client lists them. */
export const TOOLS: Tool[] = [
  {
    name: 'search',
    title: 'Find by name or address',
    about:
      'Finds pools, vaults, markets and users by name, token symbol or (part of) an address. ' +
      'Begin here to turn a name into the address that other tools take.',
    document: SearchDocument,
    most: 100,
  },
  {
    name: 'status',
    title: 'How new the data is',
    about: 'The newest date with points, when the next is due, and which data is late.',
    document: StatusDocument,
  },
  {
    name: 'leaderboard',
    title: 'Leaderboard',
    about:
      'The wallets with the most points, best first: points, points per day, and the points ' +
      'and ranks gained (or lost, below 0) in the last seven days. `scope` ranks by a season, ' +
      'a window of dates, a pool or a chain, or as of a date. `program` has the totals now.',
    document: LeaderboardDocument,
    list: { at: 'leaderboard', by: 'after' },
    first: 50,
    hidden: ['asOf', 'upTo', 'offset'],
  },
  {
    name: 'rank_movers',
    title: 'Who moved most in rank',
    about:
      'Those of the best 1,000 wallets that gained most ranks in the last seven days, and those ' +
      'that lost most: `change.rank` is the ranks gained, below 0 lost. `positions` of a wallet ' +
      'and `wallet_activity` say why.',
    document: MoversDocument,
    first: 1000,
    hidden: ['first'],
    arrange: arrangeMovers,
  },
  {
    name: 'leaderboard_around',
    title: 'Rows around a wallet',
    about: 'The rows of the leaderboard just above and below a wallet.',
    document: LeaderboardAroundDocument,
  },
  {
    name: 'wallet_standing',
    title: 'Standing of a wallet',
    about:
      'The standing of one wallet: rank, points, points per day, the change in seven days, ' +
      'its neighbours in rank, its net worth, debt and lowest health factor.',
    document: StandingDocument,
    hidden: ['scope', 'asOf', 'at'],
  },
  {
    name: 'wallets',
    title: 'Summary of wallets',
    about:
      'The summary of one or more wallets: points, rank, points per day, worth, what they ' +
      'earned in all, their net rates, first and last date. An address that was never seen has ' +
      'zeros.',
    document: UsersDocument,
    list: { at: 'lookupUsers', by: 'addresses' },
  },
  {
    name: 'wallets_over_time',
    title: 'Wallets over time',
    about:
      'Points, rank, worth, earnings and profit of one or more wallets by day, week or month. ' +
      `${SERIES}`,
    document: UsersChartDocument,
    list: { at: 'lookupUsers', by: 'from' },
  },
  {
    name: 'wallet_holdings',
    title: 'Holdings of a wallet',
    about:
      'All that a wallet has supplied, protected (supplied but not lent) and borrowed in each ' +
      'market and vault, now or at a time.',
    document: LatestSnapshotsDocument,
    list: { at: 'user.latestSnapshots', by: 'rows' },
  },
  {
    name: 'wallet_earnings',
    title: 'Earnings of a wallet',
    about:
      'All that a wallet has earned, by market and vault: interest, changes of prices and ' +
      'liquidations add up to the profit, in USD.',
    document: EarningsDocument,
    list: { at: 'user.earnings.breakdown', by: 'offset' },
    first: 50,
  },
  {
    name: 'wallet_earnings_of_period',
    title: 'Earnings of a wallet in a period',
    about:
      'The earnings of a wallet since a time, by token, by pool, and by market and vault, in ' +
      'USD.',
    document: EarningsOfPeriodDocument,
    list: { at: 'user.earnings', by: 'rows' },
  },
  {
    name: 'wallet_earnings_over_time',
    title: 'Earnings of a wallet over time',
    about:
      'Worth, money invested, earnings and profit of a wallet at the end of each day, week or ' +
      `month. ${SERIES}`,
    document: EarningsChartDocument,
    list: { at: 'user.series', by: 'from' },
  },
  {
    name: 'wallet_rates',
    title: 'Rates of a wallet',
    about:
      'The rates that a wallet earns and pays now: the net APRs over all that it lends and ' +
      'borrows, and by market and vault. An APR is a fraction: 0.05 is 5 % a year.',
    document: NetAprDocument,
    list: { at: 'user.netApr.breakdown', by: 'offset' },
    first: 50,
  },
  {
    name: 'wallet_activity',
    title: 'Activity of a wallet',
    about: 'The deposits, withdrawals, borrowings and repayments of a wallet, newest first.',
    document: ActivityDocument,
    list: { at: 'user.activity', by: 'after' },
    first: 25,
    hidden: ['offset'],
    filters: ['amountUsd', 'assets', 'chainIds', 'entities', 'kinds', 'pools', 'time'],
  },
  {
    name: 'wallet_points_ledger',
    title: 'Corrections of points',
    about:
      'How runs changed points of a wallet that had been given before, newest first, with the ' +
      'reasons and the multipliers before and after. Empty if nothing was corrected.',
    document: LedgerDocument,
    list: { at: 'user.ledger', by: 'after' },
    first: 25,
    hidden: ['offset'],
  },
  {
    name: 'wallet_health_over_time',
    title: 'Health of a wallet over time',
    about:
      'The health factor and loan to value of a wallet by date, in one pool or the worst of ' +
      'all. Below a health factor of 1 a position can be liquidated.',
    document: HealthSeriesDocument,
    list: { at: 'user.healthSeries', by: 'rows' },
  },
  {
    name: 'wallet_health_preview',
    title: 'Health after a move',
    about:
      'The health factor and liquidation price of a position in a pool after a wallet would ' +
      'supply, withdraw, borrow or repay whole tokens.',
    document: HealthPreviewDocument,
  },
  {
    name: 'wallet_liquidation_rewards',
    title: 'Liquidation rewards of a wallet',
    about: 'The shares of liquidations that a wallet received, newest first.',
    document: LiquidationRewardsDocument,
    list: { at: 'user.liquidationRewards', by: 'after' },
    first: 25,
    hidden: ['offset'],
    filters: ['chainIds', 'claimed', 'entities', 'liquidRewardUsd', 'time'],
  },
  {
    name: 'portfolio',
    title: 'Several wallets together',
    about:
      'Several wallets as one: points, best rank, worth, earnings, net rates, and what they ' +
      'hold by pool, market and vault.',
    document: PortfolioDocument,
    list: { at: 'portfolio', by: 'rows' },
  },
  {
    name: 'positions',
    title: 'Positions and where their points come from',
    about:
      'Positions by date, newest first: amounts on both sides, points, health factor, and the ' +
      'multiplier and run that gave the points. Filter by `where.users`, `where.pools`, ' +
      '`where.date`. `asOf` takes those of one date.',
    document: PositionOriginsDocument,
    list: { at: 'positions', by: 'after' },
    first: 15,
    hidden: ['offset'],
    filters: [
      'assets',
      'borrowedUsd',
      'chainIds',
      'collateralAssets',
      'date',
      'healthFactor',
      'points',
      'pools',
      'tvlUsd',
      'users',
    ],
  },
  {
    name: 'positions_near_liquidation',
    title: 'Positions near liquidation',
    about: 'The positions with the lowest health factors now, and whose they are, lowest first.',
    document: NearLiquidationDocument,
    list: { at: 'currentPositions', by: 'after' },
    first: 20,
  },
  {
    name: 'positions_hit_by_price_change',
    title: 'Positions that a price change liquidates',
    about:
      'The positions, and whose they are, that can be liquidated after a price changes: `shock: ' +
      '{group: "ETH", change: -0.12}` is a fall by 12 % of ETH and the tokens that move with ' +
      'it, `shock: {asset, change}` of one token. Lowest health first. Without `shock`, give a ' +
      'limit in `where.healthFactor` or `where.liquidationDrop`.',
    document: ShockedPositionsDocument,
    list: { at: 'currentPositions', by: 'after' },
    first: 20,
    hidden: ['offset'],
    filters: [
      'assets',
      'borrowedUsd',
      'chainIds',
      'collateralAssets',
      'healthFactor',
      'liquidationDrop',
      'pools',
      'tvlUsd',
      'users',
    ],
  },
  {
    name: 'price_change_totals',
    title: 'Sums that price changes liquidate',
    about:
      'How many positions, and how much debt and collateral, each of several price changes ' +
      'would liquidate: in all, and by pool. Each change stands alone.',
    document: PriceShocksDocument,
    list: { at: 'poolsAtRisk', by: 'rows' },
  },
  {
    name: 'health_factors',
    title: 'Positions by health factor',
    about: 'How many positions there are now in each range of the health factor.',
    document: HealthFactorsDocument,
  },
  {
    name: 'liquidations',
    title: 'Liquidations',
    about:
      'Who was liquidated by whom, the debt repaid and the collateral taken, newest first. ' +
      'Filter by `where.users`, `where.pools` or `where.time`.',
    document: LiquidationsDocument,
    list: { at: 'liquidations', by: 'after' },
    first: 20,
    filters: [
      'chainIds',
      'collateralSeizedUsd',
      'debtRepaidUsd',
      'liquidators',
      'pools',
      'time',
      'users',
    ],
  },
  {
    name: 'pools',
    title: 'Pools',
    about:
      'Pools with both sides: TVL, supply, debt, liquidity, utilization, APRs, points, ' +
      'multipliers. Order by `orderBy` and `orderDirection`, and filter by tokens with ' +
      '`where.assets`.',
    document: PoolSidesDocument,
    list: { at: 'pools', by: 'after' },
    first: 10,
    hidden: ['offset'],
    filters: [
      'addresses',
      'assets',
      'bestDepositApr',
      'borrowedUsd',
      'chainIds',
      'liquidityUsd',
      'lowestBorrowApr',
      'totalPoints',
      'tvlUsd',
      'utilization',
    ],
  },
  {
    name: 'pool',
    title: 'One pool',
    about:
      'One pool with both sides: amounts, APRs, points per dollar, multipliers, maximal LTV and ' +
      'liquidation threshold.',
    document: PoolDocument,
  },
  {
    name: 'pool_over_time',
    title: 'A pool over time',
    about: `TVL, supply, debt, points, users and APRs of a pool and both sides. ${SERIES}`,
    document: PoolChartDocument,
    list: { at: 'pool.series', by: 'from' },
  },
  {
    name: 'pool_top_wallets',
    title: 'Wallets with most points in a pool',
    about: 'The wallets that got the most points in a pool on the newest date.',
    document: PoolTopUsersDocument,
  },
  {
    name: 'market_holders',
    title: 'Wallets in a market',
    about:
      'The wallets in one market (one side of a pool, whose address `pool` and `pools` have in ' +
      '`marketA` and `marketB`), largest supply first, with their shares.',
    document: MarketHoldersDocument,
    list: { at: 'market.holders', by: 'after' },
    first: 25,
  },
  {
    name: 'vaults',
    title: 'Vaults',
    about: 'Vaults with their token, deposit APR, assets, share price and users.',
    document: VaultsDocument,
    list: { at: 'vaults', by: 'after' },
    first: 25,
    hidden: ['offset'],
    filters: ['addresses', 'assets', 'chainIds', 'depositApr', 'tvlUsd'],
  },
  {
    name: 'vault_over_time',
    title: 'A vault over time',
    about: `The deposit APR, assets, share price and users of a vault. ${SERIES}`,
    document: VaultChartDocument,
    list: { at: 'vault.series', by: 'from' },
  },
  {
    name: 'vault_holders',
    title: 'Wallets in a vault',
    about: 'The wallets in a vault, largest amount first, with their shares.',
    document: VaultHoldersDocument,
    list: { at: 'vault.holders', by: 'after' },
    first: 25,
  },
  {
    name: 'earnings_estimate',
    title: 'Earnings of an amount',
    about:
      'The interest in USD and the points that an amount in USD would earn in so many days on ' +
      'each side of the largest pools, supplied and borrowed, by the rules known now. Filter ' +
      'by a token with `where.assets`. Compare `supply.totalUsd` to find the best pool; ' +
      '`pointValueUsd` is the value of a point to the user.',
    document: PlanDocument,
    list: { at: 'pools', by: 'after' },
    first: 15,
    filters: ['addresses', 'assets', 'chainIds', 'tvlUsd'],
  },
  {
    name: 'tokens',
    title: 'Tokens',
    about:
      'The tokens by symbol, with their addresses on each chain and `movesWith`, the group ' +
      'whose prices move together.',
    document: ShockTokensDocument,
    list: { at: 'assets', by: 'after' },
    first: 100,
  },
  {
    name: 'token_prices',
    title: 'Price of a token',
    about: `The price of a token in USD now and by day, week or month. ${SERIES}`,
    document: AssetPricesDocument,
    list: { at: 'asset.prices', by: 'from' },
  },
  {
    name: 'recent_activity',
    title: 'Newest activity of all wallets',
    about:
      'The newest deposits, withdrawals, borrowings and repayments of all wallets. Another ' +
      'filter than `where.time` needs a `where.time` of at most 31 days.',
    document: RecentActivityDocument,
    list: { at: 'activity', by: 'after' },
    filters: ['amountUsd', 'assets', 'chainIds', 'entities', 'kinds', 'pools', 'time', 'users'],
  },
  {
    name: 'program_over_time',
    title: 'The program over time',
    about: `Points, users, TVL, supply and debt of the whole program. ${SERIES}`,
    document: ProgramChartDocument,
    list: { at: 'program.series', by: 'from' },
  },
  {
    name: 'program_by_group',
    title: 'The program by pool, chain or token',
    about:
      'The same over time for each pool, chain or token, those with the most points first. ' +
      `${SERIES}`,
    document: StackedChartDocument,
    list: { at: 'series', by: 'from' },
    first: 5,
    most: 100,
    choices: { groupBy: ['POOL', 'CHAIN', 'ASSET'] },
  },
  {
    name: 'seasons',
    title: 'Seasons',
    about: 'The name of the points program, the season of today, and all seasons with their dates.',
    document: SeasonsDocument,
  },
  {
    name: 'point_rules',
    title: 'Multipliers',
    about:
      'Who changed multipliers of pools, when, from which date they count, and which dates they ' +
      'changed, newest first.',
    document: RulesDocument,
    list: { at: 'multiplierRevisions', by: 'after' },
    first: 25,
    hidden: ['offset'],
  },
  {
    name: 'base_points',
    title: 'Points of a dollar',
    about:
      'The points of a dollar supplied or borrowed a day, before multipliers, and their ' +
      'changes.',
    document: BasePointsDocument,
  },
  {
    name: 'distributions',
    title: 'Dates with points',
    about:
      'The dates whose points are computed, newest first: points, users and positions of each.',
    document: DistributionsDocument,
    list: { at: 'distributions', by: 'after' },
    first: 30,
    hidden: ['offset'],
    filters: ['date', 'kinds'],
  },
  {
    name: 'distribution',
    title: 'One date with points',
    about: 'One date, and the runs that computed its points, newest first.',
    document: DistributionDocument,
  },
]
