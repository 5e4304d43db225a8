import type { Reader } from '../../db/connect/reader.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import type { Asset } from '../asset/asset.ts'
import { bucketOf, within } from './calendar.ts'
import { extentOf, type Span } from './interval.ts'

export interface PriceBucket {
  start: Date
  /** All are null if no price of a day in the bucket is stored. */
  usd: number | null
  date: Date | null
  source: string | null
  time: Date | null
}

type PricedAsset = Pick<Asset, 'chainId' | 'address'>

/** The newest daily price of each asset in every bucket of a span, from one range of an index for each asset. */
export async function priceSeries(
  reader: Reader,
  assets: readonly PricedAsset[],
  span: Span,
): Promise<PriceBucket[][]> {
  const start = bucketOf(span.interval, 'p.date')
  const rows = await reader.$queryRaw<(PriceBucket & { owner: number })[]>`
    SELECT DISTINCT ON (a.ordinality, ${start}) a.ordinality::int AS owner, ${start} AS start, p.price_usd AS usd, p.date,
      p.source, p.time
    FROM unnest(${assets.map(({ chainId }) => String(chainId))}::bigint[], ${assets.map(({ address }) => address)}::text[])
      WITH ORDINALITY AS a(chain_id, address, ordinality)
    JOIN asset_price p ON p.chain_id = a.chain_id AND p.asset_address = a.address AND ${within(span, 'p.date')}
    ORDER BY a.ordinality, ${start}, p.date DESC`
  const byAsset = assets.map(() => new Map<number, PriceBucket>())
  for (const { owner, ...bucket } of rows) byAsset[owner - 1]?.set(bucket.start.getTime(), bucket)
  const none = { usd: null, date: null, source: null, time: null }
  return byAsset.map((buckets) => span.starts.map((start) => buckets.get(start.getTime()) ?? { start, ...none }))
}

export const priceDates = extentOf(Prisma.sql`SELECT min(date) AS first, max(date) AS newest FROM asset_price`)
