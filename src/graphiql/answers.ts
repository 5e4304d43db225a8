/** An answer to an operation, with the work that the gateway reports. */
export interface Answer {
  data: unknown
  work: Work
}

export interface Work {
  /** Milliseconds from the request to the answer, as this page sees them. */
  ms: number
  cost: string | undefined
  statements: string | undefined
  cache: string | undefined
}

let newest: Answer | undefined
const listeners = new Set<() => void>()

/** The newest answer, for `useSyncExternalStore`. */
export const newestAnswer = {
  get: () => newest,
  set(answer: Answer | undefined): void {
    newest = answer
    for (const listener of listeners) listener()
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

/** Reads the header `server-timing` of an answer. */
export function workOf(header: string | null, ms: number): Work {
  const described = (name: string) =>
    new RegExp(`\\b${name};(?:dur=[\\d.]+;)?desc="?([\\w.]+)`).exec(header ?? '')?.[1]
  return {
    ms,
    cost: described('cost'),
    statements: described('sql'),
    cache: described('cache'),
  }
}
