import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { shownUrl } from '../../src/secrets.ts'
import { defaultNames, openClient, openPositionsSource } from '../../src/sources/index.ts'
import type { PositionsSettings } from '../../src/sources/positions/open-positions-source.ts'
import {
  answerJson,
  coins,
  type FakeServer,
  type PositionsOptions,
  pageOf,
  type SourceRequest,
  sourcePools,
  sourcePositions,
  startPositions,
  startPrices,
  startServer,
} from '../support/positions-server.ts'

const DAY = '2026-03-02'
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function read(source: string, settings: Partial<PositionsSettings> = {}) {
  const client = openClient({ timeoutMs: 10_000, retries: 0, maxBytes: 1_000_000 })
  open.push(client)
  const made = openPositionsSource({ source, ...settings }, client)
  const { batches, label } = await made.positions(DAY, { pools: sourcePools })
  let count = 0
  for await (const { records } of batches) count += records.length
  return { name: made.name, label, count }
}

type Handler = (request: SourceRequest, response: ServerResponse) => unknown
const start = async (handler: Handler): Promise<FakeServer> => {
  const server = await startServer(handler)
  open.push(server)
  return server
}
const prices = async () => {
  const server = await startPrices(coins)
  open.push(server)
  return { url: server.base, maxAgeSeconds: 60 }
}
const paths = ({ requests }: FakeServer) => requests.map(({ method, url }) => `${method} ${url}`)

/** Answers what `routes` have, and else what `otherwise` does. */
const routes =
  (
    pages: Record<string, [type: string, body: string, status?: number]>,
    otherwise?: Handler,
  ): Handler =>
  (request, response) => {
    const route = pages[`${request.method} ${request.url}`]
    if (route)
      return response.writeHead(route[2] ?? 200, { 'content-type': route[0] }).end(route[1])
    return otherwise ? otherwise(request, response) : response.writeHead(404).end()
  }

const options: PositionsOptions = { positions: sourcePositions(3) }
const graphAt =
  (path: string): Handler =>
  (request, response) => {
    if (request.method !== 'POST' || request.url !== path) return response.writeHead(404).end()
    return answerJson(response, {
      data: { positions: pageOf(options, JSON.parse(request.body).variables) },
    })
  }

