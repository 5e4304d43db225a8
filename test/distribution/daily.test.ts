import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { dueDates } from '../../src/domain/distribution/daily.ts'
import { applySeasons } from '../../src/domain/season/change-seasons.ts'
import { GatewayError } from '../../src/errors.ts'
import { type Schedule, startSchedule } from '../../src/jobs/schedule.ts'
import type { PositionsSource } from '../../src/sources/index.ts'
import { datasetOf, record } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { silent } from '../support/store.ts'

const MINUTE = 60_000
const CRON = { DISTRIBUTION_CRON: '10 1 * * *', POSITIONS_SOURCE: 'somewhere' }

let gateways: Gateway[] = []
let schedules: (Schedule & { looks: Map<string, number> })[] = []
let now: Date
let asked: string[]
/** What a source does before it answers for a date. */
let before: (date: string, signal: AbortSignal | undefined) => Promise<void> | void

beforeEach(() => {
  now = new Date('2026-03-05T12:00:00Z')
  asked = []
  before = () => {}
})
afterEach(async () => {
  await Promise.all(schedules.map((one) => one.close()))
  schedules = []
  for (const gateway of gateways.reverse()) await gateway.close()
  gateways = []
})

const source: PositionsSource = {
  name: 'a test',
  async positions(date, { signal }) {
    asked.push(date)
    await before(date, signal)
    const position = { ...record.positions, distributionDate: `${date}T00:00:00.000Z` }
    return {
      label: 'positions',
      pricesName: 'a test',
      batches: (async function* () {
        yield { first: 1, records: [position] }
      })(),
      receipts: () => [],
    }
  },
}

async function start(env: Record<string, string> = {}): Promise<Gateway> {
  const [on] = gateways
  const gateway = await startGateway({
    env: { ...CRON, ...env },
    positionsSource: source,
    now: () => now,
    ...(on && { on }),
  })
  gateways.push(gateway)
  if (!on) await load(gateway)
  return gateway
}

/** A pool to have positions in and, where one is given, a distribution. */
async function load({ deps: { store, basePoints } }: Gateway, newest?: string) {
  const files = {
    pools: [record.pools],
    multipliers: [record.multipliers],
    positions: newest ? [{ ...record.positions, distributionDate: `${newest}T00:00:00.000Z` }] : [],
  }
  await importDataset({ pool: store.pool, basePoints, log: silent }, datasetOf(files))
}

function schedule(gateway: Gateway) {
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const looks = new Map([['tidy', 0]])
  if (gateway.deps.config.DISTRIBUTION_CRON) looks.set('distributions', 0)
  const onLooked = (job: string) => looks.set(job, (looks.get(job) ?? 0) + 1)
  const started = startSchedule({ ...gateway.deps, log: log as never }, { everyMs: 20, onLooked })
  schedules.push({ ...started, looks })
  return { ...started, log }
}

const stored = async (gateway = gateways[0]) => {
  const { data } = await gateway!.graphql('{ distributions(last: 40) { nodes { date kind } } }')
  return data.distributions.nodes.map((node: any) => node.date.slice(0, 10)).reverse()
}
const runs = async (gateway = gateways[0]) => {
  const { data } = await gateway!.graphql(
    '{ runs(last: 40) { nodes { date kind status requestedBy error } } }',
  )
  return data.runs.nodes
    .reverse()
    .filter((run: any) => run.kind === 'MANUALUPDATE')
    .map((run: any) => `${run.date.slice(0, 10)} ${run.status} ${run.requestedBy}`)
}
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000 })
/**
 * Waits until each job of each schedule has looked again: the look that was under way at the call
 * does not count.
 */
async function quiet() {
  const counts = schedules.flatMap(({ looks }) =>
    [...looks].map(([job, count]) => ({ looks, job, count })),
  )
  await eventually(() => {
    for (const { looks, job, count } of counts) expect(looks.get(job)).toBeGreaterThan(count + 1)
  })
}

test('the dates that are due', () => {
  const due = (newest: string | null, tick: string, catchUp = 7) => {
    const { dates, left } = dueDates(newest ? new Date(newest) : null, new Date(tick), catchUp)
    const days = (list: Date[]) => list.map((date) => date.toISOString().slice(0, 10)).join(' ')
    return [days(dates), days(left)]
  }
  expect(due('2026-02-27', '2026-03-01T01:10:00Z')).toEqual(['2026-02-28 2026-03-01', ''])
  expect(due('2026-03-01', '2026-03-01T01:10:00Z')).toEqual(['', ''])
  expect(due('2026-03-09', '2026-03-01T01:10:00Z')).toEqual(['', ''])
  expect(due(null, '2026-03-01T23:59:00Z')).toEqual(['2026-03-01', ''])
  expect(due('2026-02-24', '2026-03-01T00:00:00Z', 2)).toEqual([
    '2026-02-28 2026-03-01',
    '2026-02-25 2026-02-26 2026-02-27',
  ])
})

