import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { shownUrl } from '../../src/secrets.ts'
import { allowedLookup, ForbiddenAddress } from '../../src/sources/address.ts'
import { type ClientOptions, urlBelow } from '../../src/sources/client.ts'
import { type Client, openClient } from '../../src/sources/index.ts'
import { answerJson, type FakeServer, startServer } from '../support/positions-server.ts'

let server: FakeServer
let client: Client

afterEach(async () => {
  await client.close()
  await server?.close()
})

async function start(
  handler: Parameters<typeof startServer>[0],
  options: Partial<ClientOptions> = {},
): Promise<FakeServer> {
  client = openClient({ timeoutMs: 2000, retries: 3, maxBytes: 100_000, waitMs: 5, ...options })
  server = await startServer(handler)
  return server
}
const json = (path = '/', request = {}) => client.json('The source', server.base + path, request)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('gives the JSON of an answer, and sends JSON with a key', async () => {
  await start((_, response) => answerJson(response, { fine: true }))
  expect(await json('/x?y=1', { json: { a: 1 }, bearer: 'secret' })).toEqual({ fine: true })
  expect(server.requests).toEqual([
    expect.objectContaining({ method: 'POST', url: '/x?y=1', body: '{"a":1}' }),
  ])
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
  })
})

test('a request that fails twice is sent again', async () => {
  await start((_, response, number) => answerJson(response, number, number < 3 ? 500 : 200))
  expect(await json()).toBe(3)
})

test('one that always fails is retried as often as configured, and reported', async () => {
  await start((_, response) =>
    answerJson(response, { errors: [{ message: 'the index\nis behind' }] }, 503),
  )
  await expect(json()).rejects.toMatchObject({
    code: 'SOURCE_FAILED',
    message: 'The source failed: it answered 503: the index is behind (tried 4 times).',
  })
  expect(server.requests).toHaveLength(4)
})

test('a 429 is repeated no sooner than Retry-After says', async () => {
  const times: number[] = []
  await start((_, response, number) => {
    times.push(performance.now())
    if (number === 1) response.writeHead(429, { 'retry-after': '1' }).end()
    else answerJson(response, 'fine')
  })
  expect(await json()).toBe('fine')
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990)
})

test('what no repetition would change is not repeated', async () => {
  await start((_, response) => answerJson(response, { detail: 'no such thing as secret-key' }, 400))
  await expect(json('/', { bearer: 'secret-key' })).rejects.toThrow(
    /^The source failed: it answered 400: no such thing as ….$/,
  )
  expect(server.requests).toHaveLength(1)
})

test('a wrong key is a refusal that holds no secret', async () => {
  await start((_, response) => response.writeHead(401).end('secret-key'))
  await expect(json('/', { bearer: 'secret-key' })).rejects.toThrow(
    /^The source failed: it refused access \(401\).$/,
  )
  expect(server.requests).toHaveLength(1)
})

test('a user and a password in the URL are sent as such, and are in no message', async () => {
  await start((_, response) => response.writeHead(404).end())
  const url = `${server.base.replace('//', '//ann:p%40ss@')}/data?sig=hidden`
  await expect(client.json(shownUrl(url), url)).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+ \([0-9a-f]{8}\) failed: it answered 404\.$/,
  )
  expect(server.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
  )
  expect(server.requests[0]?.url).toBe('/data?sig=hidden')
})

test('a password with a percent sign that encodes nothing is sent as it is', async () => {
  await start((_, response) => answerJson(response, 'fine'))
  const url = server.base.replace('//', '//ann:50%zz@')
  expect(await client.json(shownUrl(url), url)).toBe('fine')
  expect(server.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('ann:50%zz').toString('base64')}`,
  )
})

test('a redirect within a server is followed with the key, and one to another server is not followed', async () => {
  const other = await startServer((_, response) =>
    response.writeHead(302, { location: `${server.base}/end` }).end(),
  )
  await start((request, response) => {
    if (request.url === '/end') return answerJson(response, 'fine')
    const location = { '/here': '/end', '/out': `${other.base}/x`, '/file': 'file:///etc/passwd' }[
      request.url
    ]
    return response.writeHead(302, { location: location ?? '' }).end()
  })
  expect(await json('/here', { bearer: 'secret' })).toBe('fine')
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer secret',
    'Bearer secret',
  ])
  const reason = `The source failed: it redirects to another host, ${new URL(other.base).host}.`
  await expect(json('/out', { bearer: 'secret' })).rejects.toThrow(reason)
  await expect(client.open('The source', `${server.base}/out`)).rejects.toThrow(reason)
  await expect(json('/file')).rejects.toThrow(/^The source failed: /)
  expect(other.requests).toEqual([])
  await other.close()
})

test.each([
  '169.254.169.254',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '100.100.100.200',
])('a source at %s is not asked', async (host) => {
  await start(never, { timeoutMs: 500 })
  await expect(client.json('The source', `http://${host}/latest`)).rejects.toThrow(
    /^The source failed: its host leads to [0-9a-f.:]+, a link-local or metadata address, which sources may not use\.$/,
  )
})

test('a name is checked by the addresses that it has when a connection is opened', async () => {
  const resolve = (name: string) =>
    new Promise((done) => allowedLookup(name, { all: true }, (...found) => done(found)))
  expect(await resolve('0xA9FEA9FE')).toEqual([expect.any(ForbiddenAddress), '', undefined])
  expect(await resolve('127.0.0.1')).toEqual([
    null,
    [{ address: '127.0.0.1', family: 4 }],
    undefined,
  ])
})

test('redirections in a circle end', async () => {
  await start((_, response) => response.writeHead(302, { location: '/again' }).end(), {
    retries: 0,
  })
  await expect(json('/again')).rejects.toThrow(/^The source failed/)
})

