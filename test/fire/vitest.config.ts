import { defineConfig } from 'vitest/config'
import { builtModules } from '../support/built-modules.ts'

/**
 * Attacks run one file after the other: each has the machine to itself. FIRE=long makes them
 * larger.
 */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  plugins: [builtModules()],
  test: {
    include: ['test/fire/**/*.fire.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: process.env.FIRE === 'long' ? 1_200_000 : 180_000,
    hookTimeout: 120_000,
    server: { deps: { external: [/\/dist\//] } },
    fileParallelism: false,
    // Overload and the processor time of documents are measured: what else a shared machine does
    // may spoil that.
    retry: 2,
  },
})
