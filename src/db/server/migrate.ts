import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  DriverAdapterError,
} from '@prisma/driver-adapter-utils'
import { postgreSplitterOptions, splitQuery } from 'dbgate-query-splitter'
import pg from 'pg'
import { GatewayError } from '../../errors.ts'
import { pinSession } from '../connect/client.ts'
import type { Queryable } from '../connect/protocol.ts'
import { inTransaction } from '../connect/transaction.ts'
import { LOCK_NOT_AVAILABLE, LOCKS } from '../locks.ts'

const TURN = '10min'

interface Migration {
  name: string
  script: string
}

interface AppliedMigration {
  name: string
  checksum: string
}

/**
 * Applies all migrations in `migrationsDir` and records them in `_prisma_migrations`, as `prisma
 * migrate deploy` does. Concurrent callers wait for each other. Each script and its record are one
 * transaction, so a script must not commit, and a failed or killed migration leaves nothing behind
 * and is retried.
 *
 * @returns the names of the applied migrations, in order
 * @throws BAD_INPUT if the database is another program's or a newer gateway's, or does not let its
 * role in, or do this
 * @throws Error that names the migration, if its script fails (Postgres' error is the cause) or has
 * changed since
 */
export async function migrate(options: {
  url: string
  migrationsDir: string
  /** Returns settings of its transactions, as statements. */
  settings?(): Promise<string>
  log: { info(details: object, message?: string): void }
}): Promise<{ applied: string[] }> {
  const began = Date.now()
  const migrations = await readMigrations(options.migrationsDir)
  // A single connection, so that the session that does the work has the lock.
  const pool = new pg.Pool({
    connectionString: options.url,
    max: 1,
    idleTimeoutMillis: 0,
    onConnect: pinSession,
  })
  pool.on('error', () => {})
  try {
    await lock(pool).catch((cause) => {
      const reason =
        cause.code === LOCK_NOT_AVAILABLE
          ? `another session has held the lock for migrations (${LOCKS.migrate}) for ${TURN}`
          : cause.message || cause.code
      throw new Error(`The database cannot be migrated: ${reason}`, { cause })
    })
    const begun = await hasRecords(pool)
    const { pending, fault } = begun
      ? compare(migrations, await readApplied(pool))
      : await compareEmpty(pool, migrations)
    if (fault !== undefined) throw new GatewayError('BAD_INPUT', fault)
    if (pending.length === 0) return { applied: [] }
    if (!(await mayCreateTables(pool)))
      throw lacking(pending, MAY_NOT, begun ? undefined : await grantOf(pool))
    if (begun) await markRolledBack(pool)
    const settings = (await options.settings?.()) ?? ''
    const applied = await apply(pool, { ...options, migrations, settings })
    options.log.info({ applied, ms: Date.now() - began }, 'migrated the database')
    return { applied }
  } catch (error) {
    throw refusalOf(error) ?? error
  } finally {
    await pool.end()
  }
}

/**
 * Checks that all migrations in `migrationsDir` are applied, and changes nothing.
 * @throws BAD_INPUT if one is not, or as `migrate` does
 */
export async function assertMigrated(options: {
  url: string
  migrationsDir: string
  /** Why they are not applied now. */
  reason?: string
}): Promise<void> {
  const pool = new pg.Pool({ connectionString: options.url, max: 1 })
  pool.on('error', () => {})
  try {
    const { pending, fault } = await readMigrationState(pool, options.migrationsDir)
    if (fault !== undefined) throw new GatewayError('BAD_INPUT', fault)
    if (pending.length > 0) throw lacking(pending, options.reason ?? 'MIGRATE is off')
  } catch (error) {
    throw refusalOf(error) ?? error
  } finally {
    await pool.end()
  }
}

const MAY_NOT = 'this database role may not create tables'

// `grant`: SQL that lets the role apply them.
function lacking(pending: string[], reason: string, grant?: string): GatewayError {
  const which =
    pending.length === 1 ? 'the migration' : `${pending.length} migrations, beginning with`
  const before = grant === undefined ? '' : `run \`${grant}\` as the owner of the database, or `
  return new GatewayError(
    'BAD_INPUT',
    `The database lacks ${which} ${pending[0]}, and ${reason}: ${before}run the command ` +
      'migrate with the role that owns the tables.',
  )
}

/** SQL that lets the role of a connection make the tables. */
export async function grantOf(client: Queryable): Promise<string> {
  const { rows } = await client.query('select quote_ident(current_user) as role')
  return `GRANT USAGE, CREATE ON SCHEMA public TO ${rows[0].role};`
}

// The migrations of a database, compared with those of this gateway.
interface MigrationState {
  pending: string[]
  fault: string | undefined
}

