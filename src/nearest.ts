import leven from 'leven'

/**
 * The candidate nearest to a misspelt word: one letter is wrong, two in a long word, or two are
 * swapped. Undefined if no candidate is that near.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = word.length < 8 ? 1 : 2
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: leven(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= limit || isSwapped(word, candidate))
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

const isSwapped = (a: string, b: string) => leven(a, b) === 2 && sorted(a) === sorted(b)
const sorted = (word: string) => [...word].sort().join('')
