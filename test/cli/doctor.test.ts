import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled, openRedis } from '../fire/redis-server.ts'
import { command, parsed } from '../support/command-line.ts'
import { startGateway } from '../support/gateway.ts'
import { cashFlow, marketSnapshot, NOON, rateChange } from '../support/legs.ts'
import {
  ANN,
  BEN,
  CAT,
  DAY,
  importFiles,
  jsonLines,
  multiplier,
  POOL,
  pool,
  position,
} from '../support/one-pool.ts'
import { startServer } from '../support/positions-server.ts'
import { openStore } from '../support/store.ts'

let dir: string
let store: Awaited<ReturnType<typeof openStore>>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-doctor-'))
  store = await openStore()
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

interface Finding {
  check: string
  status: string
  message: string
  remedy: string | null
}

async function doctor(env: Record<string, string>): Promise<{ code: number; findings: Finding[] }> {
  const { code, out } = await command(['doctor', '--json'], env)
  return { code, findings: parsed(out) }
}

const fixture = join(import.meta.dirname, '../fixtures/contract')
const [poolAddress = ''] = /0x\w{40}/.exec(readFileSync(join(fixture, 'pools.jsonl'), 'utf8')) ?? []

const worse = (findings: Finding[]) => findings.filter(({ status }) => status !== 'ok')
const dayAhead = {
  NODE_OPTIONS: '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+864e5',
}

test('all is well', async () => {
  const { code, findings } = await doctor({ DATABASE_URL: store.url })
  expect(worse(findings)).toEqual([])
  expect(code).toBe(0)
  const checks = [
    'versions',
    'settings',
    'database',
    'defaults',
    'migrations',
    'rights',
    'multipliers',
    'sums',
    'listener',
    'clock',
    'cache',
  ]
  checks.push('positions')
  expect(findings.map(({ check }) => check)).toEqual(checks)
  const { out } = await command(['doctor'], { DATABASE_URL: store.url })
  expect(out).toMatch(/^ok +listener +A notification of Postgres was heard\.$/m)
  expect(out).toMatch(/\nProblems: 0, warnings: 0\.\n$/)
})

test('an embedded store that is not there is not made', async () => {
  const { code, findings } = await doctor({ DATA_DIR: join(dir, 'none') })
  expect(code).toBe(0)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'database', status: 'ok' }))
  expect(existsSync(join(dir, 'none'))).toBe(false)
})

test('wrong settings', async () => {
  const { code, findings } = await doctor({ PORT: 'x', MIGRATE: 'y' })
  expect(code).toBe(1)
  expect(worse(findings).map(({ check, message }) => [check, message.split(' ')[0]])).toEqual([
    ['settings', 'PORT'],
    ['settings', 'MIGRATE'],
  ])
})

