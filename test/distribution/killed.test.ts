/** Processes that are killed or interrupted in the middle of a run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { command, parsed, start } from '../support/command-line.ts'
import { everything } from '../support/dump.ts'
import { asAdmin, type Gateway, startGateway } from '../support/gateway.ts'
import {
  ANN,
  importFiles,
  jsonLines,
  midnight,
  multiplier,
  pool,
  position,
} from '../support/one-pool.ts'
import { claims, hold } from '../support/pause.ts'

const day = '2026-06-01'
const imported = {
  pools: [pool],
  multipliers: [multiplier],
  positions: [position(ANN, 10, { distributionDate: midnight(day), pointsA: 1, pointsB: 0 })],
}

let gateway: Gateway
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-killed-'))
  gateway = await startGateway()
  await importFiles(gateway, imported)
})
afterAll(async () => {
  await gateway.close()
  await rm(dir, { recursive: true })
})

const env = () => ({ DATABASE_URL: gateway.deps.config.DATABASE_URL ?? '', POSITIONS_SOURCE: dir })
const resync = () =>
  fetch(`${gateway.base}/points/resync?date=${day}`, { method: 'POST', headers: asAdmin })
/** The runs of the day, newest first. */
const runs = async () =>
  (
    await gateway.ask(
      `{ runs(where: { date: { eq: "${day}" } }) { nodes { recordId kind status requestedBy error } } }`,
    )
  ).runs.nodes

test.each(['before it writes', 'in the middle of its writing'] as const)(
  'killed %s: nothing is half done, no lock is left',
  async (place) => {
    const before = await everything(gateway.deps.store.pool)
    const held = await hold(gateway, place)
    const started = start(['resync', '--date', day], env())
    try {
      await held.caught(started)
      expect((await runs())[0]).toMatchObject({ status: 'RUNNING', requestedBy: 'cli' })
      expect(await started.stop('SIGKILL')).toBeNull()
      // Still while the lock is taken.
      await vi.waitFor(async () => expect(await claims(gateway)).toBe(0), { timeout: 10_000 })
    } finally {
      await held.release()
    }
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    const [dead] = await runs()
    if (place === 'before it writes') {
      const [record] = parsed((await command(['runs', '--date', day, '--json'], env())).out)
      expect(record).toMatchObject({
        recordId: dead.recordId,
        status: 'FAILED',
        error: expect.stringContaining('cut off'),
      })
    } else {
      await importFiles(gateway, imported)
      expect((await resync()).status).toBe(200)
    }
    const record = (
      await gateway.ask(`{ run(recordId: "${dead.recordId}") { status error finishedAt } }`)
    ).run
    expect(record).toEqual({
      status: 'FAILED',
      error: 'It was cut off: the process that ran it ended.',
      finishedAt: expect.any(String),
    })
  },
)

const interrupted = [
  ['resync', 'before it writes', 'SIGINT'],
  ['resync', 'in the middle of its writing', 'SIGTERM'],
  ['manualupdate', 'in the middle of its writing', 'SIGINT'],
] as const
test.each(interrupted)(
  '%s that is interrupted %s, by %s, leaves the store as it was and 130',
  async (verb, place, signal) => {
    await writeFile(
      join(dir, 'positions.jsonl'),
      jsonLines([position(ANN, 20, { distributionDate: midnight(day) })]),
    )
    const before = await everything(gateway.deps.store.pool)
    const held = await hold(gateway, place)
    const started = start([verb, '--date', day], env())
    try {
      await held.caught(started)
      expect(await started.stop(signal)).toBe(130)
      expect(started.printed()).toContain('Interrupted')
      expect(await claims(gateway)).toBe(0)
    } finally {
      await held.release()
    }
    expect(await everything(gateway.deps.store.pool)).toEqual(before)
    expect((await runs())[0]).toMatchObject({
      kind: verb.toUpperCase(),
      status: 'FAILED',
      requestedBy: 'cli',
      error: 'It was interrupted.',
    })
    expect((await resync()).status).toBe(200)
  },
)
