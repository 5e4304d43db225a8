import type { Reader } from '../../db/connect/reader.ts'
import type { Described, RowOf } from '../../db/lists/column.ts'
import { exact, toDouble } from '../../db/lists/exact-sum.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { type EntityType, latest, momentSql, tablesOfLatest, usersAsOwners } from '../holding/holding.ts'
import { pointsOf } from '../points/millionths.ts'
import { isoDate } from '../position/position.ts'
import { marketAmounts, sumOf, vaultAmounts } from '../snapshot/snapshot.ts'

/** The sum of users' newest snapshots in a market. A USD value is null if no price is known. */
export type MarketHolding = RowOf<typeof marketAmounts> & { chainId: bigint; marketId: string; userCount: number }

/** The sum of users' newest snapshots in a vault. A USD value is null if no price is known. */
export type VaultHolding = RowOf<typeof vaultAmounts> & { chainId: bigint; vaultId: string; userCount: number }

/** The sum of users' positions in a pool on one distribution date. */
export interface PoolHolding {
  poolAddress: string
  userCount: number
  points: number
  suppliedUsd: number
  protectedUsd: number
  borrowedUsd: number
}

const sums = (amounts: Record<string, Described>) =>
  Object.entries(amounts)
    .map(([name, column]) => `${sumOf(name, column, 't.')}${column.type === 'amount' ? '::text' : ''} AS "${name}"`)
    .join(', ')
const SUMS: Record<EntityType, string> = { market: sums(marketAmounts), vault: sums(vaultAmounts) }

function holdingsTogether<Row>(reader: Reader, kind: EntityType, users: string[], asOf: Date | null): Promise<Row[]> {
  const owners = usersAsOwners(users)
  const moment = momentSql(asOf)
  const select = Prisma.sql`SELECT t.chain_id AS "chainId", ${Prisma.raw(`t.${kind}_id AS "${kind}Id"`)},
      count(DISTINCT t.account_id)::int AS "userCount", ${Prisma.raw(SUMS[kind])}
    FROM (SELECT s.* FROM ${latest(kind, owners, moment)}) t
    GROUP BY 1, 2 ORDER BY 1, 2`
  return reader.$queryRaw<Row[]>(reader.topology.together({ users, tables: tablesOfLatest(kind, moment), select }))
}

/** Reads the total holdings of users in every market, now or as of a moment, by chain and address. */
export const marketHoldings = (reader: Reader, users: string[], asOf: Date | null) =>
  holdingsTogether<MarketHolding>(reader, 'market', users, asOf)

/** Reads the total holdings of users in every vault, now or as of a moment, by chain and address. */
export const vaultHoldings = (reader: Reader, users: string[], asOf: Date | null) =>
  holdingsTogether<VaultHolding>(reader, 'vault', users, asOf)

/** Counts the positions of users on all distribution dates up to a moment. */
export async function positionCountAsOf(reader: Reader, users: string[], asOf: Date): Promise<number> {
  const select = Prisma.sql`SELECT coalesce(sum(d.position_count), 0)::int AS count FROM ${usersAsOwners(users)}
    CROSS JOIN LATERAL (SELECT d.position_count FROM account_day d WHERE d.user_address = owner.address
      AND d.distribution_date <= ${isoDate(asOf)}::date OFFSET 0) d`
  const statement = reader.topology.together({ users, tables: ['account_day'], select })
  const [row] = await reader.$queryRaw<[{ count: number }]>(statement)
  return row.count
}

/** Reads the total holdings of users in every pool on the last distribution date up to a moment, most points first. */
export function poolHoldings(reader: Reader, users: string[], asOf: Date | null): Promise<PoolHolding[]> {
  const upTo = asOf ? Prisma.sql`WHERE date <= ${isoDate(asOf)}::date` : Prisma.empty
  const sum = (column: string) =>
    Prisma.raw(toDouble(`sum(${exact(`p.a_${column}_amount_usd`)} + ${exact(`p.b_${column}_amount_usd`)})`))
  const select = Prisma.sql`SELECT * FROM (
      SELECT p.market_address AS "poolAddress", count(*)::int AS "userCount",
        ${Prisma.raw(pointsOf('sum(p.points_a + p.points_b)'))} AS points, ${sum('supplied')} AS "suppliedUsd",
        ${sum('protected_supplied')} AS "protectedUsd", ${sum('borrowed')} AS "borrowedUsd"
      FROM (SELECT max(date) AS date FROM distribution ${upTo}) newest
      CROSS JOIN ${usersAsOwners(users)}
      CROSS JOIN LATERAL (SELECT * FROM position p WHERE p.user_address = owner.address
        AND p.distribution_date = newest.date OFFSET 0) p
      GROUP BY 1) t
    ORDER BY points DESC, "poolAddress"`
  return reader.$queryRaw<PoolHolding[]>(reader.topology.together({ users, tables: ['position'], select }))
}
