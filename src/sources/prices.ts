import { createHash } from 'node:crypto'
import pMap from 'p-map'
import { type Client, cut, parseJson, sourceFailed, urlBelow } from './client.ts'
import type { SourceReceipt, SourceToken } from './positions/positions-source.ts'

/** Where the prices of tokens at a moment come from. */
export interface PriceSource {
  /** What messages and records call it; it holds no secret. */
  name: string
  /**
   * The prices of tokens at a moment.
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
   * The price of a token that was asked for, and its decimals by the store and the source.
   * @throws SOURCE_FAILED, naming the token, where the source has no price of it that can be believed, or where it and
   *   the store do not agree about the decimals
   */
  priceOf(token: ChainToken): TokenPrice
  receipt: SourceReceipt
}

export interface TokenPrice {
  price: number
  decimals: number
}

export interface PricesSettings {
  /** The base URL of a server that speaks as the coins API of DefiLlama does. */
  url: string
  /** How far the moment of a price may be from the one that was asked for, in seconds. */
  maxAgeSeconds: number
  /** Names of chains by their ids, besides those that are known. */
  chains?: Readonly<Record<string, string>>
}

/** DefiLlama's names of chains. */
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

/** A longer URL is refused by servers of this kind. */
const MAX_URL = 2000
const CONCURRENT = 4
const MIN_CONFIDENCE = 0.9

/** Prices from a server that speaks as the coins API of DefiLlama does: `/prices/historical/{unix}/{chain:address,...}`. */
export function coinPrices(client: Client, { url, maxAgeSeconds, chains = {} }: PricesSettings): PriceSource {
  // Keys of such servers are in the path.
  const name = new URL(url).origin
  const called = `The source of prices, ${name},`
  const names: Readonly<Record<string, string>> = { ...chainNames, ...chains }
  const coinOf = ({ chainId, address }: ChainToken) => names[chainId] && `${names[chainId]}:${address}`

  return {
    name,
    async prices(tokens, time, signal) {
      const asked = [...new Set(tokens.map(coinOf).filter((coin) => coin !== undefined))].sort()
      const answers = await pMap(
        urlsOf(url, time, asked),
        async (part) => {
          const body = await client.bytes(called, part, { signal })
          return { body, coins: coinsOf(called, body) }
        },
        { concurrency: CONCURRENT },
      )
      const known = new Map(answers.flatMap(({ coins }) => coins))
      const hash = createHash('sha256')
      for (const { body } of answers) hash.update(body)
      const receipt: SourceReceipt = {
        kind: 'PRICES',
        name,
        digest: hash.digest('hex'),
        count: asked.filter((coin) => known.has(coin.toLowerCase())).length,
        block: null,
        time: isoOf(time),
        fetchedAt: new Date().toISOString(),
      }
      return {
        receipt,
        priceOf(token) {
          const { chainId, address, decimals: stored } = token
          const symbol = cut(token.symbol, 40)
          const coin = coinOf(token)
          const chain = coin === undefined ? `chain ${chainId}` : `${names[chainId]} (chain ${chainId})`
          const what = `${symbol} (${address}) on ${chain} at ${isoOf(time)}`
          const no = (reason: string) => sourceFailed(called, `no price of ${what} can be had: ${reason}`)

          if (coin === undefined) throw no(`it has no name for the chain; PRICES_CHAINS=${chainId}=name gives one`)
          const found = readPrice(known.get(coin.toLowerCase()), time, maxAgeSeconds)
          if (typeof found === 'string') throw no(found)
          const decimals = stored ?? found.decimals
          if (decimals === undefined)
            throw sourceFailed(called, `neither it nor the store tells the decimals of ${what}`)
          if (found.decimals !== undefined && found.decimals !== decimals)
            throw sourceFailed(called, `it counts ${what} in ${found.decimals} decimals, but the store in ${decimals}`)
          return { price: found.price, decimals }
        },
      }
    },
  }
}

/** The URLs that ask for all coins, none of them long. */
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

/** An answer's coins by their keys, lower-case. */
function coinsOf(called: string, body: Buffer): [string, unknown][] {
  const answer = parseJson(called, body)
  const coins = isObject(answer) ? answer.coins : undefined
  if (!isObject(coins)) throw sourceFailed(called, 'its answer has no object "coins"')
  return Object.entries(coins).map(([coin, value]) => [coin.toLowerCase(), value])
}

/** What the source says of one coin, or why that cannot be believed. */
function readPrice(
  coin: unknown,
  time: number,
  maxAgeSeconds: number,
): (Partial<TokenPrice> & { price: number }) | string {
  if (coin === undefined) return 'it does not know the token'
  if (!isObject(coin)) return 'what it says of the token is no object'
  const { price, timestamp, confidence, decimals } = coin
  if (typeof price !== 'number' || !Number.isFinite(price) || price <= 0)
    return `the price must be a number above 0, not ${cut(String(JSON.stringify(price)), 40)}`
  if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return 'its price has no timestamp'
  if (Math.abs(timestamp - time) > maxAgeSeconds)
    return `its price is of ${isoOf(timestamp)}, more than ${maxAgeSeconds} s away`
  if (confidence !== undefined && confidence !== null && !(Number(confidence) >= MIN_CONFIDENCE))
    return `its confidence, ${cut(String(JSON.stringify(confidence)), 40)}, is below ${MIN_CONFIDENCE}`
  if (decimals === undefined || decimals === null) return { price }
  if (typeof decimals !== 'number' || !Number.isInteger(decimals) || decimals < 0 || decimals > 255)
    return `the decimals must be an integer from 0 to 255, not ${cut(String(JSON.stringify(decimals)), 40)}`
  return { price, decimals }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A moment in ISO 8601; Unix seconds as they are where a date cannot hold them. */
function isoOf(time: number): string {
  const date = new Date(time * 1000)
  return Number.isNaN(date.getTime()) ? `second ${time}` : date.toISOString()
}
