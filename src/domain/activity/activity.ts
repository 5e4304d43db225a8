import { type Filter, listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import type { EntityType } from '../holding/place.ts'

// Cash flows, liquidations and rewards of them in one shape. The entity of the latter is the
// collateral market or the vault.
const records = (['market', 'vault'] as const).map(
  (kind) => `SELECT '${kind}_reward', chain_id, tx_hash, log_index, user_address, timestamp,
    'liquidation_reward',
    '${kind}'::entity_type, ${kind === 'market' ? 'collateral_market_id' : 'vault_id'},
    liquid_reward, ${
      kind === 'market'
        ? 'coalesce(liquid_reward_usd, computed_reward_usd), computed_reward_usd IS NOT NULL'
        : 'liquid_reward_usd, false'
    } FROM ${kind}_liquidation_reward`,
)
const from = Prisma.raw(`(SELECT 'cash_flow' AS record_type, chain_id, tx_hash, log_index,
    user_address, timestamp,
    kind::text AS kind, entity_type, entity_id, assets,
    coalesce(amount_usd, computed_usd) AS amount_usd, computed_usd IS NOT NULL AS is_computed
  FROM cash_flow
  UNION ALL SELECT 'liquidation', chain_id, tx_hash, log_index, user_address, timestamp,
    'liquidation', 'market'::entity_type, collateral_market_id, collateral_seized,
    collateral_seized_usd, false FROM liquidation
  UNION ALL ${records.join(' UNION ALL ')}) t`)

// One alternative for each table, so that each is read in the order of its index, and no further
// than the page.
const ofType = (type: string) => Prisma.raw(`t.record_type = '${type}'`)
const branches = ['cash_flow', 'liquidation', 'market_reward', 'vault_reward'].map(ofType)

const entityIn = (kind: EntityType) => `CASE WHEN t.entity_type = '${kind}' THEN t.entity_id END`
const columnOf = (kind: EntityType, column: string) =>
  `(SELECT e.${column} FROM ${kind} e WHERE e.chain_id = t.chain_id AND e.id = t.entity_id)`

// SQL of a column of the token that moved. The collateral of a vault's reward is not stored.
const tokenColumn = (column: string) => `CASE WHEN t.record_type = 'vault_reward' THEN NULL
  WHEN t.entity_type = 'market' THEN ${columnOf('market', column)}
    ELSE ${columnOf('vault', column)} END`

export const activityColumns = sqlColumns({
  kind: {
    sql: 't.kind',
    type: 'text',
    description: 'The kind of the cash flow, liquidation or reward.',
  },
  timestamp: {
    sql: 't.timestamp',
    type: 'timestamp',
    moment: { field: 'time', description: 'The time of the transaction.' },
    filter: 'time',
    sort: 'TIME',
  },
  chainId: { sql: 't.chain_id', type: 'integer', description: 'The chain id.' },
  txHash: { sql: 't.tx_hash', type: 'text', description: 'The hash of the transaction.' },
  logIndex: {
    sql: 't.log_index',
    type: 'integer',
    description: 'The index of the event in its block.',
  },
  userAddress: { sql: 't.user_address', type: 'address' },
  recordType: { sql: 't.record_type', type: 'text' },
  entityType: { sql: 't.entity_type::text', type: 'text', description: 'The kind of the entity.' },
  entityId: {
    sql: 't.entity_id',
    type: 'address',
    field: 'entityAddress',
    description:
      'The address of the market (of the collateral for a liquidation or reward) or vault.',
  },
  marketId: { sql: entityIn('market'), type: 'address', nullable: true },
  vaultId: { sql: entityIn('vault'), type: 'address', nullable: true },
  poolAddress: {
    sql: `CASE WHEN t.entity_type = 'market' THEN ${columnOf('market', 'pool_address')} END`,
    type: 'address',
    nullable: true,
  },
  assetAddress: { sql: tokenColumn('asset_address'), type: 'address', nullable: true },
  assetSymbol: { sql: tokenColumn('asset_symbol'), type: 'text', nullable: true },
  assets: {
    sql: 't.assets',
    type: 'amount',
    nullable: true,
    description:
      'The amount that moved, with its USD at that time: see `usdIsComputed`. `raw` is null if ' +
      'only USD are stored, `decimals` if the token is not stored, `value` in both cases.',
    tokens: { field: 'amount', usd: 'amountUsd', decimals: 'assetDecimals' },
  },
  assetDecimals: { sql: tokenColumn('asset_decimals'), type: 'int', nullable: true },
  amountUsd: { sql: 't.amount_usd', type: 'float', nullable: true, filter: true },
  usdIsComputed: {
    sql: 't.is_computed',
    type: 'boolean',
    description:
      'True if the USD are the amount times the price of its day, because its source has none. ' +
      '`netCashInvestedUsd` counts such a cash flow as 0. The list of rewards has the USD of the ' +
      'source alone.',
  },
})

/**
 * Something that happened to a user in a market or a vault: a cash flow, a liquidation, or a share
 * of a liquidation reward.
 */
export type Activity = RowOf<typeof activityColumns>

const { userAddress, assetAddress, chainId, entityId, entityType, kind, poolAddress } =
  activityColumns

export const activities = listing({
  name: 'activity',
  from,
  columns: activityColumns,
  order: {
    timestamp: 'DESC',
    logIndex: 'DESC',
    txHash: 'ASC',
    chainId: 'ASC',
    userAddress: 'ASC',
    recordType: 'ASC',
  },
  filters: {
    kinds: rowFilters.many(kind, 'Only activity of one of these kinds.'),
    users: rowFilters.many(userAddress, 'Only activity of one of these users.'),
    entities: rowFilters.many(
      entityId,
      'Only activity in markets and vaults at one of these addresses.',
    ),
    entityTypes: rowFilters.many(entityType, 'Only activity in entities of one of these kinds.'),
    pools: rowFilters.many(poolAddress, 'Only activity in the markets of one of these pools.'),
    assets: rowFilters.many(assetAddress, 'Only activity in which one of these tokens moved.'),
    chainIds: rowFilters.many(chainId, 'Only activity on one of these chains.'),
    unpriced: rowFilters.flag(
      't.amount_usd IS NULL AND t.assets IS DISTINCT FROM 0',
      'Only activity whose USD are not known (true) or are known (false).',
    ),
  },
})

/** Filters activity by the kind of its entity. */
export const activityFilter = (kind?: EntityType): Filter => ({
  where: kind ? [Prisma.raw(`t.entity_type = '${kind}'`)] : [],
  branches,
})
