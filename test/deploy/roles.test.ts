import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, type Serving, serve } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

/** The roles of src/deploy/roles.sql, from an empty database on. */

const ROOT = join(import.meta.dirname, '../..')
const fixture = join(ROOT, 'test/fixtures/contract')
const ADMIN_TOKEN = 'roles-admin-token'
const READER = { MIGRATE: 'off', ADMIN_TOKEN }

let store: Awaited<ReturnType<typeof openStore>>
let script: string
let url: Record<'owner' | 'writer' | 'reader', string>
const clients: Record<string, pg.Client> = {}
const servers: Serving[] = []

beforeAll(async () => {
  store = await openStore('template0')
  script = await readFile(join(ROOT, 'src/deploy/roles.sql'), 'utf8')
  await store.pool.query(script)
  const urlOf = async (role: string) => {
    await store.pool.query(`ALTER ROLE gateway_${role} PASSWORD 'secret'`)
    const of = new URL(store.url)
    of.username = `gateway_${role}`
    of.password = 'secret'
    return of.href
  }
  url = {
    owner: await urlOf('owner'),
    writer: await urlOf('writer'),
    reader: await urlOf('reader'),
  }
})
afterAll(async () => {
  for (const server of servers) await server.stop('SIGTERM')
  for (const client of Object.values(clients)) await client.end()
  await store.close()
})

const run = (role: keyof typeof url, args: string[], env: Record<string, string> = {}) =>
  command(args, { DATABASE_URL: url[role], ...env })

/** Starts a gateway. */
async function serveAs(role: keyof typeof url, env: Record<string, string>): Promise<Serving> {
  const server = await serve({ DATABASE_URL: url[role], LOG_LEVEL: 'info', ...env })
  servers.push(server)
  return server
}

