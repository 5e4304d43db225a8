import { once } from 'node:events'
import { request } from 'node:http'
import * as consumers from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleUser } from '../../src/sample/index.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** Where clients reach a gateway: its origin in documents, and the prefix of its paths. */

const WRITTEN = 'http://127.0.0.1:4000'

/** Sends a request with another host. */
async function getText({ base }: Gateway, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(base)
  const [response] = await once(request({ hostname, port, path, headers }).end(), 'response')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: await consumers.text(response),
  }
}

describe('documents', () => {
  let gateway: Gateway
  let proxied: Gateway
  let newest: string
  beforeAll(async () => {
    gateway = await startOnSample({ users: 20, days: 4 })
    proxied = await startGateway({ on: gateway, env: { TRUST_PROXY: '1' } })
    newest = (await gateway.ask('{ distributions(first: 1) { nodes { date } } }')).distributions
      .nodes[0].date
  })
  afterAll(async () => {
    await proxied?.close()
    await gateway?.close()
  })

  test.each(['/docs/start', '/docs/data-analyst', '/docs/llms-full.txt', '/docs/search.json'])(
    '%s has the origin that was asked, and the newest date of the store',
    async (path) => {
      const { text } = await getText(gateway, path, { host: 'points.example.org' })
      expect(text).not.toContain(WRITTEN)
      expect(text).toContain('http://points.example.org')
      // Moved dates may be that of the documents' sample, but are not as many.
      const times = (date: string) => text.split(date).length
      expect(times(newest)).toBeGreaterThan(times('2026-11-20'))
      if (path.endsWith('.json')) expect(() => JSON.parse(text)).not.toThrow()
    },
  )

  test('no answer has the origin of another request', async () => {
    const tags = new Set<string>()
    for (const host of ['a.example', 'b.example:8080', '[::1]:4000', 'a.example']) {
      const { text, headers } = await getText(gateway, '/docs/data-analyst', { host })
      const origins = new Set([
        ...text.matchAll(/https?:\/\/(a\.example|b\.example:8080|\[::1\]:4000)(?=\/|<|\s|$)/g),
      ])
      expect(new Set([...origins].map(([, found]) => found))).toEqual(new Set([host]))
      tags.add(String(headers.etag))
      const again = await getText(gateway, '/docs/data-analyst', {
        host,
        'if-none-match': String(headers.etag),
      })
      expect(again.status).toBe(304)
    }
    expect(tags.size).toBe(3)
  })

  test.each([
    '"><script>alert(1)</script>',
    'a b',
    'a/b',
    'user@evil.example',
    'a:b',
    'a.example:123456',
    '$&',
    'ä',
  ])('a host that is not valid is not printed: %s', async (host) => {
    const { status, text } = await getText(proxied, '/docs/data-analyst', {
      'x-forwarded-host': encodeURI(host),
    })
    expect(status).toBe(200)
    expect(text).toContain(WRITTEN)
    expect(text).not.toContain('<script>alert')
  })

  test('forwarded headers count if a trusted proxy sends them', async () => {
    const headers = {
      host: 'inner:1',
      'x-forwarded-host': 'points.example.org',
      'x-forwarded-proto': 'https',
    }
    expect((await getText(proxied, '/docs', headers)).text).toContain('https://points.example.org')
    const spoofed = await getText(gateway, '/docs', headers)
    expect(spoofed.text).toContain('http://inner:1')
    expect(spoofed.text).not.toContain('points.example.org')
    const appended = { ...headers, 'x-forwarded-host': 'evil.example, points.example.org' }
    expect((await getText(proxied, '/docs', appended)).text).not.toContain('evil.example')
  })

  test('an empty store leaves the dates as they are written', async () => {
    const empty = await startGateway()
    expect((await getText(empty, '/docs/data-analyst', { host: 'a.example' })).text).toContain(
      '2026-11-20',
    )
    await empty.close()
  })
})

describe('with BASE_PATH', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startOnSample({ users: 20, days: 4, env: { BASE_PATH: '/lending/' } })
  })
  afterAll(() => gateway?.close())

  test.each(['/lending', ''])('paths begin with %s', async (prefix) => {
    for (const path of [
      '/',
      '/docs',
      '/docs/cli',
      '/docs/rest',
      '/dashboard',
      '/dashboard/pools',
      '/graphql',
    ]) {
      const { status, text } = await getText(gateway, `${prefix}${path}`, { accept: 'text/html' })
      expect(status, path).toBe(200)
      const links = [...text.matchAll(/\b(?:href|src)="(\/[^"]*)"/g)].map(([, link = '']) => link)
      expect(links.length, path).toBeGreaterThan(0)
      for (const link of links) expect(link, path).toMatch(/^\/lending\//)
      const files = links.filter((link) => link.includes('/assets/'))
      for (const file of files)
        expect((await getText(gateway, file.replace('/lending', prefix))).status, file).toBe(200)
    }
    const rest = await getText(gateway, `${prefix}/points/${sampleUser}`)
    expect(rest.headers.link).toMatch(/^<\/lending\/graphql\?documentId=/)
    const twin = /<\/lending([^>]*)>/.exec(String(rest.headers.link))?.[1]
    expect(JSON.parse((await getText(gateway, `${prefix}${twin}`)).text).errors).toBeUndefined()
    expect(JSON.parse((await getText(gateway, `${prefix}/openapi.json`)).text).servers).toEqual([
      { url: '/lending' },
    ])
    expect((await getText(gateway, `${prefix}/docs/rest/json`)).headers.location).toBe(
      '/lending/openapi.json',
    )
    const list = (await getText(gateway, `${prefix}/docs/llms.txt`)).text
    for (const [, link] of list.matchAll(/\]\((.*?)\)/g)) expect(link).toMatch(/^\/lending\//)
    const { text } = await getText(gateway, `${prefix}/docs/data-analyst`, {
      host: 'points.example.org',
    })
    expect(text).toContain('http://points.example.org/lending')
  })

  test('paths for operators have no prefix', async () => {
    for (const path of ['/metrics', '/livez', '/readyz']) {
      expect((await getText(gateway, path)).status).toBe(200)
      expect((await getText(gateway, `/lending${path}`)).status).toBe(404)
    }
    expect((await getText(gateway, '/lending/health')).status).toBe(200)
    for (const path of ['/lendings/health', '/Lending/health', '/lending/lending/health'])
      expect((await getText(gateway, path)).status, path).toBe(404)
  })

  test.each(['lending', '/docs', '/graphql/x', '/a b', '/..', '/a//b', '/a?b'])(
    'it is not %s',
    async (value) => {
      await expect(startGateway({ env: { BASE_PATH: value } })).rejects.toThrow(
        'BASE_PATH must be a path like /lending, and not one of the gateway',
      )
    },
  )
})