const never = () => {}
const drip = async (response: ServerResponse, times: number, ms: number) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(times * 2) })
  for (let time = 0; time < times; time++) {
    response.write('x\n')
    await pause(ms)
  }
  response.end()
}

test('an answer that does not come in time is given up', async () => {
  await start(never, { timeoutMs: 100, retries: 1 })
  await expect(json()).rejects.toThrow(
    'The source failed: it did not answer within 0.1 s (tried 2 times).',
  )
  expect(server.requests).toHaveLength(2)
})

test('an answer that begins in time and does not end in time is given up too', async () => {
  await start((_, response) => drip(response, 20, 50), { timeoutMs: 200, retries: 0 })
  await expect(json()).rejects.toThrow('The source failed: it did not answer within 0.2 s.')
})

test('an open answer may take as long as it likes, as long as something comes', async () => {
  await start((_, response) => drip(response, 15, 40), { timeoutMs: 300 })
  const { body, status, type, size, ends } = await client.open('The source', server.base)
  expect({ status, type, size, ends }).toEqual({
    status: 200,
    type: 'text/plain',
    size: 30,
    ends: true,
  })
  let text = ''
  for await (const chunk of body) text += chunk
  expect(text).toBe('x\n'.repeat(15))
})

test('an open answer that falls silent is an error', async () => {
  await start(
    (_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('x')
    },
    { timeoutMs: 200 },
  )
  const { body } = await client.open('The source', server.base)
  await expect(body.toArray()).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' })
})

test('an answer that is too long is not read, compressed or not', async () => {
  await start((request, response) => {
    const body = Buffer.alloc(200_000, ' ')
    if (request.url === '/plain') response.end(body)
    else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body))
  })
  for (const path of ['/plain', '/gzip'])
    await expect(json(path)).rejects.toThrow(
      'The source failed: its answer is longer than 100000 bytes, the limit of SOURCE_MAX_BYTES.',
    )
  expect(server.requests).toHaveLength(2)
})

test('a compressed answer is read', async () => {
  await start((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}')),
  )
  expect(await json()).toEqual({ a: 1 })
})

test.each([
  ['with a length', { 'content-length': '100' }],
  ['in chunks', {}],
  ['in chunks, of a server that closes anyway', { connection: 'close' }],
])('a connection that is cut in an answer %s is an error', async (_, headers) => {
  await start(
    (_, response) => {
      response.writeHead(200, headers)
      response.write('[1, 2]')
      setTimeout(() => response.socket?.end(), 20)
    },
    { retries: 1 },
  )
  await expect(json()).rejects.toThrow(
    'The source failed: it closed the connection before the end (tried 2 times).',
  )
})

test('a cut is repeated', async () => {
  await start((_, response, number) => {
    response.writeHead(200, { 'content-length': '6' }).write('[1, ')
    if (number === 1) setTimeout(() => response.destroy(), 20)
    else response.end('2]')
  })
  expect(await json()).toEqual([1, 2])
})

test('a server that is not there', async () => {
  await start(never, { retries: 1 })
  await server.close()
  await expect(json()).rejects.toThrow('The source failed: nothing listens there (tried 2 times).')
})

test('a server that does not speak HTTP is reported in words, and each error is passed on for the log', async () => {
  const failed = vi.fn()
  client = openClient({
    timeoutMs: 2000,
    retries: 1,
    maxBytes: 1000,
    waitMs: 5,
    onFailedAttempt: failed,
  })
  const ssh = createServer((socket) =>
    socket.on('error', never).end('SSH-2.0-OpenSSH_9.2\r\n'),
  ).listen(0, '127.0.0.1')
  await once(ssh, 'listening')
  const { port } = ssh.address() as AddressInfo
  await expect(client.json('The source', `http://127.0.0.1:${port}/`)).rejects.toThrow(
    /^The source failed: it cannot be read: Response does not match the HTTP.* \(tried 2 times\)\.$/,
  )
  const reason = expect.stringMatching(/^it cannot be read: Response does not match the HTTP/)
  expect(failed.mock.calls).toEqual(Array(2).fill(['The source', reason]))
  ssh.close()
})

test('a fault of ours is neither repeated nor laid at the door of the source', async () => {
  await start(never)
  const circle: object[] = []
  circle.push(circle)
  await expect(json('/', { json: circle })).rejects.toThrow(TypeError)
  expect(server.requests).toHaveLength(0)
})

test.each([
  [
    'HTML',
    '<!doctype html><p>Back soon',
    'its answer is not JSON, but HTML: <!doctype html><p>Back soon',
  ],
  ['nothing', '', 'its answer is empty'],
  ['half of it', '{"a": ', 'its answer is not JSON: {"a":'],
])('an answer that is %s', async (_, body, reason) => {
  await start((_, response) => response.end(body))
  await expect(json()).rejects.toThrow(`The source failed: ${reason}.`)
  expect(server.requests).toHaveLength(1)
})

test('a signal ends a request, and a wait between two', async () => {
  await start(
    (request, response) => (request.url === '/busy' ? answerJson(response, 0, 500) : undefined),
    {
      // A wait that did not end would be longer than a test may take.
      waitMs: 300_000,
    },
  )
  for (const path of ['/', '/busy']) {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    await expect(json(path, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' })
  }
})

test('a path below a base keeps what follows the question mark', () => {
  expect(urlBelow('https://ann:pass@example.org/a/?sig=1', 'b/c.jsonl')).toBe(
    'https://ann:pass@example.org/a/b/c.jsonl?sig=1',
  )
  expect(shownUrl('https://ann:pass@example.org/a/?sig=1#x')).toBe('https://example.org (6d52e8b7)')
})
