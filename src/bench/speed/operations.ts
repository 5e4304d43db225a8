/**
 * What is measured: every read endpoint of both REST documents, and GraphQL operations as
 * dashboards have them.
 */
import { createHash } from 'node:crypto'
import { DAYS, FIRST_DAY, type namesOf } from './data.ts'

type Values = Record<string, unknown>

/** A request of one variant: a GET without a body, a POST of JSON with one. */
export interface Request {
  path: string
  body?: object
}

export interface Operation {
  name: string
  kind: 'rest' | 'graphql'
  /** A list has 10 to 1,000 rows. */
  answer: 'list' | 'sums' | 'small'
  /** A dashboard that reads through several levels. */
  nested: boolean
  /** Its parameters, up to 300 sets of them. */
  variants: Values[]
  /**
   * The product's; the floor serves the same path, or for GraphQL the operation's own with the
   * variables as the body.
   */
  product(values: Values): Request
  floor(values: Values): Request
  /**
   * What gives the same information; undefined: PostGraphile has no way to ask for it without
   * further plugins.
   */
  postgraphile?: (values: Values) => Request
}

/**
 * What variants are made of: the names in the store, and the ids of some positions with their
 * pools.
 */
export interface Inputs {
  /** How many sets of parameters an operation has, at most. */
  count: number
  names: ReturnType<typeof namesOf>
  positions: { id: string; market: string }[]
}

const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
/** As many names, spread over all. */
const some = (list: string[], count: number) =>
  times(Math.min(count, list.length), (i) => list[(i * 67) % list.length] as string)

const POSITION_SIDE = `asset { address symbol } priceUsd
  supplied { value usd } protected { value usd } borrowed { value usd }`
const POSITION = `legacy { recordId } user { address } poolAddress distributionDate: date
  pointsA pointsB points
  sideA { ${POSITION_SIDE} } sideB { ${POSITION_SIDE} }`
const REWARD = 'txHash liquidReward { usd } legacy { claimedTimestamp }'
const MARKET_SNAPSHOT = `chainId entityAddress user { address } positionId legacy { timestamp }
  supplied { raw usd } protected { raw usd } borrowed { raw usd }`

/** The documents of the GraphQL operations. */
export const documents = {
  leaderboard: `query Leaderboard($first: Int!) {
    leaderboard(first: $first) { totalCount nodes { rank user { address } points }
    pageInfo { hasNextPage } }
  }`,
  dailyPoints: `query DailyPoints($address: Address!) {
    user(address: $address) { dailyPoints(last: 10) { nodes {
    distributionDate: date points positions { ${POSITION} } } } }
  }`,
  assetPositions: `query AssetPositions($asset: Address!) {
    positions(first: 100, where: { assets: [$asset] }) { nodes { ${POSITION} }
    pageInfo { hasNextPage } }
  }`,
  snapshots: `query Snapshots($address: Address!, $first: Int!, $from: BigInt!, $to: BigInt!) {
    user(address: $address) {
      legacy { marketSnapshots(first: $first, from: $from, to: $to) { nodes { ${MARKET_SNAPSHOT} }
      pageInfo { hasNextPage } } }
    }
  }`,
  topPositions: `query TopPositions($offset: BigInt!) {
    pools(first: 50, offset: $offset) {
      nodes {
        address name displayName
        multiplier { depositA depositB borrowA borrowB }
        positions(first: 5) { nodes { distributionDate: date pointsA pointsB user {
        address points: totalPoints rank } } }
      }
    }
  }`,
  allPools: `query AllPools {
    pools(first: 1000) {
      nodes {
        address chainId number name legacy { createdTimestamp interestLastUpdated }
        marketAAddress marketBAddress
        assetA { address name symbol } assetB { address name symbol }
        multiplier { depositA depositB borrowA borrowB createdAt updatedAt }
      }
    }
  }`,
  userPage: `query UserPage($address: Address!) {
    user(address: $address) {
      points: totalPoints rank
      earnings {
        totalEarningsUsd: earningsUsd totalWorthUsd: worthUsd totalCashUsd: netCashInvestedUsd
        hasIncompletePrices
        breakdown(first: 100) { entityType chainId entityAddress worthUsd earningsUsd }
      }
      netApr { earnNetApr: netDepositApr borrowNetApr: netBorrowApr totalEarnDepositsUsd: depositUsd
      totalBorrowUsd: borrowedUsd }
      latestSnapshots {
        legacy { timestamp } supplied { usd } borrowed { usd }
        entity { ... on Market { asset { symbol } } ... on Vault { name } }
      }
      marketLiquidationRewards: liquidationRewards(first: 10, where: { entityTypes: MARKET }) {
      nodes { ${REWARD} } }
      vaultLiquidationRewards: liquidationRewards(first: 10, where: { entityTypes: VAULT }) {
      nodes { ${REWARD} } }
    }
  }`,
  users:
    'query Users($addresses: [Address!]!) { users(first: 1000, where: { addresses: $addresses }) ' +
    '{ nodes { address points: totalPoints rank } } }',
}

