import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client'
import { Client, cacheExchange, fetchExchange } from '@urql/core'
import { print } from 'graphql'
import { GraphQLClient } from 'graphql-request'
import { createClient } from 'graphql-sse'
import {
  ActivityDocument,
  DailyPointsDocument,
  DataChangedDocument,
  DistributionDocument,
  DistributionsDocument,
  EarningsChartDocument,
  EarningsDocument,
  LatestSnapshotsDocument,
  LeaderboardAroundDocument,
  LeaderboardDocument,
  LeaderboardWindowDocument,
  LiquidationRewardsDocument,
  LiveLeaderboardDocument,
  LiveUserDocument,
  MarketChartDocument,
  NearLiquidationDocument,
  NetAprDocument,
  type PoolCardFragment,
  PoolCardFragmentDoc,
  PoolChartDocument,
  PoolDocument,
  PoolsDocument,
  PoolTopUsersDocument,
  PortfolioChartDocument,
  PortfolioDocument,
  PositionsDocument,
  ProgramChartDocument,
  possibleTypes,
  RankChartDocument,
  RunsDocument,
  type Scalars,
  SearchDocument,
  SnapshotsDocument,
  StackedChartDocument,
  UserChartDocument,
  UserDocument,
  UsersDocument,
  VaultChartDocument,
} from 'lending-graph-client'
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  expectTypeOf,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
let url: string
const address = sampleUser
beforeAll(async () => {
  gateway = await startOnSample({ users: 60, days: 30 })
  url = `${gateway.base}/graphql`
})
afterAll(() => gateway?.close())

