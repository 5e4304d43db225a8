import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, parsed } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

/** A store that cannot be used fails with one sentence on how to mend it, and changes nothing. */

let dir: string
const mounts: string[] = []
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-bad-store-'))
})
afterAll(async () => {
  for (const path of mounts) execFileSync('umount', ['--lazy', path])
  await rm(dir, { recursive: true, force: true })
})

async function mount(name: string, options: string): Promise<string> {
  const path = join(dir, name)
  await mkdir(path)
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' })
  mounts.push(path)
  return path
}

const mayMount = await (async () => {
  const path = await mkdtemp(join(tmpdir(), 'gateway-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path], { stdio: 'ignore' })
    execFileSync('umount', [path])
    return true
  } catch {
    return false
  } finally {
    await rm(path, { recursive: true, force: true })
  }
})()
const unlessMounted = mayMount ? '' : ' (skipped: this user may not mount)'

async function refused(env: Record<string, string>, code: number, message: RegExp): Promise<void> {
  const outcome = await command(['migrate'], env)
  expect(outcome).toEqual({ code, out: '', err: expect.stringMatching(message) })
  expect(outcome.err.trimEnd()).not.toContain('\n')
}

describe('DATA_DIR', () => {
  test('below a file', async () => {
    await writeFile(join(dir, 'file'), '')
    const path = join(dir, 'file/store')
    await refused(
      { DATA_DIR: path },
      2,
      new RegExp(`^DATA_DIR ${path} cannot be written to \\(ENOTDIR\\): make it a directory`),
    )
  })

  const isLinux = process.platform === 'linux'
  test.skipIf(!isLinux).each([
    ['a missing directory of /proc', '/proc/gateway/store'],
    ['/proc', '/proc'],
    ['a missing directory of /sys', '/sys/gateway'],
    ['a file', '/dev/null'],
  ])(`that is ${isLinux ? '%s' : '%s (skipped: not Linux)'}`, async (_, path) => {
    await refused(
      { DATA_DIR: path },
      2,
      new RegExp(`^DATA_DIR ${path} cannot be written to \\(E\\w+\\): make it a`),
    )
    const { code, out } = await command(['doctor', '--json'], { DATA_DIR: path })
    expect(code).toBe(1)
    expect(parsed(out).find(({ check }) => check === 'disk')).toMatchObject({ status: 'problem' })
  })

  test.skipIf(!mayMount)(`that may not be written to${unlessMounted}`, async () => {
    const path = await mount('readonly', 'ro')
    await refused(
      { DATA_DIR: path },
      2,
      new RegExp(`^DATA_DIR ${path} cannot be written to \\(EROFS\\): make it`),
    )
  })

  test.skipIf(!mayMount)(`on a full disk${unlessMounted}`, async () => {
    const path = await mount('full', 'size=8m,mode=1777')
    await refused(
      { DATA_DIR: path },
      6,
      new RegExp(`^The disk of DATA_DIR ${path} is full: free space on it`),
    )
    expect(await readdir(path)).toEqual([])
    const { code, out } = await command(['doctor', '--json'], { DATA_DIR: path })
    expect(code).toBe(1)
    expect(parsed(out).find(({ check }) => check === 'disk')).toMatchObject({ status: 'problem' })
  })
})

describe('the database', () => {
  /** A database that a test spoils: with the product's tables, or empty. */
  async function withStore(
    work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<void>,
    template?: string,
  ) {
    const store = await openStore(template)
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1`

  test.each([
    ['tables of our names', 'CREATE TABLE "user" (id int)', /since it has the table user\./],
    ['other tables', 'CREATE TABLE invoice (id int)', /since it has the table invoice\./],
    [
      'migrations of another program',
      `CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL,
         finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
         started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count int NOT NULL DEFAULT 0);
       INSERT INTO _prisma_migrations VALUES ('x', 'x', now(), '2020_invoices')`,
      /since it has the migration 2020_invoices\./,
    ],
  ])('of another program, with %s', (_, sql, message) =>
    withStore(async ({ url, pool }) => {
      await pool.query(sql)
      const before = (await pool.query(tables)).rows
      await refused({ DATABASE_URL: url }, 2, message)
      expect((await pool.query(tables)).rows).toEqual(before)
    }, 'template0'),
  )

  test('of a newer gateway', () =>
    withStore(async ({ url, pool }) => {
      await pool.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '2099_new', now())`,
      )
      await refused(
        { DATABASE_URL: url },
        2,
        /has the migration 2099_new, .*: use the version that applied it or a newer/,
      )
    }))

  test('that does not let its role in, or not change it', () =>
    withStore(async ({ url, pool }) => {
      const role = `outsider_${process.pid}`
      await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
      try {
        const as = (more: object) =>
          Object.assign(new URL(url), { username: role, password: 'secret', ...more }).href
        await refused(
          { DATABASE_URL: as({ password: 'wrong' }) },
          2,
          /password authentication failed.*Check DATABASE_URL\./,
        )
        await refused(
          { DATABASE_URL: as({ password: '' }) },
          2,
          /asks for a password\. Check DATABASE_URL\./,
        )
        await refused(
          { DATABASE_URL: as({ pathname: '/nowhere' }) },
          2,
          /"nowhere" does not exist\. Check DATABASE_URL\./,
        )
        await refused(
          { DATABASE_URL: as({}) },
          2,
          /this database role may not create tables: run `GRANT USAGE, CREATE ON SCHEMA public TO/,
        )
        expect((await pool.query(tables)).rows).toEqual([])
      } finally {
        await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
      }
    }, 'template0'))

  test.each(['on', 'off'])('that nothing answers for, with MIGRATE=%s', async (MIGRATE) => {
    const { code, err } = await command(['runs'], {
      MIGRATE,
      DATABASE_URL: 'postgres://ann:secret@127.0.0.1:1/points',
    })
    expect(code).toBe(6)
    expect(err).toMatch(
      /^The database cannot be reached: connect ECONNREFUSED.* Check DATABASE_URL, and that .*\n$/,
    )
  })

  test('whose clock differs by a day is reported, and used', () =>
    withStore(async ({ url }) => {
      const { code, out } = await command(['migrate'], {
        DATABASE_URL: url,
        LOG_LEVEL: 'warn',
        NODE_OPTIONS: '--import=data:text/javascript,const{now}=Date;Date.now=()=>now()-864e5',
      })
      expect(code).toBe(0)
      expect(out).toMatch(/The clock of this machine is 86,400 s behind that of Postgres/)
    }))
})
