import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { type LegName, legNames } from '../../src/domain/update/legs.ts'
import { previewLeg, type UpdateOptions, updateLeg } from '../../src/domain/update/update.ts'
import { startSchedule } from '../../src/jobs/schedule.ts'
import { type AnalyticsSource, openAnalyticsSource } from '../../src/sources/index.ts'
import { command, parsed } from '../support/command-line.ts'
import { addressOf } from '../support/datasets.ts'
import { everything } from '../support/dump.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import {
  cashFlow,
  DAY_SECONDS,
  entities,
  marketSnapshot,
  NOON,
  rateChange,
} from '../support/legs.ts'
import { importFiles, jsonLines } from '../support/one-pool.ts'
import { emptyTables } from '../support/store.ts'

let gateway: Gateway
let dir: string

beforeAll(async () => {
  gateway = await startGateway()
  await importFiles(gateway, entities)
})
afterAll(() => gateway.close())

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-update-'))
  const { pool } = gateway.deps.store
  await emptyTables(pool, [
    'asset_price',
    'market_snapshot',
    'vault_snapshot',
    'cash_flow',
    'market_holding',
    'net_cash',
  ])
  await emptyTables(pool, ['leg_progress', 'run'])
  await pool.query("DELETE FROM rate_revision WHERE changed_at < '2026-03-10'")
  return () => rm(dir, { recursive: true })
})

const write = (leg: LegName, rows: (object | string)[]) =>
  writeFile(
    join(dir, `${leg}.jsonl`),
    rows.map((row) => (typeof row === 'string' ? `${row}\n` : jsonLines([row]))).join(''),
  )
const deps = (more: object = {}) => ({
  ...gateway.deps,
  pool: gateway.deps.store.pool,
  now: () => new Date((NOON + 10 * DAY_SECONDS) * 1000),
  analytics: {
    sources: new Map<LegName, AnalyticsSource>(
      legNames.map((leg) => [
        leg,
        openAnalyticsSource(
          { source: dir, timeoutMs: 10_000 },
          gateway.deps.client,
        ) as AnalyticsSource,
      ]),
    ),
    overlapMs: 2 * DAY_SECONDS * 1000,
    maxDrop: 0.1,
    ...more,
  },
})
const update = (leg: LegName, options?: UpdateOptions) => updateLeg(deps(), leg, 'test', options)
const failure = (leg: LegName, options?: UpdateOptions) =>
  update(leg, options).then(
    () => 'it succeeded',
    (error: Error) => error.message.replaceAll(dir, 'DIR'),
  )
const version = async () =>
  (await gateway.deps.store.pool.query('SELECT version::int FROM data_version WHERE id = 1'))
    .rows[0].version
const amounts = async (user: string) =>
  (
    await gateway.deps.store.pool.query(
      'SELECT timestamp::float8, collateral_usd AS usd FROM market_snapshot WHERE user_address = $1 ORDER BY 1',
      [addressOf(user)],
    )
  ).rows.map(({ timestamp, usd }) => [(timestamp - NOON) / DAY_SECONDS, usd])

const day = (days: number) => NOON + days * DAY_SECONDS
const ann = (days: number, usd: number | null = 10, more?: object) =>
  marketSnapshot('ann', day(days), usd, more)

