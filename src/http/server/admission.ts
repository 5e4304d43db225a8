import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'

/** How often the queue is checked. If it does not shrink, this is an overload and not a burst. */
const BURST_MS = 500
const MAX_WAITING = 5000
/** An overload ends when nothing was rejected for this long. */
const CALM_MS = 500
/** Requests that have waited are admitted when no request started for this long. */
const IDLE_MS = 50
/** The limit shrinks while the event loop is late by more than LATE_MS and uses more than BUSY of a processor. */
const LATE_MS = 100
const BUSY = 0.5
const ADJUST_MS = 500
const RESOLUTION_MS = 20
const MIN_LIMIT = 4

/** What waits for its slot and frees it: a response, or a message of a socket. */
export interface Admitted {
  readonly destroyed: boolean
  once(event: 'prefinish' | 'close', listener: () => void): unknown
}

interface Waiting {
  response: Admitted
  done(entered: boolean): void
}

/**
 * Bounds how many requests are processed at a time. A burst is queued. In an overload, which lasts until nothing has to
 * be rejected, a request without a free slot is rejected at once, so that admitted requests are served fast.
 */
export class Admission {
  readonly #max: number
  #limit: number
  readonly #active = new Set<Admitted>()
  /** In an overload: requests that were admitted and whose bodies are still arriving. */
  readonly #arriving = new Set<Admitted>()
  readonly #waiting = new Set<Waiting>()
  #overloaded = false
  /** When a request was last rejected, and when one last started. */
  #refused = 0
  #started = 0
  #burst: NodeJS.Timeout | undefined
  /** The length of the queue at the last check. */
  #waited = Number.POSITIVE_INFINITY
  #cpu = process.cpuUsage()
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #adjusting: NodeJS.Timeout

  constructor(max: number) {
    this.#max = max
    this.#limit = max
    this.#delay.enable()
    this.#adjusting = setInterval(() => this.#adjust(), ADJUST_MS).unref()
  }

  /** Whether a new request may be read. A `late` one has waited already and has lower priority. */
  admits(response: Admitted, late: boolean): boolean {
    const now = performance.now()
    if (this.#overloaded && now - this.#refused > CALM_MS) this.#overloaded = false
    if (!this.#overloaded) return true
    const isFull = this.#active.size + this.#arriving.size >= this.#limit
    if (isFull || (late && now - this.#started < IDLE_MS)) {
      this.#refused = now
      return false
    }
    this.#arriving.add(response)
    response.once('close', () => this.#arriving.delete(response))
    return true
  }

  /** Calls `done` with true when a request that has been read gets a slot, and with false when it is rejected. */
  enter(response: Admitted, done: (entered: boolean) => void): void {
    this.#arriving.delete(response)
    if (this.#active.size < this.#limit) this.#start({ response, done })
    else if (this.#overloaded || this.#waiting.size >= MAX_WAITING) done(false)
    else {
      const waiting = { response, done }
      this.#waiting.add(waiting)
      response.once('close', () => this.#waiting.delete(waiting))
      this.#burst ??= setInterval(() => this.#look(), BURST_MS)
    }
  }

  /** Frees the slot of a request, if it has one. */
  leave(response: Admitted): void {
    if (!this.#active.delete(response)) return
    for (const next of this.#waiting) {
      if (this.#active.size >= this.#limit) break
      this.#waiting.delete(next)
      if (!next.response.destroyed) this.#start(next)
    }
    if (this.#waiting.size === 0) this.#endBurst()
  }

  close(): void {
    clearInterval(this.#adjusting)
    this.#endBurst()
    this.#delay.disable()
  }

  #start({ response, done }: Waiting): void {
    this.#started = performance.now()
    this.#active.add(response)
    const leave = () => this.leave(response)
    // The slot does not wait for the client to read the answer.
    response.once('prefinish', leave)
    response.once('close', leave)
    done(true)
  }

  #look(): void {
    const { size } = this.#waiting
    const shrinks = size < this.#waited
    this.#waited = size
    if (shrinks) return
    this.#endBurst()
    this.#overloaded = true
    this.#refused = performance.now()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const { done } of waiting) done(false)
  }

  #endBurst(): void {
    clearInterval(this.#burst)
    this.#burst = undefined
    this.#waited = Number.POSITIVE_INFINITY
  }

  #adjust(): void {
    const lateMs = this.#delay.mean / 1e6 - RESOLUTION_MS
    this.#delay.reset()
    const { user, system } = process.cpuUsage(this.#cpu)
    this.#cpu = process.cpuUsage()
    this.#limit =
      lateMs > LATE_MS && (user + system) / 1000 > BUSY * (ADJUST_MS + lateMs)
        ? Math.max(Math.min(MIN_LIMIT, this.#max), Math.floor(this.#limit / 2))
        : Math.min(this.#max, this.#limit + Math.ceil(this.#max / 8))
  }
}

interface AdmitReadOptions {
  admission: Admission
  isExempt(url: string): boolean
  refuse(request: IncomingMessage, response: ServerResponse): void
}

/** Applies the bound to every request that is not exempt, once it has been read. */
export function admitRead(app: FastifyInstance, { admission, isExempt, refuse }: AdmitReadOptions): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (isExempt(request.url)) done()
    else
      admission.enter(reply.raw, (entered) => {
        if (entered) done()
        else refuse(request.raw, reply.hijack().raw)
      })
  })
  // An event stream frees its slot when it starts.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    admission.leave(reply.raw)
    done()
  })
  app.addHook('onClose', async () => admission.close())
}
