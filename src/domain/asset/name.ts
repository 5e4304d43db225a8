/** SQL for the name of an asset: that of its token or, without one, another. */
export const nameSql = (chainId: string, address: string, other: string): string =>
  `coalesce((SELECT k.name FROM token k WHERE k.chain_id = ${chainId} AND k.address = ` +
  `${address}), ${other})`
