import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WRITTEN } from '../../src/http/page-text.ts'
import { samplePool, sampleUser } from '../../src/sample/index.ts'
import { isInstalled, openRedis } from '../fire/redis-server.ts'
import { subscribe } from '../support/events.ts'
import { directoryInMemory } from '../support/memory.ts'
import { startPositions, startPrices, startServer } from '../support/positions-server.ts'
import { startOnSample } from '../support/sample.ts'
import { openStore } from '../support/store.ts'
import { type Block, documents, ROOT } from './markdown.ts'

/** The commands and examples of the documents run, and answer what is written there. */

/**
 * npm takes longer to start than the program, so the first command is run by npm, and the others as
 * npm would.
 */
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const withoutNpm = (command: string) =>
  command.replaceAll(
    /npm run (?:-s |--silent )?gateway -- /g,
    `${scripts.gateway.replace(/^.* && exec /, '')} `,
  )

const run = promisify(execFile)

/** What a document says to start, which is not started here. */
const NOT_RUN: Record<string, string> = {
  'npm ci': 'replaces the packages that run this test: CI begins with it',
  'npm test': 'CI runs it',
  'npm run test:all': 'runs this test',
  'npm run dev': 'test/cli/dev.test.ts runs it',
  'npm run verify': 'is a part of npm run test:all',
  'npm run test:fire': 'CI runs it',
}

/** True for the command that runs this test now: it would run itself for ever. */
const isRunning = (command: string) =>
  command === 'npm run test:changed' && process.env.TESTS_OF_CHANGES === 'true'

/** Words of blocks that are run elsewhere, or that need what a test has not. */
const NOT_HERE: Record<string, string> = {
  'docker compose': 'needs a Docker daemon',
  'my-protocol': 'test/docs/your-protocol.test.ts takes these steps',
  'receiver.mjs': 'test/hooks/hooks.test.ts takes these steps',
  'publish /srv': 'test/tables/publish.test.ts takes these steps',
  systemctl: 'needs systemd',
  kubectl: 'needs a cluster',
  'roles.sql': 'test/deploy/roles.test.ts runs it',
  pg_dump: 'test/deploy/backup.test.ts runs it',
  'tar -czf': 'test/deploy/backup.test.ts runs it',
}
const isHere = ({ text }: Block) => !Object.keys(NOT_HERE).some((word) => text.includes(word))

const fixture = join(ROOT, 'test/fixtures/contract')
const hasRedis = isInstalled('redis-server')

/** The program that a block needs and this machine lacks. */
function missingFor({ text }: Block): string | undefined {
  if (text.includes('redis://') && !hasRedis) return 'redis-server'
  return text.includes('jq ') && !isInstalled('jq') ? 'jq' : undefined
}

const closing: (() => unknown)[] = []
/** What stands for the addresses and directories of examples. */
const standIns: Record<string, string> = {
  'import DIR': `import ${fixture}`,
  'ADMIN_TOKEN=...': 'ADMIN_TOKEN=0123456789abcdef',
}

/** The setting that says where a store is. */
type Store = { DATA_DIR: string } | { DATABASE_URL: string }

interface Started {
  base: string
  stop(): Promise<void>
}
/** What `npm start` serves: the sample on an embedded Postgres. */
let sample: Started
let sampleStore: Store
/** By how many days the sample is newer than what is written. */
let shift: number

beforeAll(async () => {
  sampleStore = { DATA_DIR: await newDirectory() }
  const before = dayBefore(new Date())
  sample = await startShell('npm start', sampleStore)
  const query = encodeURIComponent('{ distributions(first: 1) { nodes { date } } }')
  const { data } = (await (await fetch(`${sample.base}/graphql?query=${query}`)).json()) as Newest
  const newest = String(data.distributions.nodes[0]?.date).slice(0, 10)
  expect([before, dayBefore(new Date())]).toContain(newest)
  shift = (Date.parse(newest) - Date.parse(WRITTEN.last)) / 86_400_000
  await vi.waitFor(
    async () =>
      expect(
        (
          await askSample(
            `{ leaderboard(scope: { asOf: "${ofToday('2026-11-19')}" }) { totalCount } }`,
          )
        ).errors,
      ).toBeUndefined(),
    { timeout: 60_000, interval: 200 },
  )
}, 300_000)
afterAll(async () => {
  for (const close of closing.reverse()) await close()
}, 60_000)