/** The id of a document that the product knows beforehand. */
export const documentId = (document: string) =>
  `sha256:${createHash('sha256').update(document).digest('hex')}`

const AMOUNTS = ['Supplied', 'ProtectedSupplied', 'Borrowed'].flatMap((of) => [
  `${of}Amount`,
  `${of}AmountUsd`,
])
const TOKEN = ['TokenAddress', 'TokenSymbol', 'TokenPrice', ...AMOUNTS]
const ASSET = ['AssetAddress', 'AssetSymbol', 'AssetPriceUsd', ...AMOUNTS]
/** A position under the names of REST, or of the graph. */
const pgPosition = (form: 'rest' | 'graph') => {
  const [id, pool] = form === 'rest' ? ['id', 'marketAddress'] : ['recordId', 'poolAddress']
  const side = (s: 'a' | 'b') =>
    TOKEN.map((column, i) =>
      form === 'rest' ? s + column : `side${s.toUpperCase()}${ASSET[i]}: ${s}${column}`,
    )
  return `${id}: rowId userAddress ${pool}: poolAddress distributionDate pointsA pointsB points
    ${[...side('a'), ...side('b')].join(' ')}`
}
const pgSnapshots = (
  market: string,
  user: string,
) => `query ($address: String!, $first: Int!, $count: Boolean!) {
  allMarketSnapshots(condition: { userAddress: $address }, first: $first,
    orderBy: [TIMESTAMP_ASC, CHAIN_ID_ASC, MARKET_ID_ASC, POSITION_ID_ASC]) {
    total: totalCount @include(if: $count)
    nodes { chainId ${market}: marketId ${user}: userAddress positionId timestamp
      collateralAssets collateralUsd protectedAssets protectedUsd debtAssets debtUsd }
    pageInfo { hasNextPage }
  }
}`
const NEWEST = 'orderBy: [DISTRIBUTION_DATE_DESC, ROW_ID_ASC]'
const REWARDS_NEWEST = 'orderBy: [TIMESTAMP_DESC, LOG_INDEX_DESC, TX_HASH_ASC]'
const pgRewards = (entity: 'market' | 'vault', table: string, condition: string, ids: string) => `
  query ($address: String!, $entity: String!) {
    all${entity === 'market' ? 'Markets' : 'Vaults'}(first: 1, condition: { rowId: $entity }) {
    nodes { found: rowId } }
    all${table}(first: 100, condition: { userAddress: $address, ${condition}: $entity },
    ${REWARDS_NEWEST}) {
      total: totalCount
      nodes { txHash logIndex timestamp accountId: userAddress ${ids}
      supplySent supplySentUsd collateralReceived
        collateralReceivedUsd liquidReward liquidRewardUsd userRoi claimedTimestamp }
      pageInfo { hasNextPage }
    }
  }`
