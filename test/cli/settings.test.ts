import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variables } from '../../src/config.ts'
import { command, parsed } from '../support/command-line.ts'

const names = Object.keys(variables.shape)

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-settings-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('a wrong setting is one sentence, before anything starts', () => {
  test.each([
    ['DATABASE_POOL_SIZE', '1', 'must be a whole number from 2 to 1000'],
    ['CACHE_MAX_BYTES', '1.5', 'must be a whole number from 0 to 1099511627776'],
    ['MEMORY_MB', '295', 'must be a whole number from 296 to 1048576'],
    ['MEMORY_MB', '1', 'must be a whole number from 296 to 1048576'],
    [
      'CACHE_MAX_BYTES',
      String(2 ** 30),
      'of 1073741824 does not fit in MEMORY_MB of 320: set MEMORY_MB to 1312 or more, or a smaller CACHE_MAX_BYTES',
    ],
    ['PORT', '99999', 'must be a whole number from 0 to 65535'],
    ['PORT', 'eighty', 'must be a whole number from 0 to 65535'],
    ['POINTS_BASE_DEPOSIT', '-1', 'must be a number from 0 to 1000000000'],
    ['MAX_PRICE_JUMP', '1', 'must be a number above 1'],
    ['LOG_LEVEL', 'loud', 'must be fatal, error, warn, info, debug, trace or silent'],
    ['SAMPLE_DATA', 'yes', 'must be on or off'],
    ['DATABASE_URL', 'mysql://x', 'must be a URL like postgres://user:password@host:5432/database'],
    ['ADMIN_TOKEN', 'short', 'must be 8 or more printable ASCII characters without spaces'],
    ['ADMIN_TOKENS', 'alice', 'must be name:token pairs, separated by commas'],
    [
      'ADMIN_TOKENS',
      'alice:no',
      'must have 8 or more printable ASCII characters without spaces in the token of alice',
    ],
    [
      'DISTRIBUTION_CRON',
      '* *',
      /^must be a cron pattern of five fields in UTC, such as "10 0 \* \* \*": /,
    ],
  ])('%s=%s', async (name, value, message) => {
    const { code, out, err } = await command(['serve'], {
      [name]: value,
      DATA_DIR: join(dir, 'never'),
    })
    expect(code).toBe(2)
    expect(out).toBe('')
    const [line = '', ...more] = err.trimEnd().split('\n')
    expect(more).toEqual([])
    expect(line.slice(0, name.length + 1)).toBe(`${name} `)
    expect(line.slice(name.length + 1)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
    expect(existsSync(join(dir, 'never'))).toBe(false)
  })

  test('two of them are two lines, and config lists them too', async () => {
    const wrong = { PORT: '-1', MIGRATE: 'maybe' }
    const expected = { code: 2, out: '', err: expect.stringMatching(/^PORT .+\nMIGRATE .+\n$/) }
    expect(await command(['config'], wrong)).toEqual(expected)
  })
})

describe('config', () => {
  const env = {
    DATABASE_URL: 'postgres://ann:hunter2@db:5432/points?password=hunter2',
    REDIS_URL: 'redis://:hunter2@cache:6379',
    POSITIONS_SOURCE: 'https://ann:hunter2@indexer.example/hunter2/graphql?key=hunter2',
    PRICES_SOURCE: 'https://prices.example',
    ADMIN_TOKEN: 'hunter2-hunter2',
    ADMIN_TOKENS: 'bob:hunter2-hunter2',
    POSITIONS_SOURCE_KEY: 'hunter2',
    PORT: '',
    MAX_CONNECTIONS: '77',
  }

  test('--json shows each setting, its value and where it is from, without secrets', async () => {
    const { code, out } = await command(['config', '--json'], env)
    expect(code).toBe(0)
    const printed = parsed(out)
    expect(printed.map(({ name }) => name)).toEqual(names)
    expect(out).not.toContain('hunter2')
    expect(printed).toEqual(
      expect.arrayContaining([
        {
          name: 'DATABASE_URL',
          value: 'postgres://ann:***@db:5432/points?password=***',
          from: 'environment',
        },
        { name: 'REDIS_URL', value: 'redis://:***@cache:6379', from: 'environment' },
        { name: 'ADMIN_TOKENS', value: '***', from: 'environment' },
        { name: 'PORT', value: '4000', from: 'default' },
        { name: 'MAX_CONNECTIONS', value: '77', from: 'environment' },
        { name: 'TRUST_PROXY', value: null, from: 'default' },
      ]),
    )
  })

  test('shows the same to people', async () => {
    const { code, out } = await command(['config'], env)
    expect(code).toBe(0)
    expect(out).not.toContain('hunter2')
    expect(out).toMatch(/^MAX_CONNECTIONS +77 +environment$/m)
    expect(out).toMatch(/^RATE_LIMIT +none +default$/m)
  })
})

test('--help has every setting with its default, and config --help what it means', async () => {
  const short = (await command(['--help'], {})).out
  const full = (await command(['config', '--help'], {})).out
  for (const name of names) {
    expect(short).toMatch(new RegExp(`\\s${name}[=\\s]`))
    expect(full).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  }
  expect(short).toMatch(/ {2}DATABASE_POOL_SIZE=10\s/)
  expect(full).not.toMatch(/`|\]\(/)
})