/** Compares a database with the migrations in `migrationsDir`. Changes nothing. */
export async function readMigrationState(
  client: Queryable,
  migrationsDir: string,
): Promise<MigrationState> {
  const migrations = await readMigrations(migrationsDir)
  const begun = await hasRecords(client)
  return begun ? compare(migrations, await readApplied(client)) : compareEmpty(client, migrations)
}

// The SQLSTATEs of a role that may not log in or lacks a privilege, and of a database that does not
// exist.
const REFUSED = /^(28...|42501|3D000)$/

/** The error for a database that cannot be reached, or that refuses its role. */
export function refusalOf(error: unknown): GatewayError | undefined {
  const { cause = error } = error as { cause?: unknown }
  const { code = '', message, syscall } = cause as pg.DatabaseError & NodeJS.ErrnoException
  const encryption = encryptionFault(code, message)
  if (encryption !== undefined) return new GatewayError('BAD_INPUT', encryption)
  if (syscall === 'connect' || syscall === 'getaddrinfo')
    return new GatewayError(
      'UNAVAILABLE',
      `The database cannot be reached: ${message}. Check DATABASE_URL, and that Postgres ` +
        'runs there.',
    )
  if (message.startsWith('SASL: ') && message.includes('password must be'))
    return new GatewayError('BAD_INPUT', 'The database asks for a password. Check DATABASE_URL.')
  if (!REFUSED.test(code)) return undefined
  const remedy =
    code === '42501'
      ? 'Run the grants that `gateway doctor` prints, or `gateway migrate` with a role that ' +
        'owns the tables.'
      : 'Check DATABASE_URL.'
  return new GatewayError('BAD_INPUT', `The database cannot be used: ${message}. ${remedy}`)
}

// A certificate that does not lead to an authority which this machine knows.
const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^CERT_UNTRUSTED$/

function encryptionFault(code: string, message: string): string | undefined {
  if (UNKNOWN_AUTHORITY.test(code))
    return (
      'The certificate of the database is of an authority that this machine does not know ' +
      `(${message}): name the authority's certificate with sslrootcert=/path/to/ca.pem in ` +
      'DATABASE_URL, or encrypt without checking it, with sslmode=no-verify.'
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return (
      'The certificate of the database is for another host: write the host of its ' +
      'certificate into DATABASE_URL, or encrypt without checking it, with sslmode=no-verify.'
    )
  if (/^CERT_|^ERR_(TLS|SSL|OSSL)/.test(code))
    return (
      `The connection to the database cannot be encrypted (${message}): check the ` +
      'certificate of the server, and sslmode in DATABASE_URL.'
    )
  if (message === 'The server does not support SSL connections')
    return (
      'The database does not encrypt connections: set ssl = on in its configuration, or ' +
      'remove sslmode from DATABASE_URL.'
    )
  return undefined
}

// Takes the lock that `prisma migrate deploy` takes too.
async function lock(pool: pg.Pool): Promise<void> {
  await pool.query(`set lock_timeout = '${TURN}'`)
  await pool.query('select pg_advisory_lock($1)', [LOCKS.migrate])
  await pool.query('set lock_timeout = 0')
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      script: await readFile(join(directory, name, 'migration.sql'), 'utf8'),
    })),
  )
}

async function hasRecords(pool: Queryable): Promise<boolean> {
  const { rows } = await pool.query(
    `select to_regclass('public._prisma_migrations') is not null as found`,
  )
  return rows[0].found
}

/** True if the role may do what migrations do. */
export async function mayCreateTables(client: Queryable): Promise<boolean> {
  const { rows } = await client.query(`select has_schema_privilege('public', 'create') as may`)
  return rows[0].may
}

async function readApplied(pool: Queryable): Promise<AppliedMigration[]> {
  const { rows } = await pool.query<AppliedMigration>(
    `select migration_name as name, checksum from public._prisma_migrations
     where finished_at is not null and rolled_back_at is null order by started_at`,
  )
  return rows
}

// A failed or killed migration left nothing behind, but its record would stop the engine.
async function markRolledBack(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update public._prisma_migrations set rolled_back_at = now()
     where finished_at is null and rolled_back_at is null`,
  )
}

// A database without records must be empty. Tables of extensions do not count.
async function compareEmpty(pool: Queryable, migrations: Migration[]): Promise<MigrationState> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = to_regnamespace('public') and relkind in ('r', 'p', 'v', 'm', 'f')
       and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
     order by relname limit 1`,
  )
  const [other] = rows
  const fault =
    other &&
    `The database belongs to another program, since it has the table ${other.name}. ${ANOTHER}`
  return { pending: migrations.map(({ name }) => name), fault }
}

const ANOTHER = 'Set DATABASE_URL to a separate database for the gateway.'

