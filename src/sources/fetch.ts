import { setMaxListeners } from 'node:events'
import { Transform } from 'node:stream'
import { type FetchLimits, sourceFailed } from './client.ts'
import type { Fetched, RecordBatch } from './fetched.ts'
import { Pacer } from './pacer.ts'

const SETTINGS = {
  bytes: 'SOURCE_MAX_FETCH_BYTES',
  records: 'SOURCE_MAX_FETCH_RECORDS',
  seconds: 'SOURCE_MAX_FETCH_SECONDS',
} as const

// The records that are processed before other work of the process gets its turn.
const AT_ONCE = 1000

/**
 * One fetch from a source. It ends at its limits: its signal aborts with an error that names the
 * source and the limit.
 */
export class Fetch {
  readonly signal: AbortSignal
  readonly #source: string
  readonly #limits: FetchLimits
  readonly #stop = new AbortController()
  readonly #timer: NodeJS.Timeout
  #records = 0
  #arrived = 0
  #unzipped = 0

  /** @param source the subject of messages @param signal the caller's */
  constructor(source: string, { limits }: { limits: FetchLimits }, signal?: AbortSignal) {
    this.#source = source
    this.#limits = limits
    this.signal = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal
    // Each pending request listens to it.
    setMaxListeners(0, this.signal)
    this.#timer = setTimeout(
      () => this.#end('seconds', 'it took longer than'),
      limits.seconds * 1000,
    )
    this.#timer.unref()
  }

  /** Frees the timer. */
  close(): void {
    clearTimeout(this.#timer)
  }

  /** @throws the reason of the signal */
  countRecords(count: number): void {
    this.#records += count
    if (this.#records > this.#limits.records) this.#end('records', 'it has more than')
    this.signal.throwIfAborted()
  }

  /** A stream that passes on what arrives, and fails at the limit. */
  meter(what: 'arrived' | 'unzipped'): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        if (what === 'arrived') this.#arrived += chunk.length
        else this.#unzipped += chunk.length
        if (Math.max(this.#arrived, this.#unzipped) > this.#limits.bytes)
          this.#end('bytes', 'it sent more than')
        if (this.signal.aborted) done(this.signal.reason as Error)
        else done(null, chunk)
      },
    })
  }

  /** A stream that counts lines, for files that are read as one stream. */
  lineMeter(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        let lines = 0
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
        try {
          this.countRecords(lines)
          done(null, chunk)
        } catch (error) {
          done(error as Error)
        }
      },
    })
  }

  /**
   * The records of a source, within the limits. Other work of the process gets its turn in between.
   */
  bounded<T extends Fetched>(fetched: T): T {
    return { ...fetched, batches: this.#bounded(fetched.batches) }
  }

  async *#bounded(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    const pacer = new Pacer()
    try {
      for await (const { first, records } of batches) {
        this.countRecords(Math.max(records.length, 1))
        for (let at = 0; at < records.length; at += AT_ONCE) {
          yield { first: first + at, records: records.slice(at, at + AT_ONCE) }
          await pacer.next()
        }
        await pacer.next()
      }
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error
    } finally {
      this.close()
    }
  }

  #end(limit: keyof FetchLimits, what: string): void {
    const reason = `${what} ${this.#limits[limit]} ${limit}, the limit of ${SETTINGS[limit]}`
    this.#stop.abort(sourceFailed(this.#source, reason))
  }
}

/**
 * Starts a fetch within limits. Its timer ends with the last batch, or here if there is none.
 * @param work fetches with the fetch's signal
 */
export async function fetchWithin<T extends Fetched | undefined>(
  fetch: Fetch,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const fetched = await work()
    if (fetched) return fetch.bounded(fetched)
    fetch.close()
    return fetched
  } catch (error) {
    fetch.close()
    throw fetch.signal.aborted ? fetch.signal.reason : error
  }
}
