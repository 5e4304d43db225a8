import type { Queryable, Writer } from '../../db/write.ts'
import {
  type FetchedPositions,
  type OnUnpriced,
  type PositionsSource,
  positionsName,
  type SourcePool,
  sourceFailed,
} from '../../sources/index.ts'
import { conflictReason } from '../dataset/conflicts.ts'
import { records } from '../dataset/records.ts'
import { stageRecords } from '../dataset/stage.ts'
import { Staging } from '../dataset/staging.ts'
import { NULL } from '../dataset/values.ts'

interface StagePositions {
  day: string
  signal?: AbortSignal | undefined
  /** Called for each token without a price. Without it, such a token is a failure. */
  onUnpriced?: OnUnpriced | undefined
  needsPoints?: boolean
}

interface StagedPositions {
  fetched: FetchedPositions
  staging: Staging
  count: number
  hasIds: boolean
}

const [ID, DATE, ...POINTS] = ['id', 'distributionDate', 'pointsA', 'pointsB'].map((field) =>
  Object.keys(records.positions.fields).indexOf(field),
) as [number, number, number, number]

/** The SOURCE_FAILED of a source of positions. */
export const positionsFailed = (source: PositionsSource, reason: string) =>
  sourceFailed(positionsName(source.name), reason)

/**
 * Fetches the positions of a day, checks them and stages them, sorted by their key.
 * @throws SOURCE_FAILED if the source cannot be read, or has invalid or contradicting positions
 */
export async function stagePositions(
  writer: Writer,
  source: PositionsSource,
  { day, signal, onUnpriced, needsPoints = false }: StagePositions,
): Promise<StagedPositions> {
  const failed = (reason: string) => positionsFailed(source, reason)
  const staging = await Staging.open(writer, 'positions')
  const pools = await sourcePools(writer)
  const fetched = await source.positions(day, { pools, onUnpriced, signal })
  let hasIds = false
  const count = await stageRecords(staging, fetched, {
    keep({ texts }) {
      if (!texts[DATE]?.startsWith(day)) return false
      if (needsPoints && POINTS.some((at) => texts[at] === NULL))
        return { reason: 'has no points: an export has them' }
      hasIds ||= texts[ID] !== NULL
      return true
    },
    failed,
  })
  if (count === 0) return { fetched, staging, count, hasIds }
  await writer.query("SET LOCAL work_mem = '256MB'")
  const conflict = await staging.sort(count)
  if (!conflict) return { fetched, staging, count, hasIds }
  const reason = conflictReason(conflict.first, records.positions.key)
  throw failed(`${fetched.label}:${conflict.line}: ${reason}`)
}

// The stored pools by id: tokens with the decimals of their markets.
async function sourcePools(client: Queryable): Promise<Map<string, SourcePool>> {
  const { rows } = await client.query<{
    id: string
    chain_id: string
    a: string
    a_symbol: string
    a_decimals: number | null
    b: string
    b_symbol: string
    b_decimals: number | null
  }>(
    `SELECT p.id, p.chain_id,
       p.asset_1_address AS a, p.asset_1_symbol AS a_symbol, m1.asset_decimals AS a_decimals,
       p.asset_2_address AS b, p.asset_2_symbol AS b_symbol, m2.asset_decimals AS b_decimals
     FROM pool p
     LEFT JOIN market m1 ON m1.chain_id = p.chain_id AND m1.id = p.unit_1_id
     LEFT JOIN market m2 ON m2.chain_id = p.chain_id AND m2.id = p.unit_2_id`,
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        chainId: Number(row.chain_id),
        a: { address: row.a, symbol: row.a_symbol, decimals: row.a_decimals ?? undefined },
        b: { address: row.b, symbol: row.b_symbol, decimals: row.b_decimals ?? undefined },
      },
    ]),
  )
}
