import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { ChargeOperation } from '../../graphql/policy/limits.ts'
import { type Budget, openCounters, type Spent } from '../../keys/index.ts'
import { exchangeOf } from '../exchange.ts'
import type { ClientOf } from './client-address.ts'

const WINDOW_SECONDS = 60

/** Limits the points that a client may use. Headers report how many are left. */
export class RateLimit {
  readonly #budgetsOf: (request: IncomingMessage) => Budget[]

  constructor(budgetsOf: (request: IncomingMessage) => Budget[]) {
    this.#budgetsOf = budgetsOf
  }

  /** True if the client of a request has a limit. */
  limits(request: IncomingMessage): boolean {
    return this.#budgetsOf(request).length > 0
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
    const used = await Promise.all(this.#budgetsOf(request).map((one) => consume(one, points)))
    const limits = used.filter((one) => one.points < Number.POSITIVE_INFINITY)
    const over = used.find((one) => one.left < 0)
    // A request that exceeds a limit gets its points back.
    if (over) for (const one of used) await one.giveBack(points)
    const listed = (value: (one: Used) => string) =>
      limits.map((one) => `"${one.name}";${value(one)}`).join(', ')
    if (limits.length > 0 && !response.headersSent)
      response
        .setHeader(
          'ratelimit-policy',
          listed((one) => `q=${one.points};w=${one.seconds}`),
        )
        .setHeader(
          'ratelimit',
          listed((one) => `r=${one.left};t=${one.reset}`),
        )
    if (!over) return undefined
    if (!response.headersSent) response.setHeader('retry-after', String(over.reset))
    return rejectionOf(over, points)
  }

  /**
   * Returns a function that charges a request at most once, even if several handlers call it.
   * Undefined without a limit.
   */
  chargeOnce(request: IncomingMessage, response: ServerResponse): ChargeOperation | undefined {
    if (!this.limits(request)) return undefined
    let charged = false
    return async (points) => {
      if (charged) return undefined
      const rejection = await this.charge(request, response, points)
      charged = rejection === undefined
      return rejection
    }
  }
}

interface Used extends Budget {
  left: number
  /** In seconds. */
  reset: number
  giveBack(points: number): Promise<void>
}

async function consume(budget: Budget, points: number): Promise<Used> {
  const { counter, client } = budget
  const stateOf = ({ consumedPoints, msBeforeNext }: Spent) => ({
    left: budget.points - consumedPoints,
    reset: Math.ceil(msBeforeNext / 1000),
  })
  const used: Used = {
    ...budget,
    ...stateOf(await counter.consume(client, points)),
    async giveBack(points) {
      const given = await counter.reward(client, points)
      // They are not of a window that began meanwhile.
      const isNew = given.consumedPoints < 0
      Object.assign(used, stateOf(isNew ? await counter.penalty(client, points) : given))
    },
  }
  return used
}

function rejectionOf({ points: limit, seconds, left, reset }: Used, points: number): string {
  const written = (number: number) => number.toLocaleString('en-US')
  const window = seconds === WINDOW_SECONDS ? 'minute' : 'day'
  const cost = `This request costs ${written(points)} ${points === 1 ? 'point' : 'points'}`
  if (points > limit)
    return (
      `${cost}, more than the ${written(limit)} that a client has in a ${window}. Ask for less, ` +
      'or split it into several requests.'
    )
  return (
    `${cost}, and you have ${written(left)} of ${written(limit)} left in this ${window}. Try ` +
    `again in ${reset} s.`
  )
}

/** Opens the rate limit: that of the client's key if it sends one, else RATE_LIMIT if it is set. */
export async function openRateLimit(
  app: FastifyInstance,
  { config: { RATE_LIMIT: points, REDIS_URL: redisUrl } }: Pick<Deps, 'config'>,
  clientOf: ClientOf,
): Promise<RateLimit> {
  const keyed = (request: IncomingMessage) => exchangeOf(request).key?.budgets
  if (points === undefined) return new RateLimit((request) => keyed(request) ?? [])
  const { counterOf, close } = await openCounters(redisUrl)
  app.addHook('onClose', async () => close())
  const seconds = WINDOW_SECONDS
  const budget = { name: 'points', points, seconds, counter: counterOf('points', seconds) }
  return new RateLimit((request) => keyed(request) ?? [{ ...budget, client: clientOf(request) }])
}
