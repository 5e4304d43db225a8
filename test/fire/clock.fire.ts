import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { parsed, runProcess, start } from '../support/command-line.ts'

/** A gateway on a machine whose clock was once 90 days ahead. */

const AHEAD = '--import=data:text/javascript,const{now}=Date,D=Date;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(now()+7776e6)}static now(){return now()+7776e6}}'

test('a clock that was ahead stops no scheduled update, and no run ends before it started', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-clock-'))
  const source = join(dir, 'source')
  const env = { DATA_DIR: join(dir, 'data'), ANALYTICS_SOURCE: source, ANALYTICS_CRON: '* * * * *', PORT: '0' }
  await mkdir(source)
  await writeFile(join(source, 'cash-flows.jsonl'), '')
  const runs = async (): Promise<any[]> => {
    const { out } = await runProcess(['runs', '--limit', '200', '--json'], { DATA_DIR: env.DATA_DIR })
    return parsed(out)
  }
  /** Serves until there are more successful updates. */
  const updates = async (more: Record<string, string>, before: number) => {
    const gateway = start(['serve'], { ...env, ...more })
    const come = async () => {
      const done = (await runs()).filter(({ status }) => status === 'SUCCEEDED' || status === 'succeeded')
      expect(done.length, gateway.printed()).toBeGreaterThan(before)
      return done.length
    }
    const count = await vi.waitFor(come, { timeout: 150_000, interval: 1000 })
    await gateway.stop('SIGTERM')
    return count
  }
  try {
    const ahead = await updates({ NODE_OPTIONS: AHEAD }, 0)
    await updates({}, ahead)
    for (const { startedAt, finishedAt } of await runs())
      if (finishedAt) expect(Date.parse(finishedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
