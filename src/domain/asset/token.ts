/**
 * SQL for the decimals of an asset, as its markets and vaults have them. Null if there are none.
 */
export const decimalsSql = (chainId: string, address: string): string => {
  const of = (table: 'market' | 'vault') => `(SELECT e.asset_decimals FROM ${table} e
    WHERE e.chain_id = ${chainId} AND e.asset_address = ${address} ORDER BY e.id LIMIT 1)`
  return `coalesce(${of('market')}, ${of('vault')})`
}

/** SQL for the name of an asset: that of its token or, without one, another. */
export const nameSql = (chainId: string, address: string, other: string): string =>
  `coalesce((SELECT k.name FROM token k WHERE k.chain_id = ${chainId} AND k.address = ` +
  `${address}), ${other})`

/** SQL for what the price of an asset moves with, as its token says. */
export const movesWithSql = (chainId: string, address: string): string =>
  `(SELECT k.moves_with FROM token k WHERE k.chain_id = ${chainId} AND k.address = ${address})`
