import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { exchangeOf } from '../exchange.ts'
import type { RefusalPace } from './refusal.ts'

// How often the queue is checked. If it does not shrink, this is an overload and not a burst.
const BURST_MS = 500
const MAX_WAITING = 5000
// An overload ends when nothing was rejected for this long.
const CALM_MS = 500
// Requests that have waited are admitted when no request started for this long.
const IDLE_MS = 50
// The limit shrinks while the event loop is late by more than LATE_MS and uses more than BUSY of a
// processor.
const LATE_MS = 100
const BUSY = 0.5
const ADJUST_MS = 500
const RESOLUTION_MS = 20
const MIN_LIMIT = 4

// `arriving`: admitted in an overload, while its body still arrives. `active`: it has a slot.
type RequestState = 'arriving' | 'active'
// On each request, since a Set that requests enter and leave would keep its old tables alive, and
// them with it.
const STATE = Symbol('state')

/**
 * The state of a request that waits for its slot and frees it: a response, or a message of a
 * socket.
 */
export interface Admitted {
  readonly destroyed: boolean
  [STATE]?: RequestState | undefined
  once(event: 'prefinish' | 'close', listener: () => void): unknown
}

interface WaitingRequest {
  response: Admitted
  done(entered: boolean): void
}

/**
 * Bounds how many requests are processed at a time. A burst is queued. In an overload, which lasts
 * until nothing has to be rejected, a request without a free slot is rejected at once, so that
 * admitted requests are served fast.
 */
export class Admission {
  readonly #max: number
  #limit: number
  readonly #count = { active: 0, arriving: 0 }
  readonly #waiting: WaitingRequest[] = []
  #overloaded = false
  #refused = 0
  #started = 0
  #burst: NodeJS.Timeout | undefined
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

  /**
   * True if a new request may be read. One that has waited already has lower priority in an
   * overload.
   */
  admits(response: Admitted, socket: Socket, pace: Pick<RefusalPace, 'hasWaited'>): boolean {
    const now = performance.now()
    if (this.#overloaded && now - this.#refused > CALM_MS) this.#overloaded = false
    if (!this.#overloaded) return true
    const isFull = this.#count.active + this.#count.arriving >= this.#limit
    if (isFull || (pace.hasWaited(socket) && now - this.#started < IDLE_MS)) {
      this.#refused = now
      return false
    }
    this.#set(response, 'arriving')
    response.once('close', () => this.#unset(response, 'arriving'))
    return true
  }

  /**
   * Calls `done` with true when a request that has been read gets a slot, and with false when it is
   * rejected.
   */
  enter(response: Admitted, done: (entered: boolean) => void): void {
    this.#unset(response, 'arriving')
    if (this.#count.active < this.#limit) this.#start({ response, done })
    else if (this.#overloaded || this.#waiting.length >= MAX_WAITING) done(false)
    else {
      const waiting = { response, done }
      this.#waiting.push(waiting)
      response.once('close', () => {
        const at = this.#waiting.indexOf(waiting)
        if (at >= 0) this.#waiting.splice(at, 1)
      })
      this.#burst ??= setInterval(() => this.#look(), BURST_MS)
    }
  }

  leave(response: Admitted): void {
    if (!this.#unset(response, 'active')) return
    while (this.#count.active < this.#limit) {
      const next = this.#waiting.shift()
      if (!next) break
      if (!next.response.destroyed) this.#start(next)
    }
    if (this.#waiting.length === 0) this.#endBurst()
  }

  close(): void {
    clearInterval(this.#adjusting)
    this.#endBurst()
    this.#delay.disable()
  }

  #start({ response, done }: WaitingRequest): void {
    this.#started = performance.now()
    this.#set(response, 'active')
    const leave = () => this.leave(response)
    // The slot does not wait for the client to read the answer.
    response.once('prefinish', leave)
    response.once('close', leave)
    done(true)
  }

  #look(): void {
    const { length } = this.#waiting
    const shrinks = length < this.#waited
    this.#waited = length
    if (shrinks) return
    this.#endBurst()
    this.#overloaded = true
    this.#refused = performance.now()
    for (const { done } of this.#waiting.splice(0)) done(false)
  }

  #set(response: Admitted, state: RequestState): void {
    if (response[STATE] === state) return
    response[STATE] = state
    this.#count[state]++
  }

  #unset(response: Admitted, state: RequestState): boolean {
    if (response[STATE] !== state) return false
    response[STATE] = undefined
    this.#count[state]--
    return true
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
  refuse: Refuse
}

/** Applies the bound to every request that is not exempt, once it has been read. */
export function admitRead(
  app: FastifyInstance,
  { admission, isExempt, refuse }: AdmitReadOptions,
): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (isExempt(request.url)) done()
    else
      admission.enter(reply.raw, (entered) => {
        if (entered) {
          exchangeOf(request.raw).leaveSlot = () => admission.leave(reply.raw)
          done()
        } else refuse(request.raw, reply.hijack().raw)
      })
  })
  // An event stream frees its slot when it starts.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    admission.leave(reply.raw)
    done()
  })
  app.addHook('onClose', async () => admission.close())
}

// The bytes that the bodies of all requests under way may take together.
const MAX_BODY_BYTES = 128 * 1024 * 1024
// Above this, no more bodies are accepted: the rest is for those under way.
const FULL_BODY_BYTES = MAX_BODY_BYTES / 2

type Refuse = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Reads request bodies as bytes, and bounds their memory: thousands of clients may each send most
 * of a body and then wait. A body that would exceed the bound is cut off.
 */
export function boundBodies(app: FastifyInstance, refuse: Refuse): void {
  let total = 0
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers } = request
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
      return done(null, payload)
    if (total >= FULL_BODY_BYTES) return refuse(request.raw, reply.hijack().raw)
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      total += chunk.length
      if (total > MAX_BODY_BYTES) request.raw.destroy()
    }
    payload.on('data', count)
    reply.raw.once('close', () => {
      payload.off('data', count)
      total -= bytes
    })
    done(null, payload)
  })
}
