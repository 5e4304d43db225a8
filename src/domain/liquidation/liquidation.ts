import { listing, type RowOf, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'

const decimalsIn = (market: string) =>
  `(SELECT e.asset_decimals FROM market e WHERE e.chain_id = t.chain_id AND e.id = ${market})`

const amount = (field: string, column: string, decimals: string, description: string) =>
  ({
    sql: `t.${column}`,
    type: 'amount',
    description,
    tokens: { field, usd: `${field}Usd`, decimals },
  }) as const
const usd = (column: string) =>
  ({ sql: `t.${column}`, type: 'float', nullable: true, filter: true, sort: true }) as const

export const liquidationColumns = sqlColumns({
  chainId: { sql: 't.chain_id', type: 'integer', description: 'The chain id.', sort: true },
  txHash: { sql: 't.tx_hash', type: 'text', description: 'The hash of the transaction.' },
  logIndex: {
    sql: 't.log_index',
    type: 'integer',
    description: 'The index of the event in its block.',
  },
  timestamp: {
    sql: 't.timestamp',
    type: 'timestamp',
    moment: { field: 'time', description: 'The time of the liquidation.' },
    filter: 'time',
    sort: 'TIME',
  },
  borrower: { sql: 't.user_address', type: 'address' },
  liquidator: { sql: 't.liquidator', type: 'address' },
  poolAddress: { sql: 't.pool_address', type: 'address' },
  debtMarketId: { sql: 't.debt_market_id', type: 'address' },
  collateralMarketId: { sql: 't.collateral_market_id', type: 'address' },
  debtRepaid: amount(
    'debtRepaid',
    'debt_repaid',
    'debtDecimals',
    "The borrower's debt that was repaid.",
  ),
  debtRepaidUsd: usd('debt_repaid_usd'),
  collateralSeized: amount(
    'collateralSeized',
    'collateral_seized',
    'collateralDecimals',
    "The borrower's collateral that was taken for it.",
  ),
  collateralSeizedUsd: usd('collateral_seized_usd'),
  debtDecimals: { sql: decimalsIn('t.debt_market_id'), type: 'int', nullable: true },
  collateralDecimals: { sql: decimalsIn('t.collateral_market_id'), type: 'int', nullable: true },
})

/** One liquidation event: a borrower's debt was repaid, and collateral was taken for it. */
export type Liquidation = RowOf<typeof liquidationColumns>

const { borrower, liquidator, poolAddress, debtMarketId, collateralMarketId, chainId, txHash } =
  liquidationColumns

export const liquidations = listing({
  name: 'liquidations',
  from: Prisma.sql`liquidation t`,
  columns: liquidationColumns,
  order: {
    timestamp: 'DESC',
    logIndex: 'DESC',
    txHash: 'ASC',
    chainId: 'ASC',
    borrower: 'ASC',
  },
  filters: {
    users: rowFilters.many(borrower, 'Only liquidations of one of these borrowers.'),
    liquidators: rowFilters.many(liquidator, 'Only liquidations by one of these liquidators.'),
    pools: rowFilters.many(poolAddress, 'Only liquidations in one of these pools.'),
    debtMarkets: rowFilters.many(
      debtMarketId,
      'Only liquidations that repaid debt in one of these markets.',
    ),
    collateralMarkets: rowFilters.many(
      collateralMarketId,
      'Only liquidations that took collateral in one of these markets.',
    ),
    chainIds: rowFilters.many(chainId, 'Only liquidations on one of these chains.'),
    transactions: rowFilters.many(txHash, 'Only liquidations in one of these transactions.'),
  },
})

/** The FROM clause of the liquidation that a reward belongs to, by its transaction. */
export const liquidationOf = (
  chain: Prisma.Sql,
  tx: Prisma.Sql,
  collateralMarket: Prisma.Sql,
): Prisma.Sql => Prisma.sql`FROM (
    SELECT * FROM liquidation l WHERE l.chain_id = ${chain} AND l.tx_hash = ${tx}
    ORDER BY l.collateral_market_id IS DISTINCT FROM ${collateralMarket}, l.log_index,
      l.user_address
    LIMIT 1) t`
