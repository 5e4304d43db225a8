import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

export interface Installed {
  /** The program. */
  main: string
  /** The folder that it is installed into. */
  directory: string
  remove(): Promise<void>
}

/** Packs this package as it would be published, and installs it into an empty folder. */
export async function installPackage(): Promise<Installed> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-installed-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  await writeFile(join(directory, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`], { cwd: directory })
  return {
    main: join(directory, 'node_modules/lending-graph-gateway/dist/main.js'),
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
