import { defineConfig } from 'vitest/config'
import { builtModules } from './support/built-modules.ts'

/** What `npm run verify` asks: the documented contracts, and whether what is generated is up to date. */
const contract = ['rest/contract', 'rest/openapi', 'graphql/schema', 'graphql/compatibility', 'client/package'].map(
  (name) => `test/${name}.test.ts`,
)

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [builtModules()],
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'contract', include: contract } },
      { extends: true, test: { name: 'other', include: ['test/**/*.test.ts'], exclude: contract } },
    ],
  },
})
