import type { Reader } from '../../db/connect/reader.ts'
import { type LegName, legOf } from '../update/legs.ts'
import type { NewestOfChain } from './newest-snapshots.ts'

/** How far the updates of a leg have come. */
export interface LegState {
  leg: LegName
  source: string
  newest: Date
  updatedAt: Date
  /** True if there are records of every day (UTC). */
  daily: boolean
  /** True if a record is of a whole day. */
  wholeDay: boolean
  chains: NewestOfChain[]
}

type Row = Omit<LegState, 'daily' | 'wholeDay' | 'chains'> & { chains: Record<string, string> }

/** Reads the legs that have been updated, by name. */
export async function legStates(reader: Reader): Promise<LegState[]> {
  const rows = await reader.$queryRaw<Row[]>`
    SELECT leg, source, newest, updated_at AS "updatedAt", chains FROM leg_progress ORDER BY leg`
  return rows.map(({ chains, ...row }) => ({
    ...row,
    daily: legOf(row.leg).daily,
    wholeDay: legOf(row.leg).wholeDay,
    chains: Object.entries(chains).map(([chainId, time]) => ({ chainId, time: new Date(time) })),
  }))
}
