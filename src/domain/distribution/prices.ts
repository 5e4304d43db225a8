import type { Queryable } from '../../db/write.ts'
import { GatewayError } from '../../errors.ts'

interface StagedToken {
  chain_id: string
  token: string
  symbol: string
  low: number
  high: number
}

interface PairSide {
  chain_id: string
  token: string
  side: 'a' | 'b'
  pool_key: number
  pair_key: number
}

interface Price {
  price: number
  date: string
  id: string
}

const ofBothSides = (select: (side: 'a' | 'b') => string) =>
  `${select('a')} UNION ALL ${select('b')}`

const STAGED = `SELECT chain_id, token, min(symbol) AS symbol, min(low) AS low, max(high) AS high
  FROM (${ofBothSides(
    (s) => `SELECT pool.chain_id, ${s}_token_address AS token, min(${s}_token_symbol) AS symbol,
    min(${s}_token_price) AS low, max(${s}_token_price) AS high
    FROM staged JOIN pool ON pool.id = staged.pool_address
    GROUP BY pool.chain_id, ${s}_token_address`,
  )}) s GROUP BY chain_id, token ORDER BY token`

const SIDES = ofBothSides(
  (s) => `SELECT pool.chain_id, k.${s}_token_address AS token, '${s}' AS side,
      k.pool_key, k.key AS pair_key
    FROM token_pair k JOIN pool ON pool.key = k.pool_key WHERE k.${s}_token_address = ANY($1)`,
)

const AT_ONCE = 100

// The newest valid price before a day of each of some tokens, by `tokenKey`, in all pools that have
// the token on a side. Each pair has a separate lookup: a lateral join with a LIMIT would not do
// where rows are spread over servers.
async function newestPrices(
  client: Queryable,
  day: string,
  tokens: string[],
): Promise<Map<string, Price>> {
  const newest = new Map<string, Price>()
  const { rows: sides } = await client.query<PairSide>(SIDES, [tokens])
  for (let from = 0; from < sides.length; from += AT_ONCE) {
    const lookUps = sides.slice(from, from + AT_ONCE).map(
      (
        { side, pool_key, pair_key },
        i,
      ) => `(SELECT ${from + i} AS nth, ${side}_token_price AS price,
          distribution_date::text AS date, id FROM stored_position
        WHERE pool_key = ${pool_key} AND pair_key = ${pair_key} AND distribution_date < $1
          AND ${side}_token_price > 0
        ORDER BY distribution_date DESC, id LIMIT 1)`,
    )
    const { rows } = await client.query<Price & { nth: number }>(lookUps.join(' UNION ALL '), [day])
    for (const { nth, ...price } of rows) {
      const key = tokenKey(sides[nth] as PairSide)
      const other = newest.get(key)
      if (!other || price.date > other.date || (price.date === other.date && price.id < other.id))
        newest.set(key, price)
    }
  }
  return newest
}

// Tokens with the same address on two chains are two tokens.
const tokenKey = ({ chain_id, token }: Pick<StagedToken, 'chain_id' | 'token'>) =>
  `${chain_id} ${token}`

/**
 * Rejects staged positions with implausible prices: 0 or less, or more than a factor of `maxJump`
 * above or below the token's price on the date before.
 * @throws SOURCE_FAILED that names the source of prices, the token and its prices
 */
export async function assertPrices(
  client: Queryable,
  day: string,
  source: string,
  { maxJump, isZeroValid }: { maxJump: number; isZeroValid: boolean },
): Promise<void> {
  const { rows: staged } = await client.query<StagedToken>(STAGED)
  const tokens = staged.map(({ token }) => token)
  const newest = await newestPrices(client, day, tokens)
  for (const { symbol, low, high, ...token } of staged) {
    const before = newest.get(tokenKey(token))
    for (const price of [low, high]) {
      if (price === 0 && isZeroValid) continue
      const reason = suspicion(price, before, maxJump)
      if (reason)
        throw new GatewayError(
          'SOURCE_FAILED',
          `The source of prices, ${source}, failed: the price of ${symbol} (${token.token}) ` +
            `${reason}.`,
        )
    }
  }
}

function suspicion(price: number, before: Price | undefined, maxJump: number): string | undefined {
  if (price <= 0) return `is ${price}`
  if (!before || (price <= before.price * maxJump && price >= before.price / maxJump))
    return undefined
  return (
    `went from ${before.price} on ${before.date} to ${price}, by more than ${maxJump} ` +
    'times; if that is right, raise MAX_PRICE_JUMP and run again'
  )
}
