import { sqlColumns } from 'pothos-sql'
import type { Reader } from '../../db/connect/reader.ts'
import { badArgument } from '../../errors.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { atRiskColumns, worthOfSides } from './at-risk.ts'
import { lastDate } from './filter.ts'
import { joinedThreshold, positionsUpTo, shockedHealthSql } from './health.ts'

export const MOST_SHOCKS = 20
const LARGEST = 10

/** A change of one price, or of those of tokens that move together. Others stay as they are. */
export interface Shock {
  asset?: string | null
  group?: string | null
  change: number
}

const IF_UNKNOWN = 'Null if there is debt, and no market has a liquidation threshold.'

export const shockColumns = sqlColumns({
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
    ...atRiskColumns.positionCount,
    sql: 't.positions::int',
    description:
      'The number of positions, one per user in each pool, that can be liquidated at the prices ' +
      `after the change. ${IF_UNKNOWN}`,
  },
  collateralUsd: {
    ...atRiskColumns.collateralUsd,
    description: `Their collateral before the change, in USD. ${IF_UNKNOWN}`,
  },
  debtUsd: {
    ...atRiskColumns.debtUsd,
    description: `The debt that it backs, before the change, in USD. ${IF_UNKNOWN}`,
  },
  unknownPositionCount: {
    ...atRiskColumns.unknownPositionCount,
    sql: 't.unknown_positions::int',
    description: 'Number of positions with a priced debt but an unknown threshold or price.',
  },
  unknownDebtUsd: atRiskColumns.unknownDebtUsd,
})

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

const POOLS = `(SELECT u.*, ${ofPool('a', 'asset_1')}, ${ofPool('b', 'asset_2')} FROM pool u)`

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

const sums = (name: string, sql: string) => `
      CASE WHEN count(p.n) = 0
        OR EXISTS (SELECT 1 FROM market m WHERE m.liquidation_threshold IS NOT NULL)
        THEN coalesce(${sql} FILTER (WHERE p.health <= 1), 0) END AS ${name}`

/**
 * The FROM clause for `shockColumns`: for each shock the positions of the newest distribution date
 * that can be liquidated then, in all pools. A health factor changes at most by the ratio of both
 * sides' factors, so an index gives the positions that may be among them, which are read once.
 */
export function shockedSql(shocks: readonly Shock[]): Prisma.Sql {
  assertShocks(shocks)
  const factors = Prisma.sql`(
    SELECT u.key, s.n, ${Prisma.raw(factor('a'))}, ${Prisma.raw(factor('b'))}
    FROM ${Prisma.raw(POOLS)} u CROSS JOIN ${shocksSql(shocks)})`
  const pools = Prisma.sql`(
    SELECT u.*, f.most FROM pool u JOIN (
      SELECT f.key, max(greatest(f.a_factor, f.b_factor) / least(f.a_factor, f.b_factor))::numeric
        AS most
      FROM ${factors} f GROUP BY f.key) f ON f.key = u.key) u`
  // A side without a threshold may have positions of unknown health.
  const most = Prisma.sql`CASE WHEN a.liquidation_threshold IS NULL
    OR b.liquidation_threshold IS NULL THEN 'Infinity' ELSE u.most END`
  return Prisma.sql`FROM (
    SELECT s.n, s.asset, s.name, s.change,
      ${Prisma.raw(sums('positions', 'count(*)'))},
      ${Prisma.raw(sums('collateral', 'sum(p.collateral)'))},
      ${Prisma.raw(sums('debt', 'sum(p.debt)'))},
      count(p.n) FILTER (WHERE p.health IS NULL) AS unknown_positions,
      CASE WHEN count(p.n) = count(p.health) THEN 0
        ELSE sum(p.debt) FILTER (WHERE p.health IS NULL) END AS unknown_debt
    FROM ${shocksSql(shocks)} LEFT JOIN (
      SELECT f.n, ${Prisma.raw(shockedHealthSql(joinedThreshold))} AS health,
        ${worthOfSides('collateral')} AS collateral, ${worthOfSides('debt')} AS debt
      FROM ${positionsUpTo(most, lastDate(), pools)}
      JOIN ${factors} f ON f.key = u.key) p ON p.n = s.n
    GROUP BY s.n, s.asset, s.name, s.change) t ORDER BY t.n`
}
