import { type Filter, listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { exactSum } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type EntityType, listByKind, placeColumns } from '../holding/place.ts'

// The stored columns of amounts, by their names in `t`. Null where the kind has none.
const AMOUNTS: Record<EntityType, Record<string, string>> = {
  market: {
    supplied: 'collateral_assets',
    supplied_usd: 'collateral_usd',
    protected: 'protected_assets',
    protected_usd: 'protected_usd',
    borrowed: 'debt_assets',
    borrowed_usd: 'debt_usd',
    shares: 'NULL::numeric',
  },
  vault: {
    supplied: 'assets',
    supplied_usd: 'assets_usd',
    protected: 'NULL::numeric',
    protected_usd: 'NULL::double precision',
    borrowed: 'NULL::numeric',
    borrowed_usd: 'NULL::double precision',
    shares: 'shares',
  },
}

const amountsOf = (kind: EntityType, of: (name: string, column: string) => string) =>
  Object.entries(AMOUNTS[kind]).map(
    ([name, column]) => `${column.startsWith('NULL') ? column : of(name, column)} AS ${name}`,
  )

/** Selects the snapshots of a kind in the shape of both, from the rows of `from`. */
export const snapshotsFrom = (kind: EntityType, from: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT ${Prisma.raw(
    [
      `'${kind}' AS entity_type, s.chain_id, s.${kind}_id AS entity_id, s.user_address,
        s.position_id, s.timestamp`,
      ...amountsOf(kind, (_, column) => `s.${column}`),
    ].join(', '),
  )} FROM ${from}`

/**
 * The same with positions summed by what `keys` selects: into one row without keys. Unknown USD
 * values are left out.
 * @param keys SQL of columns of `s`, by name
 */
export const summedFrom = (
  kind: EntityType,
  from: Prisma.Sql,
  keys: Record<string, string>,
  others: string[] = [],
) =>
  Prisma.sql`SELECT ${Prisma.raw(
    [
      `'${kind}' AS entity_type`,
      ...Object.entries(keys).map(([name, sql]) => `${sql} AS ${name}`),
      ...amountsOf(kind, (name, column) =>
        name.endsWith('_usd') ? exactSum(`s.${column}`) : `sum(s.${column})`,
      ),
      ...others,
    ].join(', '),
  )} FROM ${from} GROUP BY (${Prisma.raw(Object.values(keys).join(', '))})`

const stored = (kind: EntityType) => snapshotsFrom(kind, Prisma.raw(`${kind}_snapshot s`))

const ofEntity = (column: string) => {
  const [market, vault] = (['market', 'vault'] as const).map(
    (kind) =>
      `(SELECT e.${column} FROM ${kind} e WHERE e.chain_id = t.chain_id AND e.id = t.entity_id)`,
  )
  return `CASE WHEN t.entity_type = 'market' THEN ${market} ELSE ${vault} END`
}

const amount = (field: string, description: string) =>
  ({
    sql: `t.${field}`,
    type: 'amount',
    nullable: true,
    description,
    tokens: {
      field,
      usd: `${field}Usd`,
      decimals: 'assetDecimals',
      optional: field !== 'supplied',
    },
  }) as const
const usd = (field: string) =>
  ({ sql: `t.${field}_usd`, type: 'float', nullable: true, filter: true, sort: true }) as const

/** The amounts of a position. They can be summed over positions. */
export const amountColumns = sqlColumns({
  supplied: amount(
    'supplied',
    "Borrowable supply in a market, or the value of the vault's shares.",
  ),
  suppliedUsd: usd('supplied'),
  protected: amount('protected', 'Protected (non-borrowable) supply. Null in a vault.'),
  protectedUsd: usd('protected'),
  borrowed: amount('borrowed', 'The amount borrowed: the debt. Null in a vault.'),
  borrowedUsd: usd('borrowed'),
  shares: {
    sql: 't.shares',
    type: 'amount',
    nullable: true,
    description: 'Vault shares, in their smallest unit. Null in a market.',
  },
  assetDecimals: { sql: ofEntity('asset_decimals'), type: 'int', nullable: true },
})

const columns = sqlColumns({
  ...placeColumns,
  userAddress: {
    sql: 't.user_address',
    type: 'address',
    field: 'user.address',
    sort: 'USER',
  },
  positionId: {
    sql: 't.position_id',
    type: 'text',
    nullable: true,
    description: "The id of the user's position there. Null if positions are summed.",
  },
  timestamp: {
    sql: 't.timestamp',
    type: 'timestamp',
    moment: { field: 'time', description: 'The time of the snapshot.' },
    filter: 'time',
    sort: 'TIME',
  },
  ...amountColumns,
})

/**
 * A user's position in a market or a vault at one moment, or the sum of the user's positions there,
 * which has no id.
 */
export type SnapshotRow = RowOf<typeof columns>

const order = { timestamp: 'ASC', chainId: 'ASC', entityId: 'ASC', userAddress: 'ASC' } as const
const one = { ...order, positionId: 'ASC' } as const

const snapshotsIn = (
  name: string,
  from: Prisma.Sql,
  by: { [Name in keyof typeof columns]?: 'ASC' },
) =>
  listing({
    name,
    from: Prisma.sql`(${from}) t`,
    columns,
    order: by,
    filters: {
      users: rowFilters.many(columns.userAddress, 'Only snapshots of one of these users.'),
      entities: rowFilters.many(
        columns.entityId,
        'Only snapshots in markets and vaults at one of these addresses.',
      ),
      entityTypes: rowFilters.many(
        columns.entityType,
        'Only snapshots in entities of one of these kinds.',
      ),
      assets: rowFilters.many(
        { sql: ofEntity('asset_address'), type: 'address' },
        'Only snapshots in markets and vaults that lend one of these tokens.',
      ),
      chainIds: rowFilters.many(columns.chainId, 'Only snapshots on one of these chains.'),
    },
  })

/**
 * The snapshots that a filter may match, oldest first, then by chain, market or vault, account and
 * position.
 */
export const snapshotsWhere = listByKind((kinds) =>
  snapshotsIn('snapshots', Prisma.join(kinds.map(stored), ' UNION ALL '), {
    ...one,
    entityType: 'ASC',
  }),
)
export const snapshots = snapshotsWhere()
export const marketSnapshots = snapshotsIn('marketSnapshots', stored('market'), one)
export const vaultSnapshots = snapshotsIn('vaultSnapshots', stored('vault'), one)

const groupedSnapshots = (kind: EntityType, name: string) => {
  // An index has the snapshots in this order.
  const keys = {
    user_address: 's.user_address',
    timestamp: 's.timestamp',
    chain_id: 's.chain_id',
    entity_id: `s.${kind}_id`,
  }
  const summed = summedFrom(kind, Prisma.raw(`${kind}_snapshot s`), keys, [
    'NULL::text AS position_id',
  ])
  return snapshotsIn(name, summed, order)
}

/**
 * With the positions of an account summed: one row per chain, market or vault, account and
 * timestamp.
 */
export const groupedMarketSnapshots = groupedSnapshots('market', 'groupedMarketSnapshots')
export const groupedVaultSnapshots = groupedSnapshots('vault', 'groupedVaultSnapshots')

const LATEST = 2n ** 63n - 1n
const seconds = (value: bigint) =>
  Prisma.sql`${(value > LATEST ? LATEST : value).toString()}::bigint`

/** Filters snapshots by time, in Unix seconds, both ends included. */
export function betweenSeconds(
  from: bigint | null | undefined,
  to: bigint | null | undefined,
): Filter {
  const where: Prisma.Sql[] = []
  if (typeof from === 'bigint') where.push(Prisma.sql`t.timestamp >= ${seconds(from)}`)
  if (typeof to === 'bigint') where.push(Prisma.sql`t.timestamp <= ${seconds(to)}`)
  return { where }
}
