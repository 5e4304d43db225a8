/**
 * The way of a warm request through the program: the files of which a function runs, and the
 * promises that it makes.
 *
 *     npm run bench -- path
 *
 *     --verbose               lists the files, and where promises are made
 *     --data DIR              where the store stays between runs
 *
 * The program runs unbundled in this process, with its cache; no request is answered from it. The
 * least of twenty requests counts, since timers of the program run during some of them.
 */
import { mkdir } from 'node:fs/promises'
import { type Profiler, Session } from 'node:inspector/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { promiseHooks } from 'node:v8'
import pg from 'pg'
import { createApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { openDeps } from '../deps.ts'
import { openSpeedStore, SHAPES } from './speed/data.ts'
import { wire } from './speed/load.ts'
import { operationsOn } from './speed/operations.ts'
import { root } from './speed/processes.ts'

const { values: options } = parseArgs({
  options: {
    verbose: { type: 'boolean', default: false },
    data: { type: 'string', default: join(tmpdir(), 'gateway-previous') },
  },
})

const SAMPLES = 20
/** So many requests of each kind are sent before those that count. */
const WARM = 15
const say = (text: string) => process.stdout.write(`${text}\n`)

/**
 * The promises that were made since a request arrived: before its statement was sent, and from then
 * until its answer was.
 */
const made = { before: [] as string[], after: [] as string[] }
let phase: keyof typeof made | undefined

promiseHooks.onInit(() => {
  if (phase) made[phase].push(options.verbose ? placeOf(new Error()) : '')
})

/** The innermost line of the program or of a package at which a promise is made. */
function placeOf({ stack = '' }: Error): string {
  const line = stack
    .split('\n')
    .find((one) => /\/(src|node_modules)\//.test(one) && !one.includes('bench/path'))
  return line?.replace(/^.*?(src|node_modules)\//, '$1/').replace(')', '') ?? 'elsewhere'
}

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  if (phase === 'before') phase = 'after'
  return Reflect.apply(query, this, args)
} as typeof query

/** A connection that sends one request after another. */
function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1')
  return {
    /** Resolves when the answer has arrived, or the first event of a stream. */
    send(request: Buffer, isStream: boolean): Promise<void> {
      return new Promise((resolve, reject) => {
        let text = ''
        const take = (chunk: Buffer) => {
          text += chunk.toString('latin1')
          const [head = '', body] = text.split(/\r\n\r\n/, 2)
          if (body === undefined) return
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
          if (isStream ? !body.includes('data:') : body.length < length) return
          socket.off('data', take)
          if (!head.startsWith('HTTP/1.1 200') || body.includes('"errors"'))
            reject(new Error(text.slice(0, 1000)))
          else resolve()
        }
        socket.on('data', take)
        socket.write(request)
      })
    },
    close: () => void socket.destroy(),
  }
}

interface Path {
  name: string
  request(nth: number): Buffer
  stream?: boolean
}

const directory = join(options.data, 'small')
await mkdir(directory, { recursive: true })
const store = await openSpeedStore(SHAPES.small, directory, say)
const deps = await openDeps(readConfig({ DATABASE_URL: store.url, LOG_LEVEL: 'warn' }))
const app = await createApp(deps)
app.server.prependListener('request', () => {
  made.before.length = 0
  made.after.length = 0
  phase = 'before'
})
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as { port: number }
const profiler = new Session()
profiler.connect()

try {
  await profiler.post('Profiler.enable')
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (const one of paths()) await measure(one)
} finally {
  profiler.disconnect()
  await app.close()
  await deps.close()
  await store.close()
}

function paths(): Path[] {
  const operations = operationsOn({ names: store.names, positions: [], count: 300 })
  const of = (name: string): Path => {
    const operation = operations.find((one) => one.name === name)
    if (!operation) throw new Error(`${name} is not an operation`)
    const { variants, product } = operation
    return { name, request: (nth) => wire(product(variants[nth % variants.length] ?? {})) }
  }
  const query = 'subscription ($address: Address!) { user(address: $address) { totalPoints rank } }'
  return [
    of('GET /points/leaderboard'),
    of('GET /points/{address}'),
    of('GET /v1/users/{address}/earnings'),
    of("graphql a user's page"),
    of('graphql 100 positions of an asset'),
    {
      name: 'a subscription over an event stream, to its first answer',
      stream: true,
      request: (nth) =>
        wire(
          { path: '/graphql', body: { query, variables: { address: store.names.users[nth] } } },
          { accept: 'text/event-stream' },
        ),
    },
  ]
}

async function measure({ name, request, stream = false }: Path): Promise<void> {
  let connection = openConnection(port)
  const seen: { files: string[]; before: string[]; after: string[] }[] = []
  for (let nth = 0; nth < WARM + SAMPLES; nth++) {
    if (nth >= WARM) await sleep(20)
    await profiler.post('Profiler.takePreciseCoverage')
    await connection.send(request(nth), stream)
    phase = undefined
    const { result } = await profiler.post('Profiler.takePreciseCoverage')
    if (stream) {
      connection.close()
      connection = openConnection(port)
    }
    if (nth >= WARM)
      seen.push({ files: filesIn(result), before: [...made.before], after: [...made.after] })
  }
  connection.close()
  const least = (size: (one: (typeof seen)[number]) => number) =>
    seen.reduce((least, one) => (size(one) < size(least) ? one : least))
  const { files } = least(({ files }) => files.length)
  const { before, after } = least(({ before, after }) => before.length + after.length)
  say(
    `${name}: ${files.length} files, ${before.length} promises to its statement, ` +
      `${after.length} from there`,
  )
  if (!options.verbose) return
  for (const file of files.sort()) say(`  ${file}`)
  for (const place of before) say(`  before: ${place}`)
  for (const place of after) say(`  after: ${place}`)
}

/** The files of src of which a function has run. */
function filesIn(scripts: Profiler.ScriptCoverage[]): string[] {
  return scripts.flatMap(({ url, functions }) => {
    if (
      !url.startsWith('file:') ||
      !functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
    )
      return []
    const file = relative(root, fileURLToPath(url.replace(/\?.*$/, '')))
    return file.startsWith('src/') ? [file] : []
  })
}
