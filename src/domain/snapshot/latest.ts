import { selectList } from '../../db/listing.ts'
import type { Reader } from '../../db/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { newest, snapshotsAt } from '../holding/holding.ts'
import { type MarketSnapshot, marketSnapshots, type VaultSnapshot, vaultSnapshots } from './snapshot.ts'

/** Each user's newest snapshots: in every market and vault, all rows at the user's newest timestamp there. */
export async function latestSnapshots(
  reader: Reader,
  users: readonly string[],
  chainId: number | null,
): Promise<(MarketSnapshot | VaultSnapshot)[][]> {
  const latest = <Row>(kind: 'market' | 'vault', columns: Prisma.Sql) => {
    const entity = Prisma.raw(`t.${kind}_id`)
    const name = Prisma.raw(`newest_${kind}`)
    return reader.$queryRaw<(Row & { place: number })[]>`
      WITH RECURSIVE owner AS (
        SELECT address, place::int AS place FROM unnest(${[...users]}::text[]) WITH ORDINALITY AS u(address, place)
      ), ${newest(kind, chainId)}
      SELECT n.place, ${columns} FROM ${name} n
      CROSS JOIN LATERAL (${snapshotsAt(kind)}) t
      ORDER BY t.chain_id, ${entity}, t.position_id`
  }
  const [markets, vaults] = await Promise.all([
    latest<MarketSnapshot>('market', selectList(marketSnapshots.columns)),
    latest<VaultSnapshot>('vault', selectList(vaultSnapshots.columns)),
  ])
  const found: (MarketSnapshot | VaultSnapshot)[][] = users.map(() => [])
  for (const row of [...markets, ...vaults]) found[row.place - 1]?.push(row)
  return found
}
