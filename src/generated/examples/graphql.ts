/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A filter for a list of Activity. A row must match all given conditions; a null condition is ignored. At most 50 conditions, nested at most 5 deep. */
export type ActivityFilter = {
  /** All of these filters match. An empty list always matches. */
  AND?: Array<ActivityFilter> | null | undefined;
  /** This filter does not match. */
  NOT?: ActivityFilter | null | undefined;
  /** At least one of these filters matches. An empty list never matches. */
  OR?: Array<ActivityFilter> | null | undefined;
  /** Only rows whose `amountUsd` is in this range. */
  amountUsd?: FloatRange | null | undefined;
  /** Only activity in which this token moved. */
  asset?: string | null | undefined;
  /** Only activity in which one of these tokens moved. At most 1000 values; an empty list matches nothing. */
  assets?: Array<string> | null | undefined;
  /** Only activity on this chain. */
  chainId?: number | null | undefined;
  /** Only activity on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only activity of this kind. */
  kind?: ActivityKind | null | undefined;
  /** Only activity of one of these kinds. At most 1000 values; an empty list matches nothing. */
  kinds?: Array<ActivityKind> | null | undefined;
  /** Only activity in the market at this address, on any chain. */
  market?: string | null | undefined;
  /** Only activity in markets at one of these addresses. At most 1000 values; an empty list matches nothing. */
  markets?: Array<string> | null | undefined;
  /** Only activity in the markets of this pool. */
  pool?: string | null | undefined;
  /** Only activity in the markets of one of these pools. At most 1000 values; an empty list matches nothing. */
  pools?: Array<string> | null | undefined;
  /** Only rows whose `time` is in this range. */
  time?: DateTimeRange | null | undefined;
  /** Only activity of this user. */
  user?: string | null | undefined;
  /** Only activity of one of these users. At most 1000 values; an empty list matches nothing. */
  users?: Array<string> | null | undefined;
  /** Only activity in the vault at this address, on any chain. */
  vault?: string | null | undefined;
  /** Only activity in vaults at one of these addresses. At most 1000 values; an empty list matches nothing. */
  vaults?: Array<string> | null | undefined;
};

/** A cash flow or a reward of a user. */
export type ActivityKind =
  /** The user borrowed tokens. */
  | 'BORROW'
  /** The user deposited tokens. */
  | 'DEPOSIT'
  /** The user received a share of a liquidation's reward. The amount is the reward. */
  | 'LIQUIDATION_REWARD'
  /** The user repaid borrowed tokens. */
  | 'REPAY'
  /** The user withdrew tokens. */
  | 'WITHDRAW';

/** A range of dates. A value must satisfy all given bounds; a null bound is ignored. Rows whose value is null never match a range. */
export type DateRange = {
  /** Equal to this value. */
  eq?: string | null | undefined;
  /** Greater or later than this value. */
  gt?: string | null | undefined;
  /** Greater or later than this value, or equal to it. */
  gte?: string | null | undefined;
  /** Equal to one of these values, at most 1000. */
  in?: Array<string> | null | undefined;
  /** Less or earlier than this value. */
  lt?: string | null | undefined;
  /** Less or earlier than this value, or equal to it. */
  lte?: string | null | undefined;
};

/** A range of points in time. A value must satisfy all given bounds; a null bound is ignored. Rows whose value is null never match a range. */
export type DateTimeRange = {
  /** Equal to this value, to the unit in which the value is stored: the second of a snapshot or a reward, the millisecond of other times. */
  eq?: string | null | undefined;
  /** Greater or later than this value. */
  gt?: string | null | undefined;
  /** Greater or later than this value, or equal to it. */
  gte?: string | null | undefined;
  /** Equal to one of these values, to the unit in which the value is stored: the second of a snapshot or a reward, the millisecond of other times, at most 1000. */
  in?: Array<string> | null | undefined;
  /** Less or earlier than this value. */
  lt?: string | null | undefined;
  /** Less or earlier than this value, or equal to it. */
  lte?: string | null | undefined;
};

/** How a distribution's stored points were produced. */
export type DistributionKind =
  /** An import provided or computed them. */
  | 'IMPORT'
  /** A manual update computed them from the source's positions for the date. */
  | 'MANUALUPDATE'
  /** A resync recomputed them from the stored positions for the date. */
  | 'RESYNC'
  /** An update fetched analytics, not points. Runs alone have this kind. */
  | 'UPDATE';

