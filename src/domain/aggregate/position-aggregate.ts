import { exact } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { pointsOf } from '../points/millionths.ts'
import { isoDate } from '../position/position.ts'
import { type Aggregate, byTime, count, sumAndAverage } from './aggregate.ts'
import { assertBounded, type Bounds } from './bounds.ts'

const MAX_DATES = 31
const MAX_POOL_DATES = 366
const ADVICE = `give users, or from and to at most ${MAX_DATES} dates apart, or a pool with from and to at most ${MAX_POOL_DATES} dates apart`

const AMOUNTS = [
  ['supplied', 'supplied_amount'],
  ['protected', 'protected_supplied_amount'],
  ['borrowed', 'borrowed_amount'],
] as const

const usd = (side: 'a' | 'b') => AMOUNTS.map(([, amount]) => `t.${side}_${amount}_usd`)
const tokens = (side: 'a' | 'b') => AMOUNTS.map(([, amount]) => `t.${side}_${amount}`)
const usdNames = AMOUNTS.map(([name]) => `${name}_usd`)
const side = (of: 'a' | 'b') =>
  `(t.${of}_token_address, coalesce(pp.points_${of}, 0), ${[...usd(of), ...tokens(of)].map(exact).join(', ')})`

const columns = 't.user_address, t.distribution_date, t.market_address, pool.chain_id'
const SAME = Prisma.raw(`pp.distribution_date = t.distribution_date AND pp.user_address = t.user_address
  AND pp.market_address = t.market_address`)
/** Points of a date are adjacent and read as a whole. Points of a user or a pool are looked up one by one. */
const from = ({ users, pool }: Bounds, dates: (column: string) => Prisma.Sql[]) => Prisma.sql`FROM position t
  ${
    users || pool
      ? Prisma.sql`LEFT JOIN LATERAL (SELECT * FROM position_points pp WHERE ${SAME} OFFSET 0) pp ON true`
      : Prisma.sql`LEFT JOIN position_points pp ON ${Prisma.join([SAME, ...dates('pp.distribution_date')], ' AND ')}`
  }
  LEFT JOIN pool ON pool.id = t.market_address`
const whole =
  Prisma.raw(`SELECT ${columns}, NULL AS asset, coalesce(pp.points_a, 0) + coalesce(pp.points_b, 0) AS points,
  ${AMOUNTS.map(([name], i) => `${exact(usd('a')[i] ?? '')} + ${exact(usd('b')[i] ?? '')} AS ${name}_usd`).join(', ')}`)
const bySide = Prisma.raw(`SELECT ${columns}, side.*`)
const sides = Prisma.raw(`CROSS JOIN LATERAL (VALUES ${side('a')}, ${side('b')})
  AS side(asset, points, ${[...usdNames, ...AMOUNTS.map(([name]) => `${name}_amount`)].join(', ')})`)

/** Selects positions, or their sides if grouped or filtered by token. */
export const positionAggregate: Aggregate = {
  rows(filter, groupBy) {
    assertBounded(filter, filter.pool ? MAX_POOL_DATES : MAX_DATES, ADVICE)
    const where: Prisma.Sql[] = []
    const dates = (column: string) => [
      ...(filter.from ? [Prisma.sql`${Prisma.raw(column)} >= ${isoDate(filter.from)}::date`] : []),
      ...(filter.to ? [Prisma.sql`${Prisma.raw(column)} <= ${isoDate(filter.to)}::date`] : []),
    ]
    if (filter.users) where.push(Prisma.sql`t.user_address = ANY(${filter.users}::text[])`)
    if (filter.pool) where.push(Prisma.sql`t.market_address = ${filter.pool}`)
    where.push(...dates('t.distribution_date'))
    if (typeof filter.chainId === 'number') where.push(Prisma.sql`pool.chain_id = ${filter.chainId}::bigint`)
    if (filter.asset) where.push(Prisma.sql`side.asset = ${filter.asset}`)
    const ofSides = filter.asset || groupBy.includes('ASSET')
    return Prisma.sql`${ofSides ? bySide : whole} ${from(filter, dates)} ${ofSides ? sides : Prisma.empty}
      WHERE ${Prisma.join(where, ' AND ')}`
  },
  groups: {
    ...byTime('t.distribution_date'),
    POOL: { poolAddress: 't.market_address', chainId: 't.chain_id' },
    ASSET: { assetAddress: 't.asset', chainId: 't.chain_id' },
    CHAIN: { chainId: 't.chain_id' },
    USER: { userAddress: 't.user_address' },
  },
  measures: {
    count: count('Number of positions (one per user, pool and date). Grouped or filtered by token: number of sides.'),
    userCount: count('Number of distinct users.', 'count(DISTINCT t.user_address)::int'),
    sumPoints: { type: 'float', description: 'Sum of points.', sql: pointsOf('coalesce(sum(t.points), 0)') },
    averagePoints: {
      type: 'float',
      description: 'Average of points, over all rows. Null if there are no rows.',
      sql: pointsOf('round(sum(t.points) / nullif(count(*), 0))'),
      nullable: true,
    },
    ...sumAndAverage('SuppliedUsd', 't.supplied_usd', 'borrowable supply, in USD'),
    ...sumAndAverage('ProtectedUsd', 't.protected_usd', 'protected supply, in USD'),
    ...sumAndAverage('BorrowedUsd', 't.borrowed_usd', 'amounts borrowed, in USD'),
    ...Object.fromEntries(
      AMOUNTS.map(([name]) => [
        `sum${name.charAt(0).toUpperCase()}${name.slice(1)}Amount`,
        {
          type: 'float' as const,
          description: `Sum of ${name} amounts, in whole tokens. Null unless grouped by ASSET, because other groups mix tokens.`,
          sql: `sum(t.${name}_amount)::float8`,
          only: ['ASSET'],
          nullable: true,
        },
      ]),
    ),
  },
}