describe('an update', () => {
  test('stores new and changed records from the overlap on, as one data version each', async () => {
    await write('market-snapshots', [ann(0), ann(1), ann(3)])
    const before = await version()
    expect(await update('market-snapshots')).toMatchObject({ since: null, fetched: 3, written: 3 })
    expect(await version()).toBe(before + 1)

    await write('market-snapshots', [ann(0, 99), ann(1), ann(3, 12), ann(4)])
    const next = await update('market-snapshots')
    expect(next).toMatchObject({ fetched: 3, written: 2, newest: new Date(day(4) * 1000) })
    expect(next.since).toEqual(new Date('2026-03-03T00:00:00.000Z'))
    expect(await version()).toBe(before + 2)
    // The oldest is before the overlap: its correction needs --since.
    expect(await amounts('ann')).toEqual([
      [0, 10],
      [1, 10],
      [3, 12],
      [4, 10],
    ])
    await update('market-snapshots', { since: new Date(day(0) * 1000) })
    expect((await amounts('ann'))[0]).toEqual([0, 99])
  })

  test('keeps what its source has deleted, and counts it for a corrected past', async () => {
    await write('market-snapshots', [ann(0), marketSnapshot('ben', day(0), 4), ann(1), ann(3)])
    expect(await update('market-snapshots')).toMatchObject({ kept: null })
    // A later snapshot of the day replaces the first: nothing is missing of that day but ben's.
    await write('market-snapshots', [marketSnapshot('ann', day(0) + 60, 11), ann(1), ann(3)])
    expect(await update('market-snapshots', { since: new Date(day(0) * 1000) })).toMatchObject({
      written: 1,
      kept: 1,
    })
    expect(await amounts('ben')).toEqual([[0, 4]])
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5), cashFlow('ann', 2, day(3), 5)])
    await update('cash-flows')
    await write('cash-flows', [cashFlow('ann', 2, day(3), 5)])
    expect(await update('cash-flows')).toMatchObject({ kept: null })
    const { out } = await command(['update', 'cash-flows', '--since', '2026-03-01', '--dry-run'], {
      DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '',
      ANALYTICS_SOURCE: dir,
    })
    expect(out).toContain(', 0 would be new or changed, 1 stored but not in the source, up to')
  })

  test('without a new or changed record leaves the data version and every row', async () => {
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5)])
    await update('cash-flows')
    const before = await everything(gateway.deps.store.pool)
    expect(await update('cash-flows')).toMatchObject({ fetched: 1, written: 0 })
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
  })

  test('takes every leg, and answers with what it stored', async () => {
    await write('rates', [rateChange(day(0), 0.5), rateChange(day(1), 0.6)])
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5)])
    await write('market-snapshots', [ann(1, 8)])
    for (const leg of legNames) await update(leg)
    const { rows } = await gateway.deps.store.pool.query(
      'SELECT leg, kind, status FROM run ORDER BY id',
    )
    expect(rows).toEqual(legNames.map((leg) => ({ leg, kind: 'update', status: 'succeeded' })))
    const { data } = await gateway.graphql(
      `{ runs(where: { kinds: UPDATE, legs: "cash-flows" }) { nodes { kind leg date sources { kind count digest } } }
         user(address: "${addressOf('ann')}") { activity { nodes { amount { usd } } } } }`,
    )
    expect(data.runs.nodes).toEqual([
      {
        kind: 'UPDATE',
        leg: 'cash-flows',
        date: null,
        sources: [{ kind: 'ANALYTICS', count: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      },
    ])
    expect(data.user.activity.nodes).toEqual([{ amount: { usd: 5 } }])
  })

  test('that is dry changes nothing and is not recorded', async () => {
    await write('market-snapshots', [ann(0)])
    const before = await everything(gateway.deps.store.pool)
    expect(await previewLeg(deps(), 'market-snapshots')).toMatchObject({
      id: null,
      fetched: 1,
      written: 1,
    })
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    expect((await gateway.deps.store.pool.query('SELECT FROM run')).rowCount).toBe(0)
  })

  test('is one at a time for a leg', async () => {
    await write('market-snapshots', [ann(0)])
    const both = await Promise.allSettled([update('market-snapshots'), update('market-snapshots')])
    for (const one of both)
      if (one.status === 'rejected')
        expect(one.reason.message).toMatch(/^A run for market-snapshots is in progress \(/)
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect(await amounts('ann')).toEqual([[0, 10]])
  })
})