test('what cannot be reached is a problem each, with a remedy', async () => {
  const { code, findings } = await doctor({
    DATABASE_URL: 'postgres://ann:hunter2@127.0.0.1:1/points',
    REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
    POSITIONS_SOURCE: join(dir, 'nowhere'),
    PRICES_SOURCE: 'http://ann:hunter2@127.0.0.1:1',
    PROT: '1',
  })
  expect(code).toBe(1)
  expect(worse(findings)).toEqual([
    expect.objectContaining({
      check: 'settings',
      status: 'warning',
      message: expect.stringContaining('PORT'),
    }),
    ...[
      ['database', 'DATABASE_URL'],
      ['cache', 'REDIS_URL'],
      ['positions', 'POSITIONS_SOURCE'],
      ['prices', 'PRICES_SOURCE'],
    ].map(([check, setting]) => ({
      check,
      status: 'problem',
      message: expect.any(String),
      remedy: expect.stringContaining(String(setting)),
    })),
  ])
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('a database that is behind, and one of a newer gateway; neither is changed', async () => {
  const newer = await openStore()
  const records = () =>
    newer.pool
      .query('SELECT migration_name FROM _prisma_migrations ORDER BY 1')
      .then(({ rows }) => rows)
  try {
    await newer.pool.query(
      `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
    )
    const before = await records()
    const behind = await doctor({ DATABASE_URL: newer.url })
    expect(worse(behind.findings)).toEqual([
      expect.objectContaining({
        check: 'migrations',
        status: 'warning',
        remedy: expect.stringContaining('migrate'),
      }),
    ])
    expect(behind.code).toBe(0)
    expect(await records()).toEqual(before)
    await newer.pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '2099_new', now())`,
    )
    const ahead = await doctor({ DATABASE_URL: newer.url })
    expect(worse(ahead.findings)).toEqual([
      expect.objectContaining({
        check: 'migrations',
        status: 'problem',
        message: expect.stringContaining('2099_new'),
      }),
    ])
    expect(ahead.code).toBe(1)
  } finally {
    await newer.close()
  }
})

describe('a role that lacks rights', () => {
  const role = `"doctor ${process.pid}"`
  let other: Awaited<ReturnType<typeof openStore>>
  let env: { DATABASE_URL: string }
  let database: string
  beforeAll(async () => {
    other = await openStore()
    const url = new URL(other.url)
    database = url.pathname.slice(1)
    Object.assign(url, { username: `doctor ${process.pid}`, password: 'secret' })
    env = { DATABASE_URL: url.href }
    await other.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
    expect(await command(['import', fixture], { DATABASE_URL: other.url })).toMatchObject({
      code: 0,
    })
  })
  afterAll(async () => {
    await other.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await other.close()
  })

  const rights = async (more = {}) => {
    const { code, findings } = await doctor({ ...env, ...more })
    return { code, ...findings.find(({ check }) => check === 'rights') }
  }
  /** Runs the SQL of a remedy, as an operator copies it. */
  const follow = (remedy: string | null = '') =>
    other.pool.query(remedy?.slice(remedy.lastIndexOf(': ') + 2) ?? '')
  const changes = [
    ['import', fixture],
    ['resync', '--all'],
    ['resync', '--dry-run'],
    ['manualupdate', '--date', '2026-03-03'],
    ['multipliers', 'set', poolAddress, '--deposit-a', '2'],
  ]

  test('learns the grants: to read, then to write', async () => {
    const blind = await rights()
    expect(blind).toMatchObject({
      code: 1,
      status: 'problem',
      remedy: expect.stringContaining('GRANT SELECT ON ALL'),
    })
    await follow(blind.remedy)
    const reader = await rights()
    expect(reader).toMatchObject({
      code: 0,
      status: 'warning',
      message: expect.stringMatching(/Imports, runs.* do not/),
    })
    for (const args of changes) {
      const { code, err } = await command(args, { ...env, POSITIONS_SOURCE: fixture })
      expect([args, code, err]).toEqual([
        args,
        1,
        expect.stringMatching(/\(permission denied for .*`gateway doctor` says/),
      ])
    }
    await follow(reader.remedy)
    expect(await rights()).toMatchObject({ code: 0, status: 'ok', remedy: null })
    for (const args of changes)
      expect([args, await command(args, { ...env, POSITIONS_SOURCE: fixture })]).toEqual([
        args,
        expect.objectContaining({ code: 0 }),
      ])
  })

  test.each([
    [
      'the schema',
      () => 'REVOKE USAGE ON SCHEMA public FROM PUBLIC',
      'problem',
      /: GRANT USAGE ON SCHEMA public TO/,
    ],
    [
      'a table',
      () => `REVOKE SELECT ON pool FROM ${role}`,
      'problem',
      /: GRANT SELECT ON ALL TABLES/,
    ],
    [
      'records of migrations',
      () => `REVOKE SELECT ON _prisma_migrations FROM ${role}`,
      'problem',
      /: GRANT SELECT/,
    ],
    [
      'writing a table',
      () => `REVOKE DELETE ON pool FROM ${role}`,
      'warning',
      /: GRANT INSERT, UPDATE, DELETE ON ALL/,
    ],
    [
      'a sequence',
      () => `REVOKE ALL ON SEQUENCE run_id_seq FROM ${role}`,
      'warning',
      /: GRANT USAGE ON ALL SEQUENCES/,
    ],
    [
      'staging',
      () => `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
      'warning',
      /: GRANT TEMPORARY ON DATABASE/,
    ],
    [
      'transactions that write',
      () => `ALTER ROLE ${role} SET default_transaction_read_only = on`,
      'warning',
      /: ALTER ROLE ".*" SET default_transaction_read_only = off;$/,
    ],
  ])('%s', async (_, revoke, status, remedy) => {
    await other.pool.query(revoke())
    const missing = await rights()
    expect(missing).toMatchObject({ status, remedy: expect.stringMatching(remedy) })
    expect(missing.remedy?.match(/GRANT|ALTER/g)).toHaveLength(1)
    await follow(missing.remedy)
    expect(await rights()).toMatchObject({ status: 'ok' })
  })

  test('the daily job with a role that may only read is a problem', async () => {
    await other.pool.query(`REVOKE INSERT ON run FROM ${role}`)
    const daily = { DISTRIBUTION_CRON: '0 1 * * *', POSITIONS_SOURCE: fixture }
    expect(await rights(daily)).toMatchObject({
      code: 1,
      status: 'problem',
      remedy: expect.stringMatching(/^Unset DIS/),
    })
    expect(await command(['serve'], { ...env, ...daily, PORT: '0' })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^DISTRIBUTION_CRON is set, .*`gateway doctor` prints\.\n$/),
    })
  })
})

test('pools without a multiplier are named, with the number of positions and the command', async () => {
  const gateway = await startGateway({ url: store.url })
  const other = { ...pool, id: CAT, marketId: 8 }
  const [ann, ben] = [position(ANN, 5), position(BEN, 5)]
  try {
    await importFiles(gateway, {
      pools: [pool, other],
      multipliers: [
        {
          ...multiplier,
          poolAddress: CAT,
          deposit_tokenA: 0,
          deposit_tokenB: 0,
          borrow_tokenA: 0,
          borrow_tokenB: 0,
        },
      ],
      positions: [
        ann,
        ben,
        { ...ann, marketAddress: CAT },
        { ...ann, distributionDate: '2026-03-01' },
      ],
    })
    const { code, findings } = await doctor({ DATABASE_URL: store.url })
    expect(code).toBe(0)
    expect(worse(findings)).toEqual([
      {
        check: 'multipliers',
        status: 'warning',
        message: `3 positions of ${DAY} score 0, because the pools have no multiplier: S·USDC·7 (${POOL}): 2, S·USDC·8 (${CAT}): 1.`,
        remedy: expect.stringContaining(
          `\`gateway multipliers set ${POOL} --deposit-a 1 --deposit-b 1 --borrow-a 1 --borrow-b 1 --from ${DAY}\``,
        ),
      },
    ])
    for (const address of [POOL, CAT])
      expect(
        await command(['multipliers', 'set', address, '--deposit-a', '1', '--every-date'], {
          DATABASE_URL: store.url,
        }),
      ).toMatchObject({ code: 0 })
    expect(worse((await doctor({ DATABASE_URL: store.url })).findings)).toEqual([])
  } finally {
    await gateway.close()
  }
})

test('a clock that is wrong by a day', async () => {
  const { findings } = await doctor({ DATABASE_URL: store.url, ...dayAhead })
  expect(worse(findings)).toEqual([
    expect.objectContaining({
      check: 'clock',
      status: 'warning',
      message: expect.stringContaining('86,400 s ahead'),
    }),
  ])
})

test('a source that refuses, and one that has another time', async () => {
  const refusing = await startServer((_, response) => response.writeHead(401).end())
  const late = await startServer((_, response) =>
    response.writeHead(200, { date: new Date(Date.now() - 864e5).toUTCString() }).end(),
  )
  try {
    const { findings } = await doctor({
      DATABASE_URL: store.url,
      POSITIONS_SOURCE: refusing.base,
      POSITIONS_SOURCE_KEY: 'hunter2',
      PRICES_SOURCE: late.base,
    })
    expect(worse(findings)).toEqual([
      expect.objectContaining({
        check: 'positions',
        status: 'problem',
        remedy: expect.stringMatching(/POSITIONS_SOURCE_KEY/),
      }),
      expect.objectContaining({
        check: 'prices',
        status: 'warning',
        message: expect.stringMatching(/s ahead/),
      }),
    ])
  } finally {
    await refusing.close()
    await late.close()
  }
})

const hasRedis = isInstalled('redis-server')
test.skipIf(!hasRedis)(
  `a Redis without a limit is a warning${hasRedis ? '' : ' (skipped: no redis-server)'}`,
  async () => {
    const redis = await openRedis()
    try {
      const { findings } = await doctor({ DATABASE_URL: store.url, REDIS_URL: redis.url })
      const cache = findings.find(({ check }) => check === 'cache')
      expect(cache).toMatchObject({
        status: 'warning',
        remedy: expect.stringContaining('maxmemory'),
      })
    } finally {
      await redis.close()
    }
  },
)

test('fields that a source of analytics does not provide are named', async () => {
  const source = await mkdtemp(join(dir, 'analytics-'))
  const flow = cashFlow('ann', 1, NOON, 5, { assets: undefined, amountUsd: null })
  await writeFile(join(source, 'cash-flows.jsonl'), jsonLines([flow, flow]))
  await writeFile(join(source, 'rates.jsonl'), jsonLines([rateChange(NOON, 1)]))
  const snapshot = { ...marketSnapshot('ann', NOON, 1), debtAssets: undefined }
  await writeFile(join(source, 'market-snapshots.jsonl'), jsonLines([snapshot]))
  const { code, findings } = await doctor({ DATABASE_URL: store.url, ANALYTICS_SOURCE: source })
  const said = findings
    .filter(({ check }) => check === 'analytics')
    .map(({ status, message }) => [status, message])
  expect(said).toEqual([
    ['ok', `The directory ${source} has files of the import format.`],
    ...['pools', 'markets', 'vaults', 'tokens', 'thresholds'].map((leg) => [
      'ok',
      `The source of ${leg}, ${source}, has no records yet.`,
    ]),
    ['ok', `The source of rates, ${source}, provides every field.`],
    ['ok', `The source of prices, ${source}, has no records yet.`],
    [
      'problem',
      `The source of market-snapshots, ${source}, does not provide debtAssets (examined: 1 record).`,
    ],
    ...['vault-snapshots', 'market-liquidation-rewards', 'vault-liquidation-rewards'].map((leg) => [
      'ok',
      `The source of ${leg}, ${source}, has no records yet.`,
    ]),
    ['ok', `The source of liquidations, ${source}, has no records yet.`],
    [
      'warning',
      `The source of cash-flows, ${source}, does not provide assets, amountUsd (examined: 2 records).`,
    ],
  ])
  expect(code).not.toBe(0)
})
