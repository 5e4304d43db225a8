import { Counter, type Registry } from 'prom-client'
import type { Budget } from './counters.ts'

const MAX_LABELS = 200
const OTHER = 'other'

/** The requests that a key has sent to this process. */
interface Use {
  requests: number
  points: number
  /** The most that a scrape has shown: points that are given back must not lower it. */
  shownPoints: number
  /** Refused, as they exceed a limit of the key. */
  overLimit: number
  /** Refused, as the secret is no longer valid. */
  ended: number
  budget: Budget
}

/** Counts the requests of keys. Numbers become metrics when these are read. */
export class Usage {
  readonly #uses = new Map<string, Use>()

  constructor(metrics: Registry) {
    const uses = this.#uses
    const registers = [metrics]
    new Counter({
      name: 'gateway_key_requests_total',
      help:
        'Requests with a valid API key, by the name of the key; other: keys after the first ' +
        `${MAX_LABELS}. A WebSocket is one request.`,
      labelNames: ['key'],
      registers,
      collect() {
        this.reset()
        for (const [key, { requests }] of uses) this.inc({ key }, requests)
      },
    })
    new Counter({
      name: 'gateway_key_points_total',
      help: 'Points that requests with an API key have cost, by the name of the key, or other.',
      labelNames: ['key'],
      registers,
      collect() {
        this.reset()
        for (const [key, use] of uses) {
          use.shownPoints = Math.max(use.shownPoints, use.points)
          this.inc({ key }, use.shownPoints)
        }
      },
    })
    new Counter({
      name: 'gateway_key_refusals_total',
      help:
        'Requests that were rejected, by the name of their API key, or other, and the reason: ' +
        'limit (it has too few points left), ended (it is revoked or expired, or its secret was ' +
        'replaced).',
      labelNames: ['key', 'reason'],
      registers,
      collect() {
        this.reset()
        for (const [key, { overLimit, ended }] of uses) {
          this.inc({ key, reason: 'limit' }, overLimit)
          this.inc({ key, reason: 'ended' }, ended)
        }
      },
    })
  }

  /** Counts a request of a key. @returns a budget without a limit, which counts its points */
  begin(name: string): Budget {
    const use = this.#of(name)
    use.requests++
    return use.budget
  }

  /** Counts a request whose key is no longer valid. */
  ended(name: string): void {
    this.#of(name).ended++
  }

  #of(name: string): Use {
    const known = this.#uses.get(name)
    if (known) return known
    const label = this.#uses.size < MAX_LABELS ? name : OTHER
    const use = this.#uses.get(label) ?? newUse()
    this.#uses.set(label, use)
    return use
  }
}

function newUse(): Use {
  const spent = { consumedPoints: 0, msBeforeNext: 0 }
  const use: Use = {
    ...{ requests: 0, points: 0, shownPoints: 0, overLimit: 0, ended: 0 },
    budget: {
      ...{ name: 'use', client: '', points: Number.POSITIVE_INFINITY, seconds: 0 },
      counter: {
        async consume(_, points) {
          use.points += points
          return spent
        },
        async reward(_, points) {
          use.points -= points
          use.overLimit++
          return spent
        },
        penalty: async () => spent,
        get: async () => spent,
      },
    },
  }
  return use
}
