import type { Dataset } from './dataset.ts'

/** Where manualupdate gets a date's positions: one small interface, whatever is behind it. */
export interface PositionsSource {
  /** What messages call it. */
  name: string
  /**
   * A dataset whose `positions` file has the positions of a distribution date (and may have those of others).
   * @param date YYYY-MM-DD
   * @throws SOURCE_FAILED when the source cannot be read
   */
  positions(date: string): Promise<Dataset>
}
