import { Command, Option } from 'commander'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Deps, openDeps } from './deps.ts'
import { importDataset } from './domain/dataset/import.ts'
import { ImportError } from './domain/dataset/import-error.ts'
import { manualUpdate } from './domain/distribution/manual-update.ts'
import { resync } from './domain/distribution/resync.ts'
import type { DistributionRun } from './domain/distribution/run.ts'
import { GatewayError } from './errors.ts'
import { parseUtc } from './graphql/scalars.ts'
import { createSchema } from './graphql/schema.ts'
import { openApiDocument } from './http/openapi.ts'
import { showProgress } from './progress.ts'
import type { Dataset } from './sources/dataset.ts'
import { openDirectory } from './sources/directory.ts'
import { samplePool, sampleUser } from './sources/sample.ts'
import { sampleDataset } from './sources/sample-dataset.ts'

const CLOSING_MS = 5000

const program = new Command('gateway')
  .description("One GraphQL graph over a lending protocol's user analytics and points program, and its REST APIs.")
  .addHelpText('after', '\nSettings come from the environment: see the README.')
  .showHelpAfterError()

program
  .command('serve', { isDefault: true })
  .description('serve GraphQL and the REST APIs')
  .addOption(new Option('--sample', 'load the sample data into an empty store, unless SAMPLE_DATA=off').hideHelp())
  .action(({ sample }: { sample?: boolean }) => serve(sample === true))

program
  .command('import')
  .description('load a dataset in the import format: all of it or none')
  .argument('<dir>', 'a directory of .jsonl or .jsonl.gz files')
  .action(async (dir: string) => {
    const dataset = await openDirectory(dir)
    await withDeps((deps, signal) => runImport(deps, dataset, signal))
  })

const date = new Option('--date <YYYY-MM-DD>', 'the distribution date').argParser(parseDate)
program
  .command('manualupdate')
  .description("fetch a date's positions from POSITIONS_SOURCE and compute its points (default: today, UTC)")
  .addOption(date)
  .action((options: { date?: Date }) =>
    withDeps(async (deps, signal) => report(await manualUpdate({ ...runDeps(deps), signal }, options.date ?? null))),
  )

program
  .command('resync')
  .description("compute a date's points anew from stored positions (default: the newest stored date)")
  .addOption(date)
  .action((options: { date?: Date }) =>
    withDeps(async (deps, signal) => report(await resync({ ...runDeps(deps), signal }, options.date ?? null))),
  )

program
  .command('migrate')
  .description("bring the store's tables up to date")
  .action(() => withDeps(async (deps) => print(`The tables of the ${deps.storeName} are up to date.`)))

program
  .command('schema')
  .description('print the GraphQL schema')
  .action(() => print(printSchema(lexicographicSortSchema(createSchema()))))

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(() => print(JSON.stringify(openApiDocument(), null, 2)))

async function serve(sample: boolean): Promise<void> {
  const config = readConfig({ SAMPLE_DATA: sample ? 'on' : undefined, ...withoutEmpty(process.env) })
  const stop = stopSignal()
  const deps = await openDeps(config)
  try {
    if (config.SAMPLE_DATA === 'on') await loadSample(deps, stop)
    const app = await createApp(deps)
    try {
      await app.listen({ host: config.HOST, port: config.PORT })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
        throw new ConfigError(
          `PORT ${config.PORT} of ${config.HOST} is in use: set another one, or stop what listens there.`,
        )
      throw error
    }
    const address = app.server.address()
    const port = address && typeof address === 'object' ? address.port : config.PORT
    print(welcome(deps, `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`))
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve()
      else stop.addEventListener('abort', () => resolve(), { once: true })
    })
    // A client that does not read its answer must not hold the gateway up for ever.
    const deadline = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS).unref()
    await app.close()
    clearTimeout(deadline)
  } finally {
    await deps.close()
  }
}

function welcome({ config, storeName }: Deps, base: string): string {
  return `
Lending graph gateway on ${base}
  Store     ${storeName}${config.REDIS_URL ? ', cache in Redis' : ''}
  GraphiQL  ${base}/graphql
  REST docs ${base}/docs   (OpenAPI: ${base}/openapi.json)
  Health    ${base}/health
Try
  curl '${base}/points/${sampleUser}?limit=1'
  curl '${base}/graphql' -H 'content-type: application/json' \\
    -d '{"query":"{ leaderboard(first: 3) { nodes { rank account points } } pool(address: \\"${samplePool.address}\\") { name } }"}'
Your own data
  npm run gateway -- import DIR   (while this server runs; the README has the format)
${config.ADMIN_TOKEN ? '' : 'Changes over HTTP are off: set ADMIN_TOKEN to allow them.\n'}`
}

async function loadSample(deps: Deps, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.store.pool.query('SELECT FROM pool UNION ALL SELECT FROM "user" LIMIT 1')
  if (rows.length > 0) return
  print('The store is empty: loading the sample data (SAMPLE_DATA=off leaves it empty).')
  const started = performance.now()
  await importDataset(importDeps(deps), sampleDataset(deps.now()), { signal })
  print(`Sample data loaded in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

async function runImport(deps: Deps, dataset: Dataset, signal: AbortSignal): Promise<void> {
  const progress = showProgress(process.stderr)
  try {
    const summary = await importDataset(importDeps(deps), dataset, { onProgress: progress.update, signal })
    progress.done()
    for (const [file, { lines, written }] of Object.entries(summary.files))
      print(`${file}: ${lines} records, ${written} new or changed`)
    print(
      `Imported ${dataset.name} in ${summary.seconds.toFixed(1)} s; ${summary.dates.length} distribution dates settled.`,
    )
  } finally {
    progress.done()
  }
}

/** Opens the resources, runs one command, closes them again: also on Ctrl-C, which leaves the store as it was. */
async function withDeps(work: (deps: Deps, signal: AbortSignal) => Promise<void> | void): Promise<void> {
  const signal = stopSignal()
  const config: Config = readConfig({ LOG_LEVEL: 'warn', ...withoutEmpty(process.env) })
  const deps = await openDeps(config)
  try {
    await work(deps, signal)
  } finally {
    await deps.close()
  }
}

const importDeps = ({ store, basePoints, log }: Deps) => ({ pool: store.pool, basePoints, log })
const runDeps = (deps: Deps) => ({ ...deps, pool: deps.store.pool })

function report(run: DistributionRun): void {
  print(
    `${run.distributionDate.toISOString().slice(0, 10)}: ${run.positionCount} positions, ${run.totalPoints} points, ` +
      `${((run.finishedAt.getTime() - run.startedAt.getTime()) / 1000).toFixed(2)} s`,
  )
}

function parseDate(text: string): Date {
  const parsed = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseUtc(text) : undefined
  if (!parsed) throw new ConfigError(`--date must be a date such as 2025-03-01, not ${text}`)
  return parsed
}

/** An empty variable is one that is not set. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(error: unknown): void {
  if (error instanceof Error && error.name === 'AbortError') {
    process.stderr.write('Interrupted: the store is as it was.\n')
    process.exitCode = 130
    return
  }
  const known = error instanceof ConfigError || error instanceof GatewayError || error instanceof ImportError
  process.stderr.write(
    `${known || !(error instanceof Error) ? String((error as Error).message ?? error) : error.message}\n`,
  )
  if (!known && error instanceof Error && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
}

await program.parseAsync().catch(fail)
