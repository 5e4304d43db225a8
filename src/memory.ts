import { setFlagsFromString } from 'node:v8'

const MB = 1024 * 1024
/** What a process takes under load while it caches nothing: the program, requests under way, garbage, unused pages. */
const PROGRAM_MB = 240
/** The default share of answers. */
const ANSWERS = 0.6
/** The least that is left beside answers. */
const LEAST_OTHERS_MB = 8
/** How much garbage the heap may have before it is collected, in percent of what is in use. V8's default is up to 300. */
const GARBAGE_PERCENT = 30

/** The smallest MEMORY_MB that leaves something to cache. */
export const LEAST_MEMORY_MB = PROGRAM_MB + 2 * LEAST_OTHERS_MB

/** What each cache may take, in bytes. */
export interface Shares {
  /** Cached answers with their keys. */
  answers: number
  /** Documents of clients, with their plans, statements and costs. */
  documents: number
  /** The newest answers of live queries. */
  live: number
  /** Texts of prepared statements. */
  statements: number
  /** Persisted documents. */
  persisted: number
}

interface MemorySettings {
  MEMORY_MB: number
  CACHE_MAX_BYTES?: number | undefined
}

/** Divides MEMORY_MB among the caches of a process. */
export function sharesOf({ MEMORY_MB, CACHE_MAX_BYTES }: MemorySettings): Shares {
  const cached = (MEMORY_MB - PROGRAM_MB) * MB
  const answers = CACHE_MAX_BYTES ?? Math.floor(cached * ANSWERS)
  const others = cached - answers
  const part = (of: number) => Math.floor(others / of)
  return { answers, documents: part(2), live: part(4), statements: part(8), persisted: part(8) }
}

/** The smallest MEMORY_MB that has room for so many bytes of answers. */
export const memoryForAnswers = (bytes: number): number => Math.ceil(PROGRAM_MB + LEAST_OTHERS_MB + bytes / MB)

/** Lets V8 collect garbage before it adds up to several times what is in use. */
export const boundGarbage = (): void => setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
