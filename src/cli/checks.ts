import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import pTimeout from 'p-timeout'
import pg from 'pg'
import { createClient } from 'redis'
import manifest from '../../package.json' with { type: 'json' }
import { type Config, ConfigError, legSetting, readConfig } from '../config.ts'
import { StoreClient } from '../db/connect/client.ts'
import { openNotifications } from '../db/connect/notifications.ts'
import { pinned } from '../db/connect/session.ts'
import { withCheckedCertificate } from '../db/connect/url.ts'
import { clockAhead, clockWarning } from '../db/server/clock.ts'
import { freeBytes } from '../db/server/free-bytes.ts'
import { grantOf, mayCreateTables, readMigrationState, refusalOf } from '../db/server/migrate.ts'
import { readRights } from '../db/server/rights.ts'
import { systemIdentifierOf } from '../db/server/system-identifier.ts'
import { CHANNELS, MIGRATIONS, openAnalytics } from '../deps.ts'
import { unscoredMessage, unscoredRemedy, unscoredToday } from '../domain/pool/unscored.ts'
import { differingSums } from '../domain/sums/compare-sums.ts'
import { legNames } from '../domain/update/legs.ts'
import { findEmbedded } from '../embedded/index.ts'
import { GatewayError } from '../errors.ts'
import { shownUrl } from '../secrets.ts'
import {
  analyticsName,
  type Client as HttpClient,
  isPostgres,
  isRemote,
  openClient,
  openDirectory,
  SourceSocket,
} from '../sources/index.ts'
import { recordCount } from './command.ts'
import { listSettings, misspeltSettings, unusedParameters } from './settings.ts'
import { fieldsOf } from './source-fields.ts'

/** The result of a check. */
export interface Finding {
  check: string
  status: 'ok' | 'warning' | 'problem'
  message: string
  remedy?: string
}

type Found = Omit<Finding, 'check'>
const ok = (message: string): Found => ({ status: 'ok', message })
const warning = (message: string, remedy: string): Found => ({ status: 'warning', message, remedy })
const problem = (message: string, remedy: string): Found => ({ status: 'problem', message, remedy })

const CHECK_MS = 5000
// The time that a connection or an answer may take within it.
const ANSWER_MS = 4000

/**
 * Examines everything that a gateway with these variables needs. Changes nothing, and each check
 * has a time limit.
 * @param deep compares all stored sums with the records, without a limit
 */
export async function* examine(env: NodeJS.ProcessEnv, deep = false): AsyncGenerator<Finding> {
  yield* checked('versions', 'Install another Node.js.', async () => checkVersions())
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const remedy = 'Correct it, then check again: the rest depends on the settings.'
    for (const { name, message } of error.problems)
      yield { check: 'settings', ...problem(`${name} ${message}.`, remedy) }
    return
  }
  yield* checked('settings', '', async () => checkSettings(env))
  yield* checkStore(config, deep)
  yield* checked('cache', 'Check REDIS_URL. Meanwhile answers are computed.', () =>
    checkCache(config),
  )
  yield* checkSources(config)
}

// Runs a check. A failure or a timeout is a problem.
async function* checked(
  check: string,
  remedy: string,
  work: () => Promise<Found | Found[]>,
): AsyncGenerator<Finding, boolean> {
  const finding = await pTimeout(work(), {
    milliseconds: CHECK_MS,
    fallback: () => problem(`There was no answer within ${CHECK_MS / 1000} s.`, remedy),
  }).catch((error: Error & { code?: string }) => problem(sentence(error), remedy))
  for (const one of [finding].flat()) yield { check, ...one }
  return [finding].flat().every(({ status }) => status !== 'problem')
}

function sentence(error: Error & { code?: string }): string {
  return error instanceof GatewayError
    ? error.message
    : `It failed: ${error.message || error.code}.`
}

function checkVersions(): Found {
  const wanted = manifest.engines.node.replace('>=', '')
  const running = process.versions.node
  const isOld = running.localeCompare(wanted, 'en', { numeric: true }) < 0
  const text = `The gateway is ${manifest.version}, Node.js is ${running}.`
  return isOld ? problem(text, `Install Node.js ${wanted} or later.`) : ok(text)
}

function checkSettings(env: NodeJS.ProcessEnv): Found[] {
  const fromEnvironment = listSettings().filter(({ name }) => env[name] !== undefined)
  const misspelt = misspeltSettings(env).map((message) =>
    warning(message, 'Rename or remove the variable.'),
  )
  const unused = unusedParameters(env).map((message) => warning(message, 'Remove the parameter.'))
  return [
    ok(
      `Settings from the environment: ${fromEnvironment.length}. (\`gateway config\` shows them.)`,
    ),
    ...misspelt,
    ...unused,
  ]
}

