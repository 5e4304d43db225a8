import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { Documents } from '../../src/graphql/policy/documents.ts'
import { endpointOperations } from '../../src/rest/endpoint-operations.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import { pageExamples } from '../support/graphiql.ts'
import { startOnSample } from '../support/sample.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const idOf = (text: string) => `sha256:${sha256(text)}`

const TOP = 'query Top($n: Int = 3) { leaderboard(first: $n) { nodes { rank points } } }'
const RESYNC =
  'mutation Resync { resyncDistribution { run { totalsAfter { totalPoints: points } } } }'
const NEWS = 'subscription News { dataChanged { version } }'
const WIDE =
  'query Wide($n: Int!) { users(first: $n) { nodes { positions(first: $n) { nodes { points } } } } }'

let dir: string
let gateway: Gateway
let trusted: Gateway
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'documents-'))
  const path = join(dir, 'documents.json')
  await writeFile(
    path,
    JSON.stringify(Object.fromEntries([TOP, RESYNC, NEWS, WIDE].map((text) => [idOf(text), text]))),
  )
  gateway = await startOnSample({ env: { KNOWN_DOCUMENTS: path } })
  trusted = await startGateway({
    on: gateway,
    env: { KNOWN_DOCUMENTS: path, TRUSTED_DOCUMENTS_ONLY: 'true' },
  })
})
afterAll(async () => {
  await trusted?.close()
  await gateway?.close()
  await rm(dir, { recursive: true })
})

type Answer = { status: number; headers: Headers; data?: any; errors?: any[] }
async function answered(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, ...(text ? JSON.parse(text) : {}) }
}
const post = async (
  body: object,
  { to = gateway, headers = {} }: { to?: Gateway; headers?: object } = {},
) =>
  answered(
    await fetch(`${to.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )
const search = (parameters: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
const get = async (
  parameters: Record<string, unknown>,
  { to = gateway, headers = {} }: { to?: Gateway; headers?: object } = {},
) => answered(await fetch(`${to.base}/graphql?${search(parameters)}`, { headers: { ...headers } }))
const postForm = async (parameters: Record<string, unknown>) =>
  answered(await fetch(`${gateway.base}/graphql`, { method: 'POST', body: search(parameters) }))
/** Sends an example, whose answer is a stream if it is a subscription. */
async function expectAnswer(query: string, body: object, to: Gateway): Promise<void> {
  if (!/^subscription\b/m.test(query))
    return expect((await post(body, { to })).errors).toBeUndefined()
  const end = new AbortController()
  const { status } = await fetch(`${to.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    signal: end.signal,
  })
  end.abort()
  expect(status).toBe(200)
}
const codeOf = ({ errors }: Answer) => errors?.[0]?.extensions?.code
const persisted = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } })

