import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type Client, openClient } from '../../src/sources/index.ts'
import { type ChainToken, coinPrices, type PricesSettings } from '../../src/sources/prices.ts'
import { addressOf } from '../support/datasets.ts'
import {
  answerJson,
  type Coin,
  type FakeServer,
  startPrices,
  startServer,
} from '../support/positions-server.ts'

const TIME = Date.parse('2026-03-02') / 1000
const token = (name: string, replaced: Partial<ChainToken> = {}): ChainToken => ({
  chainId: 1,
  address: addressOf(name),
  symbol: name,
  decimals: 18,
  ...replaced,
})
const ann = token('ANN')

let server: FakeServer | undefined
let client: Client | undefined

afterEach(async () => {
  await client?.close()
  await server?.close()
})

function sourceAt(base: string, settings: Partial<PricesSettings> = {}) {
  client = openClient({ timeoutMs: 10_000, retries: 1, maxBytes: 1_000_000, waitMs: 5 })
  return coinPrices(client, { url: base, maxAgeSeconds: 21_600, ...settings })
}
async function pricesOf(
  coins: Record<string, Coin>,
  tokens: ChainToken[],
  settings: Partial<PricesSettings> = {},
) {
  server = await startPrices(coins)
  return sourceAt(server.base, settings).prices(tokens, TIME)
}