test('settings that are wrong are one line each', () => {
  const refusal = (env: Record<string, string>) => {
    try {
      readConfig(env)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return (error as Error).message
    }
    throw new Error('it was taken')
  }
  const source = { POSITIONS_SOURCE: 'somewhere' }
  for (const pattern of [
    '',
    'daily',
    '61 * * * *',
    '* * * * * *',
    '0 0 30 2 *',
    '2026-01-01T00:00:00',
    '1 2 3 4 x',
  ])
    expect(refusal({ ...source, DISTRIBUTION_CRON: pattern }), pattern).toMatch(
      /^DISTRIBUTION_CRON must be a cron pattern of five fields in UTC, such as "10 0 \* \* \*": .+$/,
    )
  expect(refusal({ DISTRIBUTION_CRON: '10 1 * * *' })).toMatch(
    /^POSITIONS_SOURCE is needed, since DISTRIBUTION_CRON is set.+$/,
  )
  expect(refusal({ DISTRIBUTION_CATCH_UP: '0' })).toMatch(/^DISTRIBUTION_CATCH_UP .+$/)
  expect(refusal({ MAX_SUBSCRIPTIONS: '-1' })).toMatch(/^MAX_SUBSCRIPTIONS .+$/)
  expect(
    readConfig({ ...source, DISTRIBUTION_CRON: ' 5,35 */2 * * mon-fri ' }).DISTRIBUTION_CRON,
  ).toBeDefined()
})

test('of an empty store the date of the last tick alone, then one with each tick, and nothing in between', async () => {
  const gateway = await start()
  schedule(gateway)
  await eventually(async () => expect(await stored()).toEqual(['2026-03-05']))
  now = new Date('2026-03-06T01:09:59Z')
  await quiet()
  expect(asked).toEqual(['2026-03-05'])
  now = new Date('2026-03-06T01:10:00Z')
  await eventually(async () => expect(await stored()).toEqual(['2026-03-05', '2026-03-06']))
  expect(await runs()).toEqual(['2026-03-05 SUCCEEDED schedule', '2026-03-06 SUCCEEDED schedule'])
})

test('before the tick of the day the date before is the last one that is due', async () => {
  now = new Date('2026-03-05T01:09:00Z')
  schedule(await start())
  await eventually(async () => expect(await stored()).toEqual(['2026-03-04']))
})

test('after an outage what is missing is caught up, in order', async () => {
  const gateway = await start()
  await load(gateway, '2026-03-01')
  schedule(gateway)
  const missing = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']
  await eventually(async () => expect(await stored()).toEqual(['2026-03-01', ...missing]))
  expect(asked).toEqual(missing)
})

test('a clock that was ahead stops no distribution', async () => {
  now = new Date('2026-04-20T12:00:00Z')
  const gateway = await start({ DISTRIBUTION_CATCH_UP: '2' })
  await load(gateway, '2026-03-04')
  schedule(gateway)
  await eventually(async () =>
    expect(await stored()).toEqual(['2026-03-04', '2026-04-19', '2026-04-20']),
  )
  now = new Date('2026-03-05T12:00:00Z')
  await eventually(async () => expect(await stored()).toContain('2026-03-05'))
  now = new Date('2026-03-06T12:00:00Z')
  await eventually(async () => expect(await stored()).toContain('2026-03-06'))
  const { data } = await gateway.graphql('{ runs(last: 40) { nodes { startedAt finishedAt } } }')
  for (const { startedAt, finishedAt } of data.runs.nodes)
    expect(finishedAt >= startedAt).toBe(true)
})

test('at most DISTRIBUTION_CATCH_UP of them, the newest, and a warning names the others', async () => {
  const gateway = await start({ DISTRIBUTION_CATCH_UP: '2' })
  await load(gateway, '2026-03-01')
  const { log } = schedule(gateway)
  await eventually(async () =>
    expect(await stored()).toEqual(['2026-03-01', '2026-03-04', '2026-03-05']),
  )
  await quiet()
  const warnings = log.warn.mock.calls.filter(([fields]) => fields.dates)
  expect(warnings).toEqual([[{ dates: ['2026-03-02', '2026-03-03'] }, expect.any(String)]])
})

