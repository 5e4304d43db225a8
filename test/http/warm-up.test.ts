import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Serving, serve } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { loadSample } from '../support/sample.ts'

let store: Gateway
let gateway: Serving | undefined
beforeAll(async () => {
  store = await startGateway()
  await loadSample(store, { users: 5, days: 3 })
})
afterEach(async () => {
  await gateway?.stop('SIGTERM')
  gateway = undefined
})
afterAll(() => store.close())

const started = async (env: Record<string, string> = {}) => {
  gateway = await serve({ DATABASE_URL: store.deps.config.DATABASE_URL ?? '', ...env })
  return gateway
}
async function metric({ base }: Serving, name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.slice(name.length),
  )
}
const warm = (server: Serving) =>
  vi.waitUntil(async () => (await metric(server, 'gateway_cache_answers ')) > 20, { timeout: 60_000, interval: 100 })

test('what is known to come is read and cached once the gateway serves, and is logged as no request', async () => {
  const server = await started({ LOG_LEVEL: 'info', LOG_REQUESTS: 'all' })
  await warm(server)
  await fetch(`${server.base}/livez`, { headers: { 'request-id': 'last' } })
  await vi.waitUntil(() => server.printed().includes('"requestId":"last"'), { timeout: 20_000 })
  const requests = server
    .printed()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
  expect(requests.filter((line) => !line.includes('"url":"/metrics"'))).toHaveLength(1)
})

test('no rate limit of a client is charged for it', async () => {
  const server = await started({ RATE_LIMIT: '1000' })
  await warm(server)
  const { headers } = await fetch(`${server.base}/pools/all`)
  expect(headers.get('ratelimit')).toMatch(/r=999;/)
})

test('a gateway that is stopped while it warms up ends at once, without an error', async () => {
  const server = await started({ LOG_LEVEL: 'warn' })
  expect(await server.stop('SIGTERM')).toBe(0)
  expect(server.printed()).not.toMatch(/"level":(40|50|60)/)
  gateway = undefined
})