test('returns prices and decimals, and a receipt of what was fetched', async () => {
  const coins = {
    [`ethereum:${ann.address}`]: { price: 2.5 },
    [`sonic:${ann.address}`]: { price: 3, decimals: 6, confidence: 0.9 },
    [`ink-chain:${ann.address}`]: { price: 4, decimals: 18 },
  }
  const [plain, sonic, ink] = [
    ann,
    token('ANN', { chainId: 146, decimals: undefined }),
    token('ANN', { chainId: 7 }),
  ]
  const { priceOf, receipt } = await pricesOf(coins, [plain, sonic, ink, plain], {
    chains: { 7: 'ink-chain' },
  })
  expect(priceOf(plain)).toEqual({ price: 2.5, decimals: 18 })
  expect(priceOf(sonic)).toEqual({ price: 3, decimals: 6 })
  expect(priceOf(ink)).toEqual({ price: 4, decimals: 18 })
  expect(server?.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET /prices/historical/${TIME}/ethereum:${ann.address},ink-chain:${ann.address},sonic:${ann.address}`,
  ])
  expect(receipt).toMatchObject({
    kind: 'PRICES',
    name: server?.base,
    count: 3,
    block: null,
    time: '2026-03-02T00:00:00.000Z',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('keys are compared without regard to case', async () => {
  const body = JSON.stringify({
    coins: { [`Ethereum:${ann.address.toUpperCase()}`]: { price: 2, timestamp: TIME } },
  })
  server = await startServer((_, response) => response.end(body))
  const { priceOf, receipt } = await sourceAt(server.base).prices([ann], TIME)
  expect(priceOf(ann).price).toBe(2)
  expect(receipt.digest).toBe(createHash('sha256').update(body).digest('hex'))
})

const many = Array.from({ length: 300 }, (_, at) => token(`T${at}`))
const manyCoins = Object.fromEntries(
  many.map(({ address }, at) => [`ethereum:${address}`, { price: at + 1 }]),
)

test('many tokens are requested by URLs of at most 2 kB, each token once; the digest does not depend on their order', async () => {
  const first = await pricesOf(manyCoins, many)
  const urls = server?.requests.map(({ url }) => url) ?? []
  const lengths = urls.map((url) => `${server?.base}${url}`.length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(2000)
  expect(Math.max(...lengths)).toBeGreaterThan(1900)
  const asked = urls.flatMap((url) => url.split('/').at(-1)?.split(',') ?? [])
  expect(asked.length).toBe(300)
  expect(new Set(asked)).toEqual(new Set(Object.keys(manyCoins)))
  many.forEach((one, at) => void expect(first.priceOf(one).price).toBe(at + 1))

  const again = await sourceAt(server?.base ?? '').prices(many.toReversed(), TIME)
  expect(again.receipt.digest).toBe(first.receipt.digest)
})

test('no more than a few requests are under way at once', async () => {
  let now = 0
  let most = 0
  server = await startServer(async (_, response) => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 15))
    now--
    answerJson(response, { coins: {} })
  })
  await sourceAt(server.base).prices(many, TIME)
  expect(server.requests.length).toBeGreaterThan(5)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(4)
})

const what = (one: ChainToken, chain = 'ethereum (chain 1)') =>
  `${one.symbol} (${one.address}) on ${chain} at 2026-03-02T00:00:00.000Z`
const HOURS = 3600

test.each<[string, Coin | undefined, string]>([
  ['is not known', undefined, 'it does not know the token'],
  ['is zero', { price: 0 }, 'the price must be a number above 0, not 0'],
  ['is negative', { price: -1 }, 'the price must be a number above 0, not -1'],
  ['is NaN as a text', { price: 'NaN' }, 'the price must be a number above 0, not "NaN"'],
  ['is null', { price: null }, 'the price must be a number above 0, not null'],
  ['is a text', { price: '2' }, 'the price must be a number above 0, not "2"'],
  ['is not sure', { price: 1, confidence: 0.89 }, 'its confidence, 0.89, is below 0.9'],
  [
    'is not sure in a strange way',
    { price: 1, confidence: 'high' },
    'its confidence, "high", is below 0.9',
  ],
  [
    'is of long before',
    { price: 1, timestamp: TIME - 6 * HOURS - 1 },
    'its price is of 2026-03-01T17:59:59.000Z, more than 21600 s away',
  ],
  [
    'is of long after',
    { price: 1, timestamp: TIME + 7 * HOURS },
    'its price is of 2026-03-02T07:00:00.000Z, more than 21600 s away',
  ],
  [
    'is of no moment',
    { price: 1, timestamp: 1e20 },
    'its price is of second 100000000000000000000, more than 21600 s away',
  ],
  ['has no moment', { price: 1, timestamp: null }, 'its price has no timestamp'],
  [
    'has strange decimals',
    { price: 1, decimals: 1.5 },
    'the decimals must be an integer from 0 to 255, not 1.5',
  ],
])('a token whose price %s has none, which fails whoever needs it', async (_, coin, reason) => {
  const ben = token('BEN')
  const { priceOf } = await pricesOf(
    {
      [`ethereum:${ben.address}`]: { price: 1 },
      ...(coin && { [`ethereum:${ann.address}`]: coin }),
    },
    [ann, ben],
  )
  expect(priceOf(ben).price).toBe(1)
  expect(() => priceOf(ann)).toThrow(
    `The source of prices, ${server?.base}, failed: no price of ${what(ann)} can be had: ${reason}.`,
  )
})

test('a price that is old, but not too old, will do', async () => {
  const coin = { price: 1, timestamp: TIME - 6 * HOURS }
  expect((await pricesOf({ [`ethereum:${ann.address}`]: coin }, [ann])).priceOf(ann).price).toBe(1)
})

test('a token on a chain without a name', async () => {
  const lost = token('LOST', { chainId: 424242 })
  const { priceOf } = await pricesOf({}, [lost])
  expect(() => priceOf(lost)).toThrow(
    /LOST .* on chain 424242 at .*: it has no name for the chain; PRICES_CHAINS=424242=name gives one\. To store its positions without points, run `gateway manualupdate --accept`\.$/,
  )
  expect(server?.requests).toEqual([])
})

test('decimals that differ from the store fail', async () => {
  const { priceOf } = await pricesOf({ [`ethereum:${ann.address}`]: { price: 1, decimals: 8 } }, [
    ann,
  ])
  expect(() => priceOf(ann)).toThrow(
    `The source of prices, ${server?.base}, failed: it counts ${what(ann)} in 8 decimals, but the store in 18.`,
  )
})

test('decimals that nobody knows fail', async () => {
  const bare = token('ANN', { decimals: undefined })
  const { priceOf } = await pricesOf({ [`ethereum:${ann.address}`]: { price: 1 } }, [bare])
  expect(() => priceOf(bare)).toThrow(`neither it nor the store has the decimals of ${what(ann)}.`)
})

test('coins that were not requested are ignored', async () => {
  const { address } = token('BEN')
  const coin = { price: 1, timestamp: TIME }
  server = await startServer((_, response) =>
    answerJson(response, {
      coins: { [`ethereum:${address}`]: coin, [`base:${ann.address}`]: coin },
    }),
  )
  const { priceOf, receipt } = await sourceAt(server.base).prices([ann], TIME)
  expect(receipt.count).toBe(0)
  expect(() => priceOf(ann)).toThrow('it does not know the token')
})

test.each([
  ['{"coins": []}', 'its answer has no object "coins"'],
  ['[]', 'its answer has no object "coins"'],
  ['{}', 'its answer has no object "coins"'],
  ['<html>', 'its answer is not JSON, but HTML: <html>'],
])('an answer of another shape, %s', async (body, reason) => {
  server = await startServer((_, response) => response.end(body))
  await expect(sourceAt(server.base).prices([ann], TIME)).rejects.toMatchObject({
    code: 'SOURCE_FAILED',
    message: `The source of prices, ${server.base}, failed: ${reason}.`,
  })
})

test('the name holds nothing of the path and the query, where keys are', async () => {
  server = await startServer((_, response) => answerJson(response, { coins: {} }))
  const source = sourceAt(`${server.base}/key-in-path/coins?key=hidden`)
  expect(source.name).toMatch(/^http:\/\/127\.0\.0\.1:\d+ \([0-9a-f]{8}\)$/)
  await source.prices([ann], TIME)
  expect(server.requests[0]?.url).toBe(
    `/key-in-path/coins/prices/historical/${TIME}/ethereum:${ann.address}?key=hidden`,
  )
})
