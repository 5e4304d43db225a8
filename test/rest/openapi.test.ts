import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADMIN_TOKEN, type Gateway, startGateway } from '../support/gateway.ts'
import {
  type Json,
  jsonOf,
  markets,
  nobody,
  pools,
  startOnFixture,
  tokens,
  users,
  vault,
} from './fixture.ts'

const { ada, bob, cat } = users
let gateway: Gateway
let document: Json

beforeAll(async () => {
  gateway = await startOnFixture()
  document = await jsonOf(gateway, '/openapi.json')
})
afterAll(() => gateway?.close())

/** Every row of both API documents. */
const documented = `
  GET /
  GET /health
  GET /points/leaderboard
  GET /points/userpoints
  GET /points/breakdown-by-assets
  GET /points/reports
  GET /points/{address}
  POST /points/manualupdate
  POST /points/resync
  POST /multipliers/update
  GET /multipliers/all
  GET /pools/all
  GET /positions/breakdown-by-assets
  GET /positions/breakdown-by-markets
  GET /positions/{address}
  GET /v1/users/{address}/market-position-snapshots
  GET /v1/users/{address}/vault-position-snapshots
  GET /v1/users/{address}/market-liquidation-rewards
  GET /v1/users/{address}/vault-liquidation-rewards
  GET /v1/users/{address}/earnings
  GET /v1/users/{address}/net-apr`
  .trim()
  .split('\n')
  .map((line) => line.trim())

/** Those of ours that no document has. */
const ours = ['GET /livez', 'GET /readyz', 'GET /metrics']

interface Operation {
  name: string
  path: string
  operation: Json
}
const operations = (): Operation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )

/** Every value of a key, however deep. */
function valuesOf(key: string, node: unknown): unknown[] {
  if (node === null || typeof node !== 'object') return []
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ])
}

describe('/openapi.json', () => {
  it('is an OpenAPI 3.1 document with a title and a version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
  })

  it('has every documented endpoint, and of others those for operators', () => {
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...documented, ...ours].sort())
  })

  it('gives every operation an id of its own, a summary and described responses', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(documented.length + ours.length)
    for (const { name, operation } of operations()) {
      expect(operation.summary, name).toEqual(expect.any(String))
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        expect(status, name).toMatch(/^[1-5]\d\d$/)
        expect(response.description, `${name} ${status}`).toEqual(expect.any(String))
      }
    }
  })

  it('declares every parameter of a path once, as required', () => {
    for (const { name, path, operation } of operations()) {
      const inPath = (operation.parameters ?? []).filter(
        (parameter: Json) => parameter.in === 'path',
      )
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect(
        inPath.map((parameter: Json) => parameter.name),
        name,
      ).toEqual(names)
      for (const parameter of inPath) expect(parameter.required, name).toBe(true)
    }
  })

  it('gives every parameter a place, a schema and a description', () => {
    for (const { name, operation } of operations())
      for (const parameter of operation.parameters ?? []) {
        expect(['path', 'query'], name).toContain(parameter.in)
        expect(parameter.schema, `${name} ${parameter.name}`).toEqual(expect.any(Object))
        expect(
          parameter.description ?? parameter.schema.description,
          `${name} ${parameter.name}`,
        ).toEqual(expect.any(String))
      }
  })

  it('has the documented limits', () => {
    const parameters = document.paths['/v1/users/{address}/earnings'].get.parameters
    const schemaOf = (name: string) =>
      parameters.find((parameter: Json) => parameter.name === name).schema
    expect(schemaOf('address')).toMatchObject({ type: 'string', pattern: '^0[xX][a-fA-F0-9]{40}$' })
    expect(schemaOf('page')).toMatchObject({ type: 'integer', minimum: 1, default: 1 })
    expect(schemaOf('page_size')).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 100,
    })
  })

  it('refers only to components that it has', () => {
    for (const ref of valuesOf('$ref', document)) {
      const target = String(ref)
        .slice(2)
        .split('/')
        .reduce((node: Json, key) => node?.[key], document)
      expect(target, String(ref)).toBeDefined()
    }
  })

  it('requires the admin token for the three POSTs alone', () => {
    const isOpen = (requirement: Json) => Object.keys(requirement).length === 0
    const secured = operations().filter(
      ({ operation: { security } }) => security.length > 0 && !security.some(isOpen),
    )
    expect(secured.map(({ name }) => name).sort()).toEqual(
      documented.filter((name) => name.startsWith('POST')).sort(),
    )
    for (const { operation } of secured)
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(document.components.securitySchemes[scheme]).toBeDefined()
  })

  it('has an API key, optional for reads, in place of the admin token for the three POSTs', () => {
    expect(document.components.securitySchemes.apiKey).toMatchObject({
      ...{ type: 'apiKey', in: 'header', name: 'x-api-key' },
    })
    for (const { name, operation } of operations()) {
      const either = [{ adminToken: [] }, { apiKey: [] }]
      if (name.startsWith('POST')) expect(operation.security, name).toEqual(either)
      else if (operation.tags[0] !== 'Operations')
        expect(operation.security, name).toEqual([{}, { apiKey: [] }])
    }
  })

  it('is the committed src/generated/openapi.json', () => {
    const committed = readFileSync(
      join(import.meta.dirname, '../../src/generated/openapi.json'),
      'utf8',
    )
    expect(JSON.parse(committed), 'run npm run generate').toEqual(document)
  })
})

