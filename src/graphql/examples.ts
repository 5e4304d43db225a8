import type { ExampleValues } from './example-values.ts'

/** Who the examples are for, in the order in which GraphiQL lists them. */
export const personas = ['A wallet', 'The leaderboard', 'The risk desk', 'The operator'] as const

export interface Example {
  /** The name of its operation. */
  name: string
  persona: (typeof personas)[number]
  /** What it answers, in one line. */
  title: string
  query: string
  variables?(values: ExampleValues): Record<string, unknown>
}

const ofUser = ({ user }: ExampleValues) => ({ user })

/** The examples of GraphiQL. Their texts are trusted documents; their variables name records that the store has. */
export const examples: Example[] = [
  {
    name: 'UserPage',
    persona: 'A wallet',
    title: 'A whole user page in one request',
    query: `query UserPage($user: Address!) {
  user(address: $user) {
    points
    rank
    worth {
      netUsd
      suppliedUsd protectedUsd vaultsUsd borrowedUsd
    }
    currentPositions(
      orderBy: TVL_USD_DESC
    ) {
      nodes { pool { displayName } points }
    }
    earnings {
      totalEarningsUsd
      hasIncompletePrices
      breakdown(first: 3) {
        nodes { entityType entityAddress earningsUsd }
      }
    }
    netApr { earnNetApr borrowNetApr }
    latestSnapshots {
      chainId
      time
      ... on MarketSnapshot {
        collateralUsd
        debtUsd
        market { assetSymbol pool { name } }
      }
      ... on VaultSnapshot {
        assetsUsd
        vault { name }
      }
    }
    marketLiquidationRewards(first: 3) {
      totalCount
      nodes { txHash liquidRewardUsd claimedAt }
    }
  }
}`,
    variables: ofUser,
  },
  {
    name: 'DailyPoints',
    persona: 'A wallet',
    title: 'Where points came from, day by day',
    query: `query DailyPoints($user: Address!) {
  user(address: $user) {
    dailyPoints(last: 10) {
      nodes {
        distributionDate
        points
        positions {
          pool { displayName }
          pointsA
          pointsB
          sideA { assetSymbol suppliedAmountUsd }
          sideB { assetSymbol borrowedAmountUsd }
        }
      }
    }
  }
}`,
    variables: ofUser,
  },
  {
    name: 'Activity',
    persona: 'A wallet',
    title: 'What a wallet did, newest first',
    query: `# For the next page, give endCursor as after.
query Activity($user: Address!, $where: ActivityFilter) {
  user(address: $user) {
    activity(first: 10, where: $where) {
      totalCount
      nodes {
        kind
        time
        amount
        assetSymbol
        amountUsd
        market { pool { displayName } }
        vault { name }
        txHash
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`,
    variables: ({ user, dates }) => ({
      user,
      where: {
        kinds: ['DEPOSIT', 'WITHDRAW', 'BORROW', 'REPAY', 'LIQUIDATION_REWARD'],
        time: { lte: `${dates.last}T23:59:59Z` },
      },
    }),
  },
  {
    name: 'Ranks',
    persona: 'A wallet',
    title: 'The rank over time, and the neighbours',
    query: `query Ranks($user: Address!) {
  user(address: $user) {
    rank
    change(days: 7) { points rank worth { netUsd } }
    series(interval: WEEK) { lastDate totalPoints rank }
  }
  leaderboard(around: $user, first: 7) {
    nodes { rank userAddress points }
  }
}`,
    variables: ofUser,
  },
  {
    name: 'Snapshots',
    persona: 'A wallet',
    title: 'Snapshots in one market',
    query: `query Snapshots($user: Address!, $market: Address) {
  user(address: $user) {
    marketSnapshots(last: 30, where: { market: $market }) {
      totalCount
      nodes {
        time
        collateralAssets
        collateralUsd
        protectedUsd
        debtUsd
      }
    }
  }
}`,
    variables: ({ user, market }) => ({ user, market: market.address }),
  },
  {
    name: 'LargestPositions',
    persona: 'A wallet',
    title: 'Positions, filtered and sorted',
    query: `# For the next page, give endCursor as after.
query LargestPositions(
  $where: PositionFilter
  $orderBy: [PositionOrder!]
) {
  positions(first: 5, where: $where, orderBy: $orderBy) {
    totalCount
    nodes {
      distributionDate
      points
      pool { name }
      sideA { suppliedAmountUsd }
      sideB { borrowedAmountUsd }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: ({ user, pool }) => ({
      where: { user, points: { gt: 0 }, OR: [{ pool }, { suppliedUsd: { gte: 100 } }] },
      orderBy: ['POINTS_DESC', 'POOL_ASC'],
    }),
  },
  {
    name: 'Portfolio',
    persona: 'A wallet',
    title: 'Several wallets together',
    query: `# An invalid address gets a problem; the rest is answered.
query Portfolio($wallets: [String!]!) {
  portfolio(addresses: $wallets) {
    users { input problem }
    points
    bestRank
    worth {
      netUsd
      suppliedUsd protectedUsd vaultsUsd borrowedUsd
    }
    earnings { totalEarningsUsd }
    netApr { earnNetApr borrowNetApr }
    pools {
      pool { displayName }
      userCount
      points
      suppliedUsd
      borrowedUsd
    }
    markets {
      market { assetSymbol }
      userCount
      collateralAssets
      collateralUsd
      debtAssets
      debtUsd
    }
  }
}`,
    variables: ({ user, leaders }) => ({ wallets: [...new Set([user, ...leaders]), 'not an address'] }),
  },
  {
    name: 'LiveUser',
    persona: 'A wallet',
    title: 'Live: points and rank of a user',
    query: `# Answers now, and after each change. Stop it with the button.
subscription LiveUser($user: Address!) {
  user(address: $user) {
    points
    rank
    positionCount
    dailyPoints(last: 1) {
      nodes { distributionDate points }
    }
  }
}`,
    variables: ofUser,
  },
  {
    name: 'ValueThroughTime',
    persona: 'A wallet',
    title: 'Charts: value and earnings of wallets',
    query: `# Wallets added up, and what one had at a past time.
query ValueThroughTime(
  $wallets: [String!]!
  $user: Address!
  $asOf: DateTime!
) {
  portfolio(addresses: $wallets) {
    series(interval: WEEK) {
      start
      worth {
        netUsd
        suppliedUsd protectedUsd vaultsUsd borrowedUsd
      }
      netCashInvestedUsd
      earningsUsd
      pendingCashUsd
      hasIncompletePrices
    }
  }
  user(address: $user) {
    worth(asOf: $asOf) { netUsd time }
    earnings(asOf: $asOf) {
      totalCurrentValueUsd
      totalEarningsUsd
    }
    netApr(asOf: $asOf) { earnNetApr borrowNetApr }
  }
}`,
    variables: ({ user, leaders, dates }) => ({ wallets: [...new Set([user, ...leaders])], user, asOf: dates.first }),
  },
  {
    name: 'Leaderboard',
    persona: 'The leaderboard',
    title: 'The top ten and the program in numbers',
    query: `query Leaderboard {
  program { totalPoints userCount positionCount }
  leaderboard(first: 10) {
    totalCount
    nodes { rank userAddress points }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    name: 'WeekLeaderboard',
    persona: 'The leaderboard',
    title: 'The leaderboard of the last seven days',
    query: `# pool or chainId: the points in one pool or on one chain.
# around: the page around a user; aroundRank has its rank.
query WeekLeaderboard($from: DateTime!, $to: DateTime) {
  leaderboard(from: $from, to: $to, first: 10) {
    totalCount
    nodes { rank userAddress points user { rank } }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: ({ dates: { week, last } }) => ({ from: week, to: last }),
  },
  {
    name: 'PoolRanking',
    persona: 'The leaderboard',
    title: 'Who earned most in a pool in a week',
    query: `# chainId in place of pool makes it the ranking of a chain.
query PoolRanking(
  $pool: Address!
  $from: DateTime!
  $to: DateTime!
) {
  positionAggregates(
    where: { pool: $pool, date: { gte: $from, lte: $to } }
    groupBy: [USER]
    orderBy: SUM_POINTS_DESC
    first: 5
  ) {
    key { user { address rank } }
    sumPoints
    averageSuppliedUsd
  }
}`,
    variables: ({ pool, dates: { week, last } }) => ({ pool, from: week, to: last }),
  },
  {
    name: 'AsOf',
    persona: 'The leaderboard',
    title: 'As of a past date',
    query: `# Each answer is of the last distribution up to asOf.
query AsOf(
  $user: Address!
  $pool: Address!
  $asOf: DateTime!
) {
  leaderboard(asOf: $asOf, first: 3) {
    totalCount
    nodes { rank userAddress points }
  }
  user(address: $user) {
    points(asOf: $asOf)
    rank(asOf: $asOf)
    positions(asOf: $asOf) {
      nodes { pool { displayName } points }
    }
  }
  pool(address: $pool) {
    totals(asOf: $asOf) {
      date
      points
      pointsOfDate
      positionCount
      tvlUsd
      borrowedUsd
      multiplier { depositA changedBy }
    }
    positions(
      asOf: $asOf
      first: 3
      orderBy: POINTS_DESC
    ) {
      nodes { points user { address } }
    }
  }
  multiplierRevisions(asOf: $asOf, first: 3) {
    totalCount
    nodes {
      poolAddress
      depositA
      borrowB
      changedAt
    }
  }
}`,
    variables: ({ user, pool, dates }) => ({ user, pool, asOf: dates.first }),
  },
  {
    name: 'Pages',
    persona: 'The leaderboard',
    title: 'Paging through any list',
    query: `# For the next page give endCursor as after; for the page
# before, last in place of first and startCursor as before.
query Pages(
  $first: Int
  $after: String
  $last: Int
  $before: String
) {
  positions(
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    totalCount
    edges {
      cursor
      node {
        distributionDate
        points
        user { address rank }
      }
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}`,
    variables: () => ({ first: 5 }),
  },
  {
    name: 'ManyUsers',
    persona: 'The leaderboard',
    title: 'Up to 1,000 users in one request',
    query: `# lookupUsers takes any text, and says what is wrong with it.
query ManyUsers(
  $addresses: [String!]!
) {
  lookupUsers(addresses: $addresses) {
    input
    problem
    user {
      points
      rank
      positions(first: 1) {
        totalCount
        nodes { pool { displayName } }
      }
    }
  }
}`,
    variables: ({ user, leaders }) => ({
      addresses: [...new Set([user, ...leaders])],
    }),
  },
  {
    name: 'LiveLeaderboard',
    persona: 'The leaderboard',
    title: 'Live: the first three users',
    query: `# Answers now, and after each change. Stop it with the button.
subscription LiveLeaderboard {
  leaderboard(first: 3) {
    totalCount
    nodes { rank userAddress points }
  }
}`,
  },
  {
    name: 'PoolsByTvl',
    persona: 'The risk desk',
    title: 'The largest pools, with both sides',
    query: `# Sort by UTILIZATION, POINTS or DEPOSIT_RATE_A as well.
query PoolsByTvl {
  pools(
    first: 10
    where: { tvlUsd: { gt: 0 } }
    orderBy: TVL_USD_DESC
  ) {
    totalCount
    nodes {
      displayName
      tvlUsd
      suppliedUsd
      borrowedUsd
      utilization
      points
      marketA { assetSymbol tvlUsd borrowedUsd depositRate }
      marketB { assetSymbol tvlUsd borrowedUsd depositRate }
    }
  }
}`,
  },
  {
    name: 'Asset',
    persona: 'The risk desk',
    title: 'One token: its price and its pools',
    query: `query Asset($chainId: SafeInt!, $asset: Address!) {
  asset(chainId: $chainId, address: $asset) {
    symbol
    name
    decimals
    price { priceUsd date pool { displayName } }
    pools(orderBy: TVL_USD_DESC) {
      totalCount
      nodes { displayName tvlUsd utilization }
    }
  }
}`,
    variables: ({ market: { chainId, assetAddress } }) => ({ chainId, asset: assetAddress }),
  },
  {
    name: 'Pools',
    persona: 'The risk desk',
    title: 'Pools with rates, multipliers, top users',
    query: `query Pools {
  pools(first: 50) {
    totalCount
    nodes {
      displayName
      chainId
      marketA { assetSymbol depositRate borrowRate }
      marketB { assetSymbol depositRate borrowRate }
      multiplier {
        depositA
        depositB
        borrowA
        borrowB
      }
      topUsers(first: 3) {
        points
        user { address rank }
      }
    }
  }
}`,
  },
  {
    name: 'PoolPositions',
    persona: 'The risk desk',
    title: 'The newest positions of a pool',
    query: `query PoolPositions($pool: Address!) {
  pool(address: $pool) {
    name
    positions(first: 5) {
      nodes {
        distributionDate
        points
        user { address points rank }
      }
    }
  }
}`,
    variables: ({ pool }) => ({ pool }),
  },
  {
    name: 'Market',
    persona: 'The risk desk',
    title: 'One market: rates, pool, who is in it',
    query: `query Market($chainId: SafeInt!, $market: Address!) {
  market(chainId: $chainId, address: $market) {
    assetSymbol
    depositRate
    borrowRate
    pool { name }
    snapshots(last: 5) {
      nodes {
        time
        collateralUsd
        debtUsd
        user { address rank }
      }
    }
  }
}`,
    variables: ({ market: { chainId, address } }) => ({ chainId, market: address }),
  },
  {
    name: 'Rates',
    persona: 'The risk desk',
    title: 'The rates of a market, week by week',
    query: `query Rates($chainId: SafeInt!, $market: Address!) {
  market(chainId: $chainId, address: $market) {
    assetSymbol
    rateSeries(interval: WEEK) {
      start
      depositRate
      borrowRate
    }
  }
}`,
    variables: ({ market: { chainId, address } }) => ({ chainId, market: address }),
  },
  {
    name: 'Series',
    persona: 'The risk desk',
    title: 'Charts: a user, a pool, the program',
    query: `query Series($user: Address!, $pool: Address!) {
  user(address: $user) {
    series(interval: WEEK) {
      start
      points
      positionCount
      worth { netUsd }
      marketLiquidationRewardsUsd
    }
  }
  pool(address: $pool) {
    series(interval: MONTH) {
      start
      distributionCount
      points
      tvlUsd
      borrowedUsd
      userCount
    }
  }
  program {
    series {
      start
      points
      tvlUsd
      borrowedUsd
      userCount
    }
  }
}`,
    variables: ({ user, pool }) => ({ user, pool }),
  },
  {
    name: 'SeriesOfTokens',
    persona: 'The risk desk',
    title: 'Charts: the three largest tokens',
    query: `# groupBy can also be POOL or CHAIN.
query SeriesOfTokens {
  series(groupBy: ASSET, first: 3) {
    key { chainId assetAddress }
    points
    buckets {
      start
      points
      suppliedUsd
      protectedUsd
      borrowedUsd
    }
  }
}`,
  },
  {
    name: 'NearLiquidation',
    persona: 'The risk desk',
    title: 'Positions near liquidation',
    query: `# Below 1 a position can be liquidated.
query NearLiquidation($below: Float!) {
  currentPositions(
    first: 10
    where: { healthFactor: { lt: $below } }
    orderBy: HEALTH_FACTOR_ASC
  ) {
    nodes {
      healthFactor
      ltv
      user { address }
      pool {
        displayName
        marketA { maxLtv liquidationThreshold }
      }
      sideA { assetSymbol suppliedAmountUsd }
      sideB { assetSymbol borrowedAmountUsd }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: () => ({ below: 1.2 }),
  },
  {
    name: 'Aggregates',
    persona: 'The risk desk',
    title: 'Sums and averages of a user, by group',
    query: `# date in place of user: everyone on those dates.
query Aggregates($user: Address!) {
  positionAggregates(
    where: { user: $user }
    groupBy: [POOL, MONTH]
    orderBy: SUM_POINTS_DESC
    first: 10
  ) {
    key { start pool { displayName } }
    count
    sumPoints
    averageSuppliedUsd
  }
  marketSnapshotAggregates(
    where: { user: $user }
    groupBy: [MARKET]
  ) {
    key { market { assetSymbol } }
    averageCollateralUsd
    averageDebtUsd
  }
  liquidationRewardAggregates(
    where: { user: $user }
    groupBy: [CHAIN]
  ) {
    key { chainId }
    count
    sumLiquidRewardUsd
  }
}`,
    variables: ofUser,
  },
  {
    name: 'Search',
    persona: 'The risk desk',
    title: 'Search by symbol, name or address',
    query: `query Search($text: String!) {
  search(text: $text, first: 20) {
    match
    item {
      __typename
      ... on Pool { displayName chainId }
      ... on Market {
        assetSymbol
        depositRate
        pool { displayName }
      }
      ... on Vault { name depositRate }
      ... on User { address points rank }
    }
  }
}`,
    variables: ({ market }) => ({ text: market.assetSymbol }),
  },
  {
    name: 'Distributions',
    persona: 'The operator',
    title: 'The newest days of the program',
    query: `query Distributions {
  distributions(first: 7) {
    totalCount
    nodes {
      date
      totalPoints
      positionCount
      userCount
      kind
      finishedAt
    }
  }
}`,
  },
  {
    name: 'Runs',
    persona: 'The operator',
    title: 'Imports and runs: what changed the data',
    query: `query Runs {
  dataVersion
  runs(first: 10) {
    totalCount
    nodes {
      recordId
      kind
      status
      requestedBy
      startedAt
      durationMs
      error
    }
  }
}`,
  },
  {
    name: 'Limits',
    persona: 'The operator',
    title: 'What one operation may cost',
    query: `# With the header x-graphql-cost: 1 an answer has its cost.
query Limits {
  limits { depth aliases tokens cost pageSize }
}`,
  },
]