function compare(migrations: Migration[], applied: AppliedMigration[]): MigrationState {
  const names = new Set(applied.map(({ name }) => name))
  const pending = migrations.flatMap(({ name }) => (names.has(name) ? [] : [name]))
  return { pending, fault: mismatch(migrations, applied) }
}

// The first migration of the editions before 2.0.0.
const FORMER_EDITION = '20261121000000_store'
const FORMER =
  'The database was written by an edition before 2.0.0. Export its data with that ' +
  'edition (`gateway export DIR`), and import them with this one into an empty ' +
  'database (`gateway import DIR`).'

function mismatch(migrations: Migration[], applied: AppliedMigration[]): string | undefined {
  if (applied.some(({ name }) => name === FORMER_EDITION)) return FORMER
  const scripts = new Map(migrations.map(({ name, script }) => [name, script]))
  const isOurs = applied.some(({ name }) => scripts.has(name))
  for (const { name, checksum } of applied) {
    const script = scripts.get(name)
    if (script === undefined)
      return isOurs
        ? `The database has the migration ${name}, which this gateway does not know: use the ` +
            'version that applied it or a newer one, or restore a backup from before.'
        : `The database belongs to another program, since it has the migration ${name}. ${ANOTHER}`
    // Like Prisma, ignores line endings, which a checkout may change.
    const unix = script.replaceAll('\r\n', '\n')
    const same = [script, unix, unix.replaceAll('\n', '\r\n')].some(
      (text) => checksumOf(text) === checksum,
    )
    if (!same)
      return `The migration ${name} was changed after it had been applied to this database.`
  }
  return undefined
}

function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex')
}

type PgFailure = pg.DatabaseError

function driverError({ code = 'N/A', severity = 'N/A', message, detail, column, hint }: PgFailure) {
  const cause = { code, severity, message, detail, column, hint }
  return new DriverAdapterError({ kind: 'postgres', ...cause })
}

async function apply(
  pool: pg.Pool,
  options: { migrationsDir: string; migrations: Migration[]; settings: string },
): Promise<string[]> {
  const { migrationsDir, migrations, settings } = options
  const { SchemaEngine } = await loadEngine()
  let failure: { script: string; cause: Error } | undefined
  const factory = new PrismaPg(pool)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    // adapter-pg would split the script at each semicolon, and not run it in one transaction.
    adapter.executeScript = async (script) => {
      try {
        // One by one: a store of several servers sends the text of each change to the others.
        const statements = [...splitQuery(script, postgreSplitterOptions).map(String), FINISH]
        await inTransaction({ pool }, async (client) => {
          if (settings !== '') await client.query(settings)
          for (const statement of statements) await client.query(statement)
        })
      } catch (error) {
        failure = { script, cause: error as Error }
        throw driverError(error as PgFailure)
      }
    }
    return adapter
  }

  const datamodel = 'datasource db {\n  provider = "postgresql"\n}\n'
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', datamodel]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  )
  try {
    const lockfile = await readFile(join(migrationsDir, 'migration_lock.toml'), 'utf8').catch(
      () => null,
    )
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: resolve(migrationsDir),
        lockfile: { path: 'migration_lock.toml', content: lockfile },
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, script }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
        })),
      },
      filters: { externalTables: [], externalEnums: [] },
    })
    return appliedMigrationNames
  } catch (error) {
    if (!failure) {
      // The engine's message goes on with where in its source it failed.
      const [message] = (error as Error).message.split('\n')
      throw new Error(`The database cannot be migrated: ${message}`, { cause: error })
    }
    const name = migrations.find(({ script }) => script === failure?.script)?.name
    const what =
      name === undefined
        ? 'The records of migrations could not be made'
        : `The migration ${name} failed`
    throw new Error(`${what}: ${failure.cause.message}`, { cause: failure.cause })
  } finally {
    engine.free()
  }
}

// Sent with each script, in its transaction. Otherwise a kill before the engine records it would
// leave it applied but marked as failed.
const FINISH = `update public._prisma_migrations set finished_at = now()
  where finished_at is null and rolled_back_at is null`

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')

// Missing from Node's types.
interface WithWebAssembly {
  WebAssembly: {
    instantiate(
      code: Uint8Array,
      imports: object,
    ): Promise<{ instance: { exports: EngineExports } }>
  }
}

interface EngineExports {
  __wbindgen_start(): void
}

let engineModule: Promise<EngineModule> | undefined

// Prisma's schema engine. Its glue code has one WebAssembly instance, so a process loads it once.
function loadEngine(): Promise<EngineModule> {
  engineModule ??= (async () => {
    const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg')
    const entry = createRequire(import.meta.url).resolve(
      '@prisma/schema-engine-wasm/schema_engine_bg',
    )
    const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
    const { WebAssembly } = globalThis as unknown as WithWebAssembly
    const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': glue })
    glue.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
    return glue
  })()
  return engineModule
}
