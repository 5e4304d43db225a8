export interface Example {
  name: string
  query: string
  variables?: Record<string, unknown>
}

const user = '0x1d4a30d78de6be5f9885ffac2c6b8425d1d7727e'
const pool = '0xd444f1b4a4f5b33eac12f9a0529d33116121b0db'
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
    query: `# Snapshots of a user in one market; grouped adds the user's positions there up.
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
    name: 'Market',
    query: `# One market: its rates, its pool, and who is in it.
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
    name: 'LiveLeaderboard',
    query: `# The first three accounts, and again whenever they are others or have other points.
subscription LiveLeaderboard {
  leaderboard(first: 3) { totalCount nodes { rank account points } }
}`,
  },
  {
    name: 'LiveUser',
    query: `# A user's points, and again whenever they are others.
subscription LiveUser($address: Address!) {
  user(address: $address) { points rank positionCount dailyPoints(last: 1) { nodes { distributionDate points } } }
}`,
    variables: { address: user },
  },
]
