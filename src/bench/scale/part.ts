import type { report } from '../report.ts'

/** What each part of the bench is given. */
export interface Part {
  small: boolean
  /** How long each kind of request is measured. */
  seconds: number
  /** The directory of the stores. */
  data: string
  say(text: string): void
  report: typeof report
}