/** Runs a statement as a role. @returns the error's code, or what went right */
async function attempt(role: keyof typeof url, sql: string): Promise<string> {
  clients[role] ??= await connected(url[role])
  return clients[role].query(`BEGIN; ${sql}; ROLLBACK`).then(
    () => `${sql} is allowed`,
    async (error) => {
      await clients[role]?.query('ROLLBACK')
      return error.code
    },
  )
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

const tables = async () =>
  (
    await store.pool.query<{ name: string; column: string }>(
      `SELECT c.relname AS name, (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 LIMIT 1) AS column
       FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
    )
  ).rows

const NO_RIGHT = '42501'

describe.sequential('from an empty database on', () => {
  test('only the owner migrates, and the others say so in a sentence', async () => {
    const writer = await run('writer', ['import', fixture])
    const lacks = 'The database lacks 3 migrations, beginning with 20261126000000_store, and'
    const migrate = 'run the command migrate with the role that owns the tables.'
    const grant =
      'run `GRANT USAGE, CREATE ON SCHEMA public TO gateway_writer;` as the owner of the database, or'
    const writerErr = `${lacks} this database role may not create tables: ${grant} ${migrate}\n`
    expect(writer).toMatchObject({ code: 2, err: writerErr })
    const reader = await run('reader', ['serve'], { ...READER, PORT: '0' })
    expect(reader).toMatchObject({ code: 2, err: `${lacks} MIGRATE is off: ${migrate}\n` })
    expect(await tables()).toEqual([])

    // Whoever runs the command means it.
    expect(await run('owner', ['migrate'], { MIGRATE: 'off' })).toMatchObject({ code: 0 })
    expect((await tables()).length).toBeGreaterThan(20)
    await store.pool.query(script)
  })

  test('the writer imports, computes points and changes multipliers', async () => {
    expect(await run('writer', ['import', fixture])).toMatchObject({ code: 0 })
    expect(await run('writer', ['resync', '--all'])).toMatchObject({ code: 0 })
    const day = ['manualupdate', '--date', '2026-03-03']
    expect(await run('writer', day, { POSITIONS_SOURCE: fixture })).toMatchObject({ code: 0 })
    const { rows } = await store.pool.query('SELECT id FROM pool LIMIT 1')
    expect(
      await run('writer', ['multipliers', 'set', rows[0].id, '--deposit-a', '2', '--yes']),
    ).toMatchObject({
      code: 0,
    })
  })

  test('the writer changes no tables, and not what is recorded of migrations', async () => {
    for (const { name } of await tables()) {
      for (const sql of [
        `DROP TABLE "${name}"`,
        `ALTER TABLE "${name}" ADD COLUMN more int`,
        `TRUNCATE "${name}"`,
      ])
        expect([sql, await attempt('writer', sql)]).toEqual([sql, NO_RIGHT])
      for (const trigger of ['ALL', 'USER'])
        expect(await attempt('writer', `ALTER TABLE "${name}" DISABLE TRIGGER ${trigger}`)).toBe(
          NO_RIGHT,
        )
    }
    expect(await attempt('writer', 'CREATE TABLE more (n int)')).toBe(NO_RIGHT)
    expect(await attempt('writer', 'DELETE FROM _prisma_migrations')).toBe(NO_RIGHT)
    expect(await attempt('writer', 'SET ROLE gateway_owner')).toBe(NO_RIGHT)
  })

  test('the reader reads no secret of a hook, and lists hooks', async () => {
    expect(await attempt('reader', 'SELECT secret FROM hook')).toBe(NO_RIGHT)
    expect(await attempt('reader', 'SELECT previous_secret FROM hook')).toBe(NO_RIGHT)
    expect(await run('reader', ['hooks', 'list'], READER)).toMatchObject({ code: 0 })
    expect(await attempt('writer', 'SELECT secret FROM hook')).toContain('is allowed')
  })

  test('the reader changes no table', async () => {
    for (const { name, column } of await tables()) {
      expect(await attempt('reader', `SELECT FROM "${name}" LIMIT 1`)).toContain('is allowed')
      for (const sql of [
        `INSERT INTO "${name}" DEFAULT VALUES`,
        `UPDATE "${name}" SET "${column}" = "${column}"`,
        `DELETE FROM "${name}"`,
        `TRUNCATE "${name}"`,
        `SELECT FROM "${name}" FOR UPDATE`,
        `DROP TABLE "${name}"`,
        `ALTER TABLE "${name}" ADD COLUMN more int`,
      ])
        expect([sql, await attempt('reader', sql)]).toEqual([sql, NO_RIGHT])
    }
    for (const sql of [
      'CREATE TABLE more (n int)',
      'CREATE TEMP TABLE more (n int)',
      "SELECT nextval('run_id_seq')",
    ])
      expect([sql, await attempt('reader', sql)]).toEqual([sql, NO_RIGHT])
  })

  test('the reader serves both APIs, shows what the writer changes, and runs no jobs', async () => {
    // Ranks of past dates are missing: what may write computes them.
    await store.pool.query('DELETE FROM rank_history_date')
    const { base, printed } = await serveAs('reader', READER)
    expect(printed()).toContain('the database role may only read: no jobs run here')
    expect((await fetch(`${base}/health`)).status).toBe(200)
    const getJson = async (path: string) => (await fetch(base + path)).json()
    const pools = (await getJson('/pools/all')) as { id: string }[]
    expect(pools.length).toBeGreaterThan(0)
    const depositA = async () => {
      const multipliers = (await getJson('/multipliers/all')) as {
        poolAddress: string
        deposit_tokenA: number
      }[]
      return multipliers.find(({ poolAddress }) => poolAddress === pools[0]?.id)?.deposit_tokenA
    }
    await depositA()
    const set = ['multipliers', 'set', String(pools[0]?.id), '--deposit-a', '7', '--yes']
    expect(await run('writer', set)).toMatchObject({ code: 0 })
    // The reader is notified of the change.
    await expect.poll(depositA).toBe(7)
    const query = encodeURIComponent('{ leaderboard(first: 1) { nodes { points } } }')
    expect(await getJson(`/graphql?query=${query}`)).toMatchObject({
      data: { leaderboard: { nodes: [{}] } },
    })

    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const changes = [
      fetch(`${base}/points/resync?date=2026-03-01`, { method: 'POST', headers }),
      fetch(`${base}/multipliers/update`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ poolAddress: pools[0]?.id, deposit_tokenA: 9 }),
      }),
    ]
    for (const response of await Promise.all(changes)) {
      const detail = 'The database role of this gateway has no right to do this.'
      expect(await response.json()).toMatchObject({ status: 403, detail })
    }
    expect(await depositA()).toBe(7)
    expect(printed()).not.toContain('"level":40')
    expect(printed()).not.toContain('"level":50')
  })

  test('a gateway of the writer computes ranks of past dates', async () => {
    await serveAs('writer', { MIGRATE: 'off' })
    const missing = `SELECT FROM distribution d WHERE date < (SELECT max(date) FROM distribution)
      AND NOT EXISTS (SELECT FROM rank_history_date s WHERE s.date = d.date)`
    await expect.poll(async () => (await store.pool.query(missing)).rows.length).toBe(0)
  })

  test('the daily job needs a role that writes', async () => {
    const daily = { ...READER, DISTRIBUTION_CRON: '0 1 * * *', POSITIONS_SOURCE: fixture }
    const message =
      'DISTRIBUTION_CRON is set, but the role of DATABASE_URL may only read: unset it, or run the grants that `gateway doctor` prints.\n'
    expect(await run('reader', ['serve'], daily)).toMatchObject({ code: 2, err: message })
  })

  test('tables of later migrations have the same rights', async () => {
    const owner = await connected(url.owner)
    await owner.query('CREATE TABLE later (id bigserial, n int)')
    await owner.end()
    expect(await attempt('reader', 'SELECT FROM later')).toContain('is allowed')
    expect(await attempt('reader', 'DELETE FROM later')).toBe(NO_RIGHT)
    expect(await attempt('writer', 'INSERT INTO later (n) VALUES (1)')).toContain('is allowed')
    expect(await attempt('writer', 'DROP TABLE later')).toBe(NO_RIGHT)
  })
})

test('a store that another role has made is handed over', async () => {
  const made = await openStore()
  try {
    await made.pool.query(script)
    const { rows } = await made.pool.query(
      `SELECT DISTINCT relowner::regrole::text AS owner FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'S')`,
    )
    expect(rows).toEqual([{ owner: 'gateway_owner' }])
    const of = (role: keyof typeof url) =>
      Object.assign(new URL(url[role]), { pathname: new URL(made.url).pathname }).href
    expect(await command(['migrate'], { DATABASE_URL: of('owner') })).toMatchObject({ code: 0 })
    expect(await command(['import', fixture], { DATABASE_URL: of('writer') })).toMatchObject({
      code: 0,
    })
  } finally {
    await made.close()
  }
})
