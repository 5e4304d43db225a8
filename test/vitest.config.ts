import { statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { builtModules } from './support/built-modules.ts'

const test = (name: string) => `test/${name}.test.ts`

/** The documented contracts: `npm run verify`. */
const contract = ['rest/contract', 'rest/openapi', 'graphql/schema', 'graphql/compatibility', 'client/package'].map(
  test,
)

/** They compare files with what the code says, and write them for `npm run generate`. */
const generated = ['rest/examples', 'docs/settings', 'docs/metrics', 'docs/import-format'].map(test)

/** The longest first: those that start processes or browsers, or send thousands of requests. */
const slow = [
  'docs/commands',
  'sources/rest-mirror',
  'web/dashboard',
  'graphql/connections',
  'graphql/plan',
  'update/simulation',
  'deploy/citus',
  'db/replicas',
  'db/embedded',
  'cli/export',
  'installed',
  'sample/plausible',
  'db/pooler',
  'domain/import',
  'cli/runs',
  'deploy/citus-graph',
  'graphql/live-results',
  'http/graphiql',
  'graphql/filters',
  'cli/workers',
  'clean-clone',
  'docs/site',
  'deploy/citus-import',
  'graphql/through-time',
  'deploy/citus-facts',
  'graphql/extreme-numbers',
  'deploy/backup',
  'deploy/roles',
  'deploy/upgrade',
  'graphql/snapshot',
  'cli/doctor',
  'cli/import',
  'http/shared-answers',
  'cli/gateway',
  'deploy/proxy',
  'http/pages',
  'update/gateway-source',
  'cli/verify',
  'client/recipes',
  'cli/bad-store',
  'cli/dev',
  'distribution/preview',
  'graphql/bounds',
  'property/order',
  'property/worth',
  'property/holdings',
  'property/invariant',
].map(test)

/** Longest first, so that no worker is left with a long file at the end: those of the list, then the largest files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = slow.findIndex((name) => moduleId.endsWith(name))
      return [place < 0 ? slow.length : place, -statSync(moduleId).size]
    }
    const compare = (a: number[], b: number[]) => a.map((value, i) => value - (b[i] ?? 0)).find((by) => by !== 0) ?? 0
    return files.toSorted((a, b) => compare(rank(a), rank(b)))
  }
}

const parts = [
  { extends: true as const, test: { name: 'contract', include: contract } },
  { extends: true as const, test: { name: 'slow', include: slow } },
  { extends: true as const, test: { name: 'generated', include: generated } },
  {
    extends: true as const,
    test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...contract, ...generated, ...slow] },
  },
]
/** Each project has separate processes, which load the program again. */
const whole = [{ extends: true as const, test: { name: 'all', include: ['test/**/*.test.ts'] } }]

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [builtModules()],
  test: {
    globalSetup: ['test/support/global-setup.ts'],
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
    projects: process.argv.some((argument) => argument.startsWith('--project')) ? parts : whole,
  },
})
