import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Gateway } from '../support/gateway.ts'
import {
  dates,
  hash,
  type Json,
  jsonOf,
  MAX_UINT256,
  markets,
  NOW,
  nobody,
  pools,
  recordIds,
  startOnFixture,
  T1,
  T2,
  T3,
  tokens,
  upper,
  users,
  vault,
} from './fixture.ts'

const { ada, bob, cat, dan, eve, fay } = users
const entry = (account: string, points: number, rank: number) => ({
  account,
  points: near(points),
  rank: String(rank),
})
const near = (value: number) => expect.closeTo(value, 9)
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

let gateway: Gateway
const get = (path: string, status?: number) => jsonOf(gateway, path, status)

beforeAll(async () => {
  gateway = await startOnFixture()
})
afterAll(() => gateway?.close())

/** Every page of a list of the points API, to the end. */
async function followCursors(path: string): Promise<Json[][]> {
  const pages: Json[][] = []
  for (let cursor: string | null = ''; cursor !== null && pages.length < 50; ) {
    const page: Json = await get(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    pages.push(page.items)
    cursor = page.nextCursor
  }
  return pages
}

describe('GET /', () => {
  it('is one link to the website', async () => {
    const response = await gateway.get('/')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toMatch(/^<a href="[^"]+">[^<]+<\/a>$/)
  })
})

describe('GET /health', () => {
  it('reports both components', async () => {
    const up = { database: { status: 'up' }, cache: { status: 'up' } }
    expect(await get('/health')).toEqual({ status: 'ok', info: up, error: {}, details: up })
  })

  it('must not be cached: it has an etag, and is sent in full to a client that has it', async () => {
    const response = await gateway.get('/health')
    expect(response.headers.get('cache-control')).toBe('no-cache,no-store,must-revalidate')
    const tag = response.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    const again = await gateway.get('/health', { 'if-none-match': tag })
    expect(again.status).toBe(200)
    expect(await again.json()).toMatchObject({ status: 'ok' })
  })
})

describe.each(['/livez', '/readyz'])('GET %s', (path) => {
  it('answers that it is well, uncached', async () => {
    const response = await gateway.get(path)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok' })
    expect(response.headers.get('cache-control')).toBe('no-cache,no-store,must-revalidate')
    expect((await fetch(`${gateway.base}${path}`, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${gateway.base}${path}`, { method: 'POST' })).status).toBe(405)
  })
})

describe('GET /points/leaderboard', () => {
  const top = [entry(ada, 380, 1), entry(bob, 290, 2), entry(eve, 290, 3)]

  it('gives the top 3, equal points by address, and how many accounts there are', async () => {
    expect(await get('/points/leaderboard')).toEqual({ topAccounts: top, total: '6' })
  })

  it('adds the entry of an account outside the top 3', async () => {
    const { topAccounts } = await get(`/points/leaderboard?account=${cat}`)
    expect(topAccounts).toEqual([...top, entry(cat, 0, 6)])
  })

  it('repeats the entry of an account inside the top 3', async () => {
    const { topAccounts } = await get(`/points/leaderboard?account=${bob}`)
    expect(topAccounts).toEqual([...top, top[1]])
  })

  it('adds none for an address that is no account', async () => {
    expect(await get(`/points/leaderboard?account=${nobody}`)).toEqual({
      topAccounts: top,
      total: '6',
    })
  })

  it('takes the account in upper case', async () => {
    const { topAccounts } = await get(`/points/leaderboard?account=${upper(dan)}`)
    expect(topAccounts[3].account).toBe(dan)
  })

  it('ranks 0.3 and 0.1 + 0.2 as equal, by address', async () => {
    const [ofDan, ofFay] = await Promise.all(
      [dan, fay].map((who) => get(`/points/leaderboard?account=${who}`)),
    )
    expect([ofDan.topAccounts[3], ofFay.topAccounts[3]]).toEqual([
      entry(dan, 0.3, 4),
      entry(fay, 0.3, 5),
    ])
  })
})

describe('GET /points/userpoints', () => {
  it('gives the points of an account and of everyone', async () => {
    expect(await get(`/points/userpoints?account=${upper(ada)}`)).toEqual({
      account: ada,
      userPoints: 380,
      totalPoints: near(960.6),
    })
  })

  it('gives 0 for an address that is no account', async () => {
    expect(await get(`/points/userpoints?account=${nobody}`)).toEqual({
      account: nobody,
      userPoints: 0,
      totalPoints: near(960.6),
    })
  })

  it('gives the points of everyone without an account', async () => {
    expect(await get('/points/userpoints')).toEqual({ totalPoints: near(960.6) })
  })
})

describe('GET /points/reports', () => {
  it('gives every date, newest first', async () => {
    expect(await get('/points/reports')).toEqual({
      items: [
        { distributionDate: dates[2], totalPoints: near(0.6), positionCount: 3 },
        { distributionDate: dates[1], totalPoints: 440, positionCount: 4 },
        { distributionDate: dates[0], totalPoints: 520, positionCount: 4 },
      ],
    })
  })
})

describe('a position record', () => {
  it('has the documented fields and no others', async () => {
    const { items } = await get('/points/breakdown-by-assets?limit=100')
    expect(items.find(({ id }: { id: string }) => id === 'r1-c')).toEqual({
      id: 'r1-c',
      userAddress: ada,
      marketAddress: pools.ethUsdc,
      distributionDate: dates[0],
      pointsA: 300,
      pointsB: 0,
      points: 300,
      aTokenAddress: tokens.eth,
      aTokenSymbol: 'ETH',
      aTokenPrice: 2,
      aSuppliedAmount: 50,
      aSuppliedAmountUsd: 100,
      aProtectedSuppliedAmount: 25,
      aProtectedSuppliedAmountUsd: 50,
      aBorrowedAmount: 0,
      aBorrowedAmountUsd: 0,
      bTokenAddress: tokens.usdc,
      bTokenSymbol: 'USDC',
      bTokenPrice: 1,
      bSuppliedAmount: 0,
      bSuppliedAmountUsd: 0,
      bProtectedSuppliedAmount: 0,
      bProtectedSuppliedAmountUsd: 0,
      bBorrowedAmount: 10,
      bBorrowedAmountUsd: 10,
    })
  })

  // By hand from the published rules; ethUsdc has the multipliers 2, 1, 4, 0 (deposits A, B,
  // borrowed A, B), arbUsdc 1, 0, 0, 6.
  it.each([
    ['r1-c', 'a protected deposit of A while B is borrowed', 2 * (100 + 50), 0],
    ['r1-a', 'protected deposits with nothing borrowed', 2 * 100, 20],
    ['r1-B', 'a pool without a multiplier', 0, 0],
    ['r1-d', 'a position of zeros', 0, 0],
    ['r2-b', 'a protected deposit of B while A is borrowed', 0.5 * 4 * 5, 30],
    ['r2-d', 'a borrowed B and a protected A', 10, 0.5 * 6 * 20],
  ])('%s, %s, has the points of the rules', async (id, _what, pointsA, pointsB) => {
    const { items } = await get('/points/breakdown-by-assets?limit=100')
    expect(items.find((item: { id: string }) => item.id === id)).toMatchObject({
      pointsA,
      pointsB,
      points: pointsA + pointsB,
    })
  })
})

describe.each(['/points/breakdown-by-assets', '/positions/breakdown-by-assets'])(
  'GET %s',
  (path) => {
    const ofArb = ['r3-c', 'r2-a', 'r2-d', 'r1-d']

    it('gives 10 records, newest date first, then by id', async () => {
      const answer = await get(path)
      expect(idsOf(answer)).toEqual(recordIds.slice(0, 10))
      expect(answer.nextCursor).toBe('r1-c')
      expect(Object.keys(answer).sort()).toEqual(['items', 'nextCursor'])
    })

    it('gives all of them once, page by page', async () => {
      const pages = await followCursors(`${path}?limit=2`)
      expect(pages.map((items) => items.length)).toEqual([2, 2, 2, 2, 2, 1])
      expect(pages.flat().map(({ id }) => id)).toEqual(recordIds)
    })

    it('ends a full last page with null', async () => {
      expect((await get(`${path}?limit=11`)).nextCursor).toBeNull()
    })

    it('takes one asset, on side A or B, in any case', async () => {
      expect(idsOf(await get(`${path}?asset=${upper(tokens.eth)}`))).toEqual(
        'r3-a r3-b r2-b r2-c r1-B r1-a r1-c'.split(' '),
      )
    })

    it('takes assets that are repeated', async () => {
      expect(idsOf(await get(`${path}?asset=${tokens.arb}&asset=${tokens.dai}`))).toEqual([
        'r3-c',
        'r2-a',
        'r2-d',
        'r1-B',
        'r1-d',
      ])
    })

    it('takes assets that are separated by commas', async () => {
      expect(idsOf(await get(`${path}?asset=${tokens.arb},${tokens.dai}`))).toEqual([
        'r3-c',
        'r2-a',
        'r2-d',
        'r1-B',
        'r1-d',
      ])
    })

    it('gives nothing for an asset of no pool', async () => {
      expect(await get(`${path}?asset=${nobody}`)).toEqual({ items: [], nextCursor: null })
    })

    it('pages within the filter', async () => {
      const pages = await followCursors(`${path}?limit=2&asset=${tokens.arb}`)
      expect(pages.map((items) => items.map(({ id }) => id))).toEqual([
        ofArb.slice(0, 2),
        ofArb.slice(2),
      ])
    })

    it('continues after the place of a cursor outside the filter', async () => {
      expect(idsOf(await get(`${path}?asset=${tokens.arb}&cursor=r2-b`))).toEqual(['r2-d', 'r1-d'])
    })

    it('gives nothing after the last record', async () => {
      expect(await get(`${path}?cursor=r1-d`)).toEqual({ items: [], nextCursor: null })
    })
  },
)

describe('GET /positions/breakdown-by-markets', () => {
  const path = '/positions/breakdown-by-markets'
  const ofPool = ['r3-a', 'r3-b', 'r2-b', 'r2-c', 'r1-a', 'r1-c']

  it('gives 10 records of all pools without a market', async () => {
    expect(idsOf(await get(path))).toEqual(recordIds.slice(0, 10))
  })

  it('gives those of one pool', async () => {
    expect(idsOf(await get(`${path}?market=${pools.ethUsdc}`))).toEqual(ofPool)
  })

  it('takes the pool in upper case', async () => {
    expect(idsOf(await get(`${path}?market=${upper(pools.arbUsdc)}`))).toEqual([
      'r3-c',
      'r2-a',
      'r2-d',
      'r1-d',
    ])
  })

  it('pages within the pool to the end', async () => {
    const pages = await followCursors(`${path}?limit=3&market=${pools.ethUsdc}`)
    expect(pages.map((items) => items.map(({ id }) => id))).toEqual([
      ofPool.slice(0, 3),
      ofPool.slice(3),
    ])
  })

  it('continues after the place of a cursor outside the pool', async () => {
    expect(idsOf(await get(`${path}?market=${pools.daiEth}&cursor=r2-c`))).toEqual(['r1-B'])
  })

  it.each(['nothing', nobody, '%F0%9F%A6%8A', "'%22;--", '%25_'])(
    'gives nothing for %s, which is no pool',
    async (market) => {
      expect(await get(`${path}?market=${market}`)).toEqual({ items: [], nextCursor: null })
    },
  )
})

// On the newest date r3-a, r3-b and r3-c supply 0.1, 0.3 and 0.2 USD, at multipliers of 1, and
// nothing is borrowed.
describe.each(['/positions/breakdown-by-markets', '/positions/breakdown-by-assets'])(
  'GET %s with sort',
  (path) => {
    it.each([
      ['sort=supplied', 'r3-b r3-c r3-a'],
      ['sort=supplied&order=desc', 'r3-b r3-c r3-a'],
      ['sort=supplied&order=asc', 'r3-a r3-c r3-b'],
      ['sort=points&order=asc', 'r3-a r3-c r3-b'],
      ['sort=points', 'r3-b r3-c r3-a'],
      ['sort=borrowed', 'r3-a r3-b r3-c'],
      ['sort=borrowed&order=asc', 'r3-a r3-b r3-c'],
    ])('%s: the newest date alone, ties by id', async (query, ids) => {
      expect(await get(`${path}?${query}`)).toMatchObject({ nextCursor: null })
      expect(idsOf(await get(`${path}?${query}`))).toEqual(ids.split(' '))
      const pages = await followCursors(`${path}?${query}&limit=1`)
      expect(pages.flat().map(({ id }) => id)).toEqual(ids.split(' '))
    })

    it('returns the same records as without it', async () => {
      const byId = new Map<string, Json>()
      for (const one of (await get(path)).items) byId.set(one.id, one)
      for (const one of (await get(`${path}?sort=points`)).items)
        expect(one).toEqual(byId.get(one.id))
    })

    it('continues after the place of a cursor outside the list', async () => {
      // r2-c supplies 145, r2-b nothing that is borrowable.
      expect(idsOf(await get(`${path}?sort=supplied&cursor=r2-c`))).toEqual([
        'r3-b',
        'r3-c',
        'r3-a',
      ])
      expect(idsOf(await get(`${path}?sort=supplied&cursor=r2-b`))).toEqual([])
      expect(idsOf(await get(`${path}?sort=supplied&order=asc&cursor=r2-b`))).toEqual([
        'r3-a',
        'r3-c',
        'r3-b',
      ])
    })

    it('ignores an order alone', async () => {
      for (const order of ['asc', 'desc'])
        expect(await get(`${path}?order=${order}`)).toEqual(await get(path))
    })
  },
)

describe('breakdowns with sort and a filter', () => {
  it('have the records that match, sorted', async () => {
    const market = `/positions/breakdown-by-markets?sort=supplied&market=${pools.ethUsdc}`
    expect(idsOf(await get(market))).toEqual(['r3-b', 'r3-a'])
    expect(idsOf(await get(`${market}&order=asc&limit=1&cursor=r3-a`))).toEqual(['r3-b'])
    expect(await get('/positions/breakdown-by-markets?sort=supplied&market=none')).toEqual({
      items: [],
      nextCursor: null,
    })
    const asset = '/points/breakdown-by-assets?sort=supplied&asset='
    expect(idsOf(await get(`${asset}${tokens.arb}`))).toEqual(['r3-c'])
    expect(idsOf(await get(`${asset}${tokens.usdc},${tokens.dai}`))).toEqual([
      'r3-b',
      'r3-c',
      'r3-a',
    ])
  })

  it('add both sides up to six decimals, so that 0.1 + 0.2 and 0.3 are a tie', async () => {
    const own = await startOnFixture()
    await own.deps.store.pool.query(`UPDATE stored_position SET a_supplied_amount_usd = 0.1,
      b_supplied_amount_usd = 0.2, a_borrowed_amount_usd = 1e308, b_borrowed_amount_usd = 1e308
      WHERE id IN ('r3-c', 'r3-a')`)
    try {
      for (const order of ['asc', 'desc']) {
        const path = `/positions/breakdown-by-markets?sort=supplied&order=${order}&limit=1`
        const first = await jsonOf(own, path)
        expect(idsOf(first)).toEqual(['r3-a'])
        expect(idsOf(await jsonOf(own, `${path}&cursor=r3-a`))).toEqual(['r3-b'])
        expect(idsOf(await jsonOf(own, `${path}&cursor=r3-b`))).toEqual(['r3-c'])
      }
      const largest = await jsonOf(own, '/positions/breakdown-by-markets?sort=borrowed')
      expect(idsOf(largest)).toEqual(['r3-a', 'r3-c', 'r3-b'])
    } finally {
      await own.close()
    }
  })
})

describe('GET /points/{address}', () => {
  it('gives the dates of a user, oldest first', async () => {
    const { items, nextCursor } = await get(`/points/${upper(ada)}`)
    expect(items.map(({ positions, ...day }: Json) => day)).toEqual([
      { distributionDate: dates[0], points: 300 },
      { distributionDate: dates[1], points: 80 },
    ])
    expect(nextCursor).toBeNull()
  })

  it("gives a date's positions by market", async () => {
    const { items } = await get(`/points/${ada}`)
    expect(items.map((day: Json) => day.positions.map(({ id }: Json) => id))).toEqual([
      ['r1-c'],
      ['r2-b', 'r2-a'],
    ])
  })

  it('gives whole position records', async () => {
    const { items } = await get(`/points/${cat}`)
    const all = await get('/points/breakdown-by-assets?limit=100')
    expect(items[0].positions).toEqual(
      all.items.filter(({ userAddress }: Json) => userAddress === cat),
    )
  })

  it('pages to the end by the date of the last item', async () => {
    const first = await get(`/points/${ada}?limit=1`)
    expect(first.nextCursor).toBe(dates[0])
    const second = await get(`/points/${ada}?limit=1&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({ items: [{ distributionDate: dates[1] }], nextCursor: null })
  })

  it.each([
    ['2026-03-01T00:00:00Z', [dates[1]]],
    ['2026-03-01T12:34:56.789Z', [dates[1]]],
    ['2026-02-28T23:59:59.999Z', [dates[0], dates[1]]],
    ['2026-03-02T00:00:00.000Z', []],
    ['1970-01-01T00:00:00.000Z', [dates[0], dates[1]]],
    ['9999-12-31T23:59:59.999Z', []],
  ])('gives the dates after the cursor %s', async (cursor, expected) => {
    const { items } = await get(`/points/${ada}?cursor=${cursor}`)
    expect(items.map(({ distributionDate }: Json) => distributionDate)).toEqual(expected)
  })

  it('is empty for a user without positions', async () => {
    expect(await get(`/points/${nobody}`)).toEqual({ items: [], nextCursor: null })
  })
})

describe('GET /positions/{address}', () => {
  it('gives one entry, with all points, the newest date and the time of the request', async () => {
    expect(await get(`/positions/${upper(ada)}`)).toEqual({
      points: [
        { userAddress: ada, timestamp: NOW.toISOString(), lastSnapshotDate: dates[1], points: 380 },
      ],
      totalPoints: near(960.6),
    })
  })

  it('gives an entry for an account with 0 points', async () => {
    const { points } = await get(`/positions/${cat}`)
    expect(points).toMatchObject([{ points: 0, lastSnapshotDate: dates[0] }])
  })

  it('gives no entry for an address that is no account', async () => {
    expect(await get(`/positions/${nobody}`)).toEqual({ points: [], totalPoints: near(960.6) })
  })
})

const ethUsdcMultiplier = {
  id: '11111111-1111-4111-8111-111111111111',
  poolAddress: pools.ethUsdc,
  deposit_tokenA: 2,
  deposit_tokenB: 1,
  borrow_tokenA: 4,
  borrow_tokenB: 0,
  tokenA_address: tokens.eth,
  tokenB_address: tokens.usdc,
  tokenA_symbol: 'ETH',
  tokenB_symbol: 'USDC',
  poolName: 'ETH·USDC·20',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
}

describe('GET /multipliers/all', () => {
  it('answers 201 with all multipliers by marketId', async () => {
    const all = await get('/multipliers/all', 201)
    expect(all.map(({ poolName }: Json) => poolName)).toEqual(['ARB·USDC·7', 'ETH·USDC·20'])
    expect(all[1]).toEqual(ethUsdcMultiplier)
  })
})

describe('GET /pools/all', () => {
  it('answers 201 with all pools by marketId, then id', async () => {
    const all = await get('/pools/all', 201)
    expect(all.map(({ id }: Json) => id)).toEqual([pools.arbUsdc, pools.ethUsdc, pools.daiEth])
  })

  it('gives the documented fields and no others', async () => {
    const all = await get('/pools/all', 201)
    expect(all[1]).toEqual({
      id: pools.ethUsdc,
      marketId: 20,
      name: 'Unit ETH USDC',
      asset_1_address: tokens.eth,
      asset_1_name: 'Ether',
      asset_1_symbol: 'ETH',
      asset_2_address: tokens.usdc,
      asset_2_name: 'USD Coin',
      asset_2_symbol: 'USDC',
      createdTimestamp: 1700000001,
      interestLastUpdated: 1700000061,
      unit_1_id: markets.first,
      unit_2_id: markets.usdc,
      multiplier: ethUsdcMultiplier,
    })
  })

  it('gives null for a pool without a multiplier', async () => {
    const all = await get('/pools/all', 201)
    expect(all[2].multiplier).toBeNull()
  })
})

const snapshot = {
  chainId: 1,
  marketId: markets.first,
  accountId: ada,
  positionId: 'main',
  timestamp: String(T2),
  collateralAssets: String(MAX_UINT256),
  collateralUsd: 100,
  protectedAssets: '5',
  protectedUsd: 20,
  debtAssets: '3',
  debtUsd: 30,
}
const first = {
  ...snapshot,
  timestamp: String(T1),
  collateralUsd: null,
  protectedAssets: '1',
  protectedUsd: null,
  debtAssets: '0',
  debtUsd: 0,
}
const leveraged = {
  ...first,
  positionId: 'lev',
  collateralAssets: '7',
  collateralUsd: 12.5,
  protectedAssets: '2',
  debtAssets: '4',
  debtUsd: 1.5,
}
const onL2 = {
  ...snapshot,
  chainId: 42161,
  collateralAssets: '200',
  collateralUsd: 200,
  protectedAssets: '0',
  protectedUsd: 0,
  debtAssets: '50',
  debtUsd: 60,
}
const ofUsdc = {
  ...onL2,
  chainId: 1,
  marketId: markets.usdc,
  timestamp: String(T3),
  collateralAssets: '0',
  collateralUsd: 0,
  debtAssets: '1000',
  debtUsd: null,
}

describe('GET /v1/users/{address}/market-position-snapshots', () => {
  const path = `/v1/users/${ada}/market-position-snapshots`
  const all = [leveraged, first, snapshot, onL2, ofUsdc]
  const seconds = NOW.getTime() / 1000

  it('gives the snapshots by timestamp, chain, market and position, in the default window', async () => {
    expect(await get(path)).toEqual({
      data: all,
      pagination: { page: 1, page_size: 100, total: 5, has_more: false },
      filters: {
        chain_id: null,
        market: null,
        from_timestamp: String(seconds - 30 * 86_400),
        to_timestamp: String(seconds),
        should_group_by_timestamp: false,
      },
    })
  })

  it.each(['true', 'false', 'null', ''])(
    'takes "%s" for should_group_by_timestamp',
    async (flag) => {
      const { filters, data } = await get(`${path}?should_group_by_timestamp=${flag}`)
      expect([filters.should_group_by_timestamp, data.length]).toEqual(
        flag === 'true' ? [true, 4] : [false, 5],
      )
    },
  )

  it('adds up the positions of a moment exactly; USD skips nulls, and is null where all are', async () => {
    const { data, pagination } = await get(`${path}?should_group_by_timestamp=true`)
    expect(data).toEqual([
      {
        ...leveraged,
        positionId: null,
        collateralAssets: String(MAX_UINT256 + 7n),
        collateralUsd: 12.5,
        protectedAssets: '3',
        protectedUsd: null,
        debtAssets: '4',
        debtUsd: 1.5,
      },
      { ...snapshot, positionId: null },
      { ...onL2, positionId: null },
      { ...ofUsdc, positionId: null },
    ])
    expect(pagination.total).toBe(4)
  })

  it('takes one chain', async () => {
    const { data, filters } = await get(`${path}?chain_id=42161`)
    expect(data).toEqual([onL2])
    expect(filters).toMatchObject({ chain_id: 42161, market: null })
  })

  it('takes one market, in any case, on all chains', async () => {
    const { data, filters } = await get(`${path}?market=${upper(markets.first)}`)
    expect(data).toEqual([leveraged, first, snapshot, onL2])
    expect(filters).toMatchObject({ chain_id: null, market: markets.first })
  })

  it('gives nothing for a market that is any text, which it echoes as given', async () => {
    const { data, filters } = await get(`${path}?market=Some%20Text`)
    expect(data).toEqual([])
    expect(filters.market).toBe('Some Text')
  })

  it('has a window with both ends in it', async () => {
    const { data } = await get(`${path}?from_timestamp=${T1}&to_timestamp=${T2}`)
    expect(data).toEqual([leveraged, first, snapshot, onL2])
  })

  it('has a window of one moment', async () => {
    expect((await get(`${path}?from_timestamp=${T2}&to_timestamp=${T2}`)).data).toEqual([
      snapshot,
      onL2,
    ])
  })

  it('takes digits of any length, and echoes them without leading zeros', async () => {
    const { data, filters } = await get(
      `${path}?from_timestamp=000${T2}&to_timestamp=${'9'.repeat(90)}`,
    )
    expect(data).toEqual([snapshot, onL2, ofUsdc])
    expect(filters).toMatchObject({ from_timestamp: String(T2), to_timestamp: '9'.repeat(90) })
  })

  it('takes 0, echoed as 0', async () => {
    const { data, filters } = await get(`${path}?from_timestamp=000&to_timestamp=0`)
    expect(data).toEqual([])
    expect(filters).toMatchObject({ from_timestamp: '0', to_timestamp: '0' })
  })

  it('is empty, and no error, where only from_timestamp is given and lies after now', async () => {
    expect((await get(`${path}?from_timestamp=${seconds + 10}`)).data).toEqual([])
  })

  it.each(['', '&should_group_by_timestamp=true'])(
    'gives every page to the end (query "%s")',
    async (query) => {
      const whole = (await get(`${path}?${query}`)).data
      const pages = await Promise.all(
        [1, 2, 3].map((page) => get(`${path}?page=${page}&page_size=2${query}`)),
      )
      expect(pages.flatMap(({ data }) => data)).toEqual(whole)
      expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([
        true,
        whole.length > 4,
        false,
      ])
      expect(pages[0].pagination).toMatchObject({ page: 1, page_size: 2, total: whole.length })
    },
  )

  it.each([7, Number.MAX_SAFE_INTEGER])('is empty on page %i', async (page) => {
    const { data, pagination } = await get(`${path}?page=${page}&page_size=2`)
    expect(data).toEqual([])
    expect(pagination).toEqual({ page, page_size: 2, total: 5, has_more: false })
  })

  it('gives a closed position as zeros', async () => {
    const { data } = await get(`/v1/users/${bob}/market-position-snapshots?from_timestamp=${T2}`)
    expect(data).toMatchObject([
      { collateralAssets: '0', collateralUsd: 0, protectedUsd: 0, debtUsd: 0 },
    ])
  })

  it('takes the user in upper case', async () => {
    expect((await get(`/v1/users/${upper(ada)}/market-position-snapshots`)).data).toEqual(all)
  })

  it('is empty for an unknown user', async () => {
    const { data, pagination } = await get(`/v1/users/${nobody}/market-position-snapshots`)
    expect(data).toEqual([])
    expect(pagination).toEqual({ page: 1, page_size: 100, total: 0, has_more: false })
  })
})

describe('GET /v1/users/{address}/vault-position-snapshots', () => {
  const path = `/v1/users/${ada}/vault-position-snapshots`
  const main = {
    chainId: 1,
    vaultId: vault,
    accountId: ada,
    positionId: 'main',
    timestamp: String(T1),
    shares: '1000',
    assets: '1100',
    assetsUsd: 500,
  }
  const second = { ...main, positionId: 'second', shares: '1', assets: '2', assetsUsd: null }
  const unpriced = { ...main, chainId: 42161, shares: '5', assets: '6', assetsUsd: null }
  const newest = { ...unpriced, timestamp: String(T3), assets: '7', assetsUsd: 300 }

  it('gives the snapshots by timestamp, chain, vault and position', async () => {
    const { data, filters } = await get(path)
    expect(data).toEqual([main, second, unpriced, newest])
    expect(Object.keys(filters).sort()).toEqual([
      'chain_id',
      'from_timestamp',
      'should_group_by_timestamp',
      'to_timestamp',
      'vault',
    ])
  })

  it('adds up the positions of a moment', async () => {
    const { data } = await get(`${path}?should_group_by_timestamp=true`)
    expect(data).toEqual([
      { ...main, positionId: null, shares: '1001', assets: '1102', assetsUsd: 500 },
      { ...unpriced, positionId: null },
      { ...newest, positionId: null },
    ])
  })

  it('takes one vault, in any case, and one chain', async () => {
    const { data, filters } = await get(`${path}?vault=${upper(vault)}&chain_id=42161`)
    expect(data).toEqual([unpriced, newest])
    expect(filters).toMatchObject({ vault, chain_id: 42161 })
  })

  it('gives nothing for another vault', async () => {
    expect((await get(`${path}?vault=${nobody}`)).data).toEqual([])
  })

  it('has a default window from 30 days ago to now, both included', async () => {
    const { data } = await get(`/v1/users/${fay}/vault-position-snapshots`)
    expect(data.map(({ shares }: Json) => shares)).toEqual(['2', '3'])
  })

  it('ends at now where only from_timestamp is given', async () => {
    const { data } = await get(`/v1/users/${fay}/vault-position-snapshots?from_timestamp=0`)
    expect(data.map(({ shares }: Json) => shares)).toEqual(['1', '2', '3'])
  })

  it('begins 30 days ago where only to_timestamp is given', async () => {
    const { data } = await get(`/v1/users/${fay}/vault-position-snapshots?to_timestamp=99999999999`)
    expect(data.map(({ shares }: Json) => shares)).toEqual(['2', '3', '4'])
  })

  it('is empty past the end, for an unknown user too', async () => {
    const { data, pagination } = await get(
      `/v1/users/${nobody}/vault-position-snapshots?page=2&page_size=1000`,
    )
    expect(data).toEqual([])
    expect(pagination).toEqual({ page: 2, page_size: 1000, total: 0, has_more: false })
  })
})

const share = {
  txHash: hash('0c'),
  logIndex: 3,
  timestamp: String(T2),
  accountId: ada,
  supplySent: '1000',
  supplySentUsd: 10,
  collateralReceived: '2000',
  collateralReceivedUsd: 20,
  liquidReward: '1000',
  liquidRewardUsd: 10,
  userRoi: '0.5',
  claimedTimestamp: String(T3),
}

describe('GET /v1/users/{address}/market-liquidation-rewards', () => {
  const path = `/v1/users/${ada}/market-liquidation-rewards`
  const inOrder = ['dd', 'aa', 'bb', '0c', 'ee'].map(hash)
  const hashesOf = ({ data }: Json) => data.map(({ txHash }: Json) => txHash)

  it('gives rewards newest first, then by logIndex descending, then txHash', async () => {
    const answer = await get(`${path}?market=${markets.first}`)
    expect(hashesOf(answer)).toEqual(inOrder)
    expect(answer.filters).toEqual({ chain_id: null, market: markets.first })
  })

  it('gives the documented fields and no others', async () => {
    const { data } = await get(`${path}?market=${markets.first}`)
    expect(data[3]).toEqual({
      ...share,
      debtMarketId: markets.usdc,
      collateralMarketId: markets.first,
    })
  })

  it('gives null for what is unknown or unclaimed', async () => {
    const { data } = await get(`${path}?market=${markets.first}`)
    expect(data[4]).toMatchObject({
      supplySentUsd: null,
      collateralReceivedUsd: null,
      liquidRewardUsd: null,
      userRoi: null,
      claimedTimestamp: null,
    })
  })

  it('gives amounts of 256 bits in full', async () => {
    const { data } = await get(`${path}?market=${markets.first}`)
    expect(data[0].supplySent).toBe(String(MAX_UINT256))
  })

  it('takes the market in upper case and one chain', async () => {
    const answer = await get(`${path}?market=${upper(markets.first)}&chain_id=42161`)
    expect(hashesOf(answer)).toEqual([hash('dd')])
    expect(answer.filters).toEqual({ chain_id: 42161, market: markets.first })
  })

  it('pages to the end', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => get(`${path}?market=${markets.first}&page_size=2&page=${page}`)),
    )
    expect(pages.flatMap(hashesOf)).toEqual(inOrder)
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, true, false, false])
    expect(pages[3].pagination).toEqual({ page: 4, page_size: 2, total: 5, has_more: false })
  })

  it('distinguishes the shares of two users in one event', async () => {
    const { data } = await get(`/v1/users/${bob}/market-liquidation-rewards?market=${markets.usdc}`)
    expect(data).toMatchObject([{ txHash: hash('bb'), accountId: bob }])
  })

  it('is empty for a market that is only a debt market', async () => {
    expect((await get(`${path}?market=${markets.usdc}`)).data).toEqual([])
  })

  it('is empty for an unknown user', async () => {
    expect(
      (await get(`/v1/users/${nobody}/market-liquidation-rewards?market=${markets.first}`)).data,
    ).toEqual([])
  })

  it.each([
    ['at an unknown address', `market=${nobody}`],
    ['on another chain', `market=${markets.usdcOnL2}&chain_id=1`],
    ['at a vault', `market=${vault}`],
  ])('is a 404 for a market %s', async (_what, query) => {
    expect((await get(`${path}?${query}`, 404)).detail).toMatch(/no market/)
  })
})

