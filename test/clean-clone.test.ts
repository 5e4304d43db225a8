import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** A clone that was never built. */
let clone: string
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'clone-'))
  const ignored = (await readFile(join(ROOT, '.gitignore'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('src/'))
    .map((line) => join(line, '.'))
  expect(ignored.length).toBeGreaterThan(0)
  const isCloned = (path: string) =>
    !ignored.includes(relative(ROOT, path)) && !path.endsWith('/dist')
  for (const path of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'codegen.ts',
    'prisma',
    'src',
  ])
    await cp(join(ROOT, path), join(clone, path), { recursive: true, filter: isCloned })
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
})
afterAll(() => rm(clone, { recursive: true }))

test('`npm run generate` begins in a clone that was never built', async () => {
  const schema = 'src/generated/schema.graphql'
  await rm(join(clone, schema))
  // What it begins with: src/build/generate.ts. The tests of what it writes then run the rest.
  for (const step of [['src/build/main.ts', 'prisma'], ['codegen.ts']])
    await run(process.execPath, ['--import', 'tsx', ...step], { cwd: clone })
  expect(await readFile(join(clone, schema), 'utf8')).toBe(
    await readFile(join(ROOT, schema), 'utf8'),
  )
}, 120_000)
