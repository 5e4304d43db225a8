import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { pools } from '../pool/pool.ts'
import { decimalsSql, movesWithSql, nameSql } from './token.ts'

const columns = sqlColumns({
  chainId: {
    sql: 't.chain_id',
    type: 'integer',
    description: 'The id of the chain that the asset is on.',
    sort: true,
  },
  address: { sql: 't.address', type: 'address', description: "The asset's address.", sort: true },
  symbol: {
    sql: 't.symbol',
    type: 'text',
    description: "The asset's symbol.",
    filter: 'symbols',
    sort: true,
  },
  name: {
    sql: nameSql('t.chain_id', 't.address', 't.name'),
    type: 'text',
    description:
      "The asset's name: that of `tokens.jsonl` or else of a pool. Its symbol without either.",
    sort: true,
  },
  decimals: {
    sql: decimalsSql('t.chain_id', 't.address'),
    type: 'int',
    nullable: true,
    description: 'The number of decimals. Null if no market or vault lends the asset.',
  },
  movesWith: {
    sql: movesWithSql('t.chain_id', 't.address'),
    type: 'text',
    nullable: true,
    description:
      'The currency or token whose price it follows: `USD` for a stable token, `ETH` for WETH ' +
      'and wstETH. Null if `tokens.jsonl` does not say.',
  },
})

export type Asset = RowOf<typeof columns>

/** Assets of pools, markets and vaults, by chain, then address. */
export const assets = listing({
  name: 'assets',
  from: Prisma.sql`(SELECT DISTINCT ON (chain_id, address) chain_id, address, symbol, name FROM (
      SELECT chain_id, asset_1_address AS address, asset_1_symbol AS symbol,
        asset_1_name AS name, 1 AS source, number, id FROM pool
      UNION ALL
      SELECT chain_id, asset_2_address, asset_2_symbol, asset_2_name, 1, number, id FROM pool
      UNION ALL
      SELECT chain_id, asset_address, asset_symbol, asset_symbol, 2, 0, id FROM market
      UNION ALL
      SELECT chain_id, asset_address, asset_symbol, asset_symbol, 3, 0, id FROM vault) source
    ORDER BY chain_id, address, source, number, id) t`,
  columns,
  order: { chainId: 'ASC', address: 'ASC' },
  filters: {
    addresses: rowFilters.many(columns.address, 'Only assets at one of these addresses.'),
    chainIds: rowFilters.many(columns.chainId, 'Only assets on one of these chains.'),
  },
})

/** Pools with their assets `asset`: a pool of two assets is listed with each. */
export const poolsOfAssets = {
  ...pools,
  name: 'poolsOfAssets',
  from: Prisma.sql`${pools.from}
    CROSS JOIN LATERAL (SELECT t.asset_1_address AS address UNION SELECT t.asset_2_address) asset`,
}

/** The column of `poolsOfAssets` that an asset's address equals. */
export const assetOfPool = { sql: 'asset.address', type: 'address' } as const
