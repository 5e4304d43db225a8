/** The totals of the whole points program. */
export interface ProgramTotals {
  totalPoints: number
  accountCount: number
  positionCount: number
}
