import { markets, users, vaults } from './data.ts'
import type { Fact } from './fact.ts'

/** Who has something in a market: each row is a user with all positions there added up. */
const inMarket = (rows: string, market: string, chain: number) =>
  `(SELECT "accountId", sum("collateralAssets") AS supplied, sum("collateralUsd"::numeric) AS "suppliedUsd",
      sum("protectedAssets") AS protected, sum("debtAssets") AS borrowed, sum("debtUsd"::numeric) AS "borrowedUsd",
      max(timestamp) AS timestamp, (SELECT min(timestamp) FROM market_snapshots o WHERE "marketId" = '${market}'
        AND "chainId" = ${chain} AND o."accountId" = s."accountId") AS first
    FROM ${rows} s WHERE "marketId" = '${market}' AND "chainId" = ${chain} GROUP BY "accountId"
    HAVING sum("collateralAssets" + "protectedAssets" + "debtAssets") > 0) h`

/** The newest snapshots of each user and market up to a second. */
const upTo = (second: number) =>
  `(SELECT * FROM market_snapshots s WHERE timestamp = (SELECT max(timestamp) FROM market_snapshots o
    WHERE (o."accountId", o."chainId", o."marketId") = (s."accountId", s."chainId", s."marketId") AND timestamp <= ${second}))`

const COLUMNS = `row_number() OVER (ORDER BY supplied + protected DESC, "accountId") AS rank,
  "accountId" AS "user.address", supplied::text AS "supplied.raw", "suppliedUsd" AS "supplied.usd",
  protected::text AS "protected.raw", borrowed::text AS "borrowed.raw", "borrowedUsd" AS "borrowed.usd",
  (supplied + protected) / nullif(sum(supplied + protected) OVER (), 0) AS share,
  borrowed / nullif(sum(borrowed) OVER (), 0) AS "debtShare", to_timestamp(timestamp) AS time, to_timestamp(first) AS since`
const ROW =
  'rank user { address } supplied { raw usd } protected { raw } borrowed { raw usd } share debtShare time since'

const list = (chain: number, address: string, args: string, row = ROW) =>
  `market(chainId: ${chain}, address: "${address}") { holders${args} { totalCount nodes { ${row} } } }`

const ofMarket = (market: keyof typeof markets, chain: number): Fact[] => {
  const address = markets[market]
  const now = inMarket('now_in_markets', address, chain)
  const holders = `(SELECT ${COLUMNS} FROM ${now}) h`
  const at = 'market.holders.nodes'
  return [
    {
      name: `the holders of ${market} on ${chain}, largest supply first`,
      query: list(chain, address, ''),
      at,
      sql: `SELECT * FROM ${holders} ORDER BY rank`,
      total: `SELECT count(*) FROM ${now}`,
    },
    {
      name: `the debtors of ${market} on ${chain}, largest debt first`,
      query: list(
        chain,
        address,
        '(where: { debtShare: { gt: 0 } }, orderBy: DEBT_SHARE, orderDirection: DESC)',
      ),
      at,
      sql: `SELECT * FROM ${holders} WHERE "debtShare" > 0 ORDER BY "debtShare" DESC, rank`,
      total: `SELECT count(*) FROM ${now} WHERE borrowed > 0`,
    },
    ...[1740787200, 1740873600].map(
      (second): Fact => ({
        name: `the holders of ${market} on ${chain} as of ${second}`,
        query: list(
          chain,
          address,
          `(asOf: "${new Date(second * 1000).toISOString().slice(0, 10)}")`,
          'rank user { address } share time since',
        ),
        at,
        sql: `SELECT rank, "user.address", share, time, since FROM (SELECT ${COLUMNS}
          FROM ${inMarket(upTo(second + 86_399), address, chain)}) h ORDER BY rank`,
      }),
    ),
  ]
}

/** Who holds what in markets and vaults, from the newest snapshots. */
export const holderFacts: Fact[] = [
  ...ofMarket('same', 1),
  {
    name: 'a holder keeps rank and share in a filtered list',
    query: list(1, markets.same, `(where: { users: "${users.ann}" })`, 'rank share'),
    at: 'market.holders.nodes',
    sql: `SELECT rank, share FROM (SELECT ${COLUMNS} FROM ${inMarket('now_in_markets', markets.same, 1)}) h
      WHERE "user.address" = '${users.ann}'`,
  },
  {
    name: 'the holders of a vault, largest amount first',
    query: `vault(chainId: 1, address: "${vaults.same}") { holders { totalCount nodes {
      rank user { address } supplied { raw usd } shares protected { raw } debtShare share since } } }`,
    at: 'vault.holders.nodes',
    sql: `SELECT row_number() OVER (ORDER BY sum(assets) DESC, "accountId") AS rank, "accountId" AS "user.address",
        sum(assets)::text AS "supplied.raw", sum("assetsUsd"::numeric) AS "supplied.usd", sum(shares)::text AS shares,
        NULL AS protected, NULL AS "debtShare", sum(assets) / sum(sum(assets)) OVER () AS share,
        to_timestamp((SELECT min(timestamp) FROM vault_snapshots o WHERE "vaultId" = '${vaults.same}'
          AND "chainId" = 1 AND o."accountId" = s."accountId")) AS since
      FROM now_in_vaults s WHERE "vaultId" = '${vaults.same}' AND "chainId" = 1 GROUP BY "accountId"
      HAVING sum(assets + shares) > 0 ORDER BY rank`,
    total: `SELECT count(*) FROM (SELECT FROM now_in_vaults WHERE "vaultId" = '${vaults.same}' AND "chainId" = 1
      GROUP BY "accountId" HAVING sum(assets + shares) > 0) h`,
  },
]
