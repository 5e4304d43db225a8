import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** A clone whose files are those of this one, committed. */
let clone: string
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'changed-'))
  for (const path of ['package.json', 'tsconfig.json', '.gitignore', 'codegen.ts', 'src', 'test'])
    await cp(join(ROOT, path), join(clone, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  await run('git', ['init', '-q'], { cwd: clone })
  await run('git', ['add', 'src', 'test'], { cwd: clone })
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
  await run('git', [...author, 'commit', '-qm', 'all'], { cwd: clone })
})
afterAll(() => rm(clone, { recursive: true }))

/** The tests that a change of files concerns. */
async function concerned(...files: string[]): Promise<string[]> {
  for (const file of files) {
    await mkdir(join(clone, file, '..'), { recursive: true })
    await writeFile(join(clone, file), '\n', { flag: 'a' })
  }
  const command = ['--import', 'tsx', 'src/build/changed.ts', '--list']
  const { stdout } = await run(process.execPath, command, { cwd: clone })
  await run('git', ['checkout', '-q', 'src', 'test'], { cwd: clone })
  await run('git', ['clean', '-qfd', 'src', 'test'], { cwd: clone })
  return stdout.split('\n').filter((file) => file.startsWith('test/'))
}

test('a file concerns the tests that import it, and those of its folder', async () => {
  const tests = await concerned('src/visible.ts', 'src/rest/index.ts')
  expect(tests).toContain('test/conformance.test.ts')
  expect(tests).toContain('test/rest/contract.test.ts')
  expect(tests).toContain('test/cli/visible.test.ts')
  expect(tests).not.toContain('test/web/dashboard.test.ts')
})

test('every folder of the table has its tests', async () => {
  const folders = ['cache', 'cli', 'db', 'domain/dataset', 'domain/distribution', 'graphql/schema']
  const more = ['http', 'jobs', 'client', 'graphiql', 'site', 'web', 'deploy', 'generated', 'build']
  const files = [...folders, ...more].map((folder) => `src/${folder}/new.ts`)
  expect((await concerned(...files, 'src/config.ts')).length).toBeGreaterThan(50)
})
