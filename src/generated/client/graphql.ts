/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A range of points in time. A value must satisfy all given bounds; a null bound is ignored. Rows whose value is null never match a range. */
export type DateTimeRange = {
  /** Equal to this value, to the unit in which the value is stored: the UTC date of a distribution date, the second of a snapshot or a reward, the millisecond of other times. */
  eq?: string | null | undefined;
  /** Greater or later than this value. */
  gt?: string | null | undefined;
  /** Greater or later than this value, or equal to it. */
  gte?: string | null | undefined;
  /** Equal to one of these values, to the unit in which the value is stored: the UTC date of a distribution date, the second of a snapshot or a reward, the millisecond of other times, at most 1000. */
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
  | 'RESYNC';

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

/** A filter for a list of MarketSnapshot. A row must match all given conditions; a null condition is ignored. At most 50 conditions, nested at most 5 deep. */
export type MarketSnapshotFilter = {
  /** All of these filters match. An empty list always matches. */
  AND?: Array<MarketSnapshotFilter> | null | undefined;
  /** This filter does not match. */
  NOT?: MarketSnapshotFilter | null | undefined;
  /** At least one of these filters matches. An empty list never matches. */
  OR?: Array<MarketSnapshotFilter> | null | undefined;
  /** Only snapshots in markets that lend this token. */
  asset?: string | null | undefined;
  /** Only snapshots on this chain. */
  chainId?: number | null | undefined;
  /** Only snapshots on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only rows whose `collateralUsd` is in this range. */
  collateralUsd?: FloatRange | null | undefined;
  /** Only rows whose `debtUsd` is in this range. */
  debtUsd?: FloatRange | null | undefined;
  /** Only snapshots in the market at this address, on any chain. */
  market?: string | null | undefined;
  /** Only snapshots in markets at one of these addresses. At most 1000 values; an empty list matches nothing. */
  markets?: Array<string> | null | undefined;
  /** Only rows whose `protectedUsd` is in this range. */
  protectedUsd?: FloatRange | null | undefined;
  /** Only rows whose `time` is in this range. */
  time?: DateTimeRange | null | undefined;
  /** Only snapshots of this user. */
  user?: string | null | undefined;
  /** Only snapshots of one of these users. At most 1000 values; an empty list matches nothing. */
  users?: Array<string> | null | undefined;
};

/** A sort key for a list of MarketSnapshot and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order. */
export type MarketSnapshotOrder = {
  /** The sort direction. */
  direction?: SortDirection;
  /** The sort key. */
  field: MarketSnapshotOrderField;
};

/** A sort key for a list of MarketSnapshot. */
export type MarketSnapshotOrderField =
  /** The chain id. */
  | 'CHAIN_ID'
  /** Collateral, in USD. Null if the price is unknown. Nulls come last in both directions. */
  | 'COLLATERAL_USD'
  /** Debt, in USD. Null if the price is unknown. Nulls come last in both directions. */
  | 'DEBT_USD'
  /** The market's address. */
  | 'MARKET'
  /** Protected collateral, in USD. Null if the price is unknown. Nulls come last in both directions. */
  | 'PROTECTED_USD'
  /** The time of the snapshot, in Unix seconds. */
  | 'TIME'
  /** The user's address. */
  | 'USER';

/** A filter for a list of Pool. A row must match all given conditions; a null condition is ignored. At most 50 conditions, nested at most 5 deep. */
export type PoolFilter = {
  /** All of these filters match. An empty list always matches. */
  AND?: Array<PoolFilter> | null | undefined;
  /** This filter does not match. */
  NOT?: PoolFilter | null | undefined;
  /** At least one of these filters matches. An empty list never matches. */
  OR?: Array<PoolFilter> | null | undefined;
  /** Only pools with this token on either side. */
  asset?: string | null | undefined;
  /** Only pools with one of these tokens on either side. At most 1000 values; an empty list matches nothing. */
  assets?: Array<string> | null | undefined;
  /** Only pools on this chain. */
  chainId?: number | null | undefined;
  /** Only pools on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only pools created in this time range. */
  createdAt?: DateTimeRange | null | undefined;
  /** Only the pool that this market is a side of. */
  market?: string | null | undefined;
  /** Only pools with this number in the protocol. */
  number?: number | null | undefined;
  /** Only the pool at this address. */
  pool?: string | null | undefined;
  /** Only pools at one of these addresses. At most 1000 values; an empty list matches nothing. */
  pools?: Array<string> | null | undefined;
};

/** A sort key for a list of Pool and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order. */
export type PoolOrder = {
  /** The sort direction. */
  direction?: SortDirection;
  /** The sort key. */
  field: PoolOrderField;
};

/** A sort key for a list of Pool. */
export type PoolOrderField =
  /** The pool's address: its id in the REST APIs. */
  | 'ADDRESS'
  /** The id of the chain that the pool is on. */
  | 'CHAIN_ID'
  /** When the pool was created, in Unix seconds. */
  | 'CREATED_AT'
  /** The pool's name, such as S/USDC. */
  | 'NAME'
  /** The pool's number in the protocol. */
  | 'NUMBER';

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
  /** Only positions whose total amount borrowed on both sides is in this range, in USD. */
  borrowedUsd?: FloatRange | null | undefined;
  /** Only positions in pools on this chain. */
  chainId?: number | null | undefined;
  /** Only positions in pools on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only positions whose distribution date is in this range. */
  date?: DateTimeRange | null | undefined;
  /** Only positions whose total points are in this range. */
  points?: FloatRange | null | undefined;
  /** Only positions in this pool. */
  pool?: string | null | undefined;
  /** Only positions in one of these pools. At most 1000 values; an empty list matches nothing. */
  pools?: Array<string> | null | undefined;
  /** Only positions whose total supply is in this range, in USD: both sides, including protected supply. */
  suppliedUsd?: FloatRange | null | undefined;
  /** Only positions of this user. */
  user?: string | null | undefined;
  /** Only positions of one of these users. At most 1000 values; an empty list matches nothing. */
  users?: Array<string> | null | undefined;
};

