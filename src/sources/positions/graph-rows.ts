import type { PositionsByCursorQuery } from '../../generated/source-operations/graphql.ts'
import { sourceFailed } from '../client.ts'
import { isObject } from '../json.ts'
import { PairSet } from '../mirror/pair-set.ts'
import type { FetchedPrices, TokenPrice } from '../prices.ts'
import { type Name, type Names, pathBelow } from './graph-names.ts'
import { described, down, fieldName, type PositionsPage } from './graph-page.ts'
import type { OnUnpriced, SourcePool, SourceToken } from './positions-source.ts'

interface PricedPool {
  index: number
  id: string
  a: PricedToken
  b: PricedToken
}

interface PricedToken extends TokenPrice {
  address: string
  symbol: string
}

type GraphPosition = PositionsByCursorQuery['positions']['nodes'][number]
const amountNames = [
  'aSupplied',
  'aProtected',
  'aBorrowed',
  'bSupplied',
  'bProtected',
  'bBorrowed',
] as const satisfies (keyof GraphPosition)[]
const rowNames = ['user', 'pool', ...amountNames] as const satisfies (keyof GraphPosition & Name)[]
type ReceivedRow = Record<keyof GraphPosition, unknown>

/**
 * Creates a reader that converts rows to position records of the import format, with amounts in
 * whole tokens and USD. It remembers rows over all pages to detect duplicates.
 */
export function rowsReader(options: {
  /** The name of the source in messages. */
  called: string
  names: Names
  pools: ReadonlyMap<string, SourcePool>
  prices: FetchedPrices
  onUnpriced?: OnUnpriced | undefined
  /** YYYY-MM-DD */
  date: string
  /** The expected number of rows, as reported by the source. */
  totalCount: number
}): (page: PositionsPage) => Record<string, unknown>[] {
  const { called, names, pools, prices, onUnpriced } = options
  const unpriced = new Map<string, TokenPrice>()
  const distributionDate = `${options.date}T00:00:00.000Z`
  const seen = new PairSet(options.totalCount)
  const priced = new Map<string, PricedPool>()
  const paths = rowNames
    .map((name) => ({ name, path: pathBelow(names, name) }))
    .filter(({ path }) => path.length > 0)

  const pricedToken = (chainId: number, token: SourceToken): PricedToken => ({
    address: token.address,
    symbol: token.symbol,
    ...priceOf(chainId, token),
  })
  /** A token may be in several pools. */
  function priceOf(chainId: number, token: SourceToken): TokenPrice {
    const key = `${chainId} ${token.address}`
    const price = unpriced.get(key) ?? prices.priceOf({ chainId, ...token }, onUnpriced)
    if (price.price === 0) unpriced.set(key, price)
    return price
  }

  /** The pool of an id in any case. Undefined if it is not stored. */
  function poolOf(id: string): PricedPool | undefined {
    const lower = id.toLowerCase()
    const pool = pools.get(lower)
    const cached = priced.get(lower)
    if (cached || !pool) return cached
    const { chainId, a, b } = pool
    const entry = {
      index: priced.size,
      id: lower,
      a: pricedToken(chainId, a),
      b: pricedToken(chainId, b),
    }
    priced.set(lower, entry)
    return entry
  }

  const plainRow = (node: Record<string, unknown>): ReceivedRow => {
    const row = { ...node } as unknown as ReceivedRow
    for (const { name, path } of paths) row[name] = down(node[name], path)
    return row
  }

  /** @throws RowFault */
  function record(node: unknown): Record<string, unknown> {
    if (!isObject(node)) throw new RowFault(`a position must be an object, not ${described(node)}`)
    const row = paths.length === 0 ? (node as unknown as ReceivedRow) : plainRow(node)
    const { user, pool: id } = row

    const pool = typeof id === 'string' ? (priced.get(id) ?? poolOf(id)) : undefined
    if (!pool)
      throw new RowFault(
        `${fieldName(names, 'pool')} must be a pool of the store, not ${described(id)}`,
      )
    const isNew = typeof user === 'string' ? seen.add(user, pool.index) : undefined
    if (isNew === undefined || typeof user !== 'string')
      throw new RowFault(
        `${fieldName(names, 'user')} must be an address (0x and 40 hex digits), not ` +
          `${described(user)}`,
      )
    if (!isNew) throw new RowFault(`it repeats the position of ${user} in ${pool.id}`)

    const { a, b } = pool
    const aSupplied = tokensOf(row.aSupplied, a.decimals)
    const aProtected = tokensOf(row.aProtected, a.decimals)
    const aBorrowed = tokensOf(row.aBorrowed, a.decimals)
    const bSupplied = tokensOf(row.bSupplied, b.decimals)
    const bProtected = tokensOf(row.bProtected, b.decimals)
    const bBorrowed = tokensOf(row.bBorrowed, b.decimals)
    // NaN if an amount is invalid, infinite if its value exceeds a double.
    const worth =
      (aSupplied + aProtected + aBorrowed) * a.price +
      (bSupplied + bProtected + bBorrowed) * b.price
    if (!(worth < Number.POSITIVE_INFINITY)) {
      const name = amountNames.find((amount) => Number.isNaN(tokensOf(row[amount], 0)))
      if (!name) throw new RowFault('its amounts are worth more than a number can hold')
      throw new RowFault(`${fieldName(names, name)} must be ${AMOUNT}, not ${described(row[name])}`)
    }
    return {
      userAddress: user.toLowerCase(),
      marketAddress: pool.id,
      distributionDate,
      aTokenAddress: a.address,
      aTokenSymbol: a.symbol,
      aTokenPrice: a.price,
      aSuppliedAmount: aSupplied,
      aSuppliedAmountUsd: aSupplied * a.price,
      aProtectedSuppliedAmount: aProtected,
      aProtectedSuppliedAmountUsd: aProtected * a.price,
      aBorrowedAmount: aBorrowed,
      aBorrowedAmountUsd: aBorrowed * a.price,
      bTokenAddress: b.address,
      bTokenSymbol: b.symbol,
      bTokenPrice: b.price,
      bSuppliedAmount: bSupplied,
      bSuppliedAmountUsd: bSupplied * b.price,
      bProtectedSuppliedAmount: bProtected,
      bProtectedSuppliedAmountUsd: bProtected * b.price,
      bBorrowedAmount: bBorrowed,
      bBorrowedAmountUsd: bBorrowed * b.price,
    }
  }

  return ({ number, nodes }) => {
    const records: Record<string, unknown>[] = []
    try {
      for (const node of nodes) records.push(record(node))
    } catch (error) {
      if (!(error instanceof RowFault)) throw error
      throw sourceFailed(called, `page ${number}, row ${records.length + 1}: ${error.message}`)
    }
    return records
  }
}

class RowFault extends Error {}

const AMOUNT = 'a decimal string from 0 to 2^256-1'
const DIGITS = /^[0-9]{1,78}$/
const MAX = String(2n ** 256n - 1n)
// The powers of ten that a double represents exactly.
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/**
 * Converts an amount in the token's smallest unit to the nearest double in whole tokens. NaN if it
 * is invalid.
 */
export function tokensOf(amount: unknown, decimals: number): number {
  if (amount === '0') return 0
  if (typeof amount !== 'string' || !DIGITS.test(amount)) return Number.NaN
  if (amount.length === MAX.length && amount > MAX) return Number.NaN
  // Rounded once either way: both parts of the quotient are exact.
  const power = amount.length <= 15 ? POWERS[decimals] : undefined
  return power === undefined ? Number(`${amount}e-${decimals}`) : Number(amount) / power
}
