import { createHash } from 'node:crypto'
import { createSchema, createYoga } from 'graphql-yoga'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { shownUrl } from '../../src/secrets.ts'
import type { ClientOptions } from '../../src/sources/client.ts'
import type { RecordBatch } from '../../src/sources/fetched.ts'
import { type Client, openClient, parseNames } from '../../src/sources/index.ts'
import {
  type GraphPositionsSettings,
  graphPositions,
} from '../../src/sources/positions/graph-positions.ts'
import { tokensOf } from '../../src/sources/positions/graph-rows.ts'
import type { PositionsRequest } from '../../src/sources/positions/positions-source.ts'
import { coinPrices } from '../../src/sources/prices.ts'
import {
  answerJson,
  type Coin,
  coins,
  type FakeServer,
  OTHER_POOL,
  POOL,
  type PositionsOptions,
  S,
  type SourcePage,
  type SourcePosition,
  sourcePools,
  sourcePosition,
  sourcePositions,
  startPositions,
  startPrices,
  startServer,
  USDC,
  WETH,
} from '../support/positions-server.ts'

const DAY = '2026-03-02'
const TIME = Date.parse(DAY) / 1000

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

interface Setup {
  settings?: Partial<GraphPositionsSettings>
  coins?: Record<string, Coin>
  client?: Partial<ClientOptions>
}

async function sourceAt(
  server: FakeServer,
  { settings, coins: priced = coins, client: options }: Setup = {},
) {
  const prices = await startPrices(priced)
  const client: Client = openClient({
    timeoutMs: 2000,
    retries: 2,
    maxBytes: 1_000_000,
    waitMs: 5,
    ...options,
  })
  open.push(server, prices, client)
  const priceSource = coinPrices(client, { url: prices.base, maxAgeSeconds: 60 })
  return {
    prices,
    source: graphPositions(client, priceSource, { url: `${server.base}/graphql`, ...settings }),
  }
}

/** Everything that a source gives for the day. */
async function fetchAll(
  server: FakeServer,
  setup: Setup = {},
  request: Partial<PositionsRequest> = {},
) {
  const { source, prices } = await sourceAt(server, setup)
  const fetched = await source.positions(DAY, { pools: sourcePools, ...request })
  const batches: RecordBatch[] = []
  for await (const batch of fetched.batches) batches.push(batch)
  const records = batches.flatMap((batch) => batch.records) as Record<string, unknown>[]
  return { ...fetched, batches, records, receipts: fetched.receipts(), source, prices }
}

const failure = async (options: PositionsOptions, setup: Setup = {}) => {
  const server = await startPositions(options)
  const error = await fetchAll(server, setup).then(
    () => undefined,
    (error: unknown) => error as Error & { code?: string },
  )
  expect(error?.message.replaceAll(server.base, 'BASE')).toBeDefined()
  expect(error?.code).toBe('SOURCE_FAILED')
  const text = error?.message.replaceAll(server.base, 'BASE') ?? ''
  expect(text).toMatch(
    /^The source of (positions, BASE \([0-9a-f]{8}\)|prices, http:\/\/127\.0\.0\.1:\d+), failed: .*[.?!]$/,
  )
  return text.replace(/^.*?, failed: /, '').replace(/\.$/, '')
}

const styles = ['cursor', 'offset'] as const