/** A sort key for a list of Position and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order. */
export type PositionOrder = {
  /** The sort direction. */
  direction?: SortDirection;
  /** The sort key. */
  field: PositionOrderField;
};

/** A sort key for a list of Position. */
export type PositionOrderField =
  /** Total amount borrowed on both sides, in USD. */
  | 'BORROWED_USD'
  /** The distribution date, midnight UTC. */
  | 'DATE'
  /** Total points of both sides. */
  | 'POINTS'
  /** The pool's address: marketAddress in the REST API. */
  | 'POOL'
  /** The record's id: its id in the REST API. */
  | 'RECORD_ID'
  /** Total supply on both sides, including protected supply, in USD. */
  | 'SUPPLIED_USD'
  /** The user's address. */
  | 'USER';

/** The direction of a sort key. */
export type SortDirection =
  /** Ascending: the smallest or earliest value first, text in code point order. */
  | 'ASC'
  /** Descending: the largest or latest value first, text in reverse code point order. */
  | 'DESC';

/** A filter for a list of VaultSnapshot. A row must match all given conditions; a null condition is ignored. At most 50 conditions, nested at most 5 deep. */
export type VaultSnapshotFilter = {
  /** All of these filters match. An empty list always matches. */
  AND?: Array<VaultSnapshotFilter> | null | undefined;
  /** This filter does not match. */
  NOT?: VaultSnapshotFilter | null | undefined;
  /** At least one of these filters matches. An empty list never matches. */
  OR?: Array<VaultSnapshotFilter> | null | undefined;
  /** Only snapshots in vaults that lend this token. */
  asset?: string | null | undefined;
  /** Only rows whose `assetsUsd` is in this range. */
  assetsUsd?: FloatRange | null | undefined;
  /** Only snapshots on this chain. */
  chainId?: number | null | undefined;
  /** Only snapshots on one of these chains. At most 1000 values; an empty list matches nothing. */
  chainIds?: Array<number> | null | undefined;
  /** Only rows whose `time` is in this range. */
  time?: DateTimeRange | null | undefined;
  /** Only snapshots of this user. */
  user?: string | null | undefined;
  /** Only snapshots of one of these users. At most 1000 values; an empty list matches nothing. */
  users?: Array<string> | null | undefined;
  /** Only snapshots in the vault at this address, on any chain. */
  vault?: string | null | undefined;
  /** Only snapshots in vaults at one of these addresses. At most 1000 values; an empty list matches nothing. */
  vaults?: Array<string> | null | undefined;
};

