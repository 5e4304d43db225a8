import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ROOT } from '../docs/markdown.ts'
import { answersOf, ranked } from '../support/answers.ts'
import { command, parsed, serve } from '../support/command-line.ts'
import { hasPooler, NO_POOLER, openPooler } from '../support/pooler.ts'
import { openStore } from '../support/store.ts'

const fixture = join(ROOT, 'test/fixtures/contract')

/**
 * Defaults of a database that change the text, the order or the meaning of values, or that cut work
 * short.
 */
const HOSTILE = {
  search_path: '"$user", hostile, public',
  client_encoding: 'LATIN1',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Pacific/Kiritimati',
  timezone_abbreviations: 'Australia',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  lc_monetary: 'POSIX',
  lc_numeric: 'POSIX',
  lc_time: 'POSIX',
  xmloption: 'document',
  array_nulls: 'off',
  transform_null_equals: 'on',
  standard_conforming_strings: 'off',
  backslash_quote: 'on',
  quote_all_identifiers: 'on',
  row_security: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  restrict_nonsystem_relation_kind: 'view',
  session_replication_role: 'replica',
  idle_in_transaction_session_timeout: '200',
  idle_session_timeout: '1000',
  lock_timeout: '1',
  statement_timeout: '10000',
  enable_indexscan: 'off',
  enable_hashjoin: 'off',
  enable_sort: 'off',
}

async function makeHostile(store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const name = new URL(store.url).pathname.slice(1)
  const settings = Object.entries(HOSTILE).map(([setting, value]) => {
    const to = setting === 'search_path' ? value : `'${value}'`
    return `ALTER DATABASE ${name} SET ${setting} = ${to}`
  })
  // A schema in front has tables of the same names.
  await store.pool.query(`CREATE SCHEMA hostile;
    CREATE TABLE hostile.data_version (id int); CREATE TABLE hostile.account (id int); CREATE TABLE hostile.run (id int)`)
  await store.pool.query(settings.join('; '))
}

for (const pooled of [false, true])
  test.skipIf(pooled && !hasPooler)(
    `hostile defaults change no answer${pooled ? ` behind a pooler in transaction mode${NO_POOLER}` : ''}`,
    async () => {
      const [plain, store] = [await openStore(), await openStore()]
      const admin = { ADMIN_TOKEN: 'hostile-admin-token' }
      const headers = { authorization: `Bearer ${admin.ADMIN_TOKEN}` }
      await makeHostile(store)
      const pooler = pooled ? await openPooler(store.url, { size: 4 }) : undefined
      const env = { DATABASE_URL: store.url, ...admin }
      const behind = pooler
        ? { ...env, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: store.url }
        : env
      const gateways = []
      try {
        for (const one of [{ DATABASE_URL: plain.url, ...admin }, behind]) {
          expect(await command(['import', fixture], one)).toMatchObject({ code: 0 })
          const gateway = await serve(one)
          gateways.push(gateway)
          const resync = await fetch(`${gateway.base}/points/resync?date=2026-03-01`, {
            method: 'POST',
            headers,
          })
          expect(resync.ok, await resync.text()).toBe(true)
          await ranked(gateway.base)
        }
        const [expected = {}, answers = {}] = await Promise.all(
          // A busy machine may let a connection wait too long.
          gateways.map(({ base }) =>
            vi.waitFor(() => answersOf(base), { timeout: 120_000, interval: 1000 }),
          ),
        )
        const differ = Object.keys(expected).filter(
          (path) => !path.includes('runs') && answers[path] !== expected[path],
        )
        expect(differ.map((path) => ({ path, is: answers[path], was: expected[path] }))).toEqual([])
        const runs = await command(['runs', '--json'], behind)
        expect(runs).toMatchObject({ code: 0, err: '' })
        for (const { startedAt } of parsed(runs.out))
          expect(startedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        expect(await command(['resync', '--all', '--json'], behind)).toMatchObject({
          code: 0,
          err: '',
        })
        const { out } = await command(['doctor', '--json'], behind)
        const found = parsed(out).filter(
          ({ check, status }) => check === 'defaults' || status === 'problem',
        )
        const message = (text: string) =>
          expect.objectContaining({ message: expect.stringContaining(text) })
        expect(found).toEqual([message('turns off triggers'), message('DateStyle is German, DMY')])
      } finally {
        for (const gateway of gateways) await gateway.stop('SIGTERM')
        await pooler?.close()
        await store.close()
        await plain.close()
      }
    },
  )