const pgPools = (pool: string, multiplier: string) => `{
  allPools(orderBy: [NUMBER_ASC, ROW_ID_ASC]) {
    nodes { marketId: number name createdTimestamp interestLastUpdated ${pool} multiplier {
    createdAt updatedAt ${multiplier} } }
  }
}`
const PG_POOLS = pgPools(
  `id: rowId unit_1_id: unit1Id unit_2_id: unit2Id
   asset_1_address: asset1Address asset_1_name: asset1Name asset_1_symbol: asset1Symbol
   asset_2_address: asset2Address asset_2_name: asset2Name asset_2_symbol: asset2Symbol`,
  `id: rowId poolAddress deposit_tokenA: depositTokenA deposit_tokenB: depositTokenB
   borrow_tokenA: borrowTokenA borrow_tokenB: borrowTokenB`,
)
// A multiplier does not know the number that its pool is ordered by.
const PG_MULTIPLIERS = pgPools(
  'tokenA_address: asset1Address tokenA_symbol: asset1Symbol tokenB_address: asset2Address ' +
    'tokenB_symbol: asset2Symbol',
  `id: rowId poolAddress deposit_tokenA: depositTokenA deposit_tokenB: depositTokenB
   borrow_tokenA: borrowTokenA borrow_tokenB: borrowTokenB`,
)
const PG = {
  allPools: pgPools(
    `address: rowId chainId marketAAddress: unit1Id marketBAddress: unit2Id
     assetAAddress: asset1Address assetAName: asset1Name assetASymbol: asset1Symbol
     assetBAddress: asset2Address assetBName: asset2Name assetBSymbol: asset2Symbol`,
    'depositTokenA depositTokenB borrowTokenA borrowTokenB',
  ),
  leaderboard: `query ($first: Int!) {
    allAccounts(first: $first, orderBy: RANK_ASC) {
      totalCount nodes { rank userAddress points } pageInfo { hasNextPage }
    }
  }`,
  ownRank: `query ($account: String!) {
    allAccounts(first: 3, orderBy: RANK_ASC) { nodes { account: userAddress points rank } }
    accountByUserAddress(userAddress: $account) { account: userAddress points rank }
    programByRowId(rowId: 1) { total: accountCount }
  }`,
  userPoints: `query ($account: String!) {
    accountByUserAddress(userAddress: $account) { account: userAddress userPoints: points }
    programByRowId(rowId: 1) { totalPoints }
  }`,
  assetPositions: (form: 'rest' | 'graph') => `query ($asset: String!, $first: Int!) {
    allPositions(first: $first, condition: { aTokenAddress: $asset }, ${NEWEST}) {
      nodes { ${pgPosition(form)} } pageInfo { hasNextPage }
    }
  }`,
  poolPositions: `query ($market: String!) {
    allPositions(first: 100, condition: { poolAddress: $market }, ${NEWEST}) {
      nodes { ${pgPosition('rest')} } pageInfo { hasNextPage }
    }
  }`,
  reports:
    '{ allDistributions(orderBy: DATE_DESC) { nodes { distributionDate: date totalPoints ' +
    'positionCount } } }',
  dailyPoints: (page: string, form: 'rest' | 'graph') => `query ($address: String!) {
    allAccountDays(condition: { userAddress: $address }, orderBy: DISTRIBUTION_DATE_ASC, ${page}) {
      nodes { distributionDate points positions(orderBy: POOL_ADDRESS_ASC) {
      nodes { ${pgPosition(form)} } } }
      pageInfo { hasNextPage }
    }
  }`,
  userOf: `query ($address: String!) {
    accountByUserAddress(userAddress: $address) { userAddress points lastSnapshotDate:
    lastDistributionDate }
    programByRowId(rowId: 1) { totalPoints }
  }`,
  vaultSnapshots: `query ($address: String!, $first: Int!) {
    allVaultSnapshots(condition: { userAddress: $address }, first: $first,
      orderBy: [TIMESTAMP_ASC, CHAIN_ID_ASC, VAULT_ID_ASC, POSITION_ID_ASC]) {
      total: totalCount nodes { chainId vaultId accountId: userAddress positionId timestamp shares
      assets assetsUsd }
      pageInfo { hasNextPage }
    }
  }`,
  earnings: `query ($address: String!) {
    speedEarningsOf(owner: $address, first: 100) {
      nodes { chain_id: chainId entity_id: entityId entity_type: entityType current_value_usd:
      currentValueUsd
        net_cash_invested_usd: netCashInvestedUsd earnings_usd: earningsUsd incomplete }
    }
  }`,
  netApr: `query ($address: String!) {
    speedNetAprOf(owner: $address, first: 100) {
      nodes { chain_id: chainId entity_id: entityId entity_type: entityType earn_deposit_usd:
      earnDepositUsd
        deposit_rate: depositRate borrow_usd: borrowUsd borrow_rate: borrowRate }
    }
  }`,
  topPositions: `query ($offset: Int!) {
    allPools(first: 50, offset: $offset, orderBy: [NUMBER_ASC, ROW_ID_ASC]) {
      nodes {
        rowId name asset1Symbol asset2Symbol marketId: number
        multiplier { depositTokenA depositTokenB borrowTokenA borrowTokenB }
        positions(first: 5, ${NEWEST}) {
          nodes { distributionDate pointsA pointsB user: account { userAddress points rank } }
        }
      }
    }
  }`,
  userPage: `query ($address: String!) {
    accountByUserAddress(userAddress: $address) { points rank }
    speedEarningsOf(owner: $address, first: 100) {
      nodes { entityType chainId entityAddress: entityId worthUsd: currentValueUsd earningsUsd
      netCashInvestedUsd incomplete }
    }
    speedNetAprOf(owner: $address) { nodes { earnDepositUsd depositRate borrowUsd borrowRate } }
    speedLatestMarketSnapshots(owner: $address) { nodes { timestamp collateralUsd debtUsd market {
    symbol: assetSymbol } } }
    speedLatestVaultSnapshots(owner: $address) { nodes { timestamp assetsUsd vault { name } } }
    allMarketLiquidationRewards(first: 10, condition: { userAddress: $address },
    ${REWARDS_NEWEST}) {
      nodes { txHash liquidRewardUsd claimedTimestamp }
    }
    allVaultLiquidationRewards(first: 10, condition: { userAddress: $address }, ${REWARDS_NEWEST}) {
      nodes { txHash liquidRewardUsd claimedTimestamp }
    }
  }`,
  users: `query ($addresses: [String!]!) {
    speedAccountsOf(addresses: $addresses) { nodes { address: userAddress points rank } }
  }`,
}

