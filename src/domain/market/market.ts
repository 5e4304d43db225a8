import { listing, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { amountColumns, ofSide, tokenColumns, tokensOfSide } from '../pool/amounts.ts'
import { entityColumns, entityFilters } from './entity.ts'

export const marketColumns = sqlColumns(Prisma.MarketScalarFieldEnum, {
  ...entityColumns('market', { poolAddress: { type: 'address' } }),
  borrowRate: {
    type: 'float',
    field: 'borrowApr',
    description: 'The borrow APR as a fraction: 0.05 is 5 %.',
    filter: true,
    sort: true,
  },
  maxLtv: {
    type: 'float',
    nullable: true,
    description:
      'The maximum loan-to-value (LTV) of a new loan against the asset as collateral, as a ' +
      'fraction: 0.75 is 75 %. Null if it is not known.',
    filter: true,
    sort: true,
  },
  liquidationThreshold: {
    type: 'float',
    nullable: true,
    description:
      'The loan-to-value (LTV) above which a loan against the asset as collateral can be ' +
      'liquidated, as a fraction: 0.8 is 80 %. Null if it is not known.',
    filter: true,
    sort: true,
  },
})

const ofMarketSide = (a: string, b: string) =>
  `CASE t.id WHEN pool.unit_1_id THEN ${a} WHEN pool.unit_2_id THEN ${b} END`

const NOW = {
  date: 'the newest date',
  nullable: true,
  note: 'Null without a pool.',
} as const

// The columns of a market that are computed: the amounts of its side of the pool.
const computedMarketColumns = sqlColumns({
  side: {
    sql: ofMarketSide("'A'", "'B'"),
    type: 'text',
    nullable: true,
    description: 'The side of its pool that the market is. Null if the pool is not stored.',
  },
  name: {
    sql:
      "concat_ws(' in ', t.asset_symbol, CASE WHEN pool.id IS NOT NULL THEN concat_ws('·', " +
      'pool.asset_1_symbol, pool.asset_2_symbol, pool.number) END)',
    type: 'text',
    description: 'Its token in its pool, such as S in S·USDC·20. Only S without a pool.',
  },
  ...amountColumns((amount) => [ofMarketSide(...ofSide('a')(amount), ...ofSide('b')(amount))], NOW),
  ...tokenColumns((amount) => ofMarketSide(tokensOfSide('a')(amount), tokensOfSide('b')(amount)), {
    ...NOW,
    decimals: 'assetDecimals',
  }),
})

export const markets = listing({
  name: 'markets',
  // Postgres drops a join if no column of it is read.
  from: Prisma.sql`market t LEFT JOIN pool ON pool.id = t.pool_address
    AND pool.chain_id = t.chain_id
    LEFT JOIN pool_day d ON d.pool_address = pool.id AND d.distribution_date = (SELECT max(date)
      FROM distribution)`,
  columns: { ...marketColumns, ...computedMarketColumns },
  order: { chainId: 'ASC', id: 'ASC' },
  filters: {
    ...entityFilters('market', marketColumns),
    pools: rowFilters.many(marketColumns.poolAddress, 'Only the sides of one of these pools.'),
  },
})

/** The markets of pools, side A first. */
export const poolSides: typeof markets = {
  ...markets,
  name: 'sides',
  order: [
    { column: markets.columns.side.sql, field: 'side', type: 'text', direction: 'ASC' },
    ...markets.order,
  ],
}
