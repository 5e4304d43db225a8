import { ownersSql, selectList } from 'pothos-sql/host'
import { oneKeyAtATime } from '../../db/connect/one-key-at-a-time.ts'
import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { latest, momentSql, onChain, oneOwner } from '../holding/holding.ts'
import type { EntityType } from '../holding/place.ts'
import { type SnapshotRow, snapshots, snapshotsFrom } from './snapshot.ts'

/** A user's newest snapshots of one kind, as FROM and ORDER BY over `t`. */
export const latestFrom = (
  kind: EntityType,
  address: Prisma.Sql,
  chainId: Prisma.Sql,
  asOf: Prisma.Sql | undefined,
): Prisma.Sql =>
  Prisma.sql`FROM (${snapshotsFrom(kind, latest(kind, oneOwner(address), asOf))}
    WHERE ${onChain('s.chain_id', chainId)}) t
    ORDER BY t.chain_id, t.entity_id, t.position_id`

/**
 * Reads each user's newest snapshots, now or as of a moment: in every market and vault, all rows at
 * the newest timestamp.
 */
export const latestSnapshots = oneKeyAtATime(readLatest)

async function readLatest(
  reader: Reader,
  users: readonly string[],
  chainId: number | null,
  asOf: Date | null,
): Promise<SnapshotRow[][]> {
  const chain = Prisma.sql`${chainId}::bigint`
  const of = (kind: EntityType) =>
    reader.$queryRaw<(SnapshotRow & { ordinality: number })[]>`
      SELECT owner.number::int AS ordinality, found.* FROM ${ownersSql(
        ['text'],
        users.map((user) => [user]),
      )}
      CROSS JOIN LATERAL (SELECT ${selectList(snapshots.columns)}
        ${latestFrom(kind, Prisma.raw('owner.k0'), chain, momentSql(asOf))}) found`
  const [markets, vaults] = await Promise.all([of('market'), of('vault')])
  const byUser: SnapshotRow[][] = users.map(() => [])
  for (const row of [...markets, ...vaults]) byUser[row.ordinality - 1]?.push(row)
  return byUser
}
