import { type RowOf, sqlColumns } from 'pothos-sql'
import { toDouble } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/**
 * The columns of a vault's totals, over a row `d` of `vault_day`.
 * @param at says in descriptions when
 */
export const totalColumns = (at: string) =>
  ({
    totalAssets: {
      sql: 'd.assets',
      type: 'amount',
      nullable: true,
      description:
        `The users' assets ${at}, by their newest snapshots. Markets have them as supply: never ` +
        'add both. Null without a snapshot.',
      tokens: { field: 'totalAssets', usd: 'tvlUsd', decimals: 'assetDecimals', optional: true },
    },
    tvlUsd: {
      sql: `CASE WHEN d.unpriced = 0 THEN ${toDouble('d.assets_usd')} END`,
      type: 'float',
      nullable: true,
      description:
        '`totalAssets` in USD. The TVL of pools and of the program leaves vaults out. Null if ' +
        'a price is missing.',
      filter: true,
      sort: true,
    },
    totalShares: {
      sql: 'd.shares',
      type: 'amount',
      nullable: true,
      description: `The users' shares ${at}, in their smallest unit. Null without a snapshot.`,
    },
    sharePrice: {
      sql: toDouble('d.assets / nullif(d.shares, 0)'),
      type: 'float',
      nullable: true,
      description:
        '`totalAssets.raw / totalShares`, whose growth is the yield. The decimals of shares ' +
        'are not known. Null without shares.',
      filter: true,
      sort: true,
    },
    userCount: {
      sql: 'coalesce(d.user_count, 0)',
      type: 'int',
      description: `Number of users with assets or shares ${at}.`,
      filter: true,
      sort: true,
    },
  }) as const

/** The columns of a vault's totals as of a day. */
export const vaultTotalsColumns = sqlColumns({
  start: {
    sql: 'd.date',
    type: 'date',
    description: 'The first date of the bucket of a series. Of `totals` it is `lastDate`.',
  },
  lastDate: {
    sql: 'd.date',
    type: 'date',
    nullable: true,
    description: 'The day (UTC) of the newest snapshot that counts. Null without a snapshot.',
  },
  ...totalColumns('at the end of that day'),
  // Of the type that it has in the series of markets, so that one selection of an entity takes
  // both.
  userCount: {
    sql: 'd.user_count',
    type: 'int',
    nullable: true,
    description:
      'Number of users with assets or shares at the end of that day. Null without a snapshot.',
  },
  assetDecimals: { sql: 't.asset_decimals', type: 'int', nullable: true },
})

/** A vault's totals as of a day, or at the end of a bucket. */
export type VaultTotals = RowOf<typeof vaultTotalsColumns>

/**
 * The FROM clause for `vaultTotalsColumns`: a vault's totals as of a date. No row before the first
 * snapshot.
 */
export const vaultTotalsSql = (
  chainId: Prisma.Sql,
  address: Prisma.Sql,
  asOf: Prisma.Sql,
): Prisma.Sql =>
  Prisma.sql`FROM vault t
    CROSS JOIN LATERAL (
      SELECT * FROM vault_day n
      WHERE n.chain_id = t.chain_id AND n.vault_id = t.id
        AND n.date <= coalesce(${asOf}, 'infinity')
      ORDER BY n.date DESC LIMIT 1) d
    WHERE t.chain_id = ${chainId} AND t.id = ${address}`