describe('GET /v1/users/{address}/vault-liquidation-rewards', () => {
  const path = `/v1/users/${ada}/vault-liquidation-rewards`

  it('gives rewards newest first, of all chains', async () => {
    const { data, pagination, filters } = await get(`${path}?vault=${upper(vault)}`)
    expect(data.map(({ txHash }: Json) => txHash)).toEqual(['a3', 'a2', 'a1'].map(hash))
    expect(pagination).toEqual({ page: 1, page_size: 100, total: 3, has_more: false })
    expect(filters).toEqual({ chain_id: null, vault })
  })

  it('gives the documented fields and no others, of one chain', async () => {
    const { data } = await get(`${path}?vault=${vault}&chain_id=42161`)
    expect(data).toEqual([
      {
        ...share,
        txHash: hash('a2'),
        logIndex: 2,
        timestamp: String(T1),
        claimedTimestamp: String(T2),
        vaultId: vault,
      },
    ])
  })

  it.each([
    ['at an unknown address', `vault=${nobody}`],
    ['on another chain', `vault=${vault}&chain_id=8453`],
    ['at a market', `vault=${markets.first}`],
  ])('is a 404 for a vault %s', async (_what, query) => {
    expect((await get(`${path}?${query}`, 404)).detail).toMatch(/no vault/)
  })
})

