import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { visibleWhenParsed } from '../../src/visible.ts'
import { command } from '../support/command-line.ts'
import { openStore } from '../support/store.ts'

/**
 * Stored texts are anybody's: what they have besides visible characters does not reach a terminal.
 */

const HOSTILE =
  'A\u001b[2J\u001b[H\nside A, run 9\r\t\u0007\u007f\u009b31m\u202eB\u2066\u200b\u2028\u2029\ufeff\u{e0041}'
const SHOWN = String.raw`A\u001b[2J\u001b[H\nside A, run 9\u000d\u0009\u0007\u007f\u009b31m\u202eB\u2066\u200b\u2028\u2029\ufeff\udb40\udc41`
const UNSEEN = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u

let dir: string
let store: Awaited<ReturnType<typeof openStore>>
const run = (...args: string[]) => command(args, { DATABASE_URL: store.url })

beforeAll(async () => {
  store = await openStore()
  dir = await mkdtemp(join(tmpdir(), 'gateway-visible-'))
  await run('template', join(dir, 'data'))
  for (const [file, field] of [
    ['pools', 'asset_1_symbol'],
    ['positions', 'aTokenSymbol'],
  ]) {
    const path = join(dir, 'data', `${file}.jsonl`)
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    const changed = lines.map((line) =>
      JSON.stringify({ ...JSON.parse(line), [field as string]: HOSTILE }),
    )
    await writeFile(path, changed.join('\n'))
  }
  await rm(join(dir, 'data', 'multipliers.jsonl'))
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true, force: true })
})

const [ANN, DAY] = ['0x1f00000000000000000000000000000000000a11', '2026-03-01']

test('a warning has a pool of any name in one line', async () => {
  const { out, err } = await run('import', join(dir, 'data'))
  expect(err).not.toMatch(UNSEEN)
  expect(out).not.toMatch(UNSEEN)
  expect(err.split('\n').filter((line) => line.includes(SHOWN.slice(0, 20)))).toHaveLength(1)
})

test('explain has no forged row, as text and as JSON', async () => {
  const { code, out } = await run('explain', ANN, '--date', DAY)
  expect(code).toBe(0)
  expect(out).not.toMatch(UNSEEN)
  expect(out.split('\n').filter((line) => /^\s+side A, run 9/.test(line))).toEqual([])
  const json = (await run('explain', ANN, '--date', DAY, '--json')).out
  expect(json).not.toMatch(UNSEEN)
  const [side] = json.split('\n').map((line) => JSON.parse(line || '{}'))
  expect(side.symbol).toBe(HOSTILE)
})

test('runs and errors show names of any actor and file', async () => {
  await store.pool.query('UPDATE run SET requested_by = $1, error = $1', [HOSTILE])
  for (const args of [['runs'], ['runs', '--json']])
    expect((await run(...args)).out).not.toMatch(UNSEEN)
  await writeFile(
    join(dir, 'data', 'users.jsonl'),
    JSON.stringify({ address: HOSTILE, [HOSTILE]: 1 }),
  )
  for (const args of [[], ['--json']]) {
    const { code, err } = await run('import', join(dir, 'data'), ...args)
    expect(code).toBe(2)
    expect(err).not.toMatch(UNSEEN)
  }
})

test('a line of the log is safe as JSON, and when a terminal shows its texts', () => {
  const line = `${JSON.stringify({ msg: `${HOSTILE}\\u001b` })}\n`
  expect(JSON.parse(visibleWhenParsed(line)).msg.replaceAll(/[\n\r\t]/g, '')).not.toMatch(UNSEEN)
})
