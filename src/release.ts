import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** Settings that do not affect answers, so they may differ between gateways that share a cache. */
const OF_ONE_PROCESS = [
  'HOST',
  'PORT',
  'DATABASE_URL',
  'DATABASE_POOL_SIZE',
  'DATA_DIR',
  'REDIS_URL',
  'CACHE_MAX_BYTES',
  'ADMIN_TOKEN',
  'ADMIN_TOKENS',
  'POSITIONS_SOURCE_KEY',
  'LOG_LEVEL',
]

/** Identifies the program's code and settings. Gateways with different releases may answer a request differently. */
export async function releaseOf(config: Config): Promise<string> {
  const release = createHash('sha256')
  const settings = Object.entries(config).filter(([name]) => !OF_ONE_PROCESS.includes(name))
  release.update(JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1))))
  const root = import.meta.dirname
  const files = await readdir(root, { recursive: true })
  for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort())
    release.update(file).update(await readFile(join(root, file)))
  return release.digest('base64url').slice(0, 22)
}
