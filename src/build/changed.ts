/**
 * `npm run test:changed [BASE]` runs the tests that concern what has changed since a commit, the
 * last one unless it is given. `--list` names their files only.
 *
 * Most tests send requests to a whole gateway, so their imports lead to every file. A table says
 * which of them try what a folder does. Other tests import what they try.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { filesIn, ROOT } from './fresh.ts'

// The tests that try what a folder does through a gateway or a command: the longest name counts.
const TESTS: Record<string, string[]> = {
  'prisma/': ['db/{schema,migrate}', 'cli/export', 'property/holdings', 'docs/your-protocol'],
  'src/build/': ['build/', 'packages', 'installed', 'clean-clone'],
  'src/cache/': ['http/{cached-queries,shared-answers,redis}'],
  'src/cli/': ['cli/', 'docs/settings', 'docs/references'],
  'src/client/': ['client/', 'graphql/operations'],
  'src/config.ts': ['docs/settings', 'http/shared-answers', 'cli/settings', 'deploy/files'],
  'src/db/': ['db/', 'graphql/{filters,connections,plan}', 'facts/'],
  'src/deploy/': ['deploy/files', 'docs/references'],
  'src/domain/': ['domain/', 'facts/', 'graphql/{filters,values,connections,plan}', 'cli/export'],
  'src/domain/dataset/': ['domain/import', 'docs/import-format', 'cli/{import,export,template}'],
  'src/domain/distribution/': ['distribution/', 'domain/', 'jobs/'],
  'src/generated/': ['rest/openapi', 'graphql/{schema,compatibility,operations}', 'client/package'],
  'src/graphiql/': ['http/graphiql', 'graphql/examples', 'bench/'],
  'src/graphql/': ['graphql/', 'facts/', 'bench/'],
  'src/graphql/schema/': [
    ...['graphql/{schema,values,filters,connections,plan,cost,unplanned}', 'facts/', 'bench/'],
    ...['rest/{contract,openapi}', 'docs/references'],
  ],
  'src/http/': ['http/', 'rest/{contract,openapi,input}'],
  'src/jobs/': ['jobs/', 'distribution/'],
  'src/rest/': ['rest/', 'conformance', 'clients/', 'bench/', 'docs/references', 'http/pages'],
  'src/sample/': ['sample/', 'rest/examples'],
  'src/site/': ['docs/site'],
  'src/sources/': ['sources/', 'update/'],
  'src/web/': ['web/'],
  'test/facts/': ['facts/'],
  'test/fixtures/conformance/': ['conformance'],
  'test/fixtures/contract/': ['rest/', 'docs/commands'],
}

// Documents are checked as texts, and the site shows them.
const OF_DOCUMENTS = ['docs/references', 'docs/prose', 'docs/commands', 'docs/site']

const base = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? 'HEAD'
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...git('diff', '--name-only', base, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
const all = (await filesIn('test')).filter((file) => file.endsWith('.test.ts'))
const files = [...new Set([...changed.flatMap(byTable), ...(await byImport(changed))])].sort()

if (process.argv.includes('--list')) process.stdout.write(files.map((file) => `${file}\n`).join(''))
else if (files.length > 0) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const { status } = spawnSync(process.execPath, [...vitest, ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { TESTS: 'sample', ...process.env, TESTS_OF_CHANGES: 'true' },
  })
  process.exitCode = status ?? 1
}

function byTable(file: string): string[] {
  const folders = Object.keys(TESTS).filter((folder) => file.startsWith(folder))
  const nearest = folders.sort((one, other) => other.length - one.length)[0]
  const names = file.endsWith('.md') ? OF_DOCUMENTS : (TESTS[nearest ?? ''] ?? [])
  return names.flatMap(expanded).flatMap(testsOf)
}

function testsOf(name: string): string[] {
  const path = name.endsWith('/') ? `test/${name}` : `test/${name}.test.ts`
  const tests = all.filter((test) => test.startsWith(path))
  if (tests.length === 0) throw new Error(`src/build/changed.ts names ${name}: no such test.`)
  return tests
}

// `a/{b,c}` is `a/b` and `a/c`.
function expanded(name: string): string[] {
  const [, before, choices] = /^(.*)\{(.*)\}$/.exec(name) ?? []
  return choices ? choices.split(',').map((choice) => `${before}${choice}`) : [name]
}

// The tests that import a changed file, but for those that reach it through a whole gateway.
async function byImport(changed: string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: all,
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const importsOf = (file: string) => {
    if (file === 'src/app.ts' || file === 'src/deps.ts') return []
    return (metafile.inputs[file]?.imports ?? []).map(({ path }) =>
      relative(ROOT, join(ROOT, path)),
    )
  }
  const reaches = (test: string) => {
    const seen = new Set([test])
    for (const file of seen) for (const path of importsOf(file)) seen.add(path)
    return changed.some((file) => seen.has(file))
  }
  return all.filter(reaches)
}
