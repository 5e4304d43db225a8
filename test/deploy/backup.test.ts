import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentAt, ROOT } from '../docs/markdown.ts'
import { answersOf, ranked } from '../support/answers.ts'
import { command, type Serving, serve } from '../support/command-line.ts'
import { directoryInMemory } from '../support/memory.ts'
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts'

/**
 * The commands of the guide back up and restore: both APIs answer the same afterwards, byte for
 * byte.
 */

const run = promisify(execFile)
const fixture = join(ROOT, 'test/fixtures/contract')

let directory: string
beforeAll(async () => {
  directory = await directoryInMemory('gateway-backup-')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs the block of the guide that has these words, in a shell that stops at the first failure. */
async function guide(
  words: string,
  replaced: Record<string, string>,
  env: Record<string, string>,
): Promise<string> {
  const block = documentAt('src/deploy/README.md').blocks.find(({ text }) => text.includes(words))
  const script = Object.entries(replaced).reduce(
    (text, [a, b]) => text.replaceAll(a, b),
    block?.text ?? 'no such block',
  )
  const PATH = `${postgresPrograms}:${process.env.PATH}`
  const { stdout } = await run('bash', ['-euc', script], {
    cwd: directory,
    env: { PATH, HOME: directory, ...env },
  })
  return stdout
}

async function filled(env: Record<string, string>): Promise<void> {
  for (const args of [
    ['import', fixture],
    ['resync', '--all'],
  ])
    expect(await command(args, env)).toMatchObject({ code: 0 })
}

/** Asks a gateway that is started for it. */
async function answersOn(env: Record<string, string>): Promise<Record<string, string>> {
  let gateway: Serving | undefined
  try {
    gateway = await serve(env)
    await ranked(gateway.base)
    return await answersOf(gateway.base)
  } finally {
    await gateway?.stop('SIGTERM')
  }
}

const missing = postgresPrograms === undefined ? ' (skipped: no Postgres of its own here)' : ''

test.skipIf(postgresPrograms === undefined)(
  `pg_dump and pg_restore of an own Postgres${missing}`,
  async () => {
    let server: OwnPostgres | undefined
    try {
      server = await startOwnPostgres(postgresPrograms ?? '')
      const [url, restored] = [server.url('points'), server.url('restored')]
      await query(server.url('postgres'), 'CREATE DATABASE points')
      await filled({ DATABASE_URL: url })
      const before = await answersOn({ DATABASE_URL: url })
      expect(Object.keys(before).length).toBeGreaterThan(30)

      const version = 'SELECT version, history FROM data_version ORDER BY id'
      const stored = await query(url, version)
      await guide(
        'pg_restore',
        {
          'postgres://user:password@db:5432/points': url,
          'postgres://user:password@db:5432/restored': restored,
          'postgres://user:password@db:5432/postgres': server.url('postgres'),
        },
        {},
      )
      // The same state of the data has the same name: answers that gateways share in a Redis stay
      // true.
      expect(await query(restored, version)).toEqual(stored)
      expect(await answersOn({ DATABASE_URL: restored })).toEqual(before)

      const set = async (database: string, factor: string) => {
        const [pool] = await query(database, 'SELECT id FROM pool ORDER BY id LIMIT 1')
        const args = ['multipliers', 'set', pool?.id, '--deposit-a', factor, '--yes']
        expect(await command(args, { DATABASE_URL: database })).toMatchObject({ code: 0 })
      }
      await set(url, '5')
      await set(restored, '6')
      const [one, other] = [await query(url, version), await query(restored, version)]
      expect(one.map((row) => row.version)).toEqual(other.map((row) => row.version))
      expect(one).not.toEqual(other)
    } finally {
      await server?.close()
    }
  },
  180_000,
)

test('a copy of the files of the embedded Postgres', async () => {
  await filled({ DATA_DIR: join(directory, '.data') })
  const before = await answersOn({ DATA_DIR: join(directory, '.data') })
  await guide('tar -czf', {}, {})
  const after = await answersOn({ DATA_DIR: join(directory, 'restored') })
  expect(after).toEqual(before)
}, 180_000)

test.skipIf(postgresPrograms === undefined)(
  `the clients of Postgres reach the embedded one${missing}`,
  async () => {
    const gateway = await serve({ DATA_DIR: join(directory, '.data') })
    try {
      expect(
        await guide(
          'PGPASSWORD',
          { 'pg_dump -Fc -f gateway.dump': 'psql -Atc "SELECT count(*) FROM pool"' },
          {},
        ),
      ).toMatch(/^[1-9]\d*\n$/)
    } finally {
      await gateway.stop('SIGTERM')
    }
  },
  120_000,
)

async function query(connectionString: string, sql: string): Promise<Record<string, any>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
