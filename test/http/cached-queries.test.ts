import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

const lines: Record<string, any>[] = []
let gateway: Gateway
beforeAll(async () => {
  // It is loaded before: a change of which a gateway is notified later clears the cache.
  const onLog = (line: Record<string, any>) => lines.push(line)
  gateway = await startOnSample({ users: 5, days: 3, env: { LOG_REQUESTS: 'all' }, onLog })
  // Until it is notified of changes, it caches nothing.
  await vi.waitUntil(() => gateway.deps.notifications.connectedUntil > 0, { timeout: 20_000 })
})
afterAll(() => gateway.close())

const queryOf = (alias: string) =>
  `{ ${alias}: user(address: "${sampleUser}") { points: totalPoints rank } }`
const JSON_TYPE = { 'content-type': 'application/json' }
const sent = (query: string) => ({
  method: 'POST',
  headers: JSON_TYPE,
  body: JSON.stringify({ query }),
})
const logged = (id: string) =>
  vi.waitUntil(() => lines.find(({ requestId }) => requestId === id), {
    timeout: 20_000,
  }) as Promise<any>

async function answerOf(path: string, init: RequestInit = {}) {
  const response = await fetch(gateway.base + path, init)
  const { 'request-id': id = '', date: _, ...headers } = Object.fromEntries(response.headers)
  return {
    answer: { status: response.status, headers, body: await response.text() },
    line: await logged(id),
  }
}

/**
 * Sends pieces over one connection, each once the one before has arrived.
 * @returns all that comes back by the end
 */
async function exchange(pieces: string[]): Promise<string> {
  const { port } = new URL(gateway.base)
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  for (const piece of pieces) {
    socket.write(piece)
    // An answer of the same server comes after the piece that was sent before it.
    await fetch(`${gateway.base}/livez`)
  }
  await once(socket, 'close')
  return text
}
const post = (body: string, id: string, close = false) =>
  [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `request-id: ${id}`,
    `connection: ${close ? 'close' : 'keep-alive'}`,
    '',
    body,
  ].join('\r\n')

test.each([
  ['a POST', '/graphql', sent(queryOf('posted'))],
  ['a POST to a URL with parameters', '/graphql?from=test', sent(queryOf('elsewhere'))],
  ['a GET', `/graphql?query=${encodeURIComponent(queryOf('got'))}`, {}],
])('%s is answered from the cache with the same headers and bytes', async (_, path, init) => {
  const first = await answerOf(path, init)
  const again = await answerOf(path, init)
  expect(first.line).toMatchObject({ cache: 'miss', statements: 1 })
  expect(again.line).toMatchObject({ cache: 'hit', statements: 0 })
  for (const key of ['route', 'operation', 'status', 'method'])
    expect(again.line[key]).toBe(first.line[key])
  expect(again.answer).toEqual(first.answer)
  expect(JSON.parse(first.answer.body)).not.toHaveProperty('errors')
})

test('a query that is cached is computed for a client that rejects cached answers', async () => {
  const request = sent(queryOf('bypassed'))
  await answerOf('/graphql', request)
  const { line } = await answerOf('/graphql', {
    ...request,
    headers: { ...JSON_TYPE, 'cache-control': 'no-cache' },
  })
  expect(line).toMatchObject({ cache: 'bypass', statements: 1 })
})

test('what a cached body needs of its request is looked at each time', async () => {
  const request = sent(queryOf('typed'))
  await answerOf('/graphql', request)
  const plain = await answerOf('/graphql', {
    ...request,
    headers: { 'content-type': 'text/plain' },
  })
  expect(plain.answer.status).toBe(415)
  expect(JSON.parse(plain.answer.body).errors[0].message).toContain(
    'Send the header content-type: application/json.',
  )
  const cost = await answerOf('/graphql', {
    ...request,
    headers: { ...JSON_TYPE, 'x-graphql-cost': '1' },
  })
  expect(JSON.parse(cost.answer.body)).toHaveProperty('extensions')
  const other = 'application/graphql-response+json'
  const { answer, line } = await answerOf('/graphql', {
    ...request,
    headers: { ...JSON_TYPE, accept: other },
  })
  expect(line).toMatchObject({ cache: 'hit' })
  expect(answer.headers['content-type']).toContain(other)
  // The name of a member of every object is not a media type.
  const odd = await answerOf('/graphql', {
    ...request,
    headers: { ...JSON_TYPE, accept: 'constructor' },
  })
  expect(odd.answer.headers['content-type'] ?? '').not.toContain('function')
})

test('a body may come in pieces, and requests one after another without a wait', async () => {
  const body = JSON.stringify({ query: queryOf('pieces') })
  const { answer } = await answerOf('/graphql', { method: 'POST', headers: JSON_TYPE, body })
  const request = post(body, 'in-pieces', true)
  expect(await exchange([request.slice(0, -30), request.slice(-30)])).toContain(answer.body)
  expect(await logged('in-pieces')).toMatchObject({ status: 200, cache: 'hit' })

  const fresh = JSON.stringify({ query: queryOf('fresh') })
  const both =
    post(body, 'pipelined-1') + post(fresh, 'pipelined-2') + post(body, 'pipelined-3', true)
  const text = await exchange([both])
  expect(text.split('HTTP/1.1 200 OK')).toHaveLength(4)
  expect(text.split(answer.body)).toHaveLength(3)
  expect(text).toContain(answer.body.replace('pieces', 'fresh'))
  expect(await logged('pipelined-2')).toMatchObject({ cache: 'miss' })
  expect(await logged('pipelined-3')).toMatchObject({ cache: 'hit' })
})
