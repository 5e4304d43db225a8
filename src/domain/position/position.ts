import {
  type Filter,
  type Listing,
  listing,
  type RowOf,
  rowFilters,
  type SortKey,
  sqlColumns,
  type Where,
} from 'pothos-sql'
import { constantCase, type FilterLookup, rowsById, withoutKeys } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { doubleOf, pointsColumn } from '../points/millionths.ts'
import {
  backsDebt,
  healthFactorSql,
  joinedThreshold,
  mostHealth,
  positionsUpTo,
  storedThreshold,
  type Weight,
} from './health.ts'
import { healthColumns } from './health-columns.ts'
import { SHOCKED_HEALTH, type Shock, shockedPositions } from './shocks.ts'

const POINTS = '(t.points_a + t.points_b)'

const sidePoints = (side: 'A' | 'B') =>
  `Points of side ${side}: the double \`(baseDeposit * deposit) * (supplied + ` +
  `protected) + (baseBorrow * borrow) * borrowed\` of its USD amounts and ` +
  'multipliers, times 1e6, to the nearest integer, ties to even, in millionths. ' +
  'Protected supply counts only while the other side has debt, of at least `protectedMinLtv` of ' +
  'the base points.'

// The decimals of a side's token, as the market of the side has them.
const decimals = (side: 'a' | 'b', unit: 'unit_1_id' | 'unit_2_id') =>
  ({
    sql: `(SELECT m.asset_decimals FROM pool p
      JOIN market m ON m.chain_id = p.chain_id AND m.id = p.${unit}
      WHERE p.key = t.pool_key AND m.asset_address = t.${side}_token_address)`,
    type: 'int',
    nullable: true,
  }) as const

const columnsWith = (threshold: Weight) =>
  sqlColumns(Prisma.PositionScalarFieldEnum, {
    id: { type: 'text' },
    userAddress: { type: 'address', field: 'user.address', sort: 'USER' },
    poolAddress: {
      type: 'address',
      description: "The pool's address: marketAddress in the REST API.",
      sort: 'POOL',
    },
    poolKey: { type: 'int' },
    distributionDate: {
      type: 'date',
      field: 'date',
      description: 'The distribution date.',
      sort: true,
    },
    pointsA: { ...pointsColumn('t.points_a'), description: sidePoints('A') },
    pointsB: { ...pointsColumn('t.points_b'), description: sidePoints('B') },
    points: { ...pointsColumn(POINTS), description: 'Total points of both sides.', sort: true },
    given: { type: 'boolean' },
    runId: { type: 'bigint', nullable: true },
    aDecimals: decimals('a', 'unit_1_id'),
    bDecimals: decimals('b', 'unit_2_id'),
    ...healthColumns(healthFactorSql(threshold)),
  })

export const positionColumns = columnsWith(storedThreshold)

/** A user's amounts in a pool on a distribution date, and the points for them. */
export type PositionRow = RowOf<typeof positionColumns>

// The sum of amounts of both sides in USD. A quarter of the largest double is the most that is
// added of each, as Postgres refuses more.
const ofSides = (amounts: readonly string[], most = '4e307') =>
  amounts
    .flatMap((amount) => [`t.a_${amount}_amount_usd`, `t.b_${amount}_amount_usd`])
    .map((column) => `least(greatest(${column}, -${most}), ${most})`)
    .join(' + ')

// The same in millionths, rounded: the order of addition then decides no place.
const rankedOfSides = (amounts: readonly string[]) => `round((${ofSides(amounts, '1e300')}) * 1e6)`

const AMOUNTS = {
  suppliedUsd: [['supplied'], 'borrowable supply'],
  protectedUsd: [['protected_supplied'], 'non-borrowable supply'],
  tvlUsd: [['supplied', 'protected_supplied'], 'total value locked'],
  borrowedUsd: [['borrowed'], 'amount borrowed'],
} as const

const amountFilters = Object.fromEntries(
  Object.entries(AMOUNTS).map(([name, [amounts, what]]) => [
    name,
    rowFilters.range(
      { sql: `(${ofSides(amounts)})`, type: 'float' },
      `Only positions with this ${what} on both sides, in USD.`,
    ),
  ]),
)
const amountSortKeys = (sum: (amounts: readonly string[]) => string) =>
  Object.fromEntries(
    Object.entries(AMOUNTS).map(([name, [amounts, what]]): [string, SortKey] => [
      constantCase(name),
      {
        column: `(${sum(amounts)})`,
        field: name,
        type: 'float',
        description: `Sorts by the ${what} on both sides, in USD.`,
      },
    ]),
  )