const pg = (query: string, variables: object = {}): Request => ({
  path: '/graphql',
  body: { query, variables },
})

interface RestOptions {
  answer?: Operation['answer']
  postgraphile?: Operation['postgraphile']
}

function rest<V extends Values>(
  name: string,
  variants: V[],
  path: (values: V) => string,
  {
    answer = 'list',
    postgraphile,
  }: { answer?: Operation['answer']; postgraphile?: (values: V) => Request } = {},
): Operation {
  const request = (values: Values) => ({ path: path(values as V) })
  const asked = postgraphile as RestOptions['postgraphile']
  const shared = { name: `GET ${name}`, kind: 'rest' as const, answer, nested: false, variants }
  return { ...shared, product: request, floor: request, ...(asked && { postgraphile: asked }) }
}

function graphql<V extends Values>(
  name: string,
  document: keyof typeof documents,
  variants: V[],
  postgraphile: (values: V) => Request,
  { answer = 'list', nested = false }: { answer?: Operation['answer']; nested?: boolean } = {},
): Operation {
  return {
    name: `graphql ${name}`,
    kind: 'graphql',
    answer,
    nested,
    variants,
    product: (variables) => ({ path: '/graphql', body: { query: documents[document], variables } }),
    floor: (values) => ({ path: `/${document}`, body: values }),
    postgraphile: postgraphile as NonNullable<Operation['postgraphile']>,
  }
}

