import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { freePort, isInstalled } from '../fire/redis-server.ts'

export const hasPooler = isInstalled('pgbouncer')
/** Follows the name of a test that needs it. */
export const NO_POOLER = hasPooler ? '' : ' (skipped: no pgbouncer)'

/** A pgbouncer before a database. `size` is how many connections it has to Postgres. */
export async function openPooler(
  target: string,
  { mode = 'transaction', size }: { mode?: string; size: number },
) {
  const { hostname, port, pathname, username, password } = new URL(target)
  const name = pathname.slice(1)
  const dir = await mkdtemp(join(tmpdir(), 'gateway-pgbouncer-'))
  await chmod(dir, 0o755)
  const free = await freePort()
  const config = `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${free}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
`
  await writeFile(join(dir, 'pgbouncer.ini'), config)
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn('pgbouncer', [...user, join(dir, 'pgbouncer.ini')], { stdio: 'ignore' })
  const url = `postgres://${username}@127.0.0.1:${free}/${name}`
  const answers = async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query('SELECT 1')
    await client.end()
  }
  await vi.waitFor(answers, { timeout: 20_000 })
  return {
    url,
    async close() {
      pooler.kill('SIGKILL')
      await once(pooler, 'exit')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
