import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ADMIN_TOKEN, query, type Server, startServer } from './server.ts'

const POOL = `0x${'1'.repeat(40)}`
let server: Server
beforeAll(async () => {
  server = await startServer({ env: { LOCK_TIMEOUT_MS: '1000', DATABASE_POOL_SIZE: '4' } })
  await query(
    server.databaseUrl,
    `INSERT INTO pool (id, chain_id, number, name, asset_1_address, asset_1_name, asset_1_symbol, asset_2_address,
       asset_2_name, asset_2_symbol, created_timestamp, interest_last_updated, unit_1_id, unit_2_id)
     VALUES ($1, 1, 1, 'A/B', '0xa', 'A', 'A', '0xb', 'B', 'B', 1, 1, '0x1', '0x2')`,
    [POOL],
  )
}, 120_000)
afterAll(() => server?.close())

const update = (pool = POOL) =>
  fetch(`${server.base}/multipliers/update`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ poolAddress: pool, deposit_tokenA: 2 }),
    signal: AbortSignal.timeout(20_000),
  })

/** Runs `work` while another session holds a lock. */
async function whileHeld(sql: string, work: (client: pg.Client) => Promise<void>) {
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  try {
    await client.query(`BEGIN; ${sql}`)
    await work(client)
  } finally {
    await client.end()
  }
}

test.each([
  [
    'another writer',
    'SELECT pg_advisory_xact_lock(7014010)',
    /Another import, run or change of multipliers/,
  ],
  [
    'a session that has locked rows',
    'LOCK TABLE multiplier IN EXCLUSIVE MODE',
    /Another session .* has locked the rows/,
  ],
])(
  'a change that waits for %s is refused with a sentence, and goes through when it has gone',
  async (_, sql, detail) => {
    await whileHeld(sql, async () => {
      const refused = await update()
      expect(refused.status).toBe(503)
      expect(((await refused.json()) as { detail: string }).detail).toMatch(detail)
      expect((await fetch(`${server.base}/multipliers/all`)).status).toBe(201)
    })
    expect((await update()).status).toBe(200)
  },
)

test('reads that wait for a lock do not keep health from being right', async () => {
  await whileHeld('LOCK TABLE pool IN ACCESS EXCLUSIVE MODE', async () => {
    const reads = Array.from({ length: 20 }, (_, i) =>
      fetch(`${server.base}/pools/all?unique=${i}`).then(({ status }) => status),
    )
    for (const path of ['/health', '/readyz', '/livez'])
      expect((await fetch(server.base + path)).status).toBe(200)
    for (const status of await Promise.all(reads)) expect(status).toBe(503)
  })
})

/** A kernel's timer for a socket: /proc/net/tcp has it as `02:when`, in hundredths of a second. */
test.skipIf(process.platform !== 'linux')(
  'the server looks every few seconds whether a gateway is still there',
  async () => {
    await update()
    const rows = await query(
      server.databaseUrl,
      `SELECT client_port FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gateway'`,
    )
    const port = Number(new URL(server.databaseUrl).port)
    const hex = (value: number) => value.toString(16).toUpperCase().padStart(4, '0')
    expect(rows.length).toBeGreaterThan(0)
    // While something is on its way there is another timer.
    await vi.waitFor(async () => {
      const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n')
      for (const { client_port } of rows) {
        const socket = sockets.find((line) =>
          line.includes(`:${hex(port)} 0100007F:${hex(client_port)} 01 `),
        )
        const [, timer, when = ''] = / (0\d):([0-9A-F]{8}) /.exec(socket ?? '') ?? []
        expect({ timer, soon: Number.parseInt(when, 16) <= 1000 }, socket).toEqual({
          timer: '02',
          soon: true,
        })
      }
    }, 5000)
  },
)
