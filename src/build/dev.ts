/**
 * `npm run dev`: serves as `npm start` does. On each change it builds what has changed, and starts
 * the server again. A server that does not build stays as it is.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { context } from 'esbuild'
import { readConfig } from '../config.ts'
import { openEmbedded } from '../embedded/index.ts'
import { BUILDS } from './build.ts'
import { ROOT } from './fresh.ts'

// An editor writes several files, or one several times.
const SETTLE_MS = 50
const WRITTEN = /(^|\/)dist\/|^generated\/(prisma\/|pothos\.ts|relations\.ts)|\.[0-9a-f-]{36}$/
const DOCUMENT = /\.(md|svg|png)$|^site\//

await BUILDS.program()
// Packages stay outside: bundling them takes longer than loading them. One has its sources here.
const program = await context({
  absWorkingDir: ROOT,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/dev.js',
  bundle: true,
  packages: 'external',
  alias: {
    'pothos-sql': './src/pothos-sql/index.ts',
    'pothos-sql/host': './src/pothos-sql/host.ts',
  },
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
})
const { DATABASE_URL, DATA_DIR } = readConfig(process.env)
const say = (text: string) => process.stderr.write(`${text}\n`)
// Postgres goes on while the server starts again.
const log = {
  info: () => {},
  warn: (details: object, message = '') => say(`${message} ${JSON.stringify(details)}`),
}
const postgres = DATABASE_URL ? undefined : await openEmbedded({ dataDir: DATA_DIR, log })

let server: ChildProcess | undefined
let changed = new Set<string>()
let timer: NodeJS.Timeout | undefined
let updates = update()

for (const directory of ['src', 'prisma'])
  watch(join(ROOT, directory), { recursive: true }, (_, name) => {
    if (!name || WRITTEN.test(name)) return
    changed.add(name)
    clearTimeout(timer)
    timer = setTimeout(() => {
      updates = updates.then(update)
    }, SETTLE_MS)
  })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())

async function update(): Promise<void> {
  const documents = [...changed].filter((name) => DOCUMENT.test(name))
  changed = new Set()
  try {
    await BUILDS.prisma()
    const pages = [BUILDS.web(), BUILDS.graphiql(), BUILDS['rest-docs']()]
    await Promise.all([program.rebuild(), ...pages, documents.length > 0 && BUILDS.site()])
  } catch (error) {
    say(String(error))
    return
  }
  await stop('SIGKILL')
  server = spawn(process.execPath, ['--enable-source-maps', 'dist/dev.js', 'serve', '--sample'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

async function close(): Promise<void> {
  await stop('SIGTERM')
  await postgres?.release()
  process.exit()
}
