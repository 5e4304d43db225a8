import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_TOKEN, type Gateway } from '../support/gateway.ts'
import { markets, NOW, nobody, pools, startOnFixture, T1, T2, users, vault } from './fixture.ts'

const { ada } = users
let gateway: Gateway
let now = NOW

beforeAll(async () => {
  gateway = await startOnFixture({ now: () => now })
})
afterAll(() => gateway?.close())

const fixed = [
  '/points/leaderboard',
  '/points/userpoints',
  '/points/breakdown-by-assets',
  '/points/reports',
  `/points/${ada}`,
  '/multipliers/all',
  '/pools/all',
  '/positions/breakdown-by-assets',
  '/positions/breakdown-by-markets',
  `/v1/users/${ada}/market-position-snapshots?from_timestamp=${T1}&to_timestamp=${T2}`,
  `/v1/users/${ada}/vault-position-snapshots?from_timestamp=${T1}&to_timestamp=${T2}`,
  `/v1/users/${ada}/market-liquidation-rewards?market=${markets.first}`,
  `/v1/users/${ada}/vault-liquidation-rewards?vault=${vault}`,
  `/v1/users/${ada}/earnings`,
  `/v1/users/${ada}/net-apr`,
  '/openapi.json',
  '/graphql?query={program{totalPoints}}',
]
const timeDependent = [
  `/positions/${ada}`,
  `/positions/${nobody}`,
  `/v1/users/${ada}/market-position-snapshots`,
  `/v1/users/${ada}/market-position-snapshots?from_timestamp=${T1}`,
  `/v1/users/${ada}/vault-position-snapshots?to_timestamp=${T2}`,
]
const created = ['/multipliers/all', '/pools/all']
const failing = [
  '/unknown',
  '/points/abc',
  `/v1/users/${ada}/market-liquidation-rewards?market=${nobody}`,
]
const everything = [
  ...fixed,
  ...timeDependent,
  ...failing,
  '/',
  '/health',
  '/docs',
  '/graphql?query={__typename}',
]

const tagOf = async (path: string) => (await gateway.get(path)).headers.get('etag') ?? ''

describe('request-id', () => {
  const idFor = async (id: string, path = '/points/reports') =>
    (await gateway.get(path, { 'request-id': id })).headers.get('request-id')

  it.each(['a', 'A-Za-z0.9_-', 'x'.repeat(128)])("is the client's own: %s", async (id) => {
    expect(await idFor(id)).toBe(id)
  })

  it.each([
    '/health',
    '/',
    '/unknown',
    '/points/abc',
    '/openapi.json',
    '/graphql?query={__typename}',
  ])("is the client's own at %s", async (path) => {
    expect(await idFor('mine', path)).toBe('mine')
  })

  it.each(['', 'x'.repeat(129), 'a b', 'a,b', 'ä', '<b>', 'a:b', '"a"'])(
    'is replaced where it is not valid: %s',
    async (sent) => {
      const id = await idFor(sent)
      expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
      expect(id).not.toBe(sent)
    },
  )

  it('is another for every request that has none', async () => {
    const [one, two] = await Promise.all([
      gateway.get('/points/reports'),
      gateway.get('/points/reports'),
    ])
    expect(one.headers.get('request-id')).not.toBe(two.headers.get('request-id'))
  })
})

describe('every answer', () => {
  it.each(everything)(
    'of %s has request-id, content-length, date, and vary with Origin',
    async (path) => {
      const response = await gateway.get(path, { 'accept-encoding': 'identity' })
      const body = await response.arrayBuffer()
      expect(response.headers.get('request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
      expect(response.headers.get('content-length')).toBe(String(body.byteLength))
      expect(Date.parse(response.headers.get('date') ?? '')).not.toBeNaN()
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/)
    },
  )

  it.each(everything)('of %s does not name the framework', async (path) => {
    const { headers } = await gateway.get(path)
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null])
    expect([...headers].join('\n')).not.toMatch(/fastify|yoga|node\.js|express/i)
  })

  it.each([...fixed, ...timeDependent])('of %s is JSON in UTF-8', async (path) => {
    expect((await gateway.get(path)).headers.get('content-type')).toBe(
      'application/json; charset=utf-8',
    )
  })

  it.each(failing)('that is an error has no etag: %s', async (path) => {
    expect((await gateway.get(path)).headers.get('etag')).toBeNull()
  })
})

