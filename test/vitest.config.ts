import { statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { generated } from './generated.ts'
import { builtModules } from './support/built-modules.ts'

const test = (name: string) => `test/${name}.test.ts`

/** The documented contracts: `npm run verify`. */
const contract = [
  'rest/contract',
  'rest/openapi',
  'graphql/schema',
  'graphql/compatibility',
  'client/package',
]

/**
 * What `npm test` runs: the graph, REST, the domain and the store, through HTTP, without other
 * programs.
 */
const kernel = [
  'bench/**',
  'conformance',
  'clients/**',
  'db/{faults,millionths,migrate,notifications,pipelines,schema,topology}',
  'distribution/**',
  'domain/**',
  'facts/**',
  'graphql/**',
  'jobs/**',
  'rest/**',
]

/**
 * What `npm test` leaves to `npm run test:all`: large stores, many values, slow clients and
 * sources, other programs.
 */
const second = [
  'distribution/{graph-source,killed}',
  'graphql/{compatibility,cost,doubles,event-loop,history-cost,introspection}',
  'graphql/{large-reads,operations,remembered-documents,slow-readers}',
  'rest/{large-totals,lint}',
]

/** Files that take longest: their tests wait, or send thousands of requests. */
const slow = [
  ...['graphql/plan', 'graphql/connections', 'graphql/filters', 'bench/statement-table'],
  ...['domain/import', 'facts/facts', 'conformance', 'docs/commands', 'deploy/citus'],
]

/**
 * Longest first, so that no worker is left with a long file at the end: those of the list, then the
 * largest files.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      slow.some((name) => moduleId.endsWith(test(name)))
    const weight = (file: TestSpecification) =>
      statSync(file.moduleId).size + (isSlow(file) ? 1e6 : 0)
    return files.toSorted((one, other) => weight(other) - weight(one))
  }
}

/** Each project has separate processes, which load the program again. */
const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include: include.map(test), ...more },
})

/** A package with its own suite, which reads its sources. */
const POTHOS_SQL = 'src/pothos-sql/vitest.config.ts'

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [builtModules()],
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    server: { deps: { external: [/\/dist\//] } },
    // Files share a process, and with it the program: each has separate gateways and databases.
    isolate: false,
    // A busy machine does not fail a test: what a test waits for is a condition.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One more than the cores of a small machine: tests wait for processes, locks and clocks.
    maxWorkers: 3,
    // As the program is started: the young generation that is usual is full after a few answers.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    // Until an event comes, on a machine that does much else.
    expect: { poll: { timeout: 60_000 } },
    // CI retries a test once, because other load can fail it; the report names retries.
    retry: process.env.CI ? 1 : 0,
    sequence: { sequencer: LongestFirst },
    projects: process.argv.some((argument) => argument.startsWith('--project'))
      ? [
          project('kernel', kernel, {
            env: { TESTS: process.env.TESTS ?? 'sample' },
            exclude: second.map(test),
            setupFiles: ['test/support/same-seed.ts'],
          }),
          project('contract', contract),
          project('generated', generated),
          POTHOS_SQL,
        ]
      : [project('all', ['**/*']), POTHOS_SQL],
  },
})
