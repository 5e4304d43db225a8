import type { Queryable } from '../../db/write.ts'
import type { SourcePool } from '../../sources/positions/positions-source.ts'

/** The stored pools by id, for a source of positions: tokens with the decimals of their markets. */
export async function sourcePools(client: Queryable): Promise<Map<string, SourcePool>> {
  const { rows } = await client.query<{
    id: string
    chain_id: string
    a: string
    a_symbol: string
    a_decimals: number | null
    b: string
    b_symbol: string
    b_decimals: number | null
  }>(
    `SELECT p.id, p.chain_id, p.asset_1_address AS a, p.asset_1_symbol AS a_symbol,
      m1.asset_decimals AS a_decimals,
       p.asset_2_address AS b, p.asset_2_symbol AS b_symbol, m2.asset_decimals AS b_decimals
     FROM pool p
     LEFT JOIN market m1 ON m1.chain_id = p.chain_id AND m1.id = p.unit_1_id
     LEFT JOIN market m2 ON m2.chain_id = p.chain_id AND m2.id = p.unit_2_id`,
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        chainId: Number(row.chain_id),
        a: { address: row.a, symbol: row.a_symbol, decimals: row.a_decimals ?? undefined },
        b: { address: row.b, symbol: row.b_symbol, decimals: row.b_decimals ?? undefined },
      },
    ]),
  )
}
