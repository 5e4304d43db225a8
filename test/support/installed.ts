import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BUILDS } from '../../src/build/build.ts'
import { LONG } from './extent.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** The packages that are published from this repository, and where each is. */
const PATHS = { 'lending-graph-gateway': 'dist/package', 'lending-graph-client': 'src/client' }

export interface Installed {
  /** The package. */
  path: string
  /** The folder that it is installed into. */
  directory: string
  remove(): Promise<void>
}

/**
 * Packs a package as it would be published, and installs it into an empty folder: with TESTS=long
 * from the registry, otherwise with links to the packages that the lock file has for it.
 */
export async function installPackage(name: keyof typeof PATHS): Promise<Installed> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-installed-'))
  const cwd = join(ROOT, PATHS[name])
  if (name === 'lending-graph-gateway') await BUILDS.package()
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }')
  if (LONG)
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${filename}`], {
      cwd: directory,
    })
  else await installFromClone(directory, name, filename)
  return {
    path: join(directory, 'node_modules', name),
    directory,
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

async function installFromClone(
  directory: string,
  name: keyof typeof PATHS,
  archive: string,
): Promise<void> {
  const nested = join(directory, 'node_modules', name)
  await mkdir(nested, { recursive: true })
  await run('tar', ['-xzf', join(directory, archive), '-C', nested, '--strip-components=1'])
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const manifest: LockedPackage = JSON.parse(await readFile(join(nested, 'package.json'), 'utf8'))
  // A package has others below it.
  const paths = [...neededBy('', { ...packages, '': manifest })].filter(
    (path) => path.lastIndexOf('node_modules/') === 0,
  )
  const present = paths.filter((path) => existsSync(join(ROOT, path)))
  for (const path of new Set(present.map(dirname))) {
    await mkdir(join(directory, path), { recursive: true })
    const here = present.filter((one) => dirname(one) === path)
    await run('cp', ['-al', ...here, join(directory, path)], { cwd: ROOT })
  }
  await mkdir(join(directory, 'node_modules/.bin'))
  for (const [command, file] of Object.entries(manifest.bin ?? {})) {
    await chmod(join(nested, file), 0o755)
    await symlink(join('..', name, file), join(directory, 'node_modules/.bin', command))
  }
}

interface Lock {
  packages: Record<string, LockedPackage>
}

interface LockedPackage {
  bin?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** The packages that a package needs, its peers included, by their paths. */
export function neededBy(
  path: string,
  packages: Lock['packages'],
  needed = new Set<string>(),
): Set<string> {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    packages[path] ?? {}
  for (const name of Object.keys({
    ...dependencies,
    ...optionalDependencies,
    ...peerDependencies,
  })) {
    const at = peerDependenciesMeta?.[name]?.optional ? undefined : located(name, path, packages)
    if (at === undefined || needed.has(at)) continue
    needed.add(at)
    neededBy(at, packages, needed)
  }
  return needed
}

/** Where Node finds a package for another one. */
function located(name: string, from: string, packages: Lock['packages']): string | undefined {
  const parts = from.split('/node_modules/')
  for (let depth = parts.length; depth > 0; depth--) {
    const path = `${parts.slice(0, depth).join('/node_modules/')}/node_modules/${name}`
    if (packages[path]) return path
  }
  return packages[`node_modules/${name}`] ? `node_modules/${name}` : undefined
}