describe.each(styles)('a source that pages by %s', (paging) => {
  const settings = { paging, pageSize: 3 }

  test('gives the records of all pages in order', async () => {
    const server = await startPositions({ positions: sourcePositions(10) })
    const { records, batches, label } = await fetchAll(server, { settings })
    expect(records.map(({ userAddress }) => userAddress)).toEqual(
      sourcePositions(10).map(({ user }) => user),
    )
    expect(batches.map(({ first, records }) => [first, records.length])).toEqual([
      [1, 3],
      [4, 3],
      [7, 3],
      [10, 1],
    ])
    expect(label).toBe('positions')
    expect(server.requests).toHaveLength(4)
  })

  test('is requested for the pools at midnight, with the key', async () => {
    const server = await startPositions({ positions: sourcePositions(4), key: 'secret-key' })
    await fetchAll(server, { settings: { ...settings, bearer: 'secret-key' } })
    const asked = server.requests.map(({ body }) => JSON.parse(body))
    const common = { pools: [POOL, OTHER_POOL], time: TIME }
    expect(asked.map(({ variables }) => variables)).toEqual(
      paging === 'cursor'
        ? [
            { ...common, first: 3, after: null },
            { ...common, first: 3, after: '3' },
          ]
        : [
            { ...common, limit: 3, offset: 0 },
            { ...common, limit: 3, offset: 3 },
          ],
    )
  })

  test('may give fewer positions a page than requested', async () => {
    const server = await startPositions({ positions: sourcePositions(10), mostPerPage: 4 })
    const { records } = await fetchAll(server, { settings: { paging, pageSize: 100 } })
    expect(records.map(({ userAddress }) => userAddress)).toEqual(
      sourcePositions(10).map(({ user }) => user),
    )
  })

  test('has a receipt of what was fetched', async () => {
    const bodies: string[] = []
    const positions = sourcePositions(7)
    const server = await startPositions({
      positions,
      lie: (page) => void bodies.push(JSON.stringify({ data: { positions: page } })),
    })
    const before = Date.now()
    const { receipts, pricesName, source, prices } = await fetchAll(server, { settings })
    const inOrder = bodies.toSorted((a, b) => bodyStart(a) - bodyStart(b))
    expect(receipts).toEqual([
      {
        kind: 'POSITIONS',
        name: shownUrl(`${server.base}/graphql`),
        digest: createHash('sha256').update(inOrder.join('')).digest('hex'),
        count: 7,
        block: '123',
        time: `${DAY}T00:00:00.000Z`,
        fetchedAt: expect.any(String),
      },
      expect.objectContaining({
        kind: 'PRICES',
        name: prices.base,
        count: 3,
        time: `${DAY}T00:00:00.000Z`,
      }),
    ])
    expect(Date.parse(receipts[0]?.fetchedAt ?? '')).toBeGreaterThanOrEqual(before)
    expect(source.name).toBe(shownUrl(`${server.base}/graphql`))
    expect(pricesName).toBe(prices.base)
  })
  const bodyStart = (body: string) =>
    Number.parseInt(JSON.parse(body).data.positions.nodes[0].user, 16)

  test('has no receipts before it was read to its end', async () => {
    const { source } = await sourceAt(await startPositions({ positions: sourcePositions(4) }), {
      settings,
    })
    const { batches, receipts } = await source.positions(DAY, { pools: sourcePools })
    for await (const _ of batches) {
      expect(receipts()).toEqual([])
      break
    }
    expect(receipts()).toEqual([])
  })

  describe('fails when', () => {
    const lying = (lie: (page: SourcePage, number: number) => void, count = 10) =>
      failure({ positions: sourcePositions(count), lie }, { settings })
    const onPage = (at: number, lie: (page: SourcePage) => void) =>
      lying((page) => {
        const start = bodyStart(JSON.stringify({ data: { positions: page } }))
        if (start === (at - 1) * 3 + 1) lie(page)
      })

    test('it has no positions', async () => {
      expect(await failure({ positions: [] }, { settings })).toBe(`it has no positions of ${DAY}`)
    })

    test('it returns an empty list and any count', async () => {
      expect(
        await lying((page) => {
          page.nodes = []
        }),
      ).toBe('page 1 is empty, although 0 positions of 10 were given')
    })

    test('a page is empty', async () => {
      expect(
        await onPage(3, (page) => {
          page.nodes = []
        }),
      ).toBe('page 3 is empty, although 6 positions of 10 were given')
    })

    test('it gives fewer positions than it counts', async () => {
      expect(
        await lying((page) => {
          page.totalCount = 11
        }),
      ).toBe('it gave 10 positions, but its totalCount is 11')
    })

    test('it gives more positions than it counts', async () => {
      expect(
        await lying((page) => {
          page.totalCount = 8
        }),
      ).toBe('it gave more positions than its totalCount of 8: 9 by page 3')
    })

    test('its count changes', async () => {
      expect(
        await onPage(3, (page) => {
          page.totalCount = 9
        }),
      ).toBe('totalCount changed from 10 to 9 on page 3')
    })

    test.each([['124'], [null]])('its block changes to %s', async (block) => {
      expect(
        await onPage(2, (page) => {
          page.block = block
        }),
      ).toBe(`the block changed from 123 to ${block} on page 2`)
    })

    test('a page repeats', async () => {
      expect(
        await onPage(3, (page) => {
          page.nodes = sourcePositions(3)
        }),
      ).toBe(`page 3, row 1: it repeats the position of ${sourcePosition(1).user} in ${POOL}`)
    })

    test('a user and a pool come twice, in another case', async () => {
      expect(
        await onPage(2, (page) => {
          const user = `0x${'ab'.repeat(20)}`
          page.nodes = [
            sourcePosition(4, { user }),
            sourcePosition(4, { user, pool: OTHER_POOL }),
            sourcePosition(4, {
              user: `0x${'aB'.repeat(20)}`,
              pool: POOL.toUpperCase().replace('X', 'x'),
            }),
          ]
        }),
      ).toMatch(/^page 2, row 3: it repeats the position of 0xaB/)
    })

    test.each<[string, Partial<Record<keyof SourcePosition, unknown>>, string]>([
      ['an unknown pool', { pool: USDC }, `pool must be a pool of the store, not "${USDC}"`],
      ['no pool', { pool: null }, 'pool must be a pool of the store, not null'],
      [
        'no user',
        { user: undefined },
        'user must be an address (0x and 40 hex digits), not left out',
      ],
      [
        'a user that is not an address',
        { user: '0x12' },
        'user must be an address (0x and 40 hex digits), not "0x12"',
      ],
      [
        'a negative amount',
        { aSupplied: '-1' },
        'aSupplied must be a decimal string from 0 to 2^256-1, not "-1"',
      ],
      [
        'a fraction',
        { bBorrowed: '1.5' },
        'bBorrowed must be a decimal string from 0 to 2^256-1, not "1.5"',
      ],
      [
        'an exponent',
        { aProtected: '1e18' },
        'aProtected must be a decimal string from 0 to 2^256-1, not "1e18"',
      ],
      [
        'an empty amount',
        { aBorrowed: '' },
        'aBorrowed must be a decimal string from 0 to 2^256-1, not ""',
      ],
      ['a number', { bSupplied: 5 }, 'bSupplied must be a decimal string from 0 to 2^256-1, not 5'],
      [
        'no amount',
        { bProtected: null },
        'bProtected must be a decimal string from 0 to 2^256-1, not null',
      ],
      [
        'an amount over 2^256-1',
        { bProtected: String(2n ** 256n) },
        `bProtected must be a decimal string from 0 to 2^256-1, not "${2n ** 256n}"`,
      ],
    ])('a row has %s', async (_, replaced, reason) => {
      expect(
        await onPage(2, (page) => {
          page.nodes[1] = { ...sourcePosition(5), ...replaced }
        }),
      ).toBe(`page 2, row 2: ${reason}`)
    })

    test('a row is null', async () => {
      expect(
        await onPage(2, (page) => {
          page.nodes[2] = null
        }),
      ).toBe('page 2, row 3: a position must be an object, not null')
    })

    test.each<[keyof SourcePage, unknown, string]>([
      ['totalCount', '10', 'totalCount must be an integer from 0 up, not "10"'],
      ['totalCount', -1, 'totalCount must be an integer from 0 up, not -1'],
      ['totalCount', undefined, 'totalCount must be an integer from 0 up, not left out'],
      ['nodes', { 0: 1 }, 'nodes must be a list, not an object'],
      ['nodes', null, 'nodes must be a list, not null'],
      ['block', 'latest', 'block must be a decimal integer or null, not "latest"'],
    ])('its %s is %j', async (field, value, reason) => {
      expect(
        await onPage(2, (page) => {
          page[field] = value as never
        }),
      ).toBe(`page 2: ${reason}`)
    })

    test('it answers with an error, also beside data', async () => {
      const text = `too far ${'and on '.repeat(60)}`
      expect(
        await failure(
          {
            positions: sourcePositions(2),
            instead(_, response) {
              answerJson(response, { data: {}, errors: [{ message: text }] })
              return true
            },
          },
          { settings },
        ),
      ).toBe(`it answered: ${text.slice(0, 200)}…`)
    })

    test.each([
      ['{"data": null}', 'page 1 is no GraphQL answer: it has no data'],
      ['{"data": {"positions": null}}', 'page 1: positions must be an object, not null'],
      ['[]', 'page 1 is no GraphQL answer: a list'],
      ['<html>', 'its answer is not JSON, but HTML: <html>'],
      ['', 'its answer is empty'],
    ])('it answers %s', async (body, reason) => {
      const instead: PositionsOptions['instead'] = (_, response) => {
        response.end(body)
        return true
      }
      expect(await failure({ positions: [], instead }, { settings })).toBe(reason)
    })

    test('its key is wrong', async () => {
      const options = { positions: sourcePositions(2), key: 'right' }
      const reason = await failure(options, { settings: { ...settings, bearer: 'wrong' } })
      expect(reason).toBe('it refused access (401): Who are you?')
    })

    test('it has other fields', async () => {
      const names = parseNames('{"user": "owner"}')
      const reason = await failure(
        { positions: sourcePositions(2) },
        { settings: { ...settings, names } },
      )
      expect(reason).toMatch(
        /^it answered( 400)?: Cannot query field "owner" on type "Position"\. Did you mean "user"\?$/,
      )
    })

    test('it cuts the connection in the middle', async () => {
      const reason = await failure(
        {
          positions: sourcePositions(10),
          instead(request, response) {
            const { after, offset } = JSON.parse(request.body).variables
            if (String(after ?? offset) !== '6') return false
            response.writeHead(200, { 'content-length': '1000' }).write('{"data"')
            setTimeout(() => response.destroy(), 10)
            return true
          },
        },
        { settings },
      )
      expect(reason).toBe('it closed the connection before the end (tried 3 times)')
    })

    test('it is slow', async () => {
      const instead = (_: unknown, __: unknown, number: number) => number > 2
      const options = { positions: sourcePositions(10), instead }
      expect(await failure(options, { settings, client: { timeoutMs: 100, retries: 0 } })).toBe(
        'it did not answer within 0.1 s',
      )
    })

    test('a page is too large', async () => {
      const options = { positions: sourcePositions(50) }
      expect(await failure(options, { settings: { paging }, client: { maxBytes: 5000 } })).toBe(
        'its answer is longer than 5000 bytes, the limit of SOURCE_MAX_BYTES',
      )
    })
  })

  test('a page that fails for a while is requested again', async () => {
    let failures = 0
    const server = await startPositions({
      positions: sourcePositions(10),
      instead(request, response) {
        const { after, offset } = JSON.parse(request.body).variables
        if (String(after ?? offset) !== '3' || failures === 2) return false
        failures++
        response.writeHead(failures === 1 ? 500 : 502).end('<html>')
        return true
      },
    })
    expect((await fetchAll(server, { settings })).records).toHaveLength(10)
    expect(failures).toBe(2)
  })

  test('is read ahead of its consumer, but not far', async () => {
    const server = await startPositions({ positions: sourcePositions(90) })
    const { source } = await sourceAt(server, { settings })
    const { batches } = await source.positions(DAY, { pools: sourcePools })
    let pages = 0
    let most = 0
    for await (const _ of batches) {
      pages++
      if (pages === 2)
        await vi.waitFor(() => expect(server.requests.length).toBeGreaterThanOrEqual(5), 20_000)
      await new Promise((resolve) => setTimeout(resolve, 20))
      most = Math.max(most, server.requests.length - pages)
    }
    expect(pages).toBe(30)
    expect(most).toBeLessThanOrEqual(6)
  })

  test('is read no further when its consumer stops', async () => {
    const server = await startPositions({ positions: sourcePositions(90) })
    const { source } = await sourceAt(server, { settings })
    const { batches } = await source.positions(DAY, { pools: sourcePools })
    for await (const _ of batches) break
    const asked = server.requests.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.requests.length).toBeLessThanOrEqual(asked + 1)
  })

  test.each(['before', 'while'])('a signal ends it %s it is read', async (when) => {
    const stop = new AbortController()
    const reason = new Error('stopped')
    const server = await startPositions({
      positions: sourcePositions(90),
      instead(_, __, number) {
        if (number < (when === 'before' ? 1 : 5)) return false
        setTimeout(() => stop.abort(reason), 20)
        return true
      },
    })
    await expect(fetchAll(server, { settings }, { signal: stop.signal })).rejects.toBe(reason)
  })
})

