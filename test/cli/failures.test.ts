import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

/** How commands fail: one sentence for people, one line of JSON for scripts. */

let dir: string
let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-failures-'))
  store = await openStore()
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

describe('with --json a failure is one line of JSON', () => {
  const nowhere = 'postgres://u:p@127.0.0.1:1/none'
  test.each<[string[], Record<string, string>, number, object]>([
    [
      ['runs', '--json'],
      { PORT: 'x' },
      2,
      { code: 'CONFIG_ERROR', problems: [{ name: 'PORT', message: expect.any(String) }] },
    ],
    [['runs', '--json', '--date', 'x'], {}, 2, { code: 'BAD_INPUT' }],
    [
      ['runs', '--json', '--limt', '3'],
      {},
      2,
      { code: 'BAD_INPUT', message: expect.stringContaining('--limit') },
    ],
    [
      ['rnus', '--json'],
      {},
      2,
      { code: 'BAD_INPUT', message: expect.stringContaining('Did you mean runs?') },
    ],
    [['resync', '--json', '--all'], {}, 3, { code: 'NOT_FOUND' }],
    [['import', '--json', '/nowhere/at/all'], {}, 2, { code: 'BAD_INPUT' }],
    [['runs', '--json'], { DATABASE_URL: nowhere }, 6, { code: 'UNAVAILABLE' }],
  ])('%j', async (args, env, exitCode, failure) => {
    const { code, out, err } = await command(args, { DATABASE_URL: store.url, ...env })
    expect(code).toBe(exitCode)
    expect(out).toBe('')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(err)).toEqual({
      message: expect.stringMatching(/.{10}/),
      problems: [],
      ...failure,
    })
  })
})

describe('an unknown command', () => {
  test.each([
    ['frobnicate', /^error: unknown command 'frobnicate'\n\(see --help\)\n$/],
    ['imprt', /^error: unknown command 'imprt'\n\(Did you mean import\?\)\n/],
  ])('%s', async (name, message) => {
    expect(await command([name], {})).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(message),
    })
  })
})

describe('a misspelt setting is reported', () => {
  const told = async (env: Record<string, string>) => (await command(['config'], env)).err

  test.each([
    ['PROT', 'PORT'],
    ['SAMPLE_DAT', 'SAMPLE_DATA'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['REDISURL', 'REDIS_URL'],
  ])('%s', async (name, meant) => {
    expect(await told({ [name]: 'x' })).toBe(
      `Warning: ${name} is not a setting of the gateway. (Did you mean ${meant}?)\n`,
    )
    const { err } = await command(['config', '--json'], { [name]: 'x' })
    expect(JSON.parse(err)).toEqual({ warning: expect.stringContaining(name) })
  })

  test('variables of others are not', async () => {
    const others = [
      'HOSTNAME',
      'HOST_NAME',
      'PORTAL',
      'TERM',
      'LANG',
      'PWD',
      'LOGNAME',
      'HTTP_PROXY',
      'PGPORT',
      'NODE_ENV',
    ]
    expect(await told(Object.fromEntries(others.map((name) => [name, 'x'])))).toBe('')
  })

  test('nor is one whose setting is there too', async () => {
    expect(await told({ PORTS: '1', PORT: '2' })).toBe('')
  })
})

describe('a gateway that cannot listen says which setting to change', () => {
  const serve = (env: Record<string, string>) =>
    command(['serve'], { DATABASE_URL: store.url, PORT: '0', ...env })

  test('HOST of another machine', async () => {
    const { code, err } = await serve({ HOST: '192.0.2.1' })
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^HOST 192\.0\.2\.1 is not an address of this machine: .+\n$/),
    })
  })

  test('PORT in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { code, err } = await serve({ PORT: String(port) })
    server.close()
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^PORT \d+ of 127\.0\.0\.1 is in use: .+\n$/),
    })
  })
})

test('a file that an import does not know is reported, with the name that is probably meant', async () => {
  const files = join(dir, 'files')
  await mkdir(join(files, 'old'), { recursive: true })
  for (const name of [
    'pools.jsonl',
    'market_snapshots.jsonl',
    'positions.json',
    'notes.txt',
    'README.md',
    '.DS_Store',
  ])
    await writeFile(join(files, name), '')
  const { code, err } = await command(['import', files], { DATABASE_URL: store.url })
  expect(code).toBe(0)
  const ignored = (name: string) =>
    `Warning: ${join(files, name)} is not a file of the import format and is ignored.`
  expect(err.trimEnd().split('\n').sort()).toEqual([
    `${ignored('market_snapshots.jsonl')} (Did you mean market-snapshots.jsonl?)`,
    ignored('notes.txt'),
    `${ignored('positions.json')} (Did you mean positions.jsonl?)`,
  ])
})
