export interface Example {
  name: string
  query: string
  variables?: Record<string, unknown>
}

const user = '0x1d4a30d78de6be5f9885ffac2c6b8425d1d7727e'
const leader = '0x59cbe77ea854dbfd5e38272b4281028bf44d39bc'
const pool = '0xd444f1b4a4f5b33eac12f9a0529d33116121b0db'
/** The sample ends yesterday. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const [weekAgo, yesterday] = [daysAgo(7), daysAgo(1)]
const market = { chainId: 146, address: '0xfd15afb808cecf7d46f4427e99c077f6ec94408d' }

/** What GraphiQL opens with: operations that answer on the sample data, from a first look to a whole page. */
export const examples: Example[] = [
  {
    name: 'Leaderboard',
    query: `# The leaderboard, and the program's totals. Run it with Ctrl-Enter.
query Leaderboard {
  program { totalPoints accountCount positionCount }
  leaderboard(first: 10) {
    totalCount
    nodes { rank account points }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    name: 'UserPage',
    query: `# Everything about one user, from both domains, in one request.
query UserPage($address: Address!) {
  user(address: $address) {
    points
    rank
    earnings { totalEarningsUsd hasIncompletePrices breakdown(first: 3) { nodes { entityType entityAddress earningsUsd } } }
    netApr { earnNetApr borrowNetApr }
    latestSnapshots {
      chainId
      timestamp
      ... on MarketSnapshot { collateralUsd debtUsd market { assetSymbol pool { name } } }
      ... on VaultSnapshot { assetsUsd vault { name } }
    }
    marketLiquidationRewards(first: 3) { totalCount nodes { txHash liquidRewardUsd claimedTimestamp } }
  }
}`,
    variables: { address: user },
  },
  {
    name: 'DailyPoints',
    query: `# Where a user's points came from: ten days with their positions.
query DailyPoints($address: Address!) {
  user(address: $address) {
    dailyPoints(last: 10) {
      nodes {
        distributionDate
        points
        positions { pool { displayName } pointsA pointsB a { tokenSymbol suppliedAmountUsd } b { tokenSymbol borrowedAmountUsd } }
      }
    }
  }
}`,
    variables: { address: user },
  },
  {
    name: 'Snapshots',
    query: `# Snapshots of a user in one market; grouped sums the user's positions there.
query Snapshots($address: Address!, $market: String) {
  user(address: $address) {
    marketSnapshots(last: 30, market: $market, grouped: true) {
      totalCount
      nodes { timestamp collateralAssets collateralUsd protectedUsd debtUsd }
    }
  }
}`,
    variables: { address: user, market: market.address },
  },
  {
    name: 'Pools',
    query: `# Every pool with its markets' rates, its multiplier and its top accounts.
query Pools {
  pools(first: 50) {
    totalCount
    nodes {
      displayName
      chainId
      marketA { assetSymbol depositRate borrowRate }
      marketB { assetSymbol depositRate borrowRate }
      multiplier { depositTokenA depositTokenB borrowTokenA borrowTokenB }
      topAccounts(first: 3) { points user { address rank } }
    }
  }
}`,
  },
  {
    name: 'PoolPositions',
    query: `# From a pool to its newest positions and back to their users.
query PoolPositions($address: Address!) {
  pool(address: $address) {
    name
    positions(first: 5) { nodes { distributionDate points user { address points rank } } }
  }
}`,
    variables: { address: pool },
  },
  {
    name: 'LargestPositions',
    query: `# A user's positions in some pools, most points first. Continue from endCursor, with the same where and orderBy.
query LargestPositions($where: PositionFilter, $orderBy: [PositionOrder!]) {
  positions(first: 5, where: $where, orderBy: $orderBy) {
    totalCount
    nodes { distributionDate points pool { name } a { suppliedAmountUsd } b { borrowedAmountUsd } }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: {
      where: {
        user,
        points: { gt: 0 },
        OR: [{ pool }, { suppliedUsd: { gte: 100 } }],
      },
      orderBy: [{ field: 'POINTS', direction: 'DESC' }, { field: 'POOL' }],
    },
  },
  {
    name: 'Pages',
    query: `# Every list has edges, nodes, pageInfo and totalCount. For the next page, pass endCursor as after. For the previous page,
# use last instead of first, and pass startCursor as before. Page 1,000 costs the same as page 1.
query Pages($first: Int, $after: String, $last: Int, $before: String) {
  positions(first: $first, after: $after, last: $last, before: $before) {
    totalCount
    edges { cursor node { distributionDate points user { address rank } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`,
    variables: { first: 5 },
  },
  {
    name: 'Market',
    query: `# One market: its rates, its pool, and its users.
query Market($chainId: SafeInt!, $address: Address!) {
  market(chainId: $chainId, address: $address) {
    assetSymbol
    depositRate
    borrowRate
    pool { name }
    snapshots(last: 5) { nodes { timestamp collateralUsd debtUsd user { address rank } } }
  }
}`,
    variables: market,
  },
  {
    name: 'Distributions',
    query: `# The newest days of the program.
query Distributions {
  distributions(first: 7) { totalCount nodes { date totalPoints positionCount accountCount kind finishedAt } }
}`,
  },
  {
    name: 'Series',
    query: `# A user, a pool and the whole program by week and by month.
query Series($user: Address!, $pool: Address!) {
  user(address: $user) {
    series(interval: WEEK) { start points positionCount suppliedUsd borrowedUsd marketLiquidationRewardsUsd }
  }
  pool(address: $pool) { series(interval: MONTH) { start distributionCount points tvlUsd borrowedUsd accountCount } }
  program { series { start points tvlUsd borrowedUsd accountCount } }
}`,
    variables: { user, pool },
  },
  {
    name: 'SeriesOfTokens',
    query: `# The three tokens with the most points, day by day. groupBy also takes POOL and CHAIN.
query SeriesOfTokens {
  series(groupBy: ASSET, first: 3) {
    key { chainId assetAddress }
    points
    buckets { start points suppliedUsd protectedUsd borrowedUsd }
  }
}`,
  },
  {
    name: 'Rates',
    query: `# The rates of a market, week by week, from the first time they were recorded.
query Rates($chainId: SafeInt!, $address: Address!) {
  market(chainId: $chainId, address: $address) {
    assetSymbol
    rateSeries(interval: WEEK) { start depositRate borrowRate }
  }
}`,
    variables: market,
  },
  {
    name: 'Aggregates',
    query: `# Sums over a user's positions and rewards, sorted by a sum. Pass from and to instead of users to aggregate all users.
query Aggregates($user: Address!) {
  positionAggregates(filter: { users: [$user] }, groupBy: [POOL, MONTH], orderBy: [{ by: SUM_POINTS }], first: 10) {
    key { start pool { displayName } }
    count
    sumPoints
    averageSuppliedUsd
  }
  marketSnapshotAggregates(filter: { users: [$user] }, groupBy: [MARKET]) {
    key { market { assetSymbol } }
    averageCollateralUsd
    averageDebtUsd
  }
  liquidationRewardAggregates(filter: { users: [$user] }, groupBy: [CHAIN]) {
    key { chainId }
    count
    sumLiquidRewardUsd
  }
}`,
    variables: { user },
  },
  {
    name: 'PoolRanking',
    query: `# The users with the most points from a pool in a range of dates. Pass chainId instead of pool to rank a chain.
query PoolRanking($pool: Address!, $from: DateTime!, $to: DateTime!) {
  positionAggregates(
    filter: { pool: $pool, from: $from, to: $to }
    groupBy: [USER]
    orderBy: [{ by: SUM_POINTS }]
    first: 5
  ) {
    key { user { address rank } }
    sumPoints
    averageSuppliedUsd
  }
}`,
    variables: { pool, from: weekAgo, to: yesterday },
  },
  {
    name: 'ManyUsers',
    query: `# Up to 1,000 users in one request. In lookupUsers, an invalid address gets an entry whose problem says why.
query ManyUsers($addresses: [Address!]!, $texts: [String!]!) {
  users(addresses: $addresses) { address points rank positions(first: 1) { totalCount nodes { pool { displayName } } } }
  lookupUsers(addresses: $texts) { input problem }
}`,
    variables: { addresses: [user, leader], texts: [user, 'not an address'] },
  },
  {
    name: 'Portfolio',
    query: `# The combined holdings of several wallets. An invalid address gets a member whose problem says why.
query Portfolio($wallets: [String!]!) {
  portfolio(addresses: $wallets) {
    members { input problem }
    points
    bestRank
    suppliedUsd
    borrowedUsd
    earnings { totalEarningsUsd }
    netApr { earnNetApr borrowNetApr }
    pools { pool { displayName } walletCount points suppliedUsd borrowedUsd }
    markets { market { assetSymbol } walletCount collateralAssets collateralUsd debtAssets debtUsd }
  }
}`,
    variables: { wallets: [user, leader, 'not an address'] },
  },
  {
    name: 'Search',
    query: `# Pools, markets and vaults by symbol, name or the beginning of an address.
query Search {
  search(text: "usdc", first: 20) {
    match
    item {
      __typename
      ... on Pool { displayName chainId }
      ... on Market { assetSymbol depositRate pool { displayName } }
      ... on Vault { name depositRate }
    }
  }
}`,
  },
  {
    name: 'Ranks',
    query: `# A user's rank over time, and the leaderboard around the user, currently and as of a date.
query Ranks($user: Address!) {
  user(address: $user) {
    rank
    rankChange(days: 7)
    rankHistory(interval: WEEK) { date points rank }
  }
  leaderboard(around: $user, first: 7) { nodes { rank account points } }
}`,
    variables: { user },
  },
  {
    name: 'AsOf',
    query: `# Data as of a past date: each answer is from the last distribution at or before it.
query AsOf($user: Address!, $pool: Address!, $asOf: DateTime!) {
  leaderboard(asOf: $asOf, first: 3) { totalCount nodes { rank account points } }
  user(address: $user) {
    standing(asOf: $asOf) { date points rank }
    positions(asOf: $asOf) { nodes { pool { displayName } points } }
  }
  pool(address: $pool) {
    standing(asOf: $asOf) { date points pointsOfDate positionCount tvlUsd borrowedUsd multiplier { depositTokenA changedBy } }
    positions(asOf: $asOf, first: 3, orderBy: { field: POINTS, direction: DESC }) { nodes { points user { address } } }
  }
  multipliersAsOf(asOf: $asOf, first: 3) { totalCount nodes { poolAddress depositTokenA borrowTokenB changedAt } }
}`,
    variables: { user, pool, asOf: weekAgo },
  },
  {
    name: 'Limits',
    query: `# The limits on one operation. Send the header x-graphql-cost: 1 to get the cost of an operation.
query Limits { limits { depth aliases tokens cost pageSize } }`,
  },
  {
    name: 'LiveLeaderboard',
    query: `# The first three accounts, now and whenever they or their points change.
subscription LiveLeaderboard {
  leaderboard(first: 3) { totalCount nodes { rank account points } }
}`,
  },
  {
    name: 'LiveUser',
    query: `# A user's points, now and whenever they change.
subscription LiveUser($address: Address!) {
  user(address: $address) { points rank positionCount dailyPoints(last: 1) { nodes { distributionDate points } } }
}`,
    variables: { address: user },
  },
]
