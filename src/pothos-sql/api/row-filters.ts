/** Filters of listings besides those of their columns. */
export {
  type Conditions,
  conditionOf,
  flag,
  hasOnly,
  type Lookup,
  lookedUp,
  many,
  range,
  withoutKeys,
} from '../lists/filter.ts'
