import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as consumers from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { freePort } from '../fire/redis-server.ts'
import { hasBrowser, openBrowser } from '../support/browser.ts'
import { serve } from '../support/command-line.ts'
import { subscribe } from '../support/events.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

/** A gateway behind the proxies of src/deploy, without TLS. */

const DEPLOY = join(import.meta.dirname, '../../src/deploy')

interface Place {
  port: number
  /** The hosts and ports of one gateway, or two. */
  gateways: string[]
  directory: string
}

interface Proxy {
  program: string
  file: string
  /** The file of the guide in another place. */
  placed(file: string, place: Place): string
  args(path: string): string[]
  /**
   * Changes of its file that serve the gateway below /lending: the proxy strips the prefix, or not.
   */
  prefixed: Record<string, (file: string) => string>
  /** True if it sends another gateway what one has left unanswered. */
  repeats: boolean
}

const proxies: Record<string, Proxy> = {
  nginx: {
    program: '/usr/sbin/nginx',
    file: 'nginx.conf',
    placed(file, { port, gateways, directory }) {
      const site = file
        .replace(/listen .*;/, `listen 127.0.0.1:${port};`)
        .replace(/ssl_certificate.*;/g, '')
        .replace('127.0.0.1:4000', gateways[0] ?? '')
        .replace('# server 127.0.0.1:4001', gateways[1] ? `server ${gateways[1]}` : '#')
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const paths = temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')
      const user = process.getuid?.() === 0 ? 'user root;' : ''
      return `${user} daemon off; pid ${directory}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths}\n${site}}`
    },
    args: (path) => ['-c', path],
    prefixed: {
      kept: (file) => file.replace('location / {', 'location /lending/ {'),
      stripped: (file) =>
        file
          .replace('location / {', 'location /lending/ {')
          .replace('proxy_pass http://gateway;', 'proxy_pass http://gateway/;')
          .replace('location = /metrics', 'location = /lending/metrics'),
    },
    repeats: true,
  },
  Caddy: {
    program: '/usr/bin/caddy',
    file: 'Caddyfile',
    placed(file, { port, gateways }) {
      const site = file
        .replace('points.example.org', `http://127.0.0.1:${port}`)
        .replace('127.0.0.1:4000', gateways[0] ?? '')
      return `{\n\tadmin off\n}\n${site}`
    },
    args: (path) => ['run', '--adapter', 'caddyfile', '--config', path],
    prefixed: { kept: (file) => file.replace('reverse_proxy ', 'reverse_proxy /lending/* ') },
    repeats: false,
  },
}

interface ProxyServer {
  base: string
  close(): Promise<void>
}

let directory: string
let gateway: Gateway
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-proxy-'))
  gateway = await startGateway({ env: { TRUST_PROXY: '1', RATE_LIMIT: '1000' } })
})
afterAll(async () => {
  await gateway.close()
  await rm(directory, { recursive: true, force: true })
})

/** Other spellings of the path of metrics, as they arrive on the wire. */
const SPELLINGS = [
  ...[
    '/metrics',
    '/METRICS',
    '/metrics/',
    '/Metrics//',
    '//metrics',
    '/%6detrics',
    '/%6Detric%73',
    '/metrics%2f',
  ],
  ...[
    '/./metrics',
    '/x/../metrics',
    '/x/%2e%2e/metrics',
    '/metrics/.',
    '/metrics;x',
    '/metrics;x=1?y',
    '/metrics%20',
  ],
  ...[
    '/metrics%00',
    '/metrics%3f',
    '/metrics#x',
    '/%2fmetrics',
    '/metrics?x=1',
    'http://a/metrics',
    'http://a/METRICS',
  ],
]

/** Sends a request whose path is sent as it is. */
async function getText(base: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname: host, port, pathname } = new URL(base)
  const below = pathname === '/' || !path.startsWith('/') ? path : `${pathname}${path}`
  const [response] = await once(request({ host, port, path: below }).end(), 'response')
  return { status: response.statusCode, text: await consumers.text(response) }
}

const OPERATED = ['/metrics', '/livez', '/readyz']

test.each(OPERATED)('the gateway serves %s at this path alone', async (path) => {
  const first = `%${path.charCodeAt(1).toString(16)}`
  for (const exact of [path, `${path}?x=1`])
    expect((await getText(gateway.base, exact)).status).toBe(200)
  for (const other of [
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    `/${first}${path.slice(2)}`,
    `${path}#x`,
  ])
    expect((await getText(gateway.base, other)).status, other).toBe(404)
  for (const other of SPELLINGS)
    if (!/^\/metrics(\?|$)/.test(other))
      expect((await getText(gateway.base, other)).status).not.toBe(200)
  expect((await getText(gateway.base, '/Health/')).status).toBe(200)
})

