import { exact } from '../../db/lists/exact-sum.ts'
import { type Conditions, conditionOf, many } from '../../db/lists/filter.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/holding.ts'
import { marketSnapshots, vaultSnapshots } from '../snapshot/snapshot.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded } from './bounds.ts'

/** The UTC date of `t.timestamp`. */
export const DATE = "(to_timestamp(t.timestamp) AT TIME ZONE 'UTC')::date"

function snapshotAggregate(kind: EntityType, conditions: Conditions, measures: Aggregate['measures']): Aggregate {
  const KIND = kind.toUpperCase()
  const filters = { ...conditions, assets: many({ sql: 'entity.asset_address', type: 'address' }, '') }
  return {
    rows(where) {
      assertBounded(where, 'time', { dates: 0, of: { filter: `${kind}s`, dates: 366 } })
      return Prisma.sql`SELECT t.*, entity.asset_address, entity.asset_decimals FROM ${Prisma.raw(`${kind}_snapshot t
        LEFT JOIN ${kind} entity ON entity.chain_id = t.chain_id AND entity.id = t.${kind}_id`)}
        WHERE ${conditionOf(filters, where)}`
    },
    groups: {
      ...byTime(DATE),
      [KIND]: { [`${kind}Address`]: `t.${kind}_id`, chainId: 't.chain_id' },
      ASSET: { assetAddress: 't.asset_address', chainId: 't.chain_id' },
      CHAIN: { chainId: 't.chain_id' },
      USER: { userAddress: 't.account_id' },
    },
    measures: {
      count: count('Number of snapshots: one per day for each position of a user.'),
      userCount: count('Number of distinct users.', 'count(DISTINCT t.account_id)::int'),
      ...measures,
    },
  }
}

const amount = (kind: EntityType, name: string, columns: { usd: string; raw: string }, what: string) =>
  sumAndAverage(name, what, {
    usd: exact(columns.usd),
    unpriced: true,
    tokens: { only: [kind.toUpperCase(), 'ASSET'], raw: columns.raw, decimals: 't.asset_decimals' },
  })

const inMarket = (name: string, column: string, what: string) =>
  amount('market', name, { usd: `t.${column}_usd`, raw: `t.${column}_assets` }, what)

export const marketSnapshotAggregate = snapshotAggregate('market', marketSnapshots.filters, {
  ...inMarket('Supplied', 'collateral', 'borrowable supply'),
  ...inMarket('Protected', 'protected', 'protected supply'),
  ...inMarket('Borrowed', 'debt', 'amounts borrowed'),
})

export const vaultSnapshotAggregate = snapshotAggregate('vault', vaultSnapshots.filters, {
  sumShares: {
    type: 'amount',
    description:
      'Sum of shares, in their smallest unit. Null unless grouped by VAULT, because other groups mix shares.',
    sql: 'sum(t.shares)',
    only: ['VAULT'],
    nullable: true,
  },
  ...amount('vault', 'Supplied', { usd: 't.assets_usd', raw: 't.assets' }, 'the value of shares'),
})