test('one run a date, however many gateways come to the tick', async () => {
  await start()
  await start()
  await start()
  await load(gateways[0] as Gateway, '2026-03-02')
  before = () => new Promise((resolve) => setTimeout(resolve, 100))
  for (const gateway of gateways) schedule(gateway)
  await eventually(async () =>
    expect(await stored()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05']),
  )
  await quiet()
  expect(asked).toEqual(['2026-03-03', '2026-03-04', '2026-03-05'])
  expect((await runs()).every((run: string) => run.endsWith('SUCCEEDED schedule'))).toBe(true)
})

test('a date that fails holds up those after it, and is tried again after 1, 5 and 15 minutes, by one of the gateways', async () => {
  await start()
  await start()
  await load(gateways[0] as Gateway, '2026-03-02')
  before = (date) => {
    if (date === '2026-03-04') throw new GatewayError('SOURCE_FAILED', 'The source has a cold.')
  }
  const { log } = schedule(gateways[0] as Gateway)
  schedule(gateways[1] as Gateway)
  const tries = async (count: number) => {
    await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(count + 1))
    await quiet()
    expect(asked).toEqual(['2026-03-03', ...Array.from({ length: count }, () => '2026-03-04')])
  }
  await tries(1)
  let count = 1
  for (const minutes of [1, 5, 15]) {
    now = new Date(now.getTime() + minutes * MINUTE - 1000)
    await quiet()
    expect(asked).toHaveLength(count + 1)
    now = new Date(now.getTime() + 1000)
    await tries(++count)
  }
  now = new Date(now.getTime() + 600 * MINUTE)
  await quiet()
  expect(asked).toHaveLength(5)
  expect(await stored()).toEqual(['2026-03-02', '2026-03-03'])

  before = () => {}
  now = new Date('2026-03-06T01:10:00Z')
  const all = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06']
  await eventually(async () => expect(await stored()).toEqual(all))
  const { data } = await gateways[0]!.graphql(
    '{ runs(where: { statuses: FAILED }) { nodes { date error } } }',
  )
  expect(data.runs.nodes).toHaveLength(4)
  expect(data.runs.nodes[0].error).toContain('cold')
  expect(JSON.stringify(log.warn.mock.calls)).toMatch(/cold|^\[\]$/)
})

test('a date that somebody else has stored by then is not computed again', async () => {
  const gateway = await start()
  await load(gateway, '2026-03-05')
  schedule(gateway)
  await quiet()
  expect(asked).toEqual([])
})

test('closing stops the run at once; it has changed nothing, and the next gateway does it', async () => {
  const gateway = await start()
  let reached = () => {}
  const begun = new Promise<void>((resolve) => {
    reached = resolve
  })
  before = (_, signal) => {
    reached()
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const { close } = schedule(gateway)
  await begun
  const started = performance.now()
  await close()
  expect(performance.now() - started).toBeLessThan(15_000)
  expect(await stored()).toEqual([])
  expect(await runs()).toEqual(['2026-03-05 FAILED schedule'])

  before = () => {}
  now = new Date(now.getTime() + MINUTE)
  schedule(await start())
  await eventually(async () => expect(await stored()).toEqual(['2026-03-05']))
})

test('without DISTRIBUTION_CRON nothing is computed, but runs of processes that died are closed', async () => {
  const gateway = await startGateway({ positionsSource: source, now: () => now })
  gateways.push(gateway)
  await load(gateway)
  await gateway.deps.store.pool.query(
    `INSERT INTO run (kind, date, status, requested_by, started_at, base_deposit, base_borrow)
     VALUES ('manualupdate', '2026-03-04', 'running', 'test', now(), 1, 1)`,
  )
  schedule(gateway)
  await eventually(async () => expect(await runs()).toEqual(['2026-03-04 FAILED test']))
  const version = async () => (await gateway.graphql('{ dataVersion }')).data.dataVersion
  const settled = await version()
  await quiet()
  expect(await version()).toBe(settled)
  expect(asked).toEqual([])
})

test('of a program with seasons the dates of these alone', async () => {
  const gateway = await start({ SEASONS: 'First=2026-03-01..2026-03-04,Second=2026-03-06..' })
  const { store } = gateway.deps
  await applySeasons({ pool: store.pool, now: () => now }, gateway.deps.config.SEASONS ?? [], {
    requestedBy: 'test',
  })
  await load(gateway, '2026-03-02')
  schedule(gateway)
  await eventually(async () =>
    expect(await stored()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']),
  )
  now = new Date('2026-03-06T01:10:00Z')
  await eventually(async () =>
    expect(await stored()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-06']),
  )
  expect(asked).toEqual(['2026-03-03', '2026-03-04', '2026-03-06'])
})