/** The kind of entity that a user has a position in. */
export type EntityType =
  /** A market: one side of a pool. */
  | 'MARKET'
  /** A vault that lends across markets. */
  | 'VAULT';

/** A range of finite numbers, in the unit of the value. A value must satisfy all given bounds; a null bound is ignored. Rows whose value is null never match a range. */
export type FloatRange = {
  /** Greater or later than this value. */
  gt?: number | null | undefined;
  /** Greater or later than this value, or equal to it. */
  gte?: number | null | undefined;
  /** Less or earlier than this value. */
  lt?: number | null | undefined;
  /** Less or earlier than this value, or equal to it. */
  lte?: number | null | undefined;
};

/** A filter for a list of Position. A row must match all given conditions; a null condition is ignored. At most 50 conditions, nested at most 5 deep. */
export type PositionFilter = {
  /** All of these filters match. An empty list always matches. */
  AND?: Array<PositionFilter> | null | undefined;
  /** This filter does not match. */
  NOT?: PositionFilter | null | undefined;
  /** At least one of these filters matches. An empty list never matches. */
  OR?: Array<PositionFilter> | null | undefined;
  /** Only positions with this token on either side. */
  asset?: string | null | undefined;
  /** Only positions with one of these tokens on either side. At most 1000 values; an empty list matches nothing. */
  assets?: Array<string> | null | undefined;
  /** Only positions whose amount borrowed on both sides is in this range, in USD. */
  borrowedUsd?: FloatRange | null | undefined;
  /** Only positions in pools on this chain. */
  chainId?: number | null | undefined;
  /** Only positions in pools on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only positions whose distribution date is in this range. */
  date?: DateRange | null | undefined;
  /** Only rows whose `healthFactor` is in this range. */
  healthFactor?: FloatRange | null | undefined;
  /** Only rows whose `ltv` is in this range. */
  ltv?: FloatRange | null | undefined;
  /** Only positions whose total points are in this range. */
  points?: FloatRange | null | undefined;
  /** Only positions in this pool. */
  pool?: string | null | undefined;
  /** Only positions in one of these pools. At most 1000 values; an empty list matches nothing. */
  pools?: Array<string> | null | undefined;
  /** Only positions whose protected (non-borrowable) supply on both sides is in this range, in USD. */
  protectedUsd?: FloatRange | null | undefined;
  /** Only positions whose borrowable supply on both sides is in this range, in USD. */
  suppliedUsd?: FloatRange | null | undefined;
  /** Only positions whose total value locked, borrowable plus protected supply, on both sides is in this range, in USD. */
  tvlUsd?: FloatRange | null | undefined;
  /** Only positions of this user. */
  user?: string | null | undefined;
  /** Only positions of one of these users. At most 1000 values; an empty list matches nothing. */
  users?: Array<string> | null | undefined;
};

/** A sort key for a list of Position and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order. */
export type PositionOrder =
  /** The amount borrowed on both sides, in USD. The smallest or earliest first. */
  | 'BORROWED_USD_ASC'
  /** The amount borrowed on both sides, in USD. The largest or latest first. */
  | 'BORROWED_USD_DESC'
  /** The distribution date. The smallest or earliest first. */
  | 'DATE_ASC'
  /** The distribution date. The largest or latest first. */
  | 'DATE_DESC'
  /** The supply of each side where the other side has debt, including protected supply, times its market's `liquidationThreshold`, divided by the debt of both sides. Below 1 the position can be liquidated. Null without debt, if such a threshold is not known now, or if tokens have no price. Nulls come last. The smallest or earliest first. */
  | 'HEALTH_FACTOR_ASC'
  /** The supply of each side where the other side has debt, including protected supply, times its market's `liquidationThreshold`, divided by the debt of both sides. Below 1 the position can be liquidated. Null without debt, if such a threshold is not known now, or if tokens have no price. Nulls come last. The largest or latest first. */
  | 'HEALTH_FACTOR_DESC'
  /** The loan-to-value (LTV) as a fraction, 0.75 is 75 %: the debt of each side, divided by the supply of the other side, including protected supply, where that side has debt. Null without debt or without such supply, or if tokens have no price. Nulls come last. The smallest or earliest first. */
  | 'LTV_ASC'
  /** The loan-to-value (LTV) as a fraction, 0.75 is 75 %: the debt of each side, divided by the supply of the other side, including protected supply, where that side has debt. Null without debt or without such supply, or if tokens have no price. Nulls come last. The largest or latest first. */
  | 'LTV_DESC'
  /** Total points of both sides. The smallest or earliest first. */
  | 'POINTS_ASC'
  /** Total points of both sides. The largest or latest first. */
  | 'POINTS_DESC'
  /** The pool's address: marketAddress in the REST API. The smallest or earliest first. */
  | 'POOL_ASC'
  /** The pool's address: marketAddress in the REST API. The largest or latest first. */
  | 'POOL_DESC'
  /** The protected (non-borrowable) supply on both sides, in USD. The smallest or earliest first. */
  | 'PROTECTED_USD_ASC'
  /** The protected (non-borrowable) supply on both sides, in USD. The largest or latest first. */
  | 'PROTECTED_USD_DESC'
  /** The record's id: its id in the REST API. The smallest or earliest first. */
  | 'RECORD_ID_ASC'
  /** The record's id: its id in the REST API. The largest or latest first. */
  | 'RECORD_ID_DESC'
  /** The borrowable supply on both sides, in USD. The smallest or earliest first. */
  | 'SUPPLIED_USD_ASC'
  /** The borrowable supply on both sides, in USD. The largest or latest first. */
  | 'SUPPLIED_USD_DESC'
  /** The total value locked, borrowable plus protected supply, on both sides, in USD. The smallest or earliest first. */
  | 'TVL_USD_ASC'
  /** The total value locked, borrowable plus protected supply, on both sides, in USD. The largest or latest first. */
  | 'TVL_USD_DESC'
  /** The user's address. The smallest or earliest first. */
  | 'USER_ASC'
  /** The user's address. The largest or latest first. */
  | 'USER_DESC';

