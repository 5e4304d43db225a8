/** Runs at most `max` pieces of work at a time; the others wait, in the order in which they came. */
export function turns(max: number) {
  const waiting: (() => void)[] = []
  let busy = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy < max) busy++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