describe('a day', () => {
  const HOUR = 3600
  const at = (days: number, hours: number, usd: number, more?: object) =>
    marketSnapshot('ann', day(days) + hours * HOUR, usd, more)
  const hours = async () =>
    (await amounts('ann')).map(([days = 0, usd]) => [Math.round(days * 24 * 100) / 100, usd])

  test('has the newest snapshot of each position, and a late or corrected one replaces it', async () => {
    await write('market-snapshots', [
      at(0, -12, 1),
      at(0, 11, 3),
      at(0, 2, 2),
      at(0, 1, 7, { positionId: 'b' }),
    ])
    await update('market-snapshots')
    expect(await hours()).toEqual([
      [1, 7],
      [11, 3],
    ])
    const rest = at(0, 1, 7, { positionId: 'b' })
    // The source keeps one a day and replaces it: the day has as many positions as before.
    await write('market-snapshots', [at(0, 11.9, 4), rest])
    expect(await update('market-snapshots')).toMatchObject({ written: 1 })
    expect(await hours()).toEqual([
      [1, 7],
      [11.9, 4],
    ])
    await write('market-snapshots', [at(0, 11.9, 5), rest, at(1, -12, 9)])
    await update('market-snapshots')
    expect(await hours()).toEqual([
      [1, 7],
      [11.9, 5],
      [12, 9],
    ])
    // The newest one of all may be of an earlier hour than it was.
    await write('market-snapshots', [at(0, 11, 6), rest, at(1, -12, 9)])
    await update('market-snapshots')
    expect((await hours())[1]).toEqual([11, 6])
    const { rows } = await gateway.deps.store.pool.query(
      'SELECT timestamp::float8 FROM market_holding',
    )
    expect(rows).toEqual([{ timestamp: day(1) - 12 * HOUR }])
  })

  test('keeps the snapshots that an import stored for it, unless --daily says otherwise', async () => {
    const several = [at(0, -3, 1), at(0, 3, 2)]
    await importFiles(gateway, { 'market-snapshots': several })
    await write('market-snapshots', [at(0, 6, 3), at(1, 0, 4), at(1, 1, 5)])
    await update('market-snapshots')
    const kept = [-3, 3, 6, 25]
    expect((await hours()).map(([hour]) => hour)).toEqual(kept)
    const run = (...args: string[]) =>
      command(['import', dir, ...args], { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })
    await rm(join(dir, 'market-snapshots.jsonl'))
    await write('market-snapshots', several)
    expect((await run('--daily', '--check')).code).toBe(0)
    expect((await hours()).map(([hour]) => hour)).toEqual(kept)
    expect((await run('--daily')).code).toBe(0)
    expect((await hours()).map(([hour]) => hour)).toEqual([6, 25])
  })
})

describe('a source that is wrong fails its leg, which changes nothing', () => {
  const good = [ann(0), ann(1), ann(2), marketSnapshot('ben', day(2), 90)]
  const wrong: [string, (object | string)[], string][] = [
    ['shrinks', good.slice(1), 'it shrank: it has 3 of 4 records from'],
    [
      'is empty',
      [],
      'it went back in time: it has no records from 2026-03-02T00:00:00.000Z on, and it had one of 2026-03-04T12:00:00.000Z',
    ],
    [
      'goes back',
      [ann(0), ann(1)],
      'it went back in time: its newest record is of 2026-03-03T12:00:00.000Z',
    ],
    [
      'loses users',
      [...good.slice(0, 3), ann(2, 90, { positionId: 'b' })],
      'it lost users: it has 1 of 2 from',
    ],
    [
      'loses value',
      [...good.slice(0, 3), marketSnapshot('ben', day(2), 1)],
      'it lost value in USD: it has 31 of 120',
    ],
    [
      'repeats a record',
      [...good, good[0] as object],
      'market-snapshots.jsonl:5: repeats the record of line 1',
    ],
    [
      'contradicts itself',
      [...good, ann(0, 11)],
      'market-snapshots.jsonl:5: has the same key as line 1',
    ],
    ['answers HTML', ['<html>'], 'market-snapshots.jsonl:1: is not JSON'],
    [
      'has milliseconds',
      [...good, marketSnapshot('ann', NOON * 1000, 1)],
      'are milliseconds, and seconds are needed',
    ],
    ['has an unknown chain', [...good, ann(3, 1, { chainId: 99 })], 'is no market on chain 99'],
    [
      'has a negative amount',
      [...good, ann(3, 1, { debtAssets: '-1' })],
      'debtAssets must be a decimal string from 0',
    ],
    [
      'has an amount beyond 256 bits',
      [...good, ann(3, 1, { debtAssets: String(2n ** 256n) })],
      'from 0 to 2^256-1',
    ],
    ['lacks a field', [...good, { ...ann(3), debtUsd: undefined }], 'debtUsd is missing'],
    [
      'has another field',
      [...good, ann(3, 1, { debtUSD: 1 })],
      'debtUSD is unknown, it is spelt debtUsd',
    ],
  ]
  test.each(wrong)('if it %s', async (_, rows, reason) => {
    await write('market-snapshots', good)
    await update('market-snapshots')
    const before = await everything(gateway.deps.store.pool)
    await write('market-snapshots', rows)
    const message = await failure('market-snapshots')
    expect(message).toContain(`The source of market-snapshots, DIR, failed: `)
    expect(message).toContain(reason)
    expect(message.split('\n')).toHaveLength(1)
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    const { rows: runs } = await gateway.deps.store.pool.query(
      'SELECT status, error FROM run ORDER BY id DESC LIMIT 1',
    )
    expect(runs[0]).toMatchObject({ status: 'failed', error: message.replaceAll('DIR', dir) })
  })

  test('and an operator may accept a loss', async () => {
    await write('market-snapshots', good)
    await update('market-snapshots')
    await write('market-snapshots', [ann(1, 1)])
    expect(await failure('market-snapshots')).toMatch(/gateway update market-snapshots --accept/)
    expect(await update('market-snapshots', { accept: true })).toMatchObject({ written: 1 })
    expect(await update('market-snapshots')).toMatchObject({ written: 0 })
    await write('market-snapshots', [])
    await update('market-snapshots', { accept: true })
    await write('market-snapshots', good)
    expect(await update('market-snapshots')).toMatchObject({ since: null, fetched: 4 })
  })

  test('if its file is gone', async () => {
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5)])
    await write('market-snapshots', good)
    await update('market-snapshots')
    await rm(join(dir, 'market-snapshots.jsonl'))
    expect(await failure('market-snapshots')).toContain('it has no market-snapshots any more')
  })
})