describe('a source that pages by cursor fails when', () => {
  const settings = { pageSize: 3 }
  const lying = (lie: (page: SourcePage, number: number) => void) =>
    failure({ positions: sourcePositions(10), lie }, { settings })

  test('a cursor is missing', async () => {
    for (const cursor of [null, '', undefined, 7])
      expect(
        await lying((page, number) => {
          if (number === 2) page.pageInfo.endCursor = cursor
        }),
      ).toMatch(
        /^page 2: endCursor must be a cursor, since there is a next page, not (null|""|left out|7)$/,
      )
  })

  test('a cursor comes again', async () => {
    expect(
      await lying((page, number) => {
        if (number === 3) page.pageInfo.endCursor = '3'
      }),
    ).toBe('page 3 leads back to a page before it')
  })

  test('its pages end too early', async () => {
    expect(
      await lying((page, number) => {
        if (number === 2) page.pageInfo.hasNextPage = false
      }),
    ).toBe('it gave 6 positions, but its totalCount is 10')
  })

  test('it says nothing of a next page', async () => {
    expect(
      await lying((page) => {
        page.pageInfo.hasNextPage = 'yes'
      }),
    ).toBe('page 1: hasNextPage must be true or false, not "yes"')
    expect(
      await lying((page) => {
        delete (page as Partial<SourcePage>).pageInfo
      }),
    ).toBe('page 1: pageInfo must be an object, not left out')
  })
})

