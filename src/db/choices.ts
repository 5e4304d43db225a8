import type { Conditions } from './conditions.ts'
import type { SortKeys } from './sorting.ts'

/** What the rows of one kind can be filtered and sorted by, over `t`. */
export interface Choices {
  conditions: Conditions
  keys: SortKeys
}
