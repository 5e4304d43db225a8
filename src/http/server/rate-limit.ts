import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { ChargeOperation } from '../../graphql/policy/limits.ts'
import { type Charge, MemoryPointCounter, type PointCounter } from '../../point-counter.ts'
import type { ClientOf } from './client-address.ts'

const WINDOW_SECONDS = 60
/** How long points are counted locally after the shared counter has failed. */
const AWAY_MS = 2000

interface RateLimitOptions {
  /** The points per client and minute. */
  limit: number
  clientOf: ClientOf
  /** A counter that several gateways share. */
  shared: PointCounter | undefined
}

/**
 * Limits the points that a client may use per minute. Response headers report how many are left.
 */
export class RateLimit {
  readonly #options: RateLimitOptions
  readonly #local = new MemoryPointCounter()
  #awayUntil = 0

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /**
   * Charges a request and sets the rate-limit headers.
   * @returns undefined, or a message that says why it is rejected
   */
  async charge(
    request: IncomingMessage,
    response: ServerResponse,
    points: number,
  ): Promise<string | undefined> {
    const { limit, clientOf } = this.#options
    const seconds = Date.now() / 1000
    const minute = Math.floor(seconds / WINDOW_SECONDS)
    const reset = Math.ceil((minute + 1) * WINDOW_SECONDS - seconds)
    const { added, used } = await this.#add(clientOf(request), minute, points)
    const left = Math.max(0, limit - used - (added ? points : 0))
    if (!response.headersSent)
      response
        .setHeader('ratelimit-policy', `"points";q=${limit};w=${WINDOW_SECONDS}`)
        .setHeader('ratelimit', `"points";r=${left};t=${reset}`)
    if (added) return undefined
    if (!response.headersSent) response.setHeader('retry-after', String(reset))
    const written = (number: number) => number.toLocaleString('en-US')
    const cost = `This request costs ${written(points)} ${points === 1 ? 'point' : 'points'}`
    if (points > limit)
      return `${cost}, more than the ${written(limit)} that a client has in a minute. Ask for less, or split it into several requests.`
    return `${cost}, and you have ${written(left)} of ${written(limit)} left in this minute. Try again in ${reset} s.`
  }

  async #add(client: string, minute: number, points: number): Promise<Charge> {
    const { limit, shared } = this.#options
    if (shared && performance.now() >= this.#awayUntil) {
      try {
        return await shared.add(client, minute, points, limit)
      } catch {
        this.#awayUntil = performance.now() + AWAY_MS
      }
    }
    return this.#local.add(client, minute, points, limit)
  }
}

/** The rate limit, if one is set. Points are counted in Redis if there is one, else in memory. */
export async function openRateLimit(
  app: FastifyInstance,
  { config: { RATE_LIMIT: limit, REDIS_URL: redisUrl } }: Deps,
  clientOf: ClientOf,
): Promise<RateLimit | undefined> {
  if (limit === undefined) return undefined
  if (redisUrl === undefined) return new RateLimit({ limit, clientOf, shared: undefined })
  const { openRedisPointCounter } = await import('./redis-point-counter.ts')
  const shared = openRedisPointCounter(redisUrl)
  app.addHook('onClose', async () => shared.close())
  return new RateLimit({ limit, clientOf, shared })
}

/**
 * Returns a function that charges a request at most once, even if several handlers call it.
 * Undefined without a rate limit.
 */
export function chargeOnce(
  rateLimit: RateLimit | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): ChargeOperation | undefined {
  if (!rateLimit) return undefined
  let charged = false
  return async (points) => {
    if (charged) return undefined
    const rejection = await rateLimit.charge(request, response, points)
    charged = rejection === undefined
    return rejection
  }
}