test('an empty page after the last position is no fault', async () => {
  const server = await startPositions({
    positions: sourcePositions(6),
    lie(page) {
      if (page.nodes.length > 0 && page.pageInfo.endCursor === null)
        page.pageInfo = { hasNextPage: true, endCursor: '6' }
    },
  })
  expect((await fetchAll(server, { settings: { pageSize: 3 } })).records).toHaveLength(6)
  expect(server.requests).toHaveLength(3)
})

test('pages by offset are fetched several at once, and no more', async () => {
  let now = 0
  let most = 0
  const server = await startPositions({
    positions: sourcePositions(60),
    async instead() {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 20))
      now--
      return false
    },
  })
  const { records } = await fetchAll(server, { settings: { paging: 'offset', pageSize: 3 } })
  expect(records.map(({ userAddress }) => userAddress)).toEqual(
    sourcePositions(60).map(({ user }) => user),
  )
  expect(most).toBe(4)
})

test('a record has the amounts in whole tokens and in USD', async () => {
  const user = `0x${'aB'.repeat(20)}`
  const positions = [
    sourcePosition(1, {
      user,
      pool: OTHER_POOL,
      aSupplied: '1500000000000000000',
      aProtected: '1',
      aBorrowed: '0',
      bSupplied: '1234567',
      bProtected: String(2n ** 256n - 1n),
      bBorrowed: '007',
    }),
  ]
  const { records } = await fetchAll(await startPositions({ positions }))
  expect(records).toEqual([
    {
      userAddress: user.toLowerCase(),
      marketAddress: OTHER_POOL,
      distributionDate: `${DAY}T00:00:00.000Z`,
      aTokenAddress: WETH,
      aTokenSymbol: 'WETH',
      aTokenPrice: 2000,
      aSuppliedAmount: 1.5,
      aSuppliedAmountUsd: 3000,
      aProtectedSuppliedAmount: 1e-18,
      aProtectedSuppliedAmountUsd: 2e-15,
      aBorrowedAmount: 0,
      aBorrowedAmountUsd: 0,
      bTokenAddress: USDC,
      bTokenSymbol: 'USDC',
      bTokenPrice: 1.25,
      bSuppliedAmount: 1.234567,
      bSuppliedAmountUsd: 1.234567 * 1.25,
      bProtectedSuppliedAmount: 1.157920892373162e71,
      bProtectedSuppliedAmountUsd: 1.157920892373162e71 * 1.25,
      bBorrowedAmount: 0.000007,
      bBorrowedAmountUsd: 0.000007 * 1.25,
    },
  ])
})