/** A sort key for a list of VaultSnapshot and its direction. Ties fall back to the list's default order. Sorting by the default order's first key in the opposite direction reverses the whole default order. */
export type VaultSnapshotOrder = {
  /** The sort direction. */
  direction?: SortDirection;
  /** The sort key. */
  field: VaultSnapshotOrderField;
};

/** A sort key for a list of VaultSnapshot. */
export type VaultSnapshotOrderField =
  /** Value of the shares, in USD. Null if the price is unknown. Nulls come last in both directions. */
  | 'ASSETS_USD'
  /** The chain id. */
  | 'CHAIN_ID'
  /** The time of the snapshot, in Unix seconds. */
  | 'TIME'
  /** The user's address. */
  | 'USER'
  /** The vault's address. */
  | 'VAULT';

export type EarningsTotalsFragment = { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean };

export type EarningsRowFragment = { chainId: number, entityType: EntityType, entityAddress: string, currentValueUsd: number, netCashInvestedUsd: number, earningsUsd: number, hasIncompletePrices: boolean, market: { id: string, assetSymbol: string } | null, vault: { id: string, name: string } | null };

export type EarningsQueryVariables = Exact<{
  address: string;
  chainId?: number | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type EarningsQuery = { user: { id: string, earnings: { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean, breakdown: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ chainId: number, entityType: EntityType, entityAddress: string, currentValueUsd: number, netCashInvestedUsd: number, earningsUsd: number, hasIncompletePrices: boolean, market: { id: string, assetSymbol: string } | null, vault: { id: string, name: string } | null }> } } } };

export type LeaderboardEntryFragment = { rank: number, account: string, points: number };

export type LeaderboardQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LeaderboardQuery = { program: { totalPoints: number, accountCount: number, positionCount: number }, leaderboard: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ rank: number, account: string, points: number }> } };

export type DistributionComputedSubscriptionVariables = Exact<{
  date?: string | null | undefined;
}>;


export type DistributionComputedSubscription = { distributionComputed: { id: string, kind: DistributionKind, date: string | null, finishedAt: string | null, after: { positionCount: number, accountCount: number, totalPoints: number } | null } };

export type DataChangedSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type DataChangedSubscription = { dataChanged: { version: string } };

export type LiveLeaderboardSubscriptionVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type LiveLeaderboardSubscription = { leaderboard: { totalCount: number, nodes: Array<{ rank: number, account: string, points: number }> } };

export type LiveUserSubscriptionVariables = Exact<{
  address: string;
}>;


export type LiveUserSubscription = { user: { id: string, address: string, points: number, rank: number | null, positionCount: number, firstDistributionDate: string | null, lastDistributionDate: string | null, earnings: { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean }, netApr: { earnNetApr: number, borrowNetApr: number, totalEarnDepositsUsd: number, totalBorrowUsd: number } } };

export type PageEndFragment = { hasNextPage: boolean, endCursor: string | null };

export type PoolCardFragment = { id: string, address: string, chainId: number, marketId: number, name: string, displayName: string, marketA: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, marketB: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, multiplier: { id: string, depositTokenA: number, depositTokenB: number, borrowTokenA: number, borrowTokenB: number, updatedAt: string } | null };

export type MarketRatesFragment = { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number };

export type PoolsQueryVariables = Exact<{
  where?: PoolFilter | null | undefined;
  orderBy?: Array<PoolOrder> | PoolOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type PoolsQuery = { pools: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, address: string, chainId: number, marketId: number, name: string, displayName: string, marketA: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, marketB: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, multiplier: { id: string, depositTokenA: number, depositTokenB: number, borrowTokenA: number, borrowTokenB: number, updatedAt: string } | null }> } };

export type PoolQueryVariables = Exact<{
  address: string;
}>;


export type PoolQuery = { pool: { id: string, address: string, chainId: number, marketId: number, name: string, displayName: string, marketA: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, marketB: { id: string, chainId: number, address: string, assetAddress: string, assetSymbol: string, assetDecimals: number, depositRate: number, borrowRate: number } | null, multiplier: { id: string, depositTokenA: number, depositTokenB: number, borrowTokenA: number, borrowTokenB: number, updatedAt: string } | null } | null };

