import { listing, rowFilters, sqlColumns } from 'pothos-sql'
import { Prisma } from '../../generated/prisma/client.ts'
import { decimalsSql, nameSql } from '../asset/token.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'
import { amountColumns, ofBothSides } from './amounts.ts'
import { rateFilters, rateSortKeys } from './rates.ts'

export const poolColumns = sqlColumns(Prisma.PoolScalarFieldEnum, {
  id: {
    type: 'address',
    field: 'address',
    description: "The pool's address: its id in the REST APIs.",
    sort: true,
  },
  key: { type: 'int' },
  chainId: { type: 'integer', description: 'The id of the chain that the pool is on.', sort: true },
  number: { type: 'integer', description: "The pool's number in the protocol.", sort: true },
  name: { type: 'text', description: "The pool's name, such as S/USDC.", sort: true },
  displayName: {
    sql: "concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.number)",
    type: 'text',
  },
  asset1Address: { type: 'address' },
  asset1Name: { type: 'text' },
  asset1Symbol: { type: 'text' },
  asset2Address: { type: 'address' },
  asset2Name: { type: 'text' },
  asset2Symbol: { type: 'text' },
  createdTimestamp: {
    type: 'integer',
    moment: { field: 'createdAt', description: 'When the pool was created.' },
    sort: 'CREATED_AT',
  },
  interestLastUpdated: { type: 'integer' },
  unit1Id: {
    type: 'address',
    field: 'marketAAddress',
    description: "The address of side A's market.",
  },
  unit2Id: {
    type: 'address',
    field: 'marketBAddress',
    description: "The address of side B's market.",
  },
})

const POINTS = 'coalesce(total.points, 0)'

// The columns of a pool that are read from other tables.
const computedPoolColumns = sqlColumns({
  points: {
    ...pointsColumn(POINTS),
    field: 'totalPoints',
    description: "Points of the pool's positions over all distribution dates.",
    sort: true,
  },
  positionCount: {
    sql: 'coalesce(d.position_count, 0)',
    type: 'int',
    description: 'Number of positions on the newest distribution date, one per user.',
    filter: true,
    sort: true,
  },
  ...amountColumns(ofBothSides, { date: 'the newest date', nullable: false }),
  asset1TokenName: {
    sql: nameSql('t.chain_id', 't.asset_1_address', 't.asset_1_name'),
    type: 'text',
  },
  asset2TokenName: {
    sql: nameSql('t.chain_id', 't.asset_2_address', 't.asset_2_name'),
    type: 'text',
  },
  asset1Decimals: {
    sql: decimalsSql('t.chain_id', 't.asset_1_address'),
    type: 'int',
    nullable: true,
  },
  asset2Decimals: {
    sql: decimalsSql('t.chain_id', 't.asset_2_address'),
    type: 'int',
    nullable: true,
  },
})

const tokens = [poolColumns.asset1Address, poolColumns.asset2Address]

export const pools = listing({
  name: 'pools',
  // Postgres drops a join if no column of it is read.
  from: Prisma.sql`pool t LEFT JOIN pool_total total ON total.pool_address = t.id
    LEFT JOIN pool_day d ON d.pool_address = t.id AND d.distribution_date = (SELECT max(date)
      FROM distribution)`,
  columns: { ...poolColumns, ...computedPoolColumns },
  order: { number: 'ASC', id: 'ASC' },
  filters: {
    addresses: rowFilters.many(poolColumns.id, 'Only pools at one of these addresses.'),
    markets: rowFilters.many(
      [poolColumns.unit1Id, poolColumns.unit2Id],
      'Only pools that one of these markets is a side of.',
    ),
    assets: rowFilters.many(tokens, 'Only pools with one of these tokens on either side.'),
    chainIds: rowFilters.many(poolColumns.chainId, 'Only pools on one of these chains.'),
    numbers: rowFilters.many(
      poolColumns.number,
      'Only pools with one of these numbers in the protocol.',
    ),
    createdAt: rowFilters.range(
      { ...poolColumns.createdTimestamp, type: 'timestamp' },
      'Only pools created in this time range.',
    ),
    totalPoints: rowFilters.range(
      { sql: doubleOf(POINTS), type: 'float' },
      'Only pools whose total points are in this range.',
    ),
    ...rateFilters,
  },
  sortKeys: rateSortKeys,
})
