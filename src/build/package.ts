import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './fresh.ts'
import { EXTERNAL } from './program.ts'

export const PUBLISHED = [
  ...['LICENSE', 'README.md', 'dist', 'prisma', 'src/deploy'],
  ...['src/generated/schema.graphql', 'src/generated/openapi.json'],
]
const PACKAGE = 'dist/package'

/**
 * Writes dist/package, to be packed and published: it depends on the packages that are not in the
 * bundle, and on no others.
 */
export async function writePackage(): Promise<void> {
  await rm(join(ROOT, PACKAGE), { recursive: true, force: true })
  for (const path of PUBLISHED) await copy(path)
  const { name, version, description, license, type, bin, exports, engines, dependencies } =
    JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const outside = Object.fromEntries(
    Object.entries(dependencies).filter(([name]) => EXTERNAL.includes(name)),
  )
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    bin,
    exports,
    engines,
    dependencies: outside,
  }
  await writeFile(join(ROOT, PACKAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function copy(path: string): Promise<void> {
  if (path === PACKAGE || /^dist\/((modules|bench|dev)\.js|\.)/.test(path)) return
  const from = join(ROOT, path)
  const to = join(ROOT, PACKAGE, path)
  await mkdir(dirname(to), { recursive: true })
  if (!(await stat(from)).isDirectory()) return copyFile(from, to)
  for (const name of await readdir(from)) await copy(`${path}/${name}`)
}
