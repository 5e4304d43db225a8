import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/holding.ts'
import { type Aggregate, byTime, count, sumAndAverage, sumsOfTokens } from './aggregate.ts'
import { assertBounded, type Bounds } from './bounds.ts'

const MAX_DATES = 366

/** Conditions that `t.timestamp` is on a date of a range. */
export function between({ from, to }: Bounds): Prisma.Sql[] {
  const midnight = (date: Date, days: number) => Math.floor(date.getTime() / 86_400_000 + days) * 86_400
  const where: Prisma.Sql[] = []
  if (from) where.push(Prisma.sql`t.timestamp >= ${midnight(from, 0)}::bigint`)
  if (to) where.push(Prisma.sql`t.timestamp < ${midnight(to, 1)}::bigint`)
  return where
}

/** The UTC date of `t.timestamp`. */
export const DATE = "(to_timestamp(t.timestamp) AT TIME ZONE 'UTC')::date"

function snapshotAggregate(kind: EntityType, measures: Aggregate['measures']): Aggregate {
  const KIND = kind.toUpperCase()
  return {
    rows(filter) {
      assertBounded(
        filter,
        filter[kind] ? MAX_DATES : 0,
        `give users, or a ${kind} with from and to at most ${MAX_DATES} dates apart`,
      )
      const where = between(filter)
      if (filter.users) where.push(Prisma.sql`t.account_id = ANY(${filter.users}::text[])`)
      if (filter[kind]) where.push(Prisma.sql`t.${Prisma.raw(kind)}_id = ${filter[kind]}`)
      if (typeof filter.chainId === 'number') where.push(Prisma.sql`t.chain_id = ${filter.chainId}::bigint`)
      return Prisma.sql`SELECT t.*, entity.asset_address, entity.asset_decimals FROM ${Prisma.raw(`${kind}_snapshot t
        LEFT JOIN ${kind} entity ON entity.chain_id = t.chain_id AND entity.id = t.${kind}_id`)}
        WHERE ${Prisma.join(where, ' AND ')}`
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

export const marketSnapshotAggregate = snapshotAggregate('market', {
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

export const vaultSnapshotAggregate = snapshotAggregate('vault', {
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
