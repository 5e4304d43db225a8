import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '../..')

export interface Consumer {
  /**
   * What TypeScript has to say about the program, strictly and with the libraries' own
   * declarations.
   */
  faults: string[]
  /** Imports a compiled file. */
  load(name: string): Promise<any>
  remove(): Promise<void>
}

/**
 * A TypeScript program of somebody else's, who has installed the typed client and other packages,
 * compiled.
 */
export async function compileConsumer(
  files: Record<string, string>,
  packages: string[] = [],
  options: object = {},
): Promise<Consumer> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-consumer-'))
  const install = async (name: string, from: string) => {
    const to = join(directory, 'node_modules', name)
    await mkdir(dirname(to), { recursive: true })
    await symlink(from, to)
  }
  await install('lending-graph-client', join(ROOT, 'src/client'))
  for (const name of packages) await install(name, join(ROOT, 'node_modules', name))
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), text)
  }
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    jsx: 'react-jsx',
    types: [],
    ...options,
  }
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  )
  return {
    faults: await compile(directory),
    load: (name) => import(pathToFileURL(join(directory, name)).href),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Compiles a program. @returns its faults, one a line: main.ts(5,3): error ... */
const compile = (directory: string): Promise<string[]> =>
  new Promise((resolve) => {
    const args = [
      join(ROOT, 'node_modules/typescript-7/bin/tsc'),
      '--project',
      directory,
      '--pretty',
      'false',
    ]
    execFile(process.execPath, args, { cwd: directory }, (_, printed) =>
      resolve(printed.trim().split('\n').filter(Boolean)),
    )
  })