interface Newest {
  data: { distributions: { nodes: { date: string }[] } }
}

/** What is written, with the dates that the sample has now. */
const ofToday = (text: string) =>
  text.replace(/\b\d{4}-\d\d-\d\d(?!\d)/g, (date) => {
    if (date < WRITTEN.first || date > WRITTEN.last) return date
    return new Date(Date.parse(date) + shift * 86_400_000).toISOString().slice(0, 10)
  })

const dayBefore = (date: Date) => new Date(date.getTime() - 86_400_000).toISOString().slice(0, 10)

async function newDirectory(): Promise<string> {
  const path = await directoryInMemory('gateway-docs-')
  closing.push(() => rm(path, { recursive: true, force: true }))
  return path
}

/**
 * A store without records. It is not embedded, since starting a server for each block takes most of
 * its time.
 */
async function newStore(): Promise<Store> {
  const database = await openStore()
  closing.push(() => database.close())
  return { DATABASE_URL: database.url }
}

/** The environment of a reader's shell. */
function environment(store: Store) {
  const { PATH, HOME } = process.env
  return { PATH, HOME, ...store, PORT: '0', LOG_LEVEL: 'error', npm_config_loglevel: 'silent' }
}

/** A command in a shell, with all that it starts. */
function shell(
  command: string,
  store: Store,
): { child: ChildProcess; out(): string; all(): string } {
  const child = spawn('bash', ['-c', command], {
    cwd: ROOT,
    env: environment(store),
    detached: true,
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    err += data
  })
  return { child, out: () => out, all: () => out + err }
}

/** Runs a command, which must succeed. @returns what it prints */
async function runShell(command: string, store: Store): Promise<string> {
  const { child, out, all } = shell(command, store)
  const [code] = await once(child, 'close')
  expect(code, `${command}\n${all()}`).toBe(0)
  return out()
}

