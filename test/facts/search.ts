import { markets, pools, tokens } from './data.ts'
import type { Fact } from './fact.ts'

/**
 * What can be found: pools, markets and vaults with the addresses (their own and their tokens') and
 * the texts that they are found by. A pool's names are its own, its display name and those of its
 * tokens.
 */
const THINGS = `(
  SELECT "chainId" AS chain, id, ARRAY[id, asset_1_address, asset_2_address] AS addresses, ARRAY[name, asset_1_symbol,
    asset_2_symbol, asset_1_name, asset_2_name, asset_1_symbol || '·' || asset_2_symbol || '·' || "marketId"] AS names
  FROM pools
  UNION ALL SELECT "chainId", id, ARRAY[id, "assetAddress"], ARRAY["assetSymbol"] FROM markets
  UNION ALL SELECT "chainId", id, ARRAY[id, "assetAddress"], ARRAY[name, "assetSymbol"] FROM vaults) t`
const matches = (text: string, chain?: number) => `
  SELECT chain, id, CASE WHEN '${text}' = ANY (addresses) THEN 'EXACT_ADDRESS'
    WHEN EXISTS (SELECT FROM unnest(names) n WHERE lower(n) = '${text}') THEN 'EXACT_NAME'
    WHEN EXISTS (SELECT FROM unnest(addresses || names) n WHERE starts_with(lower(n), '${text}')) THEN 'PREFIX'
    WHEN EXISTS (SELECT FROM unnest(names) n WHERE strpos(lower(n), '${text}') > 0) THEN 'SUBSTRING' END AS match
  FROM ${THINGS} ${chain ? `WHERE chain = ${chain}` : ''}`

/** Results by address and chain: the order among equally good matches is for people to judge. */
const search = (text: string, chain?: number): Fact => ({
  name: `search for ${text}${chain ? ` on chain ${chain}` : ''}`,
  query: `search(text: ${JSON.stringify(text)}, first: 100${chain ? `, chainId: ${chain}` : ''}) { match item {
    ... on Pool { address chainId } ... on Market { address chainId } ... on Vault { address chainId } } }`,
  at: 'search',
  sql: `SELECT match, id AS "item.address", chain AS "item.chainId" FROM (${matches(text.trim().toLowerCase(), chain)}) f
    WHERE match IS NOT NULL`,
  unordered: true,
})

export const searchFacts: Fact[] = [
  search('usdc'),
  search(' Eth '),
  search('prime usdc'),
  search('PRIME'),
  search('eth·usdc·20'),
  search('%'),
  search('100%'),
  search('"b" \\'),
  search('s'),
  search('usdc', 42161),
  search(markets.same),
  search(pools.arb.toUpperCase()),
  search('0x3'),
  { ...search('nothing of this'), empty: true },
  search(tokens.eth),
  {
    name: 'the best match comes first',
    query: 'search(text: "prime usdc") { match }',
    at: 'search',
    sql: `SELECT match FROM (${matches('prime usdc')}) f WHERE match IS NOT NULL
      ORDER BY array_position(ARRAY['EXACT_ADDRESS', 'EXACT_NAME', 'PREFIX', 'SUBSTRING'], match)`,
  },
]
