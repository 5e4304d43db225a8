import type { Conditions } from './filter.ts'
import type { SortKeys } from './sort.ts'

/** What the rows of one kind can be filtered and sorted by, over `t`. */
export interface Choices {
  conditions: Conditions
  keys: SortKeys
}