const JSON_BODY = { 'content-type': 'application/json' }
const CHANGES = 'subscription { dataChanged { version } }'

describe.each(Object.entries(proxies))(
  '%s',
  (name, { program, file, placed, args, prefixed, repeats }) => {
    const isHere = existsSync(program)
    const on = (what: string) => `${what}${isHere ? '' : ` (skipped: no ${name})`}`
    let proxy: ProxyServer
    let base: string

    /** Starts the proxy in front of gateways. */
    async function startProxy(
      gateways: string[],
      adapt = (file: string) => file,
    ): Promise<ProxyServer> {
      const port = await freePort()
      const folder = await mkdtemp(join(directory, 'proxy-'))
      const path = join(folder, file)
      const written = adapt(await readFile(join(DEPLOY, file), 'utf8'))
      await writeFile(path, placed(written, { port, gateways, directory: folder }))
      const child = spawn(program, args(path), { stdio: 'ignore', env: { HOME: folder } })
      const at = `http://127.0.0.1:${port}`
      await vi.waitFor(() => fetch(at), 20_000)
      return {
        base: at,
        async close() {
          child.kill()
          await once(child, 'close')
        },
      }
    }

    beforeAll(async () => {
      if (!isHere) return
      proxy = await startProxy([new URL(gateway.base).host])
      base = proxy.base
    })
    afterAll(() => proxy?.close())

    test.skipIf(!isHere)(on('passes answers on, and hides metrics'), async () => {
      const query = encodeURIComponent('{ leaderboard { nodes { rank } } }')
      const answer = await fetch(`${base}/graphql?query=${query}`)
      expect(await answer.json()).toEqual({ data: { leaderboard: { nodes: [] } } })
      expect((await fetch(`${base}/pools/all`)).headers.get('etag')).toBeTruthy()
      expect((await fetch(`${gateway.base}/metrics`)).status).toBe(200)
      expect((await fetch(`${base}/metrics`)).status).toBe(404)
    })

    test.skipIf(!isHere)(on('hides metrics however their path is spelled'), async () => {
      for (const path of SPELLINGS)
        expect((await getText(base, path)).text, path).not.toContain('gateway_')
      expect((await getText(base, '/Pools/All/')).status).toBe(201)
    })

    test.skipIf(!isHere || !hasBrowser).each(Object.entries(prefixed))(
      on('serves all pages below a prefix, which is %s'),
      async (_, adapt) => {
        const sample = await startOnSample({
          users: 20,
          days: 4,
          env: { BASE_PATH: '/lending', TRUST_PROXY: '1' },
        })
        const behind = await startProxy([new URL(sample.base).host], adapt)
        const at = `${behind.base}/lending`
        const browser = await openBrowser(at)
        const wrong: string[] = []
        browser.context.on(
          'console',
          (message) => message.type() === 'error' && wrong.push(message.text()),
        )
        browser.context.on('response', (one) => !one.url().startsWith(at) && wrong.push(one.url()))
        const open = async (path: string) => {
          const page = await browser.context.newPage()
          await page.goto(`${at}${path}`)
          return page
        }
        try {
          const dashboard = await open('/dashboard')
          await dashboard.getByRole('link', { name: 'Pools', exact: true }).click()
          await dashboard.getByRole('table', { name: 'Pools' }).locator('tbody a').first().click()
          await dashboard.locator('.live[data-connected=true]').waitFor({ state: 'attached' })
          expect(dashboard.url()).toContain(`${at}/dashboard/pools/0x`)
          await dashboard.getByRole('link', { name: 'Open in GraphiQL' }).click()
          await dashboard.getByRole('button', { name: /Execute query/ }).click()
          await dashboard.getByText('"data": {').first().waitFor()
          const rest = await open('/docs/rest')
          await rest.getByText('/pools/all').first().click()
          await rest.getByRole('button', { name: 'Execute' }).click()
          await rest
            .locator('.live-responses-table')
            .getByText('201', { exact: true })
            .first()
            .waitFor()
          const docs = await open('/docs/start')
          expect(await docs.locator('main').textContent()).toContain(at)
          await docs.getByRole('button', { name: 'Search' }).click()
          await docs.getByRole('searchbox').fill('metrics')
          await docs.locator('dialog ol a').first().click()
          await docs.waitForURL(`${at}/docs/**`)
          const client = createClient({
            url: `${at.replace('http', 'ws')}/graphql`,
            webSocketImpl: WebSocket,
          })
          expect(
            (await client.iterate<any>({ query: CHANGES }).next()).value.data.dataChanged.version,
          ).toBeTruthy()
          await client.dispose()
          for (const path of SPELLINGS)
            expect((await getText(at, path)).text, path).not.toContain('gateway_')
          expect(wrong).toEqual([])
        } finally {
          await browser.close()
          await behind.close()
          await sample.close()
        }
      },
      240_000,
    )

    test.skipIf(!isHere)(on('passes each event of a stream on at once'), async () => {
      const stream = await subscribe({ base }, CHANGES)
      const before = (await stream.next()).data.dataChanged.version
      await gateway.deps.store.pool.query(`UPDATE program SET total_points = total_points + 1`)
      expect(Number((await stream.next()).data.dataChanged.version)).toBeGreaterThan(Number(before))
      stream.leave()
    })

    test.skipIf(!isHere)(on('passes WebSockets on'), async () => {
      const client = createClient({
        url: `${base.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
      })
      const changes = client.iterate<any>({ query: CHANGES })
      const before = (await changes.next()).value.data.dataChanged.version
      await gateway.deps.store.pool.query(`UPDATE program SET total_points = total_points + 1`)
      expect(Number((await changes.next()).value.data.dataChanged.version)).toBeGreaterThan(
        Number(before),
      )
      await client.dispose()
    })

    test.skipIf(!isHere)(on('says who the client is, whatever the client says'), async () => {
      const limitOf = async (localAddress: string, named: string) => {
        const sent = request(`${base}/pools/all`, {
          localAddress,
          headers: { 'x-forwarded-for': named },
        }).end()
        const [response] = await once(sent, 'response')
        response.resume()
        const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(response.headers.ratelimit) ?? []
        return { left: Number(left), seconds: Number(seconds) }
      }
      const all = async () => [
        await limitOf('127.0.0.7', '203.0.113.1'),
        await limitOf('127.0.0.7', '203.0.113.2'),
        await limitOf('127.0.0.8', '203.0.113.1'),
      ]
      let [one, again, other] = await all()
      // Points are counted by the minute.
      if (Number(other?.seconds) > Number(one?.seconds)) [one, again, other] = await all()
      expect(Number(again?.left)).toBeLessThan(Number(one?.left))
      expect(Number(other?.left)).toBeGreaterThan(Number(again?.left))
    })

    if (!repeats) return
    test.skipIf(!isHere)(
      on('loses no request while gateways are restarted one after the other'),
      async () => {
        const env = { DATABASE_URL: String(gateway.deps.config.DATABASE_URL), TRUST_PROXY: '1' }
        const ports = [await freePort(), await freePort()]
        const start = (at: number) => serve({ ...env, PORT: String(ports[at]) })
        const gateways = [await start(0), await start(1)]
        const behind = await startProxy(ports.map((port) => `127.0.0.1:${port}`))
        const seen = new Map<string, number>()
        let isOn = true
        const keepReading = async (method: string) => {
          while (isOn) {
            const query = `{ leaderboard(first: ${1 + (Number(seen.get(`${method} 200`) ?? 0) % 90)}) { nodes { rank } } }`
            const answer = await fetch(
              `${behind.base}/graphql${method === 'GET' ? `?query=${encodeURIComponent(query)}` : ''}`,
              {
                method,
                ...(method === 'POST' && { headers: JSON_BODY, body: JSON.stringify({ query }) }),
              },
            )
            await answer.text()
            await setTimeout(10)
            const outcome = `${method} ${answer.status}`
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
          }
        }
        const clients = ['GET', 'POST', 'GET', 'POST'].map(keepReading)
        for (const at of [0, 1, 0, 1]) {
          await gateways[at]?.stop('SIGTERM')
          gateways[at] = await start(at)
        }
        isOn = false
        await Promise.all(clients)
        await behind.close()
        for (const one of gateways) await one.stop('SIGTERM')
        expect([...seen.keys()].sort()).toEqual(['GET 200', 'POST 200'])
      },
      240_000,
    )
  },
)

const hasOpenssl = existsSync('/usr/bin/openssl')
test.skipIf(!existsSync('/usr/sbin/nginx') || !hasOpenssl)(
  'the file of nginx is valid with its certificates',
  async () => {
    const [key, certificate] = [join(directory, 'key'), join(directory, 'certificate')]
    const made = [
      'req',
      '-x509',
      '-nodes',
      '-newkey',
      'rsa:2048',
      '-subj',
      '/CN=points.example.org',
      '-days',
      '1',
    ]
    execFileSync('openssl', [...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
    const file = (await readFile(join(DEPLOY, 'nginx.conf'), 'utf8'))
      .replace('/etc/ssl/points.example.org.pem', certificate)
      .replace('/etc/ssl/points.example.org.key', key)
    const path = join(directory, 'whole.conf')
    await writeFile(
      path,
      `pid ${directory}/whole.pid; error_log stderr; events {}\nhttp { ${file} }`,
    )
    execFileSync('/usr/sbin/nginx', ['-t', '-q', '-c', path], { stdio: 'pipe' })
  },
)
