import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { entities } from '../support/legs.ts'
import { importFiles } from '../support/one-pool.ts'
import {
  answerJson,
  type FakeServer,
  type SourceRequest,
  startServer,
} from '../support/positions-server.ts'

/** In every part of the URLs of sources, and in their keys. */
const MARKER = 'm4rk3r'
const PATH = `/api/path${MARKER}/sub`

let store: Gateway
let dir: string
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  store = await startGateway()
  await importFiles(store, entities)
  dir = await mkdtemp(join(tmpdir(), 'gateway-secrets-'))
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

const urlOf = ({ base }: FakeServer) =>
  `${base.replace('//', `//user${MARKER}:pass${MARKER}@`)}${PATH}?token=query${MARKER}`

/** Everything that a gateway shows of its sources. */
async function shownBy(gateway: Gateway): Promise<string> {
  const query = `{ status { legs { leg source } } runs(first: 100) { nodes { kind error sources { name } } } }`
  const answer = await gateway.graphql(query)
  expect(answer.errors).toBeUndefined()
  const texts = [JSON.stringify(answer)]
  for (const path of ['/metrics', '/health', '/points/reports'])
    texts.push(await (await gateway.get(path)).text())
  return texts.join('\n')
}

const ECHOES: [string, (request: SourceRequest, response: ServerResponse) => unknown][] = [
  ['an error', ({ url }, response) => answerJson(response, { message: `No ${url}` }, 400)],
  [
    'a failure',
    ({ url }, response) => answerJson(response, { errors: [{ message: `${url} is down` }] }, 500),
  ],
  [
    'a GraphQL error',
    ({ url, headers }, response) =>
      answerJson(response, {
        errors: [{ message: `no field at ${url} for ${headers.authorization}` }],
      }),
  ],
  [
    'text',
    ({ url, headers }, response) => response.end(`Cannot GET ${url} ${headers.authorization}`),
  ],
  [
    'HTML',
    ({ url }, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${url}`),
  ],
  [
    'a redirect',
    ({ url }, response) =>
      response.writeHead(302, { location: `http://other.example${url}` }).end(),
  ],
  [
    'a broken redirect',
    ({ url }, response) => response.writeHead(302, { location: `http://:${url}` }).end(),
  ],
  ['no HTTP', ({ url }, response) => response.socket?.end(`${url}\r\n\r\n`)],
]

test.each(ECHOES)('a source that echoes its URL in %s shows no part of it', async (_, echo) => {
  const server = await startServer(echo)
  open.push(server)
  const env = {
    POSITIONS_SOURCE: urlOf(server),
    POSITIONS_SOURCE_KEY: `key${MARKER}`,
    PRICES_SOURCE: urlOf(server),
    ANALYTICS_SOURCE: urlOf(server),
    ANALYTICS_SOURCE_KEY: `key${MARKER}`,
    ANALYTICS_SOURCE_CASH_FLOWS: `postgres://user${MARKER}:pass${MARKER}@127.0.0.1:1/db${MARKER}?x=query${MARKER}`,
    ANALYTICS_MAPPING: join(dir, 'mapping.json'),
    SOURCE_RETRIES: '1',
    SOURCE_TIMEOUT_MS: '2000',
  }
  await writeFile(
    env.ANALYTICS_MAPPING,
    JSON.stringify({ 'cash-flows': { query: 'SELECT 1' }, prices: {} }),
  )
  const logged: object[] = []
  const gateway = await startGateway({ on: store, env, onLog: (line) => logged.push(line) })
  open.push(gateway)
  const texts: string[] = []
  for (const format of ['auto', 'files', 'graphql', 'rest']) {
    const settings = {
      ...env,
      POSITIONS_SOURCE_FORMAT: format,
      DATABASE_URL: store.deps.config.DATABASE_URL as string,
    }
    const { out, err } = await command(['manualupdate', '--date', '2026-03-02'], settings)
    texts.push(out, err)
  }
  const settings = { ...env, DATABASE_URL: store.deps.config.DATABASE_URL as string }
  for (const args of [
    ['update'],
    ['import', urlOf(server)],
    ['config'],
    ['config', '--json'],
    ['doctor'],
    ['runs'],
  ]) {
    const { out, err } = await command(args, settings)
    texts.push(out, err)
  }
  texts.push(await shownBy(gateway), JSON.stringify(logged))
  const exported = await mkdtemp(join(dir, 'export-'))
  texts.push((await command(['export', exported], settings)).err)
  for (const name of await readdir(exported))
    texts.push(await readFile(join(exported, name), 'utf8'))
  const all = texts.join('\n')
  expect(all).toContain(server.base.replace('http://', ''))
  expect(all.toLowerCase()).not.toContain(MARKER)
})
