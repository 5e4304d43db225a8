import { defineConfig } from 'vitest/config'
import { generated } from './generated.ts'
import { builtModules } from './support/built-modules.ts'

/** Writes the generated files for `npm run generate`: one process loads the program once. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [await builtModules({ pages: false })],
  test: {
    include: generated.map((name) => `test/${name}.test.ts`),
    globalSetup: ['test/support/global-setup.ts'],
    server: { deps: { external: [/\/dist\//] } },
    isolate: false,
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
