import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export const ROOT = join(import.meta.dirname, '../..')

// The input of every step: the installed packages, and how it is built.
const PACKAGES = ['package-lock.json', 'node_modules/.package-lock.json', 'src/build']

/**
 * Runs a step of the build, unless the contents of what it reads and of what it wrote are those
 * after its last run.
 * @param from the files and directories that it reads
 * @param make returns those that it wrote
 */
export async function unlessFresh(
  name: string,
  from: string[],
  make: () => Promise<string[]>,
): Promise<void> {
  const stamp = join(ROOT, 'dist', `.${name}.json`)
  const before = await digestOf([...from, ...PACKAGES])
  const last = await readFile(stamp, 'utf8').then(JSON.parse, () => undefined)
  if (last?.read === before && last.wrote === (await digestOf(last.files))) return
  const files = await make()
  await mkdir(join(ROOT, 'dist'), { recursive: true })
  await replaceFile(stamp, JSON.stringify({ read: before, wrote: await digestOf(files), files }))
}

async function digestOf(paths: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await Promise.all(paths.map(filesIn))).flat().sort())
    hash.update(`${file}\0`).update(await readFile(join(ROOT, file)))
  return hash.digest('hex')
}

/**
 * The files that a path stands for: itself, those below it but what is built or installed, or none.
 */
export async function filesIn(path: string): Promise<string[]> {
  const entry = await stat(join(ROOT, path)).catch(() => undefined)
  if (!entry?.isDirectory()) return entry ? [path] : []
  const names = (await readdir(join(ROOT, path))).filter(
    (name) => name !== 'dist' && name !== 'node_modules',
  )
  return (await Promise.all(names.map((name) => filesIn(`${path}/${name}`)))).flat().sort()
}

/** Replaces a file as a whole: what runs meanwhile reads the old one or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const made = `${path}.${randomUUID()}`
  await writeFile(made, text)
  await rename(made, path)
}

export async function node(...args: string[]): Promise<void> {
  // Generators of Prisma are found by their names.
  const env = {
    ...process.env,
    PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
  }
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env }).catch(
    ({ stdout, stderr }) => {
      throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
    },
  )
}
