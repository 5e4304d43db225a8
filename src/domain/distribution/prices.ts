import type { PoolClient } from 'pg'
import { GatewayError } from '../../errors.ts'

interface Suspect {
  symbol: string
  token: string
  price: number
  before: number | null
  before_date: string | null
}

/** A token's prices in the staged positions of each side. The chain distinguishes tokens with the same address. */
const STAGED = (['a', 'b'] as const)
  .map(
    (s) => `SELECT pool.chain_id, ${s}_token_address AS token, min(${s}_token_symbol) AS symbol,
      min(${s}_token_price) AS low, max(${s}_token_price) AS high
      FROM staged JOIN pool ON pool.id = staged.market_address GROUP BY pool.chain_id, ${s}_token_address`,
  )
  .join(' UNION ALL ')

/** The newest valid price of a token `t` before a day in each pool that has it on a side. */
const BEFORE = (['a', 'b'] as const)
  .map(
    (s) => `SELECT newest.* FROM token_pair k JOIN pool ON pool.key = k.pool_key AND pool.chain_id = t.chain_id
      CROSS JOIN LATERAL (SELECT p.${s}_token_price AS price, p.distribution_date AS date, p.id FROM position p
        WHERE p.pool_key = k.pool_key AND p.pair_key = k.key AND p.distribution_date < $1 AND p.${s}_token_price > 0
        ORDER BY p.distribution_date DESC, p.id LIMIT 1) newest
      WHERE k.${s}_token_address = t.token`,
  )
  .join(' UNION ALL ')

/**
 * Rejects staged positions with implausible prices: 0 or less, or more than a factor of `maxJump` above or below the
 * token's price on the date before.
 * @throws SOURCE_FAILED that names the source of prices, the token and its prices
 */
export async function assertPrices(client: PoolClient, day: string, source: string, maxJump: number): Promise<void> {
  const { rows } = await client.query<Suspect>(
    `SELECT t.symbol, t.token, x.price, before.price AS before, before.date::text AS before_date
     FROM (SELECT chain_id, token, min(symbol) AS symbol, min(low) AS low, max(high) AS high FROM (${STAGED}) s
       GROUP BY chain_id, token) t
     LEFT JOIN LATERAL (SELECT * FROM (${BEFORE}) b ORDER BY date DESC, id LIMIT 1) before ON true
     CROSS JOIN LATERAL (VALUES (t.low), (t.high)) x(price)
     WHERE x.price <= 0 OR x.price > before.price * $2 OR x.price < before.price / $2
     ORDER BY t.token LIMIT 1`,
    [day, maxJump],
  )
  const [suspect] = rows
  if (!suspect) return
  const { symbol, token, price, before, before_date } = suspect
  const reason =
    price <= 0
      ? `the price of ${symbol} (${token}) is ${price}`
      : `the price of ${symbol} (${token}) went from ${before} on ${before_date} to ${price}, by more than ${maxJump} ` +
        'times; if that is right, raise MAX_PRICE_JUMP and run again'
  throw new GatewayError('SOURCE_FAILED', `The source of prices, ${source}, failed: ${reason}.`)
}