describe('the schedule', () => {
  test('updates each leg once, however many gateways there are, and a leg that fails stops no other', async () => {
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5, { chainId: 2 })])
    await write('market-snapshots', [ann(0)])
    const now = { time: NOON }
    const lines: object[] = []
    const log = {
      debug() {},
      info: (line: object) => lines.push(line),
      warn: (line: object) => lines.push(line),
    }
    const config = { ...gateway.deps.config, ANALYTICS_CRON: '5 * * * *' }
    const start = () =>
      startSchedule(
        { ...deps(), config, log: log as never, now: () => new Date(now.time * 1000) },
        { everyMs: 20 },
      )
    const gateways = [start(), start()]
    const runs = async () =>
      (
        await gateway.deps.store.pool.query(
          "SELECT leg, status FROM run WHERE status <> 'running' ORDER BY leg, id",
        )
      ).rows
    try {
      await expect.poll(async () => (await runs()).length).toBe(legNames.length)
      expect(await runs()).toEqual(
        legNames
          .toSorted()
          .map((leg) => ({ leg, status: leg === 'cash-flows' ? 'failed' : 'succeeded' })),
      )
      expect(await amounts('ann')).toEqual([[0, 10]])
      // A failed leg waits for its retry; the others wait for the next tick.
      await write('cash-flows', [cashFlow('ann', 1, day(0), 5)])
      now.time += 120
      await expect.poll(async () => (await runs()).length).toBe(legNames.length + 1)
      now.time += 3600
      await expect.poll(async () => (await runs()).length).toBe(2 * legNames.length + 1)
      expect(lines).toContainEqual(
        expect.objectContaining({ leg: 'cash-flows', retryInMs: 60_000 }),
      )
    } finally {
      await Promise.all(gateways.map((one) => one.close()))
    }
  })

  test('a clock that was ahead stops no update, and no run ends before it started', async () => {
    await write('cash-flows', [])
    await write('market-snapshots', [ann(0)])
    const now = { time: NOON + 90 * DAY_SECONDS }
    const log = { debug() {}, info() {}, warn() {} }
    const config = { ...gateway.deps.config, ANALYTICS_CRON: '5 * * * *' }
    const { pool } = gateway.deps.store
    const count = async () =>
      (await pool.query("SELECT count(*)::int AS n FROM run WHERE status <> 'running'")).rows[0].n
    const clock = () => new Date(now.time * 1000)
    const schedule = startSchedule(
      { ...deps(), config, log: log as never, now: clock },
      { everyMs: 20 },
    )
    try {
      await expect.poll(count).toBe(legNames.length)
      // The clock is right again, and comes to the hour in which the first runs started.
      for (const [i, time] of [NOON, NOON + 3600, NOON + 90 * DAY_SECONDS].entries()) {
        now.time = time
        await expect.poll(count).toBe((i + 2) * legNames.length)
      }
      expect((await pool.query('SELECT FROM run WHERE finished_at < started_at')).rowCount).toBe(0)
    } finally {
      await schedule.close()
    }
  })

  test('shows in the status and in the metrics when each leg was updated, and the newest record of each chain', async () => {
    await importFiles(gateway, {
      markets: entities.markets?.map((market) => ({ ...(market as object), chainId: 10 })),
    })
    await write('market-snapshots', [ann(0), { ...ann(0), chainId: 10 }])
    await update('market-snapshots')
    await write('market-snapshots', [ann(0), { ...ann(0), chainId: 10 }, ann(1)])
    await update('market-snapshots')
    await write('cash-flows', [cashFlow('ann', 1, day(0), 5)])
    await update('cash-flows')
    const newest =
      '{ leg source newestRecordAt late chains { chainId newestRecordAt expectedAt late } }'
    const { status } = await gateway.ask(`{ status { legs ${newest} } }`)
    const [first, second, third] = [2, 3, 4].map((date) => `2026-03-0${date}T12:00:00.000Z`)
    const late = true
    expect(status.legs).toEqual([
      {
        ...{ leg: 'cash-flows', source: dir, newestRecordAt: first, late: false },
        chains: [{ chainId: 1, newestRecordAt: first, expectedAt: null, late: false }],
      },
      {
        ...{ leg: 'market-snapshots', source: dir, newestRecordAt: second, late: false },
        chains: [
          { chainId: 1, newestRecordAt: second, expectedAt: third, late },
          { chainId: 10, newestRecordAt: first, expectedAt: second, late },
        ],
      },
    ])
    const metrics = await (await fetch(`${gateway.base}/metrics`)).text()
    const metric = 'gateway_update_newest_timestamp_seconds{leg="market-snapshots"'
    expect(metrics).toContain(`${metric},chain="1"} ${NOON + DAY_SECONDS}`)
    expect(metrics).toContain(`${metric},chain="10"} ${NOON}`)
    expect(metrics).toContain(
      'gateway_update_last_success_timestamp_seconds{leg="market-snapshots"}',
    )
  })

  test('needs a source', async () => {
    expect(() => readConfig({ ANALYTICS_CRON: '5 * * * *' })).toThrow('ANALYTICS_SOURCE is needed')
  })
})

