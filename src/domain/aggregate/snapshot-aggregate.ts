import { exact } from '../../db/lists/exact-sum.ts'
import { type Conditions, conditionOf, many } from '../../db/lists/filter.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/holding.ts'
import { marketSnapshots, vaultSnapshots } from '../snapshot/snapshot.ts'
import { type Aggregate, byTime, count, sumAndAverage, sumsOfTokens } from './aggregate.ts'
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

const DECIMALS = 't.asset_decimals'

export const marketSnapshotAggregate = snapshotAggregate('market', marketSnapshots.filters, {
  ...sumAndAverage('CollateralUsd', exact('t.collateral_usd'), 'collateral, in USD', true),
  ...sumAndAverage('ProtectedUsd', exact('t.protected_usd'), 'protected collateral, in USD', true),
  ...sumAndAverage('DebtUsd', exact('t.debt_usd'), 'debt, in USD', true),
  ...sumsOfTokens(
    ['sumCollateralAssets', 'sumCollateralAmount'],
    'collateral_assets',
    'collateral',
    ['MARKET', 'ASSET'],
    DECIMALS,
  ),
  ...sumsOfTokens(
    ['sumProtectedAssets', 'sumProtectedAmount'],
    'protected_assets',
    'protected collateral',
    ['MARKET', 'ASSET'],
    DECIMALS,
  ),
  ...sumsOfTokens(['sumDebtAssets', 'sumDebtAmount'], 'debt_assets', 'debt', ['MARKET', 'ASSET'], DECIMALS),
})

export const vaultSnapshotAggregate = snapshotAggregate('vault', vaultSnapshots.filters, {
  ...sumAndAverage('AssetsUsd', exact('t.assets_usd'), 'assets, in USD', true),
  sumShares: {
    type: 'amount',
    description:
      'Sum of shares, in their smallest unit. Null unless grouped by VAULT, because other groups mix shares.',
    sql: 'sum(t.shares)',
    only: ['VAULT'],
    nullable: true,
  },
  ...sumsOfTokens(['sumAssets', 'sumAssetsAmount'], 'assets', 'assets', ['VAULT', 'ASSET'], DECIMALS),
})
