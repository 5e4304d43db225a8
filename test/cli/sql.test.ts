import { afterAll, beforeAll, expect, test } from 'vitest'
import { command } from '../support/command-line.ts'
import { everything, records } from '../support/dump.ts'
import type { Gateway } from '../support/gateway.ts'
import { startOnSample } from '../support/sample.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startOnSample({ users: 30, days: 6 })
})
afterAll(() => gateway?.close())

const run = (args: string[]) =>
  command(args, { DATABASE_URL: gateway.deps.config.DATABASE_URL as string })

/** The statements of a script, without BEGIN and ROLLBACK. */
const statements = (script: string) => script.split(/;\n\n/).slice(1, -1)

test('sql lists the writes whose statements it prints', async () => {
  const { out, code } = await run(['sql'])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual(
    expect.arrayContaining(['resync', 'manualupdate', 'positions', 'prices', 'seasons']),
  )
})

test('sql refuses an unknown name with a sentence', async () => {
  const { code, err } = await run(['sql', 'nothing'])
  expect(code).toBe(2)
  expect(err).toContain('There are no statements of nothing')
})

test('each script runs in psql’s order, can be explained, and changes nothing', async () => {
  const { pool } = gateway.deps.store
  const before = [await everything(pool), await records(pool)]
  const names = (await run(['sql'])).out.trim().split('\n')
  for (const name of names) {
    const { out, err, code } = await run(['sql', name])
    expect({ code, err }, name).toEqual({ code: 0, err: '' })
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      for (const statement of statements(out)) {
        if (
          /^(INSERT|UPDATE|DELETE|MERGE|WITH|SELECT|CREATE TEMP TABLE \w+ \(.*AS\n)/.test(statement)
        )
          await client.query(`EXPLAIN ${statement}`)
        await client.query(statement)
      }
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  }
  expect([await everything(pool), await records(pool)]).toEqual(before)
})

test('the statements of a resync are those that a resync sends', async () => {
  const { out } = await run(['sql', 'resync'])
  expect(out).toMatch(/^BEGIN;\n/)
  expect(out).toMatch(/ROLLBACK;\n$/)
  for (const part of ['UPDATE stored_position', 'refreshed_day', 'ranked_account', 'pool_day'])
    expect(out).toContain(part)
  expect(out).not.toMatch(/\$\d/)
})