describe('GET /v1/users/{address}/earnings', () => {
  const path = `/v1/users/${ada}/earnings`
  const item = (
    chain_id: number,
    entity_type: string,
    entity_id: string,
    value: number,
    cash: number,
    has_incomplete_prices = false,
  ) => ({
    chain_id,
    entity_id,
    entity_type,
    current_value_usd: near(value),
    net_cash_invested_usd: near(cash),
    earnings_usd: near(value - cash),
    has_incomplete_prices,
  })
  const vaultOnL1 = item(1, 'vault', vault, 500, 400, true)
  const vaultOnL2 = item(42161, 'vault', vault, 300, 0)
  const firstOnL2 = item(42161, 'market', markets.first, 200 - 60, 150 + 10 - 50)
  const firstOnL1 = item(1, 'market', markets.first, 100 + 20 - 30, 80 - 5)
  const unpriced = item(1, 'market', markets.usdc, 0, 0, true)
  const onlyCash = item(42161, 'market', markets.usdcOnL2, 0, 25 - 40)
  const all = [vaultOnL1, vaultOnL2, firstOnL2, firstOnL1, unpriced, onlyCash]

  it('gives totals, and the entities by value, then chain', async () => {
    expect(await get(path)).toEqual({
      data: {
        total_earnings_usd: near(460),
        total_current_value_usd: near(1030),
        total_net_cash_invested_usd: near(570),
        has_incomplete_prices: true,
        breakdown: all,
      },
      pagination: { page: 1, page_size: 100, total: 6, has_more: false },
      filters: { chain_id: null },
    })
  })

  it('takes one chain, totals too', async () => {
    const { data, filters } = await get(`${path}?chain_id=42161`)
    expect(data).toEqual({
      total_earnings_usd: near(345),
      total_current_value_usd: near(440),
      total_net_cash_invested_usd: near(95),
      has_incomplete_prices: false,
      breakdown: [vaultOnL2, firstOnL2, onlyCash],
    })
    expect(filters).toEqual({ chain_id: 42161 })
  })

  it('pages the breakdown to the end, under totals over all of it', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => get(`${path}?page_size=4&page=${page}`)),
    )
    expect(pages.flatMap(({ data }) => data.breakdown)).toEqual(all)
    expect(pages.map(({ data }) => data.total_current_value_usd)).toEqual([
      near(1030),
      near(1030),
      near(1030),
    ])
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, false, false])
  })

  it('keeps a closed position', async () => {
    const { data } = await get(`/v1/users/${bob}/earnings`)
    expect(data.breakdown).toEqual([item(1, 'market', markets.first, 0, -2)])
  })

  it('is zeros for an unknown user', async () => {
    expect((await get(`/v1/users/${nobody}/earnings`)).data).toEqual({
      total_earnings_usd: 0,
      total_current_value_usd: 0,
      total_net_cash_invested_usd: 0,
      has_incomplete_prices: false,
      breakdown: [],
    })
  })
})

