import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { command, parsed } from '../support/command-line.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** The list of keys for admins, over HTTP. */

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 4, days: 3 })
  await vi.waitFor(() => expect(gateway.deps.notifications.connectedUntil).toBeGreaterThan(0))
})
afterAll(() => gateway?.close())

async function keys(...args: string[]): Promise<string> {
  const env = { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' }
  const { code, out, err } = await command(['keys', ...args], env)
  expect(code, err).toBe(0)
  return out
}

test.each([
  ['without a token', {}],
  ['with a wrong token', { authorization: 'Bearer wrong-admin-token' }],
])('%s it is a 401, which no cache keeps', async (_, headers) => {
  const answer = await gateway.get('/keys', headers)
  expect(answer.status).toBe(401)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
})

test('a key is not an admin', async () => {
  const [{ secret }] = parsed(await keys('add', 'curious', '--json'))
  for (const [name, value] of [
    ['x-api-key', secret],
    ['authorization', `Bearer ${secret}`],
  ])
    expect((await gateway.get('/keys', { [name]: value })).status).toBe(401)
  await keys('remove', 'curious')
})

test('a server without admins answers 403', async () => {
  const closed = await startGateway({ on: gateway, env: { ADMIN_TOKEN: undefined as never } })
  try {
    const answer = await closed.get('/keys', asAdmin)
    expect(answer.status).toBe(403)
    expect((await answer.json()).detail).toContain('ADMIN_TOKEN')
  } finally {
    await closed.close()
  }
})

test('another method is a 405', async () => {
  const answer = await fetch(`${gateway.base}/keys`, { method: 'POST', headers: asAdmin })
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')).toBe('GET, HEAD')
})

test('admins see states, limits and uses, and no secret', async () => {
  const [{ secret }] = parsed(
    await keys('add', 'bot', '--minute', '1000', '--day', '5000', '--json'),
  )
  await keys('add', 'old')
  await keys('revoke', 'old')
  await keys('add', 'short', '--expires', '2099-01-31')
  await gateway.deps.store.pool.query(
    `UPDATE api_key SET expires_at = '2001-01-01' WHERE name = 'short'`,
  )
  const asked = await fetch(`${gateway.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': secret },
    body: JSON.stringify({ query: '{ pools(first: 1) { nodes { id } } }' }),
  })
  const left = Number(/"minute";r=(\d+)/.exec(asked.headers.get('ratelimit') ?? '')?.[1])
  const answer = await gateway.get('/keys', asAdmin)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  const { rows } = await gateway.deps.store.pool.query('SELECT digest FROM api_key')
  for (const { digest } of rows) expect(text).not.toContain(digest.toString('hex'))
  expect(text).not.toMatch(/igest|lgk_/)
  const listed = JSON.parse(text).keys
  expect(listed).toMatchObject([
    {
      name: 'bot',
      state: 'valid',
      perMinute: 1000,
      perDay: 5000,
      expiresAt: null,
      usedInMinute: 1000 - left,
      usedInDay: 1000 - left,
    },
    { name: 'old', state: 'revoked', lastUsedAt: null, usedInMinute: null, usedInDay: null },
    { name: 'short', state: 'expired', perMinute: null },
  ])
  expect(left).toBeLessThan(1000)
  expect(Date.now() - Date.parse(listed[0].lastUsedAt)).toBeLessThan(60_000)
})