export type PositionRowFragment = { id: string, userAddress: string, poolAddress: string, distributionDate: string, points: number, pointsA: number, pointsB: number, pool: { id: string, displayName: string } | null, a: { tokenAddress: string, tokenSymbol: string, tokenPrice: number, suppliedAmount: number, suppliedAmountUsd: number, protectedSuppliedAmount: number, protectedSuppliedAmountUsd: number, borrowedAmount: number, borrowedAmountUsd: number }, b: { tokenAddress: string, tokenSymbol: string, tokenPrice: number, suppliedAmount: number, suppliedAmountUsd: number, protectedSuppliedAmount: number, protectedSuppliedAmountUsd: number, borrowedAmount: number, borrowedAmountUsd: number } };

export type PositionSideFragment = { tokenAddress: string, tokenSymbol: string, tokenPrice: number, suppliedAmount: number, suppliedAmountUsd: number, protectedSuppliedAmount: number, protectedSuppliedAmountUsd: number, borrowedAmount: number, borrowedAmountUsd: number };

export type PositionsQueryVariables = Exact<{
  where?: PositionFilter | null | undefined;
  orderBy?: Array<PositionOrder> | PositionOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type PositionsQuery = { positions: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, userAddress: string, poolAddress: string, distributionDate: string, points: number, pointsA: number, pointsB: number, pool: { id: string, displayName: string } | null, a: { tokenAddress: string, tokenSymbol: string, tokenPrice: number, suppliedAmount: number, suppliedAmountUsd: number, protectedSuppliedAmount: number, protectedSuppliedAmountUsd: number, borrowedAmount: number, borrowedAmountUsd: number }, b: { tokenAddress: string, tokenSymbol: string, tokenPrice: number, suppliedAmount: number, suppliedAmountUsd: number, protectedSuppliedAmount: number, protectedSuppliedAmountUsd: number, borrowedAmount: number, borrowedAmountUsd: number } }> } };

export type MarketSnapshotRowFragment = { chainId: number, marketAddress: string, userAddress: string, positionId: string | null, timestamp: string, collateralAssets: string, collateralUsd: number | null, protectedAssets: string, protectedUsd: number | null, debtAssets: string, debtUsd: number | null };

export type VaultSnapshotRowFragment = { chainId: number, vaultAddress: string, userAddress: string, positionId: string | null, timestamp: string, shares: string, assets: string, assetsUsd: number | null };

export type LatestSnapshotsQueryVariables = Exact<{
  address: string;
  chainId?: number | null | undefined;
}>;


export type LatestSnapshotsQuery = { user: { id: string, latestSnapshots: Array<
      | { __typename: 'MarketSnapshot', chainId: number, marketAddress: string, userAddress: string, positionId: string | null, timestamp: string, collateralAssets: string, collateralUsd: number | null, protectedAssets: string, protectedUsd: number | null, debtAssets: string, debtUsd: number | null }
      | { __typename: 'VaultSnapshot', chainId: number, vaultAddress: string, userAddress: string, positionId: string | null, timestamp: string, shares: string, assets: string, assetsUsd: number | null }
    > } };

export type MarketSnapshotsQueryVariables = Exact<{
  address: string;
  where?: MarketSnapshotFilter | null | undefined;
  orderBy?: Array<MarketSnapshotOrder> | MarketSnapshotOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type MarketSnapshotsQuery = { user: { id: string, marketSnapshots: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ chainId: number, marketAddress: string, userAddress: string, positionId: string | null, timestamp: string, collateralAssets: string, collateralUsd: number | null, protectedAssets: string, protectedUsd: number | null, debtAssets: string, debtUsd: number | null }> } } };

export type VaultSnapshotsQueryVariables = Exact<{
  address: string;
  where?: VaultSnapshotFilter | null | undefined;
  orderBy?: Array<VaultSnapshotOrder> | VaultSnapshotOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type VaultSnapshotsQuery = { user: { id: string, vaultSnapshots: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ chainId: number, vaultAddress: string, userAddress: string, positionId: string | null, timestamp: string, shares: string, assets: string, assetsUsd: number | null }> } } };