describe('automatic persisted queries', () => {
  test.each([
    ['POST', post],
    ['GET', get],
  ])('by %s: requested by hash, sent with it once, and known from then on', async (how, way) => {
    const query = `query By${how}($n: Int!) { leaderboard(first: $n) { nodes { rank } } }`
    const extensions = persisted(query)
    const unknown = await way({ extensions, variables: { n: 1 } })
    expect(unknown).toMatchObject({ status: 200, errors: [{ message: 'PersistedQueryNotFound' }] })
    expect(codeOf(unknown)).toBe('PERSISTED_QUERY_NOT_FOUND')
    const sent = await way({ query, extensions, variables: { n: 1 } })
    expect(sent.data.leaderboard.nodes).toHaveLength(1)
    for (const n of [2, 3, 2, 3, 2]) {
      const { data } = await way({ extensions, variables: { n } })
      expect(data.leaderboard.nodes).toHaveLength(n)
    }
  })

  test('a hash that is not of the query is refused, and not remembered', async () => {
    const query = '{ program { totalPoints } }'
    const extensions = persisted('{ program { userCount } }')
    const answer = await post({ query, extensions })
    expect(answer).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringMatching(/^PersistedQueryHashMismatch/) }],
    })
    expect(codeOf(answer)).toBe('PERSISTED_QUERY_HASH_MISMATCH')
    expect(codeOf(await post({ extensions }))).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(
      codeOf(
        await post({ query, extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }),
      ),
    ).toBe('PERSISTED_QUERY_HASH_MISMATCH')
    for (const sha256Hash of ['x', '__proto__', '', 5, null, {}, [sha256(TOP), 1]])
      expect(
        (await post({ extensions: { persistedQuery: { version: 1, sha256Hash } } })).status,
      ).toBe(400)
  })

  test('the limits apply to a document sent by its hash', async () => {
    const query = WIDE.replace('Wide', 'Wider')
    const extensions = persisted(query)
    expect((await post({ query, extensions, variables: { n: 2 } })).status).toBe(200)
    for (let i = 0; i < 3; i++)
      expect((await post({ extensions, variables: { n: 2 } })).status).toBe(200)
    expect(codeOf(await post({ extensions, variables: { n: 1000 } }))).toBe('COST_LIMIT_EXCEEDED')
    expect(codeOf(await get({ extensions, variables: { n: 1000 } }))).toBe('COST_LIMIT_EXCEEDED')
  })

  test("Apollo's client speaks it", async () => {
    const statuses: [string, number][] = []
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(
        new HttpLink({
          uri: `${gateway.base}/graphql`,
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            statuses.push([`${init?.method}`, response.status])
            return response
          },
        }),
      ),
    })
    const query = gql`query ForApollo { leaderboard(first: 2) { nodes { rank points } } }`
    for (let i = 0; i < 3; i++) {
      const { data } = await client.query<any>({ query, fetchPolicy: 'no-cache' })
      expect(data.leaderboard.nodes).toHaveLength(2)
    }
    expect(statuses).toHaveLength(4)
    client.stop()
  })

  test('several gateways share what one was sent; what is not what its hash says is not taken', async () => {
    const kept = new Map<string, string>()
    const shared = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: string) => void kept.set(key, value),
    }
    const [one, other, third] = Array.from(
      { length: 3 },
      () => new Documents({ trusted: [], trustedOnly: false, shared }),
    ) as [Documents, Documents, Documents]
    const query = '{ dataVersion }'
    const hash = sha256(query)
    await one.resolve({ query, hash })
    expect(other.find({ hash })).toBeUndefined()
    expect(await other.resolve({ hash })).toBe(query)
    expect(other.find({ hash })).toBe(query)
    for (const key of kept.keys()) kept.set(key, '{ somethingElse }')
    await expect(third.resolve({ hash })).rejects.toThrow('PersistedQueryNotFound')
  })

  test('what is remembered is bounded', async () => {
    const documents = new Documents({ trusted: [], trustedOnly: false })
    const send = (query: string) => documents.resolve({ query, hash: sha256(query) })
    for (let i = 0; i < 3000; i++) await send(`{ a${i}: dataVersion }`)
    expect(documents.find({ hash: sha256('{ a0: dataVersion }') })).toBeUndefined()
    expect(documents.find({ hash: sha256('{ a2999: dataVersion }') })).toBeDefined()
    const long = `{ dataVersion } #${'x'.repeat(100_000)}`
    expect(await send(long)).toBe(long)
    expect(documents.find({ hash: sha256(long) })).toBeUndefined()
  })
})

