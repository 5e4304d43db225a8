import { exactSum } from '../../db/lists/exact-sum.ts'
import type { Filter, Listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'

/** A user's position in a market at one moment, or the sum of the user's positions there, which has no id. */
export interface MarketSnapshot {
  chainId: bigint
  marketId: string
  accountId: string
  positionId: string | null
  timestamp: bigint
  collateralAssets: string
  collateralUsd: number | null
  protectedAssets: string
  protectedUsd: number | null
  debtAssets: string
  debtUsd: number | null
}

/** A user's position in a vault at one moment, or the sum of the user's positions there, which has no id. */
export interface VaultSnapshot {
  chainId: bigint
  vaultId: string
  accountId: string
  positionId: string | null
  timestamp: bigint
  shares: string
  assets: string
  assetsUsd: number | null
}

const usd = (column: string) => Prisma.raw(exactSum(column))

const order = (entity: 'market' | 'vault') =>
  [
    { column: 't.timestamp', field: 'timestamp', type: 'bigint', direction: 'ASC' },
    { column: 't.chain_id', field: 'chainId', type: 'bigint', direction: 'ASC' },
    { column: `t.${entity}_id`, field: `${entity}Id`, type: 'text', direction: 'ASC' },
    { column: 't.account_id', field: 'accountId', type: 'text', direction: 'ASC' },
  ] as const
const byPosition = { column: 't.position_id', field: 'positionId', type: 'text', direction: 'ASC' } as const

/** Market snapshots, oldest first, then by chain, market, account and position. */
export const marketSnapshots: Listing<MarketSnapshot> = {
  name: 'marketSnapshots',
  from: Prisma.sql`market_snapshot t`,
  columns: {
    chainId: 't.chain_id',
    marketId: 't.market_id',
    accountId: 't.account_id',
    positionId: 't.position_id',
    timestamp: 't.timestamp',
    collateralAssets: 't.collateral_assets::text',
    collateralUsd: 't.collateral_usd',
    protectedAssets: 't.protected_assets::text',
    protectedUsd: 't.protected_usd',
    debtAssets: 't.debt_assets::text',
    debtUsd: 't.debt_usd',
  },
  order: [...(order('market') as unknown as Listing<MarketSnapshot>['order']), byPosition],
}

/** The same, one row for chain + market + account + timestamp: amounts summed, unknown USD values left out. */
export const groupedMarketSnapshots: Listing<MarketSnapshot> = {
  ...marketSnapshots,
  name: 'groupedMarketSnapshots',
  from: Prisma.sql`(SELECT chain_id, market_id, account_id, NULL::text AS position_id, timestamp,
    sum(collateral_assets) AS collateral_assets, ${usd('collateral_usd')} AS collateral_usd,
    sum(protected_assets) AS protected_assets, ${usd('protected_usd')} AS protected_usd,
    sum(debt_assets) AS debt_assets, ${usd('debt_usd')} AS debt_usd
    FROM market_snapshot GROUP BY account_id, timestamp, chain_id, market_id) t`,
  order: marketSnapshots.order.slice(0, -1),
}

/** Vault snapshots, oldest first, then by chain, vault, account and position. */
export const vaultSnapshots: Listing<VaultSnapshot> = {
  name: 'vaultSnapshots',
  from: Prisma.sql`vault_snapshot t`,
  columns: {
    chainId: 't.chain_id',
    vaultId: 't.vault_id',
    accountId: 't.account_id',
    positionId: 't.position_id',
    timestamp: 't.timestamp',
    shares: 't.shares::text',
    assets: 't.assets::text',
    assetsUsd: 't.assets_usd',
  },
  order: [...(order('vault') as unknown as Listing<VaultSnapshot>['order']), byPosition],
}

/** The same, one row for chain + vault + account + timestamp: amounts summed, unknown USD values left out. */
export const groupedVaultSnapshots: Listing<VaultSnapshot> = {
  ...vaultSnapshots,
  name: 'groupedVaultSnapshots',
  from: Prisma.sql`(SELECT chain_id, vault_id, account_id, NULL::text AS position_id, timestamp,
    sum(shares) AS shares, sum(assets) AS assets, ${usd('assets_usd')} AS assets_usd
    FROM vault_snapshot GROUP BY account_id, timestamp, chain_id, vault_id) t`,
  order: vaultSnapshots.order.slice(0, -1),
}

export interface SnapshotFilter {
  chainId?: number | null
  entity?: string | null
  /** Unix seconds, both ends included. */
  from?: bigint | null
  to?: bigint | null
}

const LATEST = 2n ** 63n - 1n
const seconds = (value: bigint) => (value > LATEST ? LATEST : value).toString()

export function snapshotFilter(kind: 'market' | 'vault', { chainId, entity, from, to }: SnapshotFilter): Filter {
  const where: Prisma.Sql[] = []
  if (typeof chainId === 'number') where.push(Prisma.sql`t.chain_id = ${chainId}::bigint`)
  if (typeof entity === 'string') where.push(Prisma.sql`t.${Prisma.raw(kind)}_id = ${entity}`)
  if (typeof from === 'bigint') where.push(Prisma.sql`t.timestamp >= ${seconds(from)}::bigint`)
  if (typeof to === 'bigint') where.push(Prisma.sql`t.timestamp <= ${seconds(to)}::bigint`)
  return { where }
}
