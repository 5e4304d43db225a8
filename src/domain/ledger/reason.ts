/**
 * Why a run changed the points of a position. An entry of the ledger has the sum of its reasons.
 */
export const REASON = {
  POSITION_ADDED: 1,
  POSITION_CHANGED: 2,
  POSITION_REMOVED: 4,
  MULTIPLIER: 8,
  BASE_POINTS: 16,
  PRICE: 32,
  IMPORTED_POINTS: 64,
} as const

export type LedgerReason = keyof typeof REASON

/** SQL of the JSON of the reasons in a sum. */
export const reasonsJson = (sum: string) => {
  const words = Object.entries(REASON).map(
    ([name, bit]) => `CASE WHEN ${sum} & ${bit} <> 0 THEN '"${name}"' END`,
  )
  return `'[' || concat_ws(',', ${words.join(', ')}) || ']'`
}

export const reasonsOf = (sum: number): LedgerReason[] =>
  (Object.keys(REASON) as LedgerReason[]).filter((reason) => sum & REASON[reason])