// The table behind the view: only it lets an index answer alone.
const STORED = Prisma.sql`stored_position t`
const ofUsers: FilterLookup = {
  matches: (users) => Prisma.sql`t.user_address = ANY(${users})`,
  equals: (user) => Prisma.sql`t.user_address = ${user}`,
  keys: {
    from: STORED,
    column: 't.user_address',
    select: (users) => Prisma.sql`SELECT DISTINCT key FROM unnest(${users}) key`,
  },
}
const ofPools: FilterLookup = {
  matches: (pools) =>
    Prisma.sql`t.pool_key = ANY(ARRAY(SELECT key FROM pool WHERE id = ANY(${pools})))`,
  equals: (pool) => Prisma.sql`t.pool_key = (SELECT key FROM pool WHERE id = ${pool})`,
  keys: {
    from: STORED,
    column: 't.pool_key',
    select: (pools) => Prisma.sql`SELECT key FROM pool WHERE id = ANY(${pools})`,
  },
}
const withToken = (tokens: Prisma.Sql) =>
  Prisma.sql`(p.a_token_address = ANY(${tokens}) OR p.b_token_address = ANY(${tokens}))`
const ofTokens: FilterLookup = {
  matches: (tokens) =>
    Prisma.sql`t.pair_key = ANY(ARRAY(SELECT p.key FROM token_pair p WHERE ${withToken(tokens)}))`,
  keys: {
    from: STORED,
    column: 't.pool_key',
    select: (tokens) => Prisma.sql`SELECT p.pool_key AS key, bool_and(${withToken(tokens)}) AS whole
      FROM token_pair p GROUP BY 1 HAVING bool_or(${withToken(tokens)})`,
    partial: true,
  },
}
// Positions whose debt supply of a token backs.
const backedBy: FilterLookup = {
  matches(tokens) {
    const backs = (
      side: 'a' | 'b',
    ) => Prisma.sql`${Prisma.raw(backsDebt(side))} AND t.pair_key = ANY(ARRAY(
      SELECT p.key FROM token_pair p WHERE p.${Prisma.raw(side)}_token_address = ANY(${tokens})))`
    return Prisma.sql`(${backs('a')} OR ${backs('b')})`
  },
}

const positionsFrom = (from: Prisma.Sql, all: typeof positionColumns) =>
  listing({
    name: 'positions',
    from,
    columns: all,
    order: { distributionDate: 'DESC', id: 'ASC' },
    filters: {
      users: rowFilters.lookedUp(
        rowFilters.many(positionColumns.userAddress, 'Only positions of one of these users.'),
        ofUsers,
      ),
      pools: rowFilters.lookedUp(
        rowFilters.many(positionColumns.poolAddress, 'Only positions in one of these pools.'),
        ofPools,
      ),
      assets: rowFilters.lookedUp(
        rowFilters.many(
          positionColumns.aTokenAddress,
          'Only positions with one of these tokens on either side.',
        ),
        ofTokens,
      ),
      collateralAssets: rowFilters.lookedUp(
        rowFilters.many(
          positionColumns.aTokenAddress,
          'Only positions whose debt is backed by supply of one of these tokens.',
        ),
        backedBy,
      ),
      chainIds: rowFilters.many(
        positionColumns.chainId,
        'Only positions in pools on one of these chains.',
      ),
      date: rowFilters.range(
        positionColumns.distributionDate,
        'Only positions whose distribution date is in this range.',
      ),
      points: rowFilters.range(
        { sql: doubleOf(POINTS), type: 'float' },
        'Only positions whose total points are in this range.',
      ),
      ...amountFilters,
    },
    sortKeys: amountSortKeys((amounts) => ofSides(amounts)),
  })

export const positionListing = positionsFrom(Prisma.sql`position t`, positionColumns)

/** Positions of one date, by amounts in USD to six decimals or by points. Ids break ties. */
export const rankedPositions: Listing<PositionRow> = {
  ...positionListing,
  name: 'rankedPositions',
  order: positionListing.order.filter(({ field }) => field === 'id'),
  sortKeys: { ...positionListing.sortKeys, ...amountSortKeys(rankedOfSides) },
}

const joinedColumns = columnsWith(joinedThreshold)

/** Lists the positions of the newest distribution date, of which a shock may liquidate some. */
export function positionsUnder(shock: Shock): Listing<PositionRow> {
  const shocked = positionsFrom(shockedPositions([shock]), joinedColumns)
  return { ...shocked, filters: withoutKeys(shocked.filters) }
}

export const isLiquidated: Filter = { where: [Prisma.raw(`${SHOCKED_HEALTH} <= 1`)] }

/**
 * Lists the positions of a date. If the filter limits the health factor or the drop, an index gives
 * those that may match.
 */
export function positionsOn(
  date: Prisma.Sql,
  where: Where | null | undefined,
): Listing<PositionRow> {
  const most = mostHealth(where)
  if (most === undefined) return positionListing
  const assets = where?.collateralAssets as string[] | null | undefined
  const tokens = Prisma.sql`(SELECT ${assets}::text[])::text[]`
  const pools = assets
    ? Prisma.sql`(SELECT u.* FROM pool u WHERE u.key IN
        (SELECT p.pool_key FROM token_pair p WHERE ${withToken(tokens)})) u`
    : undefined
  const limited = positionsFrom(positionsUpTo(most, date, pools), joinedColumns)
  return { ...limited, filters: withoutKeys(limited.filters) }
}

export const positionsById = (reader: Reader, ids: readonly string[]) =>
  rowsById(reader, positionListing, ids, 'text')
