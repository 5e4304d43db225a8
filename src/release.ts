import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, variables } from './config.ts'

/**
 * Identifies the program's code and the settings that change answers. Gateways with different
 * releases may answer a request differently.
 */
export async function releaseOf(config: Config): Promise<string> {
  const release = createHash('sha256')
  const settings = Object.entries(config).filter(
    ([name]) => variables.shape[name as keyof Config].meta()?.ofAnswers,
  )
  release.update(JSON.stringify(settings.sort(([a], [b]) => (a < b ? -1 : 1))))
  const root = import.meta.dirname
  const files = await readdir(root, { recursive: true })
  for (const file of files.filter((name) => /\.[jt]s$/.test(name)).sort())
    release.update(file).update(await readFile(join(root, file)))
  return release.digest('base64url').slice(0, 22)
}
