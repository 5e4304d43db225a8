import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { start } from '../support/command-line.ts'
import { openPostgres, query, type Server, type ServerOptions, startServer } from './server.ts'

/** SHUTDOWN_TIMEOUT_MS here, and what a noisy machine takes with it and the 2 s for closing. */
const TIMEOUT_MS = 2000
const MOST_MS = TIMEOUT_MS + 2000 + 4000
const QUICK_MS = 4000

const PATIENCE = { timeout: 30_000, interval: 50 }

const cleanup: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const one of cleanup.splice(0).reverse()) await one()
})

async function serve(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer({
    ...options,
    env: { SHUTDOWN_TIMEOUT_MS: String(TIMEOUT_MS), ...options.env },
  })
  cleanup.push(() => server.close())
  return server
}

async function openSocket({ base }: Server, text: string) {
  const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {})
  cleanup.push(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

async function stopped(server: Server, signal: NodeJS.Signals = 'SIGTERM') {
  const since = performance.now()
  const code = await server.stop(signal)
  return { code, ms: performance.now() - since }
}

const request = (method: string, path: string, headers = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`

test('with nothing to do, just after it has made its tables, it ends at once', async () => {
  const server = await serve()
  const { code, ms } = await stopped(server)
  expect(code).toBe(0)
  expect(ms).toBeLessThan(QUICK_MS)
})

test('idle connections, and event streams that are not read, do not hold it up', async () => {
  const server = await serve()
  const agent = new Agent({ keepAlive: true })
  cleanup.push(() => agent.destroy())
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const [response] = await once(get(`${server.base}/health`, { agent }), 'response')
      await once(response.resume(), 'end')
    }),
  )
  for (let i = 0; i < 20; i++) await openSocket(server, '')
  const subscription = encodeURIComponent('subscription { dataChanged { version } }')
  for (let i = 0; i < 20; i++)
    (
      await openSocket(
        server,
        request('GET', `/graphql?query=${subscription}`, 'accept: text/event-stream\r\n'),
      )
    ).pause()
  await vi.waitFor(
    async () =>
      expect(await (await fetch(`${server.base}/metrics`)).text()).toMatch(
        /^gateway_subscriptions 20$/m,
      ),
    PATIENCE,
  )
  const { code, ms } = await stopped(server)
  expect(code).toBe(0)
  expect(ms).toBeLessThan(QUICK_MS)
})

test('a body that does not arrive holds it up for SHUTDOWN_TIMEOUT_MS only', async () => {
  const server = await serve()
  await openSocket(
    server,
    `${request('POST', '/graphql', 'content-type: application/json\r\ncontent-length: 99\r\n')}{`,
  )
  await fetch(`${server.base}/health`)
  const { code, ms } = await stopped(server)
  // Its connection was closed, and then all the rest: it was not ended by force.
  expect(code).toBe(0)
  expect(ms).toBeLessThan(MOST_MS)
})

test('what is under way is answered, what comes then is refused', async () => {
  const server = await serve({ env: { SHUTDOWN_TIMEOUT_MS: '20000' } })
  const [body, later] = [
    '{"query":"{ program { totalPoints } }"}',
    request('GET', '/points/leaderboard'),
  ]
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const underWay = await openSocket(server, `${request('POST', '/graphql', head)}{`)
  const kept = await openSocket(server, `${request('POST', '/graphql', head)}{`)
  await fetch(`${server.base}/health`)
  const ended = server.stop('SIGTERM')
  await vi.waitFor(() => expect(fetch(`${server.base}/health`)).rejects.toThrow(), PATIENCE)
  const answer = once(underWay, 'data')
  underWay.write(body.slice(1))
  expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*totalPoints/)
  let received = ''
  kept.on('data', (bytes) => (received += bytes))
  kept.write(body.slice(1) + later)
  await once(kept, 'close')
  expect(received).toMatch(/^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 503 /)
  expect(received.slice(received.indexOf('503'))).toMatch(/connection: close/i)
  expect(await ended).toBe(0)
})

test('a statement that runs does not hold it up', async () => {
  const server = await serve()
  await query(
    server.databaseUrl,
    'CREATE TABLE held (); ALTER TABLE distribution RENAME TO distribution_table',
  )
  await query(
    server.databaseUrl,
    'CREATE VIEW distribution AS SELECT distribution_table.* FROM distribution_table, pg_sleep(60)',
  )
  const asked = fetch(`${server.base}/graphql?query={distributions{totalCount}}`).catch(() => {})
  await vi.waitFor(async () => {
    const rows = await query(
      server.databaseUrl,
      "SELECT FROM pg_stat_activity WHERE query LIKE '%distribution%' AND state = 'active' AND pid <> pg_backend_pid()",
    )
    expect(rows.length).toBeGreaterThan(0)
  }, PATIENCE)
  const { ms } = await stopped(server)
  await asked
  expect(ms).toBeLessThan(MOST_MS)
})

test('a Postgres that is frozen does not', async () => {
  const postgres = await openPostgres()
  cleanup.push(() => postgres.close())
  const server = await serve({ databaseUrl: postgres.url })
  postgres.freeze()
  const asked = fetch(`${server.base}/points/leaderboard`, {
    headers: { 'cache-control': 'no-cache' },
  }).catch(() => {})
  const { ms } = await stopped(server)
  postgres.thaw()
  await asked
  expect(ms).toBeLessThan(MOST_MS)
})

test('nor does one that is frozen while the gateway starts', async () => {
  const postgres = await openPostgres()
  cleanup.push(() => postgres.close())
  postgres.freeze()
  const started = start(['serve'], {
    DATABASE_URL: postgres.url,
    SHUTDOWN_TIMEOUT_MS: String(TIMEOUT_MS),
    PORT: '0',
  })
  cleanup.push(() => started.child.kill('SIGKILL'))
  await sleep(2000)
  const since = performance.now()
  await started.stop('SIGTERM')
  expect(performance.now() - since).toBeLessThan(MOST_MS)
})

test('a second signal ends it at once', async () => {
  const server = await serve({ env: { SHUTDOWN_TIMEOUT_MS: '60000' } })
  await openSocket(
    server,
    `${request('POST', '/graphql', 'content-type: application/json\r\ncontent-length: 99\r\n')}{`,
  )
  await fetch(`${server.base}/health`)
  server.child.kill('SIGTERM')
  await vi.waitFor(() => expect(fetch(`${server.base}/health`)).rejects.toThrow(), PATIENCE)
  await sleep(600)
  const { code, ms } = await stopped(server, 'SIGINT')
  expect(code).toBe(130)
  expect(ms).toBeLessThan(QUICK_MS)
})