/** The status of a run. */
export type RunStatus =
  /** The run stored nothing; `error` says why. */
  | 'FAILED'
  /** The run is in progress. None of its changes are visible yet. */
  | 'RUNNING'
  /** The run has stored everything that it computed. */
  | 'SUCCEEDED';

/** How a result matches the text, best match first. */
export type SearchMatch =
  /** The text is the address of the result or of one of its tokens. */
  | 'EXACT_ADDRESS'
  /** The text is the name of the result, or the symbol or name of one of its tokens. */
  | 'EXACT_NAME'
  /** An address, a name or a symbol starts with the text. */
  | 'PREFIX'
  /** A name or a symbol contains the text. */
  | 'SUBSTRING';

export type ActivityQueryVariables = Exact<{
  user: string;
  where?: ActivityFilter | null | undefined;
}>;


export type ActivityQuery = { user: { activity: { totalCount: number, nodes: Array<{ kind: ActivityKind, time: string, amount: string | null, assetSymbol: string | null, amountUsd: number | null, txHash: string, market: { pool: { displayName: string } | null } | null, vault: { name: string } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } };

export type AggregatesQueryVariables = Exact<{
  user: string;
}>;


export type AggregatesQuery = { positionAggregates: Array<{ count: number, sumPoints: number, averageSuppliedUsd: number | null, key: { start: string | null, pool: { displayName: string } | null } }>, marketSnapshotAggregates: Array<{ averageCollateralUsd: number | null, averageDebtUsd: number | null, key: { market: { assetSymbol: string } | null } }>, liquidationRewardAggregates: Array<{ count: number, sumLiquidRewardUsd: number | null, key: { chainId: number | null } }> };

export type AsOfQueryVariables = Exact<{
  user: string;
  pool: string;
  asOf: string;
}>;


export type AsOfQuery = { leaderboard: { totalCount: number, nodes: Array<{ rank: number, userAddress: string, points: number }> }, user: { totalPoints: number, rank: number | null, positions: { nodes: Array<{ points: number, pool: { displayName: string } | null }> } }, pool: { totals: { date: string, totalPoints: number, points: number, positionCount: number, tvlUsd: number, borrowedUsd: number, multiplier: { depositA: number | null, changedBy: string } | null } | null, positions: { nodes: Array<{ points: number, user: { address: string } }> } } | null, multiplierRevisions: { totalCount: number, nodes: Array<{ poolAddress: string, depositA: number | null, borrowB: number | null, changedAt: string }> } };

export type AssetQueryVariables = Exact<{
  chainId: number;
  asset: string;
}>;


export type AssetQuery = { asset: { symbol: string, name: string, decimals: number | null, price: { priceUsd: number, date: string, pool: { displayName: string } | null } | null, pools: { totalCount: number, nodes: Array<{ displayName: string, tvlUsd: number, utilization: number | null }> } } | null };

export type DailyPointsQueryVariables = Exact<{
  user: string;
}>;


export type DailyPointsQuery = { user: { dailyPoints: { nodes: Array<{ date: string, points: number, positions: Array<{ pointsA: number, pointsB: number, pool: { displayName: string } | null, sideA: { assetSymbol: string, suppliedAmountUsd: number }, sideB: { assetSymbol: string, borrowedAmountUsd: number } }> }> } } };

export type DistributionsQueryVariables = Exact<{ [key: string]: never; }>;


export type DistributionsQuery = { distributions: { totalCount: number, nodes: Array<{ date: string, points: number, positionCount: number, userCount: number, kind: DistributionKind, finishedAt: string }> } };

export type LargestPositionsQueryVariables = Exact<{
  where?: PositionFilter | null | undefined;
  orderBy?: Array<PositionOrder> | PositionOrder | null | undefined;
}>;


export type LargestPositionsQuery = { positions: { totalCount: number, nodes: Array<{ date: string, points: number, pool: { name: string } | null, sideA: { suppliedAmountUsd: number }, sideB: { borrowedAmountUsd: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type LeaderboardQueryVariables = Exact<{ [key: string]: never; }>;


export type LeaderboardQuery = { program: { totalPoints: number, userCount: number, recordCount: number }, leaderboard: { totalCount: number, nodes: Array<{ rank: number, userAddress: string, points: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { limits: { depth: number | null, aliases: number | null, tokens: number | null, cost: number | null, pageSize: number } };

export type LiveLeaderboardSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type LiveLeaderboardSubscription = { leaderboard: { totalCount: number, nodes: Array<{ rank: number, userAddress: string, points: number }> } };

export type LiveUserSubscriptionVariables = Exact<{
  user: string;
}>;


export type LiveUserSubscription = { user: { totalPoints: number, rank: number | null, recordCount: number, dailyPoints: { nodes: Array<{ date: string, points: number }> } } };

export type ManyUsersQueryVariables = Exact<{
  addresses: Array<string> | string;
}>;


export type ManyUsersQuery = { lookupUsers: Array<{ input: string, problem: string | null, user: { totalPoints: number, rank: number | null, positions: { totalCount: number, nodes: Array<{ pool: { displayName: string } | null }> } } | null }> };

export type MarketQueryVariables = Exact<{
  chainId: number;
  market: string;
}>;


export type MarketQuery = { market: { assetSymbol: string, depositApr: number, borrowApr: number, pool: { name: string } | null, snapshots: { nodes: Array<{ time: string, collateralUsd: number | null, debtUsd: number | null, user: { address: string, rank: number | null } }> } } | null };

export type NearLiquidationQueryVariables = Exact<{
  below: number;
}>;


export type NearLiquidationQuery = { currentPositions: { nodes: Array<{ healthFactor: number | null, ltv: number | null, user: { address: string }, pool: { displayName: string, marketA: { maxLtv: number | null, liquidationThreshold: number | null } | null } | null, sideA: { assetSymbol: string, suppliedAmountUsd: number }, sideB: { assetSymbol: string, borrowedAmountUsd: number } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type PagesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type PagesQuery = { positions: { totalCount: number, edges: Array<{ cursor: string, node: { date: string, points: number, user: { address: string, rank: number | null } } }>, pageInfo: { hasNextPage: boolean, hasPreviousPage: boolean, startCursor: string | null, endCursor: string | null } } };

export type PoolPositionsQueryVariables = Exact<{
  pool: string;
}>;


export type PoolPositionsQuery = { pool: { name: string, positions: { nodes: Array<{ date: string, points: number, user: { address: string, totalPoints: number, rank: number | null } }> } } | null };

export type PoolRankingQueryVariables = Exact<{
  pool: string;
  from: string;
  to: string;
}>;


export type PoolRankingQuery = { positionAggregates: Array<{ sumPoints: number, averageSuppliedUsd: number | null, key: { user: { address: string, rank: number | null } | null } }> };

export type PoolsByTvlQueryVariables = Exact<{ [key: string]: never; }>;


export type PoolsByTvlQuery = { pools: { totalCount: number, nodes: Array<{ displayName: string, tvlUsd: number, suppliedUsd: number, borrowedUsd: number, utilization: number | null, totalPoints: number, marketA: { assetSymbol: string, tvlUsd: number | null, borrowedUsd: number | null, depositApr: number } | null, marketB: { assetSymbol: string, tvlUsd: number | null, borrowedUsd: number | null, depositApr: number } | null }> } };

export type PoolsQueryVariables = Exact<{ [key: string]: never; }>;


export type PoolsQuery = { pools: { totalCount: number, nodes: Array<{ displayName: string, chainId: number, marketA: { assetSymbol: string, depositApr: number, borrowApr: number } | null, marketB: { assetSymbol: string, depositApr: number, borrowApr: number } | null, multiplier: { depositA: number, depositB: number, borrowA: number, borrowB: number } | null, topUsers: Array<{ points: number, user: { address: string, rank: number | null } }> }> } };

export type PortfolioQueryVariables = Exact<{
  wallets: Array<string> | string;
}>;


export type PortfolioQuery = { portfolio: { totalPoints: number, bestRank: number | null, users: Array<{ input: string, problem: string | null }>, worth: { netUsd: number, suppliedUsd: number, protectedUsd: number, vaultsUsd: number, borrowedUsd: number } | null, earnings: { totalEarningsUsd: number }, netApr: { netDepositApr: number, netBorrowApr: number }, pools: Array<{ userCount: number, points: number, suppliedUsd: number, borrowedUsd: number, pool: { displayName: string } | null }>, markets: Array<{ userCount: number, collateralAssets: string, collateralUsd: number | null, debtAssets: string, debtUsd: number | null, market: { assetSymbol: string } | null }> } };

export type RanksQueryVariables = Exact<{
  user: string;
}>;


export type RanksQuery = { user: { rank: number | null, change: { points: number, rank: number | null, worth: { netUsd: number | null } | null } | null, series: Array<{ lastDate: string | null, totalPoints: number | null, rank: number | null }> }, leaderboard: { nodes: Array<{ rank: number, userAddress: string, points: number }> } };

export type RatesQueryVariables = Exact<{
  chainId: number;
  market: string;
}>;


export type RatesQuery = { market: { assetSymbol: string, aprSeries: Array<{ start: string, depositApr: number | null, borrowApr: number | null }> } | null };

export type RunsQueryVariables = Exact<{ [key: string]: never; }>;


export type RunsQuery = { dataVersion: string, runs: { totalCount: number, nodes: Array<{ recordId: string, kind: DistributionKind, status: RunStatus, requestedBy: string, startedAt: string, durationMs: number | null, error: string | null }> } };

export type SearchQueryVariables = Exact<{
  text: string;
}>;


export type SearchQuery = { search: Array<{ match: SearchMatch, item:
      | { __typename: 'Market', assetSymbol: string, depositApr: number, pool: { displayName: string } | null }
      | { __typename: 'Pool', displayName: string, chainId: number }
      | { __typename: 'User', address: string, totalPoints: number, rank: number | null }
      | { __typename: 'Vault', name: string, depositApr: number }
     }> };

export type SeriesOfTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type SeriesOfTokensQuery = { series: Array<{ points: number, key: { chainId: number | null, assetAddress: string | null }, buckets: Array<{ start: string, points: number, suppliedUsd: number | null, protectedUsd: number | null, borrowedUsd: number | null }> }> };

export type SeriesQueryVariables = Exact<{
  user: string;
  pool: string;
}>;


export type SeriesQuery = { user: { series: Array<{ start: string, points: number, positionCount: number | null, marketLiquidationRewardsUsd: number | null, worth: { netUsd: number } | null }> }, pool: { series: Array<{ start: string, distributionCount: number, points: number, tvlUsd: number | null, borrowedUsd: number | null, userCount: number | null }> } | null, program: { series: Array<{ start: string, points: number, tvlUsd: number | null, borrowedUsd: number | null, userCount: number | null }> } };

export type SnapshotsQueryVariables = Exact<{
  user: string;
  market?: string | null | undefined;
}>;


export type SnapshotsQuery = { user: { marketSnapshots: { totalCount: number, nodes: Array<{ time: string, collateralAssets: string, collateralUsd: number | null, protectedUsd: number | null, debtUsd: number | null }> } } };

export type StatusQueryVariables = Exact<{ [key: string]: never; }>;


export type StatusQuery = { status: { nextDistributionExpectedAt: string | null, distributionLate: boolean, distribution: { date: string, finishedAt: string } | null, chains: Array<{ chainId: number, newestSnapshotAt: string | null, expectedAt: string | null, late: boolean }>, lastRun: { recordId: string, kind: DistributionKind, status: RunStatus, finishedAt: string | null } | null, lastImport: { recordId: string, status: RunStatus, finishedAt: string | null } | null } };

export type UserPageQueryVariables = Exact<{
  user: string;
}>;


export type UserPageQuery = { user: { totalPoints: number, rank: number | null, worth: { netUsd: number, suppliedUsd: number, protectedUsd: number, vaultsUsd: number, borrowedUsd: number } | null, currentPositions: { nodes: Array<{ points: number, pool: { displayName: string } | null }> }, earnings: { totalEarningsUsd: number, hasIncompletePrices: boolean, breakdown: { nodes: Array<{ entityType: EntityType, entityAddress: string, earningsUsd: number }> } }, netApr: { netDepositApr: number, netBorrowApr: number }, latestSnapshots: Array<
      | { collateralUsd: number | null, debtUsd: number | null, chainId: number, time: string, market: { assetSymbol: string, pool: { name: string } | null } | null }
      | { assetsUsd: number | null, chainId: number, time: string, vault: { name: string } | null }
    >, marketLiquidationRewards: { totalCount: number, nodes: Array<{ txHash: string, liquidRewardUsd: number | null, claimedAt: string | null }> } } };

export type ValueThroughTimeQueryVariables = Exact<{
  wallets: Array<string> | string;
  user: string;
  asOf: string;
}>;


export type ValueThroughTimeQuery = { portfolio: { series: Array<{ start: string, netCashInvestedUsd: number | null, earningsUsd: number | null, pendingCashUsd: number | null, hasIncompletePrices: boolean | null, worth: { netUsd: number, suppliedUsd: number, protectedUsd: number, vaultsUsd: number, borrowedUsd: number } | null }> }, user: { worth: { netUsd: number, time: string } | null, earnings: { totalCurrentValueUsd: number, totalEarningsUsd: number }, netApr: { netDepositApr: number, netBorrowApr: number } } };

export type WeekLeaderboardQueryVariables = Exact<{
  from: string;
  to?: string | null | undefined;
}>;


export type WeekLeaderboardQuery = { leaderboard: { totalCount: number, nodes: Array<{ rank: number, userAddress: string, points: number, user: { rank: number | null } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };


export const ActivityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Activity"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ActivityFilter"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activity"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"time"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"amountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"vault"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"txHash"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ActivityQuery, ActivityQueryVariables>;
export const AggregatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Aggregates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionAggregates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"POOL"},{"kind":"EnumValue","value":"MONTH"}]}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"SUM_POINTS_DESC"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"sumPoints"}},{"kind":"Field","name":{"kind":"Name","value":"averageSuppliedUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketSnapshotAggregates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"MARKET"}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"averageCollateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"averageDebtUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"liquidationRewardAggregates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"user"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"CHAIN"}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}}]}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"sumLiquidRewardUsd"}}]}}]}}]} as unknown as DocumentNode<AggregatesQuery, AggregatesQueryVariables>;
export const AsOfDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AsOf"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"pool"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}]},{"kind":"Field","name":{"kind":"Name","value":"rank"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}]},{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"pool"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totals"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"depositA"}},{"kind":"Field","name":{"kind":"Name","value":"changedBy"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"POINTS_DESC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"multiplierRevisions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"poolAddress"}},{"kind":"Field","name":{"kind":"Name","value":"depositA"}},{"kind":"Field","name":{"kind":"Name","value":"borrowB"}},{"kind":"Field","name":{"kind":"Name","value":"changedAt"}}]}}]}}]}}]} as unknown as DocumentNode<AsOfQuery, AsOfQueryVariables>;
export const AssetDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Asset"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"asset"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"chainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}}},{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asset"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"decimals"}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"priceUsd"}},{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pools"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"TVL_USD_DESC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"utilization"}}]}}]}}]}}]}}]} as unknown as DocumentNode<AssetQuery, AssetQueryVariables>;
export const DailyPointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DailyPoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dailyPoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pointsA"}},{"kind":"Field","name":{"kind":"Name","value":"pointsB"}},{"kind":"Field","name":{"kind":"Name","value":"sideA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sideB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<DailyPointsQuery, DailyPointsQueryVariables>;
export const DistributionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Distributions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"distributions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"7"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"finishedAt"}}]}}]}}]}}]} as unknown as DocumentNode<DistributionsQuery, DistributionsQueryVariables>;
export const LargestPositionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LargestPositions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PositionFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PositionOrder"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sideA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sideB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<LargestPositionsQuery, LargestPositionsQueryVariables>;
export const LeaderboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Leaderboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"program"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}},{"kind":"Field","name":{"kind":"Name","value":"recordCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<LeaderboardQuery, LeaderboardQueryVariables>;
export const LimitsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Limits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"limits"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"depth"}},{"kind":"Field","name":{"kind":"Name","value":"aliases"}},{"kind":"Field","name":{"kind":"Name","value":"tokens"}},{"kind":"Field","name":{"kind":"Name","value":"cost"}},{"kind":"Field","name":{"kind":"Name","value":"pageSize"}}]}}]}}]} as unknown as DocumentNode<LimitsQuery, LimitsQueryVariables>;
export const LiveLeaderboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveLeaderboard"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]}}]} as unknown as DocumentNode<LiveLeaderboardSubscription, LiveLeaderboardSubscriptionVariables>;
export const LiveUserDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveUser"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"recordCount"}},{"kind":"Field","name":{"kind":"Name","value":"dailyPoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]}}]}}]} as unknown as DocumentNode<LiveUserSubscription, LiveUserSubscriptionVariables>;
export const ManyUsersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ManyUsers"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"lookupUsers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"addresses"},"value":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<ManyUsersQuery, ManyUsersQueryVariables>;
export const MarketDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Market"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"market"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"market"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"chainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}}},{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"market"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowApr"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"snapshots"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"time"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<MarketQuery, MarketQueryVariables>;
export const NearLiquidationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"NearLiquidation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"below"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Float"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currentPositions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"healthFactor"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"lt"},"value":{"kind":"Variable","name":{"kind":"Name","value":"below"}}}]}}]}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"HEALTH_FACTOR_ASC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"healthFactor"}},{"kind":"Field","name":{"kind":"Name","value":"ltv"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"maxLtv"}},{"kind":"Field","name":{"kind":"Name","value":"liquidationThreshold"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"sideA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sideB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<NearLiquidationQuery, NearLiquidationQueryVariables>;
export const PagesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Pages"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<PagesQuery, PagesQueryVariables>;
export const PoolPositionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PoolPositions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"pool"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"pool"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PoolPositionsQuery, PoolPositionsQueryVariables>;
export const PoolRankingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PoolRanking"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"pool"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionAggregates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"pool"},"value":{"kind":"Variable","name":{"kind":"Name","value":"pool"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"date"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"gte"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"ObjectField","name":{"kind":"Name","value":"lte"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}}]}}]}},{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"USER"}]}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"SUM_POINTS_DESC"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"5"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"sumPoints"}},{"kind":"Field","name":{"kind":"Name","value":"averageSuppliedUsd"}}]}}]}}]} as unknown as DocumentNode<PoolRankingQuery, PoolRankingQueryVariables>;
export const PoolsByTvlDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PoolsByTvl"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pools"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"tvlUsd"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"gt"},"value":{"kind":"IntValue","value":"0"}}]}}]}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"TVL_USD_DESC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"utilization"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}}]}}]}}]}}]}}]} as unknown as DocumentNode<PoolsByTvlQuery, PoolsByTvlQueryVariables>;
export const PoolsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Pools"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pools"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowApr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowApr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"depositA"}},{"kind":"Field","name":{"kind":"Name","value":"depositB"}},{"kind":"Field","name":{"kind":"Name","value":"borrowA"}},{"kind":"Field","name":{"kind":"Name","value":"borrowB"}}]}},{"kind":"Field","name":{"kind":"Name","value":"topUsers"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<PoolsQuery, PoolsQueryVariables>;
export const PortfolioDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Portfolio"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"wallets"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"portfolio"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"addresses"},"value":{"kind":"Variable","name":{"kind":"Name","value":"wallets"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"users"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"input"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"bestRank"}},{"kind":"Field","name":{"kind":"Name","value":"worth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"vaultsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netDepositApr"}},{"kind":"Field","name":{"kind":"Name","value":"netBorrowApr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pools"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"markets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}}]}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}},{"kind":"Field","name":{"kind":"Name","value":"collateralAssets"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtAssets"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}}]}}]}}]}}]} as unknown as DocumentNode<PortfolioQuery, PortfolioQueryVariables>;
export const RanksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Ranks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"change"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"days"},"value":{"kind":"IntValue","value":"7"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"worth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"series"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"EnumValue","value":"WEEK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"lastDate"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"around"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"7"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}}]}}]} as unknown as DocumentNode<RanksQuery, RanksQueryVariables>;
export const RatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Rates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"market"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"market"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"chainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}}},{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"market"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"aprSeries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"EnumValue","value":"WEEK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowApr"}}]}}]}}]}}]} as unknown as DocumentNode<RatesQuery, RatesQueryVariables>;
export const RunsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Runs"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dataVersion"}},{"kind":"Field","name":{"kind":"Name","value":"runs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"recordId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"requestedBy"}},{"kind":"Field","name":{"kind":"Name","value":"startedAt"}},{"kind":"Field","name":{"kind":"Name","value":"durationMs"}},{"kind":"Field","name":{"kind":"Name","value":"error"}}]}}]}}]}}]} as unknown as DocumentNode<RunsQuery, RunsQueryVariables>;
export const SearchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Search"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"text"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"search"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"text"},"value":{"kind":"Variable","name":{"kind":"Name","value":"text"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"match"}},{"kind":"Field","name":{"kind":"Name","value":"item"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Pool"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Market"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Vault"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"depositApr"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"User"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}}]}}]}}]} as unknown as DocumentNode<SearchQuery, SearchQueryVariables>;
export const SeriesOfTokensDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SeriesOfTokens"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"groupBy"},"value":{"kind":"EnumValue","value":"ASSET"}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"assetAddress"}}]}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"buckets"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}}]}}]}}]}}]} as unknown as DocumentNode<SeriesOfTokensQuery, SeriesOfTokensQueryVariables>;
export const SeriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Series"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"pool"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"EnumValue","value":"WEEK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"worth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketLiquidationRewardsUsd"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"pool"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"EnumValue","value":"MONTH"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"distributionCount"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"program"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"tvlUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"userCount"}}]}}]}}]}}]} as unknown as DocumentNode<SeriesQuery, SeriesQueryVariables>;
export const SnapshotsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Snapshots"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"market"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"marketSnapshots"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"IntValue","value":"30"}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"market"},"value":{"kind":"Variable","name":{"kind":"Name","value":"market"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"time"}},{"kind":"Field","name":{"kind":"Name","value":"collateralAssets"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}}]}}]}}]}}]}}]} as unknown as DocumentNode<SnapshotsQuery, SnapshotsQueryVariables>;
export const StatusDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Status"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"distribution"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"finishedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextDistributionExpectedAt"}},{"kind":"Field","name":{"kind":"Name","value":"distributionLate"}},{"kind":"Field","name":{"kind":"Name","value":"chains"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"newestSnapshotAt"}},{"kind":"Field","name":{"kind":"Name","value":"expectedAt"}},{"kind":"Field","name":{"kind":"Name","value":"late"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastRun"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"recordId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"finishedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lastImport"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"recordId"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"finishedAt"}}]}}]}}]}}]} as unknown as DocumentNode<StatusQuery, StatusQueryVariables>;
export const UserPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"UserPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"worth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"vaultsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"currentPositions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"TVL_USD_DESC"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"entityType"}},{"kind":"Field","name":{"kind":"Name","value":"entityAddress"}},{"kind":"Field","name":{"kind":"Name","value":"earningsUsd"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netDepositApr"}},{"kind":"Field","name":{"kind":"Name","value":"netBorrowApr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"latestSnapshots"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"time"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}},{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assetsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"vault"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketLiquidationRewards"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"3"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"txHash"}},{"kind":"Field","name":{"kind":"Name","value":"liquidRewardUsd"}},{"kind":"Field","name":{"kind":"Name","value":"claimedAt"}}]}}]}}]}}]}}]} as unknown as DocumentNode<UserPageQuery, UserPageQueryVariables>;
export const ValueThroughTimeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ValueThroughTime"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"wallets"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"user"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"portfolio"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"addresses"},"value":{"kind":"Variable","name":{"kind":"Name","value":"wallets"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"EnumValue","value":"WEEK"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"worth"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"vaultsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"earningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"pendingCashUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"user"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"worth"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netUsd"}},{"kind":"Field","name":{"kind":"Name","value":"time"}}]}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"asOf"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asOf"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"netDepositApr"}},{"kind":"Field","name":{"kind":"Name","value":"netBorrowApr"}}]}}]}}]}}]} as unknown as DocumentNode<ValueThroughTimeQuery, ValueThroughTimeQueryVariables>;
export const WeekLeaderboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WeekLeaderboard"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<WeekLeaderboardQuery, WeekLeaderboardQueryVariables>;