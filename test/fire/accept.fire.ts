import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { request as undici } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { ADMIN_TOKEN, LONG, query, type Server, startServer } from './server.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.close())

const TYPES = [
  'multipart/mixed',
  'multipart/*',
  'multipart/mixed;boundary=graphql;subscriptionSpec=1.0',
  'multipart/mixed;deferSpec=20220824',
  'Multipart/Mixed; boundary="-"',
  'text/event-stream',
  'text/*',
  'application/json',
  'application/json;charset=latin1',
  'application/graphql-response+json',
  'image/png',
  'text/html;q=0',
  '*/*',
  '',
  ',',
  ';',
  'x'.repeat(5000),
]
/** One type, and each two. */
const ACCEPT = [...TYPES, ...TYPES.flatMap((one) => TYPES.map((other) => `${one}, ${other}`))]

const OPERATIONS = {
  query: '{ dataVersion }',
  'a query by the graph alone': '{ __typename }',
  'a query that is refused': '{ nothing }',
  'a mutation': 'mutation { __typename }',
  'a subscription': 'subscription { dataChanged { version } }',
  'a subscription that is refused': 'subscription { nothing }',
}

/** What the server writes for a request, until it ends or writes nothing more. */
async function written(document: string, accept: string, method: 'GET' | 'POST'): Promise<string> {
  const { hostname, port } = new URL(server.base)
  const socket = net.connect(Number(port), hostname)
  let text = ''
  let last = performance.now()
  socket.on('data', (chunk) => {
    text += chunk
    last = performance.now()
  })
  const ended = once(socket, 'close').catch(() => undefined)
  const body = method === 'POST' ? JSON.stringify({ query: document }) : ''
  const url = method === 'POST' ? '/graphql' : `/graphql?query=${encodeURIComponent(document)}`
  const head = [
    'host: a',
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  socket.write(
    `${method} ${url} HTTP/1.1\r\n${head.join('\r\n')}\r\naccept: ${accept}\r\n\r\n${body}`,
  )
  const quiet = async () => {
    while (text === '' || performance.now() - last < 100) await sleep(20)
  }
  await Promise.race([ended, quiet()])
  socket.destroy()
  return text
}

describe.each(Object.entries(OPERATIONS))('%s', (_, document) => {
  test('an answer has a length or chunks, never both, and no parts, whatever types the client accepts', {
    timeout: 120_000,
  }, async () => {
    const chosen = LONG
      ? ACCEPT
      : ACCEPT.filter((accept, i) => i < TYPES.length || /multipart/i.test(accept))
    const next = chosen.values()
    const worker = async () => {
      for (const accept of next)
        for (const method of ['GET', 'POST'] as const) {
          const [head = ''] = (await written(document, accept, method)).split('\r\n\r\n')
          expect(head, accept).toMatch(/^HTTP\/1\.1 (200|400|405|406) /)
          const framing = head.match(/^(content-length|transfer-encoding):/gim) ?? []
          expect(framing, `${accept}\n${head}`).toHaveLength(1)
          expect(head, accept).not.toMatch(/multipart/i)
        }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
  })
})

describe("Node's own clients", () => {
  const body = JSON.stringify({ query: '{ dataVersion }' })
  const send = { method: 'POST', headers: { 'content-type': 'application/json' } } as const
  const clients: Record<string, (accept: string) => Promise<{ status: number; text: string }>> = {
    async fetch(accept) {
      const response = await fetch(`${server.base}/graphql`, {
        ...send,
        headers: { ...send.headers, accept },
        body,
      })
      return { status: response.status, text: await response.text() }
    },
    async undici(accept) {
      const response = await undici(`${server.base}/graphql`, {
        ...send,
        headers: { ...send.headers, accept },
        body,
      })
      return { status: response.statusCode, text: await response.body.text() }
    },
    async 'node:http'(accept) {
      const request = http.request(`${server.base}/graphql`, {
        ...send,
        headers: { ...send.headers, accept },
      })
      request.end(body)
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      let text = ''
      for await (const chunk of response) text += chunk
      return { status: response.statusCode ?? 0, text }
    },
  }

  test.each(Object.entries(clients))('%s reads every answer', async (_, ask) => {
    for (const accept of TYPES) {
      const { status, text } = await ask(accept)
      const events = /event: next\ndata: (.*)\n/.exec(text)?.[1]
      const { data, errors } = JSON.parse(events ?? text)
      expect([status, data?.dataVersion ?? errors[0].extensions.code], accept).toEqual(
        status === 200 ? [200, expect.stringMatching(/^\d+$/)] : [406, 'BAD_REQUEST'],
      )
    }
  })
})

test('a change is not made for a client that accepts no answer to it', async () => {
  const imported = await command(['import', 'test/fixtures/contract'], {
    DATABASE_URL: server.databaseUrl,
  })
  expect(imported.code, imported.err).toBe(0)
  const runs = async () => {
    const rows = await query(server.databaseUrl, 'SELECT count(*)::int AS count FROM run')
    return rows[0].count as number
  }
  const change = (accept: string) =>
    fetch(`${server.base}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_TOKEN}`,
        accept,
      },
      body: JSON.stringify({ query: 'mutation { resyncDistribution { run { status } } }' }),
    })
  const before = await runs()
  for (const accept of ['image/png', 'application/json;charset=latin1', 'multipart/mixed'])
    expect((await change(accept)).status, accept).toBe(406)
  expect(await runs()).toBe(before)
  expect((await change('image/png, application/json')).status).toBe(200)
  expect(await runs()).toBe(before + 1)
})