/** Starts a gateway, and waits until it serves. */
async function startShell(command: string, store: Store): Promise<Started> {
  const { child, all } = shell(command, store)
  const ended = once(child, 'close')
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${command} ended by itself:\n${all()}`)
    process.kill(-(child.pid as number), 'SIGTERM')
    await ended
  }
  closing.push(stop)
  const listening = vi.waitFor(
    () => {
      const [, address] = /gateway on (http:\S+)/.exec(all()) ?? []
      expect(address, all()).toBeDefined()
      return address as string
    },
    { timeout: 240_000, interval: 100 },
  )
  const base = await Promise.race([listening, ended.then(() => Promise.reject(new Error(all())))])
  expect((await fetch(`${base}/health`)).status).toBe(200)
  return { base, stop }
}

/** The commands of a block: lines belong together until the shell understands them. */
function commandsOf({ text }: Block): string[] {
  // A function is known in its shell only.
  if (/^\w+\(\) \{/m.test(text)) return [text]
  const commands: string[] = []
  let command = ''
  for (const line of text.split('\n')) {
    command += command === '' ? line : `\n${line}`
    if (command.endsWith('\\') || !isWhole(command)) continue
    commands.push(
      ...(command.startsWith('npm') ? command.replace(/\s+#.*/, '').split(' && ') : [command]),
    )
    command = ''
  }
  return commands
}

function isWhole(command: string): boolean {
  try {
    execFileSync('bash', ['-n', '-c', command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function replaced(command: string, base: string): string {
  const all = { 'http://127.0.0.1:4000': base, ...standIns }
  return Object.entries(all).reduce(
    (text, [written, stands]) => text.replaceAll(written, stands),
    ofToday(command),
  )
}

/** The block with the answer to another, which follows it. */
const answerTo = (block: Block) => {
  const next = blocks[blocks.indexOf(block) + 1]
  return next && ANSWERS.has(next.language) && next.path === block.path ? next : undefined
}

/** Compares JSON, or text line by line. What is written as … may be anything. */
function expectAnswer(got: string, { at, language, text }: Block): void {
  const written = ofToday(text)
  if (language === 'json') {
    const anything = (_: string, value: unknown) => (value === '…' ? expect.anything() : value)
    expect(JSON.parse(got), at).toEqual(JSON.parse(written, anything))
  } else {
    const escaped = written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    expect(`${got.trimEnd()}\n`, at).toMatch(
      new RegExp(`^${escaped.replace(/\n…(?=\n|$)/g, '(\n.*)*').replaceAll('…', '.*')}\n$`),
    )
  }
}

const STARTS = /\bnpm start\b|gateway -- serve\b/
/**
 * The languages of blocks that are compiled by test/client, shown as examples of other programs,
 * generated, or files of test/docs/your-protocol. A drawing has none.
 */
const ELSEWHERE = ['ts', 'tsx', 'sql', 'jsonl', 'jsonc', 'yaml', '']
/** The languages of answers. */
const ANSWERS = new Set(['json', 'text'])
const blocks = documents.flatMap((document) => document.blocks)
const inLanguage = (language: string) => blocks.filter((block) => block.language === language)

test('every block is in a language whose blocks are tested', () => {
  const languages = ['sh', 'graphql', 'js', 'python', ...ANSWERS, ...ELSEWHERE]
  expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(languages.sort())
})

test('the sample has one chain that is late, and one failed run', async () => {
  const { data, errors } = await askSample(`{
    status { chains { chainId late } lastRun { kind status requestedBy error } }
    runs(first: 10, where: { statuses: [FAILED] }) { nodes { date } }
  }`)
  expect(errors).toBeUndefined()
  const { status, runs } = data
  const late = status.chains.filter((chain: { late: boolean }) => chain.late)
  expect(late).toEqual([{ chainId: 10, late: true }])
  expect(status.lastRun).toMatchObject({
    kind: 'MANUALUPDATE',
    status: 'FAILED',
    requestedBy: 'sample',
    error: expect.stringContaining('has no positions of'),
  })
  expect(runs.nodes).toHaveLength(1)
})

describe('commands', () => {
  beforeAll(async () => {
    const other = await startOnSample({ users: 4, days: 3 })
    closing.push(() => other.close())
    standIns['https://other-gateway'] = other.base

    const files = await startServer(({ url }, response) => {
      const path = join(fixture, url.replace('/dataset', ''))
      if (!/^\/dataset\/[\w.-]+$/.test(url) || !existsSync(path))
        return response.writeHead(404).end()
      return createReadStream(path).pipe(response.writeHead(200))
    })
    closing.push(() => files.close())
    standIns['https://host/dataset'] = `${files.base}/dataset`

    const database = await openStore()
    closing.push(() => database.close())
    standIns['postgres://user:password@db:5432/points'] = database.url
    if (hasRedis) {
      const redis = await openRedis()
      closing.push(() => redis.close())
      standIns['redis://cache:6379'] = redis.url
    }
    for (const name of ['DIR', 'BACKUP', 'CSV', 'SHEET'])
      standIns[`export ${name}`] = `export ${await newDirectory()}`
    standIns['template DIR'] = `template ${await newDirectory()}`
    const example = await newDirectory()
    for (const name of ['template', 'import']) standIns[`${name} EXAMPLE`] = `${name} ${example}`
    const written = await newDirectory()
    for (const name of [
      'POINTS',
      'new-multipliers.json',
      'weekly-points.csv',
      'top-100.csv',
      'preview.json',
      'key.json',
      'gateway.key',
      'sheet.etag',
      'sheet.csv',
      'store.tar',
    ])
      standIns[name] = join(written, name)
    standIns['tokenlist.json'] = join(written, 'list.json')
    const token = {
      chainId: 146,
      address: samplePool.address,
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
    }
    writeFileSync(join(written, 'list.json'), JSON.stringify({ name: 'A list', tokens: [token] }))
    standIns['tokens/tokens.jsonl'] = join(written, 'tokens/tokens.jsonl')
    for (const name of ['mkdir', 'import'])
      standIns[`${name} tokens`] = `${name} ${join(written, 'tokens')}`
    await startSources()
  }, 120_000)

  /** A GraphQL source with a position in the sample's pool, at the prices of the newest date. */
  async function startSources(): Promise<void> {
    const url = `${sample.base}/positions/breakdown-by-markets?market=${samplePool.address}&limit=1`
    const { items } = (await (await fetch(url)).json()) as { items: Record<string, string>[] }
    const [{ aTokenAddress, aTokenPrice, bTokenAddress, bTokenPrice } = {}] = items
    const prices = await startPrices({
      [`sonic:${aTokenAddress}`]: { price: Number(aTokenPrice) },
      [`sonic:${bTokenAddress}`]: { price: Number(bTokenPrice) },
    })
    const amounts = {
      aSupplied: '1000000',
      aProtected: '0',
      aBorrowed: '0',
      bSupplied: '0',
      bProtected: '0',
    }
    const position = { user: sampleUser, pool: samplePool.address, ...amounts, bBorrowed: '0' }
    const source = await startPositions({ positions: [position] })
    closing.push(
      () => prices.close(),
      () => source.close(),
    )
    standIns['https://coins.llama.fi'] = prices.base
    standIns['https://indexer.example'] = source.base
  }

  /** True if npm has run a command of the program. */
  let isRunByNpm = false
  for (const block of inLanguage('sh').filter(isHere)) {
    const answer = answerTo(block)
    const missing = missingFor(block)
    test.skipIf(missing)(
      `${block.at}${missing ? ` (skipped: no ${missing})` : ''}`,
      async () => {
        const isOfSample = !/-- import|SAMPLE_DATA=off|DATABASE_URL/.test(block.text)
        const store = isOfSample ? sampleStore : await newStore()
        let server: Started | undefined
        let out = ''
        for (const command of commandsOf(block)) {
          if (NOT_RUN[command] !== undefined || isRunning(command)) continue
          const text = isRunByNpm ? withoutNpm(command) : command
          isRunByNpm ||= text.includes('npm run gateway')
          const line = replaced(text, server?.base ?? sample.base)
          if (STARTS.test(command)) server = await startShell(line, store)
          else out = await runShell(line, store)
        }
        await server?.stop()
        if (answer) expectAnswer(out, answer)
      },
      240_000,
    )
  }

  test('each JSON or text is the answer to a command or a query', () => {
    for (const block of blocks.filter(({ language }) => ANSWERS.has(language)))
      expect(['sh', 'graphql'], block.at).toContain(blocks[blocks.indexOf(block) - 1]?.language)
  })

  test('what is not run is a script of ours, and is in a document', () => {
    const all = inLanguage('sh').flatMap(commandsOf)
    for (const command of Object.keys(NOT_RUN)) expect(all).toContain(command)
    for (const word of Object.keys(NOT_HERE))
      expect(
        all.some((command) => command.includes(word)),
        word,
      ).toBe(true)
  })
})

/** What the sample's gateway answers to a query, or first to a subscription. */
async function askSample(query: string): Promise<Answered> {
  if (/^subscription\b/m.test(query)) {
    const stream = await subscribe(sample, query)
    const event = await stream.next()
    stream.leave()
    return event
  }
  const headers = { 'content-type': 'application/json', 'x-graphql-cost': '1' }
  const response = await fetch(`${sample.base}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  return (await response.json()) as Answered
}

