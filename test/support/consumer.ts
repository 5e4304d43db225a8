import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')

export interface Consumer {
  /** What TypeScript has to say about the program, strictly and with the libraries' own declarations. */
  faults: string[]
  /** Imports a compiled file. */
  load(name: string): Promise<any>
  remove(): Promise<void>
}

/** A TypeScript program of somebody else's, who has installed the typed client and other packages, compiled. */
export async function compileConsumer(
  files: Record<string, string>,
  packages: string[] = [],
  options: ts.CompilerOptions = {},
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
  const program = ts.createProgram({
    rootNames: Object.keys(files).map((name) => join(directory, name)),
    options: {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      jsx: ts.JsxEmit.ReactJSX,
      types: [],
      ...options,
    },
  })
  const { diagnostics } = program.emit()
  return {
    faults: [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, start = 0, messageText }) => {
      const line = file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1} ` : ''
      return line + ts.flattenDiagnosticMessageText(messageText, '\n')
    }),
    load: (name) => import(pathToFileURL(join(directory, name)).href),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
