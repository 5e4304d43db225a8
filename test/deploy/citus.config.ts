import { defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

/**
 * The behaviour tests on a Citus cluster: `npx vitest run --config test/deploy/citus.config.ts`.
 */
const rooms = ['distribution', 'domain', 'facts', 'graphql', 'jobs', 'property', 'rest', 'sources']

/**
 * They write SQL that triggers follow, of which a sharded store has none, or watch one Postgres at
 * work.
 */
const ofOnePostgres = [
  'cost',
  'documents',
  'filters',
  'live',
  'live-queries',
  'models',
  'rate-series',
  'slow-readers',
]
  .map((name) => `graphql/${name}`)
  .concat('property/holdings', 'property/realised-earnings')

const { projects: _, ...test } = base.test ?? {}

export default defineConfig({
  ...base,
  test: {
    ...test,
    globalSetup: ['test/support/citus-setup.ts'],
    include: rooms.map((room) => `test/${room}/**/*.test.ts`),
    exclude: ofOnePostgres.map((name) => `test/${name}.test.ts`),
    // How many statements a read takes depends on where its rows are.
    testNamePattern: /^(?!.*\bstatements?\b)/,
  },
})