describe('graphql-request', () => {
  const client = () => new GraphQLClient(url)

  test('the leaderboard, and the next page', async () => {
    const { program, leaderboard } = await client().request(LeaderboardDocument, { first: 3 })
    expect(leaderboard.nodes.map(({ rank }) => rank)).toEqual([1, 2, 3])
    expect(leaderboard.totalCount).toBe(program.userCount)
    const next = await client().request(LeaderboardDocument, {
      first: 3,
      after: leaderboard.pageInfo.endCursor,
    })
    expect(next.leaderboard.nodes.map(({ rank }) => rank)).toEqual([4, 5, 6])
  })

  test('every query of the client answers, with the types that it promises', async () => {
    const request = client()
    const { user } = await request.request(UserDocument, { address })
    expect(user).toMatchObject({
      address,
      rank: expect.any(Number),
      earnings: { hasIncompletePrices: expect.any(Boolean) },
    })
    expectTypeOf(user.rank).toEqualTypeOf<number | null>()
    expectTypeOf(user.address).toEqualTypeOf<Scalars['Address']['output']>()
    expectTypeOf(user.lastDate).toEqualTypeOf<Scalars['Date']['output'] | null>()

    const { lookupUsers } = await request.request(UsersDocument, { addresses: [address, address] })
    expect(lookupUsers).toEqual([user, user])
    expect(
      (await request.request(DailyPointsDocument, { address, last: 2 })).user.dailyPoints.nodes,
    ).toHaveLength(2)
    const { earnings } = (await request.request(EarningsDocument, { address, offset: '1' })).user
    expect(earnings.breakdown).toHaveLength(earnings.entityCount - 1)
    expect(earnings.breakdown.length).toBeGreaterThan(0)

    const { pools } = await request.request(PoolsDocument, { first: 2 })
    expect(pools.nodes).toHaveLength(2)
    const { pool } = await request.request(PoolDocument, { address: pools.nodes[0]!.address })
    expect(pool).toMatchObject(pools.nodes[0]!)
    expectTypeOf(pool).toExtend<PoolCardFragment | null>()

    const { positions } = await request.request(PositionsDocument, {
      where: { users: [address] },
      first: 5,
    })
    expect(positions.nodes.map((one) => one.user.address)).toEqual(Array(5).fill(address))
    expectTypeOf(positions.nodes[0]!.sideA.asset.address).toEqualTypeOf<string>()
  })

  test('charts have a bucket a day, the same from several sides', async () => {
    const request = client()
    const { user } = await request.request(UserChartDocument, { address })
    const ranks = await request.request(RankChartDocument, { address })
    expect(user.series).toHaveLength(30)
    expect(ranks.user.series.at(-1)).toMatchObject({
      lastDate: user.series.at(-1)?.lastDate,
      rank: expect.any(Number),
    })
    const { pools } = await request.request(PoolsDocument, { first: 1 })
    const { pool } = await request.request(PoolChartDocument, {
      address: pools.nodes[0]!.address,
      interval: 'WEEK',
    })
    expect(pool?.series.at(-1)?.tvlUsd).toBeGreaterThan(0)
    expect(pool?.marketA).toMatchObject({ pool: { displayName: pool?.displayName } })
    expect(pool?.marketA?.aprSeries.length).toBeGreaterThan(0)
    const { program } = await request.request(ProgramChartDocument, {})
    const { series } = await request.request(StackedChartDocument, { groupBy: 'CHAIN', first: 100 })
    const points = (buckets: { points: number }[]) =>
      buckets.reduce((sum, bucket) => sum + bucket.points, 0)
    expect(series.reduce((sum, one) => sum + points(one.buckets), 0)).toBeCloseTo(
      points(program.series),
      2,
    )
  })

  test('boards: of a date, and around a user', async () => {
    const request = client()
    const { user } = await request.request(UserDocument, { address })
    const around = await request.request(LeaderboardAroundDocument, { address, first: 3 })
    const row = around.leaderboardAround.nodes.find(({ user }) => user.address === address)
    expect(row).toMatchObject({
      rank: user.rank,
      points: user.totalPoints,
      user: { change: { rank: user.change?.rank, points: user.change?.points } },
    })
    const asOf = user.firstDate as string
    const then = await request.request(LeaderboardDocument, { first: 1, scope: { asOf } })
    expect(then.leaderboard.nodes[0]!.points).toBeLessThan(
      around.leaderboardAround.nodes[0]!.points,
    )
    const { distributions } = await request.request(DistributionsDocument, { first: 2 })
    expect(distributions.nodes[0]).toMatchObject({ date: user.lastDate })
    const { distribution } = await request.request(DistributionDocument, {
      date: distributions.nodes[1]!.date,
    })
    expect(distribution?.id).toBe(distributions.nodes[1]!.id)
    expect((await request.request(RunsDocument, { first: 1 })).runs.nodes[0]).toMatchObject({
      status: 'SUCCEEDED',
    })
  })

  test('a portfolio of one is its user, and its rows have names and decimals', async () => {
    const request = client()
    const { user } = await request.request(UserDocument, { address })
    const { portfolio } = await request.request(PortfolioDocument, {
      addresses: [address, address],
    })
    expect(portfolio).toMatchObject({
      totalPoints: user.totalPoints,
      bestRank: user.rank,
      earnings: user.earnings,
    })
    expect(portfolio.users).toMatchObject([{ address }, { address }])
    const { user: rates } = await request.request(NetAprDocument, { address })
    const { user: latest } = await request.request(LatestSnapshotsDocument, { address })
    const { user: rewards } = await request.request(LiquidationRewardsDocument, { address })
    const entities = [
      ...portfolio.entities.map((row) => row.entity),
      ...rates.netApr.breakdown.map((row) => row.entity),
      ...latest.latestSnapshots.map((row) => row.entity),
      ...rewards.liquidationRewards.nodes.map((row) => row.entity),
    ]
    expect(new Set(entities.map((one) => one?.__typename))).toEqual(new Set(['Market', 'Vault']))
    for (const one of entities)
      expect(one).toMatchObject({
        asset: { symbol: expect.any(String), decimals: expect.any(Number) },
      })
  })

  test('search leads to a pool, and a pool to its users', async () => {
    const request = client()
    const { pools } = await request.request(PoolsDocument, { first: 1 })
    const { address: pool, displayName } = pools.nodes[0]!
    const { search } = await request.request(SearchDocument, { text: pool })
    const [{ item }] = search as [(typeof search)[0]]
    expect(item).toMatchObject({ __typename: 'Pool', displayName })
    const answer = await request.request(PoolTopUsersDocument, { address: pool, first: 2 })
    expect(answer.pool?.currentPositions.nodes).toHaveLength(2)
    const { vault } = await request.request(VaultChartDocument, { chainId: 1, address: pool })
    expect(vault).toBeNull()
  })

  test('snapshots: amounts and times are decimal strings, times are filtered by DateTimes', async () => {
    const request = client()
    const { user } = await request.request(LatestSnapshotsDocument, { address })
    expect(new Set(user.latestSnapshots.map((one) => one.entityType))).toEqual(
      new Set(['MARKET', 'VAULT']),
    )
    for (const { entityType, borrowed, shares, chainId } of user.latestSnapshots) {
      expectTypeOf(borrowed?.raw).toEqualTypeOf<string | null | undefined>()
      expect(entityType === 'MARKET' ? borrowed?.raw : shares).toMatch(/^\d+$/)
      expect(chainId).toBeTypeOf('number')
    }
    const newest = user.latestSnapshots.map((one) => Date.parse(one.time)).sort((a, b) => b - a)[0]!
    const time = { gte: new Date(newest - 5 * 86_400_000).toISOString() }
    const answer = await request.request(SnapshotsDocument, {
      address,
      where: { time, entityTypes: ['MARKET'] },
    })
    expect(answer.user.snapshots.totalCount).toBeGreaterThan(0)
    for (const row of answer.user.snapshots.nodes)
      expect(Date.parse(row.time)).toBeGreaterThanOrEqual(newest - 5 * 86_400_000)
    const vaults = await request.request(SnapshotsDocument, {
      address,
      where: { entityTypes: ['VAULT'] },
      first: 1,
    })
    expect(vaults.user.snapshots.nodes).toHaveLength(1)
  })

  test('activity leads to where it happened, a page at a time; search finds its user', async () => {
    const request = client()
    const first = await request.request(ActivityDocument, { address, first: 2 })
    const { pageInfo, nodes } = first.user.activity
    expect(nodes).toHaveLength(2)
    for (const { entity } of nodes)
      expect(entity?.__typename === 'Vault' ? entity.name : entity?.asset.symbol).toBeTypeOf(
        'string',
      )
    const next = await request.request(ActivityDocument, {
      address,
      first: 2,
      after: pageInfo.endCursor,
    })
    expect(next.user.activity.nodes[0]!.time <= nodes[1]!.time).toBe(true)
    const deposits = await request.request(ActivityDocument, {
      address,
      where: { kinds: ['DEPOSIT'] },
    })
    expect(new Set(deposits.user.activity.nodes.map(({ kind }) => kind))).toEqual(
      new Set(['DEPOSIT']),
    )
    const { search } = await request.request(SearchDocument, { text: address.slice(0, 20) })
    expect(search.map(({ item }) => item)).toContainEqual(
      expect.objectContaining({ __typename: 'User', address }),
    )
  })

  test('charts of earnings, portfolios and markets; boards of a window; what is near liquidation', async () => {
    const request = client()
    const { user } = await request.request(EarningsChartDocument, { address, interval: 'WEEK' })
    const { user: now } = await request.request(UserDocument, { address })
    expect(user.series.at(-1)).toMatchObject({
      worth: now.worth,
      earningsUsd: expect.any(Number),
      hasIncompletePrices: false,
    })
    const { portfolio } = await request.request(PortfolioChartDocument, { addresses: [address] })
    expect(portfolio.users).toMatchObject([{ address }])
    expect(portfolio.series.at(-1)?.worth).toEqual(now.worth)
    const { positions } = await request.request(PositionsDocument, {
      where: { users: [address] },
      first: 1,
    })
    const { pool } = await request.request(PoolDocument, {
      address: positions.nodes[0]!.poolAddress,
    })
    const side = pool!.marketA!
    const { market } = await request.request(MarketChartDocument, {
      chainId: side.chainId,
      address: side.address,
    })
    expect(market?.series.length).toBe(market?.aprSeries.length)
    const to = now.lastDate
    const window = await request.request(LeaderboardWindowDocument, {
      scope: { window: { from: to, to } },
      first: 2,
    })
    expect(window.leaderboard.nodes.map(({ rank }) => rank)).toEqual([1, 2])
    const near = await request.request(NearLiquidationDocument, { below: 1.5, first: 3 })
    for (const { healthFactor } of near.currentPositions.nodes)
      expect(healthFactor).toBeLessThan(1.5)
    expect(near.currentPositions.nodes).toHaveLength(3)
  })

  test('an error has its code', async () => {
    await expect(client().request(UserDocument, { address: 'me' })).rejects.toMatchObject({
      response: { errors: [{ extensions: { code: 'BAD_INPUT' } }] },
    })
    // @ts-expect-error an address is needed
    await expect(client().request(UserDocument, {})).rejects.toThrow()
  })
})

