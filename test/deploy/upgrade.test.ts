import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../docs/markdown.ts'
import { answersOf, ranked } from '../support/answers.ts'
import { command, runProcess, type Serving, serve } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

/** A release that migrates, next to gateways of the previous one. */

const NEXT = `
  ALTER TABLE pool ADD COLUMN later text, ADD COLUMN first_of_all boolean NOT NULL DEFAULT false;
  CREATE TABLE later (id bigserial PRIMARY KEY);
  CREATE INDEX pool_later_idx ON pool (later);`
const fixture = join(ROOT, 'test/fixtures/contract')

let directory: string
/** The program of the next release. */
let next: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-upgrade-'))
  for (const path of ['dist', 'prisma', 'package.json'])
    await cp(join(ROOT, path), join(directory, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  const migration = join(directory, 'prisma/migrations/99990101000000_next')
  await mkdir(migration)
  await writeFile(join(migration, 'migration.sql'), NEXT)
  next = join(directory, 'dist/main.js')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const running: Serving[] = []
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.stop('SIGTERM')
})

async function started(env: Record<string, string>, main?: string): Promise<Serving> {
  const gateway = await serve(env, main)
  running.push(gateway)
  return gateway
}

test('the former one serves and writes on; once stopped, it starts no more, and says why', async () => {
  const store = await openStore()
  const env = { DATABASE_URL: store.url, ADMIN_TOKEN: 'upgrade-admin-token' }
  expect(await command(['import', fixture], env)).toMatchObject({ code: 0 })
  const former = await started(env)
  try {
    // It has prepared its statements.
    await ranked(former.base)
    await answersOf(former.base)
    const later = await started(env, next)
    const before = await answersOf(former.base)
    expect(await answersOf(later.base)).toEqual(before)

    const headers = { authorization: 'Bearer upgrade-admin-token' }
    const resync = await fetch(`${former.base}/points/resync?date=2026-03-01`, {
      method: 'POST',
      headers,
    })
    expect(resync.ok).toBe(true)
    await ranked(former.base)
    const both = [await answersOf(former.base), await answersOf(later.base)]
    expect(both[0]).toEqual(both[1])
    expect(both[0]).not.toEqual(before)
    await later.stop('SIGTERM')

    const again = await command(['serve'], { ...env, PORT: '0' })
    const message =
      'The database has the migration 99990101000000_next, which this gateway does not know: use the version that applied it or a newer one, or restore a backup from before.\n'
    expect(again).toMatchObject({ code: 2, err: message })
    expect((await fetch(`${former.base}/readyz`)).status).toBe(200)
  } finally {
    await former.stop('SIGTERM')
    await store.close()
  }
}, 120_000)

test('with MIGRATE=off the next one waits for its migrations, and the former one is left alone', async () => {
  const store = await openStore()
  const env = { DATABASE_URL: store.url, MIGRATE: 'off' }
  try {
    const refused = await runProcess(['serve'], { ...env, PORT: '0' }, next)
    const message =
      'The database lacks the migration 99990101000000_next, and MIGRATE is off: run the command migrate with the role that owns the tables.\n'
    expect(refused).toMatchObject({ code: 2, err: message })
    const former = await started(env)
    expect(await runProcess(['migrate'], env, next)).toMatchObject({ code: 0 })
    const later = await started(env, next)
    expect(await answersOf(former.base)).toEqual(await answersOf(later.base))
    await later.stop('SIGTERM')
    await former.stop('SIGTERM')
  } finally {
    await store.close()
  }
}, 120_000)