async function* checkStore(config: Config, deep: boolean): AsyncGenerator<Finding> {
  let url = config.DATABASE_URL
  if (url === undefined) {
    yield* checked('disk', 'Make DATA_DIR a directory that this user may write to.', () =>
      checkDisk(config.DATA_DIR),
    )
    const server = await findEmbedded(config.DATA_DIR).catch((error: Error) => error)
    if (server instanceof Error) {
      const remedy = 'Run the gateway as the user that owns DATA_DIR.'
      return yield { check: 'database', ...problem(sentence(server), remedy) }
    }
    if (server.state !== 'running') {
      const text =
        server.state === 'none'
          ? `There is no embedded Postgres in ${config.DATA_DIR} yet: the first start makes one.`
          : `The embedded Postgres in ${config.DATA_DIR} does not run, so it is not checked: ` +
            'the next command starts it.'
      return yield { check: 'database', ...ok(text) }
    }
    url = server.url
  }
  const client = pgClient(url)
  try {
    const remedy = config.DATABASE_URL
      ? 'Check DATABASE_URL, and that Postgres runs there.'
      : 'See postgres.log in DATA_DIR.'
    const isReached = yield* checked('database', remedy, () => checkDatabase(client))
    if (!isReached) return
    const defaults = () => checkDefaults(config.DATABASE_DIRECT_URL ?? url)
    yield* checked('defaults', 'Check DATABASE_URL.', defaults)
    yield* checked('migrations', 'Let the role read the tables.', () => checkMigrations(client))
    const mayRead = yield* checked('rights', 'Let the role read the tables.', () =>
      checkRights(client, config),
    )
    if (mayRead)
      yield* checked('multipliers', 'Check the tables of the store.', () =>
        checkMultipliers(client),
      )
    if (mayRead && deep) yield* checkAllSums(url)
    else if (mayRead)
      yield* checked('sums', 'Check the tables of the store.', () => checkSums(client, url))
    yield* checked('listener', 'Check the network to Postgres.', () =>
      checkListener(client, config.DATABASE_DIRECT_URL ?? url),
    )
    yield* checked('clock', 'Check the network to Postgres.', async () => {
      const skew = clockWarning('Postgres', await clockAhead(client))
      return skew === undefined ? ok('This machine and Postgres agree.') : warning(skew, '')
    })
    for (const replica of config.DATABASE_REPLICA_URLS ?? [])
      yield* checked(
        `replica ${new URL(replica).host}`,
        'Check DATABASE_REPLICA_URLS, and that Postgres runs there.',
        () => checkReplica(client, replica),
      )
  } finally {
    client.connection.stream.destroy()
  }
}

const MIB = 1024 ** 2
const FULL_BYTES = 100 * MIB
const SCARCE_BYTES = 1024 * MIB

async function checkDisk(dataDir: string): Promise<Found> {
  const path = await nearestDirectory(resolve(dataDir))
  await access(path, constants.W_OK)
  if ((await statfs(path)).blocks === 0) throw new Error(`${path} is not on a disk`)
  const free = await freeBytes(path)
  const mib = Math.floor(free / MIB).toLocaleString('en-US')
  const text = `${mib} MiB are free for DATA_DIR ${resolve(dataDir)}.`
  if (free >= SCARCE_BYTES) return ok(text)
  const remedy =
    'Free space, or move DATA_DIR to a larger disk: Postgres stops when its disk is full.'
  return free < FULL_BYTES ? problem(text, remedy) : warning(text, remedy)
}

// The directory itself, or the one that it would be made in.
async function nearestDirectory(path: string): Promise<string> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(path) !== path) return undefined
    throw error
  })
  if (stats?.isDirectory() === false) throw new Error(`${path} is not a directory`)
  return stats ? path : nearestDirectory(dirname(path))
}

const OLDEST = 150_000

async function checkDatabase(client: pg.Client): Promise<Found[]> {
  await client.connect().catch((error: unknown) => {
    throw refusalOf(error) ?? error
  })
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version,
      current_setting('server_version_num')::int AS number,
       current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isReplica"`,
  )
  const { version, number, encoding, isReplica } = rows[0]
  const findings = [
    number < OLDEST
      ? problem(`It is Postgres ${version}.`, 'Upgrade it to version 15 or later.')
      : ok(`Postgres ${version} at ${client.host}:${client.port} answers.`),
  ]
  if (encoding !== 'UTF8')
    findings.push(
      problem(
        `Its encoding is ${encoding}.`,
        "Create the database with ENCODING 'UTF8', and copy the data.",
      ),
    )
  if (isReplica)
    findings.push(
      problem('It is a replica, which cannot be written to.', 'Set DATABASE_URL to the primary.'),
    )
  return findings
}