describe('gateway update', () => {
  const run = (...args: string[]) =>
    command(['update', ...args], {
      DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '',
      ANALYTICS_SOURCE: dir,
    })

  test('prints a line for each leg, and names those that failed', async () => {
    await write('market-snapshots', [ann(0)])
    await write('cash-flows', [cashFlow('ann', 1, day(0), -5, { chainId: 2 })])
    const { code, out, err } = await run()
    expect(code).toBe(5)
    expect(out).toMatch(
      /^market-snapshots: 1 record, 1 new or changed, up to 2026-03-02T12:00:00.000Z \(run \d+\)$/m,
    )
    expect(err).toMatch(
      /^Warning: cash-flows: The source of cash-flows, .* failed: cash-flows.jsonl:1: /m,
    )
    expect(err).toMatch(/^1 of 13 legs failed: cash-flows\.$/m)
    expect(await amounts('ann')).toEqual([[0, 10]])
  })

  test('takes legs, a date, a dry run and JSON', async () => {
    await write('market-snapshots', [ann(0)])
    const { code, out } = await run(
      'market-snapshots',
      '--since',
      '2026-01-01',
      '--dry-run',
      '--json',
    )
    expect(code).toBe(0)
    expect(parsed(out)).toEqual([
      expect.objectContaining({ leg: 'market-snapshots', id: null, written: 1 }),
    ])
    expect(await amounts('ann')).toEqual([])
  })

  test('says what is wrong with a leg, and that there is no source', async () => {
    expect((await run('market-snapshot')).err).toMatch(/Did you mean market-snapshots\?/)
    const none = await command(['update'], { DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '' })
    expect(none).toMatchObject({ code: 6, err: expect.stringContaining('Set ANALYTICS_SOURCE') })
  })
})