describe('GET /v1/users/{address}/net-apr', () => {
  const path = `/v1/users/${ada}/net-apr`
  const item = (
    chain_id: number,
    entity_type: string,
    entity_id: string,
    earn: number,
    deposit_rate: number,
    borrow_usd = 0,
    borrow_rate = 0,
  ) => ({
    chain_id,
    entity_id,
    entity_type,
    earn_deposit_usd: earn,
    deposit_rate,
    borrow_usd,
    borrow_rate,
  })
  const all = [
    item(1, 'vault', vault, 500, 0.06),
    item(42161, 'vault', vault, 300, 0.02),
    item(42161, 'market', markets.first, 200, 0.1, 60, 0.2),
    item(1, 'market', markets.first, 100, 0.04, 30, 0.08),
    item(1, 'market', markets.usdc, 0, 0.02, 0, 0.05),
  ]

  it('gives weighted averages, and the entities by deposit + debt', async () => {
    expect(await get(path)).toEqual({
      data: {
        earn_net_apr: near((500 * 0.06 + 300 * 0.02 + 200 * 0.1 + 100 * 0.04) / 1100),
        borrow_net_apr: near((60 * 0.2 + 30 * 0.08) / 90),
        total_earn_deposits_usd: near(1100),
        total_borrow_usd: near(90),
        breakdown: all,
      },
      pagination: { page: 1, page_size: 100, total: 5, has_more: false },
      filters: { chain_id: null },
    })
  })

  it('takes one chain, averages too', async () => {
    const { data } = await get(`${path}?chain_id=42161`)
    expect(data).toMatchObject({
      earn_net_apr: near(26 / 500),
      borrow_net_apr: near(0.2),
      breakdown: [all[1], all[2]],
    })
  })

  it('pages the breakdown under averages over all of it', async () => {
    const { data, pagination } = await get(`${path}?page=3&page_size=2`)
    expect(data).toMatchObject({ total_borrow_usd: near(90), breakdown: [all[4]] })
    expect(pagination).toEqual({ page: 3, page_size: 2, total: 5, has_more: false })
  })

  it('averages nothing to 0', async () => {
    const { data } = await get(`/v1/users/${bob}/net-apr`)
    expect(data).toMatchObject({
      earn_net_apr: 0,
      borrow_net_apr: 0,
      breakdown: [{ earn_deposit_usd: 0 }],
    })
  })

  it('is zeros for an unknown user', async () => {
    expect((await get(`/v1/users/${nobody}/net-apr`)).data).toEqual({
      earn_net_apr: 0,
      borrow_net_apr: 0,
      total_earn_deposits_usd: 0,
      total_borrow_usd: 0,
      breakdown: [],
    })
  })
})