interface Answered {
  data?: any
  errors?: object[]
  extensions?: { cost: { requested: number } }
}

describe('GraphQL', () => {
  test.each(inLanguage('graphql'))('$at', async (block) => {
    const { data, errors, extensions } = await askSample(ofToday(block.text))
    const answer = answerTo(block)
    if (answer) expectAnswer(JSON.stringify({ data, errors }), answer)
    else {
      expect(errors).toBeUndefined()
      expect(JSON.stringify(data).length).toBeGreaterThan(200)
    }
    const [, cost] = /costs .* = (\d+):$/.exec(block.before.replaceAll('\n', ' ')) ?? []
    if (cost !== undefined) expect(extensions?.cost.requested).toBe(Number(cost))
  })

  const inline = documents.flatMap(({ codes }) =>
    codes.filter((code) => /^\{ \w+(\(.*?\))? \{/.test(code)),
  )
  test.each(inline)('%s', async (query) => {
    const { data, errors } = await askSample(query)
    expect(errors).toBeUndefined()
    expect(data).toBeDefined()
  })
})

describe('JavaScript', () => {
  test.each(inLanguage('js').filter(isHere))(
    '$at prints what its comments say',
    async ({ text }) => {
      const code = replaced(text, sample.base)
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT })
      const comments = [...text.matchAll(/console\.log\(.*\).*?\n?\/\/ (.*)/g)].map(
        ([, comment]) => comment as string,
      )
      expect(comments.length).toBeGreaterThan(0)
      const expected = dense(comments.join(''))
      const subscribes = text.includes('.subscription(')
      let printed = ''
      const isComplete = () => dense(printed).length >= expected.length + (subscribes ? 1 : 0)
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data) => {
          printed += data
          if (isComplete()) child.kill()
        })
      await once(child, 'close')
      expect(dense(printed).slice(0, expected.length)).toBe(expected)
      expect(dense(printed).slice(expected.length)).toMatch(subscribes ? /^\d+$/ : /^$/)
    },
  )

  const python = isInstalled('python3')
  test.skipIf(!python).each(inLanguage('python'))(
    `$at prints what its comments say${python ? '' : ' (skipped: python3 is not installed)'}`,
    async ({ text }) => {
      const printed = await run('python3', ['-c', replaced(text, sample.base)])
      const comments = [...text.matchAll(/^print\(.*\) {2}# (.*)/gm)].map(
        ([, comment]) => comment as string,
      )
      expect(comments.length).toBeGreaterThan(0)
      expect(printed.stdout.trim()).toBe(comments.join('\n'))
    },
  )

  const dense = (text: string) => text.replace(/\s/g, '')
})

