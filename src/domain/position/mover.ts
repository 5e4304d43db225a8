import type { Writer } from '../../db/write.ts'

// How many daily prices say whether prices move together, how many of a day both need at least, and
// the most by which their ratio may then differ.
const PRICES = 90
const FEWEST = 30
const SPREAD = 1.05

const pricesOf = (side: 'a' | 'b') => `(SELECT d.date, d.price_usd AS ${side} FROM asset_price d
      WHERE d.chain_id = o.chain_id AND d.asset_address = p.${side}_token_address
      ORDER BY d.date DESC LIMIT ${PRICES}) ${side}`

const isSteady = (value: string) => `count(${value}) >= ${FEWEST}
        AND max(${value}) <= min(${value}) * ${SPREAD}`

/**
 * A query of the pairs of tokens whose stored `mover` is not what tokens and prices now say: `both`
 * if the prices move together, else the side that moves against a stable one. Tokens that say what
 * they move with decide; for others their newest daily prices do.
 */
export const WRONG_MOVERS = `SELECT p.key, m.mover
  FROM token_pair p JOIN pool o ON o.key = p.pool_key
  LEFT JOIN token ta ON ta.chain_id = o.chain_id AND ta.address = p.a_token_address
  LEFT JOIN token tb ON tb.chain_id = o.chain_id AND tb.address = p.b_token_address
  CROSS JOIN LATERAL (
    SELECT ${isSteady('a.a')} AS a, ${isSteady('b.b')} AS b, ${isSteady('a.a / b.b')} AS ratio
    FROM ${pricesOf('a')} FULL JOIN ${pricesOf('b')} USING (date)) measured
  CROSS JOIN LATERAL (
    SELECT coalesce(ta.moves_with = 'USD', measured.a, false) AS a,
      coalesce(tb.moves_with = 'USD', measured.b, false) AS b,
      coalesce(ta.moves_with = tb.moves_with, measured.ratio, false) AS ratio) steady
  CROSS JOIN LATERAL (
    SELECT CASE WHEN steady.ratio OR (steady.a AND steady.b) THEN 'both'
      WHEN steady.a THEN 'b' WHEN steady.b THEN 'a' END AS mover) m
  WHERE m.mover IS DISTINCT FROM p.mover`

/** Stores which token of each pair moves. @returns how many pairs changed */
export async function refreshMovers(writer: Writer): Promise<number> {
  const { rows: wrong } = await writer.query(WRONG_MOVERS)
  if (wrong.length === 0) return 0
  await writer.query(
    `UPDATE token_pair p SET mover = r.mover
     FROM json_to_recordset($1) AS r(key int, mover text) WHERE p.key = r.key`,
    [JSON.stringify(wrong)],
  )
  return wrong.length
}
