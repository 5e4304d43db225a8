import { sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { lastDate } from './filter.ts'
import { joinedThreshold, positionsUpTo, shockedHealthSql } from './health.ts'

export const MOST_SHOCKS = 48
export const MOST_POOLS = 10
const LARGEST = 10

/** A change of one price, or of those of tokens that move together. Others stay as they are. */
export interface Shock {
  asset?: string | null
  group?: string | null
  change: number
}

const sumsColumns = (positions: string, ifUnknown: string) =>
  sqlColumns({
    asset: {
      sql: 't.asset',
      type: 'address',
      nullable: true,
      description: 'The token whose price changes. Null for a group.',
    },
    group: {
      sql: 't.name',
      type: 'text',
      nullable: true,
      description: 'The group of tokens whose prices change. Null for a token.',
    },
    change: {
      sql: 't.change',
      type: 'float',
      description: 'The change of the price as a fraction: -0.2 is a fall by 20 %.',
    },
    positionCount: {
      sql: 't.positions::int',
      type: 'int',
      nullable: true,
      description: `The number of ${positions} that can be liquidated after it. ${ifUnknown}`,
    },
    collateralUsd: {
      sql: toDouble('t.collateral'),
      type: 'float',
      nullable: true,
      description: `Their collateral before the change, in USD. ${ifUnknown}`,
    },
    debtUsd: {
      sql: toDouble('t.debt'),
      type: 'float',
      nullable: true,
      description: `The debt that it backs, before the change, in USD. ${ifUnknown}`,
    },
    unknownPositionCount: {
      sql: 't.unknown_positions::int',
      type: 'int',
      description: 'Number of positions with a priced debt but an unknown threshold or price.',
    },
    unknownDebtUsd: {
      sql: toDouble('t.unknown_debt'),
      type: 'float',
      nullable: true,
      description: 'The debt of those not counted, in USD, where priced. Else null.',
    },
  })

export const shockColumns = sumsColumns(
  'positions, one per user in each pool,',
  'Null if there is debt, and no market has a liquidation threshold.',
)

export const poolColumns = {
  ...sumsColumns(
    'its positions',
    'Null if neither market has a liquidation threshold, and each position has collateral.',
  ),
  ...sqlColumns({
    poolAddress: { sql: 't.pool', type: 'address', description: "The pool's address." },
  }),
}

/** Checks shocks, but not whether the store has their tokens. @throws BAD_INPUT */
export function assertShocks(shocks: readonly Shock[]): void {
  if (shocks.length > MOST_SHOCKS)
    throw badArgument('shocks', `has ${shocks.length} values, at most ${MOST_SHOCKS} are allowed`)
  for (const { asset, group, change } of shocks) {
    if ([asset, group].filter((name) => name != null).length !== 1)
      throw badArgument('shocks', 'must each name an asset or a group, not both')
    if (!(change > -1 && change <= LARGEST && change !== 0))
      throw badArgument(
        'shocks',
        `must change a price by more than -1 and at most ${LARGEST}, but not by 0: ` +
          `-0.2 is a fall by 20 %, and ${change} is not allowed`,
      )
  }
}

/** @throws BAD_INPUT for too many pools */
export function assertPools(pools: readonly string[] | null | undefined): void {
  if (pools && pools.length > MOST_POOLS)
    throw badArgument('pools', `has ${pools.length} values, at most ${MOST_POOLS} are allowed`)
}

// The tokens of pools: their addresses and groups. One that does not say what it moves with is in
// the group of a token that it moves together with in a pool.
const ofPool = (side: 'a' | 'b', asset: 'asset_1' | 'asset_2') => {
  const other = side === 'a' ? 'b' : 'a'
  const group = (of: string) =>
    `SELECT k.moves_with FROM token k WHERE k.chain_id = u.chain_id AND k.address = ${of}`
  return `u.${asset}_address AS ${side}, coalesce((${group(`u.${asset}_address`)}), (
      SELECT min(g.moves_with) FROM token_pair p JOIN token g
        ON g.chain_id = u.chain_id AND g.address = p.${other}_token_address
      WHERE p.pool_address = u.id AND p.mover = 'both')) AS ${side}_group`
}

const POOLS = `(SELECT u.*, ${ofPool('a', 'asset_1')}, ${ofPool('b', 'asset_2')}
    FROM pool u OFFSET 0)`

const factor = (side: 'a' | 'b') =>
  `CASE WHEN u.${side} = s.asset OR u.${side}_group = s.name THEN 1 + s.change ELSE 1 END
    AS ${side}_factor`

function shocksSql(shocks: readonly Shock[]): Prisma.Sql {
  const assets = shocks.map(({ asset }) => asset ?? null)
  const groups = shocks.map(({ group }) => group?.toUpperCase() ?? null)
  const changes = shocks.map(({ change }) => String(change))
  return Prisma.sql`unnest(${assets}::text[], ${groups}::text[], ${changes}::float8[])
    WITH ORDINALITY s(asset, name, change, n)`
}

/** Refuses tokens and groups that no pool has, unless there are no pools. @throws BAD_INPUT */
export async function assertKnown(reader: Reader, shocks: readonly Shock[]): Promise<void> {
  assertShocks(shocks)
  const rows = await reader.$queryRaw<{ unknown: string }[]>(
    Prisma.sql`SELECT coalesce(s.asset, s.name) AS unknown FROM ${shocksSql(shocks)}
      WHERE EXISTS (SELECT 1 FROM pool) AND NOT EXISTS (SELECT 1 FROM ${Prisma.raw(POOLS)} u
        WHERE s.asset IN (u.a, u.b) OR s.name IN (u.a_group, u.b_group)) ORDER BY s.n LIMIT 1`,
  )
  const [first] = rows
  if (first)
    throw badArgument('shocks', `names ${first.unknown}, but no pool has such a token or group`)
}

// A side's collateral, the debt on the other side that it backs, and whether there is such debt.
// Null if tokens have no price.
function sideOf(side: 'a' | 'b', other: 'a' | 'b') {
  const worth = (
    ...amounts: string[]
  ) => `CASE WHEN ${amounts.map((amount) => `t.${amount}_usd > 0`).join(' OR ')}
    THEN ${amounts.map((amount) => exact(`t.${amount}_usd`)).join(' + ')}
    WHEN ${amounts.map((amount) => `t.${amount} = 0`).join(' AND ')} THEN 0 END`
  return {
    owes: `greatest(t.${other}_borrowed_amount, t.${other}_borrowed_amount_usd) > 0`,
    collateral: worth(`${side}_supplied_amount`, `${side}_protected_supplied_amount`),
    debt: worth(`${other}_borrowed_amount`),
  }
}
const A = sideOf('a', 'b')
const B = sideOf('b', 'a')

// The collateral that backs debt, or that debt. Null without a price.
const worthOfSides = (part: 'collateral' | 'debt') =>
  `CASE WHEN ${A.owes} THEN ${A[part]} ELSE 0 END + CASE WHEN ${B.owes} THEN ${B[part]} ELSE 0 END`

const sum = (sql: string, name: string, isKnown: string) =>
  `CASE WHEN ${isKnown} THEN coalesce(${sql} FILTER (WHERE p.health <= 1), 0) END AS ${name}`

// The sums over the positions `p`. They are null unless some are known.
const sums = (isKnown: string) =>
  Prisma.raw(`s.asset, s.name, s.change, ${sum('count(*)', 'positions', isKnown)},
      ${sum('sum(p.collateral)', 'collateral', isKnown)}, ${sum('sum(p.debt)', 'debt', isKnown)},
      count(p.n) FILTER (WHERE p.health IS NULL) AS unknown_positions,
      CASE WHEN count(p.n) = count(p.health) THEN 0
        ELSE sum(p.debt) FILTER (WHERE p.health IS NULL) END AS unknown_debt`)

/** SQL of the health factor of the positions of `shockedPositions` after their shock. */
export const SHOCKED_HEALTH = shockedHealthSql(joinedThreshold)

/**
 * The FROM items of the positions `t` of the newest distribution date that shocks may liquidate,
 * for each shock `f`. A health factor changes at most by the ratio of both sides' factors, so an
 * index gives the positions that may be among them, which are read once.
 * @param pools only positions in these
 */
export function shockedPositions(
  shocks: readonly Shock[],
  pools?: readonly string[] | null,
): Prisma.Sql {
  assertShocks(shocks)
  const inPools = pools ? Prisma.sql`WHERE u.id = ANY(${pools})` : Prisma.empty
  const factors = Prisma.sql`(
    SELECT u.key, s.n, ${Prisma.raw(factor('a'))}, ${Prisma.raw(factor('b'))}
    FROM ${Prisma.raw(POOLS)} u CROSS JOIN ${shocksSql(shocks)} ${inPools})`
  const items = Prisma.sql`(
    SELECT u.*, f.most FROM pool u JOIN (
      SELECT f.key, max(greatest(f.a_factor, f.b_factor) / least(f.a_factor, f.b_factor))::numeric
        AS most
      FROM ${factors} f GROUP BY f.key) f ON f.key = u.key) u`
  // A side without a threshold may have positions of unknown health.
  const most = Prisma.sql`CASE WHEN a.liquidation_threshold IS NULL
    OR b.liquidation_threshold IS NULL THEN 'Infinity' ELSE u.most END`
  return Prisma.sql`${positionsUpTo(most, lastDate(), items)} JOIN ${factors} f ON f.key = u.key`
}

// The positions that a shock `n` liquidates, and those of unknown health.
const rated = (shocks: readonly Shock[], pools?: readonly string[] | null) => Prisma.sql`(
      SELECT t.n, t.pool, t.health, t.has_threshold,
        ${Prisma.raw(worthOfSides('collateral'))} AS collateral,
        ${Prisma.raw(worthOfSides('debt'))} AS debt
      FROM (
        SELECT t.*, f.n, u.id AS pool, ${Prisma.raw(SHOCKED_HEALTH)} AS health,
          coalesce(a.liquidation_threshold, b.liquidation_threshold) IS NOT NULL AS has_threshold
        FROM ${shockedPositions(shocks, pools)} OFFSET 0) t
      WHERE t.health <= 1 OR t.health IS NULL) p`

const SOME_MARKET = `(count(p.n) = 0
        OR EXISTS (SELECT 1 FROM market m WHERE m.liquidation_threshold IS NOT NULL))`

/** The FROM clause for `shockColumns`: all pools together. */
export const shockedSql = (shocks: readonly Shock[]): Prisma.Sql => Prisma.sql`FROM (
    SELECT s.n, ${sums(SOME_MARKET)}
    FROM ${shocksSql(shocks)} LEFT JOIN ${rated(shocks)} ON p.n = s.n
    GROUP BY s.n, s.asset, s.name, s.change) t ORDER BY t.n`

/** The FROM clause for `poolColumns`: each pool that a shock liquidates a position of. */
export const shockedPoolsSql = (
  shocks: readonly Shock[],
  pools: readonly string[] | null | undefined,
): Prisma.Sql => Prisma.sql`FROM (
    SELECT s.n, p.pool, ${sums('bool_or(p.has_threshold OR p.health IS NOT NULL)')}
    FROM ${shocksSql(shocks)} JOIN ${rated(shocks, pools)} ON p.n = s.n
    GROUP BY s.n, s.asset, s.name, s.change, p.pool) t
    ORDER BY t.n, t.debt DESC NULLS LAST, t.pool`