describe('urql', () => {
  const client = () => new Client({ url, exchanges: [cacheExchange, fetchExchange] })

  test('queries, typed', async () => {
    const { data, error } = await client().query(LeaderboardDocument, { first: 2 }).toPromise()
    expect(error).toBeUndefined()
    expect(data?.leaderboard.nodes.map(({ rank }) => rank)).toEqual([1, 2])
    expectTypeOf(data!.leaderboard.nodes[0]!.points).toEqualTypeOf<number>()
  })

  test('queries by GET, which the gateway and what is between may keep', async () => {
    const { data, error } = await client()
      .query(PoolsDocument, { first: 1 }, { preferGetMethod: 'force' })
      .toPromise()
    expect(error).toBeUndefined()
    expect(data?.pools.nodes).toHaveLength(1)
  })

  test('an error has its code', async () => {
    const { error } = await client().query(UserDocument, { address: 'me' }).toPromise()
    expect(error?.graphQLErrors[0]?.extensions.code).toBe('BAD_INPUT')
  })

  test('subscribes over server-sent events, with nothing but its own fetch', async () => {
    const live = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true })
    const version = await new Promise<string | undefined>((resolve, reject) => {
      const { unsubscribe } = live
        .subscription(DataChangedDocument, {})
        .subscribe(({ data, error }) => {
          setTimeout(() => unsubscribe())
          if (error) reject(error)
          else resolve(data?.dataChanged.version)
        })
    })
    expect(version).toMatch(/^\d+$/)
  })

  test('follows a user and the leaderboard', async () => {
    const live = new Client({ url, exchanges: [fetchExchange], fetchSubscriptions: true })
    const user = await new Promise<number | null | undefined>((resolve, reject) => {
      const { unsubscribe } = live
        .subscription(LiveUserDocument, { address })
        .subscribe(({ data, error }) => {
          setTimeout(() => unsubscribe())
          if (error) reject(error)
          else resolve(data?.user.rank)
        })
    })
    const ranks = await new Promise<number[] | undefined>((resolve, reject) => {
      const { unsubscribe } = live
        .subscription(LiveLeaderboardDocument, { first: 2 })
        .subscribe(({ data, error }) => {
          setTimeout(() => unsubscribe())
          if (error) reject(error)
          else resolve(data?.leaderboard.nodes.map(({ rank }) => rank))
        })
    })
    const { user: stored } = await new GraphQLClient(url).request(UserDocument, { address })
    expect([user, ranks]).toEqual([stored.rank, [1, 2]])
  })
})

