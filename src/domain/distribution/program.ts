/** The totals of the whole points program. */
export interface ProgramTotals {
  id: number
  totalPoints: number
  accountCount: number
  positionCount: number
}
