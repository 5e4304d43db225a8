/**
 * `npm version`: compares the schema with the released one, records it as the next to compare
 * with, and gives the workspaces the version of the program.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUILDS } from './build.ts'
import { ROOT } from './fresh.ts'

const RELEASED = 'src/generated/released-schema.graphql'
const run = (file: string, ...args: string[]) =>
  execFileSync(file, args, { cwd: ROOT, stdio: ['inherit', 'pipe', 'inherit'] })

await BUILDS.program()
const gateway = (...args: string[]) => run(process.execPath, 'dist/main.js', ...args)
process.stdout.write(gateway('schema', '--against', RELEASED))
await writeFile(join(ROOT, RELEASED), gateway('schema'))
const version = process.env.npm_package_version ?? ''
run('npm', 'version', '--workspaces', '--no-git-tag-version', version)
run('git', 'add', 'src', 'package-lock.json')
