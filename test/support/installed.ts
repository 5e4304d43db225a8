import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LONG } from './long.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const NAME = 'lending-graph-gateway'

export interface Installed {
  /** The program. */
  main: string
  /** The folder that it is installed into. */
  directory: string
  remove(): Promise<void>
}

/**
 * Packs this package as it would be published, and installs it into an empty folder: with TESTS=long from the registry,
 * otherwise with links to the packages that the lock file has for production.
 */
export async function installPackage(): Promise<Installed> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-installed-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: ROOT })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  await writeFile(join(directory, 'package.json'), '{ "private": true }')
  if (LONG)
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`], { cwd: directory })
  else await installFromClone(directory, filename)
  return {
    main: join(directory, 'node_modules', NAME, 'dist/main.js'),
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

async function installFromClone(directory: string, archive: string): Promise<void> {
  const own = join(directory, 'node_modules', NAME)
  await mkdir(own, { recursive: true })
  await run('tar', ['-xzf', join(directory, archive), '-C', own, '--strip-components=1'])
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  const needed = Object.entries(packages).filter(([path, { dev, devOptional }]) => path && !dev && !devOptional)
  // A package has those of its own below it.
  const paths = needed.map(([path]) => path).filter((path) => path.lastIndexOf('node_modules/') === 0)
  const present = paths.filter((path) => existsSync(join(ROOT, path)))
  for (const path of new Set(present.map(dirname))) {
    await mkdir(join(directory, path), { recursive: true })
    const here = present.filter((one) => dirname(one) === path)
    await run('cp', ['-al', ...here, join(directory, path)], { cwd: ROOT })
  }
}
