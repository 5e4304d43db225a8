import { type Command, Option } from 'commander'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { readRights } from '../db/server/rights.ts'
import { type Deps, openDeps } from '../deps.ts'
import { importDataset } from '../domain/dataset/import.ts'
import { manualUpdate } from '../domain/distribution/manual-update.ts'
import { setSeason } from '../domain/season/change-seasons.ts'
import { startHooks } from '../hooks/index.ts'
import { startRankHistory } from '../jobs/rank-history.ts'
import { startSchedule } from '../jobs/schedule.ts'
import { boundGarbage, boundWebAssembly } from '../memory.ts'
import { sampleDataset, sampleSeasons, sampleSource } from '../sample/index.ts'
import { print, printText, stopSignal, withoutEmpty } from './command.ts'
import { showLines } from './progress.ts'

// The accept queue for connections in a burst. Clients beyond it retry after seconds.
const BACKLOG = 4096

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('serve GraphQL and the REST APIs (the command when none is given)')
    .addOption(
      new Option(
        '--sample',
        'load the sample data into an empty store, unless SAMPLE_DATA=off',
      ).hideHelp(),
    )
    .action(({ sample }: { sample?: boolean }) => serve(sample === true))
}

async function serve(sample: boolean): Promise<void> {
  const config = readConfig({
    SAMPLE_DATA: sample ? 'on' : undefined,
    ...withoutEmpty(process.env),
  })
  boundGarbage(config)
  boundWebAssembly()
  const stop = stopSignal(config)
  const deps = await openDeps(config)
  try {
    if (config.SAMPLE_DATA === 'on') await loadSample(deps, stop)
    const runsJobs = await mayRunJobs(deps)
    const example = await readExample(deps)
    const server = await openServer(deps)
    const jobs = runsJobs ? [startSchedule(deps), startRankHistory(deps), startHooks(deps)] : []
    const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST
    printText(welcome(deps, `http://${host}:${server.port}${config.BASE_PATH}`, example))
    await aborted(stop)
    await Promise.all([server, ...jobs].map((one) => one.close()))
  } finally {
    await deps.close()
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

interface Served {
  port: number
  close(): Promise<void>
}

async function openServer(deps: Deps): Promise<Served> {
  const { config } = deps
  // Other commands start in less time without these.
  const [{ createApp }, { warmUp }] = await Promise.all([
    import('../app.ts'),
    import('../http/warm-up.ts'),
  ])
  const app = await createApp(deps)
  await warmUp(app)
  try {
    await app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
  } catch (error) {
    throw listenFault(config, (error as NodeJS.ErrnoException).code) ?? error
  }
  const address = app.server.address()
  return {
    port: address && typeof address === 'object' ? address.port : config.PORT,
    async close() {
      const deadline = setTimeout(
        () => app.server.closeAllConnections(),
        config.SHUTDOWN_TIMEOUT_MS,
      ).unref()
      await app.close()
      clearTimeout(deadline)
    },
  }
}

// True if the database role may record runs: jobs need it.
async function mayRunJobs({ store, config, log }: Deps): Promise<boolean> {
  const { recordsRuns, toRead } = await readRights(store.pool)
  if (toRead.length > 0)
    log.warn(
      { grants: toRead },
      'the database role may not read all tables, so requests fail: run these grants',
    )
  if (recordsRuns) return true
  const cron = (['DISTRIBUTION_CRON', 'ANALYTICS_CRON'] as const).find(
    (name) => config[name] !== undefined,
  )
  if (cron)
    throw new ConfigError(
      `${cron} is set, but the role of DATABASE_URL may only read: unset it, or run the grants ` +
        `that \`gateway doctor\` prints.`,
    )
  log.info(
    'the database role may only read: no jobs run here, and changes get a 403 (see `gateway ' +
      'doctor`)',
  )
  return false
}

function listenFault({ HOST, PORT }: Config, code = ''): ConfigError | undefined {
  const fault = (name: string, message: string) =>
    new ConfigError(`${name} ${message}`, [{ name, message }])
  if (code === 'EADDRINUSE')
    return fault(
      'PORT',
      `${PORT} of ${HOST} is in use: set another one, or stop the process that listens there.`,
    )
  if (code === 'EACCES')
    return fault(
      'PORT',
      `${PORT} may not be listened on by this user: set one above 1023, or give the user the ` +
        'right.',
    )
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code))
    return fault(
      'HOST',
      `${HOST} is not an address of this machine: set one of them, 127.0.0.1, or 0.0.0.0 for all.`,
    )
  return undefined
}

async function readExample({ store }: Deps): Promise<{ wallet: string | null; isEmpty: boolean }> {
  const { rows } = await store.pool.query<{ wallet: string | null; isEmpty: boolean }>(
    `SELECT (SELECT user_address FROM account WHERE rank = 1) AS wallet,
      NOT EXISTS (SELECT FROM pool UNION ALL SELECT FROM vault UNION ALL SELECT FROM "user")
        AS "isEmpty"`,
  )
  return rows[0] ?? { wallet: null, isEmpty: true }
}

function welcome(
  { config, storeName }: Deps,
  base: string,
  { wallet, isEmpty }: { wallet: string | null; isEmpty: boolean },
): string {
  const query =
    `{ user(address: \\"${wallet}\\") { totalPoints rank } ` +
    'leaderboard(first: 3) { nodes { rank points user { address } } } }'
  const examples = wallet
    ? `Try
  curl '${base}/points/leaderboard?account=${wallet}'
  curl '${base}/graphql' -H 'content-type: application/json' \\
    -d '{"query":"${query}"}'
`
    : ''
  const load = isEmpty
    ? 'The store is empty. Load data while this server runs'
    : 'Your own data, while this server runs'
  const sample = isEmpty
    ? 'Or stop it, and load the sample data: npm start without SAMPLE_DATA=off.\n'
    : ''
  const changes =
    (config.ADMIN_TOKEN ?? config.ADMIN_TOKENS)
      ? ''
      : 'Changes over HTTP are off: set ADMIN_TOKEN to allow them.\n'
  return `
Lending graph gateway on ${base}
  Store      ${storeName}${config.REDIS_URL ? ', cache in Redis' : ''}
  Dashboard  ${base}/dashboard
  GraphiQL   ${base}/graphql
  Docs       ${base}/docs   (REST: ${base}/docs/rest, OpenAPI: ${base}/openapi.json)
  Health     ${base}/health
${examples}${load}
  npm run gateway -- import DIR                     files: ${base}/docs/cli#import has the format
  npm run gateway -- import https://other-gateway   a copy of another gateway
${sample}${changes}`
}

const PROGRESS_MS = 1500

async function loadSample(deps: Deps, signal: AbortSignal): Promise<void> {
  const target = { ...deps, pool: deps.store.pool }
  const { rows } = await target.pool.query('SELECT FROM pool UNION ALL SELECT FROM "user" LIMIT 1')
  if (rows.length > 0) return
  print('The store is empty: loading the sample data (SAMPLE_DATA=off leaves it empty).')
  const { seconds } = await importDataset(target, sampleDataset(deps.now()), {
    signal,
    requestedBy: 'sample',
    onProgress: showLines(process.stdout, PROGRESS_MS).update,
  })
  if (!deps.config.SEASONS)
    for (const season of sampleSeasons(deps.now()))
      await setSeason(target, season, { requestedBy: 'sample' })
  await manualUpdate({ ...target, positionsSource: sampleSource }, null, 'sample').catch(() => {})
  print(`Sample data loaded in ${seconds.toFixed(1)} s. A run of today has failed, as an example.`)
}
