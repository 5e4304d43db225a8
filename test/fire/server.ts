import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '../../src/embedded/index.ts'
import { type Started, start } from '../support/command-line.ts'
import { silent } from '../support/store.ts'
import type { Load, Report } from './load.ts'

/** Attacks are larger with FIRE=long. */
export const LONG = process.env.FIRE === 'long'

/** A gateway under attack: the built program, in a separate process. */
export interface Server extends Started {
  /** Where it listens: http://127.0.0.1:PORT */
  base: string
  pid: number
  databaseUrl: string
  /** Kills it, if it is still there, and drops its database if it was made for it. */
  close(): Promise<void>
}

export interface ServerOptions {
  env?: Record<string, string>
  /** The database that it uses; otherwise it gets a separate, empty one. */
  databaseUrl?: string
}

export const ADMIN_TOKEN = 'fire-admin-token'

/** Starts the built program and waits until it listens. */
export async function startServer({ env = {}, databaseUrl }: ServerOptions = {}): Promise<Server> {
  const created = databaseUrl === undefined ? await createDatabase() : undefined
  const url = databaseUrl ?? created?.url ?? ''
  const started = start(['serve'], {
    PORT: '0',
    DATABASE_URL: url,
    ADMIN_TOKEN,
    LOG_LEVEL: 'warn',
    ...env,
  })
  const { child } = started
  const base = await listening(started)
  return {
    ...started,
    base,
    pid: child.pid as number,
    databaseUrl: url,
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGCONT')
        await started.stop('SIGKILL')
      }
      await created?.drop()
    },
  }
}

/** Puts a load on a server, from a separate process. */
export async function load({ base }: Server, options: Omit<Load, 'port'>): Promise<Report> {
  const argument = JSON.stringify({ ...options, port: Number(new URL(base).port) } satisfies Load)
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'load.ts'), argument],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return JSON.parse(await text(child.stdout)) as Report
}

async function listening({ child, printed }: Started): Promise<string> {
  for (;;) {
    const base = /gateway on (http:\S+)/.exec(printed())?.[1]
    if (base) return base
    if (child.exitCode !== null) throw new Error(`the gateway has ended:\n${printed()}`)
    await sleep(20)
  }
}

/** An empty database on the run's Postgres. */
export async function createDatabase(server = process.env.TEST_POSTGRES_URL ?? '') {
  const name = `fire_${randomBytes(6).toString('hex')}`
  await query(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  return { url: url.href, drop: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** Runs one statement on a separate connection. */
export async function query(url: string, sql: string, values: unknown[] = []): Promise<any[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** A Postgres of the test's own, which can be frozen. */
export interface OwnPostgres {
  url: string
  /** Stops all of its processes, as a machine that hangs does. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

export async function openPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fire-postgres-'))
  const server = await openEmbedded({ dataDir, log: silent })
  const postmaster = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split(
    '\n',
  )[0] as string
  const signal = (name: 'STOP' | 'CONT') => {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster])
      .toString()
      .trim()
      .split(/\s+/)
    for (const pid of [postmaster, ...children]) {
      try {
        process.kill(Number(pid), `SIG${name}`)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  return {
    url: server.url,
    freeze: () => signal('STOP'),
    thaw: () => signal('CONT'),
    async close() {
      signal('CONT')
      await server.release()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The processor time that a process has taken, in milliseconds. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [, user = 0, system = 0] =
    /^\d+ \(.*\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat)?.map(Number) ?? []
  return (user + system) * 10
}

/** The resident memory of a process, in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}
