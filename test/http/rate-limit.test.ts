import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { RateLimit } from '../../src/http/server/rate-limit.ts'
import { openCounters } from '../../src/keys/counters.ts'
import { BoundedRateLimiter } from '../../src/keys/point-limiter.ts'
import { isInstalled, openRedis } from '../fire/redis-server.ts'

/** The points of one client in a minute, by the package rate-limiter-flexible. */

const LIMIT = { points: 100, duration: 60 }
const ANN = '192.0.2.1'

afterEach(() => {
  vi.useRealTimers()
})

const openLimit = (counters: Awaited<ReturnType<typeof openCounters>>) => {
  const counter = counters.counterOf('points', 60)
  return new RateLimit(() => [{ name: 'points', client: ANN, points: 100, seconds: 60, counter }])
}

/** Charges a client, and returns the headers too. */
async function charge(rateLimit: RateLimit, points: number) {
  const headers: Record<string, string> = {}
  const response = {
    headersSent: false,
    setHeader(name: string, value: string) {
      headers[name] = value
      return this
    },
  }
  const rejection = await rateLimit.charge(
    {} as IncomingMessage,
    response as unknown as ServerResponse,
    points,
  )
  return { rejection, headers }
}

test('headers and sentences say what is left, and a refused request costs nothing', async () => {
  vi.useFakeTimers({ now: 0 })
  const rateLimit = openLimit(await openCounters(undefined))
  expect(await charge(rateLimit, 60)).toEqual({
    rejection: undefined,
    headers: { 'ratelimit-policy': '"points";q=100;w=60', ratelimit: '"points";r=40;t=60' },
  })
  vi.advanceTimersByTime(20_000)
  expect(await charge(rateLimit, 41)).toEqual({
    rejection:
      'This request costs 41 points, and you have 40 of 100 left in this minute. Try again in 40 s.',
    headers: {
      'ratelimit-policy': '"points";q=100;w=60',
      ratelimit: '"points";r=40;t=40',
      'retry-after': '40',
    },
  })
  expect((await charge(rateLimit, 101)).rejection).toBe(
    'This request costs 101 points, more than the 100 that a client has in a minute. Ask for less, or split it into several requests.',
  )
  expect((await charge(rateLimit, 40)).rejection).toBeUndefined()
  expect((await charge(rateLimit, 1)).rejection).toBe(
    'This request costs 1 point, and you have 0 of 100 left in this minute. Try again in 40 s.',
  )
  vi.advanceTimersByTime(40_000)
  expect((await charge(rateLimit, 100)).rejection).toBeUndefined()
})

test('a request that is refused while its window ends leaves no points for the next one', async () => {
  // The window ends before the points are given back.
  class Ending extends BoundedRateLimiter {
    override async reward(client: string, points: number) {
      await this.delete(client)
      return super.reward(client, points)
    }
  }
  const counter = new Ending({ points: 2 ** 50, duration: 60 })
  const budget = { name: 'points', client: ANN, points: 100, seconds: 60, counter }
  const rateLimit = new RateLimit(() => [budget])
  expect((await charge(rateLimit, 5000)).rejection).toContain('costs 5,000 points')
  expect((await counter.get(ANN))?.consumedPoints).toBe(0)
  expect((await charge(rateLimit, 60)).headers.ratelimit).toMatch(/r=40;/)
})

test('many addresses do not fill the memory: those seen longest ago are removed', async () => {
  const limiter = new BoundedRateLimiter(LIMIT, 10)
  for (let i = 0; i < 1000; i++) {
    await limiter.consume(ANN, 1).catch(() => {})
    await limiter.consume(`198.51.100.${i}`, 1)
  }
  expect(limiter.size).toBe(10)
  expect(limiter.dump().storage).toHaveLength(10)
  expect((await limiter.get(ANN))?.remainingPoints).toBe(0)
})

const hasRedis = isInstalled('redis-server')
test.skipIf(!hasRedis)(
  `processes count together in Redis, and alone while it hangs${hasRedis ? '' : ' (skipped: no redis-server)'}`,
  async () => {
    const redis = await openRedis()
    const both = await Promise.all([0, 1].map(() => openCounters(redis.url)))
    const [one, two] = both.map(openLimit) as [RateLimit, RateLimit]
    try {
      await vi.waitFor(async () => {
        await redis.client.flushAll()
        await charge(one, 10)
        expect((await charge(two, 10)).headers.ratelimit).toMatch(/^"points";r=80;/)
      })
      expect((await charge(one, 81)).rejection).toContain('you have 80 of 100 left')
      expect((await charge(two, 80)).rejection).toBeUndefined()
      redis.freeze()
      const since = performance.now()
      for (let i = 0; i < 10; i++) await charge(one, 1)
      expect(performance.now() - since).toBeLessThan(1000)
      redis.thaw()
    } finally {
      for (const { close } of both) close()
      await redis.close()
    }
  },
)
