import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../fire/redis-server.ts'
import { directoryInMemory } from './memory.ts'

const run = promisify(execFile)
const DEBIAN = '/usr/lib/postgresql'

/** The programs of the newest Postgres that is installed here, as Debian's packages do. */
export const postgresPrograms = newest()

function newest(): string | undefined {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).filter((name) => /^\d+$/.test(name))
    : []
  const programs = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin'))
  return programs.find((path) =>
    ['initdb', 'pg_dump', 'psql'].every((name) => existsSync(join(path, name))),
  )
}

/** True if streaming replicas can be made. */
export const hasReplicas =
  postgresPrograms !== undefined && existsSync(join(postgresPrograms, 'pg_basebackup'))
/** Follows the name of a test that needs them. */
export const NO_REPLICAS = hasReplicas ? '' : ' (skipped: no pg_basebackup of Postgres)'

export interface OwnPostgres {
  /** A database on it. */
  url(database: string): string
  /** Ends it like a crash. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a Postgres that is not the embedded one, as those who bring their own do.
 * @param primary what it is a streaming replica of
 */
export async function startOwnPostgres(
  programs: string,
  primary?: OwnPostgres,
): Promise<OwnPostgres> {
  const directory = await directoryInMemory('gateway-own-postgres-')
  // It refuses root.
  const ids = userInfo().uid === 0 ? { uid: await idOf('-u'), gid: await idOf('-g') } : {}
  if (ids.uid !== undefined) await chown(directory, ids.uid, ids.gid)
  const data = join(directory, 'data')
  const program = (name: string, ...args: string[]) =>
    run(join(programs, name), args, { ...ids, cwd: directory })
  const pgCtl = (...args: string[]) => program('pg_ctl', '-D', data, ...args)
  const port = await freePort()
  if (primary) {
    const copy = [
      '-D',
      data,
      '-d',
      primary.url('postgres'),
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]
    await program('pg_basebackup', ...copy)
  } else
    await pgCtl(
      'init',
      '-o',
      '--username=postgres --auth=trust --no-sync --encoding=UTF8 --locale=C',
    )
  // A replica that was away finds what it has missed.
  const settings = '-c fsync=off -c wal_keep_size=1GB'
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= ${settings}`
  // Its output must not be this process's: the server would keep it open.
  let isUp = false
  const start = async () => {
    await pgCtl('start', '--wait', '--log', join(directory, 'log'), '-o', options)
    isUp = true
  }
  const kill = async () => {
    if (isUp) await pgCtl('stop', '--mode', 'immediate')
    isUp = false
  }
  await start()
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    kill,
    start,
    async close() {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const idOf = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout)
