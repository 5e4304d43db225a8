import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { snakeCase } from 'pothos-sql/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importDataset } from '../../src/domain/dataset/import.ts'
import { command } from '../support/command-line.ts'
import { differences, everyRequest, someOf } from '../support/compare.ts'
import { datasetOf } from '../support/datasets.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { DAY_SECONDS } from '../support/legs.ts'
import { importFiles } from '../support/one-pool.ts'
import { openStore, silent } from '../support/store.ts'
import type { Mode, Order } from './simulation/protocol.ts'
import {
  CORRECTED_DAY,
  DAYS,
  dateField,
  isIso,
  recordsOn,
  START,
  simulatedEntities,
  simulatedLegs,
} from './simulation/protocol-days.ts'

const children = new Set<ChildProcess>()
/** Starts a process of this test, and waits for its first message. */
async function startProcess(file: string, args: string[], env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const path = join(import.meta.dirname, 'simulation', file)
  const execArgv = file.endsWith('.ts') ? ['--import', 'tsx'] : []
  const child = fork(path, args, { env: { PATH, HOME, ...env }, execArgv })
  children.add(child)
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended`)
    }),
  ])
  return { child, message: message as any }
}

/** A gateway that follows the protocol by its schedule. */
interface Follower {
  gateway: Gateway
  settings: Record<string, string>
  child: ChildProcess
}

const now = () => new Date((START + DAYS * DAY_SECONDS) * 1000)
let protocol: ChildProcess
let dir: string
let database: Awaited<ReturnType<typeof openStore>>
const followers: Follower[] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-simulation-'))
  database = await openStore()
  const { child, message } = await startProcess('protocol.ts', [database.url], {})
  protocol = child
  const byGraph = simulatedLegs.map((leg) => {
    const since = `where.${dateField(leg)}_gte: ${isIso(leg) ? 'DateTime' : 'BigInt'}`
    const names = { since, after: 'where.id_gt: ID' }
    return [leg, { paging: 'key', pageSize: 100, arguments: 'orderBy: "id"', names }]
  })
  const byQuery = simulatedLegs.map((leg) => {
    const from = isIso(leg) ? 'to_timestamp($1::bigint)' : '$1::bigint'
    const date = isIso(leg) ? snakeCase(dateField(leg)) : 'timestamp::bigint'
    return [
      leg,
      {
        query: `SELECT * FROM ${snakeCase(leg.replaceAll('-', '_'))} WHERE ${date} >= ${from}`,
      },
    ]
  })
  for (const [name, source, mapping] of [
    ['graph', message.url, byGraph],
    ['postgres', database.url, byQuery],
  ]) {
    const gateway = await startGateway({ now })
    await importFiles(gateway, simulatedEntities)
    const path = join(dir, `${name}.json`)
    await writeFile(path, JSON.stringify(Object.fromEntries(mapping)))
    const settings = {
      DATABASE_URL: gateway.deps.config.DATABASE_URL as string,
      ANALYTICS_SOURCE: source,
      ANALYTICS_MAPPING: path,
      ANALYTICS_CRON: '0 20 * * *',
      SOURCE_RETRIES: '0',
      LOG_LEVEL: 'silent',
    }
    followers.push({
      gateway,
      settings,
      child: (await startProcess('follower.mjs', [], settings)).child,
    })
  }
}, 60_000)
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const { gateway } of followers) await gateway.close()
  await database.close()
  await rm(dir, { recursive: true })
})

async function order(day: number, mode: Mode): Promise<void> {
  protocol.send({ day, mode } satisfies Order)
  await once(protocol, 'message')
}
const evening = (day: number) => (START + day * DAY_SECONDS + 20 * 3600) * 1000
const runsSince = async ({ gateway }: Follower, day: number) =>
  (
    await gateway.deps.store.pool.query<{ leg: string; status: string; error: string | null }>(
      'SELECT leg, status, error FROM run WHERE started_at >= $1 AND leg IS NOT NULL ORDER BY id',
      [new Date(evening(day))],
    )
  ).rows
const ended = async (follower: Follower, day: number, status: string) =>
  new Set(
    (await runsSince(follower, day)).filter((run) => run.status === status).map(({ leg }) => leg),
  ).size
/** Waits until so many legs have such a run. */
const until = async (
  follower: Follower,
  day: number,
  status: string,
  legs: number = simulatedLegs.length,
) => {
  for (const start = Date.now(); (await ended(follower, day, status)) !== legs; await sleep(50))
    if (Date.now() - start > 60_000)
      throw new Error(`day ${day}: ${JSON.stringify(await runsSince(follower, day))}`)
}
/** It is evening: each gateway updates all legs. */
async function follow(
  day: number,
  status = 'succeeded',
  legs: number = simulatedLegs.length,
): Promise<void> {
  for (const { child } of followers) child.send({ now: evening(day) })
  for (const one of followers) await until(one, day, status, legs)
}

/** Kills both gateways in an update, and starts them again. */
async function kill(day: number): Promise<void> {
  await order(day, 'hanging')
  for (const { child } of followers) child.send({ now: evening(day) })
  for (const one of followers) await until(one, day, 'running', 1)
  await Promise.all(
    followers.map(async (one) => {
      one.child.kill('SIGKILL')
      await once(one.child, 'exit')
      one.child = (await startProcess('follower.mjs', [], one.settings)).child
    }),
  )
  await order(day, 'up')
  // The run that was killed counts as failed, and is retried after a minute.
  for (const { child } of followers) child.send({ now: evening(day) + 120_000 })
  for (const one of followers) await until(one, day, 'succeeded')
  for (const one of followers)
    expect((await runsSince(one, day)).filter(({ status }) => status === 'failed')).toHaveLength(1)
}

test('gateways that followed a protocol for 17 days answer as one that imported them at once', {
  timeout: 300_000,
}, async () => {
  for (let day = 0; day < DAYS; day++) {
    if (day === 4 || day === 15) await kill(day)
    else if (day >= 6 && day <= 8) {
      await order(day, 'down')
      await follow(day, 'failed')
    } else if (day === 11) {
      await order(day, 'lossy')
      await follow(day, 'failed', 1)
      for (const one of followers) {
        const failed = (await runsSince(one, day)).find(({ status }) => status === 'failed')
        expect(failed).toMatchObject({
          leg: 'market-snapshots',
          error: expect.stringContaining('it shrank'),
        })
      }
      // Its other legs are up to date before the next day begins.
      for (const one of followers) await until(one, day, 'succeeded', simulatedLegs.length - 1)
    } else {
      await order(day, 'up')
      await follow(day)
    }
  }
  const since = new Date((START + CORRECTED_DAY * DAY_SECONDS) * 1000).toISOString().slice(0, 10)
  for (const { settings } of followers)
    expect(await command(['update', 'market-snapshots', '--since', since], settings)).toMatchObject(
      { code: 0 },
    )

  const whole = await startGateway({ now })
  const { store, basePoints } = whole.deps
  // Of the last day, the protocol has not said the last word: the whole is what it says then.
  const files = { ...simulatedEntities, ...recordsOn(DAYS - 1) }
  await importDataset({ pool: store.pool, basePoints, log: silent }, datasetOf(files), {
    daily: true,
  })
  const requests = await everyRequest(whole)
  expect(requests.length).toBeGreaterThan(300)
  for (const [number, { gateway }] of followers.entries())
    expect(
      await differences(whole, gateway, number === 0 ? requests : someOf(requests, 5)),
    ).toEqual([])
  await whole.close()
})
