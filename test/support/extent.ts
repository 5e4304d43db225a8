/**
 * How much generated and random tests try. `npm test` tries a sample, `npm run test:all` all.
 * `TESTS=long` runs random tests more often, and tries every value in every column of every cursor.
 */
export const SAMPLE = process.env.TESTS === 'sample'
export const LONG = process.env.TESTS === 'long'

/** One in so many cases, from the first one or a later one; all of them but in a sample. */
export const sampleOf = <T>(all: readonly T[], nth: number, from = 0): T[] =>
  all.filter((_, i) => !SAMPLE || i % nth === from)

/** A count for the extent of this run. */
export function runs(counts: { sample: number; all: number; long: number }): number {
  if (SAMPLE) return counts.sample
  return LONG ? counts.long : counts.all
}
