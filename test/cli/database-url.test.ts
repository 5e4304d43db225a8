import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { command, parsed, runProcess, start } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

test.each([
  'postgres://ann:s3cr@t/w#rd@127.0.0.1:1/points',
  'postgres://ann:12/s3cret@127.0.0.1:1/points',
  'postgres://ann:1?s3cret@127.0.0.1:1/points',
  'postgres://ann:s3%ret@127.0.0.1:1/points',
  'postgres://ann:s3#ret@127.0.0.1:1/points',
])(
  'a raw character in a password (%s) is named, and no part of the password is shown',
  async (url) => {
    for (const setting of ['DATABASE_URL', 'DATABASE_REPLICA_URLS', 'ANALYTICS_SOURCE'])
      for (const name of ['runs', 'doctor']) {
        const others: Record<string, string> =
          setting === 'DATABASE_REPLICA_URLS'
            ? { DATABASE_URL: 'postgres://127.0.0.1:1/points' }
            : {}
        const { code, out, err } = await command([name], { ...others, [setting]: url })
        expect(code).not.toBe(0)
        expect(out + err).toMatch(/percent-encoded/)
        expect(out + err).not.toMatch(/s3|ret@|\/w|#rd/)
      }
  },
)

test('each parameter of other clients has its meaning, or is named', async () => {
  const asked = async (parameters: string) => {
    const { err } = await command(['runs', '--json'], {
      DATABASE_URL: `postgres://ann@127.0.0.1:1/points?${parameters}`,
    })
    const lines = parsed(err)
    return {
      message: lines.at(-1).message as string,
      warnings: lines.slice(0, -1).map(({ warning }) => warning),
    }
  }
  const away = /^The database cannot be reached/
  for (const plain of [
    'schema=public',
    'pgbouncer=true',
    'application_name=points',
    'options=-c%20work_mem%3D8MB',
  ])
    expect(await asked(plain)).toEqual({ message: expect.stringMatching(away), warnings: [] })
  for (const unused of [
    'connection_limit=5',
    'pool_timeout=10',
    'connect_timeout=3',
    'channel_binding=require',
  ])
    expect(await asked(unused)).toEqual({
      message: expect.stringMatching(away),
      warnings: [expect.stringContaining(`In DATABASE_URL, ${unused.split('=')[0]} is not used: `)],
    })
  for (const [refused, message] of [
    [
      'schema=points',
      /must not have schema=points: the tables of the gateway are in the schema public/,
    ],
    ['options=-c%20search_path%3Dpoints', /must not set search_path/],
    ['options=-csearch_path%3Dpoints', /must not set search_path/],
    ['options=--search-path%3Dpoints', /must not set search_path/],
    [
      'options=-c%20work_mem%3D8MB%20-c%20datestyle%3DGerman',
      /must not set DateStyle: each connection/,
    ],
    [
      'options=-c%20statement_timeout%3D5000',
      /must not set statement_timeout: READ_TIMEOUT_MS limits reads/,
    ],
    ['sslmode=requier', /must not have sslmode=requier: it is one of disable/],
    ['sslmod=require', /must not have the parameter sslmod, which the gateway does not know/],
    ['sslaccept=accept_invalid_certs', /sslmode=no-verify encrypts without checking/],
    ['sslrootcert=/nowhere/ca.pem', /has sslrootcert, which must be the path of a file/],
  ] as const)
    expect((await asked(refused)).message).toMatch(message)
})

test('a private authority is one sentence, without warnings of a library', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-tls-'))
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=db.example.org',
  ]
  execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const secureContext = createSecureContext({
    key: await readFile(key),
    cert: await readFile(cert),
  })
  // Takes a request for TLS as Postgres does, and goes no further.
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('S', () =>
        new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => {}),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    for (const mode of ['require', 'prefer', 'verify-ca', 'verify-full']) {
      const env = { DATABASE_URL: `postgres://ann@127.0.0.1:${port}/points?sslmode=${mode}` }
      const { code, err } = await runProcess(['runs', '--json'], env)
      expect(code).toBe(2)
      expect(parsed(err)).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/authority.*sslrootcert=.*sslmode=no-verify\.$/),
        }),
      ])
      const { out } = await runProcess(['doctor', '--json'], env)
      expect(parsed(out).find(({ check }) => check === 'database').message).toMatch(/sslrootcert=/)
    }
    const env = {
      DATABASE_URL: `postgres://ann@127.0.0.1:${port}/points?sslmode=require&sslrootcert=${cert}`,
    }
    expect((await command(['runs'], env)).err).toMatch(/is for another host/)
  } finally {
    server.close()
    await rm(dir, { recursive: true, force: true })
  }
})

