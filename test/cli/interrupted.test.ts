import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { runProcess, type Started, start } from '../support/command-line.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { ANN, DAY, importFiles, multiplier, POOL, pool, position } from '../support/one-pool.ts'
import { hold, type Place } from '../support/pause.ts'
import { startProxy } from '../support/proxy.ts'

/**
 * How commands end that are interrupted, or whose database goes away in the middle: with one
 * sentence, and no stack.
 */

let gateway: Gateway
let url: string
let db: pg.Client
/** Requests that wait for more. */
const stalled = new Set<ServerResponse>()
/** A source that begins to send its records, and stops. */
const source = createServer((request, response) => {
  const file = /\/([a-z-]+)\.jsonl$/.exec(request.url ?? '')?.[1]
  if (file !== 'positions' && file !== 'prices') return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.write(`${JSON.stringify(RECORDS[file])}\n`)
  stalled.add(response)
})
const RECORDS = {
  positions: position(ANN, 1),
  prices: { chainId: 1, assetAddress: pool.asset_1_address, date: DAY, priceUsd: 1 },
}
let base: string

beforeAll(async () => {
  gateway = await startGateway()
  url = gateway.deps.config.DATABASE_URL as string
  await importFiles(gateway, {
    pools: [pool],
    multipliers: [multiplier],
    positions: [position(ANN, 100)],
  })
  db = new pg.Client({ connectionString: url })
  await db.connect()
  source.listen(0, '127.0.0.1')
  await once(source, 'listening')
  base = `http://127.0.0.1:${(source.address() as AddressInfo).port}`
})
afterAll(async () => {
  source.closeAllConnections()
  source.close()
  await db.end()
  await gateway.close()
})
afterEach(() => {
  for (const response of stalled) response.destroy()
  stalled.clear()
})

/** The sessions of the command. Those of the gateway of this test have begun before it. */
const SESSIONS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_start > $1 AND application_name LIKE 'gateway%'`

type Break = 'SIGINT' | 'the database goes away'

/** Runs a command until it is in the middle, then breaks it. */
async function broken(
  args: string[],
  how: Break,
  isInTheMiddle: (command: Started) => Promise<void>,
) {
  const { rows } = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const settings = {
    DATABASE_URL: url,
    LOG_LEVEL: 'warn',
    POSITIONS_SOURCE: base,
    ANALYTICS_SOURCE: base,
  }
  const command = start(args, settings)
  const ended = once(command.child, 'close')
  await isInTheMiddle(command)
  if (how === 'SIGINT') command.child.kill('SIGINT')
  else {
    await db.query(`SELECT pg_terminate_backend(pid) FROM (${SESSIONS}) s`, [rows[0]?.now])
    for (const response of stalled) response.end()
  }
  const [code] = await ended
  // On a slow machine there is time for progress.
  return { code, printed: command.printed().replace(/^.* so far\n/gm, '') }
}

const EXPECTED: Record<Break, { code: number; printed: unknown }> = {
  SIGINT: { code: 130, printed: 'Interrupted: unfinished work has changed nothing.\n' },
  'the database goes away': {
    code: 6,
    printed: expect.stringMatching(
      /^The database went away, or cannot be reached \(.+\): unfinished work has changed nothing\. Run the command again when it is back\.\n$/,
    ),
  },
}

const fetching = () =>
  vi.waitFor(() => expect(stalled.size).toBeGreaterThan(0), { timeout: 50_000, interval: 50 })

describe.each<Break>(['SIGINT', 'the database goes away'])('%s', (how) => {
  test.each([
    [['import'], () => [base]],
    [['update', 'prices'], () => []],
    [['manualupdate', '--date', DAY], () => []],
    [['manualupdate', '--date', DAY, '--dry-run'], () => []],
  ])('while %j fetches', { timeout: 300_000 }, async (words, more) => {
    expect(await broken([...words, ...more()], how, fetching)).toEqual(EXPECTED[how])
  })

  test.each<[string[], Place]>([
    [['resync', '--date', DAY], 'before it writes'],
    [['resync', '--date', DAY], 'while it computes'],
    [['resync', '--date', DAY], 'in the middle of its writing'],
    [['multipliers', 'set', POOL, '--deposit-a', '2.5', '--yes'], 'before it writes'],
    [['base-points', 'set', '--deposit', '2', '--borrow', '1'], 'before it writes'],
    [['seasons', 'set', 'One', '--from', DAY], 'before it writes'],
  ])('while %j waits: %s', { timeout: 300_000 }, async (words, place) => {
    const held = await hold(gateway, place)
    try {
      expect(await broken(words, how, (command) => held.caught(command))).toEqual(EXPECTED[how])
    } finally {
      await held.release()
    }
  })
})

test('an import that copies another gateway is interrupted with one sentence', {
  timeout: 300_000,
}, async () => {
  let reading = 0
  const other = await startProxy(gateway.base, {
    async answer({ path }) {
      if (!path.startsWith(`/v1/users/${ANN}/`)) return false
      reading++
      await sleep(30_000, undefined, { ref: false })
      return false
    },
  })
  try {
    const copying = () =>
      vi.waitFor(() => expect(reading).toBeGreaterThan(0), { timeout: 50_000, interval: 50 })
    expect(await broken(['import', other.base], 'SIGINT', copying)).toEqual(EXPECTED.SIGINT)
  } finally {
    await other.close()
  }
})

test('a commit whose connection is lost says that the outcome is not known', {
  timeout: 300_000,
}, async () => {
  await db.query(`CREATE FUNCTION lose_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON base_points_revision DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION lose_connection()`)
  try {
    const { code, err } = await runProcess(
      ['base-points', 'set', '--deposit', '2', '--borrow', '1'],
      {
        DATABASE_URL: url,
      },
    )
    expect({ code, err }).toEqual({
      code: 6,
      err: 'The database went away while it stored this, so it is not known whether it is stored. Look before you try again.\n',
    })
  } finally {
    await db.query('DROP TRIGGER lost ON base_points_revision; DROP FUNCTION lose_connection')
  }
})
