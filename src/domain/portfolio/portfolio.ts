import type { RowOf } from 'pothos-sql'
import { selectList } from 'pothos-sql/host'
import type { Reader } from '../../db/connect/reader.ts'
import { exact, toDouble } from '../../db/exact-sum.ts'
import { rowsOfUsers } from '../../db/marks.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { isoDay } from '../../time.ts'
import { latest, momentSql, tablesOfLatest, usersAsOwners } from '../holding/holding.ts'
import { type EntityType, placeColumns } from '../holding/place.ts'
import { pointsOf } from '../points/millionths.ts'
import { amountColumns, summedFrom } from '../snapshot/snapshot.ts'

/** Several users together, now or as of a moment. */
export interface Portfolio {
  users: string[]
  addresses: string[]
  at: Date | null
}

/**
 * The sum of users' newest snapshots in a market or vault. A USD value is null if no price is
 * known.
 */
export type EntityHolding = RowOf<typeof placeColumns> &
  RowOf<typeof amountColumns> & { userCount: number }

/** The sum of users' positions in a pool on one distribution date. */
export interface PoolHolding {
  poolAddress: string
  userCount: number
  points: number
  suppliedUsd: number
  protectedUsd: number
  borrowedUsd: number
}

/**
 * Reads the total holdings of users in every market and vault, now or as of a moment: markets
 * first, by chain and address.
 */
export async function entityHoldings(
  reader: Reader,
  users: string[],
  asOf: Date | null,
): Promise<EntityHolding[]> {
  const owners = usersAsOwners(users)
  const moment = momentSql(asOf)
  const of = (kind: EntityType) => {
    const keys = { chain_id: 's.chain_id', entity_id: `s.${kind}_id` }
    const count = 'count(DISTINCT s.user_address)::int AS user_count'
    const columns = selectList({ ...placeColumns, ...amountColumns })
    return reader.$queryRaw<EntityHolding[]>`${rowsOfUsers(users, tablesOfLatest(kind, moment))}
      SELECT ${columns}, t.user_count AS "userCount"
      FROM (${summedFrom(kind, latest(kind, owners, moment), keys, [count])}) t
      ORDER BY t.chain_id, t.entity_id`
  }
  return (await Promise.all([of('market'), of('vault')])).flat()
}

export async function positionCountAsOf(
  reader: Reader,
  users: string[],
  asOf: Date,
): Promise<number> {
  const [row] = await reader.$queryRaw<[{ count: number }]>`${rowsOfUsers(users, ['account_day'])}
    SELECT coalesce(sum(d.position_count), 0)::int AS count FROM ${usersAsOwners(users)}
    CROSS JOIN LATERAL (SELECT d.position_count FROM account_day d
      WHERE d.user_address = owner.address AND d.distribution_date <= ${isoDay(asOf)}::date
      OFFSET 0) d`
  return row.count
}

/**
 * Reads the total holdings of users in every pool on the last distribution date up to a moment,
 * most points first.
 */
export function poolHoldings(
  reader: Reader,
  users: string[],
  asOf: Date | null,
): Promise<PoolHolding[]> {
  const upTo = asOf ? Prisma.sql`WHERE date <= ${isoDay(asOf)}::date` : Prisma.empty
  const sum = (column: string) =>
    Prisma.raw(
      toDouble(`sum(${exact(`p.a_${column}_amount_usd`)} + ${exact(`p.b_${column}_amount_usd`)})`),
    )
  const points = Prisma.raw(pointsOf('sum(p.points_a + p.points_b)'))
  return reader.$queryRaw<PoolHolding[]>`${rowsOfUsers(users, ['position'])}
    SELECT * FROM (
      SELECT p.pool_address AS "poolAddress", count(*)::int AS "userCount", ${points} AS points,
        ${sum('supplied')} AS "suppliedUsd", ${sum('protected_supplied')} AS "protectedUsd",
        ${sum('borrowed')} AS "borrowedUsd"
      FROM (SELECT max(date) AS date FROM distribution ${upTo}) newest
      CROSS JOIN ${usersAsOwners(users)}
      CROSS JOIN LATERAL (SELECT * FROM position p WHERE p.user_address = owner.address
        AND p.distribution_date = newest.date OFFSET 0) p
      GROUP BY 1) t
    ORDER BY points DESC, "poolAddress"`
}
