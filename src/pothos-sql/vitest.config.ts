import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

/** A separate process for the suite: it reads the sources, as a host does. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    // Pothos requires this file: another copy has other classes.
    alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }],
  },
  test: {
    name: 'pothos-sql',
    include: ['test/*.test.ts'],
    globalSetup: ['test/postgres.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