async function checkMigrations(client: pg.Client): Promise<Found> {
  const { pending, fault } = await readMigrationState(client, MIGRATIONS)
  if (fault !== undefined) return problem(fault, '')
  if (pending.length === 0) return ok('All are applied.')
  const text = `${pending.length} are not applied yet, from ${pending[0]} on.`
  return (await mayCreateTables(client))
    ? warning(text, 'The next start applies them, or `gateway migrate`.')
    : problem(
        text,
        `This role may not: run \`${await grantOf(client)}\`, or \`gateway migrate\` with a ` +
          'role that may.',
      )
}

async function checkRights(client: pg.Client, config: Config): Promise<Found> {
  const { role, tables, toRead, toWrite } = await readRights(client)
  if (toRead.length > 0)
    return problem(
      `The role ${role} may not read all tables, so requests fail.`,
      `Run this as a superuser or as the owner of the tables: ${toRead.join(' ')}`,
    )
  if (toWrite.length === 0) return ok(`${role} may read and write the ${tables} tables.`)
  const text = `The role ${role} may read, but not write all that a gateway writes. ${READ_ONLY}`
  const grants = toWrite.join(' ')
  const remedy = `To write, run this as a superuser or as the owner of the tables: ${grants}`
  const cron =
    config.DISTRIBUTION_CRON === undefined
      ? config.ANALYTICS_CRON && 'ANALYTICS_CRON'
      : 'DISTRIBUTION_CRON'
  return cron === undefined
    ? warning(text, `Nothing is wrong if another gateway on this store writes. ${remedy}`)
    : problem(text, `Unset ${cron}, which prevents the start. ${remedy}`)
}

const READ_ONLY =
  'Requests and exports work. Imports, runs, dry runs, changes of multipliers, and ' +
  'ranks of past dates do not.'

async function checkMultipliers(client: pg.Client): Promise<Found | []> {
  // Its tables may be others.
  const { pending } = await readMigrationState(client, MIGRATIONS)
  if (pending.length > 0) return []
  const unscored = await unscoredToday(client)
  const [first] = unscored
  if (!first) return ok('Each pool with positions on the newest date has a multiplier.')
  const then =
    'recompute the date with `gateway resync` (with `--dry-run` it only shows the changes)'
  return warning(unscoredMessage(unscored, ` of ${first.date}`), unscoredRemedy(unscored, then))
}

// Settings that each session of the gateway has, whatever the defaults are. The others are said
// to matter.
async function checkDefaults(url: string): Promise<Found | Found[]> {
  const client = sourceClient(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string; setting: string; boot: string }>(
      `SELECT name, setting, boot_val AS boot FROM pg_settings
       WHERE (name = ANY($1::text[]) OR name = 'synchronous_commit')
         AND setting IS DISTINCT FROM boot_val
         AND source NOT IN ('default', 'client', 'session', 'override') ORDER BY name`,
      [Object.keys(pinned)],
    )
    const differing = rows.filter(
      ({ name, setting }) => pinned[name]?.toLowerCase() !== setting.toLowerCase(),
    )
    const found: Found[] = []
    if (differing.some(({ name }) => name === 'session_replication_role'))
      found.push(
        problem(
          'The default of session_replication_role turns off triggers, which keep the stored ' +
            'sums right.',
          'Set it to origin for the database and the role, or let the role set it.',
        ),
      )
    if (differing.some(({ name }) => name === 'synchronous_commit'))
      found.push(
        warning(
          'The default of synchronous_commit lets a crash of the server lose runs that were ' +
            'reported as stored.',
          'Set it to on, unless you prefer faster commits.',
        ),
      )
    const harmless = differing.flatMap(({ name, setting }) =>
      name in MATTER ? [] : [`${name} is ${setting}`],
    )
    if (harmless.length > 0)
      found.push(
        ok(`These defaults do not matter, since sessions have their own: ${harmless.join('; ')}.`),
      )
    return found.length > 0
      ? found
      : ok('The defaults of the database, the role and the server are the usual ones.')
  } finally {
    client.connection.stream.destroy()
  }
}

const MATTER = { session_replication_role: true, synchronous_commit: true }

const REBUILD = 'Run `gateway rebuild`, which restores them from the records.'

