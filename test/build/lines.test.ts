import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Counts the lines of a program that has these files. */
async function count(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'lines-'))
  onTestFinished(() => rm(root, { recursive: true }))
  for (const file of ['lines.ts', 'fresh.ts'])
    await cp(join(ROOT, 'src/build', file), join(root, 'src/build', file))
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', workspaces: ['src/web'] }),
  )
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(root, file, '..'), { recursive: true })
    await writeFile(join(root, file), text)
  }
  const command = ['--import', 'tsx', join(root, 'src/build/lines.ts'), '--list']
  return run(process.execPath, command, { cwd: ROOT }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const budget = async () => {
  const text = await readFile(join(ROOT, 'src/build/lines.ts'), 'utf8')
  return Number(/BUDGET = ([\d_]+)/.exec(text)?.[1]?.replaceAll('_', ''))
}

test('counts rooms, long lines and names of types, but no workspace and nothing generated', async () => {
  const { code, stdout } = await count({
    'src/domain/pool/pool.ts': `interface Row {}\n// ${'x'.repeat(98)}\n`,
    'src/graphql/row.tsx': 'export type Row = 1\n\nconst one = 1\n',
    'src/graphql/README.md': 'no code\n',
    'src/main.ts': 'export {}\n',
    'src/web/page.tsx': 'interface Row {}\n'.repeat(10),
    'src/generated/graphql.ts': 'interface Row {}\n'.repeat(10),
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ +2 {2}domain$/m)
  expect(stdout).toMatch(/^ +3 {2}graphql$/m)
  expect(stdout).toMatch(/^ +1 {2}\(the files of src itself\)$/m)
  expect(stdout).not.toMatch(/web|generated/)
  expect(stdout).toMatch(/^ +1 {2}of them longer than 100 characters$/m)
  expect(stdout).toContain('src/domain/pool/pool.ts:2\n')
  expect(stdout).toContain('Row: src/domain/pool/pool.ts, src/graphql/row.tsx\n')
})

test('fails above the budget, and says what to do', async () => {
  const lines = await budget()
  expect(lines).toBeGreaterThan(10_000)
  const { code, stderr } = await count({ 'src/domain/large.ts': 'export {}\n'.repeat(lines) })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The kernel has \d+ lines more than its budget.*Remove others first/)
})
