import { type Column, type Columns, columnsOf, type Described, type RowOf, snakeCase } from '../../db/lists/column.ts'
import { exactSum } from '../../db/lists/exact-sum.ts'
import { many } from '../../db/lists/filter.ts'
import { type Filter, type Listing, listing } from '../../db/lists/listing.ts'
import { VALUE_TYPES } from '../../db/lists/value-type.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/holding.ts'

/** The columns that market and vault snapshots share. */
export const snapshotColumns = {
  chainId: { type: 'integer', description: 'The chain id.', sort: true },
  accountId: { type: 'address', field: 'userAddress', description: "The user's address.", sort: 'USER' },
  positionId: {
    type: 'text',
    nullable: true,
    description: "The id of the user's position in the market or vault. Null if positions are summed.",
  },
  timestamp: {
    type: 'timestamp',
    description: 'The time of the snapshot, in Unix seconds.',
    moment: { field: 'time', description: 'The time of the snapshot.' },
    filter: 'time',
    sort: 'TIME',
  },
} as const

const { chainId, accountId, positionId, timestamp } = snapshotColumns
/** Which USD values the price of the day gave. */
const computedUsd = { type: 'int' } as const

const entity = (kind: EntityType) =>
  ({
    type: 'address',
    field: `${kind}Address`,
    description: `The ${kind}'s address.`,
    sort: kind.toUpperCase(),
  }) as const

const amount = (kind: EntityType, field: string, usd: string, description: string) =>
  ({
    type: 'amount',
    description: `${description} \`decimals\` and \`value\` are null if the ${kind} is not stored.`,
    tokens: { field, usd, decimals: { kind, entity: `${kind}Id` } },
  }) as const
const usd = (field: string) => ({ type: 'float', nullable: true, field, filter: true, sort: true }) as const

/** The amounts of a position in a market. They can be summed over positions. */
export const marketAmounts = {
  collateralAssets: amount('market', 'supplied', 'collateralUsd', 'Borrowable supply: the collateral.'),
  collateralUsd: usd('suppliedUsd'),
  protectedAssets: amount('market', 'protected', 'protectedUsd', 'Protected (non-borrowable) supply.'),
  protectedUsd: usd('protectedUsd'),
  debtAssets: amount('market', 'borrowed', 'debtUsd', 'The amount borrowed: the debt.'),
  debtUsd: usd('borrowedUsd'),
}

/** The amounts of a position in a vault. They can be summed over positions. */
export const vaultAmounts = {
  shares: { type: 'amount', description: 'Vault shares, in their smallest unit.' } as const,
  assets: amount('vault', 'supplied', 'assetsUsd', 'The value of the shares.'),
  assetsUsd: usd('suppliedUsd'),
}

const marketColumns = columnsOf(Prisma.MarketSnapshotScalarFieldEnum, {
  chainId,
  marketId: entity('market'),
  accountId,
  positionId,
  timestamp,
  ...marketAmounts,
  computedUsd,
})

const vaultColumns = columnsOf(Prisma.VaultSnapshotScalarFieldEnum, {
  chainId,
  vaultId: entity('vault'),
  accountId,
  positionId,
  timestamp,
  ...vaultAmounts,
  computedUsd,
})

/** A user's position in a market at one moment, or the sum of the user's positions there, which has no id. */
export type MarketSnapshot = RowOf<typeof marketColumns>

/** A user's position in a vault at one moment, or the sum of the user's positions there, which has no id. */
export type VaultSnapshot = RowOf<typeof vaultColumns>

/**
 * SQL of the sum of an amount. Unknown USD values are left out.
 * @param table the prefix of the column, such as `t.`
 */
export const sumOf = (name: string, { type }: Described, table = '') => {
  const column = table + snakeCase(name)
  return type === 'amount' ? `sum(${column})` : exactSum(column)
}

type Keys = Record<'chainId' | 'accountId', Column>

/** Snapshots of a kind, oldest first, then by chain, market or vault, account and position. */
const snapshotsOf = <Row>(kind: EntityType, columns: Columns<Row> & Keys, entityId: Column) =>
  listing<Columns>({
    name: `${kind}Snapshots`,
    from: Prisma.raw(`${kind}_snapshot t`),
    columns,
    order: { timestamp: 'ASC', chainId: 'ASC', [`${kind}Id`]: 'ASC', accountId: 'ASC', positionId: 'ASC' },
    filters: {
      users: many(columns.accountId, 'Only snapshots of one of these users.'),
      [`${kind}s`]: many(entityId, `Only snapshots in ${kind}s at one of these addresses.`),
      assets: many(assetOf(kind), `Only snapshots in ${kind}s that lend one of these tokens.`),
      chainIds: many(columns.chainId, 'Only snapshots on one of these chains.'),
    },
  }) as Listing<Row>

const assetOf = (kind: EntityType) => ({
  sql: `(SELECT e.asset_address FROM ${kind} e WHERE e.chain_id = t.chain_id AND e.id = t.${kind}_id)`,
  type: 'address' as const,
})

/**
 * Snapshots with the positions of an account summed: one row per chain, market or vault, account and timestamp. Columns
 * other than keys and amounts are null.
 */
function grouped<Row>(kind: EntityType, snapshots: Listing<Row>, amounts: Record<string, Described>): Listing<Row> {
  const keys = ['chainId', `${kind}Id`, 'accountId', 'timestamp']
  const selected = Object.entries<Column>(snapshots.columns).map(([name, column]) => {
    if (keys.includes(name)) return snakeCase(name)
    const { sql } = VALUE_TYPES[column.type ?? 'text']
    return `${name in amounts ? sumOf(name, column) : `NULL::${sql}`} AS ${snakeCase(name)}`
  })
  return {
    ...snapshots,
    name: kind === 'market' ? 'groupedMarketSnapshots' : 'groupedVaultSnapshots',
    from: Prisma.raw(`(SELECT ${selected.join(', ')}
    FROM ${kind}_snapshot GROUP BY account_id, timestamp, chain_id, ${kind}_id) t`),
    order: snapshots.order.slice(0, -1),
  }
}

export const marketSnapshots = snapshotsOf<MarketSnapshot>('market', marketColumns, marketColumns.marketId)
export const vaultSnapshots = snapshotsOf<VaultSnapshot>('vault', vaultColumns, vaultColumns.vaultId)
export const groupedMarketSnapshots = grouped('market', marketSnapshots, marketAmounts)
export const groupedVaultSnapshots = grouped('vault', vaultSnapshots, vaultAmounts)

const LATEST = 2n ** 63n - 1n
const seconds = (value: bigint) => Prisma.sql`${(value > LATEST ? LATEST : value).toString()}::bigint`

/** Filters snapshots by time, in Unix seconds, both ends included. */
export function betweenSeconds(from: bigint | null | undefined, to: bigint | null | undefined): Filter {
  const where: Prisma.Sql[] = []
  if (typeof from === 'bigint') where.push(Prisma.sql`t.timestamp >= ${seconds(from)}`)
  if (typeof to === 'bigint') where.push(Prisma.sql`t.timestamp <= ${seconds(to)}`)
  return { where }
}