export type UserSummaryFragment = { id: string, address: string, points: number, rank: number | null, positionCount: number, firstDistributionDate: string | null, lastDistributionDate: string | null, earnings: { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean }, netApr: { earnNetApr: number, borrowNetApr: number, totalEarnDepositsUsd: number, totalBorrowUsd: number } };

export type UserQueryVariables = Exact<{
  address: string;
}>;


export type UserQuery = { user: { id: string, address: string, points: number, rank: number | null, positionCount: number, firstDistributionDate: string | null, lastDistributionDate: string | null, earnings: { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean }, netApr: { earnNetApr: number, borrowNetApr: number, totalEarnDepositsUsd: number, totalBorrowUsd: number } } };

export type UsersQueryVariables = Exact<{
  addresses: Array<string> | string;
}>;


export type UsersQuery = { users: Array<{ id: string, address: string, points: number, rank: number | null, positionCount: number, firstDistributionDate: string | null, lastDistributionDate: string | null, earnings: { totalEarningsUsd: number, totalCurrentValueUsd: number, totalNetCashInvestedUsd: number, hasIncompletePrices: boolean }, netApr: { earnNetApr: number, borrowNetApr: number, totalEarnDepositsUsd: number, totalBorrowUsd: number } }> };

export type DailyPointsFragment = { distributionDate: string, points: number, positionCount: number };