describe('known documents', () => {
  test('by POST, by GET and by a form, with variables of each request', async () => {
    const documentId = idOf(TOP)
    for (const way of [post, get, postForm])
      for (const n of [1, 2, 5, 1, 2, 5]) {
        const { status, data } = await way({ documentId, variables: { n } })
        expect(status).toBe(200)
        expect(data.leaderboard.nodes).toHaveLength(n)
      }
    expect((await get({ documentId })).data.leaderboard.nodes).toHaveLength(3)
    for (const operationName of ['Top', ''])
      expect((await get({ documentId, operationName })).data.leaderboard.nodes).toHaveLength(3)
  })

  test.each([
    ['a document', { documentId: idOf(TOP), variables: { n: 4 } }],
    ['a query', { query: '{ leaderboard(first: 4) { nodes { rank points } } }' }],
    ['a hash', { extensions: persisted(TOP), variables: { n: 4 } }],
  ])(
    'the answer to a GET of %s has a strong ETag, and is cached until the data changes',
    async (_, parameters) => {
      const tags = new Set<string>()
      for (let i = 0; i < 4; i++) {
        const { headers, status } = await get(parameters)
        expect(status).toBe(200)
        expect(headers.get('cache-control')).toBe('no-cache')
        expect(headers.get('vary')).toContain('Accept')
        tags.add(headers.get('etag') ?? '')
      }
      expect(tags.size).toBe(1)
      const [tag] = [...tags] as [string]
      expect(tag).toMatch(/^"[^"]+"$/)
      expect((await get(parameters, { headers: { 'if-none-match': tag } })).status).toBe(304)
      gateway.statements.length = 0
      await get(parameters)
      expect(gateway.statements).toEqual([])
      await gateway.deps.store.pool.query('UPDATE account SET points = points + 1')
      await expect
        .poll(async () => (await get(parameters, { headers: { 'if-none-match': tag } })).status)
        .toBe(200)
    },
  )

  test('one answer is cached for all media types, and sent as requested', async () => {
    const documentId = idOf(TOP)
    for (let i = 0; i < 3; i++)
      for (const [accept, type] of [
        [
          'application/graphql-response+json, application/json',
          'application/graphql-response+json; charset=utf-8',
        ],
        ['application/json', 'application/json; charset=utf-8'],
        ['*/*', 'application/json; charset=utf-8'],
        ['text/plain, application/json;charset=utf-8', 'application/json; charset=utf-8'],
      ] as const)
        for (const way of [get, post]) {
          const { headers, data } = await way({ documentId }, { headers: { accept } })
          expect(headers.get('content-type')).toBe(type)
          expect(data.leaderboard.nodes).toHaveLength(3)
        }
    const { response } = await fetch(`${gateway.base}/graphql?${search({ documentId })}`, {
      headers: { accept: 'image/png' },
    }).then((response) => ({ response }))
    expect(response.status).toBe(406)
  })

  test('HEAD is GET without its body', async () => {
    const path = `${gateway.base}/graphql?${search({ documentId: idOf(TOP), variables: { n: 2 } })}`
    for (let i = 0; i < 3; i++) {
      const [head, full] = [await fetch(path, { method: 'HEAD' }), await fetch(path)]
      expect(head.status).toBe(200)
      expect(head.headers.get('etag')).toBe(full.headers.get('etag'))
      expect(await head.text()).toBe('')
      await full.text()
    }
  })

  test('an unknown id is an error that says what to do, and so is an id together with a query', async () => {
    for (const way of [post, get, postForm])
      for (const documentId of [
        'sha256:00',
        'sha256:',
        'x',
        '__proto__',
        sha256(TOP),
        `sha256:${'0'.repeat(64)}`,
      ]) {
        const answer = await way({ documentId })
        expect(answer).toMatchObject({
          status: 400,
          errors: [{ message: expect.stringContaining('KNOWN_DOCUMENTS') }],
        })
        expect(codeOf(answer)).toBe('DOCUMENT_NOT_KNOWN')
      }
    expect(await post({ documentId: idOf(TOP), query: '{ dataVersion }' })).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining('not both') }],
    })
    for (const documentId of [5, {}, [idOf(TOP)]])
      expect((await post({ documentId })).status).toBe(400)
  })

  test('the limits apply to them', async () => {
    const documentId = idOf(WIDE)
    for (const way of [post, get]) {
      for (let i = 0; i < 3; i++)
        expect((await way({ documentId, variables: { n: 2 } })).status).toBe(200)
      const answer = await way({ documentId, variables: { n: 1000 } })
      expect(answer.status).toBe(400)
      expect(codeOf(answer)).toBe('COST_LIMIT_EXCEEDED')
    }
  })

  test('a mutation cannot be a GET, and private answers are not cached', async () => {
    const documentId = idOf(RESYNC)
    expect((await get({ documentId }, { headers: asAdmin })).status).toBe(405)
    expect(codeOf(await post({ documentId }))).toBe('UNAUTHENTICATED')
    expect(
      (await post({ documentId }, { headers: asAdmin })).data.resyncDistribution.run.totalsAfter
        .totalPoints,
    ).toBeGreaterThan(0)
    const query = '{ previewDistribution(first: 1) { changedUserCount } }'
    for (let i = 0; i < 3; i++)
      expect((await get({ query }, { headers: asAdmin })).data.previewDistribution).toBeDefined()
    expect(codeOf(await get({ query }))).toBe('UNAUTHENTICATED')
  })

  test('a subscription may be sent by its id too', async () => {
    const end = new AbortController()
    const response = await fetch(`${gateway.base}/graphql?${search({ documentId: idOf(NEWS) })}`, {
      headers: { accept: 'text/event-stream' },
      signal: end.signal,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    end.abort()
  })

  test("GraphiQL's examples and REST's operations are known anywhere", async () => {
    for (const { query, variables } of await pageExamples(gateway.base))
      await expectAnswer(query, { documentId: idOf(query), variables }, gateway)
    for (const text of endpointOperations)
      expect(codeOf(await post({ documentId: idOf(text) }))).not.toBe('DOCUMENT_NOT_KNOWN')
  })
})