test('an amount is the double that is nearest to it', () => {
  expect(tokensOf('123456789012345678901', 18)).toBe(Number('123.456789012345678901'))
  expect(tokensOf('3', 1)).toBe(0.3)
  expect(tokensOf('999999999999999', 22)).toBe(999999999999999e-22)
  expect(tokensOf('100000000000000000000000', 24)).toBe(0.1)
  expect(tokensOf('5', 255)).toBe(5e-255)
  expect(tokensOf('9007199254740993', 0)).toBe(9007199254740992)
  expect(tokensOf('0', 18)).toBe(0)
})

test('an amount that is worth more than a double holds fails', async () => {
  const positions = [sourcePosition(1, { aSupplied: String(2n ** 256n - 1n) })]
  const reason = await failure(
    { positions },
    { coins: { ...coins, [`sonic:${S}`]: { price: 1e300, decimals: 18 } } },
  )
  expect(reason).toBe('page 1, row 1: its amounts are worth more than a number can hold')
})

describe('prices', () => {
  const of = (positions: SourcePosition[], priced: Record<string, Coin>) =>
    failure({ positions }, { coins: priced })
  const { [`sonic:${S}`]: _, ...withoutS } = coins
  const { [`sonic:${WETH}`]: __, ...withoutWeth } = coins

  test('every token of a pool with positions must have one, even if its amounts are 0', async () => {
    const positions = [sourcePosition(1, { aSupplied: '0', aBorrowed: '0' })]
    expect(await of(positions, withoutS)).toBe(
      `no price of S (${S}) on sonic (chain 146) at ${DAY}T00:00:00.000Z can be had: it does not know the token. ` +
        'To store its positions without points, run `gateway manualupdate --accept`',
    )
  })

  test.each([
    ['zero', { price: 0 }],
    ['NaN', { price: 'NaN' }],
    ['of little confidence', { price: 1, confidence: 0.5 }],
  ])('it must not be %s', async (_, coin) => {
    expect(await of(sourcePositions(2), { ...coins, [`sonic:${USDC}`]: coin })).toMatch(
      /^no price of USDC \(.*: /,
    )
  })

  test('tokens of pools that do not appear need none', async () => {
    const { records } = await fetchAll(await startPositions({ positions: sourcePositions(2) }), {
      coins: withoutWeth,
    })
    expect(records).toHaveLength(2)
  })

  test('decimals come from the store, or else with the price; they must not differ', async () => {
    const nameless = { ...coins, [`sonic:${S}`]: { price: 1 } }
    const positions = [sourcePosition(1), sourcePosition(2, { pool: OTHER_POOL, aSupplied: '50' })]
    const few = { ...nameless, [`sonic:${WETH}`]: { price: 1, decimals: 1 } }
    const { records } = await fetchAll(await startPositions({ positions }), { coins: few })
    expect(records.map(({ aSuppliedAmount }) => aSuppliedAmount)).toEqual([1, 5])
    expect(await of(positions, { ...few, [`sonic:${WETH}`]: { price: 1 } })).toMatch(
      /has the decimals of WETH/,
    )
    expect(await of(positions, { ...few, [`sonic:${S}`]: { price: 1, decimals: 6 } })).toMatch(
      /^it counts S \(.* in 6 decimals, but the store in 18$/,
    )
  })

  test('a source of prices that fails, fails the run, which requests nothing more', async () => {
    const server = await startPositions({ positions: sourcePositions(2) })
    const { source, prices } = await sourceAt(server)
    await prices.close()
    await expect(source.positions(DAY, { pools: sourcePools })).rejects.toThrow(
      `The source of prices, ${prices.base}, failed: nothing listens there (tried 3 times).`,
    )
  })
})

test('a store without pools requests nothing', async () => {
  const server = await startPositions({ positions: sourcePositions(2) })
  await expect(fetchAll(server, {}, { pools: new Map() })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
  expect(server.requests).toEqual([])
})

test('a source with names of its own is read through them', async () => {
  const sdl = `
    scalar BigInt
    type Query { lending: Lending! }
    type Lending { userPositions(where: Filter, count: Int!, cursor: String): Connection! }
    input Filter { timestamp: BigInt! }
    type Connection { meta: Meta! pageInfo: PageInfo! edges: [Edge!]! }
    type Meta { total: Int! block: Int! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type Edge { node: UserPosition! }
    type UserPosition { account: Account! market: Account! a: Side! b: Side! }
    type Account { id: ID! }
    type Side { supplied: BigInt! protectedSupplied: BigInt! borrowed: BigInt! }`
  const all = sourcePositions(5).map((one) => ({
    account: { id: one.user },
    market: { id: one.pool },
    a: { supplied: one.aSupplied, protectedSupplied: one.aProtected, borrowed: one.aBorrowed },
    b: { supplied: one.bSupplied, protectedSupplied: one.bProtected, borrowed: one.bBorrowed },
  }))
  const asked: object[] = []
  const userPositions = (args: { count: number; cursor: string | null }) => {
    asked.push(structuredClone(args))
    const start = Number(args.cursor ?? 0)
    const end = start + args.count
    return {
      meta: { total: all.length, block: 77 },
      pageInfo: { hasNextPage: end < all.length, endCursor: String(end) },
      edges: all.slice(start, end).map((node) => ({ node })),
    }
  }
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: sdl,
      resolvers: { Query: { lending: () => ({ userPositions }) } },
    }),
  })
  const server = await startServer(async ({ method, headers, body }, response) => {
    const answer = await yoga.fetch('http://source/graphql', {
      method,
      headers: headers as Record<string, string>,
      body,
    })
    response.writeHead(answer.status).end(await answer.text())
  })
  const side = (s: string) => ({
    [`${s}Supplied`]: `${s}.supplied`,
    [`${s}Protected`]: `${s}.protectedSupplied`,
    [`${s}Borrowed`]: `${s}.borrowed`,
  })
  const names = parseNames(
    JSON.stringify({
      positions: 'lending.userPositions',
      totalCount: 'meta.total',
      block: 'meta.block',
      nodes: 'edges.node',
      user: 'account.id',
      pool: 'market.id',
      ...side('a'),
      ...side('b'),
      pools: '',
      time: 'where.timestamp: BigInt!',
      first: 'count',
      after: 'cursor',
    }),
  )
  const { records, receipts } = await fetchAll(server, { settings: { names, pageSize: 2 } })
  const plain = await fetchAll(await startPositions({ positions: sourcePositions(5) }))
  expect(records).toEqual(plain.records)
  expect(receipts[0]).toMatchObject({ count: 5, block: '77' })
  expect(asked).toEqual(
    [null, '2', '4'].map((cursor) => ({ where: { timestamp: TIME }, count: 2, cursor })),
  )
})

test('a request to a source without a time argument has no time', async () => {
  const names = parseNames('{"time": "", "pools": ""}')
  const server = await startPositions({ positions: sourcePositions(2) })
  const { receipts } = await fetchAll(server, { settings: { names } })
  expect(receipts.map(({ time }) => time)).toEqual([null, `${DAY}T00:00:00.000Z`])
  expect(JSON.parse(server.requests[0]?.body ?? '').variables).toEqual({ first: 1000, after: null })
})
