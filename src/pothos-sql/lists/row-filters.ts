/** Filters of listings besides those of their columns. */
export { flag, lookedUp, many, range } from './filter.ts'
