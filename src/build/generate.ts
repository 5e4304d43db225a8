/**
 * `npm run generate`: writes everything that the code implies. The schema and the typed operations
 * come first, since the program needs them. Tests compare the rest with a running gateway, and
 * write it here: test/generated.config.ts.
 */
import { spawnSync } from 'node:child_process'
import { BUILDS } from './build.ts'
import { node, ROOT } from './fresh.ts'

await BUILDS.prisma()
await node('--import', 'tsx', 'codegen.ts')
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/generated.config.ts']
const { status } = spawnSync(process.execPath, [...vitest, '--update'], {
  cwd: ROOT,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
