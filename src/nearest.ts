import leven from 'leven'

/**
 * The candidate that a misspelt word probably means: one letter is wrong, two in a long word, or two are swapped.
 * Undefined if there is none.
 */
export function nearest(word: string, candidates: string[]): string | undefined {
  const limit = word.length < 8 ? 1 : 2
  return candidates.find((one) => leven(word, one) <= limit || isSwapped(word, one))
}

const isSwapped = (a: string, b: string) => leven(a, b) === 2 && sorted(a) === sorted(b)
const sorted = (word: string) => [...word].sort().join('')