async function checkSums(client: pg.Client, url: string): Promise<Found | []> {
  const { pending } = await readMigrationState(client, MIGRATIONS)
  if (pending.length > 0) return []
  const own = pgClient(url)
  try {
    return await pTimeout(compareSums(own, false), {
      milliseconds: ANSWER_MS,
      fallback: () =>
        ok(
          'They cannot be compared with the records so quickly: `gateway doctor --deep` takes ' +
            'its time.',
        ),
    })
  } finally {
    own.connection.stream.destroy()
  }
}

async function* checkAllSums(url: string): AsyncGenerator<Finding> {
  const client = new StoreClient({
    connectionString: url,
    application_name: 'gateway-doctor',
    pooled: {},
  })
  client.on('error', () => {})
  try {
    yield { check: 'sums', ...(await compareSums(client, true)) }
  } catch (error) {
    yield { check: 'sums', ...problem(sentence(error as Error), 'Check the tables of the store.') }
  } finally {
    client.connection.stream.destroy()
  }
}

async function compareSums(client: pg.Client, deep: boolean): Promise<Found> {
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const differing = await differingSums(client, deep)
  const compared = deep
    ? 'All stored sums'
    : 'The stored sums of the newest dates and of a sample of users'
  if (differing.length === 0) return ok(`${compared} are those of the records.`)
  return problem(`Stored sums are not those of the records: ${differing.join(', ')}.`, REBUILD)
}

// A client that has not connected yet. Each of its statements has the settings of the gateway,
// also behind a pooler.
function pgClient(url: string): pg.Client {
  const client = new StoreClient({
    connectionString: url,
    application_name: 'gateway-doctor',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    pooled: {},
  })
  client.on('error', () => {})
  return client
}