describe('etag', () => {
  const statusFor = async (path: string, tag: string) =>
    (await gateway.get(path, { 'if-none-match': tag })).status

  it.each(fixed)('of %s is strong, and gets a 304 without a body', async (path) => {
    const tag = await tagOf(path)
    expect(tag).toMatch(/^"[^"]+"$/)
    const response = await gateway.get(path, { 'if-none-match': tag })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe(tag)
    expect(response.headers.get('vary')).toMatch(/\bOrigin\b/)
    expect(response.headers.get('request-id')).not.toBeNull()
  })

  it('is found in a list of tags', async () => {
    const tag = await tagOf('/points/reports')
    expect(await statusFor('/points/reports', `"a", W/"b",${tag} , "c"`)).toBe(304)
  })

  it('is compared weakly', async () => {
    const tag = await tagOf('/points/reports')
    expect(await statusFor('/points/reports', `W/${tag}`)).toBe(304)
  })

  it('is met by *', async () => {
    expect(await statusFor('/points/reports', '*')).toBe(304)
  })

  it.each(['"another"', 'no tag', '""', ','])('is not met by %s', async (tag) => {
    expect(await statusFor('/points/reports', tag)).toBe(200)
  })

  it('of / gets a 304, and of /health none', async () => {
    const [home, health] = await Promise.all([tagOf('/'), tagOf('/health')])
    expect([home, health]).toEqual([
      expect.stringMatching(/^"[^"]+"$/),
      expect.stringMatching(/^(W\/)?"[^"]+"$/),
    ])
    expect([await statusFor('/', home), await statusFor('/health', health)]).toEqual([304, 200])
  })

  it.each(created)('gets a 304 on %s, whose status is 201', async (path) => {
    expect(await statusFor(path, await tagOf(path))).toBe(304)
    expect(await statusFor(path, '"another"')).toBe(201)
  })

  it('is met by HEAD too', async () => {
    const tag = await tagOf('/points/reports')
    const response = await fetch(`${gateway.base}/points/reports`, {
      method: 'HEAD',
      headers: { 'if-none-match': tag },
    })
    expect(response.status).toBe(304)
  })

  it.each(timeDependent)('of %s is weak, and survives the passing of time', async (path) => {
    const tag = await tagOf(path)
    expect(tag).toMatch(/^W\/"[^"]+"$/)
    now = new Date(NOW.getTime() + 60_000)
    try {
      expect(await statusFor(path, tag)).toBe(304)
    } finally {
      now = NOW
    }
  })

  it('of a default window changes when a snapshot leaves the window', async () => {
    const path = `/v1/users/${ada}/market-position-snapshots`
    const tag = await tagOf(path)
    now = new Date((T1 + 31 * 86_400) * 1000)
    try {
      expect(await statusFor(path, tag)).toBe(200)
    } finally {
      now = NOW
    }
  })

  it('does not answer a request that has other filters', async () => {
    const path = `/v1/users/${nobody}/market-position-snapshots`
    const tag = await tagOf(path)
    for (const query of [
      'chain_id=1',
      'market=x',
      'should_group_by_timestamp=true',
      'from_timestamp=5',
      'page=2',
    ])
      expect(await statusFor(`${path}?${query}`, tag), query).toBe(200)
  })

  it('changes after a write, as the answer does', async () => {
    const [pool, report] = await Promise.all([tagOf('/pools/all'), tagOf('/points/reports')])
    const response = await fetch(`${gateway.base}/multipliers/update`, {
      method: 'POST',
      body: JSON.stringify({ poolAddress: pools.ethUsdc, deposit_tokenA: 3 }),
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    expect(response.status).toBe(200)
    expect(await statusFor('/pools/all', pool)).toBe(201)
    expect(await statusFor('/points/reports', report)).toBe(304)
  })
})

describe('a cached answer with the time of the request', () => {
  it('has a new time for each request, with the same ETag, and reads the store once', async () => {
    const kept = { 'cache-control': 'max-age=0' }
    const path = `/positions/${ada}`
    const first = await gateway.get(path, kept)
    gateway.statements.length = 0
    now = new Date(NOW.getTime() + 61_000)
    const second = await gateway.get(path, kept)
    expect(gateway.statements).toEqual([])
    const told = [await first.json(), await second.json()] as { points: { timestamp: string }[] }[]
    expect(told.map(({ points }) => points[0]?.timestamp)).toEqual([
      NOW.toISOString(),
      now.toISOString(),
    ])
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(first.headers.get('etag')).toMatch(/^W\//)
    const unchanged = await gateway.get(path, {
      ...kept,
      'if-none-match': first.headers.get('etag') ?? '',
    })
    expect(unchanged.status).toBe(304)
    now = NOW
  })
})