describe('what POSITIONS_SOURCE names', () => {
  test('a directory', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gateway-source-'))
    open.push({ close: () => rm(dir, { recursive: true }) })
    await writeFile(join(dir, 'positions.jsonl'), '{}\n{}\n')
    expect(await read(dir)).toEqual({ name: dir, label: 'positions.jsonl', count: 2 })
  })

  test.each(['application/x-ndjson', 'text/plain', 'application/octet-stream', ''])(
    'files of the type "%s"',
    async (type) => {
      const server = await start(routes({ 'GET /data/positions.jsonl': [type, '{}\n'] }))
      expect(await read(`${server.base}/data/`)).toEqual({
        name: shownUrl(`${server.base}/data`),
        label: 'positions.jsonl',
        count: 1,
      })
      expect(paths(server)).toEqual(['GET /data/positions.jsonl', 'GET /data/positions.jsonl'])
    },
  )

  test('files that are compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const server = await start(({ url }, response) =>
      url === '/positions.jsonl.gz'
        ? response.writeHead(200, { 'content-type': 'application/gzip' }).end(gzipSync('{}\n{}\n'))
        : response.writeHead(404).end(),
    )
    expect(await read(server.base)).toMatchObject({ label: 'positions.jsonl.gz', count: 2 })
  })

  test('a GraphQL endpoint', async () => {
    const server = await start(graphAt('/graphql'))
    expect(await read(`${server.base}/graphql`, { prices: await prices() })).toEqual({
      name: shownUrl(`${server.base}/graphql`),
      label: 'positions',
      count: 3,
    })
    expect(paths(server)).toEqual([
      'GET /graphql/positions.jsonl',
      'GET /graphql/positions.jsonl.gz',
      'GET /graphql/pools/all',
      'POST /graphql',
    ])
  })

  test.each<[string, Handler]>([
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>GraphiQL'),
    ],
    ['an error', (_, response) => answerJson(response, { errors: [{ message: 'no query' }] })],
    ['an error that is a list', (_, response) => answerJson(response, ['no'], 400)],
    ['a refusal of the method', (_, response) => response.writeHead(405).end()],
  ])('a GraphQL endpoint that answers everything else with %s', async (_, otherwise) => {
    const graph = graphAt('/graphql')
    const server = await start((request, response) =>
      request.method === 'POST' ? graph(request, response) : otherwise(request, response),
    )
    expect(await read(`${server.base}/graphql`, { prices: await prices() })).toMatchObject({
      label: 'positions',
      count: 3,
    })
  })

  test.each([200, 201])('another gateway, whose pools are a list (%d)', async (status) => {
    const server = await start(
      routes({ 'GET /api/pools/all': ['application/json; charset=utf-8', ' [ ]', status] }),
    )
    await expect(read(`${server.base}/api`)).rejects.toThrow(/failed/)
    expect(paths(server).slice(0, 4)).toEqual([
      'GET /api/positions.jsonl',
      'GET /api/positions.jsonl.gz',
      'GET /api/pools/all',
      'GET /api/points/reports',
    ])
  })

  test('is detected for each run', async () => {
    let handler = graphAt('/')
    const server = await start((request, response) => handler(request, response))
    const client = openClient({ timeoutMs: 10_000, retries: 0, maxBytes: 1_000_000 })
    open.push(client)
    const source = openPositionsSource({ source: server.base, prices: await prices() }, client)
    const request = { pools: sourcePools }
    expect((await source.positions(DAY, request)).label).toBe('positions')
    handler = routes({ 'GET /positions.jsonl': ['text/plain', '{}'] })
    expect((await source.positions(DAY, request)).label).toBe('positions.jsonl')
  })

  test('a key is sent to find it out, too', async () => {
    const server = await start(graphAt('/'))
    await read(server.base, { key: 'secret-key', prices: await prices() })
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer secret-key']),
    )
  })

  test('what it is set to be is not found out', async () => {
    const server = await startPositions(options)
    open.push(server)
    await read(`${server.base}/graphql`, { format: 'graphql', prices: await prices() })
    expect(paths(server)).toEqual(['POST /graphql'])
    await expect(read(server.base, { format: 'files' })).rejects.toThrow(/it has no positions file/)
    await expect(read(server.base, { format: 'rest' })).rejects.toThrow(/answered 404/)
  })

  test('a server that is nothing of it says what it was taken for', async () => {
    const server = await start((_, response) => response.writeHead(404).end())
    await expect(read(server.base, { prices: await prices() })).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      message:
        `The source of positions, ${server.base}, failed: it answered 404. It has neither positions.jsonl nor ` +
        '/pools/all, and was taken for GraphQL: see POSITIONS_SOURCE_FORMAT.',
    })
  })

  test('a server that is not there', async () => {
    const server = await startServer(() => {})
    await server.close()
    await expect(read(server.base)).rejects.toThrow(
      `The source of positions, ${server.base}, failed: nothing listens there.`,
    )
  })

  test('a GraphQL source without prices', async () => {
    const server = await start(graphAt('/'))
    await expect(read(server.base)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${server.base} is a GraphQL source, which gives no prices. Set PRICES_SOURCE, then try again.`,
    })
  })

  test('no secret of its URL is in a name or a message', async () => {
    const server = await start((_, response) => response.writeHead(404).end())
    const url = `${server.base.replace('//', '//ann:hidden@')}/x?token=hidden`
    for (const format of ['files', 'graphql', 'rest', 'auto'] as const) {
      const error = await read(url, { format, prices: await prices() }).catch(
        (error: Error) => error,
      )
      expect(error).toBeInstanceOf(Error)
      expect((error as Error).message).toContain(`${server.base} (`)
      expect((error as Error).message).not.toContain('hidden')
    }
  })
})

describe('settings of sources', () => {
  const problem = (env: Record<string, string>) => {
    try {
      readConfig(env)
    } catch (error) {
      if (error instanceof ConfigError) return error.message
    }
    return undefined
  }

  test('have defaults', () => {
    expect(readConfig({ POSITIONS_SOURCE: 'positions' })).toMatchObject({
      POSITIONS_SOURCE: 'positions',
      POSITIONS_SOURCE_FORMAT: 'auto',
      POSITIONS_SOURCE_PAGING: 'cursor',
      POSITIONS_SOURCE_PAGE_SIZE: 1000,
      POSITIONS_SOURCE_FIELDS: defaultNames,
      PRICES_MAX_AGE_SECONDS: 21_600,
      PRICES_CHAINS: {},
      SOURCE_TIMEOUT_MS: 30_000,
      SOURCE_RETRIES: 4,
      SOURCE_MAX_BYTES: 67_108_864,
      MAX_PRICE_JUMP: 5,
    })
  })

  test('are read', () => {
    const config = readConfig({
      POSITIONS_SOURCE: 'https://example.org/graphql',
      POSITIONS_SOURCE_FORMAT: 'graphql',
      POSITIONS_SOURCE_FIELDS: '{"user": "account.id"}',
      PRICES_SOURCE: 'https://coins.llama.fi',
      PRICES_CHAINS: '146=sonic, 999=hyperliquid',
    })
    expect(config.POSITIONS_SOURCE_FIELDS).toEqual({ ...defaultNames, user: 'account.id' })
    expect(config.PRICES_CHAINS).toEqual({ 146: 'sonic', 999: 'hyperliquid' })
  })

  test.each<[Record<string, string>, string]>([
    [
      { POSITIONS_SOURCE: 'ftp://example.org' },
      'POSITIONS_SOURCE must be a directory, or a URL like https://example.org/positions',
    ],
    [
      { POSITIONS_SOURCE: 'https://' },
      'POSITIONS_SOURCE must be a directory, or a URL like https://example.org/positions',
    ],
    [
      { POSITIONS_SOURCE_FORMAT: 'csv' },
      'POSITIONS_SOURCE_FORMAT must be auto, files, graphql or rest',
    ],
    [
      { POSITIONS_SOURCE: './data', POSITIONS_SOURCE_FORMAT: 'rest' },
      'POSITIONS_SOURCE must be a URL like https://example.org/rest, since POSITIONS_SOURCE_FORMAT is rest',
    ],
    [
      { POSITIONS_SOURCE: 'https://example.org', POSITIONS_SOURCE_FORMAT: 'graphql' },
      'PRICES_SOURCE is needed, such as https://coins.llama.fi: a GraphQL source of positions gives no prices',
    ],
    [
      { POSITIONS_SOURCE_KEY: 'a key' },
      'POSITIONS_SOURCE_KEY must be printable ASCII without spaces',
    ],
    [{ POSITIONS_SOURCE_PAGING: 'page' }, 'POSITIONS_SOURCE_PAGING must be cursor or offset'],
    [
      { POSITIONS_SOURCE_PAGE_SIZE: '0' },
      'POSITIONS_SOURCE_PAGE_SIZE must be a whole number from 1 to 100000',
    ],
    [
      { POSITIONS_SOURCE_PAGE_SIZE: 'many' },
      'POSITIONS_SOURCE_PAGE_SIZE must be a whole number from 1 to 100000',
    ],
    [{ SOURCE_RETRIES: '1.5' }, 'SOURCE_RETRIES must be a whole number from 0 to 20'],
    [
      { PRICES_SOURCE: 'coins.llama.fi' },
      'PRICES_SOURCE must be a URL like https://coins.llama.fi',
    ],
    [
      { PRICES_CHAINS: 'sonic' },
      'PRICES_CHAINS must be id=name pairs, separated by commas, such as 146=sonic',
    ],
    [{ MAX_PRICE_JUMP: '1' }, 'MAX_PRICE_JUMP must be a number above 1'],
    [
      { POSITIONS_SOURCE_FIELDS: '{"usr": "account"}' },
      `POSITIONS_SOURCE_FIELDS names "usr", which is not one of ${Object.keys(defaultNames).join(', ')}`,
    ],
  ])('%j is one clear line', (env, message) => {
    expect(problem(env)).toBe(message)
  })
})
