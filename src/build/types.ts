/** `npm run types`: the tests import the built client, so that is built first. */
import { spawnSync } from 'node:child_process'
import { BUILDS } from './build.ts'
import { ROOT } from './fresh.ts'

await Promise.all([BUILDS.prisma(), BUILDS.client()])
const compile = ['node_modules/typescript-7/bin/tsc', '--checkers', '2', '--incremental']
const cache = ['--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo']
const { status } = spawnSync(process.execPath, [...compile, ...cache], {
  cwd: ROOT,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
