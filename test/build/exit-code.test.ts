import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/markdown.ts'

test.each([
  ['fails', '1', 1],
  ['passes', '60000', 0],
])('a run of the suite of pothos-sql that %s says so by its exit code', (_, timeout, code) => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config=src/pothos-sql/vitest.config.ts',
      `--testTimeout=${timeout}`,
      'readme',
    ],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, VITEST: undefined } },
  )
  expect(status, stdout).toBe(code)
})