describe('addresses', () => {
  const text = documents.map((document) => document.text).join('\n')

  test('every address of a local gateway is served', async () => {
    const urls = [...new Set(text.match(/(?<=http:\/\/127\.0\.0\.1:4000)\/[\w./{}-]*/g))]
    expect(urls.length).toBeGreaterThan(1)
    for (const url of urls) {
      const response = await fetch(sample.base + url, { headers: { accept: 'text/html' } })
      // Some take POST alone, or an admin.
      expect([url, response.ok || [401, 403, 405].includes(response.status)]).toEqual([url, true])
      if (/^\/d/.test(url))
        expect([url, response.headers.get('content-type')]).toEqual([
          url,
          expect.stringMatching(/html/),
        ])
    }
  })

  test('every metric exists', async () => {
    const metrics = await (await fetch(`${sample.base}/metrics`)).text()
    const roles = readFileSync(join(ROOT, 'src/deploy/roles.sql'), 'utf8')
    const named = [...new Set(text.match(/\bgateway_[a-z_]+/g))].filter(
      (name) => !roles.includes(name),
    )
    expect(named.length).toBeGreaterThan(0)
    for (const name of named.map((one) => one.replace(/_(count|sum|bucket)$/, '')))
      expect(metrics).toContain(`# HELP ${name} `)
  })
})
