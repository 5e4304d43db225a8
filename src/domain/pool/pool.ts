import { columnsOf } from '../../db/lists/column.ts'
import { many, one, range } from '../../db/lists/filter.ts'
import { listing } from '../../db/lists/listing.ts'
import { Prisma } from '../../generated/prisma/client.ts'

const columns = columnsOf(Prisma.PoolScalarFieldEnum, {
  id: { type: 'address', field: 'address', description: "The pool's address: its id in the REST APIs.", sort: true },
  chainId: { type: 'integer', description: 'The id of the chain that the pool is on.', sort: true },
  number: { sql: 't.market_id', type: 'integer', description: "The pool's number in the protocol.", sort: true },
  name: { type: 'text', description: "The pool's name, such as S/USDC.", sort: true },
  displayName: { sql: "concat_ws('·', t.asset_1_symbol, t.asset_2_symbol, t.market_id)", type: 'text' },
  asset1Address: { type: 'address' },
  asset1Name: { type: 'text' },
  asset1Symbol: { type: 'text' },
  asset2Address: { type: 'address' },
  asset2Name: { type: 'text' },
  asset2Symbol: { type: 'text' },
  createdTimestamp: { type: 'integer', description: 'When the pool was created, in Unix seconds.', sort: 'CREATED_AT' },
  interestLastUpdated: {
    type: 'integer',
    description: "When the pool's interest was last updated, in Unix seconds.",
  },
  unit1Id: { type: 'address', field: 'marketAAddress', description: "The address of side A's market." },
  unit2Id: { type: 'address', field: 'marketBAddress', description: "The address of side B's market." },
})

const tokens = [columns.asset1Address, columns.asset2Address]

/** Pools, by the pool's number, then address. */
export const pools = listing({
  name: 'pools',
  from: Prisma.sql`pool t`,
  columns,
  order: { number: 'ASC', id: 'ASC' },
  filters: {
    pool: one(columns.id, 'Only the pool at this address.'),
    pools: many(columns.id, 'Only pools at one of these addresses.'),
    market: one([columns.unit1Id, columns.unit2Id], 'Only the pool that this market is a side of.'),
    asset: one(tokens, 'Only pools with this token on either side.'),
    assets: many(tokens, 'Only pools with one of these tokens on either side.'),
    chainId: one(columns.chainId, 'Only pools on this chain.'),
    chainIds: many(columns.chainId, 'Only pools on one of these chains.'),
    number: one(columns.number, 'Only pools with this number in the protocol.'),
    createdAt: range({ ...columns.createdTimestamp, type: 'timestamp' }, 'Only pools created in this time range.'),
  },
})
