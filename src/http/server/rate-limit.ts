import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import type { Deps } from '../../deps.ts'
import type { ChargeOperation } from '../../graphql/policy/limits.ts'
import type { ClientOf } from './client-address.ts'

const WINDOW_SECONDS = 60

/** Limits the points that a client may use in a minute. Headers report how many are left. */
export class RateLimit {
  readonly #limiter: RateLimiterAbstract
  readonly #clientOf: ClientOf

  constructor(limiter: RateLimiterAbstract, clientOf: ClientOf) {
    this.#limiter = limiter
    this.#clientOf = clientOf
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
    const limit = this.#limiter.points
    const { added, state } = await this.#consume(this.#clientOf(request), points)
    const left = state.remainingPoints
    const reset = Math.ceil(state.msBeforeNext / 1000)
    if (!response.headersSent)
      response
        .setHeader('ratelimit-policy', `"points";q=${limit};w=${WINDOW_SECONDS}`)
        .setHeader('ratelimit', `"points";r=${left};t=${reset}`)
    if (added) return undefined
    if (!response.headersSent) response.setHeader('retry-after', String(reset))
    const written = (number: number) => number.toLocaleString('en-US')
    const cost = `This request costs ${written(points)} ${points === 1 ? 'point' : 'points'}`
    if (points > limit)
      return (
        `${cost}, more than the ${written(limit)} that a client has in a minute. Ask for less, ` +
        'or split it into several requests.'
      )
    return (
      `${cost}, and you have ${written(left)} of ${written(limit)} left in this minute. Try ` +
      `again in ${reset} s.`
    )
  }

  // Adds points. A request that exceeds the limit gets its points back.
  async #consume(
    client: string,
    points: number,
  ): Promise<{ added: boolean; state: RateLimiterRes }> {
    try {
      return { added: true, state: await this.#limiter.consume(client, points) }
    } catch (refused) {
      if (refused instanceof Error) throw refused
      return { added: false, state: await this.#limiter.reward(client, points) }
    }
  }
}

/** The rate limit, if one is set. Points are counted in Redis if there is one, else in memory. */
export async function openRateLimit(
  app: FastifyInstance,
  { config: { RATE_LIMIT: points, REDIS_URL: redisUrl } }: Pick<Deps, 'config'>,
  clientOf: ClientOf,
): Promise<RateLimit | undefined> {
  if (points === undefined) return undefined
  const limit = { points, duration: WINDOW_SECONDS }
  if (redisUrl === undefined) {
    const { BoundedRateLimiter } = await import('./point-limiter.ts')
    return new RateLimit(new BoundedRateLimiter(limit), clientOf)
  }
  const { openRedisLimiter } = await import('./redis-limiter.ts')
  const { limiter, close } = openRedisLimiter(redisUrl, limit)
  app.addHook('onClose', async () => close())
  return new RateLimit(limiter, clientOf)
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
