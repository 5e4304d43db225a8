import type { Reader } from '../../db/connect/reader.ts'

/** How far the updates of a leg have come. */
export interface LegState {
  leg: string
  source: string
  newest: Date
  updatedAt: Date
}

/** Reads the legs that have been updated, by name. */
export const legStates = (reader: Reader): Promise<LegState[]> =>
  reader.$queryRaw<LegState[]>`SELECT leg, source, newest, updated_at AS "updatedAt" FROM leg_progress ORDER BY leg`
