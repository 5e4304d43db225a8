import type { Reader } from '../../db/connect/reader.ts'
import { selectList } from '../../db/lists/listing.ts'
import { byUser } from '../../db/topology/by-user.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { averageRates, netAprColumns, netAprFrom } from '../earnings/net-apr.ts'
import { type Groups, groupsOf, ownersOf, tablesOfHoldings } from '../holding/holding.ts'
import { endsOf, type Span } from './interval.ts'

export interface NetAprBucket {
  start: Date
  /** Null if no rate of the deposits is known. */
  netDepositApr: number | null
  netBorrowApr: number | null
}

const columns = { ...averageRates, entityCount: netAprColumns.entityCount }

/**
 * The net APR of each group of addresses at the end of each bucket, where there is a snapshot by then: of the newest snapshots up to
 * the end, at the rates in force then. For each address, bucket and entity it looks up one snapshot and one revision of rates.
 */
export const netAprSeries = byUser(readSeries)

async function readSeries(reader: Reader, groups: Groups, span: Span): Promise<NetAprBucket[][]> {
  const byGroup: NetAprBucket[][] = groups.map(() => [])
  const { starts } = span
  if (starts.length === 0) return byGroup
  const ends = endsOf(span)
  const holder = { owners: ownersOf(groups), chainId: Prisma.sql`NULL::bigint`, asOf: Prisma.raw('bucket.moment') }
  const select = Prisma.sql`SELECT wallets.ordinality::int AS owner, bucket.n::int AS n, e.* FROM ${groupsOf(groups)}
    CROSS JOIN unnest(${ends}::timestamptz[]) WITH ORDINALITY AS bucket(moment, n)
    CROSS JOIN LATERAL (SELECT ${selectList(columns)} ${netAprFrom(holder)}) e WHERE e."entityCount" > 0`
  const statement = reader.topology.together({ users: groups.flat(), tables: tablesOfHoldings(holder.asOf), select })
  const rows = await reader.$queryRaw<(Omit<NetAprBucket, 'start'> & { owner: number; n: number })[]>(statement)
  for (const { owner, n, netDepositApr, netBorrowApr } of rows)
    byGroup[owner - 1]?.push({ start: starts[n - 1] as Date, netDepositApr, netBorrowApr })
  return byGroup
}
