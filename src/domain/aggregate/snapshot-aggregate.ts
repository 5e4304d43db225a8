import { rowFilters } from 'pothos-sql'
import { conditionOf } from 'pothos-sql/host'
import { exact } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { snapshots } from '../snapshot/snapshot.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded } from './bounds.ts'

/** The UTC date of `t.timestamp`. */
export const DATE = "(to_timestamp(t.timestamp) AT TIME ZONE 'UTC')::date"

const { from, filters, columns } = snapshots
const token = {
  sql: 'coalesce(market.asset_address, vault.asset_address)',
  type: 'address',
} as const
const joined = (kind: 'market' | 'vault') =>
  `LEFT JOIN ${kind} ON t.entity_type = '${kind}'
    AND ${kind}.chain_id = t.chain_id AND ${kind}.id = t.entity_id`

const amount = (name: string, what: string) => {
  const column = `t.${name.toLowerCase()}`
  return sumAndAverage(name, what, {
    usd: exact(`${column}_usd`),
    unpriced: true,
    tokens: { only: ['ENTITY', 'ASSET'], raw: column, decimals: 't.asset_decimals' },
  })
}

export const snapshotAggregate: Aggregate = {
  rows(where) {
    assertBounded(where, 'time', { dates: 7, of: { filter: 'entities', dates: 366 } })
    return Prisma.sql`SELECT t.*, ${Prisma.raw(token.sql)} AS asset_address,
        coalesce(market.asset_decimals, vault.asset_decimals) AS asset_decimals
      FROM ${from} ${Prisma.raw(`${joined('market')} ${joined('vault')}`)}
      WHERE ${conditionOf({ ...filters, assets: rowFilters.many(token, '') }, where)}`
  },
  groups: {
    ...byTime(DATE),
    ENTITY: { marketId: columns.marketId.sql, vaultId: columns.vaultId.sql, chainId: 't.chain_id' },
    ASSET: { assetAddress: 't.asset_address', chainId: 't.chain_id' },
    CHAIN: { chainId: 't.chain_id' },
    USER: { userAddress: 't.user_address' },
  },
  measures: {
    count: count('Number of snapshots: one per day for each position of a user.'),
    userCount: count('Number of distinct users.', 'count(DISTINCT t.user_address)::int'),
    ...amount('Supplied', 'borrowable supply in markets and of the value of shares of vaults'),
    ...amount('Protected', 'protected supply in markets'),
    ...amount('Borrowed', 'amounts borrowed from markets'),
    sumShares: {
      type: 'amount',
      description:
        'Sum of vault shares, in their smallest unit. Null unless grouped by ENTITY, because ' +
        'other groups mix shares, and in a market.',
      sql: 'sum(t.shares)',
      only: ['ENTITY'],
      nullable: true,
    },
  },
}