function sourceClient(url: string, options: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({
    ...options,
    connectionString: url,
    application_name: 'gateway-doctor',
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
  client.on('error', () => {})
  return client
}

async function checkReplica(primary: pg.Client, url: string): Promise<Found> {
  const replica = pgClient(url)
  try {
    await replica.connect()
    const { rows } = await replica.query(
      `SELECT pg_is_in_recovery() AS "isReplica", sum(version)::float8 AS version,
         to_char(pg_last_xact_replay_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
           AS "replayedAt"
       FROM data_version`,
    )
    const { isReplica, version, replayedAt } = rows[0]
    if (!isReplica)
      return problem(
        'It is not in recovery, so it does not follow the primary and is not read.',
        'Name only replicas of DATABASE_URL.',
      )
    const [own, other] = [await systemIdentifierOf(replica), await systemIdentifierOf(primary)]
    const isKnown = own !== undefined && other !== undefined
    if (isKnown && own !== other)
      return problem(
        'It is not a copy of the server of DATABASE_URL.',
        'Name only replicas of DATABASE_URL.',
      )
    const newest = await primary.query<{ version: number }>(
      'SELECT sum(version)::float8 AS version FROM data_version',
    )
    const behind = (newest.rows[0]?.version ?? 0) - version
    if (behind > 0)
      return warning(
        `It is ${behind} data ${behind === 1 ? 'version' : 'versions'} behind. It replayed ` +
          `up to ${replayedAt} UTC.`,
        'Reads go there once it has caught up: check the replication if it does not.',
      )
    if (isKnown) return ok('It is a copy of the same server, and has the newest data.')
    return ok(
      'It has the newest data. The role may not read whether it is a copy of the same server: ' +
        'the gateway compares the data.',
    )
  } finally {
    replica.connection.stream.destroy()
  }
}

async function checkListener(client: pg.Client, url: string): Promise<Found> {
  let stop = () => {}
  const notifications = openNotifications({
    url,
    channels: CHANNELS,
    notify: async (channel, payload) => {
      await client.query('SELECT pg_notify($1, $2)', [channel, payload])
    },
    onError() {},
  })
  try {
    const isHeard = await pTimeout(
      new Promise<boolean>((done) => {
        stop = notifications.onUp(() => done(true))
      }),
      { milliseconds: ANSWER_MS, fallback: () => false },
    )
    return isHeard
      ? ok('A notification of Postgres was heard.')
      : problem(
          'No notification of Postgres is heard, so nothing is cached.',
          'Does DATABASE_URL lead to a pooler in transaction mode? Set DATABASE_DIRECT_URL to ' +
            'the same database without it.',
        )
  } finally {
    stop()
    await notifications.close()
  }
}

async function checkCache({ REDIS_URL: url }: Config): Promise<Found> {
  if (url === undefined)
    return ok('There is no Redis: answers are cached in the memory of each gateway.')
  const client = createClient({
    url,
    socket: { connectTimeout: ANSWER_MS, reconnectStrategy: false },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const info = await client.info()
    const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1]
    const text = `Redis ${field('redis_version')} at ${new URL(url).host} answers.`
    const policy = field('maxmemory_policy')
    if (field('maxmemory') === '0')
      return warning(
        `${text} Its memory has no limit.`,
        'Set its maxmemory, and maxmemory-policy allkeys-lru.',
      )
    return policy?.startsWith('allkeys-')
      ? ok(text)
      : warning(
          `${text} Its maxmemory-policy is ${policy}.`,
          'Set it to allkeys-lru, or it refuses answers when it is full.',
        )
  } finally {
    client.destroy()
  }
}

async function* checkSources(config: Config): AsyncGenerator<Finding> {
  const {
    POSITIONS_SOURCE: positions,
    PRICES_SOURCE: prices,
    POSITIONS_SOURCE_KEY: bearer,
  } = config
  const client = openClient({ timeoutMs: ANSWER_MS, retries: 0, maxBytes: MIB })
  try {
    if (positions === undefined)
      yield { check: 'positions', ...ok('There is no POSITIONS_SOURCE: manualupdate is off.') }
    else
      yield* checked('positions', 'Check POSITIONS_SOURCE.', async () => {
        if (isRemote(positions)) return checkServer(client, 'POSITIONS_SOURCE', positions, bearer)
        const { name } = await openDirectory(positions)
        return ok(`The directory ${name} has files of the import format.`)
      })
    for (const [setting, source] of analyticsSources(config))
      yield* checked('analytics', `Check ${setting}.`, async () => {
        if (isRemote(source))
          return checkServer(client, setting, source, config.ANALYTICS_SOURCE_KEY)
        if (isPostgres(source)) return checkPostgresSource(source)
        const dataset = await openDirectory(source)
        return ok(`The directory ${dataset.name} has files of the import format.`)
      })
    yield* checkFields(config)
    if (prices !== undefined)
      yield* checked('prices', 'Check PRICES_SOURCE.', () =>
        checkServer(client, 'PRICES_SOURCE', prices),
      )
  } finally {
    await client.close()
  }
}

async function* checkFields(config: Config): AsyncGenerator<Finding> {
  const client = openClient({ timeoutMs: ANSWER_MS, retries: 0, maxBytes: config.SOURCE_MAX_BYTES })
  try {
    for (const [leg, source] of openAnalytics(config, client).sources)
      yield* checked('analytics', `Run gateway update ${leg} --dry-run.`, async () => {
        const called = analyticsName(leg, source.name)
        const fields = await fieldsOf(source, leg, AbortSignal.timeout(CHECK_MS))
        if (!fields?.count) return ok(`${called} has no records yet.`)
        const { count, missing, empty } = fields
        const examined = `(examined: ${recordCount(count)})`
        if (missing.length > 0)
          return problem(
            `${called} does not provide ${missing.join(', ')} ${examined}.`,
            'Map these fields in ANALYTICS_MAPPING, or set them as constants: updates fail ' +
              'without them.',
          )
        if (empty.length > 0)
          return warning(
            `${called} does not provide ${empty.join(', ')} ${examined}.`,
            'Map these fields in ANALYTICS_MAPPING, if the source has them: answers show null, ' +
              'or what a record without them means.',
          )
        return ok(`${called} provides every field.`)
      })
  } finally {
    await client.close()
  }
}

function analyticsSources(config: Config): [string, string][] {
  const settings = ['ANALYTICS_SOURCE' as const, ...legNames.map(legSetting)]
  return settings.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]]))
}

async function checkPostgresSource(url: string): Promise<Found> {
  const name = shownUrl(url)
  const client = sourceClient(withCheckedCertificate(url), { stream: () => new SourceSocket() })
  try {
    await client.connect()
    await client.query('BEGIN READ ONLY')
    return ok(`${name} answers.`)
  } finally {
    client.connection.stream.destroy()
  }
}

async function checkServer(
  client: HttpClient,
  setting: string,
  url: string,
  bearer?: string,
): Promise<Found> {
  const name = shownUrl(url)
  const { status, date, body } = await client.open(name, url, { bearer })
  body.destroy()
  if (status === 401 || status === 403)
    return problem(
      `${name} refuses access (${status}).`,
      `Check ${setting}${bearer ? ` and ${setting.replace(/_SOURCE.*/, '_SOURCE_KEY')}` : ''}.`,
    )
  const skew = date && clockWarning(name, (Date.now() - date.getTime()) / 1000)
  return skew === undefined ? ok(`${name} answers.`) : warning(`${name} answers. ${skew}`, '')
}
