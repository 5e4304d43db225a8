import { createHash } from 'node:crypto'
import pMap from 'p-map'
import { shownUrl } from '../secrets.ts'
import { type Client, cut, parseJson, sourceFailed, urlBelow } from './client.ts'
import type { SourceReceipt } from './fetched.ts'
import { isObject } from './json.ts'
import type { OnUnpriced, SourceToken } from './positions/positions-source.ts'

export interface PriceSource {
  /** The name in messages and records, without secrets. */
  name: string
  /**
   * Fetches the prices of tokens at a point in time.
   * @param time Unix seconds
   * @throws SOURCE_FAILED when the source cannot be read
   */
  prices(tokens: readonly ChainToken[], time: number, signal?: AbortSignal): Promise<FetchedPrices>
}

export interface ChainToken extends SourceToken {
  chainId: number
}

export interface FetchedPrices {
  /**
   * The price of a requested token, and its decimals.
   * @param onUnpriced called if the source has no plausible price, which then is 0
   * @throws SOURCE_FAILED, which names the token, if there is no such price, or its decimals differ
   * from the store's
   */
  priceOf(token: ChainToken, onUnpriced?: OnUnpriced): TokenPrice
  receipt: SourceReceipt
}

export interface TokenPrice {
  price: number
  decimals: number
}

export interface PricesSettings {
  /** The base URL of a server with the coins API of DefiLlama. */
  url: string
  /** The operator's name for the source. */
  name?: string | undefined
  /** The maximum distance of a price from the requested time, in seconds. */
  maxAgeSeconds: number
  /** Additional chain names by id. */
  chains?: Readonly<Record<string, string>>
}

const chainNames: Readonly<Record<string, string>> = {
  1: 'ethereum',
  10: 'optimism',
  25: 'cronos',
  56: 'bsc',
  100: 'xdai',
  130: 'unichain',
  137: 'polygon',
  146: 'sonic',
  250: 'fantom',
  252: 'fraxtal',
  324: 'era',
  480: 'wc',
  999: 'hyperliquid',
  1101: 'polygon_zkevm',
  1329: 'sei',
  5000: 'mantle',
  8453: 'base',
  34443: 'mode',
  42161: 'arbitrum',
  42220: 'celo',
  43114: 'avax',
  57073: 'ink',
  59144: 'linea',
  80094: 'berachain',
  81457: 'blast',
  534352: 'scroll',
}

// Such servers reject longer URLs.
const MAX_URL = 2000
const CONCURRENT = 4
const MIN_CONFIDENCE = 0.9

/**
 * Prices from a server with the coins API of DefiLlama:
 * `/prices/historical/{unix}/{chain:address,...}`.
 */
export function coinPrices(
  client: Client,
  { url, name: given, maxAgeSeconds, chains = {} }: PricesSettings,
): PriceSource {
  const name = shownUrl(url, given)
  const called = `The source of prices, ${name},`
  const names: Readonly<Record<string, string>> = { ...chainNames, ...chains }
  const coinOf = ({ chainId, address }: ChainToken) =>
    names[chainId] && `${names[chainId]}:${address}`

  return {
    name,
    async prices(tokens, time, signal) {
      const requested = [...new Set(tokens.map(coinOf).filter((coin) => coin !== undefined))].sort()
      const answers = await pMap(
        urlsOf(url, time, requested),
        async (part) => {
          const body = await client.bytes(called, part, { signal })
          return { body, coins: coinsOf(called, body) }
        },
        { concurrency: CONCURRENT },
      )
      const prices = new Map(answers.flatMap(({ coins }) => coins))
      const hash = createHash('sha256')
      for (const { body } of answers) hash.update(body)
      const receipt: SourceReceipt = {
        kind: 'PRICES',
        name,
        digest: hash.digest('hex'),
        count: requested.filter((coin) => prices.has(coin.toLowerCase())).length,
        block: null,
        time: isoOf(time),
        fetchedAt: new Date().toISOString(),
      }
      return {
        receipt,
        priceOf(token, onUnpriced) {
          const { chainId, address, decimals: stored } = token
          const symbol = cut(token.symbol, 40)
          const coin = coinOf(token)
          const chain =
            coin === undefined ? `chain ${chainId}` : `${names[chainId]} (chain ${chainId})`
          const what = `${symbol} (${address}) on ${chain} at ${isoOf(time)}`
          const price =
            coin === undefined
              ? `it has no name for the chain; PRICES_CHAINS=${chainId}=name gives one`
              : readPrice(prices.get(coin.toLowerCase()), time, maxAgeSeconds)
          if (typeof price === 'string') {
            const clause = `no price of ${what} can be had: ${price}`
            if (!onUnpriced || stored === undefined)
              throw sourceFailed(called, `${clause}. ${remedy(stored)}`)
            onUnpriced(
              `${called} failed: ${clause}. Its positions have no value and no points on its side.`,
            )
            return { price: 0, decimals: stored }
          }
          const decimals = stored ?? price.decimals
          if (decimals === undefined)
            throw sourceFailed(called, `neither it nor the store has the decimals of ${what}`)
          if (price.decimals !== undefined && price.decimals !== decimals)
            throw sourceFailed(
              called,
              `it counts ${what} in ${price.decimals} decimals, but the store in ${decimals}`,
            )
          return { price: price.price, decimals }
        },
      }
    },
  }
}

// The way to go on without a price. A token whose decimals are not known has no amounts either.
const remedy = (decimals: number | undefined) =>
  decimals === undefined
    ? ''
    : 'To store its positions without points, run `gateway manualupdate --accept`'

function urlsOf(base: string, time: number, coins: string[]): string[] {
  const urlOf = (part: string[]) => urlBelow(base, `prices/historical/${time}/${part.join(',')}`)
  const parts: string[][] = []
  let room = 0
  for (const coin of coins) {
    room -= coin.length + 1
    const last = parts.at(-1)
    if (last && room >= 0) last.push(coin)
    else {
      parts.push([coin])
      room = MAX_URL - urlOf([coin]).length
    }
  }
  return parts.map(urlOf)
}

function coinsOf(called: string, body: Buffer): [string, unknown][] {
  const answer = parseJson(called, body)
  const coins = isObject(answer) ? answer.coins : undefined
  if (!isObject(coins)) throw sourceFailed(called, 'its answer has no object "coins"')
  return Object.entries(coins).map(([coin, value]) => [coin.toLowerCase(), value])
}

function readPrice(
  coin: unknown,
  time: number,
  maxAgeSeconds: number,
): (Partial<TokenPrice> & { price: number }) | string {
  if (coin === undefined) return 'it does not know the token'
  if (!isObject(coin)) return 'what it says of the token is no object'
  const { price, timestamp, confidence, decimals } = coin
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0)
    return `the price must be a number above 0, not ${asJson(price)}`
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp))
    return 'its price has no timestamp'
  if (Math.abs(timestamp - time) > maxAgeSeconds)
    return `its price is of ${isoOf(timestamp)}, more than ${maxAgeSeconds} s away`
  if (confidence !== undefined && confidence !== null && !(Number(confidence) >= MIN_CONFIDENCE))
    return `its confidence, ${asJson(confidence)}, is below ${MIN_CONFIDENCE}`
  if (decimals === undefined || decimals === null) return { price }
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 255)
    return `the decimals must be an integer from 0 to 255, not ${asJson(decimals)}`
  return { price, decimals }
}

const asJson = (value: unknown) => cut(String(JSON.stringify(value)), 40)

function isoOf(time: number): string {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? `second ${time}` : date.toISOString()
}