export type DailyPointsQueryVariables = Exact<{
  address: string;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type DailyPointsQuery = { user: { id: string, dailyPoints: { totalCount: number, pageInfo: { hasPreviousPage: boolean, startCursor: string | null }, nodes: Array<{ distributionDate: string, points: number, positionCount: number }> } } };

export const EarningsRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"EarningsItem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"entityType"}},{"kind":"Field","name":{"kind":"Name","value":"entityAddress"}},{"kind":"Field","name":{"kind":"Name","value":"currentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"netCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"earningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}},{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}}]}},{"kind":"Field","name":{"kind":"Name","value":"vault"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<EarningsRowFragment, unknown>;
export const LeaderboardEntryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LeaderboardEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LeaderboardEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"account"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]} as unknown as DocumentNode<LeaderboardEntryFragment, unknown>;
export const PageEndFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]} as unknown as DocumentNode<PageEndFragment, unknown>;
export const MarketRatesFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketRates"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Market"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"assetAddress"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"assetDecimals"}},{"kind":"Field","name":{"kind":"Name","value":"depositRate"}},{"kind":"Field","name":{"kind":"Name","value":"borrowRate"}}]}}]} as unknown as DocumentNode<MarketRatesFragment, unknown>;
export const PoolCardFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PoolCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Pool"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketRates"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Market"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"assetAddress"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"assetDecimals"}},{"kind":"Field","name":{"kind":"Name","value":"depositRate"}},{"kind":"Field","name":{"kind":"Name","value":"borrowRate"}}]}}]} as unknown as DocumentNode<PoolCardFragment, unknown>;
export const PositionSideFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PositionSide"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PositionSide"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tokenAddress"}},{"kind":"Field","name":{"kind":"Name","value":"tokenSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"tokenPrice"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}}]} as unknown as DocumentNode<PositionSideFragment, unknown>;
export const PositionRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PositionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Position"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"poolAddress"}},{"kind":"Field","name":{"kind":"Name","value":"distributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"pointsA"}},{"kind":"Field","name":{"kind":"Name","value":"pointsB"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"a"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PositionSide"}}]}},{"kind":"Field","name":{"kind":"Name","value":"b"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PositionSide"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PositionSide"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PositionSide"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tokenAddress"}},{"kind":"Field","name":{"kind":"Name","value":"tokenSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"tokenPrice"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}}]} as unknown as DocumentNode<PositionRowFragment, unknown>;
export const MarketSnapshotRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"collateralAssets"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedAssets"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtAssets"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}}]}}]} as unknown as DocumentNode<MarketSnapshotRowFragment, unknown>;
export const VaultSnapshotRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"VaultSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"vaultAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"shares"}},{"kind":"Field","name":{"kind":"Name","value":"assets"}},{"kind":"Field","name":{"kind":"Name","value":"assetsUsd"}}]}}]} as unknown as DocumentNode<VaultSnapshotRowFragment, unknown>;
export const EarningsTotalsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}}]} as unknown as DocumentNode<EarningsTotalsFragment, unknown>;
export const UserSummaryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UserSummary"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"User"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"firstDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"lastDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsTotals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"earnNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"totalEarnDepositsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalBorrowUsd"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}}]} as unknown as DocumentNode<UserSummaryFragment, unknown>;
export const DailyPointsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DailyPoints"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DailyPoints"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"distributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}}]}}]} as unknown as DocumentNode<DailyPointsFragment, unknown>;
export const EarningsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Earnings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"chainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsTotals"}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsRow"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"EarningsItem"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"entityType"}},{"kind":"Field","name":{"kind":"Name","value":"entityAddress"}},{"kind":"Field","name":{"kind":"Name","value":"currentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"netCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"earningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}},{"kind":"Field","name":{"kind":"Name","value":"market"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}}]}},{"kind":"Field","name":{"kind":"Name","value":"vault"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<EarningsQuery, EarningsQueryVariables>;
export const LeaderboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Leaderboard"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"program"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}},{"kind":"Field","name":{"kind":"Name","value":"accountCount"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LeaderboardEntry"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LeaderboardEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LeaderboardEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"account"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]} as unknown as DocumentNode<LeaderboardQuery, LeaderboardQueryVariables>;
export const DistributionComputedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DistributionComputed"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"date"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"distributionComputed"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"date"},"value":{"kind":"Variable","name":{"kind":"Name","value":"date"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"finishedAt"}},{"kind":"Field","name":{"kind":"Name","value":"after"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"accountCount"}},{"kind":"Field","name":{"kind":"Name","value":"totalPoints"}}]}}]}}]}}]} as unknown as DocumentNode<DistributionComputedSubscription, DistributionComputedSubscriptionVariables>;
export const DataChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DataChanged"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dataChanged"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]} as unknown as DocumentNode<DataChangedSubscription, DataChangedSubscriptionVariables>;
export const LiveLeaderboardDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveLeaderboard"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"leaderboard"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LeaderboardEntry"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LeaderboardEntry"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LeaderboardEntry"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"account"}},{"kind":"Field","name":{"kind":"Name","value":"points"}}]}}]} as unknown as DocumentNode<LiveLeaderboardSubscription, LiveLeaderboardSubscriptionVariables>;
export const LiveUserDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"LiveUser"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"UserSummary"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UserSummary"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"User"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"firstDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"lastDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsTotals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"earnNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"totalEarnDepositsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalBorrowUsd"}}]}}]}}]} as unknown as DocumentNode<LiveUserSubscription, LiveUserSubscriptionVariables>;
export const PoolsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Pools"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PoolFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PoolOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pools"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PoolCard"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketRates"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Market"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"assetAddress"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"assetDecimals"}},{"kind":"Field","name":{"kind":"Name","value":"depositRate"}},{"kind":"Field","name":{"kind":"Name","value":"borrowRate"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PoolCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Pool"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<PoolsQuery, PoolsQueryVariables>;
export const PoolDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Pool"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pool"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PoolCard"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketRates"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Market"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"assetAddress"}},{"kind":"Field","name":{"kind":"Name","value":"assetSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"assetDecimals"}},{"kind":"Field","name":{"kind":"Name","value":"depositRate"}},{"kind":"Field","name":{"kind":"Name","value":"borrowRate"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PoolCard"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Pool"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"marketA"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"marketB"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketRates"}}]}},{"kind":"Field","name":{"kind":"Name","value":"multiplier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"depositTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenA"}},{"kind":"Field","name":{"kind":"Name","value":"borrowTokenB"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<PoolQuery, PoolQueryVariables>;
export const PositionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Positions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"PositionFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PositionOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"positions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PositionRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PositionSide"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PositionSide"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tokenAddress"}},{"kind":"Field","name":{"kind":"Name","value":"tokenSymbol"}},{"kind":"Field","name":{"kind":"Name","value":"tokenPrice"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"suppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"protectedSuppliedAmountUsd"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmount"}},{"kind":"Field","name":{"kind":"Name","value":"borrowedAmountUsd"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PositionRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Position"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"poolAddress"}},{"kind":"Field","name":{"kind":"Name","value":"distributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"pointsA"}},{"kind":"Field","name":{"kind":"Name","value":"pointsB"}},{"kind":"Field","name":{"kind":"Name","value":"pool"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}}]}},{"kind":"Field","name":{"kind":"Name","value":"a"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PositionSide"}}]}},{"kind":"Field","name":{"kind":"Name","value":"b"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PositionSide"}}]}}]}}]} as unknown as DocumentNode<PositionsQuery, PositionsQueryVariables>;
export const LatestSnapshotsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LatestSnapshots"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SafeInt"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"latestSnapshots"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"chainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"chainId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketSnapshotRow"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"VaultSnapshotRow"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"collateralAssets"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedAssets"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtAssets"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"VaultSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"vaultAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"shares"}},{"kind":"Field","name":{"kind":"Name","value":"assets"}},{"kind":"Field","name":{"kind":"Name","value":"assetsUsd"}}]}}]} as unknown as DocumentNode<LatestSnapshotsQuery, LatestSnapshotsQueryVariables>;
export const MarketSnapshotsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"MarketSnapshots"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshotFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshotOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"marketSnapshots"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MarketSnapshotRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MarketSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"MarketSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"marketAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"collateralAssets"}},{"kind":"Field","name":{"kind":"Name","value":"collateralUsd"}},{"kind":"Field","name":{"kind":"Name","value":"protectedAssets"}},{"kind":"Field","name":{"kind":"Name","value":"protectedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"debtAssets"}},{"kind":"Field","name":{"kind":"Name","value":"debtUsd"}}]}}]} as unknown as DocumentNode<MarketSnapshotsQuery, MarketSnapshotsQueryVariables>;
export const VaultSnapshotsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"VaultSnapshots"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshotFilter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshotOrder"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"100"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"vaultSnapshots"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"PageEnd"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"VaultSnapshotRow"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"PageEnd"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"PageInfo"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"VaultSnapshotRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"VaultSnapshot"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"chainId"}},{"kind":"Field","name":{"kind":"Name","value":"vaultAddress"}},{"kind":"Field","name":{"kind":"Name","value":"userAddress"}},{"kind":"Field","name":{"kind":"Name","value":"positionId"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"shares"}},{"kind":"Field","name":{"kind":"Name","value":"assets"}},{"kind":"Field","name":{"kind":"Name","value":"assetsUsd"}}]}}]} as unknown as DocumentNode<VaultSnapshotsQuery, VaultSnapshotsQueryVariables>;
export const UserDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"User"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"UserSummary"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UserSummary"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"User"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"firstDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"lastDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsTotals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"earnNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"totalEarnDepositsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalBorrowUsd"}}]}}]}}]} as unknown as DocumentNode<UserQuery, UserQueryVariables>;
export const UsersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Users"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"users"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"addresses"},"value":{"kind":"Variable","name":{"kind":"Name","value":"addresses"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"UserSummary"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EarningsTotals"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Earnings"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalEarningsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalCurrentValueUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalNetCashInvestedUsd"}},{"kind":"Field","name":{"kind":"Name","value":"hasIncompletePrices"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UserSummary"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"User"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"address"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"rank"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}},{"kind":"Field","name":{"kind":"Name","value":"firstDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"lastDistributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"earnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EarningsTotals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"netApr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"earnNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"borrowNetApr"}},{"kind":"Field","name":{"kind":"Name","value":"totalEarnDepositsUsd"}},{"kind":"Field","name":{"kind":"Name","value":"totalBorrowUsd"}}]}}]}}]} as unknown as DocumentNode<UsersQuery, UsersQueryVariables>;
export const DailyPointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DailyPoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"address"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Address"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"defaultValue":{"kind":"IntValue","value":"30"}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"user"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"address"},"value":{"kind":"Variable","name":{"kind":"Name","value":"address"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"dailyPoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DailyPoints"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DailyPoints"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DailyPoints"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"distributionDate"}},{"kind":"Field","name":{"kind":"Name","value":"points"}},{"kind":"Field","name":{"kind":"Name","value":"positionCount"}}]}}]} as unknown as DocumentNode<DailyPointsQuery, DailyPointsQueryVariables>;