import { rowFilters } from 'pothos-sql'
import { conditionOf } from 'pothos-sql/host'
import { exact } from '../../db/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { positionListing } from '../position/position.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded } from './bounds.ts'

const AMOUNTS = [
  ['supplied', 'supplied_amount'],
  ['protected', 'protected_supplied_amount'],
  ['borrowed', 'borrowed_amount'],
] as const

const usd = (side: 'a' | 'b') => AMOUNTS.map(([, amount]) => `t.${side}_${amount}_usd`)
const tokens = (side: 'a' | 'b') => AMOUNTS.map(([, amount]) => `t.${side}_${amount}`)
const usdNames = AMOUNTS.map(([name]) => `${name}_usd`)
const side = (of: 'a' | 'b') =>
  `(t.${of}_token_address, t.points_${of}, ${[...usd(of), ...tokens(of)].map(exact).join(', ')})`

const columns = 't.user_address, t.distribution_date, t.pool_address, pool.chain_id'

// The filters of positions, over the joins of the aggregate.
const chainId = { sql: 'pool.chain_id', type: 'integer' } as const
const filters = { ...positionListing.filters, chainIds: rowFilters.many(chainId, '') }
const token = { sql: 'side.asset', type: 'address' } as const
const ofSide = { assets: rowFilters.many(token, '') }

const FROM = 'FROM position t LEFT JOIN pool ON pool.key = t.pool_key'
const whole = Prisma.raw(`SELECT ${columns}, NULL AS asset, t.points_a + t.points_b AS points,
  ${AMOUNTS.map(
    ([name], i) => `${exact(usd('a')[i] ?? '')} +
    ${exact(usd('b')[i] ?? '')} AS ${name}_usd`,
  ).join(', ')} ${FROM}`)
const sides = Prisma.raw(`SELECT ${columns}, side.* ${FROM}
    CROSS JOIN LATERAL (VALUES ${side('a')}, ${side('b')})
  AS side(asset, points,
    ${[...usdNames, ...AMOUNTS.map(([name]) => `${name}_amount`)].join(', ')})`)

const amount = (name: 'Supplied' | 'Protected' | 'Borrowed', what: string) => {
  const column = `t.${name.toLowerCase()}`
  return sumAndAverage(name, what, {
    usd: `${column}_usd`,
    tokens: { only: ['ASSET'], whole: `${column}_amount` },
  })
}

/**
 * Selects positions or, if grouped by token or filtered by token at the top level, their sides of
 * these tokens.
 */
export const positionAggregate: Aggregate = {
  rows(where, groupBy) {
    assertBounded(where, 'date', { dates: 31, of: { filter: 'pools', dates: 366 } })
    const { assets = null } = where
    const matches = conditionOf(filters, where)
    if (!assets && !groupBy.includes('ASSET')) return Prisma.sql`${whole} WHERE ${matches}`
    return Prisma.sql`${sides} WHERE ${matches} AND ${conditionOf(ofSide, { assets })}`
  },
  groups: {
    ...byTime('t.distribution_date'),
    POOL: { poolAddress: 't.pool_address', chainId: 't.chain_id' },
    ASSET: { assetAddress: 't.asset', chainId: 't.chain_id' },
    CHAIN: { chainId: 't.chain_id' },
    USER: { userAddress: 't.user_address' },
  },
  measures: {
    count: count('Number of positions or, by token, of their sides.'),
    userCount: count('Number of distinct users.', 'count(DISTINCT t.user_address)::int'),
    sumPoints: {
      type: 'float',
      description: 'Sum of points.',
      sql: pointsOf('coalesce(sum(t.points), 0)'),
    },
    averagePoints: {
      type: 'float',
      description: 'Average of points. Null without rows.',
      sql: pointsOf('round(sum(t.points) / nullif(count(*), 0))'),
      nullable: true,
    },
    ...amount('Supplied', 'borrowable supply'),
    ...amount('Protected', 'protected supply'),
    ...amount('Borrowed', 'amounts borrowed'),
  },
}
