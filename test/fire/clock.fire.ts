import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { command } from '../support/command-line.ts'
import { createDatabase, query, startServer } from './server.ts'

/** What the scheduled updates of a gateway leave whose clock is 90 days ahead. */
const AHEAD = `INSERT INTO run (kind, leg, status, requested_by, started_at, finished_at, base_deposit, base_borrow)
  SELECT 'update', leg, 'succeeded', 'schedule', now() + interval '90 days', now() + interval '90 days', 1, 0.5
  FROM unnest(ARRAY['rates', 'prices', 'market-snapshots', 'vault-snapshots', 'cash-flows']) leg`

const UPDATES = `SELECT status, started_at AS started, finished_at AS finished FROM run
  WHERE kind = 'update' AND started_at < now() + interval '1 day'`

test('a clock that was ahead stops no scheduled update, and no run ends before it started', async () => {
  const source = await mkdtemp(join(tmpdir(), 'gateway-clock-'))
  await writeFile(join(source, 'cash-flows.jsonl'), '')
  const database = await createDatabase()
  expect(await command(['migrate'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 })
  await query(database.url, AHEAD)
  const env = { ANALYTICS_SOURCE: source, ANALYTICS_CRON: '* * * * *' }
  const server = await startServer({ databaseUrl: database.url, env })
  try {
    const updates = await vi.waitFor(
      async () => {
        const rows = await query(database.url, UPDATES)
        expect(rows.length, server.printed()).toBeGreaterThan(0)
        return rows
      },
      { timeout: 150_000, interval: 500 },
    )
    for (const { started, finished } of updates)
      if (finished) expect(finished.getTime()).toBeGreaterThanOrEqual(started.getTime())
  } finally {
    await server.close()
    await database.drop()
    await rm(source, { recursive: true, force: true })
  }
})
