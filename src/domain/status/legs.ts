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

/** Reads the legs that have been updated, by name. */
export async function legStates(reader: Reader): Promise<LegState[]> {
  const stored = await reader.models.legProgress.findMany({ orderBy: { leg: 'asc' } })
  return stored.map(({ source, newest, updatedAt, ...row }) => {
    const leg = row.leg as LegName
    const { daily, wholeDay } = legOf(leg)
    const times = Object.entries(row.chains as Record<string, string>)
    const chains = times.map(([chainId, time]) => ({ chainId, time: new Date(time) }))
    return { leg, source, newest, updatedAt, daily, wholeDay, chains }
  })
}
