import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { add, headersOf, hooks, PRIVATE, receiver } from '../support/hooks.ts'

/** Hooks for admins, over HTTP. */

const send = (gateway: Gateway, method: string, path: string, body?: unknown, headers = asAdmin) =>
  fetch(`${gateway.base}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
const listed = async (gateway: Gateway) =>
  (await (await gateway.get('/hooks', asAdmin)).json()).hooks

describe('a hook over HTTP', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ env: PRIVATE })
  })
  afterAll(() => gateway?.close())

  test('is added, listed by its host, tested, rotated and removed', async () => {
    const place = await receiver()
    const url = `${place.base}/secret-path?token=hidden`
    const added = await send(gateway, 'POST', '/hooks', { url, events: ['distribution.failed'] })
    expect(added.status).toBe(201)
    expect(added.headers.get('cache-control')).toBe('no-store')
    const { id, secret } = await added.json()
    expect(secret).toMatch(/^whsec_/)
    const text = JSON.stringify(await listed(gateway))
    expect(JSON.parse(text)).toMatchObject([
      {
        ...{ id, host: new URL(place.base).host, events: ['distribution.failed'] },
        ...{ waiting: 0, dead: 0, wallets: 0 },
      },
    ])
    expect(text).not.toMatch(/secret|hidden|whsec_/)
    const tested = await send(gateway, 'POST', `/hooks/${id}/test`)
    expect(tested.status).toBe(200)
    const { message } = await tested.json()
    expect(place.requests.map((one) => headersOf(one)['webhook-id'])).toEqual([message])
    const rotated = await (await send(gateway, 'POST', `/hooks/${id}/rotate`)).json()
    expect(rotated.secret).toMatch(/^whsec_/)
    expect(rotated.secret).not.toBe(secret)
    expect((await send(gateway, 'DELETE', `/hooks/${id}`)).status).toBe(204)
    expect(await listed(gateway)).toEqual([])
    expect((await send(gateway, 'DELETE', `/hooks/${id}`)).status).toBe(404)
  })

  test('replay sends again what was given up', async () => {
    const { id } = await add(gateway, 'http://127.0.0.1:9/')
    await gateway.deps.store.pool.query(
      `INSERT INTO hook_delivery (hook_id, event, subject, facts, occurred_at, dead_at)
       VALUES ($1, 'distribution.failed', 'one', '{}', now(), now())`,
      [id],
    )
    expect(await listed(gateway)).toMatchObject([{ waiting: 0, dead: 1 }])
    const answer = await send(gateway, 'POST', '/hooks/replay')
    expect(await answer.json()).toEqual({ replayed: 1 })
    expect(await listed(gateway)).toMatchObject([{ waiting: 1, dead: 0 }])
    const failed = await send(gateway, 'POST', `/hooks/${id}/test`)
    expect(failed.status).toBe(503)
    expect((await failed.json()).detail).toContain(`The receiver of hook ${id} failed`)
    await hooks(gateway, ['remove', id])
  })

  test.each([
    ['not JSON', '{', 'must be JSON'],
    ['no body', undefined, 'must be JSON'],
    ['a list', [], 'body: '],
    ['no URL', {}, 'url: '],
    ['another URL', { url: 'ftp://example.org' }, 'The URL of a hook begins with'],
    ['a name of a cloud', { url: 'http://169.254.169.254/' }, 'The URL of a hook is not allowed'],
    ['an unknown event', { url: 'https://example.org', events: ['x'] }, 'There is no event x'],
    ['a text of events', { url: 'https://example.org', events: 'x' }, 'events: '],
    ['an unknown field', { url: 'https://example.org', secret: 'mine' }, 'secret'],
    ['no wallet', { url: 'https://example.org', wallets: ['0x1'] }, 'A wallet is 0x'],
    ['a value below 0', { url: 'https://example.org', health: -1 }, '--health'],
  ])('%s is a 400 that says why', async (_, body, why) => {
    const answer = await send(gateway, 'POST', '/hooks', body)
    expect(answer.status).toBe(400)
    expect((await answer.json()).detail).toContain(why)
    expect(await listed(gateway)).toEqual([])
  })

  test.each(['0', '-1', 'x', '99', '9'.repeat(30)])('there is no hook %s', async (id) => {
    for (const [method, path] of [
      ['DELETE', `/hooks/${id}`],
      ['POST', `/hooks/${id}/test`],
      ['POST', `/hooks/${id}/rotate`],
    ] as const)
      expect((await send(gateway, method, path)).status).toBe(404)
  })

  test('nobody but an admin gets in, and nothing changes', async () => {
    const { id } = await add(gateway, 'http://127.0.0.1:9/')
    const stranger = { authorization: 'Bearer wrong-admin-token' }
    for (const [method, path] of [
      ['GET', '/hooks'],
      ['POST', '/hooks'],
      ['DELETE', `/hooks/${id}`],
      ['POST', `/hooks/${id}/test`],
      ['POST', `/hooks/${id}/rotate`],
      ['POST', '/hooks/replay'],
    ] as const) {
      const body = method === 'GET' ? undefined : { url: 'https://example.org' }
      const answer = await send(gateway, method, path, body, stranger)
      expect([path, answer.status]).toEqual([path, 401])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect(await listed(gateway)).toHaveLength(1)
  })

  test('private addresses are refused without HOOKS_PRIVATE', async () => {
    const closed = await startGateway({ on: gateway })
    try {
      const answer = await send(closed, 'POST', '/hooks', { url: 'http://127.0.0.1:9/' })
      expect(answer.status).toBe(400)
    } finally {
      await closed.close()
    }
  })
})