/** A new role in a store, with the SQL that makes it. */
async function asRole(
  sql: (role: string, database: string) => string,
  work: (url: string, pool: pg.Pool) => Promise<void>,
) {
  const store = await openStore('template0')
  const role = `role_${randomBytes(4).toString('hex')}`
  const url = Object.assign(new URL(store.url), { username: role, password: 'secret' })
  await store.pool.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; ${sql(role, url.pathname.slice(1))}`,
  )
  try {
    await work(url.href, store.pool)
  } finally {
    await store.pool.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    await store.close()
  }
}

test('a schema before public does not matter', async () => {
  const sql = (role: string, database: string) => `GRANT CREATE ON SCHEMA public TO ${role};
    CREATE SCHEMA ${role} AUTHORIZATION ${role}; CREATE SCHEMA front AUTHORIZATION ${role};
    ALTER ROLE ${role} IN DATABASE ${database} SET search_path = "$user", front, public`
  await asRole(sql, async (DATABASE_URL, pool) => {
    for (let i = 0; i < 2; i++)
      expect(await command(['migrate'], { DATABASE_URL })).toMatchObject({ code: 0, err: '' })
    const { rows } = await pool.query(
      "SELECT DISTINCT schemaname FROM pg_tables WHERE schemaname !~ '^pg_|^information'",
    )
    expect(rows).toEqual([{ schemaname: 'public' }])
    expect(await command(['runs'], { DATABASE_URL })).toMatchObject({ code: 0, err: '' })
  })
})

test('a role that may not create tables gets the grant that helps', async () => {
  const sql = () => 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'
  await asRole(sql, async (DATABASE_URL, pool) => {
    const { err } = await command(['migrate'], { DATABASE_URL })
    const [grant = ''] = /GRANT USAGE, CREATE ON SCHEMA public TO \w+;/.exec(err) ?? []
    expect(err).toContain(`run \`${grant}\` as the owner of the database`)
    const { out } = await command(['doctor', '--json'], { DATABASE_URL })
    expect(parsed(out).find(({ check }) => check === 'migrations').remedy).toContain(grant)
    await pool.query(grant)
    expect(await command(['migrate'], { DATABASE_URL })).toMatchObject({ code: 0, err: '' })
  })
})

test('a first start that was killed at any moment can be started again', async () => {
  const store = await openStore('template0')
  const env = { DATABASE_URL: store.url }
  const moments = [
    "SELECT FROM pg_locks WHERE locktype = 'advisory'",
    'SELECT FROM _prisma_migrations',
    'SELECT FROM _prisma_migrations WHERE finished_at IS NOT NULL OFFSET 3',
  ]
  try {
    for (const moment of moments) {
      const started = start(['migrate'], env)
      const come = async () => {
        const { rowCount } = await store.pool.query(moment)
        if (!rowCount && started.child.exitCode === null) throw new Error('not yet')
      }
      await vi.waitFor(come, { timeout: 60_000, interval: 1 })
      await started.stop('SIGKILL')
    }
    expect(await command(['migrate'], env)).toMatchObject({ code: 0, err: '' })
    expect(await command(['doctor'], env)).toMatchObject({ code: 0 })
  } finally {
    await store.close()
  }
})