describe('real answers fit their schemas', () => {
  const token = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const v1 = '/v1/users/{address}'
  type Call = [
    operation: string,
    path: string,
    status: number,
    init?: { headers?: Record<string, string>; body?: string },
  ]
  const calls: Call[] = [
    ['GET /health', '/health', 200],
    ['GET /livez', '/livez', 200],
    ['GET /readyz', '/readyz', 200],
    ['GET /points/leaderboard', '/points/leaderboard', 200],
    ['GET /points/leaderboard', `/points/leaderboard?account=${cat}`, 200],
    ['GET /points/leaderboard', '/points/leaderboard?account=x', 400],
    ['GET /points/userpoints', '/points/userpoints', 200],
    ['GET /points/userpoints', `/points/userpoints?account=${ada}`, 200],
    ['GET /points/userpoints', '/points/userpoints?account=', 400],
    ['GET /points/breakdown-by-assets', '/points/breakdown-by-assets', 200],
    ['GET /points/breakdown-by-assets', '/points/breakdown-by-assets?limit=0&asset=x', 400],
    ['GET /points/reports', '/points/reports', 200],
    ['GET /points/{address}', `/points/${ada}?limit=1`, 200],
    ['GET /points/{address}', `/points/${nobody}`, 200],
    ['GET /points/{address}', '/points/x?cursor=y', 400],
    ['GET /multipliers/all', '/multipliers/all', 201],
    ['GET /pools/all', '/pools/all', 201],
    [
      'GET /positions/breakdown-by-assets',
      `/positions/breakdown-by-assets?asset=${tokens.arb}`,
      200,
    ],
    ['GET /positions/breakdown-by-assets', '/positions/breakdown-by-assets?cursor=none', 400],
    [
      'GET /positions/breakdown-by-markets',
      `/positions/breakdown-by-markets?market=${pools.ethUsdc}`,
      200,
    ],
    ['GET /positions/breakdown-by-markets', '/positions/breakdown-by-markets?limit=101', 400],
    ['GET /positions/{address}', `/positions/${ada}`, 200],
    ['GET /positions/{address}', `/positions/${nobody}`, 200],
    ['GET /positions/{address}', '/positions/x', 400],
    [`GET ${v1}/market-position-snapshots`, `/v1/users/${ada}/market-position-snapshots`, 200],
    [
      `GET ${v1}/market-position-snapshots`,
      `/v1/users/${ada}/market-position-snapshots?should_group_by_timestamp=true`,
      200,
    ],
    [
      `GET ${v1}/market-position-snapshots`,
      `/v1/users/${ada}/market-position-snapshots?page=0`,
      400,
    ],
    [`GET ${v1}/vault-position-snapshots`, `/v1/users/${ada}/vault-position-snapshots`, 200],
    [
      `GET ${v1}/vault-position-snapshots`,
      `/v1/users/${ada}/vault-position-snapshots?should_group_by_timestamp=true&vault=${vault}`,
      200,
    ],
    [`GET ${v1}/vault-position-snapshots`, `/v1/users/${ada}/vault-position-snapshots?vault=`, 400],
    [
      `GET ${v1}/market-liquidation-rewards`,
      `/v1/users/${ada}/market-liquidation-rewards?market=${markets.first}`,
      200,
    ],
    [`GET ${v1}/market-liquidation-rewards`, `/v1/users/${ada}/market-liquidation-rewards`, 400],
    [
      `GET ${v1}/market-liquidation-rewards`,
      `/v1/users/${ada}/market-liquidation-rewards?market=${nobody}`,
      404,
    ],
    [
      `GET ${v1}/vault-liquidation-rewards`,
      `/v1/users/${ada}/vault-liquidation-rewards?vault=${vault}`,
      200,
    ],
    [`GET ${v1}/vault-liquidation-rewards`, `/v1/users/${ada}/vault-liquidation-rewards`, 400],
    [
      `GET ${v1}/vault-liquidation-rewards`,
      `/v1/users/${ada}/vault-liquidation-rewards?vault=${nobody}`,
      404,
    ],
    [`GET ${v1}/earnings`, `/v1/users/${ada}/earnings`, 200],
    [`GET ${v1}/earnings`, `/v1/users/${bob}/earnings`, 200],
    [`GET ${v1}/earnings`, '/v1/users/x/earnings', 400],
    [`GET ${v1}/net-apr`, `/v1/users/${ada}/net-apr`, 200],
    [`GET ${v1}/net-apr`, `/v1/users/${ada}/net-apr?chain_id=0`, 400],
    ['POST /points/manualupdate', '/points/manualupdate', 401],
    ['POST /points/manualupdate', '/points/manualupdate', 503, { headers: token }],
    ['POST /points/manualupdate', '/points/manualupdate?date=x', 400, { headers: token }],
    ['POST /points/resync', '/points/resync', 401],
    ['POST /points/resync', '/points/resync', 200, { headers: token }],
    ['POST /points/resync', '/points/resync?date=2020-01-01', 404, { headers: token }],
    ['POST /points/resync', '/points/resync', 400, { headers: token, body: '{' }],
    ['POST /multipliers/update', '/multipliers/update', 401],
    ['POST /multipliers/update', '/multipliers/update', 400, { headers: token, body: '[]' }],
    [
      'POST /multipliers/update',
      '/multipliers/update',
      404,
      { headers: token, body: JSON.stringify({ poolAddress: nobody }) },
    ],
    [
      'POST /multipliers/update',
      '/multipliers/update',
      200,
      { headers: token, body: JSON.stringify({ poolAddress: pools.daiEth, deposit_tokenA: 1 }) },
    ],
    [
      'POST /multipliers/update',
      '/multipliers/update',
      413,
      { headers: token, body: ' '.repeat(1024 * 1024 + 1) },
    ],
  ]

  /** It compiles each schema of the document once. */
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ;(ajvFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  beforeAll(() => {
    ajv.addSchema({ $id: 'openapi', components: document.components })
  })

  it.each(calls)('%s: %s answers %i', async (name, path, status, init = {}) => {
    const [method = '', template = ''] = name.split(' ')
    const response = await fetch(gateway.base + path, { method, ...init })
    const body = await response.json()
    expect(response.status).toBe(status)
    const declared = document.paths[template][method.toLowerCase()].responses[status]
    expect(declared, `${name} does not declare ${status}`).toBeDefined()
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    const schema = declared.content[type]?.schema
    expect(schema, `${name} ${status} does not declare ${type}`).toBeDefined()
    const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
    fits(body)
    expect(fits.errors ?? []).toEqual([])
  })

  it('are all covered: every operation with JSON has a call that succeeds, or is manualupdate', () => {
    const succeeded = new Set(calls.filter(([, , status]) => status < 300).map(([name]) => name))
    expect(documented.filter((name) => !succeeded.has(name))).toEqual([
      'GET /',
      'POST /points/manualupdate',
    ])
  })
})

describe('what any request may get is declared for each operation', () => {
  let limited: Gateway
  beforeAll(async () => {
    limited = await startGateway({ on: gateway, env: { RATE_LIMIT: '1' } })
  })
  afterAll(() => limited?.close())

  const isProbe = (path: string) => ['/health', '/livez', '/readyz', '/metrics'].includes(path)
  const urlOf = (path: string, address: string) => path.replace('{address}', address)
  const declared = ({ operation }: Operation, response: Response) => {
    const schema = operation.responses[response.status]
    expect(schema, `${operation.operationId} ${response.status}`).toBeDefined()
    const type = response.headers.get('content-type')?.split(';')[0] ?? ''
    if (response.status !== 304)
      expect(Object.keys(schema.content), operation.operationId).toContain(type)
    for (const name of Object.keys(schema.headers ?? {}))
      if (name !== 'x-data-version')
        expect(response.headers.has(name), `${operation.operationId} ${name}`).toBe(true)
    return response.status
  }
  const send = (
    { name, path }: Operation,
    to: Gateway,
    search = '',
    headers: Record<string, string> = {},
  ) =>
    fetch(to.base + urlOf(path, ada) + search, {
      method: name.split(' ')[0] as string,
      headers: { 'cache-control': 'no-cache', ...headers },
    })

  it.each(['?x=%ff', '?x=%', '?%C3%28=1', '?x=%ED%A0%80'])(
    'a 400 for a URL that is not UTF-8: %s',
    async (search) => {
      for (const one of operations()) {
        const response = await send(one, gateway, search, { origin: 'https://wallet.example' })
        expect(response.headers.get('access-control-allow-origin'), one.name).toBe('*')
        expect(declared(one, response), one.name).toBe(400)
      }
    },
  )

  it('a 400 for a path that is not UTF-8', async () => {
    for (const one of operations().filter(({ path }) => path.includes('{')))
      expect(declared(one, await fetch(gateway.base + urlOf(one.path, '%ff'))), one.name).toBe(400)
  })

  it('a 400 for a header that is wrong', async () => {
    for (const one of operations())
      expect(
        declared(one, await send(one, gateway, '', { 'x-data-version': 'new' })),
        one.name,
      ).toBe(400)
  })

  it('a 304 for a tag that matches', async () => {
    for (const one of operations().filter(
      ({ name, path }) => name.startsWith('GET') && !isProbe(path),
    )) {
      const search = /rewards$/.test(one.path) ? `?market=${markets.first}&vault=${vault}` : ''
      const tag = (await send(one, gateway, search)).headers.get('etag') ?? expect.fail(one.name)
      expect(
        declared(one, await send(one, gateway, search, { 'if-none-match': tag })),
        one.name,
      ).toBe(304)
    }
  })

  it('a 429 with RATE_LIMIT, but for probes', async () => {
    for (const one of operations()) {
      const response = await vi.waitFor(
        async () => {
          const response = await send(one, limited)
          if (!isProbe(one.path)) expect(response.status, one.name).toBe(429)
          return response
        },
        { timeout: 5000 },
      )
      expect(declared(one, response), one.name).toBe(isProbe(one.path) ? 200 : 429)
    }
  })
})

describe('/docs/rest', () => {
  it('is a page', async () => {
    const response = await gateway.get('/docs/rest')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  })

  it('loads nothing from another host', async () => {
    const page = await gateway.get('/docs/rest')
    const html = await page.text()
    const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      (match) => new URL(match[1] as string, page.url),
    )
    const loaded = urls.filter(({ protocol }) => protocol !== 'data:')
    expect(loaded.length).toBeGreaterThan(0)
    for (const url of loaded) {
      expect(url.origin).toBe(gateway.base)
      const file = await fetch(url)
      await file.arrayBuffer()
      expect(file.status, url.pathname).toBe(200)
    }
    expect(html).not.toMatch(/(?:@import|url\()\s*['"]?https?:/)
  })
})
