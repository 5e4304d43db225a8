import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/db/server/migrate.ts'
import { openStore, silent } from '../support/store.ts'

let store: Awaited<ReturnType<typeof openStore>>
let pool: pg.Pool
let migrationsDir: string

beforeEach(async () => {
  // A database without tables.
  store = await openStore('template1')
  pool = store.pool
  migrationsDir = await mkdtemp(join(tmpdir(), 'migrate-'))
  await writeFile(join(migrationsDir, 'migration_lock.toml'), 'provider = "postgresql"\n')
  await write('1_users', USERS)
  await write('2_trigger', TRIGGER)
})

afterEach(async () => {
  await store.close()
  await rm(migrationsDir, { recursive: true })
})

const USERS = 'create table users (address text primary key, seen int not null default 0);\n'
const TRIGGER = `
-- A body with semicolons, and no semicolon nor line end after the last statement.
create function see() returns trigger language plpgsql as $$
begin
  new.seen := new.seen + 1; return new;
end $$;
create table parts (day int, n int) partition by range (day);
create table parts_1 partition of parts for values from (1) to (2);
create trigger see before insert on users for each row execute function see() -- done`

async function write(name: string, script: string) {
  await mkdir(join(migrationsDir, name), { recursive: true })
  await writeFile(join(migrationsDir, name, 'migration.sql'), script)
}

const run = () => migrate({ url: store.url, migrationsDir, log: silent })

const tables = async () => {
  const { rows } = await pool.query(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename collate "C"`,
  )
  return rows.map(({ name }) => name)
}

const records = async () => {
  const { rows } = await pool.query(
    `select migration_name as name, checksum, finished_at is not null as finished,
       rolled_back_at is not null as "rolledBack", applied_steps_count as steps
     from _prisma_migrations order by started_at`,
  )
  return rows
}

const record = (name: string, script: string) => ({
  name,
  checksum: createHash('sha256').update(script).digest('hex'),
  finished: true,
  rolledBack: false,
  steps: 1,
})

test('applies each script once and records it as Prisma does', async () => {
  expect(await run()).toEqual({ applied: ['1_users', '2_trigger'] })
  await pool.query(`insert into users values ('0xa')`)
  expect((await pool.query('select * from users')).rows).toEqual([{ address: '0xa', seen: 1 }])
  const both = [record('1_users', USERS), record('2_trigger', TRIGGER)]
  expect(await records()).toEqual(both)

  expect(await run()).toEqual({ applied: [] })

  await write('3_more', 'create table more (n int);')
  expect(await run()).toEqual({ applied: ['3_more'] })
  expect(await records()).toEqual([...both, record('3_more', 'create table more (n int);')])
})

test('three at once apply it once', async () => {
  const results = await Promise.all([run(), run(), run()])
  expect(results.flatMap(({ applied }) => applied)).toEqual(['1_users', '2_trigger'])
  expect(await records()).toHaveLength(2)
})

test('a script that fails is named, leaves nothing behind, and is tried again', async () => {
  await write(
    '3_bad',
    'create table bad (n int);\ninsert into bad values (1);\nselect n from nowhere;\n',
  )
  const failed = expect(run()).rejects
  await failed.toThrow('The migration 3_bad failed: relation "nowhere" does not exist')
  await expect(run()).rejects.toMatchObject({ cause: { code: '42P01' } })
  expect(await tables()).toEqual(['_prisma_migrations', 'parts', 'parts_1', 'users'])
  const { rows } = await pool.query(`select logs from _prisma_migrations where finished_at is null`)
  expect(rows[0].logs).toContain('nowhere')

  const repaired = 'create table bad (n int);\n'
  await write('3_bad', repaired)
  expect(await run()).toEqual({ applied: ['3_bad'] })
  const recorded = await records()
  expect(recorded.map(({ name, finished, rolledBack }) => [name, finished, rolledBack])).toEqual([
    ['1_users', true, false],
    ['2_trigger', true, false],
    ['3_bad', false, true],
    ['3_bad', false, true],
    ['3_bad', true, false],
  ])
  expect(await run()).toEqual({ applied: [] })
})

test('a gateway that lost its connection has left nothing behind', async () => {
  await write(
    '3_killed',
    'create table killed (n int); select pg_terminate_backend(pg_backend_pid());',
  )
  await expect(run()).rejects.toThrow(/3_killed failed/)
  await write('3_killed', 'create table killed (n int);')
  expect(await run()).toEqual({ applied: ['3_killed'] })
})

test('a script that was changed after it was applied is refused, other line ends are not', async () => {
  await run()
  await write('1_users', USERS.replaceAll('\n', '\r\n'))
  expect(await run()).toEqual({ applied: [] })
  await write('1_users', `${USERS}-- a thought`)
  await write('3_more', 'create table more (n int);')
  await expect(run()).rejects.toThrow('The migration 1_users was changed after it had been applied')
  expect(await tables()).not.toContain('more')
})

test('the database of a newer gateway is refused', async () => {
  await run()
  await rm(join(migrationsDir, '2_trigger'), { recursive: true })
  await expect(run()).rejects.toThrow(
    'has the migration 2_trigger, which this gateway does not know',
  )
})

test('the store of an edition before 2.0.0 is refused with how to bring its data over', async () => {
  await run()
  await pool.query(
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('1', '', '20261121000000_store', now())`,
  )
  await expect(run()).rejects.toThrow(
    'The database was written by an edition before 2.0.0. Export its data with that edition (`gateway export DIR`), and import them with this one into an empty database (`gateway import DIR`).',
  )
})

test('a database that holds something else is refused', async () => {
  await pool.query('create table somebody_elses (n int)')
  await expect(run()).rejects.toThrow(
    'belongs to another program, since it has the table somebody_elses',
  )
  expect(await tables()).toEqual(['somebody_elses'])
})
