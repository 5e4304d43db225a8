import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const MB = 1024 * 1024
// The memory of a process under load without caches: the program, requests under way, garbage,
// unused pages.
const PROGRAM_MB = 280
const ANSWERS = 0.6
const LEAST_OTHERS_MB = 8
// The maximum of new objects: two semi-spaces of 32 MB, by `--max-semi-space-size`.
const YOUNG_MB = 64
// How far the heap may grow between two collections, in percent of what is in use after the first.
// V8's default is up to 300. The first one holds for the garbage of the start, which is collected
// under load.
const GROWTH_PERCENT = { first: 40, min: 20, max: 300 }

/** The smallest MEMORY_MB that leaves something to cache. */
export const LEAST_MEMORY_MB = PROGRAM_MB + 2 * LEAST_OTHERS_MB

/** The limit of each cache, in bytes. */
export interface Shares {
  answers: number
  /** Documents of clients, with their plans, statements and costs. */
  documents: number
  live: number
  statements: number
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
export const memoryForAnswers = (bytes: number): number =>
  Math.ceil(PROGRAM_MB + LEAST_OTHERS_MB + bytes / MB)

/**
 * Keeps the code that V8 compiles first for WebAssembly, which Prisma reads and migrates by. The
 * optimizing compiler takes 60 MB that the allocator does not return. Call it before anything else.
 */
export function boundWebAssembly(): void {
  setFlagsFromString('--liftoff-only')
  setFlagsFromString('--no-wasm-dynamic-tiering')
}

/**
 * Lets the heap grow between two collections until the process takes `MEMORY_MB`. V8 alone lets it
 * grow to several times what is in use, however much that is; a low limit throughout would cost a
 * collection every few large answers.
 */
export function boundGarbage({ MEMORY_MB }: MemorySettings): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT.first}`)
  new PerformanceObserver((list) => {
    const isMajor = (entry: PerformanceEntry) =>
      (entry as unknown as GcEntry).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
    if (!list.getEntries().some(isMajor)) return
    const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith('new'))
    const used = old.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
    const unused = old.reduce((sum, { space_size }) => sum + space_size, 0) - used
    const free = (MEMORY_MB - YOUNG_MB) * MB - process.memoryUsage.rss() + unused
    const percent = Math.round((100 * free) / used)
    const bounded = Math.min(GROWTH_PERCENT.max, Math.max(GROWTH_PERCENT.min, percent))
    setFlagsFromString(`--heap-growing-percent=${bounded}`)
  }).observe({ entryTypes: ['gc'] })
}

interface GcEntry {
  detail: { kind: number }
}