describe('Apollo Client', () => {
  const client = (link: ApolloLink = new HttpLink({ uri: url })) =>
    new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) })

  test('queries, typed, and what it keeps is found again by its fragment', async () => {
    const apollo = client()
    const { data } = await apollo.query({ query: PoolsDocument, variables: { first: 2 } })
    expectTypeOf(data!.pools.nodes[0]!.displayName).toEqualTypeOf<string>()
    const [pool] = data!.pools.nodes
    const kept = apollo.readFragment({
      fragment: PoolCardFragmentDoc,
      fragmentName: 'PoolCard',
      id: apollo.cache.identify({ __typename: 'Pool', id: pool!.id }) as string,
    })
    expect(kept).toEqual(pool)
  })

  test('a user is one object in its cache, over all queries', async () => {
    const apollo = client()
    await apollo.query({ query: UserDocument, variables: { address } })
    await apollo.query({ query: DailyPointsDocument, variables: { address, last: 3 } })
    await apollo.query({ query: EarningsDocument, variables: { address } })
    const users = Object.keys(apollo.cache.extract() as object).filter((key) =>
      key.startsWith('User:'),
    )
    expect(users).toHaveLength(1)
    const again = await apollo.query({
      query: UserDocument,
      variables: { address },
      fetchPolicy: 'cache-only',
    })
    expect(again.data?.user).toMatchObject({ address, rank: expect.any(Number) })
  })

  test('rows of lists are objects in its cache too: snapshots, rewards, activity, assets', async () => {
    const apollo = client()
    const warn = vi.spyOn(console, 'warn')
    onTestFinished(() => warn.mockRestore())
    await apollo.query({ query: LatestSnapshotsDocument, variables: { address } })
    await apollo.query({ query: LiquidationRewardsDocument, variables: { address } })
    await apollo.query({ query: ActivityDocument, variables: { address } })
    await apollo.query({ query: PoolsDocument, variables: { first: 2 } })
    const keys = Object.keys(apollo.cache.extract() as object)
    for (const type of [
      'Snapshot',
      'LiquidationReward',
      'Activity',
      'Market',
      'Vault',
      'Asset',
      'Pool',
    ])
      expect([type, keys.some((key) => key.startsWith(`${type}:`))]).toEqual([type, true])
    const read = apollo.readQuery({ query: LatestSnapshotsDocument, variables: { address } })
    const all = read?.user.latestSnapshots.map(({ id }) => `Snapshot:${id}`) ?? []
    expect(all.length).toBeGreaterThan(1)
    expect(new Set(all).size).toBe(all.length)
    for (const key of all) expect(keys).toContain(key)
    expect(warn).not.toHaveBeenCalled()
  })

  test('an error has its code', async () => {
    await expect(
      client().query({ query: UserDocument, variables: { address: 'me' } }),
    ).rejects.toMatchObject({
      errors: [{ extensions: { code: 'BAD_INPUT' } }],
    })
  })

  test('subscribes over server-sent events with a link around graphql-sse', async () => {
    const events = createClient({ url })
    const link = new ApolloLink(
      (operation) =>
        new Observable((observer) =>
          events.subscribe(
            {
              query: print(operation.query),
              variables: operation.variables,
              operationName: operation.operationName,
            },
            {
              next: (result) => observer.next(result as ApolloLink.Result),
              error: (error) => observer.error(error),
              complete: () => observer.complete(),
            },
          ),
        ),
    )
    const version = await new Promise((resolve, reject) => {
      const subscription = client(link)
        .subscribe({ query: DataChangedDocument })
        .subscribe({
          next({ data }) {
            setTimeout(() => subscription.unsubscribe())
            resolve(data?.dataChanged.version)
          },
          error: reject,
        })
    })
    expect(version).toMatch(/^\d+$/)
    events.dispose()
  })
})