describe('only trusted documents', () => {
  test('known ones are answered, by id, hash or text', async () => {
    const variables = { n: 2 }
    for (const way of [post, get])
      for (const asked of [
        { documentId: idOf(TOP) },
        { query: TOP },
        { extensions: persisted(TOP) },
      ])
        for (let i = 0; i < 3; i++)
          expect(
            (await way({ ...asked, variables }, { to: trusted })).data.leaderboard.nodes,
          ).toHaveLength(2)
    for (const { query, variables } of await pageExamples(trusted.base))
      await expectAnswer(query, { query, variables }, trusted)
  })

  test('any other is refused, in every way that it can come', async () => {
    const query = '{ program { totalPoints } }'
    const extensions = persisted(query)
    for (let i = 0; i < 3; i++)
      for (const way of [post, get])
        for (const asked of [
          { query },
          { query: ` ${TOP}` },
          { query: getIntrospectionQuery() },
          { query: '{ __typename }' },
          { query, extensions },
          { extensions },
          { query, extensions: { persistedQuery: { sha256Hash: sha256(query) }, other: 1 } },
        ]) {
          const answer = await way(asked, { to: trusted })
          expect(answer.status).toBe(403)
          expect(codeOf(answer)).toBe('DOCUMENT_NOT_TRUSTED')
        }
    for (const sha256Hash of [5, null, {}, sha256(TOP), ''])
      expect(
        (await post({ query, extensions: { persistedQuery: { sha256Hash } } }, { to: trusted }))
          .status,
      ).toBe(400)
    for (const asked of [
      { query, documentId: idOf(TOP) },
      { query, documentId: 5 },
      { query: [query] },
    ])
      expect((await post(asked, { to: trusted })).status).toBe(400)
    for (const documentId of [null, ''])
      expect((await post({ query, documentId, extensions: null }, { to: trusted })).status).toBe(
        403,
      )
    const sent = (headers: Record<string, string>, body: string | URLSearchParams) =>
      fetch(`${trusted.base}/graphql`, { method: 'POST', headers, body })
    expect((await sent({}, new URLSearchParams({ query }))).status).toBe(403)
    expect((await sent({ 'content-type': 'application/graphql' }, query)).status).toBe(403)
    const news = 'subscription { dataChanged { version } }'
    const accept = 'text/event-stream'
    expect(
      (await sent({ 'content-type': 'application/json', accept }, JSON.stringify({ query: news })))
        .status,
    ).toBe(403)
    expect(
      (
        await post(
          { query: 'mutation { resyncDistribution { run { status } } }' },
          { to: trusted, headers: asAdmin },
        )
      ).status,
    ).toBe(403)
    expect((await post([{ query }], { to: trusted })).status).toBe(400)
  })
})

describe('KNOWN_DOCUMENTS', () => {
  test.each([
    ['is not there', undefined, /cannot be read: ENOENT/],
    ['is not JSON', '{', /it is not JSON/],
    ['is a list', '[]', /must be a JSON object such as/],
    ['has no text', '{"sha256:00": 5}', /sha256:00 has no text/],
    [
      'has another id',
      JSON.stringify({ 'sha256:00': TOP }),
      new RegExp(`has sha256:00 for a document whose id is ${idOf(TOP)}`),
    ],
  ])('a file that %s is one clear line', async (name, content, message) => {
    const path = join(dir, `${name}.json`)
    if (content !== undefined) await writeFile(path, content)
    expect(() => readConfig({ KNOWN_DOCUMENTS: path })).toThrow(message)
    expect(() => readConfig({ KNOWN_DOCUMENTS: path })).toThrow(/^KNOWN_DOCUMENTS /)
  })
})