/** The operations on a store. */
export function operationsOn({ names, positions, count }: Inputs): Operation[] {
  const accounts = some(names.users, count).map((account) => ({ account }))
  const users = accounts.map(({ account: address }) => ({ address }))
  const assets = some(names.aTokens, count).map((asset) => ({ asset }))
  const markets = some(names.pools, count).map((market) => ({ market }))
  const offsets = times(Math.ceil(names.pools.length * 0.75), (offset) => ({ offset }))
  // The window holds all of a user's snapshots: a filter by range needs a plugin in PostGraphile.
  const windows = times(count, (i) => ({
    address: names.many[i % names.many.length] as string,
    from: String(FIRST_DAY - i),
    to: String(FIRST_DAY + DAYS * 86_400),
  }))
  const window = (v: { from: string; to: string }) =>
    `from_timestamp=${v.from}&to_timestamp=${v.to}`
  const snapshots = (entity: string) => `/v1/users/{address}/${entity}-position-snapshots`
  const at = (path: string, address: string) => path.replace('{address}', address)
  // Every second user has rewards.
  const rewarded = (list: string[]) =>
    times(Math.min(count, names.users.length / 2), (i) => {
      const user = (i * 134) % names.users.length
      return { address: names.users[user] as string, entity: list[user % list.length] as string }
    })
  const lists = times(count, (i) => ({
    addresses: times(100, (n) => names.users[(i * 31 + n * 7) % names.users.length] as string),
  }))
  const all = [{}]

  return [
    rest('/points/leaderboard', accounts, (v) => `/points/leaderboard?account=${v.account}`, {
      answer: 'small',
      postgraphile: (v) => pg(PG.ownRank, v),
    }),
    rest('/points/userpoints', accounts, (v) => `/points/userpoints?account=${v.account}`, {
      answer: 'small',
      postgraphile: (v) => pg(PG.userPoints, v),
    }),
    rest(
      '/points/breakdown-by-assets',
      assets,
      (v) => `/points/breakdown-by-assets?asset=${v.asset}&limit=100`,
      {
        postgraphile: (v) => pg(PG.assetPositions('rest'), { ...v, first: 100 }),
      },
    ),
    rest('/points/reports', all, () => '/points/reports', {
      answer: 'small',
      postgraphile: () => pg(PG.reports),
    }),
    rest('/points/{address}', users, (v) => `/points/${v.address}`, {
      postgraphile: (v) => pg(PG.dailyPoints('first: 10', 'rest'), v),
    }),
    rest('/multipliers/all', all, () => '/multipliers/all', {
      postgraphile: () => pg(PG_MULTIPLIERS),
    }),
    rest('/pools/all', all, () => '/pools/all', {
      postgraphile: () => pg(PG_POOLS),
    }),
    rest(
      '/positions/breakdown-by-assets',
      assets,
      (v) => `/positions/breakdown-by-assets?asset=${v.asset}`,
      {
        postgraphile: (v) => pg(PG.assetPositions('rest'), { ...v, first: 10 }),
      },
    ),
    rest(
      '/positions/breakdown-by-markets',
      markets,
      (v) => `/positions/breakdown-by-markets?market=${v.market}&limit=100`,
      { postgraphile: (v) => pg(PG.poolPositions, v) },
    ),
    rest(
      '/positions/breakdown-by-markets?cursor',
      positions,
      (v) => `/positions/breakdown-by-markets?market=${v.market}&limit=100&cursor=${v.id}`,
    ),
    rest('/positions/{address}', users, (v) => `/positions/${v.address}`, {
      answer: 'small',
      postgraphile: (v) => pg(PG.userOf, v),
    }),
    rest(
      snapshots('market'),
      windows,
      (v) => `${at(snapshots('market'), v.address)}?${window(v)}`,
      {
        postgraphile: ({ address }) =>
          pg(pgSnapshots('marketId', 'accountId'), { address, first: 100, count: true }),
      },
    ),
    rest(
      `${snapshots('market')}?page_size=1000`,
      windows,
      (v) => `${at(snapshots('market'), v.address)}?page_size=1000&${window(v)}`,
      {
        postgraphile: ({ address }) =>
          pg(pgSnapshots('marketId', 'accountId'), { address, first: 1000, count: true }),
      },
    ),
    rest(
      `${snapshots('market')}?should_group_by_timestamp`,
      windows,
      (v) => `${at(snapshots('market'), v.address)}?should_group_by_timestamp=true&${window(v)}`,
    ),
    rest(snapshots('vault'), windows, (v) => `${at(snapshots('vault'), v.address)}?${window(v)}`, {
      postgraphile: ({ address }) => pg(PG.vaultSnapshots, { address, first: 100 }),
    }),
    rest(
      '/v1/users/{address}/market-liquidation-rewards',
      rewarded(names.markets),
      (v) => `/v1/users/${v.address}/market-liquidation-rewards?market=${v.entity}`,
      {
        postgraphile: (v) =>
          pg(
            pgRewards(
              'market',
              'MarketLiquidationRewards',
              'collateralMarketId',
              'debtMarketId collateralMarketId',
            ),
            v,
          ),
      },
    ),
    rest(
      '/v1/users/{address}/vault-liquidation-rewards',
      rewarded(names.vaults),
      (v) => `/v1/users/${v.address}/vault-liquidation-rewards?vault=${v.entity}`,
      {
        postgraphile: (v) =>
          pg(pgRewards('vault', 'VaultLiquidationRewards', 'vaultId', 'vaultId'), v),
      },
    ),
    rest('/v1/users/{address}/earnings', users, (v) => `/v1/users/${v.address}/earnings`, {
      answer: 'sums',
      postgraphile: (v) => pg(PG.earnings, v),
    }),
    rest('/v1/users/{address}/net-apr', users, (v) => `/v1/users/${v.address}/net-apr`, {
      answer: 'sums',
      postgraphile: (v) => pg(PG.netApr, v),
    }),

    graphql('leaderboard, top 100', 'leaderboard', [{ first: 100 }], (v) => pg(PG.leaderboard, v)),
    graphql('ten dates with positions', 'dailyPoints', users, (v) =>
      pg(PG.dailyPoints('last: 10', 'graph'), v),
    ),
    graphql('100 positions of an asset', 'assetPositions', assets, (v) =>
      pg(PG.assetPositions('graph'), { ...v, first: 100 }),
    ),
    ...[100, 1000].map((first) =>
      graphql(
        `30 days of snapshots, ${first} a page`,
        'snapshots',
        windows.map((v) => ({ ...v, first })),
        ({ address }) =>
          pg(pgSnapshots('marketAddress', 'userAddress'), { address, first, count: false }),
      ),
    ),
    graphql(
      '50 pools, top 5 positions, their users',
      'topPositions',
      offsets.map(({ offset }) => ({ offset: String(offset) })),
      (v) => pg(PG.topPositions, { offset: Number(v.offset) }),
      { nested: true },
    ),
    graphql('all pools with multipliers', 'allPools', all, () => pg(PG.allPools)),
    graphql("a user's page", 'userPage', users, (v) => pg(PG.userPage, v), {
      answer: 'sums',
      nested: true,
    }),
    graphql('100 users', 'users', lists, (v) => pg(PG.users, v)),
  ]
}
