import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { BUILDS } from '../../src/build/build.ts'
import { bundleProgram } from '../../src/build/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const BUILT = pathToFileURL(join(ROOT, 'dist/modules.js')).href

/**
 * Tests run what users run: what they import from src comes from the bundle, which is built first
 * where it is stale. The `graphql` of a test is the bundle's too: two of them do not know each
 * other's types.
 */
export async function builtModules({ pages = true } = {}): Promise<Plugin> {
  await (pages ? Promise.all([BUILDS.program(), BUILDS.client()]) : bundleProgram())
  const modules = (await import(BUILT)) as Record<string, object>
  return {
    name: 'built modules',
    enforce: 'pre',
    resolveId: (id, importer = '') =>
      id === 'graphql' && !importer.includes('/node_modules/') ? '\0graphql' : undefined,
    load(id) {
      const name = id === '\0graphql' ? 'graphql' : relative(ROOT, id)
      const module = modules[name]
      if (!module) return undefined
      return `import * as modules from '${BUILT}'
        export const { ${Object.keys(module).join(', ')} } = modules['${name}']`
    },
  }
}
