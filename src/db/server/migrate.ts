import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, DriverAdapterError } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import { sessionSql } from '../connect/session.ts'
import { LOCK_NOT_AVAILABLE, LOCKS } from '../locks.ts'

/** The time limit for another gateway's migrations. */
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
 * Applies all migrations in `migrationsDir` and records them in `_prisma_migrations`, as `prisma migrate deploy` does.
 * Concurrent callers wait for each other. Each script and its record are one transaction, so a script must not commit, and a
 * failed or killed migration leaves nothing behind and is retried.
 *
 * @returns the names of the applied migrations, in order
 * @throws Error that names the migration, if its script fails (Postgres' error is the cause), if an applied script has
 *   changed since, if the database has one that is not in `migrationsDir`, or if the role may not create tables
 */
export async function migrate(options: {
  url: string
  migrationsDir: string
  log: { info(details: object, message?: string): void }
}): Promise<{ applied: string[] }> {
  const began = Date.now()
  const migrations = await readMigrations(options.migrationsDir)
  // A single connection, so that the session that does the work has the lock.
  const pool = new pg.Pool({ connectionString: options.url, max: 1, idleTimeoutMillis: 0 })
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
    const known = begun ? await readApplied(pool) : []
    const pending = pendingOf(migrations, known)
    if (pending.length === 0) return { applied: [] }
    if (!(await mayCreate(pool))) throw lacking(pending, 'this database role may not apply them')
    if (begun) await markRolledBack(pool)
    const applied = await apply(pool, options.migrationsDir, migrations)
    options.log.info({ applied, ms: Date.now() - began }, 'migrated the database')
    return { applied }
  } finally {
    await pool.end()
  }
}

/**
 * Checks that all migrations in `migrationsDir` are applied, and changes nothing.
 * @throws Error if one is not, or as `migrate` does
 */
export async function assertMigrated(options: { url: string; migrationsDir: string }): Promise<void> {
  const migrations = await readMigrations(options.migrationsDir)
  const pool = new pg.Pool({ connectionString: options.url, max: 1 })
  pool.on('error', () => {})
  try {
    const pending = pendingOf(migrations, (await hasRecords(pool)) ? await readApplied(pool) : [])
    if (pending.length > 0) throw lacking(pending, 'MIGRATE is off')
  } finally {
    await pool.end()
  }
}

function lacking(pending: Migration[], reason: string): Error {
  const which = pending.length === 1 ? 'the migration' : `${pending.length} migrations, beginning with`
  return new Error(
    `The database lacks ${which} ${pending[0]?.name}, and ${reason}: run the command migrate with the role that owns the tables.`,
  )
}

/** Takes the lock that `prisma migrate deploy` takes too. */
async function lock(pool: pg.Pool): Promise<void> {
  await pool.query(`${sessionSql()}; set lock_timeout = '${TURN}'`)
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

async function hasRecords(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`select to_regclass('public._prisma_migrations') is not null as found`)
  return rows[0].found
}

async function mayCreate(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`select has_schema_privilege('public', 'create') as may`)
  return rows[0].may
}

async function readApplied(pool: pg.Pool): Promise<AppliedMigration[]> {
  const { rows } = await pool.query<AppliedMigration>(
    `select migration_name as name, checksum from public._prisma_migrations
     where finished_at is not null and rolled_back_at is null order by started_at`,
  )
  return rows
}

/** A failed or killed migration left nothing behind, but its record would stop the engine. */
async function markRolledBack(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update public._prisma_migrations set rolled_back_at = now()
     where finished_at is null and rolled_back_at is null`,
  )
}

/** @throws Error if the applied migrations do not match the directory */
function pendingOf(migrations: Migration[], applied: AppliedMigration[]): Migration[] {
  const scripts = new Map(migrations.map(({ name, script }) => [name, script]))
  for (const { name, checksum } of applied) {
    const script = scripts.get(name)
    if (script === undefined) {
      throw new Error(`The database has the migration ${name}, which this gateway does not know: use a newer gateway.`)
    }
    // Like Prisma, ignores line endings, which a checkout may change.
    const unix = script.replaceAll('\r\n', '\n')
    const same = [script, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum)
    if (!same) throw new Error(`The migration ${name} was changed after it had been applied to this database.`)
  }
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex')
}

async function apply(pool: pg.Pool, migrationsDir: string, migrations: Migration[]): Promise<string[]> {
  const { SchemaEngine } = await loadEngine()
  let failure: { script: string; cause: Error } | undefined
  const factory = new PrismaPg(pool)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    // adapter-pg would split the script at semicolons. As one query it is one transaction.
    adapter.executeScript = async (script) => {
      try {
        await pool.query(`${script}\n;\n${FINISH}`)
      } catch (error) {
        failure = { script, cause: error as Error }
        const { code = 'N/A', severity = 'N/A', message, detail, column, hint } = error as pg.DatabaseError
        throw new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint })
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
    const lockfile = await readFile(join(migrationsDir, 'migration_lock.toml'), 'utf8').catch(() => null)
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
    if (!failure) throw new Error(`The database cannot be migrated: ${(error as Error).message}`, { cause: error })
    const name = migrations.find(({ script }) => script === failure?.script)?.name
    throw new Error(`The migration ${name} failed: ${failure.cause.message}`, { cause: failure.cause })
  } finally {
    engine.free()
  }
}

/**
 * Sent with each script, in its transaction. Otherwise a kill before the engine records it would leave it applied but marked
 * as failed.
 */
const FINISH = `update public._prisma_migrations set finished_at = now()
  where finished_at is null and rolled_back_at is null`

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')

/** Missing from Node's types. */
interface WithWebAssembly {
  WebAssembly: {
    instantiate(code: Uint8Array, imports: object): Promise<{ instance: { exports: EngineExports } }>
  }
}

interface EngineExports {
  __wbindgen_start(): void
}

let engineModule: Promise<EngineModule> | undefined

/** Prisma's schema engine. Its glue code has one WebAssembly instance, so a process loads it once. */
function loadEngine(): Promise<EngineModule> {
  engineModule ??= (async () => {
    const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg')
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
    const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
    const { WebAssembly } = globalThis as unknown as WithWebAssembly
    const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': glue })
    glue.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
    return glue
  })()
  return engineModule
}
